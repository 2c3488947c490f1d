//! Answers that cross: two people of a team answer at once, and the later one has not seen the other's answer.
//!
//! A desk of a team names the newest message that the writer has seen ([`SEEN_HEADER`](api::team::SEEN_HEADER)). A
//! person's answer behind it that is not the writer's own refuses the message, in the transaction that would accept
//! it. A message that names none, or one that is not in the conversation, is not checked.

use crate::database::egress::{self, EgressRow};
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, emails};
use crate::errors::ApiError;
use crate::sending::accept::is_from_person;
use crate::sending::mail::{read_agent, read_place};
use crate::write::WriteContext;
use api::carriers::{MailDraft, MessageDraft};
use api::errors::ErrorCode;
use api::extras::MessageExtras;
use api::team::PersonName;
use model::messages::AnswerPlace;
use model::time::Timestamp;
use platforms::REACTION_KIND;

/// An answer of a person.
struct Answer {
    /// `None` if it was not sent with a person's own key.
    agent: Option<PersonName>,
    /// Place where it was sent, if not through this service.
    place: Option<AnswerPlace>,
}

impl Answer {
    fn through_service(agent: Option<PersonName>) -> Self {
        Self { agent, place: None }
    }

    fn describe_author(self) -> String {
        let who = self.agent.map_or_else(|| "someone".to_owned(), |agent| agent.name);
        match self.place {
            Some(place) => format!("{who} answered {}", place.describe()),
            None => format!("{who} answered"),
        }
    }
}

/// Refuses a chat message or text that crosses another person's answer.
pub fn check_chat(work: &WriteContext<'_>, conversation: &str) -> Result<(), ApiError> {
    let (Some(agent), Some(seen)) = (work.agent, work.seen) else { return Ok(()) };
    let at = match messages::read_within(work.db, conversation, seen)? {
        Some(row) => row.history_position(),
        None => return Ok(()),
    };
    let stored = messages::answers_after(work.db, conversation, &at)?.into_iter().map(|row| answer_of(&row));
    let waiting = egress::list_open(work.db, conversation)?;
    let waiting = waiting.iter().filter(|row| row.place.micros() > at.at).filter_map(chat_answer);
    refuse_crossed(agent, stored.chain(waiting))
}

/// Refuses a mail that crosses another person's answer.
pub fn check_thread(work: &WriteContext<'_>, thread: &str) -> Result<(), ApiError> {
    let (Some(agent), Some(seen)) = (work.agent, work.seen) else { return Ok(()) };
    let at = match emails::read(work.db, seen)?.filter(|row| row.thread == thread) {
        Some(row) => row.created_at,
        None => return Ok(()),
    };
    let stored = mails_after(work, thread, at)?;
    let waiting = egress::list_open(work.db, thread)?;
    let waiting = waiting.iter().filter(|row| row.place > at).filter_map(mail_answer);
    refuse_crossed(agent, stored.into_iter().chain(waiting))
}

fn answer_of(row: &MessageRow) -> Answer {
    let MessageExtras { agent, sent_from, .. } = MessageExtras::read(row.extras.as_deref());
    Answer { agent, place: sent_from.as_deref().and_then(AnswerPlace::from_word) }
}

/// Reads an answer that has not reached its platform yet.
fn chat_answer(row: &EgressRow) -> Option<Answer> {
    let draft: MessageDraft = serde_json::from_str(&row.draft).ok()?;
    let is_answer = !row.is_recorded && is_from_person(&draft.sender, draft.broadcast.as_deref());
    (is_answer && draft.kind != REACTION_KIND).then(|| Answer::through_service(draft.agent))
}

fn mail_answer(row: &EgressRow) -> Option<Answer> {
    let draft: MailDraft = serde_json::from_str(&row.draft).ok()?;
    (!row.is_recorded && draft.author != "ai").then(|| Answer::through_service(draft.agent))
}

fn mails_after(work: &WriteContext<'_>, thread: &str, at: Timestamp) -> Result<Vec<Answer>, DatabaseError> {
    let headers = emails::sent_headers_after(work.db, thread, at)?;
    // A mail with neither may be the assistant's.
    let answers =
        headers.iter().map(|headers| Answer { agent: read_agent(headers), place: read_place(headers) });
    Ok(answers.filter(|answer| answer.agent.is_some() || answer.place.is_some()).collect())
}

fn refuse_crossed(writer: &PersonName, answers: impl Iterator<Item = Answer>) -> Result<(), ApiError> {
    let is_own = |answer: &Answer| answer.agent.as_ref().is_some_and(|agent| agent.id == writer.id);
    let Some(answer) = answers.into_iter().find(|answer| !is_own(answer)) else { return Ok(()) };
    let who = answer.describe_author();
    let words = format!("{who} after the last message you had on screen; read the answer first");
    Err(ApiError::new(ErrorCode::Answered, words))
}
