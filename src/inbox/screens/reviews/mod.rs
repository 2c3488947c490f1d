//! The review queue: a sample of the AI's answers, rated by people, and the weekly share of good
//! answers.

pub(crate) mod commands;
pub(crate) mod update;
pub mod view;

use crate::components::paged_rows::{PageRow, PagedRows};
use crate::components::text_line::TextLine;
use model::ids::{ChannelId, MessageId};
use model::queries::DeskQuery;
use model::reviews::{RejectionReason, ReviewEntry, ReviewPage, ReviewWeek};

pub const REVIEW_LINES: usize = 5;

#[derive(Debug, Default)]
pub struct ReviewScreen {
    pub rows: PagedRows<ReviewEntry>,
    pub weeks: Vec<ReviewWeek>,
}

impl ReviewScreen {
    pub(crate) fn receive(&mut self, query: &DeskQuery, page: ReviewPage) {
        self.weeks = page.weeks;
        self.rows.receive(query, page.entries, false);
    }
}

impl PageRow for ReviewEntry {
    type Name = (ChannelId, MessageId);

    fn name(&self) -> Self::Name {
        (self.channel.clone(), self.message.clone())
    }
}

#[derive(Debug)]
pub(crate) struct BadAnswerForm {
    entry: ReviewEntry,
    /// Index into [`RejectionReason::ALL`].
    reason: usize,
    corrected: TextLine,
    /// Focused field: the reason (0) or the correction.
    at: usize,
}

impl BadAnswerForm {
    fn new(entry: ReviewEntry) -> Self {
        Self { entry, reason: 0, corrected: TextLine::default(), at: 0 }
    }

    fn reason(&self) -> RejectionReason {
        RejectionReason::ALL.get(self.reason).copied().unwrap_or(RejectionReason::Other)
    }
}
