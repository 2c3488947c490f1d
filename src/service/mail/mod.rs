//! Mail: what is sent and received becomes threads. Interface: Email.

pub mod addresses;
pub mod attachments;
pub mod categories;
pub mod content;
pub mod headers;
pub mod plain;
pub mod progress;
pub mod receive;
pub mod send;
pub mod topics;
