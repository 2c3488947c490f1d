//! Performs effects: reads on one thread, writes in order on another, both answered through the mailbox;
//! polling through the engine.
//!
//! [`reading::load`] and [`write()`] do the work; the threads around them only pass it on.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use crate::shell::campaigning;
use crate::shell::connections::DeskConnections;
use crate::shell::event_queue::EventQueue;
use crate::shell::exporting;
use crate::shell::files;
use crate::shell::importing::ImportThread;
use crate::shell::mail_files;
use crate::shell::pictures::PictureLoader;
use crate::shell::piping;
use crate::shell::reading;
use crate::shell::searching::SearchThread;
use crate::shell::user_files::{self, UserFiles};
use client::{Attachments, prepare_with};
use inbox::event::{Effect, Event, FileWrite, Intent, Load, SyncOrder};
use inbox::outside::OutsideRequest;
use model::ids::{ChannelId, ConversationId, MessageId, NoteId, ProposalId, RowId};
use model::messages::HistoryPosition;
use model::news::News;
use model::outbox::{Operation, OutboxRow, StopVerdict};
use model::proposals::{DeskProposal, ProposalVerdict};
use model::queries::Draft;
use model::reviews::{ReviewEntry, ReviewVerdict};
use model::secret::Secret;
use model::text::SafeText;
use model::time::{Clock, Timestamp};
use store::outbox::NewRow;
use store::{Reader, Store, StoreError};
use sync::Engine;

/// Performs a write. Returns its event if the inbox waits for one.
pub fn write(store: &Store, write: FileWrite, now: Timestamp) -> Option<Event> {
    match write {
        FileWrite::SaveDraft(channel, conversation, draft) => save_draft(store, channel, conversation, draft),
        FileWrite::SaveNote(channel, conversation, text) => {
            Some(save_note(store, channel, conversation, text, now))
        }
        FileWrite::AddNote { channel, conversation, text, group } => {
            match store.insert_note(&channel, &conversation, &text, now) {
                Ok(note) => Some(Event::NoteAdded(channel, conversation, note.id, group)),
                Err(error) => failed(Err(error), "could not add the note"),
            }
        }
        FileWrite::ChangeNote(channel, conversation, note, text) => {
            let changed = match text {
                Some(text) => store.edit_note(&note, &text),
                None => store.delete_note(&note),
            };
            let failure = failed(changed, "could not change the note");
            failure.or(Some(Event::News(News::History(channel, conversation))))
        }
        FileWrite::RecallNote(channel, conversation, note) => {
            Some(delete_note(store, channel, conversation, &note))
        }
        FileWrite::Enqueue { intents, clears_draft } => {
            Some(enqueue(store, intents, RowSource::for_draft(clears_draft), None, now))
        }
        FileWrite::SendProposal(id, intents) => {
            Some(enqueue(store, intents, RowSource::Proposed(id), None, now))
        }
        FileWrite::SettleProposal(id, verdict) => Some(settle_proposal(store, &id, verdict, now)),
        FileWrite::RestoreProposal(proposal) => Some(restore_proposal(store, *proposal)),
        FileWrite::Review(entry, verdict, reviewer) => Some(review(store, &entry, verdict, &reviewer, now)),
        FileWrite::Export { key, name, format, file } => {
            Some(Event::Exported(exporting::export(store, key, &name, format, &file)))
        }
        FileWrite::RegisterWebhook { intent, secret } => {
            Some(enqueue(store, vec![*intent], RowSource::Other, secret.as_ref(), now))
        }
        FileWrite::Recall(row) => Some(recall(store, row)),
        FileWrite::Campaign(order) => Some(campaigning::execute_order(store, order, now)),
        FileWrite::SendNow(row) => failed(store.send_now(&row), "could not send it now"),
        FileWrite::Decide(row, verdict, seen) => Some(apply_decision(store, row, verdict, seen, now)),
        FileWrite::MarkSeen(channel, conversation, until) => {
            let marked = store.mark_seen(&channel, &conversation, until);
            failed(marked, "could not mark as seen")
                .or(Some(Event::News(News::History(channel, conversation))))
        }
        FileWrite::RecordPresence(absence) => record_presence(store, now, absence),
        FileWrite::TakeOver(channels, who, from) => match store.take_over(channels.clone(), who, from) {
            Ok(count) => Some(Event::TakenOver(channels, count)),
            Err(error) => failed(Err(error), "could not take it over"),
        },
        FileWrite::ChangeLocal(channel, keep) => {
            let kept = failed(store.change_local(&channel, keep), "storing it on this desk");
            kept.or(Some(Event::News(News::Conversations(channel))))
        }
    }
}

/// Records that a person is present. If that fails, the next absence begins before this one.
fn record_presence(store: &Store, now: Timestamp, absence: i64) -> Option<Event> {
    let noted = store.record_presence(now, absence);
    noted
        .inspect_err(|error| tracing::error!(%error, "presence could not be stored"))
        .ok()?
        .map(|_| Event::Returned)
}

fn apply_decision(
    store: &Store,
    row: RowId,
    verdict: StopVerdict,
    seen: Option<HistoryPosition>,
    now: Timestamp,
) -> Event {
    match store.decide(&row, verdict.clone(), seen, now) {
        Ok(decided) => {
            Event::Decided(row, verdict, decided.map(|applied_decision| Box::new(applied_decision.before)))
        }
        Err(error) => {
            tracing::error!(%error, %row, "a decision could not be carried out");
            Event::WriteFailed { what: "deciding".to_owned(), why: error.to_string(), intents: Vec::new() }
        }
    }
}

fn failed(result: Result<(), StoreError>, what: &str) -> Option<Event> {
    let error = result.err()?;
    tracing::error!(%error, what, "a write failed");
    Some(Event::WriteFailed { what: what.to_owned(), why: error.to_string(), intents: Vec::new() })
}

/// Saves a draft; if that fails, returns it to the inbox.
fn save_draft(
    store: &Store,
    channel: ChannelId,
    conversation: ConversationId,
    draft: Option<Draft>,
) -> Option<Event> {
    let error = store.save_draft(&channel, &conversation, draft.clone()).err()?;
    tracing::error!(%error, "a draft could not be stored");
    Some(Event::DraftNotSaved(channel, conversation, draft, error.to_string()))
}

/// Saves a note; if that fails, returns it to the inbox.
fn save_note(
    store: &Store,
    channel: ChannelId,
    conversation: ConversationId,
    text: String,
    now: Timestamp,
) -> Event {
    match store.add_note(&channel, &conversation, &text, now) {
        Ok(note) => Event::NoteSaved(channel, conversation, note),
        Err(error) => {
            tracing::error!(%error, "a note could not be stored");
            Event::NoteNotSaved(channel, conversation, text, error.to_string())
        }
    }
}

fn delete_note(store: &Store, channel: ChannelId, conversation: ConversationId, note: &NoteId) -> Event {
    match store.recall_note(note) {
        Ok(text) => Event::NoteRecalled(channel, conversation, text),
        Err(error) => Event::WriteFailed {
            what: "withdrawing the note".to_owned(),
            why: error.to_string(),
            intents: Vec::new(),
        },
    }
}

fn settle_proposal(store: &Store, id: &ProposalId, verdict: ProposalVerdict, now: Timestamp) -> Event {
    match store.settle_proposal(id, verdict, now) {
        Ok(taken) => Event::ProposalSettled(verdict, taken.map(Box::new)),
        Err(error) => {
            tracing::error!(%error, "a proposal could not be settled");
            let what = "deciding on the proposal".to_owned();
            Event::WriteFailed { what, why: error.to_string(), intents: Vec::new() }
        }
    }
}

fn restore_proposal(store: &Store, proposal: DeskProposal) -> Event {
    let channel = proposal.channel.clone();
    let restored = failed(store.restore_proposal(proposal), "restoring the proposal");
    restored.unwrap_or(Event::News(News::Conversations(channel)))
}

fn review(
    store: &Store,
    entry: &ReviewEntry,
    verdict: Option<ReviewVerdict>,
    reviewer: &SafeText,
    now: Timestamp,
) -> Event {
    let kept = failed(store.record_review(entry, verdict, reviewer, now), "storing the review");
    kept.unwrap_or_else(|| Event::News(News::Conversations(entry.channel.clone())))
}

/// Origin of rows, consumed in the same transaction.
#[derive(Debug, PartialEq, Eq)]
enum RowSource {
    Draft,
    Proposed(ProposalId),
    /// Neither draft nor proposal.
    Other,
}

impl RowSource {
    fn for_draft(clears_draft: bool) -> Self {
        if clears_draft { Self::Draft } else { Self::Other }
    }
}

/// Prepares the bytes and keys of all intents and queues them in one transaction.
fn enqueue(
    store: &Store,
    intents: Vec<Intent>,
    wanted: RowSource,
    secret: Option<&Secret>,
    now: Timestamp,
) -> Event {
    let what = intents.last().map_or("sending", |intent| intent.operation.describe_doing());
    let refused = |why: String, intents| Event::WriteFailed { what: what.to_owned(), why, intents };
    let mut rows = Vec::with_capacity(intents.len());
    for intent in &intents {
        let conversation = Some(&intent.conversation);
        let lane = match &intent.operation {
            // A mail thread is a conversation, even before it exists.
            Operation::SendMail(_) | Operation::ChangeThread { .. } => intent.conversation.clone().into(),
            other => other.lane(conversation).unwrap_or_else(|| intent.conversation.clone().into()),
        };
        let received = |mail: &MessageId| {
            store.raw_mail(&intent.channel, mail).unwrap_or_else(|error| {
                tracing::error!(%error, "a forwarded mail could not be read");
                None
            })
        };
        let (operation, mailed) = match mail_files::read_attachments(&intent.operation, received) {
            Ok(read) => read,
            Err(why) => return refused(why, intents),
        };
        let prepared = match &operation {
            Operation::SendFile(file) => files::read(&file.path, file.size).and_then(|bytes| {
                let enclosed = Attachments { files: &[&bytes], ..Attachments::default() };
                let prepared = prepare_with(&intent.platform, &lane, &intent.operation, enclosed);
                prepared.map_err(|error| error.to_string())
            }),
            Operation::SendMail(_) => {
                let mailed: Vec<&[u8]> = mailed.iter().map(Vec::as_slice).collect();
                let enclosed = Attachments { files: &mailed, ..Attachments::default() };
                prepare_with(&intent.platform, &lane, &operation, enclosed).map_err(|error| error.to_string())
            }
            other => {
                let enclosed = Attachments { files: &[], secret };
                prepare_with(&intent.platform, &lane, other, enclosed).map_err(|error| error.to_string())
            }
        };
        match prepared {
            Ok(request) => rows.push(NewRow {
                channel: intent.channel.clone(),
                lane,
                operation,
                request,
                hold_micros: intent.hold,
                seen: intent.seen.clone(),
                planned_at: intent.planned_at,
            }),
            Err(why) => return refused(why, intents),
        }
    }
    let queued = match &wanted {
        RowSource::Proposed(id) => store.accept_reply(id, rows, now).map(Option::unwrap_or_default),
        RowSource::Draft | RowSource::Other => store.enqueue_many(rows, wanted == RowSource::Draft, now),
    };
    match queued {
        Ok(rows) => Event::Enqueued(rows),
        Err(error) => {
            tracing::error!(%error, "a row could not be added to the outbox");
            refused(error.to_string(), intents)
        }
    }
}

fn recall(store: &Store, row: RowId) -> Event {
    match store.recall(&row) {
        Ok(taken) => Event::Recalled(row, taken.map(|outbox_row: OutboxRow| Box::new(outbox_row))),
        Err(error) => Event::WriteFailed {
            what: "withdrawing it".to_owned(),
            why: error.to_string(),
            intents: Vec::new(),
        },
    }
}

/// Threads and engine that perform effects.
pub struct EffectRunner {
    loads: Sender<Load>,
    searching: SearchThread,
    writes: Sender<FileWrite>,
    asks: Sender<OutsideRequest>,
    viewer: PictureLoader,
    linked: Option<DeskConnections>,
    importing: ImportThread,
    mailbox: EventQueue,
    writer: Option<JoinHandle<()>>,
    engine: Arc<Engine>,
}

impl EffectRunner {
    /// Starts threads for reading, searching, writing and the person's files.
    pub fn start(
        store: Store,
        reader: Reader,
        mut outside: UserFiles,
        engine: Arc<Engine>,
        clock: Arc<dyn Clock>,
        mailbox: EventQueue,
    ) -> std::io::Result<Self> {
        let readers = store.readers();
        let (loads, load_queue) = channel();
        let (writes, write_queue) = channel();
        let (answers, searched) = (mailbox.clone(), mailbox.clone());
        let name = |text: &str| std::thread::Builder::new().name(text.to_owned());
        let (asks, ask_queue) = channel();
        let (told, viewer, kept) = (mailbox.clone(), outside.viewer(), mailbox.clone());
        let linked = outside.desk_connections();
        outside.set_store(store.clone());
        name("files").spawn(move || user_files::run_requests(outside, &ask_queue, &told))?;
        name("reader").spawn(move || reading::run_loads(reader, &load_queue, &answers))?;
        let importing = ImportThread::start(store.clone(), engine.clone(), clock.clone(), mailbox.clone())?;
        let waker = engine.clone();
        let writer = name("writer").spawn(move || {
            for asked in write_queue {
                let (wakes, awaited) = (FileWrite::wakes_outbox(&asked), asked.is_awaited());
                let is_shared = asked.wakes_team();
                if let Some(event) = write(&store, asked, clock.now()) {
                    mailbox.result(event);
                }
                if awaited {
                    mailbox.result(Event::Written);
                }
                if wakes {
                    waker.wake_outbox();
                }
                if is_shared {
                    waker.wake_team();
                }
            }
        })?;
        let searching = SearchThread::start(readers, searched)?;
        let writer = Some(writer);
        Ok(Self { searching, importing, loads, writes, asks, viewer, linked, mailbox: kept, writer, engine })
    }

    /// Performs an effect other than those of the loop itself.
    pub fn perform(&self, effect: Effect) {
        match effect {
            // A thread that has ended has already reported it.
            Effect::Load(Load::Search(query)) => self.searching.start_search(query),
            Effect::Load(load) => drop(self.loads.send(load)),
            Effect::Request(OutsideRequest::Picture(wanted)) => {
                let mailbox = self.mailbox.clone();
                self.viewer.begin(wanted, move |viewer| mailbox.result(Event::Answered(viewer)));
            }
            Effect::Request(OutsideRequest::Connections(request)) => {
                user_files::begin(self.linked.as_ref(), *request, &self.mailbox)
            }
            Effect::Request(OutsideRequest::Pipe { command, json }) => {
                piping::begin(command, json, self.mailbox.clone())
            }
            Effect::Request(asked) => drop(self.asks.send(asked)),
            Effect::Sync(order) => self.order(order),
            Effect::Import(order) => self.importing.order(order),
            Effect::Write(write) => drop(self.writes.send(write)),
            Effect::Log(words) => tracing::info!(%words),
            // Performed by the loop itself.
            Effect::Terminal(_) => (),
        }
    }

    fn order(&self, order: SyncOrder) {
        match order {
            SyncOrder::Watch(channel, conversation) => self.engine.focus(Some((channel, conversation))),
            SyncOrder::FetchOlder(channel, conversation) => self.engine.fetch_older(channel, conversation),
            SyncOrder::ReadCalls => {
                let mailbox = self.mailbox.clone();
                self.engine.read_calls(move |engine| mailbox.result(Event::Calls(engine)));
            }
            SyncOrder::Fetch(channel, fetch) => self.engine.fetch(channel, fetch),
            SyncOrder::Refresh(channel) => self.engine.refresh(channel),
            SyncOrder::ReadPeople => self.engine.read_people(),
            SyncOrder::ReadTeamStatistics { since } => self.engine.read_team_statistics(since),
            SyncOrder::SendTeamChanges => self.engine.wake_team(),
            SyncOrder::SetActivity(activity, leaves_at) => self.engine.set_activity(activity, leaves_at),
        }
    }

    /// Waits until all writes are on disk.
    pub fn finish(mut self) {
        drop(self.writes);
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the writing thread failed");
        }
    }
}
