//! A message moves on: delivered, read or failed. Interface: States and
//! transitions, Message status.
//!
//! Knows nothing of when.

use crate::service::database::{DatabaseError, messages};
use crate::service::world::Kind;
use crate::service::write::Work;

/// Moves a message on, unless it is past that already.
///
/// # Errors
/// When the database fails.
pub fn advance(work: &Work<'_>, message: &str, step: Kind) -> Result<(), DatabaseError> {
    let status = match step {
        Kind::Delivered => "delivered",
        Kind::Read => "read",
        _ => "failed",
    };
    messages::advance(work.db, message, status, work.now)?;
    Ok(())
}
