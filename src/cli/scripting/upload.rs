//! `upload`: a file to the service, for an address to send it by.

use anyhow::{Result, anyhow};
use clap::Args;

use crate::cli::scripting::{Common, Session, single};
use crate::shell::files;
use client::Enclosed;
use model::account::Platform;
use model::outbox::Operation;

/// The switches of `upload`.
#[derive(Debug, Args)]
pub struct UploadArguments {
    /// The file.
    pub path: String,
    #[command(flatten)]
    pub common: Common,
}

/// `frontdesk upload`
pub fn run(session: &Session, arguments: &UploadArguments) -> Result<()> {
    let facts = files::look_at(&arguments.path).map_err(|why| anyhow!(why))?;
    let bytes = files::read(&facts.path, facts.size).map_err(|why| anyhow!(why))?;
    let channel = single::channel(session, &arguments.common, "chat", Platform::is_chat)?;
    let operation =
        Operation::Upload { filename: facts.name.clone(), mime_type: facts.mime_type, size: facts.size };
    let enclosed = Enclosed { files: &[&bytes], ..Enclosed::default() };
    let made = single::carry_out(session, &channel, operation, enclosed)?;
    single::said(
        session,
        &channel,
        &arguments.common,
        "uploaded",
        ("file", &facts.name),
        made.map(|it| ("url", it)),
    )
}
