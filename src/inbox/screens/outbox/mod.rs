//! What has not left yet, what was begun and not sent, and deciding over what asks.

pub(crate) mod deciding;
pub mod decisions;
pub mod row_state;
pub mod view;
