//! A line for the person in the status line: what has just happened, for a
//! while, or a fact, for as long as it is one.

use crate::Inbox;
use crate::actions::INTERRUPT;
use crate::event::Effect;
use crate::features::undo_send::Held;
use model::ids::{ChannelId, ConversationId};
use model::time::{SECOND, Timestamp};

/// How long what has happened stays in the status line.
const NOTICE: i64 = 8 * SECOND;

/// A line for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The words it began with.
    pub text: String,
    /// Whether something went wrong.
    pub warning: bool,
    /// What ends it.
    lasts: Lasts,
}

/// How long a line stays.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lasts {
    /// It told an event; until then.
    Until(Timestamp),
    /// It states a fact, whose words are made anew each time they are drawn.
    While(Fact),
}

/// What a line may state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fact {
    /// What was just asked for is held until then: what it is, with its
    /// count, and what the key that takes it back does.
    Held { until: Timestamp, what: String, back: &'static str },
    /// The text has a field that is to be filled in.
    Unfilled,
    /// A person asked a tab's server, and nothing has come back.
    Asking(ChannelId),
    /// One more key ends the desk.
    Interrupted,
}

impl Inbox {
    /// Says in the status line that something has happened.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        let lasts = Lasts::Until(self.context.now.plus(NOTICE));
        self.notice = Some(Notice { text: text.into(), warning: false, lasts });
    }

    /// Says that something cannot be done or went wrong.
    pub fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.refused(&text);
        let lasts = Lasts::Until(self.context.now.plus(NOTICE));
        self.notice = Some(Notice { text, warning: true, lasts });
    }

    /// Says a fact for as long as it is one.
    pub(crate) fn state(&mut self, fact: Fact) {
        let Some(text) = self.words_of(&fact) else { return };
        let warning = fact == Fact::Unfilled;
        if warning {
            self.refused(&text);
        }
        self.notice = Some(Notice { text, warning, lasts: Lasts::While(fact) });
    }

    /// What the status line says now, and whether something went wrong.
    pub fn noticed(&self) -> Option<(String, bool)> {
        let notice = self.notice.as_ref()?;
        match &notice.lasts {
            Lasts::Until(until) => (self.context.now < *until).then(|| (notice.text.clone(), notice.warning)),
            Lasts::While(fact) => Some((self.words_of(fact)?, notice.warning)),
        }
    }

    /// Whether it states a fact.
    pub fn states_fact(&self) -> bool {
        matches!(&self.notice, Some(Notice { lasts: Lasts::While(_), .. }))
    }

    /// A line that is over goes.
    pub(crate) fn end_notice(&mut self) {
        if self.noticed().is_none() {
            self.notice = None;
        }
    }

    /// When a line ends by itself.
    pub(crate) fn notice_due(&self) -> Option<Timestamp> {
        match &self.notice.as_ref()?.lasts {
            Lasts::Until(until) => Some(*until),
            Lasts::While(Fact::Interrupted) => self.interrupted_until(),
            Lasts::While(Fact::Held { until, .. }) => Some(*until),
            Lasts::While(Fact::Unfilled | Fact::Asking(_)) => None,
        }
    }

    /// The words of a fact; `None` where it is none any more.
    fn words_of(&self, fact: &Fact) -> Option<String> {
        match fact {
            Fact::Held { until, what, back } => {
                // On its way to the disk it is held, too; there it gets its own time.
                let held = self.undo.iter().map(|it| it.until).filter(|it| it.since(*until).abs() < SECOND);
                let until = held.max().or(self.is_queueing().then_some(*until))?;
                let left = until.since(self.context.now);
                let seconds = (left + SECOND - 1) / SECOND;
                (left > 0).then(|| format!("{what} in {seconds} s · {} {back}", self.undo_key()))
            }
            Fact::Unfilled => self.unfilled(),
            Fact::Asking(channel) => {
                let asks = self.tabs.iter().any(|it| it.channel.id == *channel && it.asked);
                asks.then(|| "asking the server".to_owned())
            }
            Fact::Interrupted => self
                .interrupted_until()
                .filter(|it| self.context.now < *it)
                .map(|_| self.keyed("press {interrupt} again to quit; drafts are safe")),
        }
    }

    /// Whether a close of a conversation can still be taken back.
    pub fn holds_close(&self, channel: &ChannelId, conversation: &ConversationId) -> bool {
        let here = |it: &Held| it.channel == *channel && it.lane.conversation() == Some(conversation);
        self.is_queueing() || self.undo.iter().any(|it| here(it) && self.context.now < it.until)
    }

    /// Reads everything of the current tab again now.
    pub(crate) fn ask_server(&mut self) {
        let tab = self.tab_mut();
        tab.asked = true;
        let channel = tab.channel.id.clone();
        self.context.push(Effect::Refresh(channel.clone()));
        self.state(Fact::Asking(channel));
    }

    /// Until when one more key ends the desk.
    pub(crate) fn interrupted_until(&self) -> Option<Timestamp> {
        self.interrupted_at.map(|it| it.plus(INTERRUPT))
    }
}
