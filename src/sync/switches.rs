//! Reconciles AI pauses seen in a reading with those made here.

use crate::ChannelSync;
use crate::report::PullError;
use model::conversations::{Automation, PauseOrigin};
use model::ids::ConversationId;
use model::outbox::Operation;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};
use store::conversations::AiSwitch;

/// Time after a sent text in which a pause counts as caused by it, in microseconds.
const PAUSE_BY_SENDING_PERIOD: i64 = 2 * MINUTE;
/// Maximum number of texts remembered.
const MAX_SENT_TEXTS: usize = 1_000;

/// Name of a pause's author for the history.
fn describe_author(origin: &PauseOrigin) -> SafeText {
    match origin {
        PauseOrigin::Person(name) => name.clone(),
        PauseOrigin::Answer(place) => SafeText::line(&format!("somebody {}", place.describe())),
    }
}

impl ChannelSync {
    /// Remembers a sent text, because some services pause the AI after one.
    pub(crate) fn record_sent_text(&self, conversation: &ConversationId, at: Timestamp) {
        self.with_state(|state| {
            state.sent_at.retain(|_, spoken| (0..PAUSE_BY_SENDING_PERIOD).contains(&at.since(*spoken)));
            if state.sent_at.len() < MAX_SENT_TEXTS {
                state.sent_at.insert(conversation.clone(), at);
            }
        });
    }

    /// Updates local pauses after a reading. `before` is the count of local switches when the reading
    /// began.
    pub(crate) async fn apply_switches(&self, switched: &[AiSwitch], before: u64) -> Result<(), PullError> {
        for AiSwitch { conversation, before: known, after, by } in switched {
            match after {
                Automation::On => self.record_ai_answer(conversation, before).await?,
                Automation::Off => {
                    let now = self.clock.now();
                    let spoken = self.with_state(|state| state.sent_at.remove(conversation));
                    if let Some(at) =
                        spoken.filter(|spoken| (0..PAUSE_BY_SENDING_PERIOD).contains(&now.since(*spoken)))
                    {
                        self.store.record_pause_by_sending(self.id(), conversation, at).await?;
                    } else if *known == Automation::On && !self.has_own_switch(conversation, before).await? {
                        let who = by.as_ref().map(describe_author);
                        self.store.record_takeover_elsewhere(self.id(), conversation, who, now).await?;
                    }
                }
                Automation::Unknown | Automation::NotApplicable => {}
            }
        }
        Ok(())
    }

    /// Ends the local pause if the server reports the AI as active, unless a local switch crossed the
    /// reading.
    pub(crate) async fn record_ai_answer(
        &self,
        conversation: &ConversationId,
        before: u64,
    ) -> Result<(), PullError> {
        if !self.has_own_switch(conversation, before).await? {
            self.store.remove_pause(self.id(), conversation, self.clock.now()).await?;
        }
        Ok(())
    }

    /// True if a switch of this desk is in progress or crossed a reading. `before` is the count of local
    /// switches when the reading began.
    async fn has_own_switch(&self, conversation: &ConversationId, before: u64) -> Result<bool, PullError> {
        let rows = self.store.lane_rows(self.id()).await?;
        let pending = rows.iter().any(|lane| {
            lane.row.lane.conversation() == Some(conversation)
                && matches!(lane.row.operation, Operation::SetAutomation { .. })
        });
        Ok(pending || self.with_state(|state| state.switches) != before)
    }
}
