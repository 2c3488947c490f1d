//! The screens: each a folder of its state, its updates and its view.

pub(crate) mod account;
pub mod broadcasts;
pub mod cards;
pub mod composer;
pub mod connections;
pub mod conversations;
pub mod history;
pub mod mail;
pub mod outbox;
pub mod overview;
pub mod people;
pub mod phone;
pub mod proposals;
pub mod reviews;
pub(crate) mod templates;
pub(crate) mod webhooks;
