//! The story harness: keys in, a picture out, with the real service behind a
//! real socket and real files. It knows what is in flight, so nothing sleeps:
//! [`Desk::settle`] runs until nothing is left to do.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use frontdesk::assist::Endpoint;
use frontdesk::cli::development::{self, GeneratedData};
use frontdesk::connections::Credentials;
use frontdesk::inbox::Inbox;
use frontdesk::inbox::event::{Effect, Event, FileWrite, Load, Loaded, SyncOrder, TerminalOrder};
use frontdesk::inbox::keys::Pointer;
use frontdesk::inbox::keys::{KeyCode, KeyPress};
use frontdesk::inbox::layout::Area;
use frontdesk::inbox::outside::Copied;
use frontdesk::inbox::palette_view::ThemePalette;
use frontdesk::inbox::plain::input;
use frontdesk::inbox::plain::input::PlainCommand;
use frontdesk::inbox::screens::conversations::saved_views::SavedView;
use frontdesk::inbox::screens::people::importing::{ImportAction, ImportResult, ImportSource};
use frontdesk::inbox::settings::{PauseOnReply, Settings};
use frontdesk::inbox::theme_view::Theme;
use frontdesk::inbox::view;
use frontdesk::model::account::Environment;
use frontdesk::model::connections::Connection;
use frontdesk::model::email::compose::MailStyle;
use frontdesk::model::ids::ChannelId;
use frontdesk::model::model_costs::{ModelCaps, ModelPrices, ModelUsage};
use frontdesk::model::news::News;
use frontdesk::model::pictures::Graphics;
use frontdesk::model::proposals::ProposedChange;
use frontdesk::model::reviews::ReviewedAnswer;
use frontdesk::model::search::{SearchPage, SearchQuery};
use frontdesk::model::secret::Secret;
use frontdesk::model::text::SafeText;
use frontdesk::model::time::{Clock, Moment, SECOND, Timestamp, Zone};
use frontdesk::service;
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

/// The local time at which every story begins, so that it reads the same in
/// every zone.
const START: &str = "2026-11-20T10:00:00";
/// Time between two keys: more than a dialog's guard against typing ahead.
const BETWEEN_KEYS: i64 = SECOND / 5;

/// The zone the stories happen in: UTC, or what `FRONTDESK_STORY_ZONE` names.
pub fn zone() -> Zone {
    std::env::var("FRONTDESK_STORY_ZONE").map_or(Zone::UTC, |var| named_zone(&var))
}

/// A zone of the database.
pub fn named_zone(name: &str) -> Zone {
    Zone::from(jiff::tz::TimeZone::get(name).expect("a zone of the database"))
}

/// The text of a local time as the interface tells it.
pub fn utc(local: &str) -> String {
    HandClock::at(local, &zone()).now().to_string().replace(".000Z", "Z")
}

/// A picture with the interface's own texts of times, which are shown raw, as
/// if the zone of the stories were UTC.
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

/// Stories are about what is done, so their lists keep a conversation that
/// needs nobody any more, and hours that pass are no absence; the first view
/// and absences have stories of their own.
fn settings() -> Settings {
    Settings { zone: zone(), first_view: SavedView::all_open(), away: 0, ..Settings::default() }
}

/// The keys of a text: characters as they are, others as `<Enter>` or
/// `<Ctrl-D>`; `<lt>` is the character `<`.
fn presses(keys: &str) -> Vec<KeyPress> {
    let mut rest = keys;
    let mut all = Vec::new();
    while let Some(it) = rest.chars().next() {
        let (key, length) = match rest.split_once('>') {
            Some((name, _)) if it == '<' && name.len() > 1 => {
                let name = &name[1..];
                let key = if name == "lt" {
                    Some(KeyPress::plain(KeyCode::Char('<')))
                } else {
                    KeyPress::parse(name)
                };
                (key.unwrap_or_else(|| panic!("no key {name}")), name.len() + 2)
            }
            _ => (KeyPress::plain(KeyCode::Char(it)), it.len_utf8()),
        };
        rest = &rest[length..];
        all.push(key);
    }
    all
}

/// A clock that moves only when it is told to.
#[derive(Debug)]
pub struct HandClock {
    wall: AtomicI64,
    /// Microseconds the wall clock was set forwards against the steady clock.
    set: AtomicI64,
}

impl HandClock {
    pub fn new() -> Arc<Self> {
        Self::at(START, &zone())
    }

    /// One that shows a local time of a zone.
    pub fn at(local: &str, zone: &Zone) -> Arc<Self> {
        let wall = Timestamp::parse(&format!("{local}Z")).expect("a valid time");
        let start = zone.at(wall.day_number(&Zone::UTC), wall.time_of_day(&Zone::UTC));
        Arc::new(Self { wall: AtomicI64::new(start.micros()), set: AtomicI64::new(0) })
    }

    pub fn advance(&self, micros: i64) {
        self.wall.fetch_add(micros, Ordering::SeqCst);
    }

    /// Sets the wall clock forwards, or back, while no time passes.
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

/// What the disk does with what it is given to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    Works,
    Fails,
    /// Nothing comes back until it works again.
    Hangs,
}

/// What lies behind a desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum World {
    Empty,
    Sample,
    Rehearsal,
}

/// A desk with a service of its own.
pub struct Desk {
    pub app: Inbox,
    pub clock: Arc<HandClock>,
    pub theme: Theme,
    pub runtime: tokio::runtime::Runtime,
    pub base_url: String,
    pub dev_url: String,
    pub keys: Vec<(String, Environment, String)>,
    pub bells: usize,
    /// Notifications shown, and what was copied.
    pub notices: Vec<String>,
    pub copied: Vec<String>,
    /// Links opened outside.
    pub opened: Vec<String>,
    /// What the person's editor will come back with.
    pub edits: std::collections::VecDeque<String>,
    pub quit: bool,
    /// What was read of the files.
    pub loads: Vec<Load>,
    disk: Disk,
    hung: Vec<Effect>,
    /// Which reads fail.
    unreadable: fn(&Load) -> bool,
    /// Whether no read ends.
    reads_hang: bool,
    /// Whether what is asked of the server waits.
    far: bool,
    http: reqwest::Client,
    pub store: Store,
    reader: Reader,
    channels: Vec<ChannelSync>,
    /// What the steps of each channel remember.
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

    /// A desk whose settings differ.
    pub fn with(columns: u16, rows: u16, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = settings();
        change(&mut settings);
        Self::in_world((columns, rows), settings, World::Empty)
    }

    /// A desk on the sample world, whose clock only tests turn.
    pub fn demo(columns: u16, rows: u16) -> Self {
        Self::demo_in(columns, rows, zone())
    }

    /// The same in a zone of its own.
    pub fn demo_in(columns: u16, rows: u16, zone: Zone) -> Self {
        Self::in_world((columns, rows), Settings { demo: true, zone, ..settings() }, World::Sample)
    }

    /// A desk whose second tab has the business chat's test key.
    pub fn rehearsing(columns: u16, rows: u16) -> Self {
        Self::in_world((columns, rows), settings(), World::Rehearsal)
    }

    /// A desk in a zone of its own, begun at a local time of it.
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
        let specs = tabs.iter().take(if world == World::Sample { 4 } else { 2 }).map(|(channel, name)| {
            let found = keys.iter().find(|key| key.0 == *channel && key.1 == Environment::Live);
            spec(channel, name, &running.base_url, &found.expect("a live key").2)
        });
        let mut specs: Vec<ChannelSpec> = specs.collect();
        if world == World::Rehearsal {
            let found = keys.iter().find(|key| key.0 == "whatsapp" && key.1 == Environment::Test);
            let key = &found.expect("a test key").2;
            specs[1] = spec("rehearsal", "Rehearsal", &running.base_url, key);
        }
        let (base_url, dev_url) = (running.base_url.clone(), running.dev_url.clone());
        Self::open(specs, settings, size, clock, runtime, folder, move |desk| {
            desk.base_url = base_url;
            desk.dev_url = dev_url;
            desk.keys = keys;
            desk._service = Some(running);
        })
    }

    /// A desk of one tab on some other server.
    pub fn on_server(base_url: &str, key: &str) -> Self {
        Self::with_tab("Harbor chat", base_url, key)
    }

    /// The same with a name for the tab.
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
            theme: Theme::new(ThemePalette::Mono, false),
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
            disk: Disk::Works,
            hung: Vec::new(),
            unreadable: |_| false,
            reads_hang: false,
            far: false,
            // A kept connection would be closed by the service at any moment.
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

    /// Ends the desk as kill -9 does and opens it again on the same files.
    pub fn crash_and_reopen(self) -> Self {
        let specs: Vec<ChannelSpec> = self.channels.iter().map(|channel| channel.spec().clone()).collect();
        let (settings, size) = (self.app.context.settings.clone(), self.app.context.size);
        let Self {
            clock, runtime, folder, store, reader, channels, base_url, dev_url, keys, _service, ..
        } = self;
        // Nothing is saved on the way out.
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
                    Some(Event::Copied(what, Ok(Copied::Taken)))
                }
                other if self.far && is_asked_of_the_server(&other) => {
                    self.hung.push(other);
                    None
                }
                Effect::Import(order) => self.order(order),
                Effect::Ask(asked) => Some(Event::Answered(self.outside.handle_request(asked))),
                Effect::Terminal(TerminalOrder::Edit(text)) => {
                    let edited = self.edits.pop_front().unwrap_or_else(|| format!("{text} (edited)\n"));
                    Some(Event::Edited(Ok(edited)))
                }
                Effect::Sync(SyncOrder::ReadCalls) => {
                    let mut calls: Vec<_> =
                        self.channels.iter().flat_map(|channel| channel.calls()).collect();
                    let others = self.store.calls_of_others(String::new(), 100);
                    calls.extend(self.runtime.block_on(others).unwrap_or_default());
                    calls.sort_by_key(|call| std::cmp::Reverse(call.at));
                    Some(Event::Calls(calls))
                }
                Effect::Terminal(TerminalOrder::OpenOutside(url)) => {
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
        self.app.desk.drawn(self.clock.moment(), &mut self.app.context);
    }

    /// What is read from the server on a person's behalf.
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

    /// What becomes of an import.
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

    /// From now on the disk works, fails, or hangs; what hung is done first.
    pub fn disk(&mut self, disk: Disk) -> &mut Self {
        self.disk = disk;
        let hung = std::mem::take(&mut self.hung);
        self.perform(hung);
        self
    }

    /// From now on no answer of the server comes, or all that were waited for.
    pub fn far(&mut self, far: bool) -> &mut Self {
        self.far = far;
        let hung = std::mem::take(&mut self.hung);
        self.perform(hung);
        self
    }

    /// From now on no read ends, or all that hung do.
    pub fn reads_hang(&mut self, hang: bool) -> &mut Self {
        self.reads_hang = hang;
        let hung = std::mem::take(&mut self.hung);
        self.perform(hung);
        self
    }

    /// From now on these of this desk's reads fail.
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

    /// So many conversations nobody had come into the first tab, with so many
    /// messages together.
    pub fn fill(&mut self, conversations: u32, messages: u64) {
        let channel = self.channels[0].spec().id.clone();
        let world = GeneratedData::new(1, conversations, messages);
        self.runtime.block_on(development::fill(&self.store, &channel, &world)).expect("filled");
        self.told(News::Conversations(channel));
    }

    /// Something the hands told.
    pub fn told(&mut self, news: News) -> &mut Self {
        self.event(Event::News(news));
        self
    }

    fn event(&mut self, event: Event) {
        let effects = self.app.update(event);
        self.perform(effects);
    }

    /// Lets time pass without any key.
    pub fn wait(&mut self, micros: i64) {
        self.clock.advance(micros);
        self.event(Event::Time(self.clock.times()));
    }

    /// Presses keys: characters as they are, others as `<Enter>` or
    /// `<Ctrl-D>`; `<lt>` is the character `<`.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        for key in presses(keys) {
            self.clock.advance(BETWEEN_KEYS);
            self.event(Event::Time(self.clock.times()));
            self.event(Event::Key(key));
        }
        self
    }

    /// Presses keys that arrive in one read: what they ask for is done only
    /// after the last.
    pub fn keys_at_once(&mut self, keys: &str) -> &mut Self {
        let effects: Vec<Effect> =
            presses(keys).into_iter().flat_map(|press| self.app.update(Event::Key(press))).collect();
        self.perform(effects);
        self
    }

    /// How mails of the mail tab begin from now on.
    pub fn mails_begin(&mut self, style: MailStyle) {
        self.app.context.settings.mail_styles = vec![(ChannelId::from("email"), style)];
    }

    /// Presses plain keys faster than the disk is: what they ask for is done
    /// only after the last.
    pub fn keys_before_the_disk(&mut self, keys: &str) -> &mut Self {
        let mut effects = Vec::new();
        for it in keys.chars() {
            self.clock.advance(BETWEEN_KEYS);
            effects.extend(self.app.update(Event::Time(self.clock.times())));
            effects.extend(self.app.update(Event::Key(KeyPress::plain(KeyCode::Char(it)))));
        }
        self.perform(effects);
        self
    }

    /// Says a line as the plain mode reads it; why it was not taken, if so.
    pub fn says(&mut self, line: &str) -> Option<String> {
        self.app.context.question_was_heard();
        for _ in 0..9 {
            let events = match input::read(&self.app, line, &[]) {
                PlainCommand::Events(events) => {
                    events.into_iter().for_each(|event| self.event(event));
                    return None;
                }
                PlainCommand::Elsewhere => input::leaving(&self.app),
                PlainCommand::Unknown(why) => return Some(why),
                PlainCommand::Again | PlainCommand::List | PlainCommand::Help(_) => return None,
            };
            events.into_iter().for_each(|event| self.event(event));
        }
        Some("it cannot be left".to_owned())
    }

    /// Types text at a speed, in microseconds between its letters.
    pub fn types_at(&mut self, text: &str, between: i64) -> &mut Self {
        for it in text.chars() {
            self.wait(between);
            self.event(Event::Key(KeyPress::plain(KeyCode::Char(it))));
        }
        self
    }

    /// Types text into whatever has the keyboard.
    pub fn types(&mut self, text: &str) -> &mut Self {
        for it in text.chars() {
            self.event(Event::Key(KeyPress::plain(KeyCode::Char(it))));
        }
        self
    }

    /// Pastes text as a terminal marks it.
    pub fn pastes(&mut self, text: &str) -> &mut Self {
        self.event(Event::Paste(text.to_owned()));
        self
    }

    /// Text comes faster than a person types.
    pub fn bursts(&mut self, text: &str) -> &mut Self {
        self.event(Event::Burst(text.to_owned()));
        self
    }

    /// Runs the hands until nothing is due: what is queued leaves, what is
    /// new arrives.
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

    /// What the importing thread does now and then.
    fn import_step(&mut self) {
        let Some((source, import)) = &mut self.import else { return };
        let progress = import.step(self.clock.now()).expect("a step").clone();
        let told = ImportResult::Progress(source.clone(), progress.clone());
        if progress.ended {
            self.import = None;
        }
        self.event(Event::Import(told));
    }

    /// What is on screen, as text.
    pub fn picture(&self) -> String {
        let (width, height) = self.app.context.size;
        rows_of(&self.buffer(), Area { x: 0, y: 0, width, height }).join("\n")
    }

    /// The frame's cells.
    pub fn buffer(&self) -> Buffer {
        let (width, height) = self.app.context.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        view::draw(&self.app, self.theme, &mut buffer);
        buffer
    }

    /// Does something with the mouse.
    pub fn mouse(&mut self, pointer: Pointer) -> &mut Self {
        self.event(Event::Pointer(pointer));
        self
    }

    /// Clicks on the first cell of a text on screen.
    #[track_caller]
    pub fn clicks(&mut self, text: &str) -> &mut Self {
        let (x, y) = self.place_of(text);
        self.mouse(Pointer::Down(x, y)).mouse(Pointer::Up)
    }

    /// Where a text stands on screen.
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

    /// The terminal window gets or loses the focus.
    pub fn focus(&mut self, focused: bool) -> &mut Self {
        self.event(Event::Focus(focused));
        self
    }

    /// Makes the terminal another size.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.event(Event::Resize(size.0, size.1));
    }

    /// Puts a file of the person's own somewhere; returns its path.
    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path.to_str().expect("a plain path").to_owned()
    }

    /// The file that waits on a tab is being uploaded by someone who ends
    /// before it is whole.
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
        let file = folder.join("connections.toml");
        std::fs::write(&file, frontdesk::wire::connections::write(&connections)).expect("written");
        self.app.context.settings.connections.clone_from(&connections);
        self.app.context.settings.connects = true;
        let log = folder.join("connection-calls.log");
        let setup = ConnectionsSetup {
            connections,
            file,
            log,
            credentials,
            zone: self.app.context.settings.zone.clone(),
        };
        self.outside.set_connections(DeskConnections::new(
            setup,
            self.clock.clone(),
            self.runtime.handle().clone(),
        ));
        self
    }

    /// A model suggests from now on.
    pub fn suggests(&mut self, url: &str, day_tokens: u64) -> &mut Self {
        self.suggests_within(url, ModelCaps::for_day(day_tokens, None), ModelPrices::default())
    }

    /// The same with prices, and within other caps.
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

    /// The AI is to stay paused in all of a tab from now on.
    pub fn draft_only(&mut self, channel: &str) {
        let found = self
            .channels
            .iter()
            .position(|channel_sync| channel_sync.spec().id.as_str() == channel)
            .expect("a tab");
        let spec = ChannelSpec { draft_only: true, ..self.channels[found].spec().clone() };
        self.channels[found] = make_channel(spec, &self.store, &self.clock, &self.news);
    }

    /// What questions to the model took on all days.
    pub fn model_usage(&self) -> ModelUsage {
        let rows = self.reader.model_usage(0).expect("the disk");
        rows.iter().fold(ModelUsage::default(), |all, row| all.plus(&row.usage))
    }

    /// What questions to the model took today.
    pub fn model_usage_today(&self) -> ModelUsage {
        let today = self.clock.now().day_number(&self.app.context.settings.zone);
        let rows = self.reader.model_usage(today).expect("the disk");
        rows.iter().fold(ModelUsage::default(), |all, row| all.plus(&row.usage))
    }

    /// What was said of the AI's answers, oldest first.
    pub fn reviewed(&self) -> Vec<ReviewedAnswer> {
        self.reader.reviewed_answers(None).expect("the disk")
    }

    /// The desk's own folder.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// The folder of canned replies.
    pub fn replies(&self) -> std::path::PathBuf {
        self.folder.path().join("replies")
    }

    /// A template is approved at the platform, of whatever shape.
    pub fn template(&self, template: Value) {
        let file =
            rusqlite::Connection::open(self.folder.path().join("service.db")).expect("the service's file");
        let word = |name: &str| template[name].as_str().expect("a text").to_owned();
        file.execute(
            "INSERT INTO templates (workspace, name, language, category, status, components)
             SELECT id, ?1, ?2, ?3, 'APPROVED', ?4 FROM workspaces",
            rusqlite::params![
                word("name"),
                word("language"),
                word("category"),
                template["components"].to_string()
            ],
        )
        .expect("a template");
    }

    /// Finds messages, people and notes as this desk stores them.
    pub fn search(&self, query: &SearchQuery) -> SearchPage {
        self.store.finish_index().expect("the index");
        self.reader.search(query).expect("a page")
    }

    /// Asserts that the screen holds a text.
    #[track_caller]
    pub fn shows(&mut self, text: &str) -> &mut Self {
        let picture = self.picture();
        assert!(picture.contains(text), "no {text:?} on screen:\n{picture}");
        self
    }

    /// Asserts that the screen does not hold a text.
    #[track_caller]
    pub fn hides(&mut self, text: &str) -> &mut Self {
        let picture = self.picture();
        assert!(!picture.contains(text), "{text:?} is on screen:\n{picture}");
        self
    }

    /// Calls a switch of the service.
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

    /// A customer writes; returns the conversation's id.
    pub fn customer(&self, channel: &str, from: &str, name: &str, text: &str) -> String {
        let body = json!({"channel": channel, "from": from, "name": name, "text": text});
        let answer = self.dev("inbound", body);
        answer["conversationId"].as_str().expect("an id").to_owned()
    }

    /// An assistant beside the desk proposes something; the desk is told as of
    /// any change by another process.
    pub fn propose(&mut self, channel: &str, conversation: &str, change: ProposedChange) {
        let (channel, conversation) = (ChannelId::from(channel), conversation.into());
        let seen = self.reader.newest_message(&channel, &conversation).expect("a message");
        let (proposer, reason) = (SafeText::line("Helper 1.0"), SafeText::line("the customer asked"));
        let new = NewProposal { channel: channel.clone(), conversation, proposer, reason, change, seen };
        self.store.insert_proposal(new, self.clock.now()).expect("the disk").expect("there is room");
        self.told(News::Conversations(channel));
    }

    /// All that reached a platform, oldest first.
    pub fn outbound(&self) -> Vec<Value> {
        self.dev("outbound", json!({}))["data"].as_array().expect("a list").clone()
    }

    /// Lets time pass for the service and the desk together: all that falls
    /// due there happens.
    pub fn pass(&mut self, seconds: i64) -> &mut Self {
        self.wait(seconds * SECOND);
        self.dev("clock", json!({"advance_seconds": 0}));
        self
    }

    /// Reads from the interface with the live key of a channel.
    pub fn get(&self, channel: &str, path: &str) -> Value {
        let key = self.keys.iter().find(|key| key.0 == channel && key.1 == Environment::Live).expect("a key");
        self.runtime.block_on(async {
            let request = self.http.get(format!("{}{path}", self.base_url)).bearer_auth(&key.2);
            let text = request.send().await.expect("an answer").text().await.expect("a body");
            serde_json::from_str(&text).expect("JSON")
        })
    }

    /// Someone else who holds the live key of a channel sends a text.
    pub fn colleague(&self, channel: &str, to: &str, text: &str) {
        let body = json!({"to": to, "type": "text", "text": {"body": text}});
        self.elsewhere(channel, "POST", "/messages/send", body);
    }

    /// Someone else who holds the live key of a channel changes something.
    pub fn elsewhere(&self, channel: &str, method: &str, path: &str, body: Value) {
        let key = self.key_of(channel);
        let method = method.parse().expect("a method");
        self.runtime.block_on(async {
            let request = self.http.request(method, format!("{}{path}", self.base_url)).bearer_auth(key);
            let request = request.header("content-type", "application/json").body(body.to_string());
            let answer = request.send().await.expect("an answer");
            let status = answer.status();
            assert!(status.is_success(), "{status}: {}", answer.text().await.expect("a body"));
        });
    }

    /// The live key of a channel.
    pub fn key_of(&self, channel: &str) -> String {
        self.key(channel, Environment::Live)
    }

    /// The test key of a channel.
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

/// The settings most stories want: nothing asks, nothing is held.
pub fn direct(settings: &mut Settings) {
    settings.pause_on_reply = PauseOnReply::Never;
    settings.hold = 0;
}
