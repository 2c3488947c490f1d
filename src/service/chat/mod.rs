//! Messages of the chat channels: contents, receiving, broadcasts.

pub mod broadcast;
pub mod compose;
pub mod earlier;
pub mod emoji;
pub mod keywords;
pub mod people;
pub mod receive;
pub mod templates;
