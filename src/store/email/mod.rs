//! Mail: what only threads, letters and the mail account have, beside the
//! conversations and messages they are, and what a server ignored.

mod correspondents;
pub(crate) mod letters;
mod local;
mod mailbox;
pub(crate) mod rows;
pub(crate) mod rules;
mod threads;

pub use local::ThreadChangeOutcome;
pub use rules::RuleMatch;
