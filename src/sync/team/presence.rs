//! Reports the presence of this desk's person to the team.

use std::sync::Arc;
use std::time::Duration;

use crate::team::{Here, TeamSync};
use model::ids::{ChannelId, ConversationId};
use model::news::News;
use model::team::Activity;
use model::time::{Moment, SECOND, Timestamp};
use store::StoreError;

/// Minimum interval between two reports about one conversation, in microseconds.
const MIN_INTERVAL: i64 = 5 * SECOND;
/// Interval after which an unchanged report is repeated, in microseconds; the service forgets one after 15 seconds.
const REPEAT_INTERVAL: i64 = 12 * SECOND;
/// Time after which an unchanged text is no longer typed, in microseconds.
const TYPING_SPAN: i64 = 10 * SECOND;

impl TeamSync {
    /// Sets the visible tab and its open conversation; `None` if nobody is at the desk.
    /// Conversations of other channels are not reported.
    pub(crate) fn set_focus(&self, focus: Option<&(ChannelId, Option<ConversationId>)>) {
        let is_team = |channel: &ChannelId| self.tabs().iter().any(|tab| tab.channel().spec().id == *channel);
        let place =
            focus.map(|(channel, open)| Some((channel.clone(), open.clone()?)).filter(|_| is_team(channel)));
        let changed = self.with_state(|state| {
            let before = state.here.take();
            state.here = place.map(|conversation| match before.clone() {
                Some(here) if here.conversation == conversation => here,
                _ => Here { conversation, activity: Activity::Looking, typed_at: None, leaves_at: None },
            });
            before != state.here
        });
        if changed {
            self.presence.notify_one();
        }
    }

    /// Sets what the person does in the conversation, with the end of the hold of a reply. Typing ends by itself.
    pub(crate) fn set_activity(&self, activity: Activity, leaves_at: Option<Timestamp>) {
        let now = self.clock.moment();
        let changed = self.with_state(|state| match &mut state.here {
            Some(here) if here.conversation.is_some() => {
                here.typed_at = (activity == Activity::Typing).then_some(now);
                here.leaves_at = leaves_at;
                std::mem::replace(&mut here.activity, activity) != activity
            }
            _ => false,
        });
        if changed {
            self.presence.notify_one();
        }
    }
}

/// Returns the wait before the next report; `None` if there is none to make.
fn next_report(here: Option<&Here>, last: Option<&(Here, Moment)>, now: Moment) -> Option<i64> {
    let here = here?;
    let Some((reported, at)) = last else { return Some(0) };
    let interval = match () {
        () if here.conversation != reported.conversation => 0,
        // The hold of a reply is about as long as the interval.
        () if here.activity == Activity::Sending && reported.activity != Activity::Sending => 0,
        () if here.activity != reported.activity => MIN_INTERVAL,
        () => REPEAT_INTERVAL,
    };
    Some((interval - now.since(*at)).clamp(0, interval))
}

impl TeamSync {
    /// Returns the id of the open conversation at the service, `None` if none is open.
    async fn find_shared_conversation(&self, here: &Here) -> Result<Option<ConversationId>, StoreError> {
        let Some((channel, conversation)) = here.conversation.clone() else { return Ok(None) };
        self.store.find_shared_id(channel, conversation).await.map(Some)
    }
}

impl Here {
    /// Ends typing after a while without a change of the text.
    fn end_typing(&mut self, now: Moment) {
        if self.typed_at.is_some_and(|at| now.since(at) > TYPING_SPAN) {
            (self.activity, self.typed_at) = (Activity::Looking, None);
        }
    }
}

/// Publishes the colleagues who are here, with the ids of this desk's lists, until the team ends.
pub(super) async fn publish(team: Arc<TeamSync>) {
    loop {
        team.colleagues.notified().await;
        let is_ended = team.is_ended();
        let present = team.with_state(|state| state.present.clone());
        // Departures are no longer reported.
        let mut present = if is_ended { Vec::new() } else { present };
        present.retain(|presence| presence.person != team.person);
        let shared: Vec<_> = present.iter().filter_map(|presence| presence.conversation.clone()).collect();
        match team.store.find_listed_ids(shared).await {
            Ok(listed) => {
                let places = present.iter_mut().filter_map(|presence| presence.conversation.as_mut());
                places.zip(listed).for_each(|(place, listed)| *place = listed);
            }
            Err(error) => tracing::error!(%error, "conversations cannot be read"),
        }
        team.publish(News::Present(present));
        if is_ended {
            return;
        }
    }
}

/// Reports presence until the team ends.
pub(super) async fn report(team: Arc<TeamSync>) {
    let mut last: Option<(Here, Moment)> = None;
    while !team.is_ended() {
        let now = team.clock.moment();
        let here = team.with_state(|state| {
            state.here.as_mut().map(|here| {
                here.end_typing(now);
                here.clone()
            })
        });
        match (next_report(here.as_ref(), last.as_ref(), now), here) {
            (Some(0), Some(here)) => {
                // A report that does not arrive is repeated like any other.
                let leaves_in = here.leaves_at.map(|at| at.since(team.clock.now()));
                match team.find_shared_conversation(&here).await {
                    Ok(conversation) => {
                        team.client.post_presence(conversation.as_ref(), here.activity, leaves_in).await;
                    }
                    Err(error) => tracing::error!(%error, "a conversation cannot be read"),
                }
                last = Some((here, team.clock.moment()));
            }
            (wait, _) => {
                let wait = Duration::from_micros(u64::try_from(wait.unwrap_or(MIN_INTERVAL)).unwrap_or(0));
                tokio::select! {
                    () = team.presence.notified() => {}
                    () = tokio::time::sleep(wait) => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_is_at_once_for_another_conversation_or_a_held_reply() {
        let here = |id: &str, activity| Here {
            conversation: Some(("chats".into(), id.into())),
            activity,
            typed_at: None,
            leaves_at: None,
        };
        let told = (here("a", Activity::Looking), Moment::default());
        let wait = |now: &Here, seconds: i64| {
            next_report(Some(now), Some(&told), Moment::default().plus(seconds * SECOND))
        };
        assert_eq!(next_report(None, Some(&told), Moment::default()), None);
        assert_eq!(next_report(Some(&told.0), None, Moment::default()), Some(0));
        assert_eq!(wait(&here("b", Activity::Looking), 0), Some(0));
        assert_eq!(wait(&here("a", Activity::Typing), 1), Some(4 * SECOND));
        assert_eq!(wait(&here("a", Activity::Typing), 6), Some(0));
        assert_eq!(wait(&here("a", Activity::Sending), 1), Some(0));
        assert_eq!(wait(&here("a", Activity::Looking), 6), Some(6 * SECOND));
        assert_eq!(wait(&here("a", Activity::Looking), 12), Some(0));
    }
}
