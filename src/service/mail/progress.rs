//! Progress of a sent mail: opened or bounced.

use serde_json::json;

use crate::database::{DatabaseError, emails};
use crate::events::{self, Event};
use crate::world::JobKind;
use crate::write::WriteContext;

/// Advances a mail to `step`, unless it is past that already, and emits `email.opened`.
pub fn advance(work: &WriteContext<'_>, mail: &str, step: JobKind) -> Result<(), DatabaseError> {
    let status = if step == JobKind::Opened { "opened" } else { "failed" };
    let moved = emails::advance(work.db, mail, status, work.now)?;
    // The interface has no event for a bounced mail.
    if !moved || step != JobKind::Opened {
        return Ok(());
    }
    let Some(row) = emails::read(work.db, mail)? else { return Ok(()) };
    let told = json!({
        "threadId": row.thread, "messageId": row.id, "to": row.recipients, "subject": row.subject,
        "openedAt": row.opened_at.map(|time| time.to_string()),
    });
    events::emit(work, &row.channel, Event::EmailOpened, told)
}
