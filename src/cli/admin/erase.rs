//! `admin erase`: removes the data of one person on request.

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::cli::print;
use service::admin::Admin;

/// The switches of `admin erase`.
#[derive(Debug, Args)]
pub struct EraseArguments {
    /// Phone number such as +34600111222, mail address, chat id, or @name on the bot channel.
    #[arg(value_name = "ADDRESS", allow_negative_numbers = true)]
    address: String,
}

pub async fn run(admin: &Admin, arguments: &EraseArguments, json: bool) -> Result<()> {
    let erased = admin.erase(&arguments.address).await.context("erasing")?;
    if json {
        return print::json(&json!({"histories": erased.histories, "files": erased.files}));
    }
    print::line(&format!(
        "erased {} conversations and threads, {} files, and all other data of this address; mail in the mailbox \
         and backups are unchanged",
        erased.histories, erased.files
    ))
}
