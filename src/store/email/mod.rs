//! Mail-specific data of threads, messages and the mail account, beside the conversations and
//! messages they belong to, and fields the server ignores.

mod correspondents;
mod local;
pub(crate) mod mail_messages;
mod mailbox;
pub(crate) mod rows;
pub(crate) mod rules;
mod threads;

pub use local::ThreadChangeOutcome;
pub use rules::RuleMatch;
