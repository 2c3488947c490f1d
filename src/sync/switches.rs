//! Reconciles AI pauses seen in a reading with those made here.

use crate::ChannelSync;
use crate::report::PullError;
use model::conversations::Automation;
use model::ids::ConversationId;
use model::outbox::Operation;
use model::time::{MINUTE, Timestamp};

/// Time after a sent text in which a pause counts as caused by it, in microseconds.
const PAUSED_BY_SENDING: i64 = 2 * MINUTE;
/// Maximum number of texts remembered.
const MAX_REMEMBERED_TEXTS: usize = 1_000;

impl ChannelSync {
    /// Remembers a sent text, because some services pause the AI after one.
    pub(crate) fn remember_sent_text(&self, conversation: &ConversationId, at: Timestamp) {
        self.state(|state| {
            state.spoken_at.retain(|_, spoken| (0..PAUSED_BY_SENDING).contains(&at.since(*spoken)));
            if state.spoken_at.len() < MAX_REMEMBERED_TEXTS {
                state.spoken_at.insert(conversation.clone(), at);
            }
        });
    }

    /// Updates local pauses after a reading. `before` is the count of local switches when the reading
    /// began.
    pub(crate) async fn heard_switches(
        &self,
        switched: &[(ConversationId, Automation)],
        before: u64,
    ) -> Result<(), PullError> {
        for (conversation, automation) in switched {
            match automation {
                Automation::On => self.answered_by_the_ai(conversation, before).await?,
                Automation::Off => {
                    let now = self.clock.now();
                    let spoken = self.state(|state| state.spoken_at.remove(conversation));
                    if let Some(at) =
                        spoken.filter(|spoken| (0..PAUSED_BY_SENDING).contains(&now.since(*spoken)))
                    {
                        self.store.note_paused_by_sending(self.id(), conversation, at).await?;
                    }
                }
                Automation::Unknown | Automation::NotApplicable => {}
            }
        }
        Ok(())
    }

    /// Ends the local pause if the server reports the AI as active, unless a local switch crossed the
    /// reading.
    pub(crate) async fn answered_by_the_ai(
        &self,
        conversation: &ConversationId,
        before: u64,
    ) -> Result<(), PullError> {
        let rows = self.store.lane_rows(self.id()).await?;
        let pending = rows.iter().any(|lane| {
            lane.row.lane.conversation() == Some(conversation)
                && matches!(lane.row.operation, Operation::SetAutomation { .. })
        });
        if !pending && self.state(|state| state.switches) == before {
            self.store.forget_pause(self.id(), conversation).await?;
        }
        Ok(())
    }
}
