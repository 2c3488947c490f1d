//! `admin webhook`: the webhooks of a workspace, the log of their deliveries, replay, off and on.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::text::SafeText;
use model::time::Clock;
use service::admin::Admin;
use service::database::webhooks::WebhookRow;

/// Actions on webhooks.
#[derive(Debug, Subcommand)]
pub enum WebhookAction {
    /// List the webhooks of all channels, oldest first, with failing and ended ones.
    List,
    /// List the attempts to deliver events, newest first.
    Deliveries(DeliveryArguments),
    /// Deliver again: one delivery, or all events that a webhook did not get.
    Replay {
        /// Id of a delivery, as shown by `deliveries`, or of a webhook.
        id: String,
    },
    /// Switch a webhook off: nothing more is delivered to it.
    Disable {
        /// Id, as shown by `list`.
        id: String,
    },
    /// Switch a webhook on again. `replay` then delivers what it missed.
    Enable {
        /// Id, as shown by `list`.
        id: String,
    },
}

/// The switches of `admin webhook deliveries`.
#[derive(Debug, Args)]
pub struct DeliveryArguments {
    /// Id of a webhook, as shown by `list`; without it, all of the workspace.
    id: Option<String>,
    /// Only attempts that did not arrive.
    #[arg(long, conflicts_with = "dead")]
    failed: bool,
    /// Instead of attempts, the events that were given up and can be replayed, oldest first.
    #[arg(long)]
    dead: bool,
    /// Maximum number of lines.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
}

pub async fn run(admin: &Admin, action: WebhookAction, json: bool) -> Result<()> {
    match action {
        WebhookAction::List => list(admin, json).await,
        WebhookAction::Deliveries(asked) if asked.dead => dead_letters(admin, &asked, json).await,
        WebhookAction::Deliveries(asked) => attempts(admin, &asked, json).await,
        WebhookAction::Replay { id } => {
            let replayed = admin.replay_deliveries(&id, SystemClock.now()).await;
            let count = replayed.context("could not replay")?;
            if json {
                return print::json(&json!({"id": id, "replayed": count}));
            }
            print::line(&format!(
                "{count} deliveries are due again; a running service begins within a minute"
            ))
        }
        WebhookAction::Disable { id } => switch(admin, &id, false, json).await,
        WebhookAction::Enable { id } => switch(admin, &id, true, json).await,
    }
}

async fn switch(admin: &Admin, id: &str, active: bool, json: bool) -> Result<()> {
    admin.switch_webhook(id, active, SystemClock.now()).await.context("could not change the webhook")?;
    if json {
        return print::json(&json!({"id": id, "isActive": active}));
    }
    let words = if active { "on; `admin webhook replay` delivers what it missed" } else { "off" };
    print::line(&format!("{id} is switched {words}"))
}

async fn list(admin: &Admin, json: bool) -> Result<()> {
    let all = admin.webhooks().await.context("could not list the webhooks")?;
    if json {
        let lines = all.iter().map(|(channel, row)| {
            json!({
                "id": row.id, "channel": channel.word(), "url": row.url, "isActive": row.active,
                "failingSince": row.failing_since.map(|at| at.to_string()),
                "createdAt": row.created_at.to_string(), "endedWhy": row.ended_why,
            })
        });
        return print::json(&Value::Array(lines.collect()));
    }
    print::empty(all.is_empty(), "webhooks");
    for (channel, row) in all {
        let line = format!("{} · {} · {} · {}", row.id, channel.word(), row.url, describe_state(&row));
        print::line(SafeText::line(&line).as_str())?;
    }
    Ok(())
}

fn describe_state(row: &WebhookRow) -> String {
    let again = format!("`admin webhook enable {}` switches it on again", row.id);
    match (row.active, row.ended_why.as_deref(), row.failing_since) {
        (true, _, None) => "well".to_owned(),
        (true, _, Some(at)) => format!("FAILING since {at}"),
        (false, Some("operator"), _) => format!("OFF: switched off by the operator; {again}"),
        (false, Some("gone"), _) => format!("ENDED: its server answered 410 Gone; {again}"),
        (false, _, Some(at)) => format!("GIVEN UP: no delivery arrived since {at}; {again}"),
        (false, _, None) => {
            format!("ENDED: its server answered 410 Gone, or its secret was dropped; {again}")
        }
    }
}

async fn attempts(admin: &Admin, asked: &DeliveryArguments, json: bool) -> Result<()> {
    let found = admin.delivery_attempts(asked.id.as_deref(), asked.failed, asked.limit).await;
    let found = found.context("could not list the deliveries")?;
    if json {
        let lines = found.iter().map(|row| {
            json!({
                "delivery": row.delivery, "webhook": row.webhook, "event": row.event, "name": row.name,
                "attempt": row.attempt, "outcome": row.outcome, "status": row.status, "failure": row.failure,
                "milliseconds": row.millis, "at": row.at.to_string(),
                "nextAt": row.next_at.map(|at| at.to_string()),
            })
        });
        return print::json(&Value::Array(lines.collect()));
    }
    for row in found {
        let answer = row.status.map_or_else(|| row.failure.unwrap_or_default(), |status| status.to_string());
        let next = row.next_at.map_or_else(String::new, |at| format!(" · next try {at}"));
        let line = format!(
            "{} · {} · {} · {} · {} · attempt {} · {} · {answer} · {} ms{next}",
            row.at, row.webhook, row.delivery, row.event, row.name, row.attempt, row.outcome, row.millis
        );
        print::line(SafeText::line(&line).as_str())?;
    }
    Ok(())
}

async fn dead_letters(admin: &Admin, asked: &DeliveryArguments, json: bool) -> Result<()> {
    let found = admin.dead_letters(asked.id.as_deref(), asked.limit).await;
    let found = found.context("could not list the events that were given up")?;
    if json {
        let lines = found.iter().map(|letter| {
            json!({
                "delivery": letter.id, "webhook": letter.webhook, "event": letter.event,
                "name": letter.name, "attempts": letter.attempts, "at": letter.at.to_string(),
            })
        });
        return print::json(&Value::Array(lines.collect()));
    }
    for letter in found {
        let (id, webhook, event) = (&letter.id, &letter.webhook, &letter.event);
        let line = format!(
            "{} · {webhook} · {id} · {event} · {} · {} attempts",
            letter.at, letter.name, letter.attempts
        );
        print::line(SafeText::line(&line).as_str())?;
    }
    Ok(())
}
