//! The event stream of a team: the log of changes as server-sent events, and presence.
//!
//! 1. A write logs its change in its own transaction, with the next number of its workspace
//!    ([`changes`](crate::database::team::changes)).
//! 2. One task of the process ([`follow`]) looks for new numbers in the workspaces that have streams: after each
//!    commit that it hears of, and at least every [`POLL_INTERVAL`], since another process on a database file, or on
//!    a server without notifications, sends none.
//! 3. Each stream reads the changes after its own number. A client that continues sends the number of its last event,
//!    and gets `reset` if the log no longer reaches back to it.
//!
//! A stream is written only as fast as its client reads: it holds one batch, and reads the next one from the log.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::auth::Member;
use crate::database::DatabaseError;
use crate::database::session::{DbSession, WriteScope};
use crate::database::team::changes::{self, Change, ChangeKind};
use crate::database::team::{conversations as shared, notes, people, replies};
use crate::errors::ApiError;
use crate::metrics::exposition::Exposition;
use crate::state::Service;
use crate::team::conversations::{build_note_body, claim_body};
use crate::team::presence::{self, PresenceBoard};
use crate::team::typing::TypingSigns;
use crate::team::{person_body, reply_body};
use api::body::Body as JsonBody;
use api::errors::ErrorCode;
use api::team::{
    ClaimEvent, ConversationEvent, MessageEvent, NoteEvent, PRESENCE_EVENT, PersonEvent, PresenceEvent,
    RESET_EVENT, ReplyEvent, SnoozeBody, SnoozeEvent, TagEvent,
};
use model::time::Clock;

const MAX_STREAMS_PER_PERSON: usize = 64;
const MAX_STREAMS_PER_SESSION: usize = 4;
/// Seconds after which a refused stream may be opened again.
const STREAM_RETRY_SECONDS: i64 = 5;
/// Maximum number of events that are read at once.
const BATCH_SIZE: usize = 100;
/// Pause after a batch for each of its events; it bounds the events of a second.
const EVENT_PAUSE: Duration = Duration::from_micros(2_500);
/// Shortest wait between two reads of the log.
const READ_SPACING: Duration = Duration::from_millis(20);
/// Longest wait between two reads of the log.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Longest silence of a stream.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Time between two removals of old changes.
const PURGE_INTERVAL: Duration = Duration::from_secs(60);
const HEARTBEAT: &[u8] = b":\n\n";

/// State of the team in this process.
#[derive(Default)]
pub struct TeamState {
    pub presence: PresenceBoard,
    pub typing: TypingSigns,
    open: Mutex<Vec<OpenStream>>,
    /// Newest change and presences of each workspace that has streams.
    progress: watch::Sender<Progress>,
    events_sent: AtomicU64,
    streams_refused: AtomicU64,
    next_stream: AtomicI64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OpenStream {
    number: i64,
    workspace: String,
    person: String,
    session: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Progress {
    newest: HashMap<String, i64>,
    presence: HashMap<String, Vec<PresenceEvent>>,
    stopped: bool,
}

impl TeamState {
    fn stream_count(&self) -> usize {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub fn write_metrics(&self, page: &mut Exposition) {
        let (open, sent, refused) =
            ("frontdesk_team_streams", "frontdesk_team_events_total", "frontdesk_team_streams_refused_total");
        page.begin_family(open, "gauge", "Open event streams.");
        page.write_sample(open, &[], self.stream_count());
        page.begin_family(sent, "counter", "Changes that were sent to desks.");
        page.write_sample(sent, &[], self.events_sent.load(Ordering::Relaxed));
        page.begin_family(
            refused,
            "counter",
            "Event streams that were refused because the limit was reached.",
        );
        page.write_sample(refused, &[], self.streams_refused.load(Ordering::Relaxed));
    }

    fn workspaces(&self) -> Vec<String> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<String> = open.iter().map(|stream| stream.workspace.clone()).collect();
        found.sort();
        found.dedup();
        found
    }

    /// Takes a place among the open streams.
    ///
    /// # Errors
    /// `RATE_LIMIT_EXCEEDED` if the session or the person has too many.
    fn admit(&self, member: &Member) -> Result<OpenStream, ApiError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_session = open.iter().filter(|stream| stream.session == member.session).count();
        let of_person = open.iter().filter(|stream| stream.person == member.person.id).count();
        if of_session >= MAX_STREAMS_PER_SESSION || of_person >= MAX_STREAMS_PER_PERSON {
            self.streams_refused.fetch_add(1, Ordering::Relaxed);
            let words = format!(
                "a desk can have at most {MAX_STREAMS_PER_SESSION} event streams and a person \
                 {MAX_STREAMS_PER_PERSON}; close one first"
            );
            let error = ApiError::new(ErrorCode::RateLimitExceeded, words);
            return Err(error.retry_after(STREAM_RETRY_SECONDS));
        }
        let stream = OpenStream {
            number: self.next_stream.fetch_add(1, Ordering::Relaxed),
            workspace: member.workspace.clone(),
            person: member.person.id.clone(),
            session: member.session.clone(),
        };
        open.push(stream.clone());
        Ok(stream)
    }

    fn close(&self, stream: &OpenStream) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).retain(|open| open != stream);
    }
}

/// Looks for changes until the service stops, which ends all streams.
pub async fn follow(service: Service, mut stop: watch::Receiver<bool>) {
    let mut purged = Instant::now();
    loop {
        let committed = service.committed.notified();
        if let Err(cause) = publish_progress(&service).await {
            tracing::warn!(%cause, "changes of the teams could not be read; next try soon");
        }
        if purged.elapsed() >= PURGE_INTERVAL && service.database.is_leader() {
            purged = Instant::now();
            let now = service.clock.now();
            let removed: Result<(), DatabaseError> =
                service.database.write_in(WriteScope::Unordered, move |db| changes::purge(db, now)).await;
            if let Err(cause) = removed {
                tracing::warn!(%cause, "old changes of the teams could not be removed; next try later");
            }
        }
        tokio::select! {
            () = committed => sleep(READ_SPACING).await,
            () = sleep(POLL_INTERVAL) => {}
            _ = stop.changed() => break,
        }
    }
    service.team.progress.send_modify(|progress| progress.stopped = true);
}

/// Reads the newest numbers and presences of the workspaces that have streams.
async fn publish_progress(service: &Service) -> Result<(), DatabaseError> {
    let mut found = Progress::default();
    for workspace in service.team.workspaces() {
        let name = workspace.clone();
        let newest: Result<i64, DatabaseError> =
            service.database.read_indexed(move |db| changes::newest(db, &name)).await;
        presence::read_shared(service, &workspace).await?;
        let present = service.team.presence.list(&workspace, service.clock.now().micros());
        found.presence.insert(workspace.clone(), present);
        found.newest.insert(workspace, newest?);
    }
    service.team.progress.send_if_modified(|progress| {
        let is_new = *progress != found && !progress.stopped;
        if is_new {
            *progress = found;
        }
        is_new
    });
    Ok(())
}

struct EventStream {
    service: Service,
    member: Member,
    place: OpenStream,
    progress: watch::Receiver<Progress>,
    /// Number of the last change that was sent.
    seq: i64,
    present: Vec<PresenceEvent>,
    /// First chunk.
    begin: Option<String>,
    /// Time to wait before the next batch.
    pause: Duration,
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.service.team.close(&self.place);
    }
}

/// Opens a stream that continues after the change `after`.
///
/// # Errors
/// `RATE_LIMIT_EXCEEDED` if there are too many.
pub async fn open(service: &Service, member: Member, after: Option<i64>) -> Result<Body, ApiError> {
    let place = service.team.admit(&member)?;
    let progress = service.team.progress.subscribe();
    let mut stream = EventStream {
        service: service.clone(),
        member,
        place,
        progress,
        seq: 0,
        present: Vec::new(),
        begin: None,
        pause: Duration::ZERO,
    };
    let workspace = stream.member.workspace.clone();
    let known = service.database.read(move |db| Ok::<_, ApiError>(changes::bounds(db, &workspace)?)).await?;
    let (oldest, newest) = known.unwrap_or((1, 0));
    let resumed = after.filter(|after| (oldest - 1..=newest).contains(after));
    stream.seq = resumed.unwrap_or(newest);
    stream.begin = Some(match resumed {
        Some(_) => ":\n\n".to_owned(),
        None => format!("event: {RESET_EVENT}\nid: {newest}\ndata: {{}}\n\n"),
    });
    Ok(Body::from_stream(stream::unfold(stream, next_chunk)))
}

/// Waits for the next events; `None` ends the stream.
async fn next_chunk(mut stream: EventStream) -> Option<(Result<Bytes, std::io::Error>, EventStream)> {
    if let Some(begin) = stream.begin.take() {
        return Some((Ok(begin.into()), stream));
    }
    sleep(std::mem::take(&mut stream.pause)).await;
    let silent_until = Instant::now() + HEARTBEAT_INTERVAL;
    loop {
        if stream.progress.borrow_and_update().stopped {
            return None;
        }
        match stream.read_events().await {
            Ok(Some(text)) if !text.is_empty() => return Some((Ok(text.into()), stream)),
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(cause) => {
                tracing::warn!(%cause.message, "an event stream failed; its desk opens another");
                return None;
            }
        }
        tokio::select! {
            changed = stream.progress.changed() => if changed.is_err() { return None },
            () = sleep_until(silent_until) => return Some((Ok(Bytes::from_static(HEARTBEAT)), stream)),
        }
    }
}

impl EventStream {
    /// Returns the events since the last call; `None` if the session has ended.
    async fn read_events(&mut self) -> Result<Option<String>, ApiError> {
        let (member, seq) = (self.member.clone(), self.seq);
        let service = Arc::clone(&self.service);
        let job = move |db: &dyn DbSession| {
            if !people::is_session_open(db, &member.session)? {
                return Ok::<_, ApiError>(None);
            }
            let count = i64::try_from(BATCH_SIZE).unwrap_or(i64::MAX);
            let found = changes::list_after(db, &member.workspace, seq, count)?;
            let mut text = String::new();
            for (place, change) in found.iter().enumerate() {
                // Each event carries the newest state, so that of the same events the last one is enough.
                let is_repeated = found[place + 1..].iter().any(|later| is_same_event(change, later));
                if !is_repeated {
                    write_change(db, &member.workspace, change, &mut text)?;
                }
            }
            service.team.events_sent.fetch_add(u64::try_from(found.len()).unwrap_or(0), Ordering::Relaxed);
            Ok(Some((text, found.len(), found.last().map(|change| change.seq))))
        };
        let Some((mut text, count, last)) = self.service.database.read(job).await? else { return Ok(None) };
        self.seq = last.unwrap_or(self.seq);
        self.pause = EVENT_PAUSE * u32::try_from(count).unwrap_or(u32::MAX);
        self.write_presence(&mut text);
        Ok(Some(text))
    }

    /// Writes the changes of presence since the last call.
    fn write_presence(&mut self, text: &mut String) {
        let now = self.service.clock.now().micros();
        let present = self.service.team.presence.list(&self.member.workspace, now);
        let is_place = |one: &PresenceEvent, other: &PresenceEvent| {
            one.person == other.person && one.conversation == other.conversation
        };
        for gone in self.present.iter().filter(|before| !present.iter().any(|now| is_place(before, now))) {
            let gone = PresenceEvent { doing: None, leaves_in_ms: None, ..gone.clone() };
            write_event(text, PRESENCE_EVENT, None, &gone);
        }
        for event in present.iter().filter(|event| !self.present.contains(event)) {
            write_event(text, PRESENCE_EVENT, None, event);
        }
        self.present = present;
    }
}

fn is_same_event(one: &Change, other: &Change) -> bool {
    one.kind == other.kind && one.subject == other.subject && one.item == other.item
}

/// Writes the event of a change with the state that it has now.
fn write_change(
    db: &dyn DbSession,
    workspace: &str,
    change: &Change,
    text: &mut String,
) -> Result<(), ApiError> {
    let Change { seq, kind, subject, item } = change;
    let (conversation, seq) = (subject.clone(), Some(*seq));
    let row = |db: &dyn DbSession| shared::read(db, subject);
    let name = kind.word();
    match kind {
        ChangeKind::Message | ChangeKind::Status => {
            let channel = changes::channel_word(db, subject)?;
            write_event(text, name, seq, &MessageEvent { id: item.clone(), conversation, channel });
        }
        ChangeKind::Conversation => {
            let channel = changes::channel_word(db, subject)?;
            let erased = channel.is_none();
            write_event(text, name, seq, &ConversationEvent { id: conversation, channel, erased });
        }
        ChangeKind::Claim => {
            let claim = row(db)?.and_then(|row| claim_body(&row));
            write_event(text, name, seq, &ClaimEvent { conversation, claim });
        }
        ChangeKind::Note => {
            let found = notes::find(db, subject, item)?.filter(|note| !note.deleted);
            let note = found.map(|note| build_note_body(db, note)).transpose()?;
            write_event(text, name, seq, &NoteEvent { conversation, id: item.clone(), note });
        }
        ChangeKind::Tag => {
            let tags = row(db)?.map(|row| row.tags).unwrap_or_default();
            write_event(text, name, seq, &TagEvent { conversation, tags });
        }
        ChangeKind::Snooze => {
            let snooze = row(db)?.and_then(|row| {
                let until = row.snoozed_until?.to_string();
                Some(SnoozeBody { until, note: row.snooze_note })
            });
            write_event(text, name, seq, &SnoozeEvent { conversation, snooze });
        }
        ChangeKind::Reply => {
            let reply = replies::find(db, workspace, subject)?.map(reply_body);
            write_event(text, name, seq, &ReplyEvent { name: subject.clone(), reply });
        }
        ChangeKind::Person => {
            let person = people::find(db, workspace, subject)?.filter(|person| person.id == *subject);
            let person = person.map(|person| person_body(&person));
            write_event(text, name, seq, &PersonEvent { id: subject.clone(), person });
        }
    }
    Ok(())
}

fn write_event(text: &mut String, name: &str, seq: Option<i64>, data: &impl JsonBody) {
    let Ok(data) = data.to_json() else { return };
    let data = String::from_utf8_lossy(&data);
    let _ = match seq {
        Some(seq) => write!(text, "event: {name}\nid: {seq}\ndata: {data}\n\n"),
        None => write!(text, "event: {name}\ndata: {data}\n\n"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::team::people::Person;
    use api::team::Role;
    use model::time::Timestamp;

    fn member(person: &str, session: usize) -> Member {
        let id = person.to_owned();
        let person = Person { id, name: "Ana".to_owned(), role: Role::Agent, seen_at: Timestamp::default() };
        Member {
            session: format!("{}-{session}", person.id),
            workspace: "w".to_owned(),
            person,
            suspended: false,
        }
    }

    #[test]
    fn streams_of_a_session_and_of_a_person_are_bounded() {
        let team = TeamState::default();
        let mut open = Vec::new();
        for session in 0..16 {
            for _ in 0..4 {
                open.push(team.admit(&member("p", session)).expect("a place"));
            }
            let refused = team.admit(&member("p", session)).expect_err("a fifth");
            assert_eq!(refused.code, ErrorCode::RateLimitExceeded);
        }
        assert!(team.admit(&member("p", 16)).is_err(), "64 of a person");
        assert!(team.admit(&member("q", 0)).is_ok(), "another person has their own");
        team.close(&open[0]);
        assert!(team.admit(&member("p", 16)).is_ok());
    }

    #[test]
    fn an_event_is_one_block_of_lines() {
        let mut text = String::new();
        let reply = ReplyEvent { name: "two\nlines".to_owned(), reply: None };
        write_event(&mut text, "reply", Some(7), &reply);
        assert_eq!(text, "event: reply\nid: 7\ndata: {\"name\":\"two\\nlines\",\"reply\":null}\n\n");
    }
}
