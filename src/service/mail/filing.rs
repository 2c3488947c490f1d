//! A thread and its mails in the mailbox, kept alike: what a person does here
//! is done there, and what is done there is learnt.

use std::collections::HashSet;

use crate::carriers::Parcel;
use crate::channels::Channel;
use crate::database::channels::ChannelRow;
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, connected, emails};
use crate::errors::ApiError;
use crate::platforms::mailbox::FILING;
use crate::write::Work;
use wire::carriers::{MailFact, MailFacts, MailFiling};

/// Mails of a thread that are changed with it: the newest.
const CHANGED: i64 = 50;

/// Has the mails of a thread changed as the thread was, where a mailbox is
/// behind it.
pub fn ask_for(
    work: &Work<'_>,
    channel: &ChannelRow,
    was: &ThreadRow,
    now: &ThreadRow,
) -> Result<(), ApiError> {
    if work.service.platforms.connected(Channel::Email).is_none() || work.test {
        return Ok(());
    }
    let filing = MailFiling {
        mails: emails::inbound_ids(work.db, &now.id, CHANGED)?,
        seen: (was.is_read != now.is_read).then_some(now.is_read),
        flagged: (was.is_starred != now.is_starred).then_some(now.is_starred),
        folder: (was.folder != now.folder).then(|| now.folder.clone()),
        lay: Some(was.folder.clone()),
    };
    let changes = filing.seen.is_some() || filing.flagged.is_some() || filing.folder.is_some();
    if filing.mails.is_empty() || !changes {
        return Ok(());
    }
    let json = |it: Result<String, serde_json::Error>| it.map_err(|cause| ApiError::internal(&cause));
    let id = work.id("file", work.stamp());
    let content = serde_json::to_value(&filing).map_err(|cause| ApiError::internal(&cause))?;
    let parcel =
        Parcel { id: id.clone(), kind: FILING.to_owned(), content: Some(content), ..Parcel::default() };
    let row = EgressRow {
        id,
        channel: channel.id.clone(),
        lane: lane(&now.id),
        place: work.stamp(),
        parcel: json(serde_json::to_string(&parcel))?,
        draft: "{}".to_owned(),
        state: EgressState::Waiting.word().to_owned(),
        due_at: work.now,
        fence: 0,
        claimed_until: work.now,
        told: true,
    };
    Ok(egress::insert(work.db, &row)?)
}

/// A mail that came into a thread of spam goes where the others of it lie.
///
/// # Errors
/// When the database fails.
pub fn keep_among_spam(work: &Work<'_>, channel: &ChannelRow, thread: &str) -> Result<(), ApiError> {
    match threads::read(work.db, &channel.id, thread)?.filter(|it| it.folder == "spam") {
        Some(now) => {
            let was = ThreadRow { folder: "inbox".to_owned(), ..now.clone() };
            ask_for(work, channel, &was, &now)
        }
        None => Ok(()),
    }
}

/// What is done to the mails of a thread is done in order.
fn lane(thread: &str) -> String {
    format!("filing {thread}")
}

/// Whether something is being done in the mailbox, so that how mails stand in
/// it may be from before.
pub fn is_early(work: &Work<'_>, channel: &ChannelRow) -> Result<bool, DatabaseError> {
    // All that begin with the word and a space.
    egress::is_open_between(work.db, &channel.id, ("filing ", "filing!"))
}

/// Learns how mails stand in the mailbox.
pub fn learn(work: &Work<'_>, channel: &ChannelRow, facts: &MailFacts) -> Result<(), DatabaseError> {
    for fact in &facts.mails {
        if let Some(thread) = newest_in(work, channel, &fact.id)? {
            let is_back = matches!(thread.folder.as_str(), "archive" | "spam" | "trash");
            let folder = if is_back { "inbox" } else { &thread.folder };
            take_over(work, &thread, fact, folder)?;
        }
    }
    for id in &facts.gone {
        if let Some(thread) = newest_in(work, channel, id)? {
            put_away(work, &thread)?;
        }
    }
    match facts.no_others_from {
        Some(from) => compare(work, channel, facts, from),
        None => Ok(()),
    }
}

/// The thread in which a mail is the newest that came in, unless something was
/// done to it here that the mailbox does not show yet.
fn newest_in(work: &Work<'_>, channel: &ChannelRow, id: &str) -> Result<Option<ThreadRow>, DatabaseError> {
    let found = emails::find(work.db, &channel.id, id)?.filter(|it| it.direction == "inbound");
    let Some(mail) = found else { return Ok(None) };
    let newest = emails::inbound_ids(work.db, &mail.thread, 1)?;
    if newest.first() != Some(&mail.header_id) || egress::is_open(work.db, &lane(&mail.thread))? {
        return Ok(None);
    }
    threads::read(work.db, &channel.id, &mail.thread)
}

fn take_over(
    work: &Work<'_>,
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
    if now == *thread { Ok(()) } else { threads::change(work.db, &now) }
}

/// A mail that is in the inbox no more was archived, or removed, elsewhere.
fn put_away(work: &Work<'_>, thread: &ThreadRow) -> Result<(), DatabaseError> {
    if thread.folder != "inbox" {
        return Ok(());
    }
    let now = ThreadRow { folder: "archive".to_owned(), is_read: true, ..thread.clone() };
    threads::change(work.db, &now)
}

/// What a mail of the inbox is noted under: in the order of the numbers.
pub fn numbered(validity: u32, uid: u32) -> String {
    format!("inbox {validity:010} {uid:010}")
}

/// Puts away the threads whose mails are not in the inbox any more. A mail
/// moves to higher numbers only, so that one that was read from a number on and
/// is not there from it on is not there at all.
fn compare(
    work: &Work<'_>,
    channel: &ChannelRow,
    facts: &MailFacts,
    (validity, from): (u32, u32),
) -> Result<(), DatabaseError> {
    let Some(row) = connected::read(work.db, &channel.id)? else { return Ok(()) };
    let there: HashSet<&str> = facts.mails.iter().map(|it| it.id.as_str()).collect();
    let numbers = (numbered(validity, from), numbered(validity, u32::MAX));
    // What came in before the mailbox was connected is not looked at in it.
    for id in emails::noted_in_inbox(work.db, &channel.id, &numbers, row.connected_at)? {
        if !there.contains(id.as_str())
            && let Some(thread) = newest_in(work, channel, &id)?
        {
            put_away(work, &thread)?;
        }
    }
    Ok(())
}
