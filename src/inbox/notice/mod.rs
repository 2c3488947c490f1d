//! A line for the person in the status line: what has just happened, for a
//! while, or a fact, for as long as it is one.

pub(crate) mod update;

use std::collections::VecDeque;

use crate::keyboard::Keyboard;
use model::ids::{ChannelId, RowId};
use model::time::{Moment, SECOND, Timestamp};

/// How long the first Ctrl-C waits for the second.
pub(crate) const INTERRUPT: i64 = 2 * SECOND;

/// How long what has happened stays in the status line.
const NOTICE: i64 = 8 * SECOND;

/// Lines that are remembered.
const REMEMBERED: usize = 100;

/// What the status line said, oldest first.
#[derive(Debug, Default)]
pub(crate) struct NoticeLog(VecDeque<(Timestamp, String)>);

impl NoticeLog {
    /// Remembers a line; one that is said again counts from then.
    pub(crate) fn record(&mut self, text: &str, now: Timestamp) {
        if self.0.back().is_some_and(|pair| pair.1 == text) {
            self.0.pop_back();
        }
        self.0.push_back((now, text.to_owned()));
        let over = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..over);
    }

    /// When each was said and what, newest first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = (Timestamp, &str)> {
        self.0.iter().rev().map(|(at, text)| (*at, text.as_str()))
    }
}

/// A line for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The words of what has happened; those of a fact are made when it is drawn.
    pub text: String,
    pub warning: bool,
    lasts: Lasts,
    /// The row of the outbox it tells of: it ends when that one leaves.
    pub(crate) about: Option<RowId>,
}

impl Notice {
    pub(crate) fn states_fact(&self) -> bool {
        matches!(self.lasts, Lasts::While(_))
    }

    /// What has just happened.
    pub(crate) fn of(text: String, warning: bool, now: Moment) -> Self {
        Self { text, warning, lasts: Lasts::Until(now.plus(NOTICE)), about: None }
    }

    /// A fact, while it is one.
    pub(crate) fn of_fact(fact: Fact) -> Self {
        Self {
            text: String::new(),
            warning: matches!(fact, Fact::Unfilled | Fact::Question),
            lasts: Lasts::While(fact),
            about: None,
        }
    }
}

/// How long a line stays.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lasts {
    /// It told an event; until then.
    Until(Moment),
    /// It states a fact, whose words are made anew each time they are drawn.
    While(Fact),
}

/// What a line may state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fact {
    /// What was just asked for is held until then: what it is, with its
    /// count, and what the key that takes it back does.
    Held { until: Moment, what: String, back: &'static str },
    /// The text has a field that is to be filled in.
    Unfilled,
    /// A person asked a tab's server, and nothing has come back.
    Asking(ChannelId),
    /// The business's own systems were asked, and have not answered.
    LookingUp,
    /// One more key ends the desk.
    Interrupted,
    /// Keys wait for a slow read.
    KeysWait,
    /// A question waits for one of its own keys; another was pressed.
    Question,
}

impl Keyboard {
    /// Until when one more key ends the desk.
    pub(crate) fn interrupted_until(&self) -> Option<Moment> {
        self.interrupted_at.map(|moment| moment.plus(INTERRUPT))
    }
}
