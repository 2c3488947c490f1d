//! Mail threads: contents, receiving, answering, import and synchronisation with the mailbox.

pub mod addresses;
pub mod answering;
pub mod arriving;
pub mod attachments;
pub mod categories;
pub mod compose;
pub mod content;
pub mod dates;
pub mod earlier;
pub mod filing;
pub mod headers;
pub mod identities;
pub mod invitations;
pub mod naming;
pub mod receive;
pub mod repeats;
