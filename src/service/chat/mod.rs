//! Messages of the chat channels: receiving, sending, progress, broadcasts.

pub mod broadcast;
pub mod compose;
pub mod content;
pub mod deliver;
pub mod emoji;
pub mod html;
pub mod keywords;
pub mod markdown;
pub mod people;
pub mod receive;
pub mod send;
pub mod templates;
