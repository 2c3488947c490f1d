//! What the outbox tells and does when requests go wrong: every operation of
//! the interface under every fault of the proxy, over real sockets, held
//! against the truth in the service's own file.

mod cell;
mod matrix;
mod reads;
mod screen;
pub(crate) mod world;
mod writes;
