//! `admin assistant`: switches the assistant in one conversation, also on channels whose interface has no
//! pause.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::json;

use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::text::SafeText;
use model::time::Clock;
use service::admin::Admin;

/// Actions on the assistant of one conversation.
#[derive(Debug, Subcommand)]
pub enum AssistantAction {
    /// Show whether the assistant answers.
    Show {
        /// Id of the conversation or mail thread.
        id: String,
    },
    /// Pause the assistant; returns once none of its answers can be sent any more.
    Pause {
        /// Id of the conversation or mail thread.
        id: String,
    },
    /// Hand the conversation back to the assistant.
    Resume {
        /// Id of the conversation or mail thread.
        id: String,
    },
}

pub async fn run(admin: &Admin, action: AssistantAction, json: bool) -> Result<()> {
    let (id, enabled) = match action {
        AssistantAction::Show { id } => {
            let enabled = admin.automation(&id).await.context("could not read the assistant's state")?;
            (id, enabled)
        }
        AssistantAction::Pause { id } => {
            let now = SystemClock.now();
            admin.switch_automation(&id, false, now).await.context("could not pause the assistant")?;
            (id, false)
        }
        AssistantAction::Resume { id } => {
            let now = SystemClock.now();
            admin.switch_automation(&id, true, now).await.context("could not hand the conversation back")?;
            (id, true)
        }
    };
    if json {
        return print::json(&json!({ "id": id, "enabled": enabled }));
    }
    let words = if enabled { "the assistant answers" } else { "the assistant is paused" };
    print::line(&format!("{}\t{words}", SafeText::line(&id)))
}
