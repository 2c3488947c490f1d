//! The sample world: a bicycle shop, its customers and what was said so far.
//!
//! Knows nothing of how the world goes on (see `world`).

pub mod mail;
pub mod script;
pub mod seed;
pub mod shop_api;
mod values;
