//! HTTP handlers, one module per resource.

pub mod account;
pub mod automation;
pub mod bodies;
pub mod broadcasts;
pub mod contacts;
pub mod conversations;
pub mod dev;
pub mod email;
pub mod hooks;
pub mod mail_bodies;
pub mod media;
pub mod messages;
pub mod openapi;
pub mod team;
pub mod telegram;
pub mod templates;
pub mod triggers;
pub mod voip;
pub mod webhooks;
