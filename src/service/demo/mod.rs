//! Sample data of the demo: a bicycle shop with customers and their conversations.

pub mod mail;
pub mod script;
pub mod seed;
pub mod shop_api;
mod values;

pub const DESK_PERSON: &str = "Ana";
pub const DESK_PERSON_ID: &str = "prs_ana";
