//! Reasons outbox rows wait, as text with the command that ends the wait, and as JSON.

use std::collections::HashMap;

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::desk;
use crate::cli::scripting::session::SendStep;
use crate::cli::scripting::{Files, Session};
use model::ids::ChannelId;
use model::leader::Leader;
use model::news::Health;
use model::outbox::waiting::{QueueFacts, WaitReason, WaitRemedy, wait_reason};
use model::outbox::{OutboxRow, RowState, StopReason};
use model::prices::{self, Price};
use model::spending;

/// Sending process, connection state and balance of each channel.
pub struct ChannelStates(HashMap<ChannelId, ChannelState>);

struct ChannelState {
    leader: Leader,
    health: Health,
    credits: Option<f64>,
}

pub struct RowWait {
    reason: WaitReason,
    text: String,
    command: Option<String>,
}

impl ChannelStates {
    /// Collects the state of these rows' channels.
    pub fn load(files: &Files, rows: &[&OutboxRow]) -> Result<Self> {
        let mut known = HashMap::new();
        let runtime = desk::runtime()?;
        for row in rows {
            if !known.contains_key(&row.channel) {
                let sender = runtime.block_on(files.store.sender(&row.channel, files.now()))?;
                let account = runtime.block_on(files.store.account(&row.channel))?;
                let channel = ChannelState {
                    leader: sender.as_ref().map_or(Leader::Nobody, |sender| sender.leader()),
                    health: sender.and_then(|sender| sender.health.health).unwrap_or(Health::Connecting),
                    credits: account.map(|account| account.credits),
                };
                known.insert(row.channel.clone(), channel);
            }
        }
        Ok(Self(known))
    }

    /// Reason one row waits; `others` may come before it.
    pub fn row_wait(&self, row: &OutboxRow, others: &[&OutboxRow], files: &Files) -> RowWait {
        let nobody = ChannelState { leader: Leader::Nobody, health: Health::Connecting, credits: None };
        let ChannelState { leader, health, credits } = self.0.get(&row.channel).unwrap_or(&nobody);
        let template = Price { min: prices::TEMPLATE_CREDITS, max: prices::MAX_TEMPLATE_CREDITS };
        let least = spending::price(&row.operation, template).and_then(|price| i32::try_from(price.min).ok());
        let pays = least.zip(*credits).map(|(least, credits)| f64::from(least) <= credits);
        let facts = QueueFacts { now: files.now(), health, leader, has_credits: pays };
        let reason = wait_reason(row, others.iter().copied(), &facts);
        let words = reason.describe(&row.operation, files.now());
        let command = reason.remedies().iter().find_map(|way| command(*way, row));
        RowWait { reason, text: words, command }
    }
}

/// Text for a row of this session's channel after a sending step.
pub fn describe_wait(
    session: &Session,
    channel: &sync::ChannelSync,
    work: &SendStep,
    (row, others): (&OutboxRow, &[OutboxRow]),
) -> String {
    let (leader, vitals) = match work {
        SendStep::Elsewhere(other) => (other.leader(), other.health.clone()),
        SendStep::Moved | SendStep::Waits | SendStep::Halted => (Leader::Here, channel.lease_health()),
    };
    let health = vitals.health.unwrap_or(Health::Connecting);
    let facts = QueueFacts { now: session.now(), health: &health, leader: &leader, has_credits: None };
    wait_reason(row, others.iter(), &facts).describe(&row.operation, session.now())
}

impl RowWait {
    /// Text: the reason, the server's message, and the command that ends the wait.
    pub fn describe(&self, row: &OutboxRow) -> String {
        let mut parts = vec![self.text.clone()];
        if let RowState::Stopped(_, why) = &row.state {
            parts.push(why.to_string());
        }
        parts.extend(self.command.iter().map(|text| format!("`{text}`")));
        parts.join("; ")
    }

    pub fn json(&self) -> Value {
        json!({
            "reason": self.reason.word(),
            "words": self.text,
            "until": self.reason.until().map(|time| time.to_string()),
            "process": self.reason.blocking_process(),
            "command": self.command,
        })
    }
}

/// Command of a remedy.
fn command(way: WaitRemedy, row: &OutboxRow) -> Option<String> {
    let id = &row.id;
    match way {
        WaitRemedy::Decide | WaitRemedy::SendUnpaid => Some(match &row.state {
            RowState::Stopped(StopReason::ReplyConflict | StopReason::Late, _) => {
                format!("frontdesk outbox send-anyway {id}")
            }
            RowState::Stopped(StopReason::Account, _) => format!("frontdesk outbox send-from-here {id}"),
            _ => format!("frontdesk outbox retry {id}"),
        }),
        WaitRemedy::CheckKey => Some("frontdesk channel test".to_owned()),
        WaitRemedy::StartInbox => Some("frontdesk".to_owned()),
        WaitRemedy::DecideBefore => Some("frontdesk outbox list".to_owned()),
        WaitRemedy::SendNow | WaitRemedy::Recall | WaitRemedy::RetryConnection => None,
    }
}
