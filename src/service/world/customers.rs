//! Simulated chat customers of the demo: they write by themselves and answer people.

use crate::chat::receive::receive;
use crate::database::channels::{self, ChannelRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, due};
use crate::demo::script;
use crate::errors::ApiError;
use crate::voice;
use crate::world::team::{self, OpenConversation};
use crate::world::{JobKind, letters};
use crate::write::WriteContext;
use model::time::SECOND;
use platforms::{Channel, InboundMessage};
use sqlite::read_row;

/// Bounds of the pause between two events, in microseconds.
const MIN_PAUSE: i64 = 10 * SECOND;
const MAX_PAUSE: i64 = 25 * SECOND;
/// Events per request for a person: about one every two minutes.
const TURNS_PER_REQUEST: i64 = 6;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedCustomer {
    pub conversation: String,
    pub language: String,
    /// Unprompted messages in order.
    pub live: Vec<String>,
    /// Answers to people in order.
    pub replies: Vec<String>,
}

pub fn store_customer(db: &dyn DbSession, character: &ScriptedCustomer) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO characters (conversation, language, live, replies) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (conversation) DO UPDATE SET language = excluded.language, live = excluded.live,
               replies = excluded.replies";
    let ScriptedCustomer { conversation, language, live, replies } = character;
    db.change_later(sql, bound![conversation, language, join_lines(live), join_lines(replies)])
}

pub fn schedule_first(work: &WriteContext<'_>) -> Result<(), DatabaseError> {
    due::cancel(work.db, JobKind::Live.word(), "")?;
    due::add(work.db, work.now.plus(3 * SECOND), JobKind::Live.word(), "", "")
}

/// Schedules a customer's answer to a person's message.
pub fn schedule_reply(work: &WriteContext<'_>, conversation: &ConversationRow) -> Result<(), DatabaseError> {
    if !work.service.options.demo || work.test {
        return Ok(());
    }
    due::cancel(work.db, JobKind::Customer.word(), &conversation.id)?;
    let wait = work.service.ids.random_between(3 * SECOND, 8 * SECOND);
    due::add(work.db, work.now.plus(wait), JobKind::Customer.word(), &conversation.id, "")
}

pub fn answer_person(work: &WriteContext<'_>, conversation: &str) -> Result<(), ApiError> {
    let Some((channel, row)) = conversations::with_channel(work.db, conversation)? else { return Ok(()) };
    let mut character = read_customer(work.db, conversation)?.unwrap_or_else(|| ScriptedCustomer {
        conversation: conversation.to_owned(),
        language: "en".to_owned(),
        live: Vec::new(),
        replies: Vec::new(),
    });
    let text = if character.replies.is_empty() {
        let generic = script::generic_replies(&character.language);
        pick(work, &generic)
    } else {
        Some(character.replies.remove(0))
    };
    let Some(text) = text else { return Ok(()) };
    store_customer(work.db, &character)?;
    receive_text(work, &channel, &row.peer, text)
}

/// Lets one customer write or one colleague answer, and schedules the next event.
pub fn simulate_inbound(work: &WriteContext<'_>) -> Result<(), ApiError> {
    let wait = work.service.ids.random_between(MIN_PAUSE, MAX_PAUSE);
    due::add(work.db, work.now.plus(wait), JobKind::Live.word(), "", "")?;
    let open = team::list_open(work)?;
    if team::help(work, &open)? {
        return Ok(());
    }
    let nobody_waits = !open.iter().any(|conversation| conversation.needs_person);
    if (nobody_waits || work.service.ids.random_between(1, TURNS_PER_REQUEST) == 1)
        && request_person(work, &open)?
    {
        return Ok(());
    }
    if work.service.ids.random_between(1, 5) == 1 && letters::simulate_inbound(work)? {
        return Ok(());
    }
    let stranger = work.service.ids.random_between(1, 6) == 1;
    if stranger && begin_conversation(work)? {
        return Ok(());
    }
    if continue_conversation(work)? || begin_conversation(work)? {
        return Ok(());
    }
    send_small_talk(work)
}

/// Sends the next scripted message of a known customer. Returns false if none is left.
fn continue_conversation(work: &WriteContext<'_>) -> Result<bool, ApiError> {
    let sql = "SELECT conversation FROM characters WHERE live <> '[]' ORDER BY conversation";
    let ids: Vec<String> = work.db.fetch_all(sql, &[], single_cell)?;
    let Some(id) = pick(work, &ids) else { return Ok(false) };
    let (Some((channel, row)), Some(mut character)) =
        (conversations::with_channel(work.db, &id)?, read_customer(work.db, &id)?)
    else {
        return Ok(false);
    };
    let text = character.live.remove(0);
    store_customer(work.db, &character)?;
    receive_text(work, &channel, &row.peer, text)?;
    Ok(true)
}

/// Sends the first message of a new customer. Returns false if none is left.
fn begin_conversation(work: &WriteContext<'_>) -> Result<bool, ApiError> {
    let Some(channel) = channels::find_by_kind(work.db, Channel::Whatsapp)? else { return Ok(false) };
    for stranger in script::demo_customers() {
        if conversations::find_by_peer(work.db, &channel.id, &stranger.phone)?.is_some() {
            continue;
        }
        let mut lines = stranger.lines.clone();
        if lines.is_empty() {
            continue;
        }
        let inbound = InboundMessage {
            from: stranger.phone.clone(),
            name: Some(stranger.name.clone()),
            text: lines.remove(0),
            kind: "text".to_owned(),
            ..InboundMessage::default()
        };
        let received = receive(work, &channel, &inbound)?;
        let character = ScriptedCustomer {
            conversation: received.conversation,
            language: stranger.language.clone(),
            live: lines,
            replies: Vec::new(),
        };
        store_customer(work.db, &character)?;
        return Ok(true);
    }
    Ok(false)
}

/// Lets the customer of a calm conversation ask for a person. Returns false if there is none.
fn request_person(work: &WriteContext<'_>, open: &[OpenConversation]) -> Result<bool, ApiError> {
    let calm = open.iter().filter(|conversation| !conversation.needs_person);
    let ids: Vec<String> = calm.map(|conversation| conversation.id.clone()).collect();
    let Some(id) = pick(work, &ids) else { return Ok(false) };
    let Some((channel, row)) = conversations::with_channel(work.db, &id)? else { return Ok(false) };
    let language = read_customer(work.db, &id)?.map_or_else(String::new, |character| character.language);
    let Some(text) = script::person_request(&language) else { return Ok(false) };
    receive_text(work, &channel, &row.peer, text)?;
    Ok(true)
}

/// Sends a generic remark of a known customer, after all scripts have ended.
fn send_small_talk(work: &WriteContext<'_>) -> Result<(), ApiError> {
    let sql = "SELECT conversation FROM characters ORDER BY conversation";
    let ids: Vec<String> = work.db.fetch_all(sql, &[], single_cell)?;
    let Some(id) = pick(work, &ids) else { return Ok(()) };
    let (Some((channel, row)), Some(character)) =
        (conversations::with_channel(work.db, &id)?, read_customer(work.db, &id)?)
    else {
        return Ok(());
    };
    let remarks = script::generic_replies(&character.language);
    let Some(text) = pick(work, &remarks) else { return Ok(()) };
    receive_text(work, &channel, &row.peer, text)
}

fn receive_text(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    peer: &str,
    text: String,
) -> Result<(), ApiError> {
    let kind = match conversations::find_by_peer(work.db, &channel.id, peer)? {
        Some(row) => voice::conversation_mode(work.db, channel, &row.id)?,
        None => "text",
    };
    let inbound =
        InboundMessage { from: peer.to_owned(), text, kind: kind.to_owned(), ..InboundMessage::default() };
    receive(work, channel, &inbound)?;
    Ok(())
}

/// Returns a pseudo-random element; `None` if there is none.
pub fn pick(work: &WriteContext<'_>, from: &[String]) -> Option<String> {
    let last = i64::try_from(from.len()).ok()?.checked_sub(1).filter(|entry| *entry >= 0)?;
    let index = usize::try_from(work.service.ids.random_between(0, last)).ok()?;
    from.get(index).cloned()
}

pub fn read_customer(
    db: &dyn DbSession,
    conversation: &str,
) -> Result<Option<ScriptedCustomer>, DatabaseError> {
    let sql = "SELECT language, live, replies FROM characters WHERE conversation = ?1";
    db.fetch_optional(sql, bound![conversation], |row| {
        let conversation = conversation.to_owned();
        Ok(read_row!(row, ScriptedCustomer { language, live: json, replies: json; conversation }))
    })
}

fn join_lines(texts: &[String]) -> String {
    serde_json::to_string(texts).unwrap_or_else(|_| "[]".to_owned())
}
