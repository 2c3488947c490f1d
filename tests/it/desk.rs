//! The story harness: keys in, a picture out, with the real service and real files. Nothing sleeps:
//! [`Desk::settle`] runs until nothing is left to do.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use frontdesk::api::team::Role;
use frontdesk::cli::development::{self, GeneratedData};
use frontdesk::inbox::Inbox;
use frontdesk::inbox::event::{Effect, Event, FileWrite, Load, Loaded, SyncOrder, TerminalOrder};
use frontdesk::inbox::input_queue::InputQueue;
use frontdesk::inbox::keys::Pointer;
use frontdesk::inbox::keys::{KeyCode, KeyPress};
use frontdesk::inbox::layout::Area;
use frontdesk::inbox::outside::CopyMethod;
use frontdesk::inbox::plain::input;
use frontdesk::inbox::plain::input::PlainCommand;
use frontdesk::inbox::screens::conversations::saved_views::SavedView;
use frontdesk::inbox::screens::people::csv_import::{ImportAction, ImportResult, ImportSource};
use frontdesk::inbox::settings::{ChannelInfo, PauseOnReply, Settings};
use frontdesk::inbox::theme_table_view::ThemeName;
use frontdesk::inbox::theme_view::Theme;
use frontdesk::inbox::view;
use frontdesk::model::account::Environment;
use frontdesk::model::connections::Connection;
use frontdesk::model::conversations::Automation;
use frontdesk::model::email::compose::MailStyle;
use frontdesk::model::ids::ChannelId;
use frontdesk::model::model_costs::{ModelCaps, ModelPrices, ModelUsage};
use frontdesk::model::news::{Health, News};
use frontdesk::model::pictures::Graphics;
use frontdesk::model::proposals::ProposedChange;
use frontdesk::model::reviews::ReviewedAnswer;
use frontdesk::model::search::{SearchPage, SearchQuery};
use frontdesk::model::secret::Secret;
use frontdesk::model::text::SafeText;
use frontdesk::model::time::{Clock, Moment, SECOND, Timestamp, Zone};
use frontdesk::net::assist::Endpoint;
use frontdesk::net::connections::Credentials;
use frontdesk::service;
use frontdesk::service::admin::Admin;
use frontdesk::shell::connections::{ConnectionsSetup, DeskConnections};
use frontdesk::shell::desk_parts::DeskParts;
use frontdesk::shell::effects;
use frontdesk::shell::importing;
use frontdesk::shell::pictures::PictureLoader;
use frontdesk::shell::reading;
use frontdesk::shell::suggesting::{Suggester, SuggesterSetup};
use frontdesk::shell::user_files::UserFiles;
use frontdesk::store::clock::StoreClock;
use frontdesk::store::proposals::NewProposal;
use frontdesk::store::{Reader, Store, StoreOptions};
use frontdesk::sync::import::Import;
use frontdesk::sync::{ChannelSpec, ChannelSync};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Value, json};

use crate::hands::Steps;
use crate::regions::rows_of;

/// Local time at which every story begins, in any zone.
const START: &str = "2026-11-20T10:00:00";
/// Time between two keys, in microseconds; longer than a dialog ignores keys typed ahead.
const BETWEEN_KEYS: i64 = SECOND / 5;

/// Zone of the stories: UTC, or the one in `FRONTDESK_STORY_ZONE`.
pub fn zone() -> Zone {
    std::env::var("FRONTDESK_STORY_ZONE").map_or(Zone::UTC, |var| named_zone(&var))
}

pub fn named_zone(name: &str) -> Zone {
    Zone::from(jiff::tz::TimeZone::get(name).expect("a zone of the database"))
}

/// Formats a local time as the API does.
pub fn utc(local: &str) -> String {
    HandClock::at(local, &zone()).now().to_string().replace(".000Z", "Z")
}

/// Rewrites the API timestamps in a picture, which are shown raw, as if the zone were UTC.
pub fn in_any_zone(picture: &str) -> String {
    let outside = |character: char| !character.is_ascii_digit() && !"TZ:.-".contains(character);
    let told = |piece: &str| {
        let word = piece.trim_end_matches(outside);
        let at = Timestamp::parse(word).filter(|_| word.ends_with('Z'))?;
        let wall = Zone::UTC.at(at.day_number(&zone()), at.time_of_day(&zone())).to_string();
        let wall = if word.contains('.') { wall } else { wall.replace(".000Z", "Z") };
        Some(wall + &piece[word.len()..])
    };
    picture.split_inclusive(outside).map(|part| told(part).unwrap_or_else(|| part.to_owned())).collect()
}

/// Defaults of most stories: all open conversations are listed, absences are off.
fn settings() -> Settings {
    Settings { zone: zone(), first_view: SavedView::all_open(), absence_after: 0, ..Settings::default() }
}

/// Parses keys: characters as they are, others as `<Enter>` or `<Ctrl-D>`; `<lt>` is `<`.
fn presses(keys: &str) -> Vec<KeyPress> {
    let mut rest = keys;
    let mut all = Vec::new();
    while let Some(character) = rest.chars().next() {
        let (key, length) = match rest.split_once('>') {
            Some((name, _)) if character == '<' && name.len() > 1 => {
                let name = &name[1..];
                let key = if name == "lt" {
                    Some(KeyPress::plain(KeyCode::Char('<')))
                } else {
                    KeyPress::parse(name)
                };
                (key.unwrap_or_else(|| panic!("no key {name}")), name.len() + 2)
            }
            _ => (KeyPress::plain(KeyCode::Char(character)), character.len_utf8()),
        };
        rest = &rest[length..];
        all.push(key);
    }
    all
}

/// A clock that only tests move.
#[derive(Debug)]
pub struct HandClock {
    wall: AtomicI64,
    /// Microseconds the wall clock was set ahead of the steady clock.
    set: AtomicI64,
}

impl HandClock {
    pub fn new() -> Arc<Self> {
        Self::at(START, &zone())
    }

    /// A clock that shows a local time of a zone.
    pub fn at(local: &str, zone: &Zone) -> Arc<Self> {
        let wall = Timestamp::parse(&format!("{local}Z")).expect("a valid time");
        let start = zone.at(wall.day_number(&Zone::UTC), wall.time_of_day(&Zone::UTC));
        Arc::new(Self { wall: AtomicI64::new(start.micros()), set: AtomicI64::new(0) })
    }

    pub fn advance(&self, micros: i64) {
        self.wall.fetch_add(micros, Ordering::SeqCst);
    }

    /// Moves the wall clock alone; the steady clock stays.
    pub fn set_by(&self, micros: i64) {
        self.wall.fetch_add(micros, Ordering::SeqCst);
        self.set.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.wall.load(Ordering::SeqCst))
    }

    fn moment(&self) -> Moment {
        Moment::from_micros(self.wall.load(Ordering::SeqCst) - self.set.load(Ordering::SeqCst))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    Works,
    Fails,
    /// No write completes until the disk works again.
    Hangs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum World {
    Empty,
    /// Empty, with a tab for each of the four channels.
    AllTabs,
    Sample,
    TestTab,
}

impl World {
    fn tab_count(self) -> usize {
        match self {
            Self::Empty | Self::TestTab => 2,
            Self::AllTabs | Self::Sample => 4,
        }
    }
}

pub struct Desk {
    pub app: Inbox,
    pub clock: Arc<HandClock>,
    pub theme: Theme,
    pub runtime: tokio::runtime::Runtime,
    pub base_url: String,
    pub dev_url: String,
    pub keys: Vec<(String, Environment, String)>,
    pub bells: usize,
    pub notices: Vec<String>,
    pub copied: Vec<String>,
    pub opened: Vec<String>,
    /// Results of the person's next edits in the editor.
    pub edits: std::collections::VecDeque<String>,
    pub quit: bool,
    pub loads: Vec<Load>,
    /// Writes to this desk's files, oldest first.
    pub written: Vec<FileWrite>,
    inputs: InputQueue,
    disk: Disk,
    hung: Vec<Effect>,
    unreadable: fn(&Load) -> bool,
    /// True while no load completes.
    reads_hang: bool,
    /// True while no request to the server completes.
    far: bool,
    http: reqwest::Client,
    pub store: Store,
    reader: Reader,
    channels: Vec<ChannelSync>,
    /// State each channel keeps between steps.
    steps: Vec<Steps>,
    news: Arc<Mutex<Vec<News>>>,
    outside: UserFiles,
    import: Option<(ImportSource, Import)>,
    folder: tempfile::TempDir,
    _service: Option<service::RunningService>,
}

impl Desk {
    /// A desk on an empty live workspace: business chat and bot-chat tabs.
    pub fn new(columns: u16, rows: u16) -> Self {
        Self::with(columns, rows, |_| ())
    }

    pub fn with(columns: u16, rows: u16, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = settings();
        change(&mut settings);
        Self::in_world((columns, rows), settings, World::Empty)
    }

    pub fn demo(columns: u16, rows: u16) -> Self {
        Self::demo_in(columns, rows, zone())
    }

    pub fn demo_in(columns: u16, rows: u16, zone: Zone) -> Self {
        Self::in_world((columns, rows), Settings { demo: true, zone, ..settings() }, World::Sample)
    }

    /// An empty workspace with a tab for each of the four channels.
    pub fn with_all_tabs(columns: u16, rows: u16) -> Self {
        Self::in_world((columns, rows), settings(), World::AllTabs)
    }

    /// A desk whose second tab has the business chat's test key.
    pub fn with_test_tab(columns: u16, rows: u16) -> Self {
        Self::in_world((columns, rows), settings(), World::TestTab)
    }

    /// A desk in a zone, beginning at a local time of it.
    pub fn in_zone(columns: u16, rows: u16, zone: &str, local: &str) -> Self {
        let settings = Settings { zone: named_zone(zone), ..settings() };
        Self::begun((columns, rows), settings, World::Empty, local)
    }

    fn in_world(size: (u16, u16), settings: Settings, world: World) -> Self {
        Self::begun(size, settings, world, START)
    }

    fn begun(size: (u16, u16), settings: Settings, world: World, local: &str) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let clock = HandClock::at(local, &settings.zone);
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = service::Options::new(
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            folder.path().join("service.db"),
            clock.clone(),
        );
        options.dev = true;
        options.unlimited = true;
        options.by_hand = true;
        options.demo = world == World::Sample;
        let running = runtime.block_on(service::start(options)).expect("the service starts");
        let keys: Vec<(String, Environment, String)> = running
            .keys
            .iter()
            .map(|key| (key.channel.to_string(), key.environment, key.key.expose().to_owned()))
            .collect();
        let tabs = [
            ("whatsapp", "Harbor chat"),
            ("telegram", "Harbor bot"),
            ("email", "Harbor mail"),
            ("voip", "Harbor phone"),
        ];
        let specs = tabs.iter().take(world.tab_count()).map(|(channel, name)| {
            let found = keys.iter().find(|key| key.0 == *channel && key.1 == Environment::Live);
            spec(channel, name, &running.base_url, &found.expect("a live key").2)
        });
        let mut specs: Vec<ChannelSpec> = specs.collect();
        if world == World::TestTab {
            let found = keys.iter().find(|key| key.0 == "whatsapp" && key.1 == Environment::Test);
            let key = &found.expect("a test key").2;
            specs[1] = spec("test", "Test chat", &running.base_url, key);
        }
        let (base_url, dev_url) = (running.base_url.clone(), running.dev_url.clone());
        Self::open(specs, settings, size, clock, runtime, folder, move |desk| {
            desk.base_url = base_url;
            desk.dev_url = dev_url;
            desk.keys = keys;
            desk._service = Some(running);
        })
    }

    pub fn on_server(base_url: &str, key: &str) -> Self {
        Self::with_tab("Harbor chat", base_url, key)
    }

    pub fn with_tab(name: &str, base_url: &str, key: &str) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder");
        let specs = vec![spec("whatsapp", name, base_url, key)];
        Self::open(specs, settings(), (80, 24), HandClock::new(), runtime, folder, |_| ())
    }

    fn open(
        specs: Vec<ChannelSpec>,
        settings: Settings,
        size: (u16, u16),
        clock: Arc<HandClock>,
        runtime: tokio::runtime::Runtime,
        folder: tempfile::TempDir,
        finish: impl FnOnce(&mut Self),
    ) -> Self {
        let setup = StoreOptions {
            zone: settings.zone.clone(),
            clock: StoreClock::new(clock.clone()),
            owner: settings.agent.to_string(),
            ..StoreOptions::default()
        };
        let store = Store::open_with(&folder.path().join("desk"), setup).expect("the desk's files open");
        let reader = store.reader().expect("a reader");
        let news: Arc<Mutex<Vec<News>>> = Arc::default();
        let app = Inbox::new(DeskParts::infos(&specs), settings, size, clock.times());
        let homes = specs.iter().map(|spec| (spec.id.clone(), spec.base_url.clone())).collect();
        let viewer = PictureLoader::new(runtime.handle().clone(), homes, Graphics::Half);
        let channels: Vec<_> =
            specs.into_iter().map(|spec| make_channel(spec, &store, &clock, &news)).collect();
        let steps = channels.iter().map(|_| Steps::new(clock.now())).collect();
        frontdesk::client::install_tls();
        let mut desk = Self {
            app,
            clock,
            theme: Theme::new(ThemeName::Mono, false),
            runtime,
            base_url: String::new(),
            dev_url: String::new(),
            keys: Vec::new(),
            bells: 0,
            notices: Vec::new(),
            copied: Vec::new(),
            opened: Vec::new(),
            edits: std::collections::VecDeque::new(),
            quit: false,
            loads: Vec::new(),
            written: Vec::new(),
            inputs: InputQueue::default(),
            disk: Disk::Works,
            hung: Vec::new(),
            unreadable: |_| false,
            reads_hang: false,
            far: false,
            // The service may close a kept connection at any moment.
            http: reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client"),
            store,
            reader,
            channels,
            steps,
            news,
            outside: UserFiles::new(folder.path().join("replies"), viewer)
                .with_save_folder(folder.path().join("saved")),
            import: None,
            folder,
            _service: None,
        };
        desk.outside.set_store(desk.store.clone());
        finish(&mut desk);
        let effects = desk.app.start();
        desk.perform(effects);
        desk
    }

    /// Ends the desk as `kill -9` does and opens it again on the same files.
    pub fn crash_and_reopen(self) -> Self {
        let specs: Vec<ChannelSpec> = self.channels.iter().map(|channel| channel.spec().clone()).collect();
        let (settings, size) = (self.app.context.settings.clone(), self.app.context.size);
        let Self {
            clock, runtime, folder, store, reader, channels, base_url, dev_url, keys, _service, ..
        } = self;
        // Nothing is saved on exit.
        drop((store, reader, channels));
        Self::open(specs, settings, size, clock, runtime, folder, move |desk| {
            desk.base_url = base_url;
            desk.dev_url = dev_url;
            desk.keys = keys;
            desk._service = _service;
        })
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        let mut waiting = std::collections::VecDeque::from(effects);
        waiting.extend(self.take_news());
        let mut turns = 0;
        while let Some(effect) = waiting.pop_front() {
            turns += 1;
            assert!(turns < 10_000, "the desk never settles: {effect:?}");
            let event = match effect {
                Effect::Load(load) if self.reads_hang => {
                    self.hung.push(Effect::Load(load));
                    None
                }
                Effect::Load(load) => {
                    let loaded = self.load(&load);
                    Some(Event::Loaded(load, loaded))
                }
                Effect::Terminal(TerminalOrder::Bell) => {
                    self.bells += 1;
                    None
                }
                Effect::Terminal(TerminalOrder::Notify(title, body)) => {
                    self.notices.push(format!("{title}: {body}"));
                    None
                }
                Effect::Terminal(TerminalOrder::Copy(text, what)) => {
                    self.copied.push(text);
                    Some(Event::Copied(what, Ok(CopyMethod::Program)))
                }
                other if self.far && is_asked_of_the_server(&other) => {
                    self.hung.push(other);
                    None
                }
                Effect::Import(order) => self.order(order),
                Effect::Request(asked) => Some(Event::Answered(self.outside.handle_request(asked))),
                Effect::Terminal(TerminalOrder::Edit(text)) => {
                    let edited = self.edits.pop_front().unwrap_or_else(|| format!("{text} (edited)\n"));
                    Some(Event::Edited(Ok(edited)))
                }
                Effect::Terminal(TerminalOrder::Record(_)) => {
                    Some(Event::Recorded(Ok(self.file("recorded.ogg", b"OggS....OpusHead"))))
                }
                Effect::Sync(SyncOrder::ReadCalls) => {
                    let mut calls: Vec<_> =
                        self.channels.iter().flat_map(|channel| channel.calls()).collect();
                    let others = self.store.calls_of_others(String::new(), 100);
                    calls.extend(self.runtime.block_on(others).unwrap_or_default());
                    calls.sort_by_key(|call| std::cmp::Reverse(call.at));
                    Some(Event::Calls(calls))
                }
                Effect::Terminal(TerminalOrder::OpenLink(url)) => {
                    self.opened.push(url);
                    None
                }
                Effect::Terminal(TerminalOrder::Quit) => {
                    self.quit = true;
                    None
                }
                other if is_asked_of_the_server(&other) => {
                    self.ask(other);
                    None
                }
                Effect::Write(write) if write.is_awaited() && self.disk == Disk::Hangs => {
                    self.hung.push(Effect::Write(write));
                    None
                }
                Effect::Write(write) => {
                    let awaited = write.is_awaited();
                    self.written.push(write.clone());
                    let event = self.write(write);
                    waiting.extend(event.into_iter().flat_map(|event| self.app.update(event)));
                    awaited.then_some(Event::Written)
                }
                Effect::Sync(_) | Effect::Terminal(_) | Effect::Log(_) => None,
            };
            if let Some(event) = event {
                waiting.extend(self.app.update(event));
            }
            waiting.extend(self.take_news());
        }
        self.app.desk.record_drawn(self.clock.moment(), &mut self.app.context);
    }

    /// Reads from the server on behalf of a person.
    fn ask(&self, effect: Effect) {
        let of = |id: ChannelId| self.channels.iter().find(|channel| channel.spec().id == id).expect("a tab");
        let on = &self.runtime;
        match effect {
            Effect::Sync(SyncOrder::Fetch(channel, fetch)) => {
                on.block_on(of(channel).fetch(&fetch));
            }
            Effect::Sync(SyncOrder::FetchOlder(channel, conversation)) => {
                on.block_on(of(channel).pull_older(&conversation));
            }
            other => unreachable!("{other:?} is not asked of the server"),
        }
    }

    /// Carries out a step of an import.
    fn order(&mut self, order: ImportAction) -> Option<Event> {
        match order {
            ImportAction::Check(source) => return Some(Event::Import(importing::check(source))),
            ImportAction::Stop => self.import = None,
            ImportAction::Start(source) => match importing::begin(&self.store, &source) {
                Ok(import) => self.import = Some((source, import)),
                Err(told) => return Some(Event::Import(*told)),
            },
        }
        None
    }

    fn write(&self, write: FileWrite) -> Option<Event> {
        let why = "no space left on the disk".to_owned();
        match write {
            FileWrite::SaveDraft(channel, conversation, draft) if self.disk == Disk::Fails => {
                Some(Event::DraftNotSaved(channel, conversation, draft, why))
            }
            FileWrite::SaveNote(channel, conversation, text) if self.disk == Disk::Fails => {
                Some(Event::NoteNotSaved(channel, conversation, text, why))
            }
            FileWrite::Enqueue { intents, .. } if self.disk == Disk::Fails => {
                Some(Event::WriteFailed { what: "sending".to_owned(), why, intents })
            }
            other => effects::write(&self.store, other, self.clock.now()),
        }
    }

    /// Changes the behaviour of the disk, after completing the writes that hung.
    pub fn disk(&mut self, disk: Disk) -> &mut Self {
        self.disk = disk;
        let hung = std::mem::take(&mut self.hung);
        self.perform(hung);
        self.take_inputs();
        self
    }

    /// While true, requests to the server wait; then all are carried out.
    pub fn far(&mut self, far: bool) -> &mut Self {
        self.far = far;
        let hung = std::mem::take(&mut self.hung);
        self.perform(hung);
        self.take_inputs();
        self
    }

    /// While true, loads do not complete; then all are carried out.
    pub fn reads_hang(&mut self, hang: bool) -> &mut Self {
        self.reads_hang = hang;
        let hung = std::mem::take(&mut self.hung);
        self.perform(hung);
        self.take_inputs();
        self
    }

    pub fn unreadable(&mut self, which: fn(&Load) -> bool) -> &mut Self {
        self.unreadable = which;
        self
    }

    fn load(&mut self, load: &Load) -> Result<Loaded, String> {
        self.loads.push(load.clone());
        if (self.unreadable)(load) {
            return Err("database is locked".to_owned());
        }
        reading::load(&mut self.reader, load)
    }

    fn take_news(&mut self) -> Vec<Effect> {
        let news = std::mem::take(&mut *self.news.lock().expect("no one failed"));
        news.into_iter().flat_map(|news| self.app.update(Event::News(news))).collect()
    }

    /// Fills the first tab with generated conversations, and this many messages in total.
    pub fn fill(&mut self, conversations: u32, messages: u64) {
        let channel = self.channels[0].spec().id.clone();
        let world = GeneratedData::new(1, conversations, messages);
        self.runtime.block_on(development::fill(&self.store, &channel, &world)).expect("filled");
        self.deliver_news(News::Conversations(channel));
    }

    /// Delivers news from sync.
    pub fn deliver_news(&mut self, news: News) -> &mut Self {
        self.event(Event::News(news));
        self
    }

    fn event(&mut self, event: Event) {
        let effects = self.app.update(event);
        self.perform(effects);
        self.take_inputs();
    }

    /// Adds input of the keyboard or the mouse.
    fn input(&mut self, input: Event) {
        self.inputs.push(input, self.clock.moment());
        self.take_inputs();
    }

    /// Takes input as the event loop does: its effects are performed once the rest has to wait.
    fn take_inputs(&mut self) {
        while let Some(effects) = self.take_inputs_before_the_disk() {
            self.perform(effects);
        }
    }

    /// Returns the effects of the input that need not wait, `None` if all input waits.
    fn take_inputs_before_the_disk(&mut self) -> Option<Vec<Effect>> {
        let mut effects = None;
        while let Some(event) = self.inputs.next(&self.app, self.clock.moment()) {
            let done = self.app.take_input(event, self.inputs.arrived_at());
            effects.get_or_insert_with(Vec::new).extend(done);
        }
        effects
    }

    /// Lets time pass without a key; in microseconds.
    pub fn wait(&mut self, micros: i64) {
        self.clock.advance(micros);
        self.event(Event::Time(self.clock.times()));
    }

    /// Presses keys in the notation of `presses`.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        for key in presses(keys) {
            self.clock.advance(BETWEEN_KEYS);
            self.event(Event::Time(self.clock.times()));
            self.input(Event::Key(key));
        }
        self
    }

    /// Runs a command by its name in the palette, as for commands without a key.
    pub fn run_command(&mut self, name: &str) -> &mut Self {
        self.keys("<Ctrl-P>").types(name).keys("<Enter>")
    }

    /// Asserts the number of changes that have not been sent, over all tabs.
    #[track_caller]
    pub fn has_queued(&mut self, expected: u32) -> &mut Self {
        let queued = self.app.desk.tabs.iter().map(|tab| tab.counts.outbox + tab.counts.stopped);
        assert_eq!(queued.sum::<u32>(), expected, "changes in the outbox:\n{}", self.picture());
        self
    }

    /// Asserts the number of conversations in which this desk paused the AI, over all tabs.
    #[track_caller]
    pub fn has_paused(&mut self, expected: u32) -> &mut Self {
        let paused = self.app.desk.tabs.iter().map(|tab| tab.counts.paused_here);
        assert_eq!(paused.sum::<u32>(), expected, "paused here:\n{}", self.picture());
        self
    }

    /// Asserts that the AI answers in the current conversation.
    #[track_caller]
    pub fn has_ai_on(&mut self) -> &mut Self {
        let state = self.app.desk.current_conversation().map(|row| row.conversation.automation);
        assert_eq!(state, Some(Automation::On), "{}", self.picture());
        self
    }

    /// Asserts that the server of the active tab answers.
    #[track_caller]
    pub fn is_connected(&mut self) -> &mut Self {
        let health = &self.app.desk.tab().health;
        assert!(matches!(health, Health::Live { .. }), "{health:?}:\n{}", self.picture());
        self
    }

    /// The last line: keys of the place or a notice, and news.
    pub fn status(&self) -> String {
        self.picture().rsplit('\n').next().unwrap_or_default().trim().to_owned()
    }

    /// Presses keys that arrive in one read: what they ask for is done once a
    /// key has to wait for it, or after the last.
    pub fn keys_at_once(&mut self, keys: &str) -> &mut Self {
        let now = self.clock.moment();
        presses(keys).into_iter().for_each(|press| self.inputs.push(Event::Key(press), now));
        self.take_inputs();
        self
    }

    /// Types letters that came from the terminal so many microseconds before they are handled.
    pub fn types_late(&mut self, text: &str, micros: i64) -> &mut Self {
        let arrived_at = self.clock.moment().plus(-micros);
        for letter in text.chars() {
            self.inputs.push(Event::Key(KeyPress::plain(KeyCode::Char(letter))), arrived_at);
        }
        self.take_inputs();
        self
    }

    pub fn mails_begin(&mut self, style: MailStyle) {
        self.app.context.settings.mail_styles = vec![(ChannelId::from("email"), style)];
    }

    /// Presses plain keys faster than the disk: effects run only after the last.
    pub fn keys_before_the_disk(&mut self, keys: &str) -> &mut Self {
        let mut effects = Vec::new();
        for character in keys.chars() {
            self.clock.advance(BETWEEN_KEYS);
            effects.extend(self.app.update(Event::Time(self.clock.times())));
            let press = Event::Key(KeyPress::plain(KeyCode::Char(character)));
            self.inputs.push(press, self.clock.moment());
            effects.extend(self.take_inputs_before_the_disk().into_iter().flatten());
        }
        self.perform(effects);
        self.take_inputs();
        self
    }

    /// Enters a line in plain mode; returns the error if it was rejected.
    pub fn says(&mut self, line: &str) -> Option<String> {
        self.app.context.lower_prompt_guard();
        for _ in 0..9 {
            let events = match input::parse_line(&self.app, line, &[]) {
                PlainCommand::Events(events) => {
                    events.into_iter().for_each(|event| self.input(event));
                    return None;
                }
                PlainCommand::LeaveFirst => input::leave_events(&self.app),
                PlainCommand::Unknown(why) => return Some(why),
                PlainCommand::RepeatPlace | PlainCommand::List | PlainCommand::Help(_) => return None,
            };
            events.into_iter().for_each(|event| self.input(event));
        }
        Some("it cannot be left".to_owned())
    }

    pub fn types_at(&mut self, text: &str, between: i64) -> &mut Self {
        for character in text.chars() {
            self.wait(between);
            self.input(Event::Key(KeyPress::plain(KeyCode::Char(character))));
        }
        self
    }

    pub fn types(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            self.input(Event::Key(KeyPress::plain(KeyCode::Char(character))));
        }
        self
    }

    pub fn pastes(&mut self, text: &str) -> &mut Self {
        self.input(Event::Paste(text.to_owned()));
        self
    }

    /// Delivers text faster than a person types.
    pub fn bursts(&mut self, text: &str) -> &mut Self {
        self.input(Event::Burst(text.to_owned()));
        self
    }

    /// Runs sync until nothing is due: queued rows are sent, new messages arrive.
    pub fn settle(&mut self) -> &mut Self {
        self.import_step();
        for index in 0..self.channels.len() {
            let (channel, steps) = (&self.channels[index], &mut self.steps[index]);
            self.runtime.block_on(async {
                let _ = channel.upload_all(&mut steps.uploads, self.clock.now()).await;
                channel.step_campaigns(&mut steps.waves, self.clock.now()).await;
                let _ = channel.push_all(&mut steps.push, self.clock.now()).await;
                while channel.step_campaigns(&mut steps.waves, self.clock.now()).await.wait == 0 {
                    let _ = channel.push_all(&mut steps.push, self.clock.now()).await;
                }
                channel.pull_broadcasts(&mut steps.broadcasts).await;
                channel.pull_account().await;
                channel.pull_trigger(&mut steps.trigger).await;
                channel.pull_mailbox().await;
                channel.pull_conversations(&mut steps.list).await;
                if channel.apply_draft_only(self.clock.now()).await {
                    let _ = channel.push_all(&mut steps.push, self.clock.now()).await;
                }
                channel.apply_rules().await;
            });
            let open = self.app.desk.tabs[index].history.as_ref().map(|history| history.conversation.clone());
            if let Some(conversation) = open {
                self.runtime.block_on(self.channels[index].pull_history(&conversation));
            }
        }
        self.event(Event::Time(self.clock.times()));
        self
    }

    fn import_step(&mut self) {
        let Some((source, import)) = &mut self.import else { return };
        let progress = import.step(self.clock.now()).expect("a step").clone();
        let told = ImportResult::Progress(source.clone(), progress.clone());
        if progress.ended {
            self.import = None;
        }
        self.event(Event::Import(told));
    }

    pub fn picture(&self) -> String {
        let (width, height) = self.app.context.size;
        rows_of(&self.buffer(), Area { x: 0, y: 0, width, height }).join("\n")
    }

    pub fn buffer(&self) -> Buffer {
        let (width, height) = self.app.context.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        view::draw(&self.app, self.theme, &mut buffer);
        buffer
    }

    pub fn mouse(&mut self, pointer: Pointer) -> &mut Self {
        self.input(Event::Pointer(pointer));
        self
    }

    #[track_caller]
    pub fn clicks(&mut self, text: &str) -> &mut Self {
        let (x, y) = self.place_of(text);
        self.mouse(Pointer::Down(x, y)).mouse(Pointer::Up)
    }

    /// Returns column and row of a text on screen.
    #[track_caller]
    pub fn place_of(&self, text: &str) -> (u16, u16) {
        let picture = self.picture();
        let found = picture.lines().enumerate().find_map(|(y, line)| {
            let at = line.find(text)?;
            Some((frontdesk::inbox::wrap::cells(&line[..at]), y))
        });
        let (x, y) = found.unwrap_or_else(|| panic!("{text:?} is not on screen:\n{picture}"));
        (u16::try_from(x).expect("a column"), u16::try_from(y).expect("a row"))
    }

    pub fn focus(&mut self, focused: bool) -> &mut Self {
        self.input(Event::Focus(focused));
        self
    }

    pub fn resize(&mut self, size: (u16, u16)) {
        self.event(Event::Resize(size.0, size.1));
    }

    /// Reports a channel that was connected while the desk runs.
    pub fn connects(&mut self, id: &str, name: &str) -> &mut Self {
        let (id, name, environment) = (ChannelId::from(id), name.to_owned(), Some(Environment::Live));
        self.event(Event::ChannelAdded(ChannelInfo { id, name, environment, read_only: false }));
        self
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path.to_str().expect("a plain path").to_owned()
    }

    /// Simulates another process that died while uploading the file that waits on a tab.
    pub fn uploads_in_part(&mut self, channel: &str, percent: u8) -> &mut Self {
        let id = ChannelId::from(channel);
        let rows = self.runtime.block_on(self.store.lane_rows(&id)).expect("rows");
        let row = rows.iter().find(|row| row.row.can_withdraw()).expect("a file");
        let claim = self.store.claim(&row.row.id, row.fencing_token, self.clock.now(), "elsewhere");
        let claimed = self.runtime.block_on(claim).expect("a claim").expect("the row is free");
        let conversation = claimed.row.lane.conversation().expect("a conversation").clone();
        self.event(Event::News(News::History(id.clone(), conversation)));
        self.event(Event::News(News::Uploading(id, claimed.row.id, Some(percent))));
        self
    }

    /// Connects the business's own systems, each with its credential.
    pub fn connect(&mut self, all: &[(Connection, &str)]) -> &mut Self {
        let folder = self.folder.path();
        let credentials = Credentials::new(folder.join("connections.sealed"), Arc::new(|| Ok([5; 32])));
        for (connection, secret) in all {
            credentials.store(connection, &Secret::new(secret)).expect("kept");
        }
        let connections: Vec<Connection> = all.iter().map(|pair| pair.0.clone()).collect();
        self.app.context.settings.connections.clone_from(&connections);
        let log = folder.join("connection-calls.log");
        let setup =
            ConnectionsSetup { connections, log, credentials, zone: self.app.context.settings.zone.clone() };
        self.outside.set_connections(DeskConnections::new(
            setup,
            self.clock.clone(),
            self.runtime.handle().clone(),
        ));
        self
    }

    /// Connects a model that suggests answers.
    pub fn suggests(&mut self, url: &str, day_tokens: u64) -> &mut Self {
        self.suggests_within(url, ModelCaps::for_day(day_tokens, None), ModelPrices::default())
    }

    pub fn suggests_within(&mut self, url: &str, caps: ModelCaps, prices: ModelPrices) -> &mut Self {
        self.app.context.settings.model_caps = Some((caps, SafeText::line("EUR")));
        self.app.context.settings.transcribes = true;
        let setup = SuggesterSetup {
            endpoint: Endpoint {
                url: url.to_owned(),
                model: "small".to_owned(),
                key: Some(Secret::new("sk-model")),
            },
            language: "English".to_owned(),
            transcribe_model: Some("ear".to_owned()),
            caps,
            prices,
            zone: self.app.context.settings.zone.clone(),
        };
        let suggester = Suggester::new(setup, self.clock.clone(), self.runtime.handle().clone());
        let home = |channel_sync: &ChannelSync| {
            (channel_sync.spec().id.clone(), channel_sync.spec().base_url.clone())
        };
        let homes = self.channels.iter().map(home).collect();
        let viewer = PictureLoader::new(self.runtime.handle().clone(), homes, Graphics::Half);
        self.outside =
            UserFiles::new(self.replies(), viewer).with_suggester(Some(suggester.expect("an endpoint")));
        self.outside.set_store(self.store.clone());
        self
    }

    /// Switches a tab to draft-only mode.
    pub fn draft_only(&mut self, channel: &str) {
        let found = self
            .channels
            .iter()
            .position(|channel_sync| channel_sync.spec().id.as_str() == channel)
            .expect("a tab");
        let spec = ChannelSpec { draft_only: true, ..self.channels[found].spec().clone() };
        self.channels[found] = make_channel(spec, &self.store, &self.clock, &self.news);
    }

    pub fn model_usage(&self) -> ModelUsage {
        let rows = self.reader.model_usage(0).expect("the disk");
        rows.iter().fold(ModelUsage::default(), |all, row| all.plus(&row.usage))
    }

    pub fn model_usage_today(&self) -> ModelUsage {
        let today = self.clock.now().day_number(&self.app.context.settings.zone);
        let rows = self.reader.model_usage(today).expect("the disk");
        rows.iter().fold(ModelUsage::default(), |all, row| all.plus(&row.usage))
    }

    pub fn reviewed(&self) -> Vec<ReviewedAnswer> {
        self.reader.reviewed_answers(None).expect("the disk")
    }

    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub fn replies(&self) -> std::path::PathBuf {
        self.folder.path().join("replies")
    }

    /// Details of the messages sent on a channel, oldest first: buttons, places and the like.
    pub fn sent_details(&self, kind: &str) -> Vec<Value> {
        let file =
            rusqlite::Connection::open(self.folder.path().join("service.db")).expect("the service's file");
        let mut query = file
            .prepare(
                "SELECT details FROM messages JOIN channels ON channels.id = messages.channel
                 WHERE direction = 'outbound' AND channels.kind = ?1 ORDER BY messages.id",
            )
            .expect("a query");
        let rows = query.query_map([kind], |row| row.get::<_, Option<String>>("details")).expect("rows");
        let parse = |text: String| serde_json::from_str(&text).expect("JSON");
        rows.map(|row| row.expect("a row").map_or(Value::Null, parse)).collect()
    }

    /// Adds a template to the service's database, approved unless it has another status.
    pub fn template(&self, template: Value) {
        let file =
            rusqlite::Connection::open(self.folder.path().join("service.db")).expect("the service's file");
        let word = |name: &str| template[name].as_str().expect("a text").to_owned();
        file.execute(
            "INSERT INTO templates (channel, name, language, category, status, components, reason)
             SELECT id, ?1, ?2, ?3, ?4, ?5, ?6 FROM channels WHERE kind = 'whatsapp'",
            rusqlite::params![
                word("name"),
                word("language"),
                word("category"),
                template["status"].as_str().unwrap_or("APPROVED"),
                template["components"].to_string(),
                template["reason"].as_str()
            ],
        )
        .expect("a template");
    }

    pub fn search(&self, query: &SearchQuery) -> SearchPage {
        self.store.finish_index().expect("the index");
        self.reader.search(query).expect("a page")
    }

    #[track_caller]
    pub fn shows(&mut self, text: &str) -> &mut Self {
        let picture = self.picture();
        assert!(picture.contains(text), "no {text:?} on screen:\n{picture}");
        self
    }

    #[track_caller]
    pub fn hides(&mut self, text: &str) -> &mut Self {
        let picture = self.picture();
        assert!(!picture.contains(text), "{text:?} is on screen:\n{picture}");
        self
    }

    pub fn dev(&self, path: &str, body: Value) -> Value {
        let url = format!("{}/{path}", self.dev_url);
        self.runtime.block_on(async {
            let request =
                self.http.post(url).header("content-type", "application/json").body(body.to_string());
            let answer = request.send().await.expect("the service answers");
            assert!(answer.status().is_success(), "{path}: {}", answer.status());
            let text = answer.text().await.expect("a body");
            serde_json::from_str(&text).unwrap_or(Value::Null)
        })
    }

    pub fn customer(&self, channel: &str, from: &str, name: &str, text: &str) -> String {
        let body = json!({"channel": channel, "from": from, "name": name, "text": text});
        let answer = self.dev("inbound", body);
        answer["conversationId"].as_str().expect("an id").to_owned()
    }

    /// Stores a proposal as another process would and reports it to the desk.
    pub fn propose(&mut self, channel: &str, conversation: &str, change: ProposedChange) {
        let (channel, conversation) = (ChannelId::from(channel), conversation.into());
        let seen = self.reader.newest_message(&channel, &conversation).expect("a message");
        let (proposer, reason) = (SafeText::line("Helper 1.0"), SafeText::line("the customer asked"));
        let new = NewProposal { channel: channel.clone(), conversation, proposer, reason, change, seen };
        self.store.insert_proposal(new, self.clock.now()).expect("the disk").expect("there is room");
        self.deliver_news(News::Conversations(channel));
    }

    pub fn outbound(&self) -> Vec<Value> {
        self.dev("outbound", json!({}))["data"].as_array().expect("a list").clone()
    }

    /// Lets time pass for service and desk; due work of both is done.
    pub fn pass(&mut self, seconds: i64) -> &mut Self {
        self.wait(seconds * SECOND);
        self.dev("clock", json!({"advance_seconds": 0}));
        self
    }

    pub fn get(&self, channel: &str, path: &str) -> Value {
        let key = self.keys.iter().find(|key| key.0 == channel && key.1 == Environment::Live).expect("a key");
        self.runtime.block_on(async {
            let request = self.http.get(format!("{}{path}", self.base_url)).bearer_auth(&key.2);
            let text = request.send().await.expect("an answer").text().await.expect("a body");
            serde_json::from_str(&text).expect("JSON")
        })
    }

    /// Sends a text with the channel's live key, as a colleague would.
    pub fn colleague(&self, channel: &str, to: &str, text: &str) {
        let body = json!({"to": to, "type": "text", "text": {"body": text}});
        self.elsewhere(channel, "POST", "/messages/send", body);
    }

    /// Calls the API with the channel's live key, as a colleague would.
    pub fn elsewhere(&self, channel: &str, method: &str, path: &str, body: Value) {
        self.call(&self.key_of(channel), method, path, body);
    }

    fn call(&self, key: &str, method: &str, path: &str, body: Value) {
        let method = method.parse().expect("a method");
        self.runtime.block_on(async {
            let request = self.http.request(method, format!("{}{path}", self.base_url)).bearer_auth(key);
            let request = request.header("content-type", "application/json").body(body.to_string());
            let answer = request.send().await.expect("an answer");
            let status = answer.status();
            assert!(status.is_success(), "{status}: {}", answer.text().await.expect("a body"));
        });
    }

    /// Signs a person in to the team of the service. Returns the session and the person's own keys by channel.
    pub fn sign_in(&self, name: &str) -> (String, Vec<(String, String)>) {
        let file = self.folder.path().join("service.db");
        let place = file.to_str().expect("a plain path").parse().expect("a location");
        let admin = Admin::open(&place, None).expect("the database opens");
        let adding = admin.add_person(name, Some(Role::Agent), self.clock.now());
        let token = self.runtime.block_on(adding).expect("added").token;
        admin.close();
        let url = self.base_url.replace("/v1", "/desk/v1/sign-in");
        let body = json!({"token": token.expose(), "device": "laptop"}).to_string();
        let answer: Value = self.runtime.block_on(async {
            let request = self.http.post(url).header("content-type", "application/json").body(body);
            let text = request.send().await.expect("an answer").text().await.expect("a body");
            serde_json::from_str(&text).expect("JSON")
        });
        let word = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        let channels = answer["channels"].as_array().expect("channels");
        let keys = channels.iter().map(|channel| (word(&channel["channel"]), word(&channel["key"])));
        (word(&answer["session"]), keys.collect())
    }

    /// Sends a text with the key of a person who is signed in.
    pub fn person_sends(&self, keys: &[(String, String)], channel: &str, to: &str, text: &str) {
        let key = &keys.iter().find(|key| key.0 == channel).expect("a key").1;
        let body = json!({"to": to, "type": "text", "text": {"body": text}});
        self.call(key, "POST", "/messages/send", body);
    }

    /// Sends an SMS with the key of a person who is signed in.
    pub fn person_texts(&self, keys: &[(String, String)], to: &str, text: &str) {
        let key = &keys.iter().find(|key| key.0 == "voip").expect("a key").1;
        self.call(key, "POST", "/voip/sms", json!({"to": to, "body": text}));
    }

    /// Pauses the AI or hands back with the key of a person who is signed in.
    pub fn person_switches(
        &self,
        keys: &[(String, String)],
        channel: &str,
        conversation: &str,
        enabled: bool,
    ) {
        let key = &keys.iter().find(|key| key.0 == channel).expect("a key").1;
        let path = format!("/conversations/{conversation}");
        self.call(key, "PATCH", &path, json!({"automationEnabled": enabled}));
    }

    pub fn key_of(&self, channel: &str) -> String {
        self.key(channel, Environment::Live)
    }

    pub fn test_key_of(&self, channel: &str) -> String {
        self.key(channel, Environment::Test)
    }

    fn key(&self, channel: &str, environment: Environment) -> String {
        self.keys.iter().find(|key| key.0 == channel && key.1 == environment).expect("a key").2.clone()
    }
}

fn is_asked_of_the_server(effect: &Effect) -> bool {
    matches!(effect, Effect::Sync(SyncOrder::Fetch(..) | SyncOrder::FetchOlder(..)))
}

fn spec(channel: &str, name: &str, base_url: &str, key: &str) -> ChannelSpec {
    ChannelSpec {
        id: ChannelId::from(channel),
        name: name.to_owned(),
        base_url: base_url.to_owned(),
        key: Secret::new(key),
        read_only: false,
        draft_only: false,
    }
}

fn make_channel(
    spec: ChannelSpec,
    store: &Store,
    clock: &Arc<HandClock>,
    news: &Arc<Mutex<Vec<News>>>,
) -> ChannelSync {
    let told = news.clone();
    let tell = Arc::new(move |news: News| told.lock().expect("no one failed").push(news));
    ChannelSync::new(spec, store.clone(), clock.clone(), tell).expect("a channel")
}

/// Settings of most stories: no question before a send, no hold.
pub fn direct(settings: &mut Settings) {
    settings.pause_on_reply = PauseOnReply::Never;
    settings.hold = 0;
}
