//! Simulated chat customers of the demo: they write by themselves and answer people.

use crate::channels::Channel;
use crate::chat::receive::{Inbound, receive};
use crate::database::channels::{self, ChannelRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::rows::{bound, only};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, due};
use crate::demo::script;
use crate::errors::ApiError;
use crate::voice;
use crate::world::{Kind, letters};
use crate::write::Work;
use model::time::SECOND;
use sqlite::read_row;

/// Script of one customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Character {
    pub conversation: String,
    pub language: String,
    /// Unprompted messages in order.
    pub live: Vec<String>,
    /// Answers to people in order.
    pub replies: Vec<String>,
}

/// Stores the script of a conversation's customer.
pub fn cast(db: &dyn DbSession, character: &Character) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO characters (conversation, language, live, replies) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (conversation) DO UPDATE SET language = excluded.language, live = excluded.live,
               replies = excluded.replies";
    let Character { conversation, language, live, replies } = character;
    db.note(sql, bound![conversation, language, lines(live), lines(replies)])
}

/// Schedules the first message.
pub fn begin(work: &Work<'_>) -> Result<(), DatabaseError> {
    due::cancel(work.db, Kind::Live.word(), "")?;
    due::add(work.db, work.now.plus(3 * SECOND), Kind::Live.word(), "", "")
}

/// Schedules a customer's answer to a person's message.
pub fn heard_a_person(work: &Work<'_>, conversation: &ConversationRow) -> Result<(), DatabaseError> {
    if !work.service.options.demo || work.test {
        return Ok(());
    }
    due::cancel(work.db, Kind::Customer.word(), &conversation.id)?;
    let wait = work.service.stamps.between(3 * SECOND, 8 * SECOND);
    due::add(work.db, work.now.plus(wait), Kind::Customer.word(), &conversation.id, "")
}

pub fn answer_person(work: &Work<'_>, conversation: &str) -> Result<(), ApiError> {
    let Some((channel, row)) = conversations::with_channel(work.db, conversation)? else { return Ok(()) };
    let mut character = character(work.db, conversation)?.unwrap_or_else(|| Character {
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
    cast(work.db, &character)?;
    write(work, &channel, &row.peer, text)
}

/// Lets one customer write, and schedules the next message.
pub fn somebody_writes(work: &Work<'_>) -> Result<(), ApiError> {
    let wait = work.service.stamps.between(4 * SECOND, 9 * SECOND);
    due::add(work.db, work.now.plus(wait), Kind::Live.word(), "", "")?;
    if work.service.stamps.between(1, 5) == 1 && letters::somebody_writes(work)? {
        return Ok(());
    }
    let stranger = work.service.stamps.between(1, 6) == 1;
    if stranger && new_customer(work)? {
        return Ok(());
    }
    if known_customer(work)? || new_customer(work)? {
        return Ok(());
    }
    small_talk(work)
}

/// Sends the next scripted message of a known customer. Returns false if none is left.
fn known_customer(work: &Work<'_>) -> Result<bool, ApiError> {
    let sql = "SELECT conversation FROM characters WHERE live <> '[]' ORDER BY conversation";
    let ids: Vec<String> = work.db.all(sql, &[], only)?;
    let Some(id) = pick(work, &ids) else { return Ok(false) };
    let (Some((channel, row)), Some(mut character)) =
        (conversations::with_channel(work.db, &id)?, character(work.db, &id)?)
    else {
        return Ok(false);
    };
    let text = character.live.remove(0);
    cast(work.db, &character)?;
    write(work, &channel, &row.peer, text)?;
    Ok(true)
}

/// Sends the first message of a new customer. Returns false if none is left.
fn new_customer(work: &Work<'_>) -> Result<bool, ApiError> {
    let Some(channel) = channels::of_kind(work.db, Channel::Whatsapp)? else { return Ok(false) };
    for stranger in script::strangers() {
        if conversations::of_peer(work.db, &channel.id, &stranger.phone)?.is_some() {
            continue;
        }
        let mut lines = stranger.lines.clone();
        if lines.is_empty() {
            continue;
        }
        let inbound = Inbound {
            from: stranger.phone.clone(),
            name: Some(stranger.name.clone()),
            text: lines.remove(0),
            kind: "text".to_owned(),
            ..Inbound::default()
        };
        let received = receive(work, &channel, &inbound)?;
        let character = Character {
            conversation: received.conversation,
            language: stranger.language.clone(),
            live: lines,
            replies: Vec::new(),
        };
        cast(work.db, &character)?;
        return Ok(true);
    }
    Ok(false)
}

/// Sends a generic question of a known customer, after all scripts have ended.
fn small_talk(work: &Work<'_>) -> Result<(), ApiError> {
    let sql = "SELECT conversation FROM characters ORDER BY conversation";
    let ids: Vec<String> = work.db.all(sql, &[], only)?;
    let Some(id) = pick(work, &ids) else { return Ok(()) };
    let (Some((channel, row)), Some(character)) =
        (conversations::with_channel(work.db, &id)?, character(work.db, &id)?)
    else {
        return Ok(());
    };
    let questions = script::questions(&character.language);
    let Some(text) = pick(work, &questions) else { return Ok(()) };
    write(work, &channel, &row.peer, text)
}

fn write(work: &Work<'_>, channel: &ChannelRow, peer: &str, text: String) -> Result<(), ApiError> {
    let kind = match conversations::of_peer(work.db, &channel.id, peer)? {
        Some(row) => voice::manner(work.db, channel, &row.id)?,
        None => "text",
    };
    let inbound = Inbound { from: peer.to_owned(), text, kind: kind.to_owned(), ..Inbound::default() };
    receive(work, channel, &inbound)?;
    Ok(())
}

/// Returns a pseudo-random element; `None` if there is none.
pub fn pick(work: &Work<'_>, from: &[String]) -> Option<String> {
    let last = i64::try_from(from.len()).ok()?.checked_sub(1).filter(|entry| *entry >= 0)?;
    let index = usize::try_from(work.service.stamps.between(0, last)).ok()?;
    from.get(index).cloned()
}

/// Returns the script of a conversation's customer.
pub fn character(db: &dyn DbSession, conversation: &str) -> Result<Option<Character>, DatabaseError> {
    let sql = "SELECT language, live, replies FROM characters WHERE conversation = ?1";
    db.first(sql, bound![conversation], |row| {
        let conversation = conversation.to_owned();
        Ok(read_row!(row, Character { language, live: json, replies: json; conversation }))
    })
}

fn lines(texts: &[String]) -> String {
    serde_json::to_string(texts).unwrap_or_else(|_| "[]".to_owned())
}
