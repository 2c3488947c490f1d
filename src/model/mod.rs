//! Words: plain data and pure rules that every other floor speaks in.
//!
//! Knows nothing of JSON, files, sockets, terminals or the time of day: a
//! clock comes in as [`time::Clock`] or as a value.

pub mod account;
pub mod addresses;
pub mod attachments;
pub mod board;
pub mod bounds;
pub mod broadcasts;
pub mod calls;
pub mod cells;
pub mod chance;
pub mod connections;
pub mod contacts;
pub mod conversations;
pub mod counting;
pub mod email;
pub mod emoji;
pub mod fetches;
pub mod files;
pub mod filter;
pub mod happenings;
pub mod ids;
pub mod import;
pub mod interactive;
pub mod json;
pub mod links;
pub mod local;
pub mod looks;
pub mod macros;
pub mod messages;
pub mod nearest;
pub mod news;
pub mod notes;
pub mod outbox;
pub mod phones;
pub mod pictures;
pub mod places;
pub mod prices;
pub mod queries;
pub mod reactions;
pub mod reception;
pub mod replies;
pub mod search;
pub mod secret;
pub mod selector;
pub mod snooze;
pub mod spending;
pub mod stops;
pub mod templates;
pub mod text;
pub mod time;
pub mod trouble;
pub mod urgency;
pub mod waves;
pub mod webhooks;
