//! An inbox on files and a server that are modelled in memory, for long random runs.
//!
//! Loads and writes are answered at once. The server accepts or refuses rows of the outbox in the order
//! of their lane when it is asked to ([`ModelledDesk::settle`]).

use std::collections::{HashMap, VecDeque};

use crate::Inbox;
use crate::event::{Effect, Event, FileWrite, Intent, Load, Loaded};
use crate::input_queue::InputQueue;
use crate::keys::{KeyCode, KeyPress};
use crate::screens::conversations::saved_views::SavedView;
use crate::settings::{ChannelInfo, Settings};
use model::account::{Account, Environment, Platform};
use model::conversations::{
    Automation, Conversation, ConversationRow, ConversationStatus, Escalation, ServiceWindow,
};
use model::email::{MailAccount, MailMessage, Thread, is_archive};
use model::filter::{ConversationFilter, FilterSubject, FilterTest, HasFilter, IsFilter, Sort, StatusFilter};
use model::ids::{ChannelId, ConversationId, IdempotencyKey, MessageId, RowId};
use model::local::LocalChange;
use model::messages::{
    ContentChange, DeliveryStatus, Direction, Message, MessageFileInfo, MessageRow, Sender,
};
use model::news::News;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::outbox::{HistoryFinding, Operation, OutboxRow, RowState, StopReason};
use model::queries::{
    ConversationPage, ConversationQuery, Draft, HistoryPage, HistoryQuery, OutboxOutcome, OutboxPage,
    TabCounts,
};
use model::queue::{Facts, Section, SectionCounts, place_of};
use model::search::{SearchPage, SearchQuery};
use model::snooze::WakeReason;
use model::text::SafeText;
use model::time::{ClockReading, SECOND, Timestamp};

/// Time between two keys, in microseconds; longer than a dialog ignores keys typed ahead.
const BETWEEN_KEYS: i64 = SECOND / 5;
/// Address of the modelled mailbox.
const OWN_ADDRESS: &str = "hello@harbor.example";
/// Effects after which an inbox counts as endlessly busy.
const MAX_EFFECTS: usize = 10_000;

pub(crate) struct ModelledDesk {
    pub(crate) inbox: Inbox,
    /// Writes since the last [`ModelledDesk::key`], oldest first.
    pub(crate) written: Vec<FileWrite>,
    pub(crate) store: ModelledStore,
    inputs: InputQueue,
}

impl ModelledDesk {
    /// A desk with a tab for each kind of channel.
    pub(crate) fn new(size: (u16, u16), first_view: SavedView) -> Self {
        let agent = SafeText::line("Ana");
        let store = ModelledStore::new(agent.clone());
        let settings = Settings { agent, first_view, absence_after: 0, ..Settings::default() };
        let names = [
            ("chat", "Harbor chat"),
            ("bot", "Harbor bot"),
            ("mail", "Harbor mail"),
            ("phone", "Harbor phone"),
        ];
        let tabs = names.map(|(id, name)| ChannelInfo {
            id: ChannelId::from(id),
            name: name.to_owned(),
            environment: Some(Environment::Live),
            read_only: false,
        });
        let inbox = Inbox::new(tabs.to_vec(), settings, size, store.times());
        let mut desk = Self { inbox, written: Vec::new(), store, inputs: InputQueue::default() };
        let effects = desk.inbox.start();
        desk.perform(effects);
        desk
    }

    pub(crate) fn key(&mut self, key: KeyPress) {
        self.written.clear();
        self.pass(BETWEEN_KEYS);
        self.inputs.push(Event::Key(key), self.store.times().moment);
        self.take_inputs();
    }

    pub(crate) fn types(&mut self, text: &str) {
        for letter in text.chars() {
            let press = Event::Key(KeyPress::plain(KeyCode::Char(letter)));
            self.inputs.push(press, self.store.times().moment);
            self.take_inputs();
        }
    }

    /// Lets this many microseconds pass.
    pub(crate) fn pass(&mut self, micros: i64) {
        self.store.now = self.store.now.plus(micros);
        self.event(Event::Time(self.store.times()));
    }

    pub(crate) fn resize(&mut self, (columns, rows): (u16, u16)) {
        self.event(Event::Resize(columns, rows));
    }

    pub(crate) fn customer(&mut self, channel: &str, number: u32, text: &str) {
        let news = self.store.receive(channel, number, text, Sender::Customer);
        self.deliver(news);
    }

    /// A person answers with another program.
    pub(crate) fn colleague(&mut self, channel: &str, number: u32, text: &str) {
        let news = self.store.receive(channel, number, text, Sender::Human);
        self.deliver(news);
    }

    /// Lets the server take what is due and the AI answer.
    pub(crate) fn settle(&mut self) {
        let news = self.store.settle();
        self.deliver(news);
    }

    fn deliver(&mut self, news: Vec<News>) {
        for news in news {
            self.event(Event::News(news));
        }
    }

    fn event(&mut self, event: Event) {
        let effects = self.inbox.update(event);
        self.perform(effects);
        self.take_inputs();
    }

    fn take_inputs(&mut self) {
        while let Some(event) = self.inputs.next(&self.inbox, self.store.times().moment) {
            let effects = self.inbox.take_input(event, self.inputs.arrived_at());
            self.perform(effects);
        }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        let mut waiting = VecDeque::from(effects);
        let mut performed = 0;
        while let Some(effect) = waiting.pop_front() {
            performed += 1;
            assert!(performed < MAX_EFFECTS, "the inbox never settles: {effect:?}");
            let mut events = Vec::new();
            match effect {
                Effect::Load(load) => {
                    let loaded = self.store.answer(&load);
                    events.extend(loaded.map(|loaded| Event::Loaded(load, Ok(loaded))));
                }
                Effect::Write(write) => {
                    let awaited = write.is_awaited();
                    self.written.push(write.clone());
                    events.extend(self.store.write(write));
                    events.extend(awaited.then_some(Event::Written));
                }
                Effect::Request(_)
                | Effect::Sync(_)
                | Effect::Import(_)
                | Effect::Terminal(_)
                | Effect::Log(_) => (),
            }
            for event in events {
                waiting.extend(self.inbox.update(event));
            }
        }
        self.inbox.desk.record_drawn(self.store.times().moment, &mut self.inbox.context);
    }
}

#[derive(Debug)]
struct StoredConversation {
    row: ConversationRow,
    /// Oldest first.
    messages: Vec<MessageRow>,
    draft: Option<Draft>,
    seen_until: Option<(Timestamp, MessageId)>,
}

#[derive(Debug)]
pub(crate) struct ModelledStore {
    agent: SafeText,
    now: Timestamp,
    /// Refuses the rows that it is asked to send.
    pub(crate) refuses: bool,
    conversations: Vec<StoredConversation>,
    /// Unfinished rows, oldest first.
    outbox: Vec<OutboxRow>,
    outcomes: HashMap<RowId, OutboxOutcome>,
    numbers: i64,
}

impl ModelledStore {
    fn new(agent: SafeText) -> Self {
        Self {
            agent,
            now: Timestamp::parse("2026-11-20T10:00:00Z").expect("a time"),
            refuses: false,
            conversations: Vec::new(),
            outbox: Vec::new(),
            outcomes: HashMap::new(),
            numbers: 0,
        }
    }

    fn times(&self) -> ClockReading {
        ClockReading::manual(self.now)
    }

    fn next_number(&mut self) -> i64 {
        self.numbers += 1;
        self.numbers
    }

    fn position(&self, channel: &ChannelId, id: &ConversationId) -> Option<usize> {
        self.conversations
            .iter()
            .position(|one| one.row.channel == *channel && one.row.conversation.id == *id)
    }

    /// The row with what follows from the outbox and the time.
    fn row(&self, stored: &StoredConversation) -> ConversationRow {
        let mut row = stored.row.clone();
        for queued in self.outbox_of(&row.channel, &row.conversation.id) {
            match &queued.operation {
                _ if queued.is_stopped() => row.stopped_rows += 1,
                Operation::SetAutomation { enabled } => row.automation_pending = Some(*enabled),
                Operation::Close => row.close_pending = true,
                Operation::ChangeThread { change, .. } => file_thread(&mut row, change),
                _ => (),
            }
        }
        row.draft = stored.draft.as_ref().map(|draft| SafeText::line(&draft.text));
        row.place = place_of(&Facts::of_row(&row, &self.agent, 0), self.now);
        row
    }

    fn outbox_of(&self, channel: &ChannelId, id: &ConversationId) -> impl Iterator<Item = &OutboxRow> {
        self.outbox.iter().filter(move |row| row.channel == *channel && row.lane.conversation() == Some(id))
    }

    fn rows(
        &self,
        channel: Option<&ChannelId>,
        filter: &ConversationFilter,
        sort: Sort,
    ) -> Vec<ConversationRow> {
        let rows = self.conversations.iter().map(|stored| self.row(stored));
        let of_channel = rows.filter(|row| channel.is_none_or(|channel| row.channel == *channel));
        let mut rows: Vec<_> =
            of_channel.filter(|row| filter.tests.iter().all(|test| matches(test, row))).collect();
        rows.sort_by_key(|row| {
            let activity = std::cmp::Reverse(row.conversation.last_message_at);
            let place = row.place.filter(|_| sort == Sort::Queue).map(|place| place.sort_key());
            (place, activity, row.conversation.id.clone())
        });
        rows
    }

    fn page(&self, query: &ConversationQuery) -> ConversationPage {
        let rows = self.rows(query.channel.as_ref(), &query.filter, query.sort);
        let sections = SectionCounts::of_rows(&rows);
        let total = u64::try_from(rows.len()).ok();
        ConversationPage { rows, reaches_top: true, reaches_bottom: true, total, sections, is_unread: false }
    }

    /// People whose name has the words of a search.
    fn search(&self, query: &SearchQuery) -> SearchPage {
        if query.conversation.is_some() {
            return SearchPage::default();
        }
        let words = query.text.trim().to_lowercase();
        let rows = self.rows(query.channel.as_ref(), &ConversationFilter::all(), Sort::Activity);
        let found = rows.into_iter().filter(|row| row.conversation.title().as_str().contains(&words));
        let people = found.map(|row| (row.channel.clone(), row)).collect();
        SearchPage { people, ..SearchPage::default() }
    }

    fn history(&self, query: &HistoryQuery) -> HistoryPage {
        let Some(at) = self.position(&query.channel, &query.conversation) else {
            return HistoryPage::default();
        };
        let stored = &self.conversations[at];
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let first = stored.messages.len().saturating_sub(limit);
        HistoryPage {
            conversation: Some(self.row(stored)),
            messages: stored.messages[first..].to_vec(),
            outbox: self.outbox_of(&query.channel, &query.conversation).cloned().collect(),
            more_stored: first > 0,
            seen_until: stored.seen_until.clone(),
            ..HistoryPage::default()
        }
    }

    fn counts(&self, channel: &ChannelId) -> TabCounts {
        let rows = self.rows(Some(channel), &ConversationFilter::all(), Sort::Activity);
        let count = |holds: fn(&ConversationRow) -> bool| {
            u32::try_from(rows.iter().filter(|row| holds(row)).count()).unwrap_or(u32::MAX)
        };
        let outbox = |is_stopped: bool| {
            let of_channel = self.outbox.iter().filter(|row| row.channel == *channel);
            u32::try_from(of_channel.filter(|row| row.is_stopped() == is_stopped).count()).unwrap_or(u32::MAX)
        };
        TabCounts {
            list_was_read: true,
            needs_reply: count(ConversationRow::needs_person),
            outbox: outbox(false),
            stopped: outbox(true),
            paused_here: count(|row| row.paused_here),
            snoozed: count(|row| row.local.is_asleep()),
            ..TabCounts::default()
        }
    }

    fn account(channel: &ChannelId) -> Account {
        Account {
            id: channel.to_string(),
            workspace_id: "w1".to_owned(),
            workspace_name: None,
            assistant_name: None,
            platform: match channel.as_str() {
                "bot" => Platform::Telegram,
                "mail" => Platform::Email,
                "phone" => Platform::Voip,
                _ => Platform::Whatsapp,
            },
            environment: Environment::Live,
            number: None,
            credits: 1_000.0,
            messaging_tier: None,
            quality_rating: None,
            takes_buttons: false,
            takes_voice: false,
            takes_stickers: false,
            takes_contacts: false,
            takes_link_preview: false,
        }
    }

    /// Answers what the loop reads; `None` for pages, which stay empty.
    fn answer(&self, load: &Load) -> Option<Loaded> {
        Some(match load {
            Load::Conversations(query) => Loaded::Conversations(query.clone(), self.page(query)),
            Load::History(query) => Loaded::History(query.clone(), Box::new(self.history(query))),
            Load::HistoryPrefetch(query) => {
                Loaded::HistoryPrefetch(query.clone(), Box::new(self.history(query)))
            }
            Load::Counts(channel) => Loaded::Counts(channel.clone(), self.counts(channel)),
            Load::Draft(channel, id) => {
                let at = self.position(channel, id);
                let draft = at.and_then(|at| self.conversations[at].draft.clone());
                Loaded::Draft(channel.clone(), id.clone(), draft, None)
            }
            Load::Account(channel) => {
                Loaded::Account(channel.clone(), Some(Box::new(Self::account(channel))))
            }
            Load::NeedsPerson => {
                let filter = ConversationFilter::section(Some(Section::NeedsPerson));
                Loaded::NeedsPerson(self.rows(None, &filter, Sort::Queue))
            }
            Load::OpenWork(channels) => {
                let counts = channels.iter().map(|channel| (channel.clone(), self.counts(channel)));
                Loaded::OpenWork(counts.collect())
            }
            Load::Marked(keys) => {
                let found = keys.iter().filter_map(|key| self.position(&key.channel, &key.conversation));
                Loaded::Marked(found.map(|at| self.row(&self.conversations[at])).collect())
            }
            Load::MarkList(query, mode) => {
                let keys = self.page(query).rows.iter().map(ConversationRow::key).collect();
                Loaded::MarkList(query.clone(), *mode, keys, false)
            }
            Load::RowOutcomes(rows) => {
                let outcome = |row: &RowId| self.outcomes.get(row).cloned().unwrap_or(OutboxOutcome::Waiting);
                Loaded::RowOutcomes(rows.iter().map(|row| (row.clone(), outcome(row))).collect())
            }
            Load::Card(key) => Loaded::Card(key.clone(), Box::default()),
            Load::SamePerson(key) => Loaded::SamePerson(key.clone(), Vec::new()),
            Load::Outbox(query) => Loaded::Outbox(query.clone(), OutboxPage::default()),
            Load::Pauses(channel) => Loaded::Pauses(channel.clone(), Vec::new()),
            Load::PausedConversations(_) => Loaded::PausedConversations(Vec::new()),
            Load::NeedsYou(_) => Loaded::NeedsYou(Box::default()),
            Load::Alarms(query, _) => Loaded::Alarms(Box::default(), query.now),
            Load::Question(..) => Loaded::Question(None),
            Load::Unpaid => Loaded::Unpaid(Vec::new()),
            Load::Spending => Loaded::Spending(Vec::new()),
            Load::Tags(_) => Loaded::Tags(Vec::new()),
            Load::ConversationNames => Loaded::ConversationNames(Vec::new()),
            Load::ViewCounts(_, filters, _) => Loaded::ViewCounts(vec![None; filters.len()]),
            Load::DueDrafts(..) => Loaded::DueDrafts(Vec::new()),
            Load::Barrier(number) => Loaded::Barrier(*number),
            Load::Search(query) => Loaded::Search(query.clone(), Box::new(self.search(query))),
            Load::ViewMatches(query) => Loaded::ViewMatches(query.clone(), self.page(query).rows),
            Load::Mailbox(channel) => {
                let address = SafeText::line(OWN_ADDRESS);
                let account = MailAccount { address, ..MailAccount::default() };
                Loaded::Mailbox(channel.clone(), Some(Box::new(account)), [Vec::new(), Vec::new()])
            }
            Load::Proposals(_)
            | Load::Reviews(..)
            | Load::Drafts(_)
            | Load::People(_)
            | Load::Person(..)
            | Load::Correspondents(..)
            | Load::Triage(_)
            | Load::Rules(_)
            | Load::Templates(_)
            | Load::UploadedFiles(_)
            | Load::ModelUsage(_)
            | Load::ServiceLevels(..)
            | Load::ContactWays(_)
            | Load::NewerMessages(..)
            | Load::Lookup(_)
            | Load::Broadcasts(_) => return None,
        })
    }

    /// Carries out a write of the loop; others have no effect.
    fn write(&mut self, write: FileWrite) -> Vec<Event> {
        match write {
            FileWrite::SaveDraft(channel, id, draft) => {
                if let Some(at) = self.position(&channel, &id) {
                    self.conversations[at].draft = draft.filter(|draft| !draft.is_empty());
                }
                Vec::new()
            }
            FileWrite::Enqueue { intents, clears_draft } => {
                let rows: Vec<_> =
                    intents.into_iter().map(|intent| self.enqueue(intent, clears_draft)).collect();
                vec![Event::Enqueued(rows)]
            }
            FileWrite::Recall(id) => {
                let at = self.outbox.iter().position(|row| row.id == id && row.can_recall());
                let taken = at.map(|at| Box::new(self.outbox.remove(at)));
                if taken.is_some() {
                    self.outcomes.insert(id.clone(), OutboxOutcome::Recalled);
                }
                vec![Event::Recalled(id, taken)]
            }
            FileWrite::SendNow(id) => {
                let now = self.now;
                let row = self.outbox.iter_mut().find(|row| row.id == id && row.can_recall());
                if let Some(row) = row {
                    (row.not_before, row.due_at) = (now, now);
                }
                Vec::new()
            }
            FileWrite::MarkSeen(channel, id, until) => {
                if let Some(at) = self.position(&channel, &id) {
                    self.conversations[at].seen_until = Some(until);
                    self.conversations[at].row.unread = 0;
                }
                vec![Event::News(News::History(channel, id))]
            }
            FileWrite::ChangeLocal(channel, change) => {
                self.change_local(&channel, change);
                vec![Event::News(News::Conversations(channel))]
            }
            FileWrite::SaveNote(..)
            | FileWrite::RecallNote(..)
            | FileWrite::AddNote { .. }
            | FileWrite::ChangeNote(..)
            | FileWrite::SendProposal(..)
            | FileWrite::SettleProposal(..)
            | FileWrite::RestoreProposal(_)
            | FileWrite::Review(..)
            | FileWrite::RegisterWebhook { .. }
            | FileWrite::Decide(..)
            | FileWrite::RecordPresence(_)
            | FileWrite::TakeOver(..)
            | FileWrite::Export { .. }
            | FileWrite::Campaign(_) => Vec::new(),
        }
    }

    fn enqueue(&mut self, intent: Intent, clears_draft: bool) -> OutboxRow {
        if let Some(at) = self.position(&intent.channel, &intent.conversation).filter(|_| clears_draft) {
            self.conversations[at].draft = None;
        }
        let sequence = self.next_number();
        let not_before = self.now.plus(intent.hold);
        let row = OutboxRow {
            id: RowId::new(format!("row{sequence}")),
            sequence,
            channel: intent.channel,
            lane: intent.conversation.into(),
            operation: intent.operation,
            key: IdempotencyKey::new(format!("key{sequence}")),
            created_at: self.now,
            not_before,
            due_at: not_before,
            first_attempt_at: None,
            attempts: 0,
            state: RowState::Queued,
            seen: intent.seen,
            finding: HistoryFinding::Nothing,
            planned_at: intent.planned_at,
        };
        self.outbox.push(row.clone());
        row
    }

    fn change_local(&mut self, channel: &ChannelId, change: LocalChange) {
        let mut each = |id: &ConversationId, change: &dyn Fn(&mut ConversationRow)| {
            if let Some(at) = self.position(channel, id) {
                change(&mut self.conversations[at].row);
            }
        };
        match change {
            LocalChange::Claim(claims) => {
                for (id, claim) in claims {
                    each(&id, &|row| row.local.claim.clone_from(&claim));
                }
            }
            LocalChange::Snooze(snoozes) => {
                for (id, snooze) in snoozes {
                    each(&id, &|row| row.local.snooze.clone_from(&snooze));
                }
            }
            LocalChange::Unseen(unseen) => {
                for (id, count) in unseen {
                    each(&id, &|row| row.unread = count);
                }
            }
            LocalChange::Wake(now) => {
                for stored in &mut self.conversations {
                    let snooze = stored.row.local.snooze.as_mut();
                    if let Some(snooze) =
                        snooze.filter(|snooze| snooze.until.is_some_and(|until| until <= now))
                    {
                        snooze.wake_reason = Some(WakeReason::Time);
                    }
                }
            }
            LocalChange::Tags(_)
            | LocalChange::DraftOnly(_)
            | LocalChange::Rule(..)
            | LocalChange::ExtendPauses(..)
            | LocalChange::ApplyTime { .. } => (),
        }
    }

    /// Adds a message of a customer, who may be new, or of a person elsewhere.
    fn receive(&mut self, channel: &str, number: u32, text: &str, sender: Sender) -> Vec<News> {
        let (channel, id) = (ChannelId::from(channel), ConversationId::new(format!("{channel}{number}")));
        let at = match self.position(&channel, &id) {
            Some(at) => at,
            None if sender != Sender::Customer => return Vec::new(),
            None => {
                self.conversations.push(new_conversation(&channel, &id));
                self.conversations.len() - 1
            }
        };
        let is_inbound = sender == Sender::Customer;
        let conversation = &mut self.conversations[at].row.conversation;
        if !is_inbound && conversation.has_automation_switch() {
            conversation.automation = Automation::Off;
        }
        self.add_message(at, text, sender, false);
        let mut news = vec![News::History(channel.clone(), id.clone()), News::Conversations(channel.clone())];
        if is_inbound {
            news.insert(0, News::Inbound(channel, id));
        }
        news
    }

    fn add_message(&mut self, at: usize, text: &str, sender: Sender, sent_here: bool) {
        let (number, now) = (self.next_number(), self.now);
        let stored = &mut self.conversations[at];
        let is_inbound = sender == Sender::Customer;
        let id = stored.row.conversation.id.clone();
        let mail = stored.row.thread.as_ref();
        let mail = mail.map(|thread| Box::new(mail_of(&stored.row, thread, is_inbound, text)));
        let message = Message {
            direction: if is_inbound { Direction::Inbound } else { Direction::Outbound },
            sender,
            content: SafeText::block(text),
            delivery: DeliveryStatus::Sent,
            created_at: Some(now),
            ..Message::stand_in(MessageId::new(format!("m{number:09}")), id)
        };
        stored.messages.push(MessageRow {
            message,
            sent_here,
            reaction: None,
            reaction_pending: None,
            mail,
            media: MessageFileInfo::default(),
            generated: Vec::new(),
            change: ContentChange::default(),
            album: None,
        });
        let row = &mut stored.row;
        row.conversation.last_message_at = Some(now);
        row.conversation.preview = SafeText::line(text);
        row.conversation.message_count += 1;
        if !is_inbound {
            (row.waiting_since, row.ai_asked_at) = (None, None);
            row.conversation.escalation = Escalation::None;
            return;
        }
        row.unread += 1;
        row.waiting_since = row.waiting_since.or(Some(now));
        row.last_inbound_at = Some(now);
        row.conversation.status = ConversationStatus::Open;
        file_thread(
            row,
            &ThreadChange {
                is_read: Some(false),
                place: Some(ThreadPlace::Archived(false)),
                ..ThreadChange::default()
            },
        );
        if text.contains("person") && row.conversation.has_automation_switch() {
            row.conversation.escalation = Escalation::Requested(SafeText::line("asked for a person"));
        }
        if let Some(snooze) = row.local.snooze.as_mut().filter(|snooze| snooze.after < now) {
            snooze.wake_reason = Some(WakeReason::Reply);
        }
    }

    /// Takes or refuses due rows, each lane in order; then the AI answers where it is on.
    fn settle(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        let mut blocked = Vec::new();
        for mut row in std::mem::take(&mut self.outbox) {
            let lane = (row.channel.clone(), row.lane.clone());
            let is_due = row.not_before <= self.now && !row.is_stopped();
            if !is_due || blocked.contains(&lane) {
                blocked.push(lane);
                self.outbox.push(row);
                continue;
            }
            let id = row.lane.conversation().cloned().unwrap_or_default();
            news.extend([News::History(row.channel.clone(), id), News::Conversations(row.channel.clone())]);
            row.attempts += 1;
            if self.refuses && row.operation.is_automatic() {
                // Asks for no decision.
                self.outcomes.insert(row.id.clone(), OutboxOutcome::Done);
            } else if self.refuses {
                let why = SafeText::line("refused");
                row.state = RowState::Stopped(StopReason::Refused, why.clone());
                self.outcomes.insert(row.id.clone(), OutboxOutcome::NeedsDecision(why));
                blocked.push(lane);
                self.outbox.push(row);
            } else {
                self.outcomes.insert(row.id.clone(), OutboxOutcome::Done);
                self.carry_out(&row);
            }
        }
        for at in 0..self.conversations.len() {
            let row = &self.conversations[at].row;
            let answers = row.conversation.automation == Automation::On
                && row.conversation.escalation == Escalation::None
                && row.conversation.status == ConversationStatus::Open;
            if answers && row.waiting_since.is_some_and(|since| self.now.since(since) > 10 * SECOND) {
                let key = row.key();
                self.add_message(at, "How can I help?", Sender::Ai, false);
                news.push(News::History(key.channel.clone(), key.conversation));
                news.push(News::Conversations(key.channel));
            }
        }
        news
    }

    fn carry_out(&mut self, row: &OutboxRow) {
        let at = row.lane.conversation().and_then(|id| self.position(&row.channel, id));
        let Some(at) = at else { return };
        match &row.operation {
            Operation::SetAutomation { enabled } => self.set_automation(at, *enabled),
            Operation::Close => self.conversations[at].row.conversation.status = ConversationStatus::Closed,
            Operation::SendText { text, .. } => {
                self.set_automation(at, false);
                self.add_message(at, text, Sender::Api, true);
            }
            Operation::SendSms { body, .. } => self.add_message(at, body, Sender::Api, true),
            Operation::SendMail(mail) => {
                self.add_message(at, mail.text.as_deref().unwrap_or_default(), Sender::Api, true);
            }
            Operation::ChangeThread { change, .. } => file_thread(&mut self.conversations[at].row, change),
            _ => (),
        }
    }

    fn set_automation(&mut self, at: usize, enabled: bool) {
        let row = &mut self.conversations[at].row;
        row.conversation.automation = if enabled { Automation::On } else { Automation::Off };
        row.paused_here = !enabled;
        row.paused = (!enabled).then(|| (self.agent.clone(), self.now));
        row.handed_back_at = enabled.then_some(self.now);
    }
}

fn new_conversation(channel: &ChannelId, id: &ConversationId) -> StoredConversation {
    let (is_mail, has_window) = (channel.as_str() == "mail", channel.as_str() == "chat");
    let has_ai = matches!(channel.as_str(), "chat" | "bot");
    let address = if is_mail { format!("{id}@mail.example") } else { "+34600111222".to_owned() };
    let conversation = Conversation {
        address: Some(address),
        name: SafeText::optional_line(Some(id.as_str())),
        window: if has_window { ServiceWindow::Open } else { ServiceWindow::NotApplicable },
        automation: if has_ai { Automation::On } else { Automation::NotApplicable },
        escalation: Escalation::None,
        ..Conversation::stand_in(id.clone(), true)
    };
    let mut row = ConversationRow::without_facts(channel.clone(), conversation);
    let subject = Some(SafeText::line(&format!("About {id}")));
    row.thread = is_mail.then(|| Box::new(Thread { subject, ..Thread::default() }));
    StoredConversation { row, messages: Vec::new(), draft: None, seen_until: None }
}

/// Changes the thread of a row; a row without one stays as it is.
fn file_thread(row: &mut ConversationRow, change: &ThreadChange) {
    let Some(thread) = &mut row.thread else { return };
    thread.is_read = change.is_read.or(thread.is_read);
    let folder = match &change.place {
        None => return,
        Some(ThreadPlace::Archived(true)) => "archive",
        Some(ThreadPlace::Archived(false)) => "inbox",
        Some(ThreadPlace::Folder(name)) => name.as_str(),
    };
    thread.folder = Some(SafeText::line(folder));
    let is_closed = is_archive(folder);
    row.conversation.status = if is_closed { ConversationStatus::Closed } else { ConversationStatus::Open };
}

/// The mail of a message, from the customer or to them.
fn mail_of(row: &ConversationRow, thread: &Thread, is_inbound: bool, text: &str) -> MailMessage {
    let customer = SafeText::line(row.conversation.address.as_deref().unwrap_or_default());
    let own = SafeText::line(OWN_ADDRESS);
    let (from, to) = if is_inbound { (customer, own) } else { (own, customer) };
    let plain = Some(SafeText::block(text));
    MailMessage { from, to: vec![to], subject: thread.subject.clone(), plain, ..MailMessage::default() }
}

fn matches(test: &FilterTest, row: &ConversationRow) -> bool {
    let is_closed = row.conversation.status == ConversationStatus::Closed;
    let holds = match &test.subject {
        FilterSubject::Section(section) => {
            row.place.is_some_and(|place| section.is_none_or(|one| place.section == one))
        }
        FilterSubject::Status(StatusFilter::Open) => !is_closed,
        FilterSubject::Status(StatusFilter::Closed) => is_closed,
        FilterSubject::Status(StatusFilter::Any) => true,
        FilterSubject::Is(IsFilter::Snoozed) => row.local.is_asleep(),
        FilterSubject::Is(IsFilter::Unseen | IsFilter::Unread) => row.unread > 0,
        FilterSubject::Is(IsFilter::Waiting) => row.waiting_since.is_some(),
        FilterSubject::Is(IsFilter::Paused) => row.paused_here,
        FilterSubject::Has(HasFilter::Draft) => row.draft.is_some(),
        FilterSubject::Text(words) => {
            words.is_in(row.conversation.title().as_str()) || words.is_in(row.conversation.preview.as_str())
        }
        _ => false,
    };
    holds != test.negated
}
