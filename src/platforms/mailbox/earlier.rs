//! Imports mail from before the mailbox was connected: newest first, one batch between two reads of
//! new mail.
//!
//! - **listing**: walks the inbox, the sent folder and the chosen further folders from their newest mail down, reading arrival
//!   times and sizes only;
//! - **fetching**: fetches listed mails in batches, whole, with their flags. The mark advances with
//!   each batch, in the transaction that files it;
//! - **finished**: a listing finds nothing left.
//!
//! The list belongs to one connection and is built again on the next. Only the mark decides what is
//! left.

use std::collections::BTreeMap;
use std::time::Duration;

use async_imap::types::Flag;
use tokio::time::Instant;

use crate::contract::PlatformError;
use crate::mail::{ArrivedMail, EarlierArrival};
use crate::mailbox::fetched::FetchedMail;
use crate::mailbox::imap::{
    COMMAND_TIMEOUT, FolderState, INBOX, ImapLink, with_timeout, with_timeout_unless_refused,
};
use crate::mailbox::large::{LargeMail, fetch_large};
use crate::mailbox::parsing;
use crate::mailbox::reading::{CUT_MAIL_BYTES, MAIL_TIMEOUT, MAX_WHOLE_MAIL_BYTES, arrival_seconds};
use api::carriers::{EarlierPlace, MailUpdateHeader, MailUpdateKind, MailboxCursor};
use model::time::{SECOND, Timestamp};

/// Mails fetched in one step of a listing.
const LISTING_STEP: u32 = 1000;
/// Time after which a listing pauses so that new mail is read.
const MAX_LISTING_TIME: Duration = Duration::from_secs(3);
/// Empty steps after which the rest of a folder counts as older than the period: folders are in
/// order of arrival except for mails moved by hand.
const MAX_EMPTY_STEPS: u32 = 3;
/// Maximum number of listed mails: the newest.
const MAX_LISTED: usize = 200_000;
/// Maximum mails of one batch, which is filed in one transaction.
const MAX_BATCH: usize = 40;
/// Bounds and first value of the size of a batch, in bytes.
const MIN_BATCH_BYTES: usize = 128 * 1024;
const FIRST_BATCH_BYTES: usize = 1024 * 1024;
const MAX_BATCH_BYTES: usize = 8 * 1024 * 1024;
/// A faster batch is followed by a larger one, a slower batch by a smaller one.
const FAST_BATCH: Duration = Duration::from_millis(500);
const SLOW_BATCH: Duration = Duration::from_secs(3);
const LISTED_ITEMS: &str = "(UID INTERNALDATE RFC822.SIZE)";
const WHOLE_MAIL_ITEMS: &str = "(UID FLAGS INTERNALDATE BODY.PEEK[])";
const MAILS_PER_LOG_LINE: u64 = 1000;

#[derive(Debug, Clone)]
struct ListedMail {
    place: EarlierPlace,
    /// In bytes.
    size: usize,
}

pub(super) struct FetchedEarlierMail {
    head: MailUpdateHeader,
    arrival: EarlierArrival,
    raw: Vec<u8>,
}

impl FetchedEarlierMail {
    /// Converts to an arrived mail of the mailbox with the addresses `own`.
    pub(super) fn to_arrived_mail(&self, own: &[String]) -> ArrivedMail {
        let mail = parsing::read_mail(&self.head, &self.raw, own);
        ArrivedMail { earlier: Some(self.arrival), ..mail }
    }
}

pub(super) struct EarlierReader {
    /// Mails left to file, newest last; incomplete while `walks` has folders.
    listed: Vec<ListedMail>,
    /// Folders not listed to their end, the next one last; `None` before a listing.
    walks: Option<Vec<FolderWalk>>,
    batch_bytes: usize,
    is_listed: bool,
}

struct FolderWalk {
    kind: MailUpdateKind,
    /// Name of a further folder.
    name: Option<String>,
    /// Position to continue below, `None` before the folder was selected.
    below: Option<u32>,
    empty_steps: u32,
}

impl EarlierReader {
    pub(super) fn new() -> Self {
        Self { listed: Vec::new(), walks: None, batch_bytes: FIRST_BATCH_BYTES, is_listed: false }
    }

    /// Reads a batch or continues listing, and advances the mark. The inbox is selected before and
    /// after; returns its state.
    pub(super) async fn read_batch(
        &mut self,
        link: &mut ImapLink,
        mark: &mut MailboxCursor,
    ) -> Result<(Vec<FetchedEarlierMail>, FolderState), PlatformError> {
        let mut pieces = Vec::new();
        if !self.is_listed {
            self.list(link, mark).await?;
        } else if self.listed.is_empty() {
            // A second listing finds mail that was moved into the period meanwhile.
            *self = Self { batch_bytes: self.batch_bytes, ..Self::new() };
        } else {
            pieces = self.fetch(link, mark).await?;
        }
        let state = with_timeout(link.enter(INBOX)).await?;
        Ok((pieces, state))
    }

    async fn list(&mut self, link: &mut ImapLink, mark: &mut MailboxCursor) -> Result<(), PlatformError> {
        let begun = Instant::now();
        let walks = self.walks.get_or_insert_with(|| plan_walks(mark));
        while let Some(walk) = walks.last_mut() {
            let folder = folder_name(link, walk.kind, walk.name.as_deref());
            let Some(state) = with_timeout_unless_refused(COMMAND_TIMEOUT, link.enter(&folder)).await? else {
                tracing::warn!(folder, "a folder could not be opened; its earlier mail is not imported");
                walks.pop();
                continue;
            };
            // Removed mails only lower positions, so no mail is skipped.
            let mut below = walk.below.unwrap_or(u32::MAX).min(state.count.saturating_add(1));
            while below > 1 && walk.empty_steps < MAX_EMPTY_STEPS {
                if begun.elapsed() > MAX_LISTING_TIME {
                    walk.below = Some(below);
                    return Ok(());
                }
                let first = below.saturating_sub(LISTING_STEP).max(1);
                let told = with_timeout(link.fetch_positions((first, below - 1), LISTED_ITEMS)).await?;
                let found = told.iter().filter_map(|mail| to_listed_mail(mail, walk, state.validity, mark));
                let before = self.listed.len();
                self.listed.extend(found);
                let is_recent = |mail: &FetchedMail| is_in_period(mail, mark);
                let is_empty = self.listed.len() == before && !told.iter().any(is_recent);
                walk.empty_steps = if is_empty { walk.empty_steps + 1 } else { 0 };
                below = first;
            }
            walks.pop();
        }
        self.end_listing(mark);
        Ok(())
    }

    fn end_listing(&mut self, mark: &mut MailboxCursor) {
        self.is_listed = true;
        let order = |one: &ListedMail, other: &ListedMail| {
            one.place.rank().cmp(&other.place.rank()).then(one.place.validity.cmp(&other.place.validity))
        };
        self.listed.sort_by(order);
        self.listed.dedup_by(|one, other| one.place == other.place);
        self.listed.drain(..self.listed.len().saturating_sub(MAX_LISTED));
        let Some(earlier) = &mut mark.earlier else { return };
        let left = u64::try_from(self.listed.len()).unwrap_or(u64::MAX);
        earlier.total = earlier.filed.saturating_add(left);
        earlier.is_finished = left == 0;
        match earlier.is_finished {
            true => {
                tracing::info!(
                    filed = earlier.filed,
                    "mail from before the mailbox was connected is imported"
                )
            }
            false => tracing::info!(
                left,
                filed = earlier.filed,
                "importing mail from before the mailbox was connected"
            ),
        }
    }

    async fn fetch(
        &mut self,
        link: &mut ImapLink,
        mark: &mut MailboxCursor,
    ) -> Result<Vec<FetchedEarlierMail>, PlatformError> {
        let Some(earlier) = &mut mark.earlier else { return Ok(Vec::new()) };
        let batch = self.take_batch();
        let begun = Instant::now();
        // One group for each folder.
        let mut groups: BTreeMap<(u8, Option<&str>), Vec<&ListedMail>> = BTreeMap::new();
        for mail in &batch {
            let (_, folder, name, _) = mail.place.rank();
            groups.entry((folder, name)).or_default().push(mail);
        }
        let mut pieces: Vec<(&ListedMail, FetchedEarlierMail)> = Vec::new();
        for of_folder in groups.values().rev() {
            let Some(first) = of_folder.first() else { continue };
            let folder = folder_name(link, first.place.folder, first.place.name.as_deref());
            let state = with_timeout(link.enter(&folder)).await?;
            if of_folder.iter().any(|mail| mail.place.validity != state.validity) {
                return Err(PlatformError::transient("the mailbox has renumbered its mails"));
            }
            for (mail, fetched) in fetch_mails(link, of_folder).await? {
                let piece = to_earlier_mail(mail, fetched, mark.since);
                pieces.extend(piece.map(|piece| (mail, piece)));
            }
        }
        pieces.sort_by(|(one, _), (other, _)| other.place.rank().cmp(&one.place.rank()));
        let pieces = pieces.into_iter().map(|(_, piece)| piece).collect();
        match begun.elapsed() {
            took if took < FAST_BATCH => self.batch_bytes = (self.batch_bytes * 2).min(MAX_BATCH_BYTES),
            took if took > SLOW_BATCH => self.batch_bytes = (self.batch_bytes / 2).max(MIN_BATCH_BYTES),
            _ => {}
        }
        let filed = earlier.filed + u64::try_from(batch.len()).unwrap_or_default();
        if filed / MAILS_PER_LOG_LINE != earlier.filed / MAILS_PER_LOG_LINE {
            tracing::info!(
                filed,
                total = earlier.total,
                "importing mail from before the mailbox was connected"
            );
        }
        earlier.filed = filed;
        if let Some(last) = batch.last() {
            earlier.place = Some(last.place.clone());
        }
        Ok(pieces)
    }

    /// Takes the newest listed mails that fit a batch, newest first.
    fn take_batch(&mut self) -> Vec<ListedMail> {
        let (mut batch, mut bytes): (Vec<ListedMail>, usize) = (Vec::new(), 0);
        while let Some(mail) = self.listed.last() {
            bytes += fetched_bytes(mail);
            if !batch.is_empty() && (batch.len() >= MAX_BATCH || bytes > self.batch_bytes) {
                break;
            }
            batch.extend(self.listed.pop());
        }
        batch
    }
}

/// Returns the folders to list, the first one last.
fn plan_walks(mark: &MailboxCursor) -> Vec<FolderWalk> {
    let walk = |kind, name| FolderWalk { kind, name, below: None, empty_steps: 0 };
    let earlier = mark.earlier.as_ref();
    let names = earlier.into_iter().flat_map(|earlier| earlier.folders.keys());
    // A folder that is no longer read is left out.
    let names = names.filter(|name| mark.folders.contains_key(*name));
    let mut walks: Vec<FolderWalk> =
        names.map(|name| walk(MailUpdateKind::Folder, Some(name.clone()))).collect();
    if !earlier.is_some_and(|earlier| earlier.is_main_filed) {
        walks.extend([walk(MailUpdateKind::Sent, None), walk(MailUpdateKind::Inbox, None)]);
    }
    walks
}

fn folder_name(link: &ImapLink, kind: MailUpdateKind, name: Option<&str>) -> String {
    match (kind, name) {
        (MailUpdateKind::Sent, _) => link.sent.clone(),
        (MailUpdateKind::Folder, Some(name)) => name.to_owned(),
        _ => INBOX.to_owned(),
    }
}

fn fetched_bytes(mail: &ListedMail) -> usize {
    if mail.size > MAX_WHOLE_MAIL_BYTES { CUT_MAIL_BYTES } else { mail.size }
}

/// Returns true if a mail arrived in the imported period or later.
fn is_in_period(mail: &FetchedMail, mark: &MailboxCursor) -> bool {
    arrival_seconds(mail) >= mark.counts_from()
}

/// Converts a mail of a folder, `None` if it is new or filed already.
fn to_listed_mail(
    mail: &FetchedMail,
    walk: &FolderWalk,
    validity: u32,
    mark: &MailboxCursor,
) -> Option<ListedMail> {
    let earlier = mark.earlier.as_ref()?;
    let (uid, at) = (mail.uid?, arrival_seconds(mail));
    let (first_new, since) = match (walk.kind, &walk.name) {
        (MailUpdateKind::Sent, _) => (earlier.sent, mark.since),
        (_, None) => (earlier.inbox, mark.since),
        (_, Some(name)) => earlier.folders.get(name).map(|folder| (folder.place, folder.chosen))?,
    };
    let is_new = if validity == first_new.0 { uid >= first_new.1 } else { at >= since };
    let place = EarlierPlace { at, folder: walk.kind, name: walk.name.clone(), validity, uid };
    let is_left = earlier.place.as_ref().is_none_or(|filed| place.is_pending_after(filed));
    let size = mail.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
    (is_left && !is_new && is_in_period(mail, mark)).then_some(ListedMail { place, size })
}

/// Fetches mails of the selected folder; skips one that the server refuses to give.
async fn fetch_mails<'a>(
    link: &mut ImapLink,
    mails: &[&'a ListedMail],
) -> Result<Vec<(&'a ListedMail, LargeMail)>, PlatformError> {
    let (whole, long): (Vec<&ListedMail>, Vec<&ListedMail>) =
        mails.iter().copied().partition(|mail| mail.size <= MAX_WHOLE_MAIL_BYTES);
    let uids: Vec<String> = whole.iter().map(|mail| mail.place.uid.to_string()).collect();
    let mut told = Vec::new();
    if !uids.is_empty() {
        match with_timeout_unless_refused(MAIL_TIMEOUT, link.fetch(&uids.join(","), WHOLE_MAIL_ITEMS)).await?
        {
            Some(all) => told.extend(all),
            // An unreadable mail fails the command for all others, too.
            None => {
                for mail in &whole {
                    told.extend(fetch_one(link, mail.place.uid).await?);
                }
            }
        }
    }
    let mut read: Vec<LargeMail> =
        told.into_iter().map(|mail| LargeMail { mail, ..LargeMail::default() }).collect();
    for mail in long {
        match fetch_large(link, mail.place.uid).await? {
            Some(large) => read.push(large),
            None => warn_of_skipped(mail.place.uid),
        }
    }
    let find = |fetched: LargeMail| {
        let mail = mails.iter().copied().find(|mail| Some(mail.place.uid) == fetched.mail.uid)?;
        Some((mail, fetched))
    };
    Ok(read.into_iter().filter_map(find).collect())
}

async fn fetch_one(link: &mut ImapLink, uid: u32) -> Result<Vec<FetchedMail>, PlatformError> {
    let number = uid.to_string();
    let asked = link.fetch(&number, WHOLE_MAIL_ITEMS);
    let told = with_timeout_unless_refused(MAIL_TIMEOUT, asked).await?;
    if told.is_none() {
        warn_of_skipped(uid);
    }
    Ok(told.unwrap_or_default())
}

fn warn_of_skipped(uid: u32) {
    tracing::warn!(uid, "the mailbox did not return a mail; it is skipped");
}

/// Converts a fetched mail; `None` without bytes or if marked as deleted.
fn to_earlier_mail(mail: &ListedMail, fetched: LargeMail, connected: i64) -> Option<FetchedEarlierMail> {
    let raw = fetched.mail.body()?.to_vec();
    let EarlierPlace { at, folder, validity, uid, .. } = mail.place;
    let has = |flag: Flag<'_>| fetched.mail.flags().any(|set| set == flag);
    // A draft in a further folder was never sent.
    if has(Flag::Deleted) || (folder == MailUpdateKind::Folder && has(Flag::Draft)) {
        return None;
    }
    // Microseconds from the UID: mails of one second keep the order of their UIDs.
    let second = if folder == MailUpdateKind::Folder { at } else { at.min(connected - 1) }.max(0);
    let at = Timestamp::from_micros(second * SECOND + i64::from(uid) % SECOND);
    Some(FetchedEarlierMail {
        head: MailUpdateHeader {
            uid,
            validity,
            folder: mail.place.name.clone(),
            cut: fetched.is_cut,
            left: fetched.left,
            ..MailUpdateHeader::new(folder)
        },
        arrival: EarlierArrival { at, is_read: has(Flag::Seen), is_starred: has(Flag::Flagged) },
        raw,
    })
}
