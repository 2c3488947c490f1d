//! State shared by all parts of the screen, and the effects to carry out.

use crate::command::{self, Command, CommandScope};
use crate::event::{Effect, TerminalOrder};
use crate::keymap;
use crate::notice::{Notice, NoticeLog, StatusNotice};
use crate::overlays::overlay::{Overlay, OverlayStack, PopupTarget};
use crate::overlays::prompt_guard::PromptGuard;
use crate::settings::Settings;
use model::time::{ClockReading, Moment, Timestamp};

#[derive(Debug)]
pub struct Context {
    /// Wall clock as last read; may be set in both directions.
    pub now: Timestamp,
    /// Steady clock as last read; never goes back.
    pub moment: Moment,
    /// Arrival time of the input being handled, `None` without one.
    pub(crate) input_arrived_at: Option<Moment>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// True while the terminal window has the focus.
    pub focused: bool,
    pub settings: Settings,
    pub overlays: OverlayStack,
    /// Depth and target of the last click in a popup; a second click activates it.
    pub(crate) last_click: Option<(usize, PopupTarget)>,
    /// Keeps keys typed ahead from answering a question.
    pub(crate) guard: PromptGuard,
    pub notice: Option<Notice>,
    pub(crate) notice_log: NoticeLog,
    /// Reason of the first refusal in this update.
    pub(crate) refusal: Option<String>,
    /// Effects to carry out after this update.
    pub effects: Vec<Effect>,
}

impl Context {
    pub fn new(settings: Settings, size: (u16, u16), times: ClockReading) -> Self {
        Self {
            now: times.now,
            moment: times.moment,
            input_arrived_at: None,
            size,
            focused: true,
            settings,
            overlays: OverlayStack::default(),
            last_click: None,
            guard: PromptGuard::default(),
            notice: None,
            notice_log: NoticeLog::default(),
            refusal: None,
            effects: Vec::new(),
        }
    }

    pub(crate) fn clock_reading(&self) -> ClockReading {
        ClockReading { now: self.now, moment: self.moment }
    }

    /// Arrival time of the input being handled, else the current time.
    pub(crate) fn input_moment(&self) -> Moment {
        self.input_arrived_at.unwrap_or(self.moment)
    }

    /// Converts a wall clock time near `now` to the steady clock.
    pub(crate) fn moment_of(&self, at: Timestamp) -> Moment {
        self.moment.plus(at.since(self.now))
    }

    pub fn push(&mut self, effect: impl Into<Effect>) {
        self.effects.push(effect.into());
    }

    pub fn push_all(&mut self, effects: impl IntoIterator<Item = impl Into<Effect>>) {
        self.effects.extend(effects.into_iter().map(Into::into));
    }

    /// Rings, and sends a notification if the terminal lacks the focus; silent in quiet hours.
    pub(crate) fn alert(&mut self, notice: TerminalOrder) {
        if self.settings.notice.is_quiet(self.now, &self.settings.zone) {
            return;
        }
        self.ring();
        let (unseen, notice) = (self.settings.notice.desktop && !self.focused, notice.into());
        if unseen && !self.effects.contains(&notice) {
            self.push(notice);
        }
    }

    /// Rings once per update if the bell is on.
    fn ring(&mut self) {
        let bell = TerminalOrder::Bell.into();
        if self.settings.notice.bell && !self.effects.contains(&bell) {
            self.push(bell);
        }
    }

    /// Rings for a snoozed conversation that is due.
    pub(crate) fn ring_for_snoozed(&mut self) {
        if !self.settings.notice.is_quiet(self.now, &self.settings.zone) {
            self.ring();
        }
    }

    /// The first key of a command; in plain mode, the word of a command whose key is pressed in a text.
    pub fn key_of(&self, command: Command) -> String {
        let row = command::row(command);
        if !self.settings.is_plain || row.place != CommandScope::Composer {
            return self.settings.keymap.first_key_name(command);
        }
        let is_undo = command == Command::UndoInText;
        let row = if is_undo { command::row(Command::Undo) } else { row };
        row.word.to_owned()
    }

    /// Replaces each `{command-name}` by its key, as [`Self::key_of`] names it.
    pub fn fill_in_keys(&self, words: &str) -> String {
        keymap::fill_in_names(words, |command| self.key_of(command))
    }

    pub(crate) fn show_notice(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.notice_log.record(&text, self.now);
        self.notice = Some(Notice::of(text, false, self.moment));
    }

    pub fn show_warning(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.record_refusal(&text);
        self.notice_log.record(&text, self.now);
        self.notice = Some(Notice::of(text, true, self.moment));
    }

    /// Shows a fact in the status line for as long as it is true.
    pub(crate) fn show_status(&mut self, fact: StatusNotice) {
        self.notice = Some(Notice::of_status(fact));
    }

    /// Records a refusal, which stops a running macro.
    pub(crate) fn record_refusal(&mut self, why: &str) {
        self.refusal.get_or_insert_with(|| why.to_owned());
    }

    pub(crate) fn open(&mut self, overlay: impl Overlay) {
        self.guard.raise();
        self.last_click = None;
        self.overlays.push(overlay);
    }

    /// True if this was the last click in the topmost popup.
    pub(crate) fn is_second_click(&self, target: PopupTarget) -> bool {
        self.last_click == Some((self.overlays.len(), target))
    }

    pub fn shows_status(&self) -> bool {
        self.notice.as_ref().is_some_and(Notice::shows_status)
    }

    /// Lowers the guard against typing ahead, for interfaces that read the question out.
    pub fn lower_prompt_guard(&mut self) {
        self.guard.lower();
    }
}
