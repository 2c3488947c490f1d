//! Plain mode: the inbox as lines of text. Input and output are by line; the terminal is not taken over.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::shell::clipboard::Clipboard;
use crate::shell::desk_parts::DeskParts;
use crate::shell::effects::EffectRunner;
use crate::shell::event_queue::{EventQueue, Signal};
use crate::shell::notify::Notifier;
use crate::shell::pictures::PictureLoader;
use crate::shell::run::{self, DeskError};
use crate::shell::user_files::UserFiles;
use crate::shell::{children, failures, opening, receiving, signals};
use inbox::event::{Effect, Event, FileWrite, TerminalOrder};
use inbox::input_queue::InputQueue;
use inbox::plain::PlainOutput;
use inbox::plain::help;
use inbox::plain::input;
use inbox::plain::input::PlainCommand;
use inbox::plain::snapshot::UiSnapshot;
use inbox::{Inbox, Notice};
use model::news::News;
use model::pictures::Graphics;
use model::time::{Clock, ClockReading, Moment};
use sync::Engine;

/// Columns and rows of the layout, which is never drawn: narrow enough for one pane at a time.
const LAYOUT_SIZE: (u16, u16) = (99, 60);
const MAX_LAYERS: usize = 8;

impl DeskParts {
    /// Runs plain mode until it is left, its input ends or the reader of its output has gone.
    pub fn run_plain(self) -> Result<(), DeskError> {
        let mailbox = EventQueue::default();
        failures::install(mailbox.clone());
        signals::spawn(mailbox.clone())?;
        let store = self.files.open()?;
        run::report_restored(&store, &self.channels, &mailbox);
        let mut reader = store.reader()?;
        let settings = self.files.settings_of_agent(self.settings);
        let mut app = Inbox::new(Self::infos(&self.channels), settings, LAYOUT_SIZE, self.clock.times());
        app.desk.agent = self.agent;
        // Listed rows keep their numbers.
        app.desk.list_follows = false;
        app.context.settings.is_plain = true;
        // No pictures in text.
        app.context.settings.graphics = Graphics::Off;
        let effects = app.start();
        let left = run::load_inline(&mut app, &mut reader, effects);
        let told = mailbox.clone();
        let news: receiving::NewsCallback = Arc::new(move |news: News| told.result(Event::News(news)));
        let (channels, runtime) = (self.channels.clone(), self.runtime.clone());
        let (clock, polling) = (self.clock.clone(), self.polling);
        let engine = Engine::start(runtime, store.clone(), channels, clock, news.clone(), polling);
        let engine = Arc::new(engine);
        Self::join_team(&engine, self.team, &self.channels, &mailbox);
        let receiving = receiving::start(&self.runtime, self.receiver, &engine, self.channels, news);
        let viewer = PictureLoader::new(self.runtime.clone(), Vec::new(), Graphics::Off);
        let outside =
            UserFiles::new(self.replies, viewer).with_config(self.config).with_suggester(self.suggester);
        let hands =
            EffectRunner::start(store, reader, outside, engine.clone(), self.clock.clone(), mailbox.clone())?;
        left.into_iter().for_each(|effect| hands.perform(effect));
        read_lines(mailbox.clone(), self.clock.clone())?;
        let mut turning = PlainMode {
            app,
            hands,
            spoken: PlainOutput::default(),
            inputs: InputQueue::default(),
            line: None,
            notifier: self.notifier,
            clipboard: self.clipboard,
            mailbox: mailbox.clone(),
            works: false,
        };
        let ended = turning.run(&mailbox, || self.clock.times());
        let PlainMode { mut app, hands, .. } = turning;
        app.save_on_exit().into_iter().for_each(|effect| hands.perform(effect));
        hands.finish();
        drop(receiving);
        let _ = self
            .runtime
            .block_on(async { tokio::time::timeout(run::LEAVE_TIMEOUT, engine.shutdown()).await });
        match ended {
            Err(DeskError::Terminal(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            ended => ended,
        }
    }
}

/// Reads standard input by line; its end ends the program.
fn read_lines(mailbox: EventQueue, clock: Arc<dyn Clock>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("input".to_owned());
    thread.spawn(move || {
        for line in io::stdin().lock().lines() {
            match line {
                Ok(line) => mailbox.key(Event::Line(line), clock.moment()),
                Err(error) => {
                    tracing::warn!(%error, "the input has ended");
                    break;
                }
            }
        }
        mailbox.signal(Signal::TerminalLost);
    })?;
    Ok(())
}

/// Event loop of plain mode.
struct PlainMode {
    app: Inbox,
    hands: EffectRunner,
    spoken: PlainOutput,
    /// Lines not handled yet, and keys of the line that is being handled.
    inputs: InputQueue,
    /// Line whose keys are being handled.
    line: Option<LineStart>,
    notifier: Notifier,
    clipboard: Clipboard,
    mailbox: EventQueue,
    /// True if a line started work whose result is announced later.
    works: bool,
}

/// The inbox before a line, to tell if the line had an effect.
struct LineStart {
    layer: Option<String>,
    notice: Option<Notice>,
    place: UiSnapshot,
}

impl PlainMode {
    fn run(&mut self, mailbox: &EventQueue, times: impl Fn() -> ClockReading) -> Result<(), DeskError> {
        let mut gone = false;
        loop {
            let read = times();
            let inputs_due = self.inputs.due().map_or(i64::MAX, |due| due.since(read.moment));
            let due = self.app.micros_until_due(read).min(inputs_due).clamp(0, 60_000_000);
            let turn = mailbox.wait(Duration::from_micros(u64::try_from(due).unwrap_or(0)));
            if self.update(Event::Time(times()))? {
                return Ok(());
            }
            turn.keys.into_iter().for_each(|(arrived_at, line)| self.inputs.push(line, arrived_at));
            if !self.inputs.is_waiting() && self.take_inputs(&times)? {
                return Ok(());
            }
            for event in turn.results {
                if self.update(event)? {
                    return Ok(());
                }
            }
            if self.take_inputs(&times)? {
                return Ok(());
            }
            self.print_changes(times().moment)?;
            for signal in turn.signals {
                match signal {
                    Signal::End => return Ok(()),
                    Signal::TerminalLost => gone = true,
                    Signal::Failed => return Err(DeskError::Failed),
                    Signal::Stop => signals::stop_process(),
                    Signal::Continue | Signal::Resized => (),
                }
            }
            if gone && self.inputs.is_empty() {
                return Ok(());
            }
        }
    }

    /// Handles lines and their keys until the rest has to wait. Returns true at the end.
    fn take_inputs(&mut self, times: impl Fn() -> ClockReading) -> io::Result<bool> {
        while let Some(event) = self.inputs.next(&self.app, times().moment) {
            let ends = if let Event::Line(line) = event { self.line(&line)? } else { self.update(event)? };
            if ends {
                return Ok(true);
            }
            if self.inputs.first().is_none_or(|next| matches!(next, Event::Line(_))) {
                // The output of a line precedes the next line.
                self.end_line()?;
                self.print_changes(times().moment)?;
            }
        }
        Ok(false)
    }

    fn print_changes(&mut self, now: Moment) -> io::Result<()> {
        print_lines(&self.spoken.collect_new_lines(&self.app))?;
        self.app.desk.record_drawn(now, &mut self.app.context);
        Ok(())
    }

    /// Handles one line. Returns true at the end.
    fn line(&mut self, line: &str) -> io::Result<bool> {
        let mut read = input::parse_line(&self.app, line, self.spoken.listed());
        for _ in 0..MAX_LAYERS {
            if read != PlainCommand::LeaveFirst {
                break;
            }
            for event in input::leave_events(&self.app) {
                self.update(event)?;
            }
            read = input::parse_line(&self.app, line, self.spoken.listed());
        }
        match read {
            PlainCommand::RepeatPlace => self.spoken.forget_place(),
            PlainCommand::List => print_lines(&self.spoken.list_conversations(&self.app))?,
            PlainCommand::Help(word) => print_lines(&help::help_lines(&self.app, word.as_deref()))?,
            PlainCommand::LeaveFirst => print_lines(&["answer or leave this first".to_owned()])?,
            PlainCommand::Unknown(why) => {
                print_lines(&[why])?;
                print_lines(&help::input_help(&self.app))?;
            }
            PlainCommand::Events(events) => self.begin_line(events),
        }
        Ok(false)
    }

    /// Queues the keys of a line before the next line.
    fn begin_line(&mut self, keys: Vec<Event>) {
        self.app.context.lower_prompt_guard();
        let layer = self.app.context.overlays.last().map(|layer| format!("{layer:?}"));
        let (notice, place) = (self.app.context.notice.clone(), UiSnapshot::of(&self.app));
        self.line = Some(LineStart { layer, notice, place });
        self.works = false;
        self.inputs.push_first(keys, self.app.context.moment);
    }

    /// Prints what a line has changed, or that it had no effect.
    fn end_line(&mut self) -> io::Result<()> {
        let Some(LineStart { layer, notice, place }) = self.line.take() else { return Ok(()) };
        let after = self.app.context.overlays.last().map(|layer| format!("{layer:?}"));
        if layer.is_some() && layer == after && self.app.context.notice == notice {
            print_lines(&["that is not an answer to the open question".to_owned()])?;
            return print_lines(&help::input_help(&self.app));
        }
        let lines = self.spoken.collect_new_lines(&self.app);
        match lines.is_empty() && !self.works {
            true => print_lines(&[place.describe_change(&self.app)]),
            false => print_lines(&lines),
        }
    }

    /// Updates the inbox and performs its effects. Returns true at the end.
    fn update(&mut self, event: Event) -> io::Result<bool> {
        for effect in self.app.update(event) {
            self.works |= !is_quiet(&effect);
            match effect {
                Effect::Terminal(order) => {
                    if self.order(order)? {
                        return Ok(true);
                    }
                }
                effect @ (Effect::Load(_)
                | Effect::Write(_)
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
            TerminalOrder::Redraw => self.spoken.forget_place(),
            TerminalOrder::Suspend => signals::stop_process(),
            TerminalOrder::SetUp => {
                self.app.context.show_warning("`frontdesk channel add` adds a channel key")
            }
            TerminalOrder::Bell | TerminalOrder::ReadMouse(_) | TerminalOrder::Edit(_) => (),
            TerminalOrder::Record(_) => {
                self.app.context.show_warning("recording needs the screen; attach a recorded file")
            }
            TerminalOrder::Notify(title, body) => drop(self.notifier.notify(&title, &body)),
            TerminalOrder::OpenLink(url) => {
                if let Err(why) = opening::open(&url) {
                    self.app.context.show_warning(why);
                }
            }
            TerminalOrder::ReadOut(text) => {
                print_lines(&text.lines().map(str::to_owned).collect::<Vec<_>>())?
            }
            TerminalOrder::Copy(text, what) => {
                let sequence = self.clipboard.copy(&text, what, &self.mailbox);
                write(sequence.unwrap_or_default().as_bytes())?;
            }
        }
        Ok(false)
    }
}

/// True if the effect's result is not announced.
fn is_quiet(effect: &Effect) -> bool {
    let quiet = |file_write: &FileWrite| {
        matches!(file_write, FileWrite::RecordPresence(_) | FileWrite::SaveDraft(..))
    };
    matches!(effect, Effect::Log(_)) || matches!(effect, Effect::Write(write) if quiet(write))
}

fn print_lines(lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    write(format!("{}\n", lines.join("\n")).as_bytes())
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}
