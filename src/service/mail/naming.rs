//! Which mails name which: mail from before the mailbox was connected is filed
//! newest first, and a mail that was there before joins the thread of the mails
//! that answer it, or that answer what it answers.
//!
//! Names are noted while such mail is being filed, and forgotten afterwards.

use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::session::DbSession;
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, ingress};
use crate::mail::receive::{self, InboundMail};
use crate::write::Work;

/// A name is noted under this word and the named id.
const NAMED: &str = "named ";
/// Mails named by one mail that are noted: the first of a thread and the newest.
const MAX_NAMES: usize = 10;
/// Mails that name one mail which are looked at.
const MAX_NAMERS: i64 = 20;

/// Ids that a mail names: the one it answers, the first of its thread, the
/// newest before it.
fn named(mail: &InboundMail) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let all = mail.in_reply_to.iter().chain(mail.references.first()).chain(mail.references.iter().rev());
    for id in all {
        if names.len() < MAX_NAMES && !names.contains(&id.as_str()) {
            names.push(id);
        }
    }
    names
}

/// Notes what a mail names.
pub fn note(
    db: &dyn DbSession,
    channel: &str,
    row: &EmailRow,
    mail: &InboundMail,
) -> Result<(), DatabaseError> {
    for id in named(mail) {
        ingress::is_new(db, channel, &format!("{NAMED}{id}"), &row.header_id)?;
    }
    Ok(())
}

/// The thread of a mail that names this one, or that names what this one names,
/// in which one of these people has a part.
pub fn thread_of(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
    people: &[&str],
) -> Result<Option<ThreadRow>, DatabaseError> {
    for id in mail.header_id.as_deref().into_iter().chain(named(mail)) {
        for namer in ingress::arrived_under(work.db, &channel.id, &format!("{NAMED}{id}"), MAX_NAMERS)? {
            for row in emails::find_all(work.db, &channel.id, &namer)? {
                let Some(thread) = threads::read(work.db, &channel.id, &row.thread)? else { continue };
                if receive::has_part(work, &thread, people)? {
                    return Ok(Some(thread));
                }
            }
        }
    }
    Ok(None)
}

/// Forgets names of a channel, at most so many; true if none are left.
pub fn forget(db: &dyn DbSession, channel: &str, count: i64) -> Result<bool, DatabaseError> {
    Ok(ingress::forget_arrivals(db, channel, NAMED, count)? < count)
}
