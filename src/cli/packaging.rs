//! `completions` and `man`: what packagers put beside the binary.
//!
//! Made from the command line's own description, so they cannot differ.

use anyhow::{Context, Result};
use clap::{CommandFactory, Subcommand};
use clap_complete::Shell;

use crate::cli::{Cli, print};

/// The commands for packagers.
#[derive(Debug, Subcommand)]
pub enum Packaging {
    /// Print completions for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page.
    Man,
}

/// Prints what was asked for.
///
/// # Errors
/// When standard output takes nothing.
pub fn run(what: &Packaging) -> Result<()> {
    let mut page = Vec::new();
    match what {
        Packaging::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "frontdesk", &mut page);
        }
        Packaging::Man => {
            clap_mangen::Man::new(Cli::command()).render(&mut page).context("making the manual page")?;
        }
    }
    print::page(&page)
}
