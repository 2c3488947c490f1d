//! The review queue: a sample of what the AI answered, a person's word to each,
//! and how often people agreed.

pub(crate) mod commands;
pub(crate) mod update;
pub mod view;

use crate::components::paged_rows::{PageRow, PagedRows};
use crate::components::text_line::TextLine;
use model::ids::{ChannelId, MessageId};
use model::queries::DeskQuery;
use model::reviews::{RejectionReason, ReviewEntry, ReviewPage, ReviewWeek};

/// Lines of an answer.
pub const REVIEW_LINES: usize = 5;

/// The answers that wait, and the weeks of the chart.
#[derive(Debug, Default)]
pub struct ReviewScreen {
    /// Those that wait.
    pub rows: PagedRows<ReviewEntry>,
    /// How often people agreed.
    pub weeks: Vec<ReviewWeek>,
}

impl ReviewScreen {
    /// What waits has come.
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

/// What is wrong with an answer, as it is filled in.
#[derive(Debug)]
pub(crate) struct BadAnswerForm {
    entry: ReviewEntry,
    /// The place of the reason among all.
    reason: usize,
    corrected: TextLine,
    /// The field with the keyboard: the reason, or what should have been said.
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
