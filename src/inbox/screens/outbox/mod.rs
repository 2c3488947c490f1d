//! What has not left yet, what is proposed, what was begun and not sent, and deciding over what asks.

pub(crate) mod commands;
pub(crate) mod deciding;
pub mod decisions;
pub mod row_state_view;
pub mod view;

use crate::components::paged_rows::PagedRows;
use crate::screens::reviews::ReviewScreen;
use model::proposals::ProposalEntry;
use model::queries::{DraftEntry, OutboxEntry};

/// See the module's text.
#[derive(Debug, Default)]
pub struct OutboxScreen {
    /// What has not left yet.
    pub rows: PagedRows<OutboxEntry>,
    pub proposals: PagedRows<ProposalEntry>,
    /// Answers of the AI that are looked over.
    pub reviews: ReviewScreen,
    /// What was begun and not sent.
    pub drafts: PagedRows<DraftEntry>,
}
