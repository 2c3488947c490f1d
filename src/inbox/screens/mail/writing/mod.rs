//! Writing mail: an answer, one to all, a new mail, a mail passed on. The
//! head's fields stand over the composer's text; both are one draft.

pub(crate) mod update;

use crate::screens::composer::Composer;
use crate::screens::mail::head::{Head, TakenQuote};
use model::email::compose::ComposedMail;

/// What is begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailBeginning {
    Answer,
    AnswerAll,
    Forward,
    New,
}

impl Composer {
    /// Begins a mail: its head over an empty text, or the text it brings.
    pub fn begin_mail(&mut self, written: ComposedMail, now: model::time::Moment) {
        let (head, body) = Head::of(written);
        self.head = Some(head);
        self.change(now, |sheet| sheet.replace_all(&body));
    }

    /// Changes the head, which is a part of the draft.
    pub fn change_head<T>(
        &mut self,
        now: model::time::Moment,
        change: impl FnOnce(&mut Head) -> T,
    ) -> Option<T> {
        let told = change(self.head.as_mut()?);
        self.note_changed(now);
        Some(told)
    }

    /// A quote was taken into the text, which was this before.
    pub(crate) fn note_taken(&mut self, quote: String, before: String, now: model::time::Moment) {
        let texts = [before, self.sheet().text()];
        self.change_head(now, |head| head.taken = Some(TakenQuote { quote, texts }));
    }

    /// The mail that is written; `None` where none is.
    pub fn written(&self) -> Option<ComposedMail> {
        Some(self.head.as_ref()?.written(&self.reply_text()))
    }

    /// Whether nothing of a person's own is in the mail.
    pub fn is_mail_blank(&self) -> bool {
        let is_begun = self.head.as_ref().is_some_and(Head::is_begun);
        !is_begun && self.written().is_none_or(|written| written.is_blank())
    }
}
