//! Pages below the tab line. A page stays when the tab changes, and shows that tab's rows.

pub(crate) mod update;

pub const OUTBOX_LINES: usize = 3;
pub const PROPOSAL_LINES: usize = 5;
pub const DRAFT_LINES: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageKind {
    /// List, history, composer.
    #[default]
    Inbox,
    Outbox,
    Drafts,
    Proposals,
    /// Answers of the AI for review.
    Reviews,
    People,
    /// Events of the triggers.
    Events,
    Webhooks,
    Templates,
    Account,
    Broadcasts,
    /// One line per channel.
    Wall,
}
