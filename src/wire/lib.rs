//! The contract: JSON shapes, error codes and paths of the interface, once,
//! for the client and the service.
//!
//! Writing is strict: a shape has the fields of the interface and no others.
//! Reading is tolerant: both pagination placements, unknown words and fields
//! kept, one bad item never hides the others.

pub mod account;
pub mod body;
pub mod broadcasts;
pub mod carriers;
pub mod connections;
pub mod contacts;
pub mod content;
pub mod conversations;
pub mod deliveries;
pub mod email;
pub mod errors;
pub mod extras;
#[cfg(test)]
mod known;
pub mod lenient;
pub mod lines;
pub mod lists;
pub mod mail_addresses;
pub mod mails;
pub mod media;
pub mod messages;
pub mod pages;
pub mod paths;
pub mod reactions;
pub mod repair;
pub mod strict;
pub mod telegram;
pub mod templates;
pub mod threads;
pub mod voip;
pub mod voip_rows;
pub mod webhooks;
