//! Macros: recorded, kept as steps, and played.

pub(crate) mod playing;
pub mod recording;
pub mod steps;
pub(crate) mod view;
