//! Handlers of what a team shares, below `/desk/v1`.

pub mod channels;
pub mod conversations;
pub mod events;
pub mod people;
pub mod replies;
pub mod sign_in;
pub mod stats;
