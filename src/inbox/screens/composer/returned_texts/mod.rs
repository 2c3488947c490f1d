//! Texts that return to where they were written, because the user recalled them or the store failed
//! to save them.
//!
//! A failed save can be reported seconds later, when the user may be writing to somebody else. A
//! returned text takes the focus only if no input came since the key that sent or recalled it;
//! otherwise it waits in the composer or the draft of its conversation.

pub(crate) mod update;

use crate::event::{Effect, FileWrite};
use crate::screens::composer::{ComposedReply, Composer};
use model::email::compose::ComposedMail;
use model::outbox::Operation;
use model::outbox::content::Mail;
use model::proposals::ProposalVerdict;
use model::time::Moment;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DraftStorage {
    Stored,
    /// In memory only.
    MemoryOnly,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReturnedText {
    Reply(ComposedReply),
    Note(String),
    /// A mail as built for sending.
    Mail(Box<Mail>),
}

impl ReturnedText {
    /// Returns the text of an operation; `None` if no person wrote one. The answer to an invitation is more
    /// than its text and is given again by its command.
    pub(crate) fn of(operation: &Operation) -> Option<Self> {
        match operation {
            Operation::SendMail(mail) if mail.invitation_response.is_some() => None,
            Operation::SendMail(mail) => Some(Self::Mail(mail.clone())),
            _ => ComposedReply::of(operation).map(Self::Reply),
        }
    }
}

/// Counts input, and remembers the last input that may bring a text back.
#[derive(Debug, Default)]
pub(crate) struct RestoreTracker {
    input_count: u64,
    restoring_input: u64,
}

impl RestoreTracker {
    /// Records a key, paste or click and its effects.
    pub(crate) fn record_input<'a>(&mut self, effects: impl IntoIterator<Item = &'a Effect>) {
        self.input_count += 1;
        if effects.into_iter().filter_map(Effect::as_write).any(may_restore_text) {
            self.restoring_input = self.input_count;
        }
    }

    /// True if no other input came since the last one that may bring a text back.
    fn is_restore_expected(&self) -> bool {
        self.restoring_input == self.input_count
    }
}

fn may_restore_text(write: &FileWrite) -> bool {
    matches!(
        write,
        FileWrite::Enqueue { .. }
            | FileWrite::SendProposal(..)
            | FileWrite::SettleProposal(_, ProposalVerdict::Edited)
            | FileWrite::Recall(_)
            | FileWrite::Decide(..)
            | FileWrite::SaveNote(..)
            | FileWrite::RecallNote(..)
    )
}

enum RecalledText {
    Reply(ComposedReply),
    Note(String),
    Mail(Box<ComposedMail>),
}

impl Composer {
    fn restore_recalled(&mut self, text: RecalledText, now: Moment) {
        match text {
            RecalledText::Reply(written) => self.restore(written, now),
            RecalledText::Note(text) => self.restore_note(&text, now),
            RecalledText::Mail(written) => self.restore_mail(*written, now),
        }
    }

    /// Puts back an unsent mail; if another was begun meanwhile, only its text, in front.
    pub(crate) fn restore_mail(&mut self, written: ComposedMail, now: Moment) {
        self.receive_draft(None);
        if self.is_mail_blank() {
            let mode = std::mem::take(&mut self.mode);
            self.start_mail(written, now);
            if let Some(head) = &mut self.header {
                head.is_edited = true;
            }
            self.mode = mode;
        } else {
            self.restore(ComposedReply { text: written.body, ..ComposedReply::default() }, now);
        }
    }
}
