//! `admin key`: manages API keys, which are shown once, at creation.

use anyhow::{Context, Result};
use clap::{Subcommand, ValueEnum};
use serde_json::json;

use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::account::Environment;
use model::time::Clock;
use service::admin::{Admin, ChannelChoice};

/// Live or test, as the command line names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EnvironmentArgument {
    /// Sends real messages and charges credits.
    Live,
    /// Sends and charges nothing.
    Test,
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeyAction {
    /// Create a key, and print it: it is shown only once.
    #[command(alias = "add")]
    Create {
        /// Channel of the key: whatsapp, telegram, email, voip, or the name of a further channel.
        #[arg(long, value_name = "CHANNEL")]
        channel: ChannelChoice,
        /// Environment of the key.
        #[arg(long, value_enum, default_value = "live")]
        environment: EnvironmentArgument,
    },
    /// List the keys by their last characters, including revoked ones.
    List,
    /// Revoke a key for good: requests with it are refused.
    #[command(aliases = ["delete", "remove"])]
    Revoke {
        /// Id, as shown by `list`.
        id: String,
    },
}

pub async fn run(admin: &Admin, action: KeyAction, json: bool) -> Result<()> {
    match action {
        KeyAction::Create { channel, environment } => {
            let environment = match environment {
                EnvironmentArgument::Live => Environment::Live,
                EnvironmentArgument::Test => Environment::Test,
            };
            let made = admin.create_key(channel, environment, SystemClock.now()).await;
            let (id, key) = made.context("could not create the key")?;
            if json {
                return print::json(&json!({"id": id, "key": key.expose()}));
            }
            print::line(&format!("{id}\t{}", key.expose()))
        }
        KeyAction::List => list(admin, json).await,
        KeyAction::Revoke { id } => {
            let id = admin.revoke(&id, SystemClock.now()).await.context("could not revoke the key")?;
            if json {
                return print::json(&json!({"id": id, "revoked": true}));
            }
            print::line(&format!("{id} is revoked"))
        }
    }
}

async fn list(admin: &Admin, json: bool) -> Result<()> {
    let keys = admin.keys().await.context("could not list the keys")?;
    if json {
        let items: Vec<_> = keys
            .iter()
            .map(|key| {
                json!({
                    "id": key.id, "workspace": key.workspace, "channel": key.channel.word(),
                    "channelName": key.channel_name, "environment": key.environment.word(),
                    "tail": key.tail, "createdAt": key.created_at.to_string(),
                    "revokedAt": key.revoked_at.map(|at| at.to_string()),
                })
            })
            .collect();
        return print::json(&serde_json::Value::Array(items));
    }
    for key in keys {
        let state = key.revoked_at.map_or_else(|| "valid".to_owned(), |at| format!("revoked {at}"));
        let channel = key.channel_name.as_deref().unwrap_or(key.channel.word());
        let environment = key.environment.word();
        print::line(&format!(
            "{}\t{channel}\t{environment}\t…{}\t{}\t{state}",
            key.id, key.tail, key.created_at
        ))?;
    }
    Ok(())
}
