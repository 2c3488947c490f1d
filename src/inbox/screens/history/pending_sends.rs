//! The outbox rows of a history: which one is current, and what a text waits
//! for so that person and AI do not cross.

use crate::context::Context;
use crate::desk::Desk;
use crate::screens::history::History;
use crate::screens::history::lines::HistoryItem;
use model::ids::ChannelId;
use model::outbox::{Operation, OutboxRow, RowState, StopReason, waiting};
use model::time::Timestamp;

impl History {
    /// Rows of the outbox, newest first.
    pub fn rows(&self) -> impl Iterator<Item = &OutboxRow> {
        self.items.iter().rev().filter_map(row_of)
    }

    /// The selected row of the outbox; while nothing is selected, the newest
    /// one that asks.
    pub fn current_row(&self) -> Option<&OutboxRow> {
        match self.selected_index() {
            Some(index) => self.items.get(index).and_then(row_of),
            None => self.rows().find(|row| row.is_stopped()),
        }
    }

    /// The newest wish about the AI that is not done.
    fn switching(&self) -> Option<&OutboxRow> {
        self.rows().find(|row| matches!(row.operation, Operation::SetAutomation { .. }))
    }

    /// Whether no clear answer came to the newest wish about the AI.
    pub fn switch_is_unclear(&self) -> bool {
        self.switching().is_some_and(|outbox_row| outbox_row.state == RowState::Uncertain)
    }

    /// Why the newest wish about the AI asks a person, if it is a pause.
    pub fn pause_asks(&self) -> Option<StopReason> {
        match self.switching().map(|outbox_row| (&outbox_row.operation, &outbox_row.state)) {
            Some((Operation::SetAutomation { enabled: false }, RowState::Stopped(stop, _))) => Some(*stop),
            _ => None,
        }
    }

    /// Whether a text is due and has not left.
    pub fn has_due_text(&self, now: Timestamp) -> bool {
        self.rows().any(|row| {
            row.operation.is_customer_message() && row.can_recall() && row.remaining_hold(now).is_none()
        })
    }
}

impl Desk {
    /// What a row that has not left waits for. `others` are the rows that may
    /// stand before it.
    pub fn waits_for<'a>(
        &self,
        row: &OutboxRow,
        others: impl Iterator<Item = &'a OutboxRow>,
        context: &Context,
    ) -> waiting::WaitReason {
        waiting::wait_reason(
            row,
            others,
            &waiting::QueueFacts { has_credits: self.pays(row), ..self.facts_of(&row.channel, context) },
        )
    }

    /// What holds up all sending of a tab, if anything does.
    pub fn standstill(&self, channel: &ChannelId, context: &Context) -> Option<waiting::WaitReason> {
        waiting::channel_wait_reason(&self.facts_of(channel, context))
    }

    fn facts_of(&self, channel: &ChannelId, context: &Context) -> waiting::QueueFacts<'_> {
        let tab = self.tabs.iter().find(|tab| tab.channel.id == *channel).unwrap_or_else(|| self.tab());
        waiting::QueueFacts { now: context.now, health: &tab.health, leader: &tab.leader, has_credits: None }
    }
}

fn row_of(item: &HistoryItem) -> Option<&OutboxRow> {
    match item {
        HistoryItem::Message(_) | HistoryItem::Note(_) => None,
        HistoryItem::Outbox(row, _) => Some(row),
    }
}
