//! Proposals of assistants outside this desk, and decisions on them.

pub(crate) mod commands;
pub(crate) mod update;
pub mod view;
