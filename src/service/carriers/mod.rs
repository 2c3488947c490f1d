//! Connected channels: their platforms, and what these bring. For what is sent to them see
//! [`sending`](crate::sending).
//!
//! A platform implements the traits of [`platforms::contract`]. It may be slow, so it is never called inside a
//! transaction. Simulated platforms answer at once and are called inside the transaction.
//!
//! Updates of a platform are stored as they came, before the webhook is answered, and then processed in order
//! within each chat.

mod account;
mod businesses;
pub mod changes;
pub mod dashboard;
pub mod files;
pub mod ingress;
mod secrets;
pub mod watch;
