//! Sample data of the demo: a bicycle shop with customers and their conversations.

pub mod mail;
pub mod script;
pub mod seed;
pub mod shop_api;
mod values;

/// Name of the person whose desk the demo is.
pub const DESK_PERSON: &str = "Ana";
/// Id of that person in the team.
pub const DESK_PERSON_ID: &str = "prs_ana";
