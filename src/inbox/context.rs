//! What every part of the screen gets besides its own state: the time, the
//! terminal, how it is set up, and where it leaves what is to be done.

use crate::command::Command;
use crate::event::{Effect, TerminalOrder};
use crate::features::offers::Offer;
use crate::notice::{Fact, Notice, NoticeLog};
use crate::overlays::guard::PromptGuard;
use crate::overlays::overlay::{Overlay, OverlayStack, PopupTarget};
use crate::settings::Settings;
use model::time::{ClockReading, Moment, Timestamp};

/// See the module's text.
#[derive(Debug)]
pub struct Context {
    /// The wall clock as read last; people set it in both directions.
    pub now: Timestamp,
    /// The steady clock as read last; never goes back.
    pub moment: Moment,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether the terminal window has the focus.
    pub focused: bool,
    pub settings: Settings,
    /// What lies over the desk, topmost last.
    pub layers: OverlayStack,
    /// What was clicked last in the popup that lies so deep: a second click does it.
    pub(crate) pointed: Option<(usize, PopupTarget)>,
    /// What keeps keys meant for a text from the question over it.
    pub(crate) guard: PromptGuard,
    /// What the status line says for a while.
    pub notice: Option<Notice>,
    /// What the status line said lately.
    pub(crate) said: NoticeLog,
    /// What one key would do that suggests itself.
    pub(crate) offer: Option<Offer>,
    /// Why something was not done in this turn, as it was said first.
    pub(crate) refusal: Option<String>,
    /// What is to be done after this turn.
    pub effects: Vec<Effect>,
}

impl Context {
    /// Nothing is to be done yet.
    pub fn new(settings: Settings, size: (u16, u16), times: ClockReading) -> Self {
        Self {
            now: times.now,
            moment: times.moment,
            size,
            focused: true,
            settings,
            layers: OverlayStack::default(),
            pointed: None,
            guard: PromptGuard::default(),
            notice: None,
            said: NoticeLog::default(),
            offer: None,
            refusal: None,
            effects: Vec::new(),
        }
    }

    /// Both clocks as read last.
    pub(crate) fn times(&self) -> ClockReading {
        ClockReading { now: self.now, moment: self.moment }
    }

    /// The steady clock at a time near the wall clock's, as that is set now.
    pub(crate) fn moment_of(&self, at: Timestamp) -> Moment {
        self.moment.plus(at.since(self.now))
    }

    /// Leaves something to be done.
    pub fn push(&mut self, effect: impl Into<Effect>) {
        self.effects.push(effect.into());
    }

    pub fn push_all(&mut self, effects: impl IntoIterator<Item = impl Into<Effect>>) {
        self.effects.extend(effects.into_iter().map(Into::into));
    }

    /// Rings, and shows a notification where the terminal has not the focus.
    pub(crate) fn make_heard(&mut self, notice: TerminalOrder) {
        if self.settings.notice.is_quiet(self.now, &self.settings.zone) {
            return;
        }
        self.ring();
        let (unseen, notice) = (self.settings.notice.desktop && !self.focused, notice.into());
        if unseen && !self.effects.contains(&notice) {
            self.push(notice);
        }
    }

    /// Rings once, where the person wants to hear the bell.
    fn ring(&mut self) {
        let bell = TerminalOrder::Bell.into();
        if self.settings.notice.bell && !self.effects.contains(&bell) {
            self.push(bell);
        }
    }

    /// The time of a conversation that was put aside has come.
    pub(crate) fn ring_back(&mut self) {
        if !self.settings.notice.is_quiet(self.now, &self.settings.zone) {
            self.ring();
        }
    }

    /// What was offered does not suggest itself any more.
    pub(crate) fn let_be(&mut self) {
        self.offer = None;
    }

    /// The key of a command, for words on the screen.
    pub fn key_of(&self, command: Command) -> String {
        self.settings.keymap.first(command)
    }

    /// Words in which `{command-name}` stands for its key.
    pub fn keyed(&self, words: &str) -> String {
        self.settings.keymap.fill_in_keys(words)
    }

    /// Says in the status line that something has happened.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.said.record(&text, self.now);
        self.notice = Some(Notice::of(text, false, self.moment));
    }

    /// Says that something cannot be done or went wrong.
    pub fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.refuse(&text);
        self.said.record(&text, self.now);
        self.notice = Some(Notice::of(text, true, self.moment));
    }

    /// Says a fact for as long as it is one.
    pub(crate) fn state(&mut self, fact: Fact) {
        self.notice = Some(Notice::of_fact(fact));
    }

    /// Something was refused: what is played by itself ends here.
    pub(crate) fn refuse(&mut self, why: &str) {
        self.refusal.get_or_insert_with(|| why.to_owned());
    }

    /// Opens what lies over the desk from now on.
    pub(crate) fn open(&mut self, overlay: impl Overlay) {
        self.guard.raise();
        self.pointed = None;
        self.layers.push(overlay);
    }

    /// Whether this was clicked last in the topmost popup.
    pub(crate) fn is_pointed(&self, target: PopupTarget) -> bool {
        self.pointed == Some((self.layers.len(), target))
    }

    pub fn states_fact(&self) -> bool {
        self.notice.as_ref().is_some_and(Notice::states_fact)
    }

    /// Whoever answers in lines has heard the question: the guard against
    /// typing ahead is over.
    pub fn question_was_heard(&mut self) {
        self.guard.heard();
    }
}
