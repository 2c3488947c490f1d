//! Follows the team's events.

use std::sync::Arc;

use crate::state::SyncState;
use crate::tab::{Loop, TabSync};
use crate::team::{MAX_WAITING_EVENTS, NO_TEAM, SESSION_ENDED, TeamSync};
use client::ReadError;
use client::team_events::TeamNews;
use client::team_state::{TeamSignal, add_presence, remove_presence};
use model::account::Platform;
use model::ids::ConversationId;
use model::team::Presence;
use model::time::MINUTE;

/// Number of conversations with remembered events from which old ones are forgotten.
const MAX_MESSAGE_EVENTS: usize = 10_000;
/// Time for which an event is remembered then, in microseconds; longer than a hold.
const MESSAGE_EVENT_LIFETIME: i64 = 10 * MINUTE;

/// Follows the stream until the session ends.
pub(super) async fn follow(team: Arc<TeamSync>) {
    let chance = team.store.chance().clone();
    let ended = team.client.follow_team(None, || chance.fraction(), |news, _| team.handle(news)).await;
    team.set_live(false);
    team.set_present_none();
    match ended {
        Ok(()) => {}
        Err(error) if error.is_inaccessible() => team.end(NO_TEAM),
        Err(ReadError::Refused { .. }) => team.end(SESSION_ENDED),
        Err(error) => team.end(&format!("The team cannot be reached: {error}")),
    }
}

impl TeamSync {
    /// Handles an event. Returns false to end the stream.
    fn handle(&self, news: TeamNews) -> bool {
        match news {
            TeamNews::Open => {
                self.set_live(true);
                // Changes between the last reading and the beginning of the stream have no event.
                self.with_state(|state| state.is_sweep_due = true);
                self.wake();
            }
            TeamNews::Closed { why, .. } => {
                tracing::info!(%why, "the team's stream ended");
                self.set_live(false);
                self.set_present_none();
            }
            TeamNews::Unreadable(name) => {
                tracing::info!(%name, "the team's stream contains an unknown event")
            }
            TeamNews::Event(event) => self.handle_signal(event.into_signal(self.clock.now())),
        }
        !self.is_ended()
    }

    fn handle_signal(&self, signal: TeamSignal) {
        match signal {
            TeamSignal::Changed { conversation, channel, is_message } => {
                for tab in self.tabs().iter().filter(|tab| is_of_channel(tab, channel.as_deref())) {
                    tab.record_event(&conversation, is_message);
                }
            }
            TeamSignal::Shared(conversation, part) => {
                self.with_state(|state| match state.events.len() < MAX_WAITING_EVENTS {
                    true => state.events.push((conversation, part)),
                    false => state.is_reset = true,
                });
                self.wake();
            }
            TeamSignal::Presence(presence) => {
                self.change_present(|present| add_presence(present, presence));
            }
            TeamSignal::Left(person, conversation) => {
                self.change_present(|present| remove_presence(present, &person, conversation.as_ref()));
            }
            TeamSignal::Reset => {
                self.with_state(|state| (state.is_reset, state.are_replies_stale) = (true, true));
                self.wake();
                self.tabs().iter().for_each(|tab| tab.request_everything());
            }
            TeamSignal::People => {
                self.with_state(|state| state.are_people_stale = true);
                self.wake();
            }
            TeamSignal::Replies => {
                self.with_state(|state| state.are_replies_stale = true);
                self.wake();
            }
        }
    }

    fn change_present(&self, change: impl FnOnce(&mut Vec<Presence>)) {
        self.with_state(|state| change(&mut state.present));
        self.colleagues.notify_one();
    }

    fn set_present_none(&self) {
        if self.with_state(|state| !std::mem::take(&mut state.present).is_empty()) {
            self.colleagues.notify_one();
        }
    }
}

/// True if the event's channel may be the tab's. `None` is the channel of an erased conversation.
fn is_of_channel(tab: &TabSync, channel: Option<&str>) -> bool {
    let (Some(channel), Some(platform)) = (channel, tab.channel().known_platform()) else { return true };
    !platform.has_conversations() || platform == Platform::from_word(channel)
}

impl TabSync {
    /// Requests a read of the conversation that an event names.
    fn record_event(&self, conversation: &ConversationId, is_message: bool) {
        let now = self.channel.clock.now();
        let opens = self.channel.with_state(|SyncState { commands, details, message_events, .. }| {
            if is_message {
                if message_events.len() >= MAX_MESSAGE_EVENTS {
                    message_events.retain(|_, at| now.since(*at) < MESSAGE_EVENT_LIFETIME);
                }
                if message_events.len() >= MAX_MESSAGE_EVENTS {
                    message_events.clear();
                }
                message_events.insert(conversation.clone(), now);
            }
            commands.delivered = true;
            commands.delivered_open |= commands.open.as_ref() == Some(conversation);
            details.request_read(conversation, now);
            commands.delivered_open
        });
        self.wake(Loop::Poll);
        if opens {
            self.wake(Loop::Open);
        }
    }
}
