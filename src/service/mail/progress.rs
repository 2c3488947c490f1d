//! A sent mail moves on: opened, or come back. Interface: Events,
//! email.opened.
//!
//! Knows nothing of when.

use crate::service::database::{DatabaseError, emails};
use crate::service::world::Kind;
use crate::service::write::Work;

/// Moves a mail on, unless it is past that already.
///
/// # Errors
/// When the database fails.
pub fn advance(work: &Work<'_>, mail: &str, step: Kind) -> Result<(), DatabaseError> {
    let status = if step == Kind::Opened { "opened" } else { "failed" };
    emails::advance(work.db, mail, status, work.now)?;
    Ok(())
}
