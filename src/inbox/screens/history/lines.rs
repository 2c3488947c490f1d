//! A history as display lines: what each row of the message pane holds.
//!
//! Pure in the items and the width.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::screens::mail::reading;
use crate::wrap;
use model::email::MailMessage;
use model::files;
use model::ids::{MessageId, NoteId, RowId};
use model::links;
use model::messages::{MessageRow, Sender, SenderAliases};
use model::notes::PrivateNote;
use model::outbox::{Operation, OutboxRow};
use model::text::SafeText;
use model::time::{Timestamp, Zone};

/// Names an item of the history across reloads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ItemKey {
    Message(MessageId),
    Outbox(RowId),
    /// A private note.
    Note(NoteId),
}

/// One line of the pane.
#[derive(Debug, Clone, PartialEq)]
pub enum HistoryLine {
    Day(String),
    /// What came after the last look.
    Divider,
    Note(&'static str),
    /// An empty line between mails.
    Gap,
    /// Who wrote a mail, and when.
    MailFrom(usize),
    /// A line of a mail's whole header.
    MailField(usize, String),
    /// What a message quotes, cut to one line.
    Quote(usize, String),
    /// A part of a message's or an outbox row's text.
    Text {
        /// The item, counted from the oldest.
        item: usize,
        part: Range<usize>,
        /// Whether sender and time stand before it.
        first: bool,
        /// Whether the delivery stands behind it.
        last: bool,
    },
    /// A line below a message: of what a model made of it, or when it was changed.
    Made(usize, String),
    /// A reaction below a message.
    Reaction(usize),
    /// A row of a message's picture.
    Picture {
        /// The item, counted from the oldest.
        item: usize,
        /// The row, counted from its top.
        row: usize,
    },
    /// The state of an outbox row, below its text.
    State(usize),
}

/// One item of a history: a message, what is about to join it, or a private
/// note beside it.
#[derive(Debug, Clone, PartialEq)]
pub enum HistoryItem {
    /// A message of the server.
    Message(Box<MessageRow>),
    /// A row of the outbox, with its text made safe to draw.
    Outbox(Box<OutboxRow>, SafeText),
    /// A private note.
    Note(PrivateNote),
}

impl HistoryItem {
    /// Its name across reloads.
    pub fn key(&self) -> ItemKey {
        match self {
            Self::Message(row) => ItemKey::Message(row.message.id.clone()),
            Self::Outbox(row, _) => ItemKey::Outbox(row.id.clone()),
            Self::Note(note) => ItemKey::Note(note.id.clone()),
        }
    }

    /// What only a mail has.
    pub fn letter(&self) -> Option<&MailMessage> {
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

    /// Who speaks, as the pane names them.
    pub fn sender(&self, customer: &str, aliases: &SenderAliases) -> String {
        match self {
            Self::Outbox(..) => "You".to_owned(),
            Self::Note(_) => "NOTE".to_owned(),
            Self::Message(row) if row.sent_here => "You".to_owned(),
            Self::Message(row) if aliases.get(&row.message.sender).is_some() => {
                aliases.get(&row.message.sender).map(ToString::to_string).unwrap_or_default()
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

    /// Whether another program sent it with a key, and what it is called is not
    /// configured.
    pub fn is_from_elsewhere(&self, aliases: &SenderAliases) -> bool {
        let Self::Message(row) = self else { return false };
        row.message.sender == Sender::Api && !row.sent_here && aliases.get(&row.message.sender).is_none()
    }

    /// When it was said.
    pub fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Message(row) => row.message.created_at,
            Self::Outbox(row, _) => Some(row.created_at),
            Self::Note(note) => Some(note.at),
        }
    }
}

/// Messages in their order, with each note before what was said after it.
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

/// What an outbox row shows as its text in a history; `None` for what goes by
/// itself and shows elsewhere: a reaction on its message, filing on its row.
pub fn outbox_text(row: &OutboxRow) -> Option<SafeText> {
    let shows_elsewhere = matches!(row.operation, Operation::React { .. } | Operation::ChangeThread { .. });
    let is_mark = shows_elsewhere && !row.is_stopped();
    (!is_mark).then(|| row.operation.summary())
}

/// The label a message's media gets on its own line: what it is, its name and
/// size as far as they are known, and where it lies.
pub fn media_label(row: &MessageRow) -> Option<String> {
    let message = &row.message;
    let told = message.content_type.as_str();
    let Some(url) = &message.media_url else {
        let is_text = matches!(told, "text" | "unreadable" | "");
        return (!is_text && message.content.is_empty()).then(|| format!("[{told}]"));
    };
    // A file that is called a text, or nothing, is what its type says.
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

/// Whether a message's file can be opened outside.
pub fn has_file(row: &MessageRow) -> bool {
    row.message.media_url.as_ref().is_some_and(|media_url| links::host_of(media_url.as_str()).is_some())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextWidths {
    pub said: usize,
    /// Of a mail, below its header.
    pub mail: usize,
}

impl Default for TextWidths {
    fn default() -> Self {
        Self { said: 40, mail: 40 }
    }
}

/// What the flattening needs to know.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    pub widths: TextWidths,
    /// Whether mails show all of their header.
    pub whole_headers: bool,
    /// The zone days are counted in.
    pub zone: &'a Zone,
    /// The first message new since the last look.
    pub divider: Option<&'a MessageId>,
    /// Said above the oldest item.
    pub head: Option<&'static str>,
    /// Rows of the pictures below their messages, by address.
    pub heights: &'a BTreeMap<String, usize>,
}

/// Flattens the items, oldest first.
pub fn flatten(items: &[HistoryItem], shape: Shape<'_>) -> Vec<HistoryLine> {
    let mut lines = Vec::with_capacity(items.len() * 2);
    lines.extend(shape.head.map(HistoryLine::Note));
    let mut day = None;
    for (index, item) in items.iter().enumerate() {
        // A mail's header tells its day.
        if let Some(at) = item.at().filter(|_| item.letter().is_none()) {
            let number = at.day_number(shape.zone);
            if day.replace(number) != Some(number) {
                lines.push(HistoryLine::Day(at.day_name(shape.zone)));
            }
        }
        if let HistoryItem::Message(row) = item
            && shape.divider == Some(&row.message.id)
        {
            lines.push(HistoryLine::Divider);
        }
        push_item(items, index, shape, &mut lines);
    }
    lines
}

fn push_item(items: &[HistoryItem], index: usize, shape: Shape<'_>, lines: &mut Vec<HistoryLine>) {
    let item = &items[index];
    if let Some(letter) = item.letter() {
        push_header(letter, index, shape, lines);
    }
    if let Some(quoted) = item.quotes() {
        lines.push(HistoryLine::Quote(index, quote(items, quoted, shape.widths.said)));
    }
    let width = if item.letter().is_some() { shape.widths.mail } else { shape.widths.said };
    let parts = wrap::wrap(item.text(), width);
    let count = parts.len();
    for (line, part) in parts.into_iter().enumerate() {
        lines.push(HistoryLine::Text { item: index, part, first: line == 0, last: line + 1 == count });
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
            lines.extend(parts.into_iter().map(|part| HistoryLine::Made(index, text[part].to_owned())));
        }
    }
    if let HistoryItem::Message(row) = item
        && let Some((word, at)) = row.change.last_change()
    {
        lines.push(HistoryLine::Made(index, format!("{word} {}", at.hour_and_minute(shape.zone))));
    }
    match item {
        HistoryItem::Message(row) if row.reaction.is_some() || row.reaction_pending.is_some() => {
            lines.push(HistoryLine::Reaction(index));
        }
        HistoryItem::Outbox(..) => lines.push(HistoryLine::State(index)),
        HistoryItem::Message(_) | HistoryItem::Note(_) => (),
    }
}

/// The header over a mail: its sender, and all that is known where it is
/// unfolded.
fn push_header(letter: &MailMessage, index: usize, shape: Shape<'_>, lines: &mut Vec<HistoryLine>) {
    if !matches!(lines.last(), None | Some(HistoryLine::Divider | HistoryLine::Day(_))) {
        lines.push(HistoryLine::Gap);
    }
    lines.push(HistoryLine::MailFrom(index));
    if shape.whole_headers {
        let fields = reading::header_lines(letter, shape.widths.mail);
        lines.extend(fields.into_iter().map(|field| HistoryLine::MailField(index, field)));
        lines.push(HistoryLine::Gap);
    }
}

/// The quoted message on one line, or words for one that is not loaded.
fn quote(items: &[HistoryItem], quoted: &MessageId, width: usize) -> String {
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

/// The item a line belongs to.
pub fn item_of(line: &HistoryLine) -> Option<usize> {
    match line {
        HistoryLine::Quote(item, _) | HistoryLine::Reaction(item) | HistoryLine::State(item) => Some(*item),
        HistoryLine::MailFrom(item) | HistoryLine::MailField(item, _) => Some(*item),
        HistoryLine::Made(item, _) => Some(*item),
        HistoryLine::Text { item, .. } | HistoryLine::Picture { item, .. } => Some(*item),
        HistoryLine::Day(_) | HistoryLine::Divider | HistoryLine::Note(_) | HistoryLine::Gap => None,
    }
}
