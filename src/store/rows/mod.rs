//! Conversions between database rows and model types. Stored text is sanitized again when read,
//! because the file may have been changed by another program.

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
