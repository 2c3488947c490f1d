//! Mail threads: receiving, sending, answering, import and synchronisation with the mailbox.

pub mod addresses;
pub mod answer_target;
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
pub mod naming;
pub mod plain;
pub mod progress;
pub mod receive;
pub mod repeats;
pub mod send;
pub mod settle;
pub mod topics;
