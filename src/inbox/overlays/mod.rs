//! Popups: their trait and stack (`overlay.rs`), and those of no particular screen.

pub mod help;
pub(crate) mod help_view;
pub mod line;
pub mod line_view;
pub mod listing;
pub mod listing_view;
pub(crate) mod outside_link;
pub mod overlay;
pub mod palette;
pub mod palette_view;
pub(crate) mod prompt_guard;
pub(crate) mod quit;
pub mod quoted_messages;
pub(crate) mod request_log;
pub mod search;
pub mod search_result_view;
pub mod search_view;
pub mod view;
pub mod which_key_view;
