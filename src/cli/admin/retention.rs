//! `admin retention`: counts what the service removes because of its age.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::json;

use crate::cli::print;
use crate::cli::unfinished::CommandRefusal;
use crate::config::ServiceConfig;
use crate::shell::clock::SystemClock;
use model::time::{Clock, DAY};
use service::admin::Admin;
use service::retention::{Retention, WORK_RETENTION};

/// Actions on retention.
#[derive(Debug, Subcommand)]
pub enum RetentionAction {
    /// Count what the next sweep of the service removes; removes nothing.
    Plan {
        /// Configuration file of the service, as given to `serve`; without it, the defaults.
        #[arg(long, value_name = "PATH")]
        config: Option<PathBuf>,
    },
}

pub async fn run(admin: &Admin, action: RetentionAction, json: bool) -> Result<()> {
    let RetentionAction::Plan { config } = action;
    let retention = match config {
        None => Retention::default(),
        Some(path) => {
            let read = ServiceConfig::read(&path);
            read.map_err(|error| match path.exists() {
                true => CommandRefusal::refused(format!("{error:#}")),
                false => CommandRefusal::not_found(format!("{error:#}")),
            })?
            .retention
        }
    };
    let plan = admin.plan_retention(retention, SystemClock.now()).await;
    let plan = plan.context("could not count old data")?;
    let lines = [
        ("messages", retention.messages, plan.messages, "messages and mails, with their files and events"),
        ("messages", retention.messages, plan.broadcasts, "broadcasts with their recipients"),
        (
            "messages",
            retention.messages,
            plan.trigger_events,
            "orders, appointments and other events of the business",
        ),
        ("media", retention.media, plan.media, "files"),
        ("events", retention.events, plan.events, "events that every webhook got"),
        ("deliveries", retention.deliveries, plan.dead_letters, "events that a webhook did not get"),
        ("deliveries", retention.deliveries, plan.attempts, "attempts to deliver"),
        ("logs", retention.logs, plan.audit, "entries of the audit log"),
        ("logs", retention.logs, plan.calls, "calls of Data Connections"),
        ("statistics", Some(WORK_RETENTION), plan.work, "entries of what people of the team did"),
    ];
    if json {
        let items = lines.map(|(kind, kept, count, what)| {
            json!({"kind": kind, "days": kept.map(|kept| kept / DAY), "removes": count, "what": what})
        });
        return print::json(&serde_json::Value::Array(items.to_vec()));
    }
    for (kind, kept, count, what) in lines {
        let days = kept.map_or_else(|| "kept".to_owned(), |kept| format!("{} days", kept / DAY));
        print::line(&format!("{kind}\t{days}\tremoves {count} {what}"))?;
    }
    Ok(())
}
