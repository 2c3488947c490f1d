//! What assistants outside this desk propose, and a person's word to each.

pub(crate) mod commands;
pub(crate) mod update;
pub mod view;
