//! Typing sign: a customer sees that a person types, where the platform can show it.
//!
//! A desk that reports [`Doing::Typing`] begins or prolongs the sign of its conversation. Another report of the
//! same session, and a person's message, end it. One task per conversation shows it as often as the platform
//! needs. Nothing waits for it, and its failures have no effect on sends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::auth::Member;
use crate::chat::keywords;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, conversations, messages, workspaces};
use crate::operators::ConnectedChannel;
use crate::state::Service;
use crate::team::presence::PRESENCE_LIFETIME;
use api::team::{AnnouncePresence, Doing};
use model::time::{Clock, Timestamp};
use platforms::{Channel, REACTION_KIND, whatsapp};

/// Number of latest messages searched for the customer's last one.
const MAX_SEARCHED_MESSAGES: i64 = 20;

/// Conversations whose customers see a typing sign, in this process.
#[derive(Default)]
pub struct TypingSigns(Mutex<HashMap<SignPlace, TypingSign>>);

/// Workspace and conversation: a session of one workspace has no effect on the conversations of another.
type SignPlace = (String, String);

struct TypingSign {
    /// Session that reported last.
    session: String,
    until: Timestamp,
}

impl TypingSigns {
    fn signs(&self) -> MutexGuard<'_, HashMap<SignPlace, TypingSign>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins or prolongs a sign. Returns true if no task shows it yet.
    fn begin(&self, place: SignPlace, session: &str, until: Timestamp) -> bool {
        let sign = TypingSign { session: session.to_owned(), until };
        self.signs().insert(place, sign).is_none()
    }

    /// Ends the sign of a conversation; its task forgets it when the platform's span is over.
    pub fn end(&self, workspace: &str, conversation: &str) {
        if let Some(sign) = self.signs().get_mut(&(workspace.to_owned(), conversation.to_owned())) {
            sign.until = Timestamp::default();
        }
    }

    /// Ends the signs of a session, except that of one conversation.
    fn end_others(&self, session: &str, kept: Option<&str>) {
        for ((_, conversation), sign) in self.signs().iter_mut() {
            if sign.session == session && kept != Some(conversation.as_str()) {
                sign.until = Timestamp::default();
            }
        }
    }

    /// Returns true while a sign is to be shown; forgets one that has ended.
    fn goes_on(&self, place: &SignPlace, now: Timestamp) -> bool {
        let mut signs = self.signs();
        let goes_on = signs.get(place).is_some_and(|sign| sign.until > now);
        if !goes_on {
            signs.remove(place);
        }
        goes_on
    }

    fn forget(&self, place: &SignPlace) {
        self.signs().remove(place);
    }
}

/// Conversation at its platform.
struct TypingPlace {
    connected: Arc<ConnectedChannel>,
    to: String,
    /// Platform id of the customer's last message.
    seen: String,
}

/// Follows a report of a desk. Returns at once.
pub fn follow(service: &Service, member: &Member, asked: &AnnouncePresence) {
    if !service.options.typing_sign {
        return;
    }
    let conversation = asked.conversation.as_ref().map(|id| id.as_str());
    let typed = conversation.filter(|_| asked.doing == Doing::Typing);
    let signs = &service.team.typing;
    signs.end_others(&member.session, typed);
    let Some(typed) = typed else { return };
    let until = service.clock.now().plus(PRESENCE_LIFETIME);
    let place = (member.workspace.clone(), typed.to_owned());
    if signs.begin(place.clone(), &member.session, until) {
        tokio::spawn(show(Arc::clone(service), place));
    }
}

/// Shows a sign until it ends.
async fn show(service: Service, sign: SignPlace) {
    let (workspace, conversation) = sign.clone();
    let place = find_place(&service, workspace, conversation).await;
    // A service that has stopped is not kept alive.
    let left = Arc::downgrade(&service);
    drop(service);
    let goes_on =
        || left.upgrade().is_some_and(|service| service.team.typing.goes_on(&sign, service.clock.now()));
    while goes_on() {
        let showing = place.as_ref().and_then(|place| {
            let TypingPlace { connected, to, seen } = place;
            connected.platform.show_typing(to, seen)
        });
        let Some(showing) = showing else {
            if let Some(service) = left.upgrade() {
                service.team.typing.forget(&sign);
            }
            return;
        };
        let visible: Duration = showing.await;
        tokio::time::sleep(visible).await;
    }
}

/// Finds a conversation of a workspace at its platform; `None` where nobody can or may see a sign.
async fn find_place(service: &Service, workspace: String, conversation: String) -> Option<TypingPlace> {
    let find = move |db: &dyn DbSession| find_recipient(db, &workspace, &conversation);
    let found: Result<_, DatabaseError> = service.database.read(find).await;
    let found = found.unwrap_or_else(|error| {
        tracing::info!(%error, "a typing sign could not be shown");
        None
    });
    let (channel, to, seen) = found?;
    let connected = service.platforms.connected(&channel)?;
    Some(TypingPlace { connected, to, seen })
}

/// Returns the channel, the customer's address and the platform id of the customer's last message.
fn find_recipient(
    db: &dyn DbSession,
    workspace: &str,
    conversation: &str,
) -> Result<Option<(String, String, String)>, DatabaseError> {
    let Some((channel, row)) = conversations::with_channel(db, conversation)? else { return Ok(None) };
    let is_shown = channel.workspace == workspace
        && matches!(channel.kind, Channel::Telegram | Channel::Whatsapp)
        && !workspaces::is_channel_suspended(db, &channel.id)?
        && keywords::check_opt_out(db, (channel.kind, &channel.id), &row.peer, "text").is_ok();
    if !is_shown {
        return Ok(None);
    }
    let newest = messages::newest(db, &row.id, MAX_SEARCHED_MESSAGES)?;
    let mut inbound = newest.into_iter().filter(|message| message.direction == "inbound");
    let seen = inbound
        .find(|message| message.kind != REACTION_KIND && whatsapp::is_message_id(&message.platform_id))
        .map(|message| message.platform_id);
    // WhatsApp shows a sign below a message only.
    let seen = if channel.kind == Channel::Whatsapp { seen } else { seen.or_else(|| Some(String::new())) };
    Ok(seen.map(|seen| (channel.id, row.recipient().to_owned(), seen)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::SECOND;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * SECOND)
    }

    fn place(conversation: &str) -> SignPlace {
        ("shop".to_owned(), conversation.to_owned())
    }

    #[test]
    fn sign_has_one_task_and_ends_with_its_time() {
        let signs = TypingSigns::default();
        assert!(signs.begin(place("a"), "laptop", at(15)), "a task is needed");
        assert!(!signs.begin(place("a"), "laptop", at(27)), "it is shown already");
        assert!(signs.goes_on(&place("a"), at(26)));
        assert!(!signs.goes_on(&place("a"), at(27)));
        assert!(signs.begin(place("a"), "laptop", at(50)), "it was forgotten");
    }

    #[test]
    fn session_of_another_workspace_has_no_effect_on_a_sign() {
        let signs = TypingSigns::default();
        assert!(signs.begin(place("a"), "laptop", at(15)));
        let foreign = ("other".to_owned(), "a".to_owned());
        assert!(signs.begin(foreign.clone(), "stranger", at(90)));
        signs.forget(&foreign);
        signs.end("other", "a");
        assert!(signs.goes_on(&place("a"), at(14)) && !signs.goes_on(&place("a"), at(15)));
    }

    #[test]
    fn message_and_another_report_end_a_sign() {
        let signs = TypingSigns::default();
        signs.begin(place("a"), "laptop", at(15));
        signs.end("shop", "a");
        assert!(!signs.begin(place("a"), "laptop", at(15)), "its task goes on when the person types again");
        signs.begin(place("b"), "laptop", at(15));
        signs.begin(place("c"), "phone", at(15));
        signs.end_others("laptop", Some("b"));
        let shown = ["a", "b", "c"].map(|conversation| signs.goes_on(&place(conversation), at(1)));
        assert_eq!(shown, [false, true, true]);
        signs.end_others("laptop", None);
        assert!(!signs.goes_on(&place("b"), at(1)) && signs.goes_on(&place("c"), at(1)));
    }
}
