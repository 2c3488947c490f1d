//! Decides when the colleagues of the demo help: they settle most conversations that need a person, so that a
//! few are left.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::database::conversations;
use crate::database::messages::{self, MessageRow};
use crate::database::rows::single_cell;
use crate::errors::ApiError;
use crate::world::colleagues;
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

/// Trouble of each sample conversation after its newest message, with the time of that message.
pub type TroubleCache = Mutex<HashMap<String, (Timestamp, bool)>>;

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
        let needs_person = row.escalation.is_some() || is_in_trouble(work, &id, row.last_at)?;
        open.push(OpenConversation { id, needs_person, last_at: row.last_at });
    }
    Ok(open)
}

/// Returns true if the newest messages score as trouble; reads them once per newest message.
fn is_in_trouble(work: &WriteContext<'_>, id: &str, last_at: Timestamp) -> Result<bool, ApiError> {
    let cache = || work.service.sample_trouble.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = cache().get(id).filter(|(at, _)| *at == last_at) {
        return Ok(*known);
    }
    let count = i64::try_from(MAX_MESSAGES).unwrap_or(i64::MAX);
    let mut said = messages::newest(work.db, id, count)?;
    said.reverse();
    let said: Vec<MessageSummary> = said.iter().map(summarize).collect();
    let is_trouble = score_messages(&said).score() >= TROUBLE_THRESHOLD;
    cache().insert(id.to_owned(), (last_at, is_trouble));
    Ok(is_trouble)
}

fn summarize(message: &MessageRow) -> MessageSummary {
    let (direction, sender) = match message.sender.as_str() {
        "customer" => (Direction::Inbound, Sender::Customer),
        "ai" => (Direction::Outbound, Sender::Ai),
        _ => (Direction::Outbound, Sender::Human),
    };
    MessageSummary::new(direction, sender, &message.preview(), &DeliveryStatus::Sent)
}

/// Lets a colleague take the conversation that waits longest, now and then, if too many wait. Returns false
/// if none is taken.
pub fn help(work: &WriteContext<'_>, open: &[OpenConversation]) -> Result<bool, ApiError> {
    let mut waiting: Vec<&OpenConversation> =
        open.iter().filter(|conversation| conversation.needs_person).collect();
    waiting.sort_by_key(|conversation| conversation.last_at);
    let count = waiting.len();
    // One more would be over the limit.
    let are_many = (count + 1) * MIN_OPEN_PER_WAITING >= open.len();
    let are_few = count < (open.len() / OPEN_PER_WAITING).max(2);
    let is_turn = are_many || work.service.ids.random_between(1, TURNS_PER_ANSWER) == 1;
    if are_few || !is_turn {
        return Ok(false);
    }
    for conversation in waiting {
        if colleagues::take(work, &conversation.id, are_many)? {
            return Ok(true);
        }
    }
    Ok(false)
}
