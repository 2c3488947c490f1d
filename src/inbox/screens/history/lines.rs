//! A history as display lines: the content of each row of the message pane. Pure in the items and
//! the width.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::screens::mail::reading::{self, HeaderLine};
use crate::wrap;
use model::email::MailMessage;
use model::files;
use model::history_events::HistoryEvent;
use model::ids::{MessageId, NoteId, RowId};
use model::links;
use model::messages::{MessageForm, MessageRow, Sender, SenderAliases};
use model::notes::PrivateNote;
use model::outbox::{Operation, OutboxRow};
use model::phone_entries::PhoneEntry;
use model::text::SafeText;
use model::time::{Timestamp, Zone};

/// Identifies an item across reloads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ItemKey {
    Message(MessageId),
    Outbox(RowId),
    Note(NoteId),
}

#[derive(Debug, Clone, PartialEq)]
pub enum HistoryLine {
    Day(String),
    /// Start of the messages that are new since the last visit.
    Divider,
    Note(&'static str),
    /// A takeover, hand-back, close or reopening.
    Event(HistoryEvent),
    /// A line of a call or text known only from the list of a phone, the first with its time and kind; its
    /// author is unknown.
    Listed(Option<(Timestamp, String)>, String),
    Gap,
    /// Head of an album: its first message, and the number of its messages here.
    Album(usize, usize),
    MailFrom(usize),
    /// One line of a mail's unfolded header.
    MailField(usize, HeaderLine),
    /// The quoted message, cut to one line.
    Quote(usize, String),
    /// A part of the text of a message or an outbox row.
    Text {
        item: usize,
        part: Range<usize>,
        /// True if sender and time precede it.
        first: bool,
        /// True if the delivery state follows it.
        last: bool,
    },
    /// A line below a message: output of a model, that it was forwarded, or the time of an edit.
    Generated(usize, String),
    Reaction(usize),
    Picture {
        item: usize,
        /// Row within the picture, from the top.
        row: usize,
    },
    State(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub enum HistoryItem {
    Message(Box<MessageRow>),
    /// An outbox row with its text made safe to draw.
    Outbox(Box<OutboxRow>, SafeText),
    Note(PrivateNote),
}

impl HistoryItem {
    pub fn key(&self) -> ItemKey {
        match self {
            Self::Message(row) => ItemKey::Message(row.message.id.clone()),
            Self::Outbox(row, _) => ItemKey::Outbox(row.id.clone()),
            Self::Note(note) => ItemKey::Note(note.id.clone()),
        }
    }

    pub fn mail_message(&self) -> Option<&MailMessage> {
        match self {
            Self::Message(row) => row.mail.as_deref(),
            Self::Outbox(..) | Self::Note(_) => None,
        }
    }

    pub fn quotes(&self) -> Option<&MessageId> {
        match self {
            Self::Message(row) => row.message.quotes.as_ref(),
            Self::Outbox(row, _) => row.operation.quoted_message(),
            Self::Note(_) => None,
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Message(row) => row.message.content.as_str(),
            Self::Outbox(_, text) => text.as_str(),
            Self::Note(note) => note.text.as_str(),
        }
    }

    pub fn sender(&self, customer: &str, aliases: &SenderAliases) -> String {
        match self {
            // An act, not a message.
            Self::Outbox(row, _)
                if matches!(row.operation, Operation::SetAutomation { .. } | Operation::Close) =>
            {
                String::new()
            }
            Self::Outbox(..) => "You".to_owned(),
            Self::Note(note) => note.author.as_ref().map_or_else(|| "NOTE".to_owned(), ToString::to_string),
            Self::Message(row) if row.sent_here => "You".to_owned(),
            Self::Message(row) if row.message.agent.is_some() => {
                row.message.agent.as_ref().map(|agent| agent.label().to_owned()).unwrap_or_default()
            }
            Self::Message(row) if aliases.get(&row.message.sender).is_some() => {
                aliases.get(&row.message.sender).map(ToString::to_string).unwrap_or_default()
            }
            Self::Message(row) if row.message.answer_place().is_some() => {
                row.message.answer_place().map(|place| place.label().to_owned()).unwrap_or_default()
            }
            Self::Message(row) => match &row.message.sender {
                Sender::Customer => customer.to_owned(),
                Sender::Ai => "AI".to_owned(),
                Sender::Api => "Elsewhere".to_owned(),
                Sender::Broadcast => "Broadcast".to_owned(),
                Sender::Human => "Agent".to_owned(),
                Sender::Unknown(word) => format!("?{word}"),
            },
        }
    }

    /// True for a message of this desk's person, sent here or at another machine.
    pub fn is_own(&self) -> bool {
        match self {
            Self::Outbox(..) => true,
            Self::Note(_) => false,
            Self::Message(row) => {
                row.sent_here || row.message.agent.as_ref().is_some_and(|agent| agent.is_self)
            }
        }
    }

    /// True for a message sent by another program with a key that has no configured alias.
    pub fn is_from_elsewhere(&self, aliases: &SenderAliases) -> bool {
        let Self::Message(row) = self else { return false };
        let is_unnamed = row.message.agent.is_none() && aliases.get(&row.message.sender).is_none();
        let is_placed = row.message.answer_place().is_some();
        row.message.sender == Sender::Api && !row.sent_here && is_unnamed && !is_placed
    }

    pub fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Message(row) => row.message.created_at,
            Self::Outbox(row, _) => Some(row.created_at),
            Self::Note(note) => Some(note.at),
        }
    }
}

/// Merges notes into the messages by time; a note precedes the first later message.
pub fn with_notes(messages: Vec<MessageRow>, notes: Vec<PrivateNote>) -> Vec<HistoryItem> {
    let mut items = Vec::with_capacity(messages.len() + notes.len());
    let mut notes = notes.into_iter().peekable();
    for row in messages {
        let at = row.message.created_at;
        while let Some(note) = notes.next_if(|note| at.is_some_and(|at| note.at < at)) {
            items.push(HistoryItem::Note(note));
        }
        items.push(HistoryItem::Message(Box::new(row)));
    }
    items.extend(notes.map(HistoryItem::Note));
    items
}

/// Returns the text of an outbox row in the history. `None` for a reaction or filing that is not
/// stopped: they show on their message or list row.
pub fn outbox_text(row: &OutboxRow) -> Option<SafeText> {
    let shows_elsewhere = matches!(row.operation, Operation::React { .. } | Operation::ChangeThread { .. });
    let is_mark = shows_elsewhere && !row.is_stopped();
    (!is_mark).then(|| row.operation.summary())
}

/// Label of a message's media line: kind, then name, size and host as far as known. A contact card has a label
/// without media.
pub fn media_label(row: &MessageRow) -> Option<String> {
    let message = &row.message;
    let told = message.kind_label();
    let Some(url) = &message.media_url else {
        let is_text = matches!(told, "text" | "unreadable" | "");
        let is_labelled = message.content.is_empty() || message.marks.form == Some(MessageForm::ContactCard);
        return (!is_text && is_labelled).then(|| format!("[{told}]"));
    };
    // Without a usable content type the MIME type names the file.
    let mime = row.media.mime.as_ref().map(SafeText::as_str);
    let kind = match told {
        "text" | "" => mime.unwrap_or("file"),
        told => told,
    };
    let host = links::host_of(url.as_str());
    let in_link = links::file_name(url.as_str()).filter(|_| host.is_some()).map(str::to_owned);
    let name = row.media.name.as_ref().map(ToString::to_string).or(in_link);
    let size = row.media.size.map(files::format_size);
    let place = host.or_else(|| Some(url.to_string()));
    let parts: Vec<String> = [name, size, place].into_iter().flatten().collect();
    Some(format!("[{kind}] {}", parts.join(" · ")))
}

/// True if the message's file has a web address that can be opened.
pub fn has_file(row: &MessageRow) -> bool {
    row.message.media_url.as_ref().is_some_and(|media_url| links::host_of(media_url.as_str()).is_some())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextWidths {
    pub chat: usize,
    /// Text width of a mail, below its header.
    pub mail: usize,
}

impl Default for TextWidths {
    fn default() -> Self {
        Self { chat: 40, mail: 40 }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct HistoryLayout<'a> {
    pub widths: TextWidths,
    pub full_headers: bool,
    pub subject: Option<&'a SafeText>,
    /// Time zone that decides where a day starts.
    pub zone: &'a Zone,
    /// First message that is new since the last visit.
    pub divider: Option<&'a MessageId>,
    pub top_note: Option<&'static str>,
    /// Oldest first.
    pub events: &'a [HistoryEvent],
    /// Calls and texts known only from the list of a phone, oldest first.
    pub listed: &'a [PhoneEntry],
    /// Rows of each picture, by address.
    pub heights: &'a BTreeMap<String, usize>,
}

/// Turns the items into lines, oldest first.
pub fn flatten(items: &[HistoryItem], shape: HistoryLayout<'_>) -> Vec<HistoryLine> {
    let mut lines = Vec::with_capacity(items.len() * 2);
    lines.extend(shape.top_note.map(HistoryLine::Note));
    let mut day = None;
    let mut events = shape.events;
    let is_unknown = |entry: &&PhoneEntry| !items.iter().any(|item| entry.is_message(item.text()));
    let mut listed = shape.listed.iter().filter(is_unknown).peekable();
    for (index, item) in items.iter().enumerate() {
        while let Some(entry) = listed.next_if(|entry| item.at().is_some_and(|at| at > entry.at)) {
            push_listed(entry, shape, &mut day, &mut lines);
        }
        if let Some(at) = item.at() {
            let before = events.partition_point(|event| event.at <= at);
            push_events(&events[..before], shape.zone, &mut day, &mut lines);
            events = &events[before..];
        }
        // A mail's header already shows its day.
        if let Some(at) = item.at().filter(|_| item.mail_message().is_none()) {
            push_day(at, shape.zone, &mut day, &mut lines);
        }
        if let HistoryItem::Message(row) = item
            && shape.divider == Some(&row.message.id)
        {
            lines.push(HistoryLine::Divider);
        }
        push_item(items, index, shape, &mut lines);
    }
    for entry in listed {
        push_listed(entry, shape, &mut day, &mut lines);
    }
    push_events(events, shape.zone, &mut day, &mut lines);
    lines
}

/// Adds the day of a time, unless the lines are in it already.
fn push_day(at: Timestamp, zone: &Zone, day: &mut Option<i64>, lines: &mut Vec<HistoryLine>) {
    let number = at.day_number(zone);
    if day.replace(number) != Some(number) {
        lines.push(HistoryLine::Day(at.day_name(zone)));
    }
}

fn push_events(events: &[HistoryEvent], zone: &Zone, day: &mut Option<i64>, lines: &mut Vec<HistoryLine>) {
    for event in events {
        push_day(event.at, zone, day, lines);
        lines.push(HistoryLine::Event(event.clone()));
    }
}

fn push_listed(
    entry: &PhoneEntry,
    shape: HistoryLayout<'_>,
    day: &mut Option<i64>,
    lines: &mut Vec<HistoryLine>,
) {
    push_day(entry.at, shape.zone, day, lines);
    let (kind, text) = entry.kind_and_text();
    for (row, part) in wrap::wrap(text, shape.widths.chat).into_iter().enumerate() {
        let head = (row == 0).then(|| (entry.at, kind.to_owned()));
        lines.push(HistoryLine::Listed(head, text[part].to_owned()));
    }
}

fn push_item(items: &[HistoryItem], index: usize, shape: HistoryLayout<'_>, lines: &mut Vec<HistoryLine>) {
    let item = &items[index];
    if let Some(letter) = item.mail_message() {
        let is_newest = newest_mail(items) == Some(index);
        push_header(letter, (index, is_newest), shape, lines);
    }
    if let Some(quoted) = item.quotes() {
        lines.push(HistoryLine::Quote(index, quote_line(items, quoted, shape.widths.chat)));
    }
    let width = if item.mail_message().is_some() { shape.widths.mail } else { shape.widths.chat };
    let album = album_at(items, index);
    if let Some(AlbumPlace::First(count)) = album {
        lines.push(HistoryLine::Album(index, count));
    }
    let parts = wrap::wrap(item.text(), width);
    let count = parts.len();
    for (line, part) in parts.into_iter().enumerate() {
        let first = line == 0 && album.is_none();
        lines.push(HistoryLine::Text { item: index, part, first, last: line + 1 == count });
    }
    if let HistoryItem::Message(row) = item
        && !shape.heights.is_empty()
        && let Some(url) = &row.message.media_url
    {
        let rows = shape.heights.get(url.as_str()).copied().unwrap_or(0);
        lines.extend((0..rows).map(|row| HistoryLine::Picture { item: index, row }));
    }
    if let HistoryItem::Message(row) = item {
        for made in &row.generated {
            let text = format!("{}{}", made.kind.label(), made.text);
            let parts = wrap::wrap(&text, width);
            lines.extend(parts.into_iter().map(|part| HistoryLine::Generated(index, text[part].to_owned())));
        }
    }
    if let HistoryItem::Message(row) = item
        && row.message.marks.is_forwarded
    {
        lines.push(HistoryLine::Generated(index, "forwarded".to_owned()));
    }
    if let HistoryItem::Message(row) = item
        && let Some((word, at)) = row.change.last_change()
    {
        lines.push(HistoryLine::Generated(index, format!("{word} {}", at.hour_and_minute(shape.zone))));
    }
    match item {
        HistoryItem::Message(row) if row.reaction.is_some() || row.reaction_pending.is_some() => {
            lines.push(HistoryLine::Reaction(index));
        }
        HistoryItem::Outbox(..) => lines.push(HistoryLine::State(index)),
        HistoryItem::Message(_) | HistoryItem::Note(_) => (),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlbumPlace {
    /// First of as many messages.
    First(usize),
    Later,
}

/// Place of an item in an album of several messages that follow each other.
pub fn album_at(items: &[HistoryItem], index: usize) -> Option<AlbumPlace> {
    let is_same = |one: usize, other: usize| match (items.get(one), items.get(other)) {
        (Some(HistoryItem::Message(one)), Some(HistoryItem::Message(other))) => one.is_in_album_of(other),
        _ => false,
    };
    if index.checked_sub(1).is_some_and(|before| is_same(before, index)) {
        return Some(AlbumPlace::Later);
    }
    let count = (index + 1..items.len()).take_while(|later| is_same(index, *later)).count();
    (count > 0).then_some(AlbumPlace::First(count + 1))
}

/// Returns the index of the newest mail, which is shown with its header.
pub(crate) fn newest_mail(items: &[HistoryItem]) -> Option<usize> {
    items.iter().rposition(|item| item.mail_message().is_some())
}

/// Adds a mail's header: its sender, the short header of the newest, and every field if headers are
/// unfolded.
fn push_header(
    letter: &MailMessage,
    (index, is_newest): (usize, bool),
    shape: HistoryLayout<'_>,
    lines: &mut Vec<HistoryLine>,
) {
    if !matches!(
        lines.last(),
        None | Some(HistoryLine::Divider | HistoryLine::Day(_) | HistoryLine::Event(_))
    ) {
        lines.push(HistoryLine::Gap);
    }
    lines.push(HistoryLine::MailFrom(index));
    let fields = match shape.full_headers {
        true => reading::header_lines(letter, shape.widths.mail),
        false if is_newest => reading::short_header_lines(letter, shape.subject, shape.widths.mail),
        false => Vec::new(),
    };
    if !fields.is_empty() {
        lines.extend(fields.into_iter().map(|field| HistoryLine::MailField(index, field)));
        lines.push(HistoryLine::Gap);
    }
}

/// Returns the quoted message on one line, or a placeholder if it is not loaded.
fn quote_line(items: &[HistoryItem], quoted: &MessageId, width: usize) -> String {
    let found = items.iter().find_map(|item| match item {
        HistoryItem::Message(row) if row.message.id == *quoted => Some(row),
        _ => None,
    });
    let text = match found {
        Some(row) if row.message.content.is_empty() => media_label(row).unwrap_or_default(),
        Some(row) => row.message.content.as_str().replace('\n', " "),
        None => "an earlier message".to_owned(),
    };
    wrap::cut(&format!("↪ {text}"), width)
}

pub fn item_index(line: &HistoryLine) -> Option<usize> {
    match line {
        HistoryLine::Quote(item, _) | HistoryLine::Reaction(item) | HistoryLine::State(item) => Some(*item),
        HistoryLine::MailFrom(item) | HistoryLine::MailField(item, _) => Some(*item),
        HistoryLine::Album(item, _) => Some(*item),
        HistoryLine::Generated(item, _) => Some(*item),
        HistoryLine::Text { item, .. } | HistoryLine::Picture { item, .. } => Some(*item),
        HistoryLine::Day(_)
        | HistoryLine::Divider
        | HistoryLine::Note(_)
        | HistoryLine::Event(_)
        | HistoryLine::Listed(..)
        | HistoryLine::Gap => None,
    }
}
