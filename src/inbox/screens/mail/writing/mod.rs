//! Writing mail: reply, reply to all, forward, new mail. The header fields and the composer's text
//! are one draft.

pub(crate) mod update;

use crate::screens::composer::Composer;
use crate::screens::mail::compose_header::{ComposeHeader, InlinedQuote};
use model::email::compose::ComposedMail;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailStart {
    Reply,
    ReplyAll,
    Forward,
    New,
}

/// A mail that begins once its thread and its draft are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BegunMail {
    beginning: MailStart,
    with_canned_reply: bool,
    /// True if the person no longer waits for it: it opens no composer.
    pub(crate) is_given_up: bool,
}

impl BegunMail {
    fn new(beginning: MailStart) -> Self {
        Self { beginning, with_canned_reply: false, is_given_up: false }
    }
}

impl Composer {
    pub fn start_mail(&mut self, written: ComposedMail, now: model::time::Moment) {
        let (head, body) = ComposeHeader::from_composed(written);
        self.header = Some(head);
        self.change(now, |sheet| sheet.replace_all(&body));
    }

    pub fn edit_header<T>(
        &mut self,
        now: model::time::Moment,
        change: impl FnOnce(&mut ComposeHeader) -> T,
    ) -> Option<T> {
        let told = change(self.header.as_mut()?);
        self.mark_changed(now);
        Some(told)
    }

    /// Records that a quote was moved into the text; `before` is the text without it.
    pub(crate) fn record_inlined_quote(&mut self, quote: String, before: String, now: model::time::Moment) {
        let texts = [before, self.buffer().text()];
        self.edit_header(now, |head| head.inlined_quote = Some(InlinedQuote { quote, texts }));
    }

    pub fn composed_mail(&self) -> Option<ComposedMail> {
        Some(self.header.as_ref()?.to_composed(&self.reply_text()))
    }

    pub fn is_mail_blank(&self) -> bool {
        let is_begun = self.header.as_ref().is_some_and(ComposeHeader::has_recipient_or_subject);
        !is_begun && self.composed_mail().is_none_or(|written| written.is_blank())
    }
}
