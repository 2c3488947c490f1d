//! Mail: what only threads, letters and the mail account have, beside the
//! conversations and messages they are, and what a server ignored.

mod correspondents;
mod local;
pub(crate) mod mail_messages;
mod mailbox;
pub(crate) mod rows;
pub(crate) mod rules;
mod threads;

pub use local::ThreadChangeOutcome;
pub use rules::RuleMatch;
