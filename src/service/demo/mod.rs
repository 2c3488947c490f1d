//! The sample world: a bicycle shop, its customers and what was said so far.

pub mod mail;
pub mod script;
pub mod seed;
pub mod shop_api;
mod values;
