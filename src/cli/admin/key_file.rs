//! `admin key-file`: recovery after the loss of the key that seals secrets.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::json;

use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::time::Clock;
use service::admin::Admin;

/// Actions on the key file.
#[derive(Debug, Subcommand)]
pub enum KeyFileAction {
    /// Drop the secrets encrypted with a lost key: channels are disconnected, signed webhooks end,
    /// and Data Connections lose their credentials. The next start creates a new key. Stop the
    /// service first.
    Reset {
        /// Confirm: dropped secrets cannot be restored.
        #[arg(long, required = true)]
        yes: bool,
    },
}

pub async fn run(admin: &Admin, action: KeyFileAction, json: bool) -> Result<()> {
    let KeyFileAction::Reset { yes: _ } = action;
    let dropped = admin.drop_secrets(SystemClock.now()).await.context("could not drop the secrets")?;
    if json {
        return print::json(&json!({
            "channels": dropped.channels, "webhooks": dropped.webhooks, "connections": dropped.connections,
        }));
    }
    let groups = [
        ("connect again: ", &dropped.channels),
        ("delete and create again: webhook ", &dropped.webhooks),
        ("give a credential again: Data Connection ", &dropped.connections),
    ];
    for (words, names) in groups {
        names.iter().try_for_each(|name| print::line(&format!("{words}{name}")))?;
    }
    print::line("the next start creates a new key")
}
