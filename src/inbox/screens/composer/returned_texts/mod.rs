//! Texts that come back to where they were written: a person took them back,
//! or the disk did not take them.
//!
//! A disk can take seconds to say so, and by then the person may be writing to
//! somebody else. What comes back takes the keyboard only if nothing was
//! pressed since the key that sent it or asked for it; otherwise it waits in
//! the composer or the draft of its conversation.

pub(crate) mod update;

use crate::event::{Effect, FileWrite};
use crate::screens::composer::{ComposedReply, Composer};
use model::email::compose::ComposedMail;
use model::outbox::Operation;
use model::outbox::content::Mail;
use model::proposals::ProposalVerdict;
use model::time::Moment;

/// Where a text that comes back is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DraftPlace {
    AsDraft,
    /// Only here.
    Nowhere,
}

/// What comes back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Returned {
    Answer(ComposedReply),
    /// A private note.
    Note(String),
    /// A mail as it was put together.
    Mail(Box<Mail>),
}

impl Returned {
    /// What of an operation was written by a person; `None` where nothing was.
    pub(crate) fn of(operation: &Operation) -> Option<Self> {
        match operation {
            Operation::SendMail(mail) => Some(Self::Mail(mail.clone())),
            _ => ComposedReply::of(operation).map(Self::Answer),
        }
    }
}

/// The keys, pastes and clicks there were, and the last that sent or asked
/// for something that may come back.
#[derive(Debug, Default)]
pub(crate) struct TouchedDrafts {
    count: u64,
    awaited: u64,
}

impl TouchedDrafts {
    /// A key, a paste or a click came, with these effects.
    pub(crate) fn record_input<'a>(&mut self, effects: impl IntoIterator<Item = &'a Effect>) {
        self.count += 1;
        if effects.into_iter().filter_map(Effect::as_write).any(can_come_back) {
            self.awaited = self.count;
        }
    }

    /// Whether nothing came since.
    fn is_awaited(&self) -> bool {
        self.awaited == self.count
    }
}

fn can_come_back(write: &FileWrite) -> bool {
    matches!(
        write,
        FileWrite::Enqueue { .. }
            | FileWrite::SendProposed(..)
            | FileWrite::SettleProposal(_, ProposalVerdict::Edited)
            | FileWrite::Recall(_)
            | FileWrite::Decide(..)
            | FileWrite::SaveNote(..)
            | FileWrite::TakeNoteBack(..)
    )
}

/// What comes back, as it was typed.
enum RecalledText {
    Answer(ComposedReply),
    Note(String),
    Mail(Box<ComposedMail>),
}

impl Composer {
    fn take_back(&mut self, text: RecalledText, now: Moment) {
        match text {
            RecalledText::Answer(written) => self.restore(written, now),
            RecalledText::Note(text) => self.restore_note(&text, now),
            RecalledText::Mail(written) => self.restore_mail(*written, now),
        }
    }

    /// Puts a mail back that was not sent. Where another was begun meanwhile,
    /// its text goes before that one's.
    fn restore_mail(&mut self, written: ComposedMail, now: Moment) {
        self.receive_draft(None);
        if self.is_mail_blank() {
            let mode = std::mem::take(&mut self.mode);
            self.begin_mail(written, now);
            if let Some(head) = &mut self.head {
                head.touched = true;
            }
            self.mode = mode;
        } else {
            self.restore(ComposedReply { text: written.body, ..ComposedReply::default() }, now);
        }
    }
}
