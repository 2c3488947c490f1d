//! `admin call`: lists and ends calls in progress.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::print;
use model::text::SafeText;
use service::admin::Admin;

/// What can be done with the calls of a service.
#[derive(Debug, Subcommand)]
pub enum CallAction {
    /// List calls in progress.
    List,
    /// End a call on its platform.
    HangUp {
        /// Id, as shown by `list`.
        id: String,
    },
}

pub async fn run(admin: &Admin, action: CallAction, json: bool) -> Result<()> {
    match action {
        CallAction::List => {
            let all = admin.open_calls().await.context("could not list the calls")?;
            if json {
                let one = |open_call: &service::carriers::dashboard::OpenCall| json!({"id": open_call.id, "to": open_call.to, "status": open_call.status, "placedAt": open_call.placed_at.to_string()});
                return print::json(&Value::Array(all.iter().map(one).collect()));
            }
            print::empty(all.is_empty(), "calls");
            all.iter().try_for_each(|entry| {
                let line = format!("{} · {} · {} · {}", entry.id, entry.to, entry.status, entry.placed_at);
                print::line(SafeText::line(&line).as_str())
            })
        }
        CallAction::HangUp { id } => {
            admin.hang_up(&id).await.context("could not end the call")?;
            if json {
                return print::json(&json!({"id": id, "ended": true}));
            }
            print::line("the platform ends the call")
        }
    }
}
