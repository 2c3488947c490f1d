//! The loop: wait, handle keys first, update, perform effects, take queued events, draw once. Sleeps while
//! idle. Keys come from the [`InputQueue`], which holds them while a read moves the selection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::shell::clipboard::Clipboard;
use crate::shell::clock;
use crate::shell::connections::DeskConnections;
use crate::shell::desk_parts::DeskParts;
use crate::shell::effects::EffectRunner;
use crate::shell::event_queue::{EventBatch, EventQueue, Signal};
use crate::shell::input::InputGate;
use crate::shell::notify::Notifier;
use crate::shell::pictures::PictureLoader;
use crate::shell::reading;
use crate::shell::receiving;
use crate::shell::terminal::{self, Screen, SharpImage};
use crate::shell::user_files::UserFiles;
use crate::shell::{children, editor, failures, input, opening, recording, signals, terminal_lending};
use inbox::Inbox;
use inbox::event::{Effect, Event, Load, TerminalOrder};
use inbox::input_queue::InputQueue;
use inbox::keys::Pointer;
use inbox::screens::history::links_view;
use inbox::theme_view::Theme;
use model::news::News;
use model::text::SafeText;
use model::time::Clock;
use store::{Reader, Store, StoreError};
use sync::{ChannelSpec, Engine};

/// Maximum time a turn takes in further events before it draws.
const MAX_DRAIN_TIME: Duration = Duration::from_millis(16);
/// Time a frame waits for its loads: they mostly answer sooner, so that no pane flashes empty.
const FILE_WAIT: Duration = Duration::from_millis(4);
/// Time to wait for requests in progress when leaving.
pub(super) const LEAVE_TIMEOUT: Duration = Duration::from_millis(500);

/// Error that prevents or ends the inbox.
#[derive(Debug, Error)]
pub enum DeskError {
    #[error("could not use the terminal: {0}")]
    Terminal(#[from] io::Error),
    #[error("could not open this desk's files: {0}")]
    Store(#[from] StoreError),
    /// A thread has panicked.
    #[error("{}", failures::PANIC_MESSAGE)]
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopEnd {
    Quit,
    Signal,
    Failed,
}

impl DeskParts {
    /// Runs the inbox until it is left.
    pub fn run(self) -> Result<(), DeskError> {
        let mailbox = EventQueue::default();
        failures::install(mailbox.clone());
        signals::spawn(mailbox.clone())?;
        let (mut first, opened) = self.files.open_for_first_frame()?;
        let mut screen = Screen::acquire(self.screen)?;
        let settings = self.files.settings_of_agent(self.settings);
        let mut app =
            Inbox::new(Self::infos(&self.channels), settings, terminal::size()?, self.clock.times());
        app.context.settings.keymap.reports_shift_enter = terminal::has_shift_enter();
        app.desk.panes.mouse = self.screen.mouse;
        app.desk.agent = self.agent;
        app.desk.views = self.views;
        // The first frame comes from the cache, before anything else is set up.
        let effects = app.start();
        let left = load_inline(&mut app, &mut first, effects);
        show(&mut app, self.theme, &mut screen, &*self.clock)?;
        let store = opened.map_or_else(|| self.files.open(), Ok)?;
        if store.was_repaired() {
            let stale = self.channels.iter().map(|channel| News::Conversations(channel.id.clone()));
            stale.for_each(|stale| mailbox.result(Event::News(stale)));
        }
        report_restored(&store, &self.channels, &mailbox);
        let gate = input::spawn(mailbox.clone(), self.clock.clone())?;
        let homes =
            self.channels.iter().map(|channel| (channel.id.clone(), channel.base_url.clone())).collect();
        let viewer = PictureLoader::new(self.runtime.clone(), homes, app.context.settings.graphics);
        let told = mailbox.clone();
        let news: receiving::NewsCallback = Arc::new(move |news: News| told.result(Event::News(news)));
        let engine = Arc::new(Engine::start(
            self.runtime.clone(),
            store.clone(),
            self.channels.clone(),
            self.clock.clone(),
            news.clone(),
            self.polling,
        ));
        Self::join_team(&engine, self.team, &self.channels, &mailbox);
        let outside = UserFiles::new(self.replies, viewer).with_config(self.config);
        let mut outside = outside.with_suggester(self.suggester);
        if let Some(setup) = self.connections {
            outside.set_connections(DeskConnections::new(setup, self.clock.clone(), self.runtime.clone()));
        }
        let receiving = receiving::start(&self.runtime, self.receiver, &engine, self.channels, news);
        let reader = store.adopt(first)?;
        let hands =
            EffectRunner::start(store, reader, outside, engine.clone(), self.clock.clone(), mailbox.clone())?;
        left.into_iter().for_each(|effect| hands.perform(effect));
        let runtime = self.runtime.clone();
        let mut turning = EventLoop {
            app,
            screen,
            hands,
            gate,
            engine: engine.clone(),
            runtime,
            theme: self.theme,
            notifier: self.notifier,
            clipboard: self.clipboard,
            clock: self.clock,
            mailbox,
            inputs: InputQueue::default(),
            awaited: Vec::new(),
            queued_loads: Vec::new(),
            stirred: false,
        };
        let ended = turning.run();
        let EventLoop { mut app, screen, hands, .. } = turning;
        drop((screen, receiving));
        app.save_on_exit().into_iter().for_each(|effect| hands.perform(effect));
        hands.finish();
        // Requests not finished in time are repeated with the same key.
        let _ = self.runtime.block_on(async { tokio::time::timeout(LEAVE_TIMEOUT, engine.shutdown()).await });
        match ended? {
            LoopEnd::Quit | LoopEnd::Signal => Ok(()),
            LoopEnd::Failed => Err(DeskError::Failed),
        }
    }
}

/// Announces an outbox restored from an older copy.
pub(super) fn report_restored(store: &Store, channels: &[ChannelSpec], mailbox: &EventQueue) {
    if let (Some(words), Some(channel)) = (store.restored(), channels.first()) {
        mailbox.result(Event::News(News::Alarm(channel.id.clone(), SafeText::line(&words))));
    }
}

/// Performs loads at once for as long as they lead to more. Returns the other effects, and loads no frame
/// needs yet.
pub(super) fn load_inline(app: &mut Inbox, reader: &mut Reader, effects: Vec<Effect>) -> Vec<Effect> {
    let mut left = Vec::new();
    let mut wanted = effects;
    for _ in 0..8 {
        let mut next = Vec::new();
        for effect in wanted {
            if let Effect::Load(load) = &effect
                && !matches!(load, Load::HistoryPrefetch(_))
            {
                let loaded = reading::load(reader, load);
                next.extend(app.update(Event::Loaded(load.clone(), loaded)));
            } else {
                left.push(effect);
            }
        }
        wanted = next;
    }
    left.extend(wanted);
    left
}

fn show(app: &mut Inbox, theme: Theme, screen: &mut Screen, clock: &dyn Clock) -> io::Result<()> {
    let sharp = inbox::screens::history::pictures_view::placements(app);
    let sharp: Vec<SharpImage> = sharp
        .iter()
        .map(|placement| SharpImage { at: placement.at, rows: placement.encoded.0.clone() })
        .collect();
    let has_links = screen.has_links();
    screen.draw(app.context.size, sharp, |buffer| {
        let cursor = inbox::view::draw(app, theme, buffer);
        (cursor, if has_links { links_view::links(app, buffer) } else { Vec::new() })
    })?;
    screen.set_title(inbox::window_title::window_title(app))?;
    app.desk.record_drawn(clock.moment(), &mut app.context);
    Ok(())
}

struct EventLoop {
    app: Inbox,
    screen: Screen,
    hands: EffectRunner,
    gate: InputGate,
    engine: Arc<Engine>,
    runtime: tokio::runtime::Handle,
    theme: Theme,
    notifier: Notifier,
    clipboard: Clipboard,
    clock: Arc<dyn Clock>,
    mailbox: EventQueue,
    inputs: InputQueue,
    /// Loads requested for the next frame.
    awaited: Vec<Load>,
    /// Loads to be requested once all waiting keys are handled.
    queued_loads: Vec<Load>,
    /// True if something came that a frame may show.
    stirred: bool,
}

impl EventLoop {
    fn run(&mut self) -> io::Result<LoopEnd> {
        // Left out of the first frame.
        self.update(Event::Time(self.clock.times()))?;
        self.send_loads();
        loop {
            let due = self.next_due().clamp(0, 60_000_000);
            let mut turn = self.mailbox.wait(Duration::from_micros(u64::try_from(due).unwrap_or(0)));
            let started = clock::instant();
            // Without events, a deadline has passed.
            self.stirred = turn.is_empty();
            loop {
                if let Some(ended) = self.process_batch(turn)? {
                    return Ok(ended);
                }
                turn = match FILE_WAIT.saturating_sub(started.elapsed()) {
                    rest if !rest.is_zero() && self.awaits_loads() => self.mailbox.wait(rest),
                    _ => self.mailbox.try_take(),
                };
                if turn.is_empty() || started.elapsed() > MAX_DRAIN_TIME {
                    break;
                }
            }
            self.awaited.clear();
            if let Some(ended) = self.process_batch(turn)? {
                return Ok(ended);
            }
            // Before the frame is written: the answer to it may be quicker than this thread.
            if self.inputs.is_empty() {
                self.mailbox.mark_shown();
            }
            if self.stirred {
                show(&mut self.app, self.theme, &mut self.screen, &*self.clock)?;
            }
        }
    }

    /// Microseconds until something is due without any event.
    fn next_due(&self) -> i64 {
        let times = self.clock.times();
        let inputs = self.inputs.due().map_or(i64::MAX, |due| due.since(times.moment));
        self.app.micros_until_due(times).min(inputs)
    }

    /// True if the next frame is worth a short wait: it lacks a load, or keys wait for one.
    fn awaits_loads(&self) -> bool {
        !self.awaited.is_empty() || !self.inputs.is_empty()
    }

    /// Handles events, signals and keys first; keys that wait follow the results.
    fn process_batch(&mut self, turn: EventBatch) -> io::Result<Option<LoopEnd>> {
        self.update(Event::Time(self.clock.times()))?;
        self.stirred |= !turn.is_empty() && !turn.is_only_prefetch();
        for signal in turn.signals {
            match signal {
                Signal::End | Signal::TerminalLost => return Ok(Some(LoopEnd::Signal)),
                Signal::Failed => return Ok(Some(LoopEnd::Failed)),
                Signal::Stop => self.suspend()?,
                // Resumed after an unannounced stop: SIGSTOP from outside.
                Signal::Continue => self.screen.reacquire()?,
                Signal::Resized => {
                    let (columns, rows) = terminal::size()?;
                    self.update(Event::Resize(columns, rows))?;
                }
            }
        }
        turn.keys.into_iter().for_each(|(arrived_at, input)| self.inputs.push(input, arrived_at));
        if !self.inputs.is_waiting() && self.take_inputs()? {
            return Ok(Some(LoopEnd::Quit));
        }
        for event in turn.results {
            if self.update(event)? {
                return Ok(Some(LoopEnd::Quit));
            }
        }
        if self.take_inputs()? {
            return Ok(Some(LoopEnd::Quit));
        }
        self.send_loads();
        Ok(None)
    }

    /// Handles input until the rest has to wait. Returns true at the end.
    fn take_inputs(&mut self) -> io::Result<bool> {
        while let Some(event) = self.inputs.next(&self.app, self.clock.moment()) {
            let effects = self.app.take_input(self.with_tab(event), self.inputs.arrived_at());
            if self.perform(effects)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Requests the wanted loads in order.
    fn send_loads(&mut self) {
        for load in std::mem::take(&mut self.queued_loads) {
            if !self.app.desk.is_still_needed(&load) {
                continue;
            }
            if self.app.desk.is_missing(&load) {
                // Only the newest of each kind is answered.
                self.awaited.retain(|entry| !load.replaces(entry));
                self.awaited.push(load.clone());
            }
            self.hands.perform(Effect::Load(load));
        }
    }

    /// Updates the inbox and performs its effects. Returns true at the end.
    fn update(&mut self, event: Event) -> io::Result<bool> {
        if let Event::Loaded(load, _) = &event {
            self.awaited.retain(|entry| entry != load);
        }
        let effects = self.app.update(event);
        self.perform(effects)
    }

    /// Performs effects. Returns true at the end.
    fn perform(&mut self, effects: Vec<Effect>) -> io::Result<bool> {
        for effect in effects {
            match effect {
                Effect::Terminal(order) => {
                    if self.order(order)? {
                        return Ok(true);
                    }
                }
                Effect::Load(load) => self.queued_loads.push(load),
                effect @ (Effect::Write(_)
                | Effect::Request(_)
                | Effect::Sync(_)
                | Effect::Import(_)
                | Effect::Log(_)) => self.hands.perform(effect),
            }
        }
        Ok(false)
    }

    /// Performs an order to the terminal. Returns true at the end.
    fn order(&mut self, order: TerminalOrder) -> io::Result<bool> {
        match order {
            TerminalOrder::Quit => return Ok(true),
            TerminalOrder::QuitToBackground => match children::spawn_background_sender() {
                Ok(()) => return Ok(true),
                Err(why) => self.app.context.show_warning(format!("the background process stopped: {why}")),
            },
            TerminalOrder::Redraw => self.screen.redraw(),
            TerminalOrder::Bell => self.screen.write_raw(b"\x07")?,
            TerminalOrder::Notify(title, body) => {
                self.screen.write_raw(&self.notifier.notify(&title, &body))?
            }
            TerminalOrder::OpenLink(url) => {
                if let Err(why) = opening::open(&url) {
                    self.app.context.show_warning(why);
                }
            }
            TerminalOrder::Copy(text, what) => {
                if let Some(sequence) = self.clipboard.copy(&text, what, &self.mailbox) {
                    self.screen.write_raw(sequence.as_bytes())?;
                }
            }
            // On a screen, text is only copied.
            TerminalOrder::ReadOut(_) => (),
            TerminalOrder::ReadMouse(read) => self.screen.set_mouse(read)?,
            TerminalOrder::Suspend => self.suspend()?,
            TerminalOrder::Edit(text) => {
                let edited = self.lend(|| editor::edit(&text))?;
                return self.handle_program_end(Event::Edited(edited));
            }
            TerminalOrder::Record(command) => {
                let recorded = self.lend(|| recording::record(&command))?;
                return self.handle_program_end(Event::Recorded(recorded));
            }
            TerminalOrder::SetUp => {
                let ended = self.lend(terminal_lending::run_setup)?;
                return self.handle_program_end(Event::SetUp(ended));
            }
        }
        Ok(false)
    }

    /// Maps a click in the line of tabs to its tab, whose place only drawing knows.
    fn with_tab(&self, event: Event) -> Event {
        let Event::Pointer(Pointer::Down(x, 0)) = event else { return event };
        inbox::tabs_view::tab_at(&self.app, x).map_or(event, Event::Pointer)
    }

    /// Handles the end of another program, after updating the time.
    fn handle_program_end(&mut self, ended: Event) -> io::Result<bool> {
        Ok(self.update(Event::Time(self.clock.times()))? || self.update(ended)?)
    }

    /// Lends the terminal to another program. Sending continues meanwhile; news is shown afterwards.
    fn lend<T>(&mut self, run: impl FnOnce() -> Result<T, String>) -> io::Result<Result<T, String>> {
        let ended = self.gate.lend(&mut self.screen, run)?;
        self.app.context.size = terminal::size()?;
        Ok(ended)
    }

    fn suspend(&mut self) -> io::Result<()> {
        terminal::restore();
        // Another process may lead while this one is stopped.
        let _ =
            self.runtime.block_on(async { tokio::time::timeout(LEAVE_TIMEOUT, self.engine.suspend()).await });
        signals::stop_process();
        self.runtime.block_on(self.engine.resume());
        self.screen.reacquire()?;
        self.app.context.size = terminal::size()?;
        Ok(())
    }
}
