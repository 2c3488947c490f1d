//! `admin webhook`: lists the webhooks of a workspace and their delivery state.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::print;
use model::text::SafeText;
use service::admin::Admin;

/// Actions on webhooks.
#[derive(Debug, Subcommand)]
pub enum WebhookAction {
    /// List the webhooks of all channels, oldest first, with failing and ended ones.
    List,
}

pub async fn run(admin: &Admin, action: WebhookAction, json: bool) -> Result<()> {
    let WebhookAction::List = action;
    let all = admin.webhooks().await.context("could not list the webhooks")?;
    if json {
        let lines = all.iter().map(|(channel, row)| {
            json!({
                "id": row.id, "channel": channel.word(), "url": row.url, "isActive": row.active,
                "failingSince": row.failing_since.map(|at| at.to_string()),
                "createdAt": row.created_at.to_string(),
            })
        });
        return print::json(&Value::Array(lines.collect()));
    }
    for (channel, row) in all {
        let state = match (row.active, row.failing_since) {
            (true, None) => "well".to_owned(),
            (true, Some(at)) => format!("FAILING since {at}"),
            (false, Some(at)) => {
                format!("GIVEN UP: no delivery arrived since {at}; delete the webhook and create it again")
            }
            (false, None) => "ENDED: its server answered 410 Gone, or its secret was dropped".to_owned(),
        };
        let line = format!("{} · {} · {} · {state}", row.id, channel.word(), row.url);
        print::line(SafeText::line(&line).as_str())?;
    }
    Ok(())
}
