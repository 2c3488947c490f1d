//! Between rows of the database and the model's words.
//!
//! Stored text was made safe before it was stored and is made safe again when
//! it is read: the file may have been changed by someone else.

pub(crate) mod attachment;
pub(crate) mod campaign;
pub(crate) mod conversation;
pub(crate) mod lane;
pub(crate) mod local;
pub(crate) mod media;
pub(crate) mod message;
pub(crate) mod operation;
pub(crate) mod outbox;
pub(crate) mod reasons;
mod untagged;
