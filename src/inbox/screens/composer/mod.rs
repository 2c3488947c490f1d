//! The composer: a conversation's draft reply and private note while they are edited.
//!
//! Reply and note are separate texts, so a note can never be sent as a reply.

pub(crate) mod attach_form;
pub mod attachments;
pub mod attachments_view;
pub mod canned;
pub(crate) mod commands;
pub(crate) mod draft_conflict;
pub(crate) mod editor;
pub(crate) mod emoji;
pub(crate) mod link_preview;
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
pub(crate) mod suggestions;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod typing;
pub mod view;

use tui_textarea::TextArea;

use crate::components::text_buffer::{TextBuffer, TextEdit};
use crate::keys::KeyPress;
use crate::screens::composer::reply_conflict::TextOrigin;
use crate::screens::mail::compose_header::ComposeHeader;
use model::attachments::{ReplyAttachment, merge};
use model::email::compose::ComposedMail;
use model::ids::{ConversationId, MessageId};
use model::outbox::Operation;
use model::queries::Draft;
use model::secret;
use model::text::SafeText;
use model::time::Moment;

/// Delay from the first unsaved change until the draft is saved, in microseconds.
pub const DRAFT_SAVE_DELAY: i64 = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ComposerMode {
    #[default]
    Reply,
    Note,
}

/// Content that returns to the composer from an unsent operation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComposedReply {
    pub text: String,
    pub reply_to: Option<MessageId>,
    pub attachment: Option<ReplyAttachment>,
    pub link_preview: Option<bool>,
}

impl ComposedReply {
    /// Returns the text, quote and attachment of `operation`; `None` if it carries no written text.
    pub fn of(operation: &Operation) -> Option<Self> {
        let (text, reply_to) = operation.written_text()?;
        let attachment = operation.written_attachment();
        let link_preview = operation.link_preview();
        Some(Self { text: text.to_owned(), reply_to: reply_to.cloned(), attachment, link_preview })
    }
}

#[derive(Debug)]
pub struct Composer {
    pub conversation: ConversationId,
    pub reply_to: Option<MessageId>,
    /// In sending order.
    pub attachments: Vec<ReplyAttachment>,
    pub mode: ComposerMode,
    /// Switch of this text's link preview; `None` for the setting. Not part of the draft.
    pub link_preview: Option<bool>,
    /// True on a channel that is known to have no mail: a stored text is never read as one.
    pub(crate) has_no_mail: bool,
    /// Header fields of a mail; `None` if the draft is not a mail.
    pub header: Option<ComposeHeader>,
    reply: TextBuffer,
    note: TextBuffer,
    /// Note as it was last read; while it is the same, it follows the stored draft.
    note_read: String,
    /// Another window's note that differed at the last check.
    unconfirmed_note: Option<String>,
    /// The reply text for which the channel key warning was shown.
    key_warned_text: Option<String>,
    /// Time of the first change that is not saved yet.
    dirty_since: Option<Moment>,
    /// True if the draft was changed here since it was read, or since the last reply was sent.
    is_changed_here: bool,
    /// True once the stored draft was read. Until then nothing is saved.
    loaded: bool,
    /// Another window's draft that differed at the last check, empty for none; adopted if the next
    /// check finds it again.
    pub(crate) unconfirmed_draft: Option<Draft>,
    /// Own text and files that another window's draft replaced, in the form of a stored draft.
    pub(crate) replaced: Option<Draft>,
    /// True if another window has saved this draft meanwhile.
    pub is_shared: bool,
    origin: Option<TextOrigin>,
    translated: Option<TranslatedReply>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranslatedReply {
    pub(crate) original: String,
    pub(crate) language: Option<SafeText>,
}

impl Composer {
    /// Creates an empty composer whose stored draft is still being read.
    pub fn new(conversation: ConversationId) -> Self {
        Self {
            conversation,
            reply_to: None,
            attachments: Vec::new(),
            mode: ComposerMode::default(),
            link_preview: None,
            has_no_mail: false,
            header: None,
            reply: TextBuffer::default(),
            note: TextBuffer::default(),
            note_read: String::new(),
            unconfirmed_note: None,
            key_warned_text: None,
            dirty_since: None,
            is_changed_here: false,
            loaded: false,
            unconfirmed_draft: None,
            replaced: None,
            is_shared: false,
            origin: None,
            translated: None,
        }
    }

    /// Origin of the current reply, by default `Typed`; `None` without a reply.
    pub(crate) fn update_origin(&mut self) -> Option<TextOrigin> {
        self.origin = self.has_reply().then(|| self.origin.unwrap_or(TextOrigin::Typed));
        self.origin
    }

    /// Returns a warning if the reply contains a channel key, once per text.
    pub(crate) fn key_warning(&mut self) -> Option<String> {
        let text = self.reply_text();
        let key = secret::key_hint_in(&text).filter(|_| self.key_warned_text.as_ref() != Some(&text))?;
        self.key_warned_text = Some(text);
        Some(format!("not sent: it contains the channel key {key}; send again to send it anyway"))
    }

    /// Merges the stored draft: its text and attachments go before those added meanwhile, its quote fills a
    /// gap. Only the first call has an effect.
    pub fn receive_draft(&mut self, draft: Option<Draft>) {
        if std::mem::replace(&mut self.loaded, true) {
            return;
        }
        let Some(mut draft) = draft else { return };
        self.origin = Some(TextOrigin::Draft);
        self.take_mail_header(&mut draft);
        self.note_read.clone_from(&draft.note);
        self.reply_to = self.reply_to.take().or(draft.reply_to);
        self.attachments = merge(draft.attachments, std::mem::take(&mut self.attachments));
        for (sheet, kept) in [(&mut self.reply, draft.text), (&mut self.note, draft.note)] {
            if !kept.is_empty() {
                let typed = sheet.text();
                sheet.set_text(&format!("{kept}{typed}"));
            }
        }
    }

    /// Takes the header fields of a stored mail out of the text of its draft, unless a mail is written here.
    fn take_mail_header(&mut self, draft: &mut Draft) {
        if !self.has_no_mail
            && self.header.is_none()
            && let Some(written) = ComposedMail::from_draft_text(&draft.text)
        {
            let (mut head, body) = ComposeHeader::from_composed(written);
            // A stored draft was written by a person.
            head.is_edited = true;
            (self.header, draft.text) = (Some(head), body);
        }
    }

    /// True if another window's text may replace this one: nothing is unsaved, and the draft is no
    /// mail (its header fields are edited separately).
    pub(crate) fn may_be_replaced(&self) -> bool {
        self.is_saved() && self.header.is_none()
    }

    /// True if nothing is unsaved.
    pub(crate) fn is_saved(&self) -> bool {
        self.dirty_since.is_none()
    }

    pub(crate) fn replace(&mut self, mut draft: Draft) {
        self.take_mail_header(&mut draft);
        self.reply.set_text(&draft.text);
        self.origin = Some(TextOrigin::Draft);
        (self.reply_to, self.attachments, self.is_shared) = (draft.reply_to, draft.attachments, true);
        self.translated = None;
        self.is_changed_here = false;
    }

    /// True if the draft is the one that was read: its text was not changed here.
    pub(crate) fn is_as_read(&self) -> bool {
        !self.is_changed_here
    }

    pub fn is_loaded(&self) -> bool {
        self.loaded
    }

    pub fn buffer(&self) -> &TextBuffer {
        match self.mode {
            ComposerMode::Reply => &self.reply,
            ComposerMode::Note => &self.note,
        }
    }

    pub(crate) fn set_translated(&mut self, from: TranslatedReply) {
        self.translated = Some(from);
    }

    /// Original of a translated reply; `None` if the reply is empty or equals it.
    pub(crate) fn translated(&self) -> Option<&TranslatedReply> {
        self.translated
            .as_ref()
            .filter(|translated_reply| self.has_reply() && translated_reply.original != self.reply_text())
    }

    /// Applies a change to the current text and marks the draft unsaved if the text changed.
    pub fn change<T>(&mut self, now: Moment, change: impl FnOnce(&mut TextBuffer) -> T) -> T {
        let sheet = match self.mode {
            ComposerMode::Reply => &mut self.reply,
            ComposerMode::Note => &mut self.note,
        };
        let told = change(sheet);
        if sheet.take_changed() {
            self.mark_changed(now);
            self.translated = self.translated.take().filter(|_| !self.reply.is_blank());
        }
        told
    }

    pub fn text_area(&self) -> &TextArea<'static> {
        self.buffer().area()
    }

    /// Cursor row and column on screen, as of the last draw.
    pub fn cursor_cell(&self) -> (u16, u16) {
        let cursor = self.text_area().screen_cursor();
        let (top, _) = self.text_area().scroll_offset();
        let row = u16::try_from(cursor.row).unwrap_or(u16::MAX).saturating_sub(top);
        (row, u16::try_from(cursor.col).unwrap_or(u16::MAX))
    }

    pub fn text(&self) -> String {
        self.buffer().text()
    }

    pub fn is_blank(&self) -> bool {
        self.buffer().is_blank()
    }

    pub fn has_reply(&self) -> bool {
        !self.reply.is_blank() || !self.attachments.is_empty()
    }

    /// Returns the reply text, also while the note is shown.
    pub fn reply_text(&self) -> String {
        self.reply.text()
    }

    pub fn draft(&self) -> Option<Draft> {
        // A mail whose fields are still untouched is not stored.
        let mail = self
            .composed_mail()
            .map(|written| if self.is_mail_blank() { String::new() } else { written.to_draft_text() });
        let draft = Draft {
            text: mail.unwrap_or_else(|| self.reply.text()),
            reply_to: self.reply_to.clone(),
            note: self.note.text(),
            attachments: self.attachments.clone(),
        };
        (!draft.is_empty()).then_some(draft)
    }

    /// Number of lines the current text takes at this width.
    pub fn height(&self, width: usize) -> usize {
        self.buffer().height(width)
    }

    /// Puts an unsent reply and its attachment in front of the current ones. An existing quote wins.
    pub fn restore(&mut self, written: ComposedReply, now: Moment) {
        if !written.text.is_empty() {
            self.reply.prepend(&written.text);
            self.reply.take_changed();
            self.mark_changed(now);
        }
        self.reply_to = self.reply_to.take().or(written.reply_to);
        self.link_preview = self.link_preview.or(written.link_preview);
        let restored: Vec<ReplyAttachment> = written.attachment.into_iter().collect();
        self.attach(merge(restored, self.attachments.clone()), now);
    }

    pub fn attach(&mut self, attachments: Vec<ReplyAttachment>, now: Moment) {
        if self.attachments != attachments {
            self.attachments = attachments;
            self.mark_changed(now);
        }
    }

    /// Puts a note back in front of the current note, without switching to it.
    pub fn restore_note(&mut self, text: &str, now: Moment) {
        self.note.prepend(text);
        self.note.take_changed();
        self.mark_changed(now);
    }

    /// Empties the reply after it was enqueued; the note stays.
    pub fn clear(&mut self) {
        self.reply.set_text("");
        self.header = None;
        self.reply_to = None;
        self.link_preview = None;
        self.attachments.clear();
        self.translated = None;
        self.is_changed_here = false;
        self.mark_sent();
    }

    /// Empties the reply text; quote, attachments and note stay.
    pub fn clear_reply(&mut self, now: Moment) {
        self.reply.set_text("");
        self.reply.take_changed();
        self.mark_changed(now);
    }

    /// Empties the note after it was saved; the reply stays.
    pub fn clear_note(&mut self) {
        self.note.set_text("");
        self.note_read.clear();
        self.mode = ComposerMode::Reply;
        self.mark_sent();
    }

    /// Marks the draft unsaved.
    pub fn mark_changed(&mut self, now: Moment) {
        self.dirty_since.get_or_insert(now);
        self.is_changed_here = true;
    }

    /// Makes the remaining draft due at once. An empty one needs no save: enqueueing removed it.
    fn mark_sent(&mut self) {
        self.dirty_since = self.draft().map(|_| Moment::default());
        self.loaded = true;
    }

    pub fn save_due(&self) -> Option<Moment> {
        self.dirty_since.map(|dirty_since| dirty_since.plus(DRAFT_SAVE_DELAY))
    }

    /// Takes the unsaved change: `Some(None)` means the stored draft is to be deleted. Returns
    /// `None` if nothing changed or the stored draft is not read yet.
    pub fn take_unsaved(&mut self) -> Option<Option<Draft>> {
        if !self.loaded {
            return None;
        }
        self.dirty_since.take().map(|_| self.draft())
    }

    pub fn paste(&mut self, outside: &str, now: Moment) -> bool {
        self.change(now, |sheet| sheet.paste(outside))
    }

    pub fn edit(&mut self, edit: TextEdit, now: Moment) {
        self.change(now, |sheet| sheet.edit(edit));
    }

    /// Handles a key that is not a command: text and cursor keys.
    pub fn key(&mut self, key: KeyPress, now: Moment) -> bool {
        self.change(now, |sheet| sheet.key(key))
    }
}
