//! `admin call`: the calls that go on, and ending one.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::print;
use model::text::SafeText;
use service::admin::Admin;

/// What can be done with the calls of a service.
#[derive(Debug, Subcommand)]
pub enum CallAction {
    /// List the calls that have not ended.
    List,
    /// End a call on its platform.
    HangUp {
        /// Its id, as `list` shows it.
        id: String,
    },
}

/// Does it.
pub async fn run(admin: &Admin, action: CallAction, json: bool) -> Result<()> {
    match action {
        CallAction::List => {
            let all = admin.open_calls().await.context("listing the calls")?;
            if json {
                let one = |it: &service::carriers::dashboard::OpenCall| json!({"id": it.id, "to": it.to, "status": it.status, "placedAt": it.placed_at.to_string()});
                return print::json(&Value::Array(all.iter().map(one).collect()));
            }
            all.iter().try_for_each(|it| {
                let line = format!("{} · {} · {} · {}", it.id, it.to, it.status, it.placed_at);
                print::line(SafeText::line(&line).as_str())
            })
        }
        CallAction::HangUp { id } => {
            admin.hang_up(&id).await.context("ending the call")?;
            if json {
                return print::json(&json!({"id": id, "ended": true}));
            }
            print::line("the platform ends the call")
        }
    }
}
