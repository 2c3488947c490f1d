//! JSON bodies, error codes and paths of the API, shared by client and service.
//!
//! Serialization is strict: a body has exactly the fields of the API. Parsing is tolerant:
//! pagination in either place, unknown words and fields kept, and unreadable items do not hide the
//! others. Times are ISO 8601 strings and phone numbers E.164, unless a field says otherwise.

pub mod account;
pub mod answers;
pub mod body;
pub mod broadcasts;
pub mod carriers;
pub mod connections;
pub mod contacts;
pub mod content;
pub mod conversations;
pub mod dev;
pub mod email;
pub mod errors;
pub mod escalations;
pub mod events;
pub mod extras;
pub mod fields;
#[cfg(test)]
mod known;
pub mod lenient;
pub mod lists;
pub mod mail_addresses;
pub mod mails;
pub mod media;
pub mod messages;
#[cfg(feature = "schema")]
pub mod openapi;
pub mod pages;
pub mod paths;
pub mod reactions;
pub mod repair;
pub mod request;
#[cfg(feature = "schema")]
mod schema;
pub mod strict;
pub mod team;
pub mod telegram;
pub mod templates;
pub mod threads;
pub mod triggers;
pub mod voip;
pub mod voip_rows;
pub mod webhooks;
