//! HTTP endpoint for webhook deliveries of the configured channels.
//!
//! Answers challenges, verifies signatures and reports each new delivery. The content of an
//! event is then read from the server, never taken from the delivery.
//!
//! | file | content |
//! |---|---|
//! | `signature.rs` | HMAC signatures of bodies |
//! | `hooks.rs` | paths of the channels, and responses |
//! | `server.rs` | connections and their limits |
//!
//! Does not depend on polling, stores or screens.

mod hooks;
mod server;
mod signature;

pub use hooks::{DeliveryCallback, DeliveryResponse, IncomingDelivery, WebhookRoutes, webhook_path};
pub use server::{ConnectionLimits, MAX_BODY_BYTES, serve};
