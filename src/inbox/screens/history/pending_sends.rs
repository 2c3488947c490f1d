//! Outbox rows of a history: the current one, and the reason why a text waits.

use crate::context::Context;
use crate::desk::Desk;
use crate::features::credits::update as credits;
use crate::screens::history::History;
use crate::screens::history::lines::HistoryItem;
use model::ids::ChannelId;
use model::outbox::{Operation, OutboxRow, RowState, StopReason, waiting};
use model::time::Timestamp;

impl History {
    /// Outbox rows, newest first.
    pub fn rows(&self) -> impl Iterator<Item = &OutboxRow> {
        self.items.iter().rev().filter_map(row_of)
    }

    /// The selected outbox row; without a selection, the newest stopped one.
    pub fn current_row(&self) -> Option<&OutboxRow> {
        match self.selected_index() {
            Some(index) => self.items.get(index).and_then(row_of),
            None => self.rows().find(|row| row.is_stopped()),
        }
    }

    /// Newest pending switch of the AI.
    fn newest_ai_switch(&self) -> Option<&OutboxRow> {
        self.rows().find(|row| matches!(row.operation, Operation::SetAutomation { .. }))
    }

    /// True if the newest AI switch has an unknown outcome.
    pub fn is_switch_unknown(&self) -> bool {
        self.newest_ai_switch().is_some_and(|outbox_row| outbox_row.state == RowState::Uncertain)
    }

    /// Stop reason of the newest AI switch, if it is a pause.
    pub fn pause_stop_reason(&self) -> Option<StopReason> {
        match self.newest_ai_switch().map(|outbox_row| (&outbox_row.operation, &outbox_row.state)) {
            Some((Operation::SetAutomation { enabled: false }, RowState::Stopped(stop, _))) => Some(*stop),
            _ => None,
        }
    }

    pub fn has_due_text(&self, now: Timestamp) -> bool {
        self.rows().any(|row| {
            row.operation.is_customer_message() && row.can_recall() && row.remaining_hold(now).is_none()
        })
    }
}

/// Reason why a row has not been sent. `others` are rows that may precede it.
pub fn wait_reason<'a>(
    desk: &Desk,
    row: &OutboxRow,
    others: impl Iterator<Item = &'a OutboxRow>,
    context: &Context,
) -> waiting::WaitReason {
    waiting::wait_reason(
        row,
        others,
        &waiting::QueueFacts {
            has_credits: credits::can_pay_for(desk, row),
            ..queue_facts(desk, &row.channel, context)
        },
    )
}

/// Reason that blocks all sending of a tab.
pub fn channel_wait_reason(
    desk: &Desk,
    channel: &ChannelId,
    context: &Context,
) -> Option<waiting::WaitReason> {
    waiting::channel_wait_reason(&queue_facts(desk, channel, context))
}

fn queue_facts<'a>(desk: &'a Desk, channel: &ChannelId, context: &Context) -> waiting::QueueFacts<'a> {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == *channel).unwrap_or_else(|| desk.tab());
    waiting::QueueFacts { now: context.now, health: &tab.health, leader: &tab.leader, has_credits: None }
}

fn row_of(item: &HistoryItem) -> Option<&OutboxRow> {
    match item {
        HistoryItem::Message(_) | HistoryItem::Note(_) => None,
        HistoryItem::Outbox(row, _) => Some(row),
    }
}
