//! Run: the one loop that owns the app, the terminal and the hands.

pub mod clock;
pub mod failures;
pub mod input;
pub mod mailbox;
pub mod signals;
pub mod terminal;
