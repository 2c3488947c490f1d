//! A customer writes: the conversation is found, made or opened again, the
//! message is stored, the assistant is set to answer. Interface: Events,
//! message.received; States and transitions, Conversation.

use serde_json::{Value, json};

use crate::channels::Channel;
use crate::chat::{keywords, people};
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::media::MediaRow;
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, due};
use crate::events::{self, Event};
use crate::platforms;
use crate::world::Kind;
use crate::write::Work;
use model::bounds;
use model::keywords::Keyword;
use model::time::{SECOND, Timestamp};
use wire::extras::MessageExtras;

/// What a customer sent.
#[derive(Debug, Clone, Default)]
pub struct Inbound {
    /// Address of an answer: a number, a person's or group's id, or a chat id.
    pub from: String,
    /// Other ids of the platform's for the same person.
    pub also: Vec<String>,
    /// Name of the author, where several people write in one conversation.
    pub speaker: Option<String>,
    /// Time of sending by the platform's clock.
    pub sent_at: Option<Timestamp>,
    /// What they are called, if the platform tells.
    pub name: Option<String>,
    /// Their user name on the bot channel.
    pub username: Option<String>,
    pub text: String,
    /// `text`, `image`, …
    pub kind: String,
    pub media_url: Option<String>,
    /// The ad they came from.
    pub referral: Option<Value>,
    /// The platform's id; a simulated platform gives one.
    pub platform_id: Option<String>,
    /// The id of the message it answers.
    pub reply_to: Option<String>,
    /// A JSON object: what its media are.
    pub details: Option<String>,
    /// Its media, where they were brought here.
    pub file: Option<MediaRow>,
    /// Nobody expects an answer to it.
    pub needs_no_answer: bool,
    /// Its structure, and how it was changed.
    pub extras: MessageExtras,
    /// The keyword that the platform recognised in it, in whatever language.
    pub keyword: Option<Keyword>,
}

/// Where it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub conversation: String,
    pub message: String,
}

/// Takes in what a customer sent on a channel.
pub fn receive(work: &Work<'_>, channel: &ChannelRow, inbound: &Inbound) -> Result<Received, DatabaseError> {
    let conversation = find_or_make(work, channel, inbound)?;
    let stamp = work.stamp();
    // A time that lies ahead is the clock's of a platform that runs fast.
    let sent_at = inbound.sent_at.filter(|sent_at| *sent_at < stamp);
    let content = spoken(inbound.speaker.as_deref(), &inbound.text, &inbound.kind);
    let id = work.id("msg", stamp);
    let platform_id = match &inbound.platform_id {
        Some(platform_id) => platform_id.clone(),
        None => platforms::incoming_id(work, channel.kind, &conversation, &id)?,
    };
    messages::insert(
        work.db,
        &MessageRow {
            id: id.clone(),
            conversation: conversation.id.clone(),
            channel: channel.id.clone(),
            platform_id,
            direction: "inbound".to_owned(),
            sender: "customer".to_owned(),
            content: content.clone(),
            kind: inbound.kind.clone(),
            media_url: inbound.media_url.clone(),
            details: inbound.details.clone(),
            status: "received".to_owned(),
            reply_to: inbound.reply_to.clone(),
            reaction: None,
            cost: 0,
            created_at: stamp,
            sent_at,
            delivered_at: None,
            read_at: None,
            broadcast: None,
            extras: inbound.extras.kept(),
        },
    )?;
    let preview = if content.is_empty() { format!("[{}]", inbound.kind) } else { content.clone() };
    conversations::touch_inbound(work.db, &conversation.id, &preview, (stamp, sent_at.unwrap_or(stamp)))?;
    let told = json!({
        "conversationId": conversation.id, "messageId": id, "from": inbound.from, "content": content,
    });
    events::emit(work, &channel.id, Event::MessageReceived, told)?;
    let is_text = channel.kind == Channel::Voip && (inbound.kind == "text" || inbound.keyword.is_some());
    let is_heeded = is_text && heed(work, channel, &conversation, inbound)?;
    if !inbound.needs_no_answer && !is_heeded {
        expect_answer(work, &conversation)?;
    }
    Ok(Received { conversation: conversation.id, message: id })
}

fn heed(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    inbound: &Inbound,
) -> Result<bool, DatabaseError> {
    let keyword = inbound.keyword.or_else(|| Keyword::of(&inbound.text));
    keywords::heed(work, channel, conversation, keyword, &inbound.text)
}

/// Returns the words of a message, after the name of who wrote them where several
/// people write.
pub fn spoken(speaker: Option<&str>, words: &str, kind: &str) -> String {
    match speaker {
        None => words.to_owned(),
        Some(speaker) if words.is_empty() => format!("{speaker}: [{kind}]"),
        Some(speaker) => format!("{speaker}: {words}"),
    }
}

fn find_or_make(
    work: &Work<'_>,
    channel: &ChannelRow,
    inbound: &Inbound,
) -> Result<ConversationRow, DatabaseError> {
    let stamp = work.stamp();
    let found = people::conversation_of(work, channel, &inbound.from, &inbound.also)?;
    let phones = found.iter().map(|row| row.peer.as_str()).chain([inbound.from.as_str()]);
    let contact = match phones.into_iter().find(|phone| bounds::is_e164(phone)) {
        Some(phone) => people::heard(work, channel, phone, inbound.name.as_deref(), stamp)?,
        None => None,
    };
    let name = contact.as_ref().map_or(inbound.name.as_deref(), |it| it.name.as_deref());
    if let Some(found) = found {
        conversations::rename(work.db, &found.id, name, inbound.username.as_deref(), None)?;
        return Ok(found);
    }
    let mut made = ConversationRow::new(work.id("conv", stamp), &channel.id, &inbound.from, stamp);
    made.name = name.map(str::to_owned);
    made.email = contact.as_ref().and_then(|it| it.email.clone());
    made.username.clone_from(&inbound.username);
    made.referral = inbound.referral.as_ref().map(Value::to_string);
    conversations::insert(work.db, &made)?;
    people::note_ids(work, channel, &made.peer, &inbound.also)?;
    Ok(made)
}

/// Sets the assistant to answer, unless a person has the conversation or the
/// assistant has asked for one.
fn expect_answer(work: &Work<'_>, conversation: &ConversationRow) -> Result<(), DatabaseError> {
    let answers =
        work.service.assistant.is_some() && conversation.automation && conversation.escalation.is_none();
    if !answers {
        return Ok(());
    }
    // One answer to all that was written meanwhile.
    due::cancel(work.db, Kind::Answer.word(), &conversation.id)?;
    let wait = work.service.stamps.between(SECOND, 3 * SECOND);
    due::add(work.db, work.now.plus(wait), Kind::Answer.word(), &conversation.id, "")
}

/// The message type a channel has for a medium, by its address.
pub fn media_kind(channel: Channel, url: &str) -> &'static str {
    let path = url.split(['?', '#']).next().unwrap_or(url).to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    if ends(&[".jpg", ".jpeg", ".png", ".webp", ".gif"]) {
        if channel == Channel::Telegram { "photo" } else { "image" }
    } else if ends(&[".mp4", ".3gp", ".mov"]) {
        "video"
    } else if ends(&[".mp3", ".ogg", ".opus", ".aac", ".amr", ".m4a"]) {
        "audio"
    } else {
        "document"
    }
}
