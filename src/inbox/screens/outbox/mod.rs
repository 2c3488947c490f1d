//! Pages of the outbox, proposals, reviews and drafts, and decisions on stopped rows.

pub(crate) mod commands;
pub(crate) mod decision_actions;
pub mod decisions;
pub mod row_state_view;
pub mod view;

use crate::components::paged_rows::PagedRows;
use crate::screens::reviews::ReviewScreen;
use model::proposals::ProposalEntry;
use model::queries::{DraftEntry, OutboxEntry};

#[derive(Debug, Default)]
pub struct OutboxScreen {
    pub rows: PagedRows<OutboxEntry>,
    pub proposals: PagedRows<ProposalEntry>,
    pub reviews: ReviewScreen,
    pub drafts: PagedRows<DraftEntry>,
}
