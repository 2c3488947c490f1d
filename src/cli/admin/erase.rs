//! `admin erase` and `admin export`: removes or copies the data of one person on request.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::time::Clock;
use service::admin::{Admin, AdminError};

/// The switches of `admin erase`.
#[derive(Debug, Args)]
pub struct EraseArguments {
    /// Phone number such as +34600111222, mail address, chat id, or @name on the bot channel.
    #[arg(value_name = "ADDRESS", allow_negative_numbers = true)]
    address: String,
    /// Write a certificate of what was removed to this new file, as JSON without the address.
    #[arg(long, value_name = "PATH")]
    certificate: Option<PathBuf>,
}

/// The switches of `admin export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Phone number such as +34600111222, mail address, chat id, or @name on the bot channel.
    #[arg(value_name = "ADDRESS", allow_negative_numbers = true)]
    address: String,
    /// New file for the copy, readable by its owner only.
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
}

pub async fn run(admin: &Admin, arguments: &EraseArguments, json: bool) -> Result<()> {
    if let Some(path) = &arguments.certificate {
        refuse_existing(path)?;
    }
    let now = SystemClock.now();
    let erased = admin.erase(&arguments.address, now).await.context("erasing")?;
    let told = json!({
        "id": erased.id, "at": now.to_string(), "histories": erased.histories, "contacts": erased.contacts,
        "messages": erased.messages, "mailsOfOthers": erased.mails_of_others, "files": erased.files,
    });
    if let Some(path) = &arguments.certificate {
        let mut certificate = told.clone();
        certificate["unchanged"] = json!([
            "mail in the mailbox itself",
            "backups",
            "the Message-ID of each mail",
            "that a number asked for no more texts",
        ]);
        write_new(path, &certificate)?;
    }
    if json {
        return print::json(&told);
    }
    let histories = match erased.histories {
        1 => "1 conversation or thread".to_owned(),
        count => format!("{count} conversations and threads"),
    };
    print::line(&format!(
        "erased {histories}, {}, and all other data of this address; mail in the mailbox and backups are unchanged",
        print::count(erased.files, "file")
    ))
}

pub async fn export(admin: &Admin, arguments: &ExportArguments, json: bool) -> Result<()> {
    refuse_existing(&arguments.to)?;
    let copy =
        admin.export_person(&arguments.address, SystemClock.now()).await.context("could not export")?;
    write_new(&arguments.to, &copy)?;
    let count = |name: &str| copy[name].as_array().map_or(0, Vec::len);
    let (conversations, threads, files) = (count("conversations"), count("threads"), count("files"));
    if json {
        return print::json(&json!({"conversations": conversations, "threads": threads, "files": files}));
    }
    print::line(&format!(
        "wrote {conversations} conversations, {threads} threads and the ids of {files} files to {}",
        arguments.to.display()
    ))
}

fn refuse_existing(path: &Path) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    Err(AdminError::Refused(format!("{} exists already; name a new file", path.display())).into())
}

/// Writes a file that only its owner can read.
fn write_new(path: &Path, value: &Value) -> Result<()> {
    let text = format!("{value:#}\n");
    disk::write(path, text.as_bytes()).with_context(|| format!("could not write {}", path.display()))
}
