//! Hides who the customers are while others look at the screen.

pub(crate) mod known_names;
pub(crate) mod names;
pub mod view;
