//! Run: the one loop that owns the app, the terminal and the hands.

pub mod clock;
mod decoding;
pub mod editor;
pub mod effects;
mod exporting;
pub mod failures;
pub mod files;
pub mod importing;
pub mod input;
pub mod mail_files;
pub mod mailbox;
mod notes;
pub mod notify;
mod opening;
pub mod outside;
pub mod pictures;
pub mod plain;
pub mod prompt;
pub mod replies;
pub mod run;
pub mod searching;
mod signals;
pub mod terminal;
