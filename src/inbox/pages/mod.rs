//! The pages over the tabs: the conversations, the outbox, the people. A
//! page stays when the tab changes, and shows that tab's rows.

pub(crate) mod update;

/// Lines of a row of the outbox.
pub const OUTBOX_LINES: usize = 3;
/// Lines of a row of the proposals.
pub const PROPOSAL_LINES: usize = 5;
/// Lines of a row of the drafts.
pub const DRAFT_LINES: usize = 2;

/// What lies under the tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PageKind {
    /// List, history, composer.
    #[default]
    Inbox,
    /// What has not left yet.
    Outbox,
    /// What was begun and not sent.
    Drafts,
    /// What assistants propose.
    Proposals,
    /// Answers of the AI that are looked over.
    Reviews,
    People,
    /// What the triggers tell.
    Events,
    /// Who else is told of what happens.
    Webhooks,
    Templates,
    /// The account behind the key.
    Account,
    /// What goes to many.
    Broadcasts,
    /// Every channel in a line.
    Wall,
}
