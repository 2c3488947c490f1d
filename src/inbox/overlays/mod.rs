//! What can lie over the screen: the trait all popups implement and the stack
//! they lie on (`overlay.rs`), and those that belong to no screen.

pub mod found_view;
pub(crate) mod guard;
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
pub(crate) mod quit;
pub mod quoted_messages;
pub(crate) mod request_log;
pub mod search;
pub mod search_view;
pub mod view;
pub mod which_key_view;
