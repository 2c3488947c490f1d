//! A sent mail moves on: opened, or come back. Interface: Events,
//! email.opened.

use serde_json::json;

use crate::database::{DatabaseError, emails};
use crate::events::{self, Event};
use crate::world::Kind;
use crate::write::Work;

/// Moves a mail on, unless it is past that already, and tells of it.
pub fn advance(work: &Work<'_>, mail: &str, step: Kind) -> Result<(), DatabaseError> {
    let status = if step == Kind::Opened { "opened" } else { "failed" };
    let moved = emails::advance(work.db, mail, status, work.now)?;
    // The interface has no event for a mail that comes back.
    if !moved || step != Kind::Opened {
        return Ok(());
    }
    let Some(row) = emails::read(work.db, mail)? else { return Ok(()) };
    let told = json!({
        "threadId": row.thread, "messageId": row.id, "to": row.recipients, "subject": row.subject,
        "openedAt": row.opened_at.map(|it| it.to_string()),
    });
    events::emit(work, &row.channel, Event::EmailOpened, told)
}
