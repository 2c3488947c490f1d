//! References between mails during the import of earlier mail. Mails are imported newest first, and each
//! joins the thread of the mails that reference it, or that share a reference with it.
//!
//! References are recorded during the import and deleted afterwards.

use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::session::DbSession;
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, ingress};
use crate::mail::receive::{self};
use crate::write::WriteContext;
use platforms::mail::InboundMail;

const REFERENCE_PREFIX: &str = "named ";
/// Maximum number of recorded references of one mail: the first of its thread and the newest.
const MAX_REFERENCES: usize = 10;
/// Maximum number of mails with the same reference that are checked.
const MAX_REFERRERS: i64 = 20;

/// Returns the ids a mail references: the mail it answers, the first of its thread, then the newest.
fn referenced_ids(mail: &InboundMail) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let all = mail.in_reply_to.iter().chain(mail.references.first()).chain(mail.references.iter().rev());
    for id in all {
        if names.len() < MAX_REFERENCES && !names.contains(&id.as_str()) {
            names.push(id);
        }
    }
    names
}

pub fn record_references(
    db: &dyn DbSession,
    channel: &str,
    row: &EmailRow,
    mail: &InboundMail,
) -> Result<(), DatabaseError> {
    for id in referenced_ids(mail) {
        ingress::record_arrival(db, channel, &format!("{REFERENCE_PREFIX}{id}"), &row.header_id)?;
    }
    Ok(())
}

/// Finds the thread of a mail that references this one or shares a reference with it, and in which one of
/// `people` takes part.
pub fn find_thread(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    people: &[&str],
) -> Result<Option<ThreadRow>, DatabaseError> {
    for id in mail.header_id.as_deref().into_iter().chain(referenced_ids(mail)) {
        for namer in
            ingress::list_arrivals(work.db, &channel.id, &format!("{REFERENCE_PREFIX}{id}"), MAX_REFERRERS)?
        {
            for row in emails::find_all(work.db, &channel.id, &namer)? {
                let Some(thread) = threads::read(work.db, &channel.id, &row.thread)? else { continue };
                if receive::is_participant(work, &thread, people)? {
                    return Ok(Some(thread));
                }
            }
        }
    }
    Ok(None)
}

/// Deletes at most `count` references of a channel. Returns true if none are left.
pub fn delete_references(db: &dyn DbSession, channel: &str, count: i64) -> Result<bool, DatabaseError> {
    Ok(ingress::delete_arrivals(db, channel, REFERENCE_PREFIX, count)? < count)
}
