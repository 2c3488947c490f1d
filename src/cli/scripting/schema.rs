//! `schema`: what the server tells that the interface does not name, as this
//! desk has seen it.

use anyhow::Result;
use clap::Subcommand;

use crate::cli::print;
use crate::cli::scripting::Files;

/// What is done with it.
#[derive(Debug, Subcommand)]
pub enum SchemaAction {
    /// Print it as a JSON Schema: names, kinds and counts, and nobody's values.
    Export,
}

/// `frontdesk schema`
///
/// # Errors
/// When the files cannot be read.
pub fn run(files: &Files, action: &SchemaAction) -> Result<()> {
    match action {
        SchemaAction::Export => print::line(&files.store.reader()?.lens()?.schema()),
    }
}
