//! Reads a mailbox: new mail of the inbox, of the sent folder and of chosen further folders, changed flags,
//! and mails that were moved or deleted. Then waits for the server to report a change and reads everything again,
//! whatever was reported. While mail from before the connection is left to import (`earlier.rs`), a
//! batch of that is read instead of waiting.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_imap::extensions::idle::IdleResponse;
use async_imap::types::{Flag, UnsolicitedResponse};
use tokio::time::{Instant, sleep, timeout};

use crate::contract::{InboundUpdate, PlatformError, PollResult};
use crate::mailbox::MailboxPlatform;
use crate::mailbox::earlier::{EarlierReader, FetchedEarlierMail};
use crate::mailbox::fetched::{FetchedMail, InternalDate};
use crate::mailbox::folders::{MailFolder, describe_folders};
use crate::mailbox::imap::{
    COMMAND_TIMEOUT, FolderState, INBOX, ImapLink, decode_modified_utf7, with_timeout,
    with_timeout_unless_refused,
};
use crate::mailbox::large::{LargeMail, fetch_large};
use crate::mailbox::updates::build_update;
use api::carriers::{FolderMark, MailFact, MailFacts, MailUpdateHeader, MailUpdateKind, MailboxCursor};
use model::time::SECOND;

/// Maximum duration of one IDLE; it is renewed long before a server drops it.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// [`IDLE_TIMEOUT`] of a mailbox with further folders, in which new mail is not announced.
const FOLDER_IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two reads of the flags in further folders.
const FOLDER_FLAGS_INTERVAL: Duration = Duration::from_secs(8);
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
/// Largest mail that is read whole, in bytes. Of a larger one the files stay in the mailbox (`large.rs`), or only
/// the first `CUT_MAIL_BYTES` are read.
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
    /// Names of the further folders that are read.
    folders: Vec<String>,
    /// Flags as last reported, by UID.
    facts: FolderFacts,
    /// Those of the further folders, by name.
    folder_facts: BTreeMap<String, FolderFacts>,
    /// Time at which the flags in further folders were last read.
    folders_looked_at: Option<Instant>,
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

/// Flags of the mails in a folder, by UID.
type FolderFacts = BTreeMap<u32, MailFact>;

/// Selected folder whose new mail is read.
#[derive(Clone, Copy)]
struct MailSource<'a> {
    kind: MailUpdateKind,
    /// Name of a further folder.
    name: Option<&'a str>,
    state: FolderState,
    /// Arrival time of the oldest mail that counts, in seconds since the Unix epoch.
    since: i64,
    /// True if a mail is skipped that the server refuses repeatedly.
    leaves_out: bool,
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
        link.structure_failures = Arc::clone(&self.structure_failures);
        let inbox = with_timeout(link.enter(INBOX)).await?;
        Ok(MailboxReader {
            link: Some(link),
            inbox,
            folders: self.settings.folders.clone(),
            facts: BTreeMap::new(),
            folder_facts: BTreeMap::new(),
            folders_looked_at: None,
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
        let mut folders = BTreeMap::new();
        for folder in &self.settings.folders {
            // A folder that was removed is read again if it comes back.
            if let Some(mark) = mark_folder(&mut link, folder, since).await? {
                folders.insert(folder.clone(), mark);
            }
        }
        // A server drops the session without it, too.
        let _ = with_timeout(link.session.logout()).await;
        let (inbox, sent) = (inbox.next_position(), sent.next_position());
        Ok(MailboxCursor { since, name, inbox, sent, told: 0, earlier: None, folders })
    }

    /// Lists the folders of the mailbox.
    pub async fn list_folders(&self) -> Result<Vec<MailFolder>, PlatformError> {
        let mut link = ImapLink::open(&self.imap_server, &self.login, &self.trust).await?;
        let all = describe_folders(&link.listed, &self.settings.folders);
        // A server drops the session without it, too.
        let _ = with_timeout(link.session.logout()).await;
        Ok(all)
    }

    /// Returns the marks at which reading of further folders begins, for those that can be opened.
    pub async fn mark_folders(
        &self,
        names: &[String],
        now: i64,
    ) -> Result<BTreeMap<String, FolderMark>, PlatformError> {
        let mut marks = BTreeMap::new();
        if names.is_empty() {
            return Ok(marks);
        }
        let mut link = ImapLink::open(&self.imap_server, &self.login, &self.trust).await?;
        for name in names {
            match mark_folder(&mut link, name, now).await? {
                Some(mark) => drop(marks.insert(name.clone(), mark)),
                None => {
                    let why =
                        format!("the mailbox does not open the folder {:?}", decode_modified_utf7(name));
                    return Err(PlatformError { why, pause: 10 * SECOND });
                }
            }
        }
        let _ = with_timeout(link.session.logout()).await;
        Ok(marks)
    }
}

/// Returns the mark at which reading of a folder begins that is chosen now; `None` if the server refuses it.
async fn mark_folder(link: &mut ImapLink, name: &str, now: i64) -> Result<Option<FolderMark>, PlatformError> {
    let state = with_timeout_unless_refused(COMMAND_TIMEOUT, link.enter(name)).await?;
    Ok(state.map(|state| FolderMark { place: state.next_position(), chosen: now, since: 0 }))
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
            let (since, leaves_out) = (mark.since, self.leaves_out);
            let inbox = MailSource { kind: MailUpdateKind::Inbox, name: None, state, since, leaves_out };
            fetch_new(link, inbox, &mut mark.inbox, &mut pieces).await?;
            let folder = link.sent.clone();
            // A mailbox without a sent folder is still read.
            let sent = with_timeout_unless_refused(COMMAND_TIMEOUT, link.state_of(&folder)).await?;
            if let Some(sent) = sent
                && sent.next_position() != mark.sent
            {
                let sent = with_timeout(link.enter(&folder)).await?;
                let sent = MailSource { kind: MailUpdateKind::Sent, state: sent, ..inbox };
                fetch_new(link, sent, &mut mark.sent, &mut pieces).await?;
                let state = with_timeout(link.enter(INBOX)).await?;
                self.set_inbox(state);
            }
            self.read_folders(mark, &mut pieces, begun).await?;
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

    /// Reads the new mail of the further folders, and selects the inbox again.
    async fn read_folders(
        &mut self,
        mark: &mut MailboxCursor,
        pieces: &mut Vec<InboundUpdate>,
        begun: Instant,
    ) -> Result<(), PlatformError> {
        let names = self.folders.clone();
        mark.folders.retain(|name, _| names.contains(name));
        let mut has_left = false;
        for name in &names {
            let bytes: usize = pieces.iter().map(|piece| piece.body.len()).sum();
            if pieces.len() >= MAX_MAILS || bytes > MAX_BYTES || begun.elapsed() > MAX_FETCH_TIME {
                // The next reading goes on, as the marks have moved.
                break;
            }
            let link = self.link.as_mut().ok_or_else(connection_ended)?;
            // A folder that was removed is read again if it comes back.
            let told = with_timeout_unless_refused(COMMAND_TIMEOUT, link.state_of(name)).await?;
            let Some(told) = told else { continue };
            let known = mark.folders.get(name).copied();
            if known.is_some_and(|known| known.place == told.next_position()) {
                continue;
            }
            let entered = with_timeout_unless_refused(COMMAND_TIMEOUT, link.enter(name)).await?;
            has_left = true;
            let Some(state) = entered else { continue };
            let mut folder = known.unwrap_or(FolderMark {
                place: (state.validity, 1),
                chosen: mark.since,
                since: mark.since,
            });
            if folder.place.0 != state.validity {
                // UIDs of the former validity name other mails now: only arrival times tell what is new.
                folder = FolderMark { place: (state.validity, 1), since: folder.chosen, ..folder };
                self.folder_facts.remove(name);
                self.earlier = EarlierReader::new();
            }
            let source = MailSource {
                kind: MailUpdateKind::Folder,
                name: Some(name),
                state,
                since: folder.since.max(mark.since),
                leaves_out: self.leaves_out,
            };
            let read = fetch_new(link, source, &mut folder.place, pieces).await;
            mark.folders.insert(name.clone(), folder);
            read?;
        }
        if has_left {
            let link = self.link.as_mut().ok_or_else(connection_ended)?;
            let state = with_timeout(link.enter(INBOX)).await?;
            self.set_inbox(state);
            self.is_entered = false;
        }
        Ok(())
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
        let limit = if self.folders.is_empty() { IDLE_TIMEOUT } else { FOLDER_IDLE_TIMEOUT };
        let ImapLink { session, .. } = link;
        let mut idle = session.idle();
        with_timeout(idle.init()).await?;
        let told = {
            let (waiting, _interrupt) = idle.wait_with_timeout(limit);
            // Bounds a server that only sends keep-alives.
            timeout(2 * limit, waiting).await.unwrap_or(Ok(IdleResponse::Timeout))
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
        if self.link.is_none() {
            return Ok(None);
        }
        // A report that was not stored is made again from the beginning.
        let anew = all || self.facts_counter != Some(mark.told);
        if anew {
            self.facts.clear();
            self.folder_facts.clear();
        }
        let (validity, next) = mark.inbox;
        let from = next.saturating_sub(MAX_FOLLOWED_MAILS).max(1);
        // A server that refuses makes no mail count as gone.
        let link = self.link.as_mut().ok_or_else(connection_ended)?;
        let Some(mut now) = fetch_flags(link, &self.facts, from, mark.counts_from()).await? else {
            return Ok(None);
        };
        now.retain(|uid, _| *uid < next);
        // A mail below `from` left the followed range and may still exist.
        let mut gone: Vec<String> = missing_from(&self.facts, &now, from);
        let mut folders_now = self.folder_facts.clone();
        let mut mails = Vec::new();
        let is_due = self.folders_looked_at.is_none_or(|at| at.elapsed() > FOLDER_FLAGS_INTERVAL);
        if !self.folders.is_empty() && (anew || is_due || !gone.is_empty()) {
            let Some(read) = self.read_folder_facts(mark).await? else { return Ok(None) };
            for (name, (from, facts)) in read {
                let before = self.folder_facts.get(&name).cloned().unwrap_or_default();
                mails.extend(changed_from(&before, &facts));
                gone.extend(missing_from(&before, &facts, from));
                folders_now.insert(name, facts);
            }
            self.folders_looked_at = Some(Instant::now());
        }
        mails.extend(changed_from(&self.facts, &now));
        let is_elsewhere = |id: &String| {
            now.values().chain(folders_now.values().flat_map(BTreeMap::values)).any(|fact| fact.id == *id)
        };
        gone.retain(|id| !is_elsewhere(id));
        (self.facts, self.folder_facts) = (now, folders_now);
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

    /// Reads the flags in the further folders, each with the UID from which on it is complete, and selects the
    /// inbox again. `None` if the server refuses a folder that it has.
    async fn read_folder_facts(
        &mut self,
        mark: &MailboxCursor,
    ) -> Result<Option<BTreeMap<String, (u32, FolderFacts)>>, PlatformError> {
        let mut read = BTreeMap::new();
        let mut is_refused = false;
        for name in &self.folders {
            let link = self.link.as_mut().ok_or_else(connection_ended)?;
            let Some(folder) = mark.folders.get(name) else { continue };
            let (validity, next) = folder.place;
            let from = next.saturating_sub(MAX_FOLLOWED_MAILS).max(1);
            let entered = with_timeout_unless_refused(COMMAND_TIMEOUT, link.enter(name)).await?;
            let known = self.folder_facts.get(name).cloned().unwrap_or_default();
            let facts = match entered {
                // Its mails are read again first.
                Some(state) if state.validity != validity => continue,
                Some(_) => fetch_flags(link, &known, from, mark.counts_from()).await?,
                // The mails of a removed folder are gone.
                None => match with_timeout(link.has_folder(name)).await? {
                    true => None,
                    false => Some(BTreeMap::new()),
                },
            };
            match facts {
                Some(mut facts) => {
                    facts.retain(|uid, _| *uid < next);
                    read.insert(name.clone(), (from, facts));
                }
                None => is_refused = true,
            }
        }
        let link = self.link.as_mut().ok_or_else(connection_ended)?;
        let state = with_timeout(link.enter(INBOX)).await?;
        self.set_inbox(state);
        self.is_entered = false;
        Ok((!is_refused).then_some(read))
    }
}

/// Returns the flags that differ from those before.
fn changed_from(before: &FolderFacts, now: &FolderFacts) -> Vec<MailFact> {
    let is_changed = |(uid, fact): &(&u32, &MailFact)| before.get(uid) != Some(*fact);
    now.iter().filter(is_changed).map(|(_, fact)| fact.clone()).collect()
}

/// Returns the ids of mails with UID `from` and up that left a folder.
fn missing_from(before: &FolderFacts, now: &FolderFacts, from: u32) -> Vec<String> {
    let is_gone = |(uid, fact): &(&u32, &MailFact)| {
        !now.contains_key(uid) && now.values().all(|other| other.id != fact.id)
    };
    before.range(from..).filter(is_gone).map(|(_, fact)| fact.id.clone()).collect()
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

/// Fetches the new mails of the selected folder and advances its place in the mark. A mail that the server
/// refuses fails the reading, or is skipped if `leaves_out` is set.
async fn fetch_new(
    link: &mut ImapLink,
    MailSource { kind, name, state, since, leaves_out }: MailSource<'_>,
    place: &mut (u32, u32),
    pieces: &mut Vec<InboundUpdate>,
) -> Result<(), PlatformError> {
    let validity = state.validity;
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
        // A draft in a further folder was never sent.
        let is_draft = kind == MailUpdateKind::Folder && mail.flags().any(|flag| flag == Flag::Draft);
        if arrival_seconds(&mail) >= since && !is_draft {
            let size = mail.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
            let enough =
                bytes + size.min(MAX_WHOLE_MAIL_BYTES) > MAX_BYTES || begun.elapsed() > MAX_FETCH_TIME;
            if count >= MAX_MAILS || (count > 0 && enough) {
                return Ok(());
            }
            let told = match fetch_mail(link, uid, size).await? {
                Some(told) => told,
                None if leaves_out && gives_another(link).await? => {
                    tracing::warn!(uid, "the mailbox did not return a mail; it is skipped");
                    LargeMail::default()
                }
                None => return Err(refused_error()),
            };
            // A mail without a body was deleted meanwhile.
            if let Some(body) = told.mail.body() {
                let arrived_at = mail.internal_date().map(InternalDate::timestamp);
                let head = MailUpdateHeader {
                    uid,
                    validity,
                    folder: name.map(str::to_owned),
                    cut: told.is_cut,
                    left: told.left.clone(),
                    arrived_at,
                    ..MailUpdateHeader::new(kind)
                };
                let folder = name.map_or_else(|| kind.word().to_owned(), |name| format!("folder {name}"));
                pieces.push(build_update(format!("{folder} {validity} {uid}"), &head, body)?);
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

/// Fetches a mail of the selected folder, of a large one a part; `None` if the server refuses it.
async fn fetch_mail(link: &mut ImapLink, uid: u32, size: usize) -> Result<Option<LargeMail>, PlatformError> {
    if size > MAX_WHOLE_MAIL_BYTES {
        return fetch_large(link, uid).await;
    }
    let number = uid.to_string();
    let asked = link.fetch(&number, "(UID BODY.PEEK[])");
    let told = with_timeout_unless_refused(MAIL_TIMEOUT, asked).await?;
    let of_mail = |told: Vec<FetchedMail>| told.into_iter().find(|mail| mail.uid == Some(uid));
    Ok(told.map(|told| LargeMail { mail: of_mail(told).unwrap_or_default(), ..LargeMail::default() }))
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
