//! The composer: one conversation's draft as it is edited, an answer and
//! beside it a private note.
//!
//! The two are separate texts, so that what was written as a note can never
//! leave as an answer.

pub(crate) mod attach_form;
pub mod attachments;
pub mod attachments_view;
pub mod canned;
pub(crate) mod commands;
pub(crate) mod draft_conflict;
pub(crate) mod editor;
pub(crate) mod emoji;
pub(crate) mod markup;
pub mod menu;
pub(crate) mod notes;
pub(crate) mod pickers_view;
pub(crate) mod price;
pub(crate) mod raw_json;
pub mod reply_conflict;
pub(crate) mod returned_texts;
pub mod rich_forms;
pub mod rich_forms_view;
pub mod send_later;
pub(crate) mod send_questions;
pub(crate) mod sending;
pub(crate) mod suggesting;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod typing;
pub mod view;

use tui_textarea::TextArea;

use crate::components::text_buffer::{Sheet, TextEdit};
use crate::keys::KeyPress;
use crate::screens::composer::reply_conflict::TextOrigin;
use crate::screens::mail::head::Head;
use model::attachments::ReplyAttachment;
use model::email::compose::ComposedMail;
use model::ids::{ConversationId, MessageId};
use model::outbox::Operation;
use model::queries::Draft;
use model::secret;
use model::text::SafeText;
use model::time::Moment;

/// Microseconds after the last key until the draft is saved.
pub const SAVE_AFTER: i64 = 100_000;

/// What is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ComposerMode {
    #[default]
    Reply,
    /// A private note.
    Note,
}

/// What a person wrote, as it comes back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComposedReply {
    pub text: String,
    pub reply_to: Option<MessageId>,
    pub attachment: Option<ReplyAttachment>,
}

impl ComposedReply {
    /// What of an operation goes back to where it was written; `None` where
    /// nothing was written for it.
    pub fn of(operation: &Operation) -> Option<Self> {
        let (text, reply_to) = operation.written_text()?;
        let attachment = operation.written_attachment();
        Some(Self { text: text.to_owned(), reply_to: reply_to.cloned(), attachment })
    }
}

/// A draft being edited.
#[derive(Debug)]
pub struct Composer {
    pub conversation: ConversationId,
    pub reply_to: Option<MessageId>,
    pub attachment: Option<ReplyAttachment>,
    /// What is being written.
    pub mode: ComposerMode,
    /// The head of a mail; its text is the answer.
    pub head: Option<Head>,
    reply: Sheet,
    note: Sheet,
    /// The text with a channel key in it that was asked about.
    key_asked: Option<String>,
    /// When the text changed without having been saved.
    dirty_since: Option<Moment>,
    /// Whether the kept draft has come; until then it may still arrive.
    loaded: bool,
    /// What another window may have written, until it is read once more.
    pub(crate) suspect: Option<String>,
    /// A text of this draft that was written over.
    pub(crate) aside: Option<String>,
    /// Whether another window has written this draft meanwhile.
    pub shared: bool,
    /// Where the answer comes from, if there is one.
    origin: Option<TextOrigin>,
    /// What the answer is the translation of.
    translated: Option<TranslatedReply>,
}

/// An answer as it was before it was translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranslatedReply {
    pub(crate) original: String,
    /// The language it is in now, where that is known.
    pub(crate) language: Option<SafeText>,
}

impl Composer {
    /// An empty composer whose kept draft is still being read.
    pub fn new(conversation: ConversationId) -> Self {
        Self {
            conversation,
            reply_to: None,
            attachment: None,
            mode: ComposerMode::default(),
            head: None,
            reply: Sheet::default(),
            note: Sheet::default(),
            key_asked: None,
            dirty_since: None,
            loaded: false,
            suspect: None,
            aside: None,
            shared: false,
            origin: None,
            translated: None,
        }
    }

    /// Where the answer comes from that is written now.
    pub(crate) fn follow_origin(&mut self) -> Option<TextOrigin> {
        self.origin = self.has_reply().then(|| self.origin.unwrap_or(TextOrigin::Typed));
        self.origin
    }

    /// What to ask before a text leaves that holds a channel key, once a text.
    pub(crate) fn asks_about_key(&mut self) -> Option<String> {
        let text = self.reply_text();
        let key = secret::key_hint_in(&text).filter(|_| self.key_asked.as_ref() != Some(&text))?;
        self.key_asked = Some(text);
        Some(format!("not sent: {key} in it is a channel key; send it once more to give it away"))
    }

    /// The kept draft has been read: it goes before whatever was typed since.
    pub fn receive_draft(&mut self, draft: Option<Draft>) {
        if std::mem::replace(&mut self.loaded, true) {
            return;
        }
        let Some(mut draft) = draft else { return };
        self.origin = Some(TextOrigin::Draft);
        if let Some(written) = ComposedMail::from_draft_text(&draft.text)
            && self.head.is_none()
        {
            let (mut head, body) = Head::of(written);
            // What was kept was somebody's.
            head.touched = true;
            (self.head, draft.text) = (Some(head), body);
        }
        self.reply_to = self.reply_to.take().or(draft.reply_to);
        self.attachment = self.attachment.take().or(draft.attachment);
        for (sheet, kept) in [(&mut self.reply, draft.text), (&mut self.note, draft.note)] {
            if !kept.is_empty() {
                let typed = sheet.text();
                sheet.set_text(&format!("{kept}{typed}"));
            }
        }
    }

    /// Whether another window's text may replace this one: it is saved, and it
    /// is no mail, whose header fields are edited separately.
    pub(crate) fn may_be_replaced(&self) -> bool {
        self.dirty_since.is_none() && self.head.is_none()
    }

    /// Replaces the text with the draft that another window saved.
    pub(crate) fn replace(&mut self, draft: Draft) {
        self.reply.set_text(&draft.text);
        self.origin = Some(TextOrigin::Draft);
        (self.reply_to, self.attachment, self.shared) = (draft.reply_to, draft.attachment, true);
        self.translated = None;
    }

    /// Whether the kept draft has been read, so that saving loses nothing.
    pub fn is_loaded(&self) -> bool {
        self.loaded
    }

    /// The current text, as it is edited.
    pub fn sheet(&self) -> &Sheet {
        match self.mode {
            ComposerMode::Reply => &self.reply,
            ComposerMode::Note => &self.note,
        }
    }

    /// Notes what the answer is the translation of.
    pub(crate) fn note_translated(&mut self, from: TranslatedReply) {
        self.translated = Some(from);
    }

    /// Of what the answer is a translation still; not once it was begun anew.
    pub(crate) fn translated(&self) -> Option<&TranslatedReply> {
        self.translated
            .as_ref()
            .filter(|translated_reply| self.has_reply() && translated_reply.original != self.reply_text())
    }

    /// Changes the current text.
    pub fn change<T>(&mut self, now: Moment, change: impl FnOnce(&mut Sheet) -> T) -> T {
        let sheet = match self.mode {
            ComposerMode::Reply => &mut self.reply,
            ComposerMode::Note => &mut self.note,
        };
        let told = change(sheet);
        if sheet.take_changed() {
            self.dirty_since.get_or_insert(now);
            self.translated = self.translated.take().filter(|_| !self.reply.is_blank());
        }
        told
    }

    /// The widget, for drawing.
    pub fn area(&self) -> &TextArea<'static> {
        self.sheet().area()
    }

    /// The cursor's row and column on screen, as of the last drawing.
    pub fn cursor_cell(&self) -> (u16, u16) {
        let cursor = self.area().screen_cursor();
        let (top, _) = self.area().scroll_offset();
        let row = u16::try_from(cursor.row).unwrap_or(u16::MAX).saturating_sub(top);
        (row, u16::try_from(cursor.col).unwrap_or(u16::MAX))
    }

    /// The current text, as typed.
    pub fn text(&self) -> String {
        self.sheet().text()
    }

    /// Whether there is nothing to send or save: no text, or only
    /// white space.
    pub fn is_blank(&self) -> bool {
        self.sheet().is_blank()
    }

    /// Whether an answer was begun.
    pub fn has_reply(&self) -> bool {
        !self.reply.is_blank() || self.attachment.is_some()
    }

    /// The answer as typed, whatever is shown.
    pub fn reply_text(&self) -> String {
        self.reply.text()
    }

    /// What would be kept; `None` when there is nothing to keep.
    pub fn draft(&self) -> Option<Draft> {
        // A mail that was only begun by a key is nothing to keep.
        let mail = self
            .written()
            .map(|written| if self.is_mail_blank() { String::new() } else { written.to_draft_text() });
        let draft = Draft {
            text: mail.unwrap_or_else(|| self.reply.text()),
            reply_to: self.reply_to.clone(),
            note: self.note.text(),
            attachment: self.attachment.clone(),
        };
        (!draft.is_empty()).then_some(draft)
    }

    /// Lines the current text takes at this width.
    pub fn height(&self, width: usize) -> usize {
        self.sheet().height(width)
    }

    /// Puts an answer back that was not sent: before what is there. What is at
    /// hand stays.
    pub fn restore(&mut self, written: ComposedReply, now: Moment) {
        if !written.text.is_empty() {
            self.reply.restore(&written.text);
            self.reply.take_changed();
            self.dirty_since.get_or_insert(now);
        }
        self.reply_to = self.reply_to.take().or(written.reply_to);
        if self.attachment.is_none() {
            self.attach(written.attachment, now);
        }
    }

    /// Lets something go with the answer, or nothing any more.
    pub fn attach(&mut self, attachment: Option<ReplyAttachment>, now: Moment) {
        if self.attachment != attachment {
            self.attachment = attachment;
            self.dirty_since.get_or_insert(now);
        }
    }

    /// Puts a note back that was not saved, or was taken back: before what is
    /// there. What is shown stays shown.
    pub fn restore_note(&mut self, text: &str, now: Moment) {
        self.note.restore(text);
        self.note.take_changed();
        self.dirty_since.get_or_insert(now);
    }

    /// Empties the answer after it went into the outbox; a note stays.
    pub fn clear(&mut self) {
        self.reply.set_text("");
        self.head = None;
        self.reply_to = None;
        self.attachment = None;
        self.translated = None;
        self.spent();
    }

    /// Empties the answer; a quote, a file and a note stay.
    pub fn clear_reply(&mut self, now: Moment) {
        self.reply.set_text("");
        self.reply.take_changed();
        self.dirty_since.get_or_insert(now);
    }

    /// Empties the note after it was saved; an answer stays.
    pub fn clear_note(&mut self) {
        self.note.set_text("");
        self.mode = ComposerMode::Reply;
        self.spent();
    }

    /// Notes that the head of a mail has changed.
    pub fn note_changed(&mut self, now: Moment) {
        self.dirty_since.get_or_insert(now);
    }

    /// The disk forgets what was spent by itself; what is left is kept anew.
    fn spent(&mut self) {
        self.dirty_since = self.draft().map(|_| Moment::default());
        self.loaded = true;
    }

    /// When the draft is due to be saved.
    pub fn save_due(&self) -> Option<Moment> {
        self.dirty_since.map(|dirty_since| dirty_since.plus(SAVE_AFTER))
    }

    /// Takes the change that is not saved yet, if there is one and what was
    /// kept before has been read.
    pub fn take_unsaved(&mut self) -> Option<Option<Draft>> {
        if !self.loaded {
            return None;
        }
        self.dirty_since.take().map(|_| self.draft())
    }

    /// Inserts pasted text as text: nothing in it is a key.
    pub fn paste(&mut self, outside: &str, now: Moment) -> bool {
        self.change(now, |sheet| sheet.paste(outside))
    }

    /// Performs an editing command.
    pub fn edit(&mut self, edit: TextEdit, now: Moment) {
        self.change(now, |sheet| sheet.edit(edit));
    }

    /// Handles a key that is no command: text and cursor keys.
    pub fn key(&mut self, key: KeyPress, now: Moment) -> bool {
        self.change(now, |sheet| sheet.key(key))
    }
}
