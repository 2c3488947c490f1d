//! Listen: a small endpoint for the webhooks of this desk's own channels. It
//! answers challenges, takes what is rightly signed, and says at once that
//! something happened; the hands ask the server what it was.
//!
//! | file | knows |
//! |---|---|
//! | `signature.rs` | whether a body is signed with a secret |
//! | `hooks.rs` | which addresses there are, and what is answered |
//! | `server.rs` | connections and their bounds |
//!
//! A floor of its own beside the client: it hears, as the client speaks. Knows
//! nothing of polling, stores or screens; what it hears is no truth.

mod hooks;
mod server;
mod signature;

pub use hooks::{DeliveryResponse, Heard, Hooks, IncomingDelivery, path_of};
pub use server::{BODY, ConnectionLimits, serve};
