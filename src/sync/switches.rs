//! Pauses of the AI that a reading tells of, compared with what this desk did.

use crate::ChannelSync;
use crate::report::PullError;
use model::conversations::Automation;
use model::ids::ConversationId;
use model::outbox::Operation;
use model::time::{MINUTE, Timestamp};

/// How long after a text of this desk a pause counts as made by it.
const PAUSED_BY_SENDING: i64 = 2 * MINUTE;
/// Texts remembered for that at most.
const MAX_REMEMBERED_TEXTS: usize = 1_000;

impl ChannelSync {
    /// Remembers that a text of this desk was sent, which makes some services pause the AI.
    pub(crate) fn remember_sent_text(&self, conversation: &ConversationId, at: Timestamp) {
        self.state(|state| {
            state.spoken_at.retain(|_, spoken| (0..PAUSED_BY_SENDING).contains(&at.since(*spoken)));
            if state.spoken_at.len() < MAX_REMEMBERED_TEXTS {
                state.spoken_at.insert(conversation.clone(), at);
            }
        });
    }

    /// Keeps this desk's pauses true after a reading. `before` counts this desk's own
    /// switches when the reading began.
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

    /// Ends this desk's pause where the server says that the AI answers again, unless a
    /// switch of this desk crossed the reading.
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
