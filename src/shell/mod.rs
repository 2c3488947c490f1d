//! Run: the one loop that owns the app, the terminal and the hands.

pub mod clock;
pub mod editor;
pub mod effects;
pub mod failures;
pub mod input;
pub mod mailbox;
mod notes;
pub mod notify;
mod opening;
pub mod outside;
pub mod plain;
pub mod prompt;
pub mod replies;
pub mod run;
pub mod signals;
pub mod terminal;
