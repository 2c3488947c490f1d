//! Reads a mailbox: new mail of the inbox and of the sent folder, changed flags, and mails that
//! were moved or deleted. Then waits for the server to report a change and reads everything again,
//! whatever was reported. While mail from before the connection is left to import (`earlier.rs`), a
//! batch of that is read instead of waiting.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_imap::extensions::idle::IdleResponse;
use async_imap::types::{Flag, UnsolicitedResponse};
use tokio::time::{Instant, sleep, timeout};

use crate::contract::{InboundUpdate, PlatformError, PollResult};
use crate::mailbox::MailboxPlatform;
use crate::mailbox::earlier::{EarlierReader, FetchedEarlierMail};
use crate::mailbox::fetched::{FetchedMail, InternalDate};
use crate::mailbox::imap::{
    COMMAND_TIMEOUT, FolderState, INBOX, ImapLink, with_timeout, with_timeout_unless_refused,
};
use crate::mailbox::updates::build_update;
use api::carriers::{MailFact, MailFacts, MailUpdateHeader, MailUpdateKind, MailboxCursor};
use model::time::SECOND;

/// Maximum duration of one IDLE; it is renewed long before a server drops it.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// Pause between two readings where the server has no IDLE.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum duration of one reading, with everything fetched in it.
const READ_TIMEOUT: Duration = Duration::from_secs(80);
/// Maximum mails and bytes of one reading.
const MAX_MAILS: usize = 20;
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Time limit for the bytes of one mail. After `MAX_FETCH_TIME` no further mail is begun.
pub(super) const MAIL_TIMEOUT: Duration = Duration::from_secs(50);
const MAX_FETCH_TIME: Duration = Duration::from_secs(15);
/// Largest mail that is read whole, in bytes; of a larger one only the first `CUT_MAIL_BYTES`.
pub(super) const MAX_WHOLE_MAIL_BYTES: usize = 26 * 1024 * 1024;
pub(super) const CUT_MAIL_BYTES: usize = 1024 * 1024;
/// Number of newest mails of the inbox whose flags are followed.
const MAX_FOLLOWED_MAILS: u32 = 500;
/// Time between two reads of the flags while earlier mail is imported.
const FLAGS_INTERVAL: Duration = Duration::from_secs(2);
/// Age of a reading from which on it fetches no earlier mail.
const MAX_EARLIER_START: Duration = Duration::from_secs(20);
/// Mails whose heads are fetched with one command.
const HEADS_PER_FETCH: u32 = 5_000;
/// Mails whose heads are fetched one by one in one reading.
const MAX_SINGLE_HEADS: u32 = 50;
/// Failed readings in a row after which a mail is skipped that the server refuses to give, provided
/// that it gives another.
const MAX_REFUSALS: u32 = 3;
/// Items fetched of a mail before its bytes.
const HEAD_ITEMS: &str = "(UID FLAGS INTERNALDATE RFC822.SIZE)";
const ID_ITEMS: &str = "(UID FLAGS INTERNALDATE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])";

pub struct MailboxReader {
    /// `None` while it idles, and for good if that fails.
    link: Option<ImapLink>,
    inbox: FolderState,
    /// Flags as last reported, by UID.
    facts: BTreeMap<u32, MailFact>,
    /// Value of the cursor's `told` counter at that report.
    facts_counter: Option<u64>,
    /// Time at which the flags were last read.
    looked_at: Option<Instant>,
    /// True if nothing was read since the inbox was selected.
    is_entered: bool,
    /// True if a mail is skipped that the server refuses repeatedly.
    leaves_out: bool,
    /// UID validity and next UID for which the inbox was last read from the beginning because they
    /// had become lower.
    numbered_anew: Option<(u32, u32)>,
    earlier: EarlierReader,
}

#[derive(Default)]
struct NewMail {
    updates: Vec<InboundUpdate>,
    /// Mail from before the mailbox was connected, newest first.
    earlier: Vec<FetchedEarlierMail>,
}

impl MailboxPlatform {
    pub(super) async fn read_from_mark(&self, mark: &str) -> Result<PollResult, PlatformError> {
        let mut mark: MailboxCursor = serde_json::from_str(mark).unwrap_or_default();
        let mut place = self.reader.lock().await;
        let reading = async {
            let mut reader = match place.take() {
                Some(reader) => reader,
                None => self.begin_reading().await?,
            };
            reader.leaves_out = self.failures.load(Ordering::SeqCst) >= MAX_REFUSALS;
            let news = reader.poll_once(&mut mark, &self.changed).await?;
            Ok::<_, PlatformError>((reader, news))
        };
        let late = PlatformError::transient("the mailbox did not answer in time");
        let (reader, news) = match timeout(READ_TIMEOUT, reading).await.unwrap_or(Err(late)) {
            Ok(read) => read,
            Err(trouble) => {
                self.failures.fetch_add(1, Ordering::SeqCst);
                return Err(trouble);
            }
        };
        self.failures.store(0, Ordering::SeqCst);
        *place = Some(reader);
        let mut earlier = Vec::with_capacity(news.earlier.len());
        let own = self.settings.own_addresses();
        for piece in news.earlier {
            earlier.push(piece.to_arrived_mail(&own));
            // Parsing a batch occupies the processor for a while.
            tokio::task::yield_now().await;
        }
        let mark = serde_json::to_string(&mark).map_err(|why| PlatformError::transient(why.to_string()))?;
        Ok(PollResult { updates: news.updates, earlier_mails: earlier, mark })
    }

    async fn begin_reading(&self) -> Result<MailboxReader, PlatformError> {
        let mut link = ImapLink::open(&self.imap_server, &self.login, &self.trust).await?;
        let inbox = with_timeout(link.enter(INBOX)).await?;
        Ok(MailboxReader {
            link: Some(link),
            inbox,
            facts: BTreeMap::new(),
            facts_counter: None,
            looked_at: None,
            is_entered: true,
            leaves_out: false,
            numbered_anew: None,
            earlier: EarlierReader::new(),
        })
    }

    /// Opens the inbox and returns the mark at which reading begins.
    pub(super) async fn initial_mark(
        &self,
        since: i64,
        name: String,
    ) -> Result<MailboxCursor, PlatformError> {
        let mut link = ImapLink::open(&self.imap_server, &self.login, &self.trust).await?;
        let inbox = with_timeout(link.enter(INBOX)).await?;
        let folder = link.sent.clone();
        let sent =
            with_timeout_unless_refused(COMMAND_TIMEOUT, link.state_of(&folder)).await?.unwrap_or_default();
        // A server drops the session without it, too.
        let _ = with_timeout(link.session.logout()).await;
        let (inbox, sent) = (inbox.next_position(), sent.next_position());
        Ok(MailboxCursor { since, name, inbox, sent, told: 0, earlier: None })
    }
}

impl MailboxReader {
    /// Reads everything new since a mark and advances it; waits once if there is nothing.
    async fn poll_once(
        &mut self,
        mark: &mut MailboxCursor,
        changed: &AtomicBool,
    ) -> Result<NewMail, PlatformError> {
        let (mut waited, begun) = (false, Instant::now());
        loop {
            self.enter_inbox().await?;
            let before = mark.clone();
            let mut pieces = Vec::new();
            let state = self.inbox;
            if self.is_numbered_anew(mark) {
                mark.inbox = (state.validity, 1);
            }
            let link = self.link.as_mut().ok_or_else(connection_ended)?;
            fetch_new(link, (MailUpdateKind::Inbox, state, self.leaves_out), mark, &mut pieces).await?;
            let folder = link.sent.clone();
            // A mailbox without a sent folder is still read.
            let sent = with_timeout_unless_refused(COMMAND_TIMEOUT, link.state_of(&folder)).await?;
            if let Some(sent) = sent
                && sent.next_position() != mark.sent
            {
                let sent = with_timeout(link.enter(&folder)).await?;
                fetch_new(link, (MailUpdateKind::Sent, sent, self.leaves_out), mark, &mut pieces).await?;
                let state = with_timeout(link.enter(INBOX)).await?;
                self.set_inbox(state);
            }
            let is_importing = mark.is_importing();
            let looked = self.looked_at.is_some_and(|at| at.elapsed() < FLAGS_INTERVAL);
            if !(is_importing && looked) {
                if let Some(piece) = self.changed_facts(mark, changed.swap(false, Ordering::SeqCst)).await? {
                    pieces.push(piece);
                }
                self.looked_at = Some(Instant::now());
            }
            if is_importing {
                let mut earlier = Vec::new();
                if pieces.len() < MAX_MAILS
                    && begun.elapsed() < MAX_EARLIER_START
                    && let Some(link) = self.link.as_mut()
                {
                    let state;
                    (earlier, state) = self.earlier.read_batch(link, mark).await?;
                    self.set_inbox(state);
                }
                return Ok(NewMail { updates: pieces, earlier });
            }
            if waited || *mark != before {
                return Ok(NewMail { updates: pieces, ..NewMail::default() });
            }
            if !self.is_behind(mark) {
                self.wait().await?;
            }
            waited = true;
        }
    }

    /// Selects the inbox again unless it was just selected: an open session may go on showing a
    /// mailbox that no longer exists.
    async fn enter_inbox(&mut self) -> Result<(), PlatformError> {
        let link = self.link.as_mut().ok_or_else(connection_ended)?;
        if !self.is_entered {
            let state = with_timeout(link.enter(INBOX)).await?;
            self.set_inbox(state);
        }
        self.is_entered = false;
        while next_unsolicited(&mut self.link).is_some() {}
        if let Some(link) = &mut self.link {
            link.told_count = None;
        }
        Ok(())
    }

    fn set_inbox(&mut self, state: FolderState) {
        if state.validity != self.inbox.validity {
            // UIDs of the former validity name other mails now.
            self.facts.clear();
            self.facts_counter = None;
            self.earlier = EarlierReader::new();
        }
        self.inbox = state;
        self.is_entered = true;
    }

    /// Returns true if the next UID became lower under the same validity, as after a restore from a
    /// backup. Each value is believed once, because some servers report a wrong one.
    fn is_numbered_anew(&mut self, mark: &MailboxCursor) -> bool {
        let state = self.inbox;
        let is_lower = state.validity == mark.inbox.0 && state.next < mark.inbox.1;
        is_lower && self.numbered_anew.replace(state.next_position()) != Some(state.next_position())
    }

    /// Returns true if the inbox holds mail that was not read yet.
    fn is_behind(&mut self, mark: &MailboxCursor) -> bool {
        let mut is_behind = self.inbox.validity != mark.inbox.0 || self.inbox.next > mark.inbox.1;
        while let Some(news) = next_unsolicited(&mut self.link) {
            is_behind |= matches!(news, UnsolicitedResponse::Exists(count) if count > self.inbox.count);
        }
        let told_count = self.link.as_ref().and_then(|link| link.told_count);
        is_behind |= told_count.is_some_and(|count| count > self.inbox.count);
        is_behind
    }

    /// Waits until the server reports a change or the time is up.
    async fn wait(&mut self) -> Result<(), PlatformError> {
        let Some(link) = self.link.take() else { return Ok(()) };
        if !link.idles {
            self.link = Some(link);
            sleep(POLL_INTERVAL).await;
            return Ok(());
        }
        let ImapLink { session, .. } = link;
        let mut idle = session.idle();
        with_timeout(idle.init()).await?;
        let told = {
            let (waiting, _interrupt) = idle.wait_with_timeout(IDLE_TIMEOUT);
            // Bounds a server that only sends keep-alives.
            timeout(2 * IDLE_TIMEOUT, waiting).await.unwrap_or(Ok(IdleResponse::Timeout))
        };
        told.map_err(|why| PlatformError::transient(format!("the mailbox closed the connection: {why}")))?;
        let session = with_timeout(idle.done()).await?;
        self.link = Some(ImapLink { session, ..link });
        Ok(())
    }

    /// Returns the changed flags of the newest mails, and the mails that are gone.
    async fn changed_facts(
        &mut self,
        mark: &mut MailboxCursor,
        all: bool,
    ) -> Result<Option<InboundUpdate>, PlatformError> {
        let Some(link) = self.link.as_mut() else { return Ok(None) };
        // A report that was not stored is made again from the beginning.
        let anew = all || self.facts_counter != Some(mark.told);
        if anew {
            self.facts.clear();
        }
        let (validity, next) = mark.inbox;
        let from = next.saturating_sub(MAX_FOLLOWED_MAILS).max(1);
        // A server that refuses makes no mail count as gone.
        let Some(mut now) = fetch_flags(link, &self.facts, from, mark.counts_from()).await? else {
            return Ok(None);
        };
        now.retain(|uid, _| *uid < next);
        let mails: Vec<MailFact> = now
            .iter()
            .filter(|(uid, mail_fact)| self.facts.get(uid) != Some(*mail_fact))
            .map(|(_, mail_fact)| mail_fact.clone())
            .collect();
        // A mail below `from` left the followed range and may still exist.
        let gone: Vec<String> = self
            .facts
            .range(from..)
            .filter(|(uid, range)| !now.contains_key(uid) && now.values().all(|other| other.id != range.id))
            .map(|(_, range)| range.id.clone())
            .collect();
        self.facts = now;
        if mails.is_empty() && gone.is_empty() && !anew {
            self.facts_counter = Some(mark.told);
            return Ok(None);
        }
        mark.told += 1;
        self.facts_counter = Some(mark.told);
        let head = MailUpdateHeader {
            facts: Some(MailFacts { mails, gone, no_others_from: anew.then_some((validity, from)) }),
            ..MailUpdateHeader::new(MailUpdateKind::Flags)
        };
        let name = format!("flags {} {}", mark.name, mark.told);
        Ok(Some(build_update(name, &head, &[])?))
    }
}

fn connection_ended() -> PlatformError {
    PlatformError::transient("the mailbox closed the connection")
}

fn next_unsolicited(link: &mut Option<ImapLink>) -> Option<UnsolicitedResponse> {
    link.as_mut()?.session.unsolicited_responses.try_recv().ok()
}

/// Fetches the flags of the mails with UID `from` and up that arrived since a time; `None` if the
/// server refuses.
async fn fetch_flags(
    link: &mut ImapLink,
    known: &BTreeMap<u32, MailFact>,
    from: u32,
    since: i64,
) -> Result<Option<BTreeMap<u32, MailFact>>, PlatformError> {
    let numbers = format!("{from}:*");
    let asked = link.fetch(&numbers, "(UID FLAGS INTERNALDATE)");
    let Some(told) = with_timeout_unless_refused(COMMAND_TIMEOUT, asked).await? else { return Ok(None) };
    // A mail marked as deleted counts as gone.
    let is_there = |fetched_mail: &&FetchedMail| fetched_mail.flags().all(|flag| flag != Flag::Deleted);
    let told: Vec<&FetchedMail> = told
        .iter()
        .filter(|fetched_mail| {
            fetched_mail.uid.is_some_and(|uid| uid >= from) && arrival_seconds(fetched_mail) >= since
        })
        .filter(is_there)
        .collect();
    let unknown: Vec<String> = told
        .iter()
        .filter_map(|fetched_mail| fetched_mail.uid)
        .filter(|number| !known.contains_key(number))
        .map(|number| number.to_string())
        .collect();
    let mut ids: BTreeMap<u32, String> = BTreeMap::new();
    if !unknown.is_empty() {
        let Some(told) =
            with_timeout_unless_refused(COMMAND_TIMEOUT, link.fetch(&unknown.join(","), ID_ITEMS)).await?
        else {
            return Ok(None);
        };
        for mail in told {
            if let (Some(uid), Some(id)) = (mail.uid, mail.header().and_then(header_id)) {
                ids.insert(uid, id);
            }
        }
    }
    let mut now = BTreeMap::new();
    for mail in told {
        let Some(uid) = mail.uid else { continue };
        let Some(id) = known.get(&uid).map(|mail_fact| mail_fact.id.clone()).or_else(|| ids.remove(&uid))
        else {
            continue;
        };
        let has = |flag: Flag<'_>| mail.flags().any(|entry| entry == flag);
        now.insert(uid, MailFact { id, seen: has(Flag::Seen), flagged: has(Flag::Flagged) });
    }
    Ok(Some(now))
}

fn header_id(header: &[u8]) -> Option<String> {
    let parsed = mail_parser::MessageParser::default().parse_headers(header)?;
    parsed.message_id().map(|message_id| format!("<{message_id}>"))
}

/// Arrival time of a mail in the mailbox, in seconds since the epoch; 0 if unknown.
pub(super) fn arrival_seconds(mail: &FetchedMail) -> i64 {
    mail.internal_date().map_or(0, |date| date.timestamp())
}

/// Fetches the new mails of the selected folder and advances the mark. A mail that the server
/// refuses fails the reading, or is skipped if `leaves_out` is set.
async fn fetch_new(
    link: &mut ImapLink,
    (kind, state, leaves_out): (MailUpdateKind, FolderState, bool),
    mark: &mut MailboxCursor,
    pieces: &mut Vec<InboundUpdate>,
) -> Result<(), PlatformError> {
    let validity = state.validity;
    let place = if kind == MailUpdateKind::Inbox { &mut mark.inbox } else { &mut mark.sent };
    if place.0 != validity {
        // All UIDs changed; mails that are known already are recognized by their id.
        *place = (validity, 1);
    }
    let (found, is_whole) = match fetch_heads(link, state, place.1).await? {
        Some(heads) => heads,
        None if leaves_out => fetch_heads_singly(link, state, place.1).await?,
        None => return Err(refused_error()),
    };
    let (mut count, mut bytes, begun) = (0, 0, Instant::now());
    for mail in found {
        let Some(uid) = mail.uid else { continue };
        if arrival_seconds(&mail) >= mark.since {
            let size = mail.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
            let enough =
                bytes + size.min(MAX_WHOLE_MAIL_BYTES) > MAX_BYTES || begun.elapsed() > MAX_FETCH_TIME;
            if count >= MAX_MAILS || (count > 0 && enough) {
                return Ok(());
            }
            let what = match size > MAX_WHOLE_MAIL_BYTES {
                true => format!("(UID BODY.PEEK[]<0.{CUT_MAIL_BYTES}>)"),
                false => "(UID BODY.PEEK[])".to_owned(),
            };
            let told =
                match with_timeout_unless_refused(MAIL_TIMEOUT, link.fetch(&uid.to_string(), &what)).await? {
                    Some(told) => told,
                    None if leaves_out && gives_another(link).await? => {
                        tracing::warn!(uid, "the mailbox did not return a mail; it is skipped");
                        Vec::new()
                    }
                    None => return Err(refused_error()),
                };
            let body =
                told.iter().find(|fetched_mail| fetched_mail.uid == Some(uid)).and_then(FetchedMail::body);
            // A mail without a body was deleted meanwhile.
            if let Some(body) = body {
                let arrived_at = mail.internal_date().map(InternalDate::timestamp);
                let head = MailUpdateHeader {
                    uid,
                    validity,
                    cut: size > MAX_WHOLE_MAIL_BYTES,
                    arrived_at,
                    ..MailUpdateHeader::new(kind)
                };
                pieces.push(build_update(format!("{} {validity} {uid}", kind.word()), &head, body)?);
                count += 1;
                bytes += body.len();
            }
        }
        place.1 = uid.saturating_add(1);
    }
    if is_whole {
        place.1 = place.1.max(state.next);
    }
    Ok(())
}

fn refused_error() -> PlatformError {
    PlatformError { why: "new mail cannot be read from the mailbox right now".to_owned(), pause: 10 * SECOND }
}

/// Returns true if the server gives the first mail of the folder: a refusal then concerns single
/// mails.
async fn gives_another(link: &mut ImapLink) -> Result<bool, PlatformError> {
    let first = with_timeout_unless_refused(COMMAND_TIMEOUT, link.fetch_positions((1, 1), ID_ITEMS)).await?;
    Ok(first.is_some_and(|mails| !mails.is_empty()))
}

/// [`fetch_heads`] with one command per mail; refused mails are skipped.
async fn fetch_heads_singly(
    link: &mut ImapLink,
    state: FolderState,
    from: u32,
) -> Result<(Vec<FetchedMail>, bool), PlatformError> {
    if !gives_another(link).await? {
        return Err(refused_error());
    }
    let first = with_timeout(link.position_of(from, state.count)).await?;
    let last = state.count.min(first.saturating_add(MAX_SINGLE_HEADS - 1));
    let mut found = Vec::new();
    for position in first..=last {
        match with_timeout_unless_refused(
            COMMAND_TIMEOUT,
            link.fetch_positions((position, position), HEAD_ITEMS),
        )
        .await?
        {
            Some(mails) => found.extend(mails),
            None => tracing::warn!(position, "the mailbox did not return a mail; it is skipped"),
        }
    }
    found.retain(|mail| mail.uid.is_some_and(|uid| uid >= from));
    Ok((found, last >= state.count))
}

/// Fetches the heads of a folder's mails with UID `from` and up, in order. The flag is true if
/// these are all; of a large folder only a part is fetched. `None` if the server refuses.
async fn fetch_heads(
    link: &mut ImapLink,
    state: FolderState,
    from: u32,
) -> Result<Option<(Vec<FetchedMail>, bool)>, PlatformError> {
    let is_few = state.next.saturating_sub(from) <= HEADS_PER_FETCH || state.count <= HEADS_PER_FETCH;
    let (found, is_whole) = if is_few {
        (
            with_timeout_unless_refused(COMMAND_TIMEOUT, link.fetch(&format!("{from}:*"), HEAD_ITEMS))
                .await?,
            true,
        )
    } else {
        let first = with_timeout(link.position_of(from, state.count)).await?;
        let last = first.saturating_add(HEADS_PER_FETCH - 1);
        match first > state.count {
            true => (Some(Vec::new()), true),
            false => {
                let asked = link.fetch_positions((first, last.min(state.count)), HEAD_ITEMS);
                (with_timeout_unless_refused(COMMAND_TIMEOUT, asked).await?, last >= state.count)
            }
        }
    };
    let Some(mut found) = found else { return Ok(None) };
    found.retain(|mail| mail.uid.is_some_and(|uid| uid >= from));
    found.sort_by_key(|mail| mail.uid);
    Ok(Some((found, is_whole)))
}
