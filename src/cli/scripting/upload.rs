//! `upload`: uploads a file to the service and prints its URL.

use anyhow::{Result, anyhow};
use clap::{Args, ValueHint};

use crate::cli::scripting::writing::{self, Answer, KeyArgument, WriteKey, file_fingerprint};
use crate::cli::scripting::{Common, Session, channel_selection};
use crate::cli::unfinished::CommandRefusal;
use crate::shell::files;
use client::Attachments;
use model::account::Platform;
use model::outbox::Operation;

/// The switches of `upload`.
#[derive(Debug, Args)]
pub struct UploadArguments {
    /// The file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub path: String,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(session: &Session, arguments: &UploadArguments) -> Result<()> {
    let facts = files::inspect_file(&arguments.path)
        .map_err(|why| CommandRefusal::unreadable(&arguments.path, why))?;
    let bytes = files::read(&facts.path, facts.size).map_err(|why| anyhow!(why))?;
    let common = &arguments.common;
    let key = match arguments.key.is_given() {
        true => WriteKey::of(&arguments.key, "upload", common, &[&file_fingerprint(&arguments.path)]),
        false => WriteKey::NONE,
    };
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let channel = channel_selection::resolve_channel(session, common, "chat", Platform::is_chat)?;
    let answer = Answer::new("uploaded", &facts.name)
        .with_field("file", facts.name.as_str())
        .with_created_field("url");
    let operation =
        Operation::Upload { filename: facts.name.clone(), mime_type: facts.mime_type, size: facts.size };
    let enclosed = Attachments { files: &[&bytes], ..Attachments::default() };
    let outcome = writing::run_operation(session, &channel, operation, enclosed, (&answer, &key))?;
    writing::print_outcome(session, &channel, common, &answer, &outcome)
}
