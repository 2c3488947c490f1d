//! HTTP endpoint for webhook deliveries of the configured channels.
//!
//! Answers challenges, verifies signatures and reports each new delivery. The content of an
//! event is then read from the server, never taken from the delivery.
//!
//! | file | knows |
//! |---|---|
//! | `signature.rs` | HMAC signatures of bodies |
//! | `hooks.rs` | paths of the channels, and responses |
//! | `server.rs` | connections and their limits |
//!
//! Does not depend on polling, stores or screens.

mod hooks;
mod server;
mod signature;

pub use hooks::{DeliveryResponse, Heard, Hooks, IncomingDelivery, path_of};
pub use server::{BODY, ConnectionLimits, serve};
