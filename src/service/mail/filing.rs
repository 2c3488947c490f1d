//! Synchronisation of threads with the mailbox: changes made here are applied there, and changes made there
//! are read back.

use std::collections::HashSet;

use crate::database::channels::ChannelRow;
use crate::database::egress;
use crate::database::team::changes;
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, connected, emails};
use crate::errors::ApiError;
use crate::sending::{accept, check_json};
use crate::write::WriteContext;
use api::carriers::{MailFact, MailFacts, MailFiling};
use platforms::OutboundMessage;
use platforms::mailbox::FILING_KIND;

/// Maximum number of a thread's newest mails that are changed in the mailbox.
const MAX_CHANGED_MAILS: i64 = 50;

/// Queues the changes of a thread for its mails in the mailbox, if one is connected.
pub fn request_filing(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    was: &ThreadRow,
    now: &ThreadRow,
) -> Result<(), ApiError> {
    if work.service.platforms.connected(&channel.id).is_none() || work.test {
        return Ok(());
    }
    let filing = MailFiling {
        mails: emails::inbound_ids(work.db, &now.id, MAX_CHANGED_MAILS)?,
        seen: (was.is_read != now.is_read).then_some(now.is_read),
        flagged: (was.is_starred != now.is_starred).then_some(now.is_starred),
        folder: (was.folder != now.folder).then(|| now.folder.clone()),
        lay: Some(was.folder.clone()),
    };
    let changes = filing.seen.is_some() || filing.flagged.is_some() || filing.folder.is_some();
    if filing.mails.is_empty() || !changes {
        return Ok(());
    }
    let parcel = OutboundMessage {
        id: work.id("file", work.stamp()),
        kind: FILING_KIND.to_owned(),
        content: Some(check_json(serde_json::to_value(&filing))?),
        ..OutboundMessage::default()
    };
    accept::enqueue(work, &channel.id, &filing_lane(&now.id), &parcel, "{}".to_owned())
}

/// Moves a mail that was received into a thread of spam to the other mails of that thread.
///
/// # Errors
/// If the database fails.
pub fn move_to_spam(work: &WriteContext<'_>, channel: &ChannelRow, thread: &str) -> Result<(), ApiError> {
    match threads::read(work.db, &channel.id, thread)?.filter(|thread_row| thread_row.folder == "spam") {
        Some(now) => {
            let was = ThreadRow { folder: "inbox".to_owned(), ..now.clone() };
            request_filing(work, channel, &was, &now)
        }
        None => Ok(()),
    }
}

/// Returns the lane in which a thread's changes are applied in order.
fn filing_lane(thread: &str) -> String {
    format!("filing {thread}")
}

/// Returns true if a change in the mailbox is under way, so that its reported state may be outdated.
pub fn is_early(work: &WriteContext<'_>, channel: &ChannelRow) -> Result<bool, DatabaseError> {
    // Range of the lanes that begin with "filing ".
    egress::is_open_between(work.db, &channel.id, ("filing ", "filing!"))
}

/// Applies the reported state of mails in the mailbox.
pub fn apply_facts(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    facts: &MailFacts,
) -> Result<(), DatabaseError> {
    for fact in &facts.mails {
        if let Some(thread) = find_newest_thread(work, channel, &fact.id)? {
            let is_back = matches!(thread.folder.as_str(), "archive" | "spam" | "trash");
            let folder = if is_back { "inbox" } else { &thread.folder };
            apply_fact(work, &thread, fact, folder)?;
        }
    }
    for id in &facts.gone {
        if let Some(thread) = find_newest_thread(work, channel, id)? {
            archive_missing(work, &thread)?;
        }
    }
    match facts.no_others_from {
        Some(from) => archive_missing_mails(work, channel, facts, from),
        None => Ok(()),
    }
}

/// Returns the thread whose newest received mail this is, unless a change of it is still to be applied in the
/// mailbox.
fn find_newest_thread(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    id: &str,
) -> Result<Option<ThreadRow>, DatabaseError> {
    let found = emails::find(work.db, &channel.id, id)?.filter(|email_row| email_row.direction == "inbound");
    let Some(mail) = found else { return Ok(None) };
    let newest = emails::inbound_ids(work.db, &mail.thread, 1)?;
    if newest.first() != Some(&mail.header_id) || egress::is_open(work.db, &filing_lane(&mail.thread))? {
        return Ok(None);
    }
    threads::read(work.db, &channel.id, &mail.thread)
}

fn apply_fact(
    work: &WriteContext<'_>,
    thread: &ThreadRow,
    fact: &MailFact,
    folder: &str,
) -> Result<(), DatabaseError> {
    let now = ThreadRow {
        is_read: fact.seen,
        is_starred: fact.flagged,
        folder: folder.to_owned(),
        ..thread.clone()
    };
    if now == *thread { Ok(()) } else { store_filing(work, &now) }
}

/// Archives a thread whose mail another program has archived or deleted.
fn archive_missing(work: &WriteContext<'_>, thread: &ThreadRow) -> Result<(), DatabaseError> {
    if thread.folder != "inbox" {
        return Ok(());
    }
    let now = ThreadRow { folder: "archive".to_owned(), is_read: true, ..thread.clone() };
    store_filing(work, &now)
}

fn store_filing(work: &WriteContext<'_>, thread: &ThreadRow) -> Result<(), DatabaseError> {
    threads::update(work.db, thread)?;
    changes::log_thread(work.db, &thread.id, work.now)
}

/// Returns the name under which a mail of the inbox is recorded, ordered by UID.
pub fn number_name(validity: u32, uid: u32) -> String {
    format!("inbox {validity:010} {uid:010}")
}

/// Archives the threads whose mails are no longer in the inbox. A moved mail only gets higher UIDs, so a
/// recorded mail that is missing from a UID on is not in the inbox.
fn archive_missing_mails(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    facts: &MailFacts,
    (validity, from): (u32, u32),
) -> Result<(), DatabaseError> {
    let Some(row) = connected::read(work.db, &channel.id)? else { return Ok(()) };
    let there: HashSet<&str> = facts.mails.iter().map(|mail| mail.id.as_str()).collect();
    let numbers = (number_name(validity, from), number_name(validity, u32::MAX));
    // Mail from before the connection is not compared.
    for id in emails::list_ids_in_inbox(work.db, &channel.id, &numbers, row.connected_at)? {
        if !there.contains(id.as_str())
            && let Some(thread) = find_newest_thread(work, channel, &id)?
        {
            archive_missing(work, &thread)?;
        }
    }
    Ok(())
}
