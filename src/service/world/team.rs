//! Simulated colleagues of the demo: they settle most conversations that need a person, so that a few are left.

use crate::database::conversations;
use crate::database::messages::{self, MessageRow};
use crate::database::rows::single_cell;
use crate::database::savepoint::in_savepoint;
use crate::demo::script;
use crate::errors::ApiError;
use crate::sending::accept::{ComposedMessage, accept_send};
use crate::voice;
use crate::world::customers;
use crate::write::WriteContext;
use model::messages::{DeliveryStatus, Direction, Sender};
use model::time::Timestamp;
use model::trouble::{MAX_MESSAGES, MessageSummary, TROUBLE_THRESHOLD, score_messages};

/// Open conversations per conversation that is left to the person at the desk: from there on, colleagues
/// help now and then.
const OPEN_PER_WAITING: usize = 14;
/// Smallest number of open conversations per waiting one: colleagues answer at each event before it is
/// reached.
const MIN_OPEN_PER_WAITING: usize = 10;
/// Events per answer of a colleague while too many conversations wait.
const TURNS_PER_ANSWER: i64 = 2;

/// Open conversation that the assistant answers.
pub struct OpenConversation {
    pub id: String,
    /// True if it is escalated or in trouble.
    pub needs_person: bool,
    last_at: Timestamp,
}

/// Lists the open conversations of the sample customers with the assistant on.
pub fn list_open(work: &WriteContext<'_>) -> Result<Vec<OpenConversation>, ApiError> {
    let sql = "SELECT id FROM conversations WHERE automation AND status <> 'closed'
         AND id IN (SELECT conversation FROM characters) ORDER BY id";
    let ids: Vec<String> = work.db.fetch_all(sql, &[], single_cell)?;
    let mut open = Vec::new();
    for id in ids {
        let Some((_, row)) = conversations::with_channel(work.db, &id)? else { continue };
        let newest = i64::try_from(MAX_MESSAGES).unwrap_or(i64::MAX);
        let mut said = messages::newest(work.db, &id, newest)?;
        said.reverse();
        let said: Vec<MessageSummary> = said.iter().map(summarize).collect();
        let needs_person = row.escalation.is_some() || score_messages(&said).score() >= TROUBLE_THRESHOLD;
        open.push(OpenConversation { id, needs_person, last_at: row.last_at });
    }
    Ok(open)
}

fn summarize(message: &MessageRow) -> MessageSummary {
    let (direction, sender) = match message.sender.as_str() {
        "customer" => (Direction::Inbound, Sender::Customer),
        "ai" => (Direction::Outbound, Sender::Ai),
        _ => (Direction::Outbound, Sender::Human),
    };
    MessageSummary::new(direction, sender, &message.preview(), &DeliveryStatus::Sent)
}

/// Lets a colleague settle the conversation that waits longest, now and then, if too many wait. Returns false
/// if nobody is helped.
pub fn help(work: &WriteContext<'_>, open: &[OpenConversation]) -> Result<bool, ApiError> {
    let waiting = || open.iter().filter(|conversation| conversation.needs_person);
    let Some(oldest) = waiting().min_by_key(|conversation| conversation.last_at) else { return Ok(false) };
    let count = waiting().count();
    // One more would be over the limit.
    let are_many = (count + 1) * MIN_OPEN_PER_WAITING >= open.len();
    let are_few = count < (open.len() / OPEN_PER_WAITING).max(2);
    let is_turn = are_many || work.service.ids.random_between(1, TURNS_PER_ANSWER) == 1;
    if are_few || !is_turn {
        return Ok(false);
    }
    settle(work, &oldest.id)?;
    Ok(true)
}

/// Answers as a colleague and hands back to the assistant. A conversation that cannot be answered, for
/// example because its reply window is closed, is closed.
fn settle(work: &WriteContext<'_>, id: &str) -> Result<(), ApiError> {
    let Some((channel, row)) = conversations::with_channel(work.db, id)? else { return Ok(()) };
    let language = customers::read_customer(work.db, id)?.map(|character| character.language);
    let content = script::team_answer(language.as_deref().unwrap_or("en")).unwrap_or_default();
    let answered = in_savepoint(work.db, || {
        let kind = voice::conversation_mode(work.db, &channel, id)?;
        let outgoing = ComposedMessage { sender: "agent", content, kind, ..ComposedMessage::default() };
        accept_send(work, &channel, &row, work.id("msg", work.stamp()), outgoing).map(|_| ())
    });
    if let Err(error) = answered {
        tracing::info!(%error.message, "a colleague could not answer in the demo");
        conversations::set_status(work.db, id, "closed")?;
    }
    Ok(conversations::set_automation(work.db, id, true)?)
}
