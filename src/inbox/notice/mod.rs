//! A message in the status line: an event, for a while, or a fact, for as long as it is true.

pub(crate) mod update;

use std::collections::VecDeque;

use crate::keyboard::Keyboard;
use model::ids::{ChannelId, RowId};
use model::time::{Moment, SECOND, Timestamp};

/// Time for the second Ctrl-C, in microseconds.
pub(crate) const INTERRUPT_WINDOW: i64 = 2 * SECOND;

/// Time an event is shown, in microseconds.
const NOTICE_DURATION: i64 = 8 * SECOND;

const NOTICE_HISTORY_LIMIT: usize = 100;

/// Recent messages, oldest first.
#[derive(Debug, Default)]
pub(crate) struct NoticeLog(VecDeque<(Timestamp, String)>);

impl NoticeLog {
    /// Adds a message; a repeated one gets the new time.
    pub(crate) fn record(&mut self, text: &str, now: Timestamp) {
        if self.0.back().is_some_and(|pair| pair.1 == text) {
            self.0.pop_back();
        }
        self.0.push_back((now, text.to_owned()));
        let over = self.0.len().saturating_sub(NOTICE_HISTORY_LIMIT);
        self.0.drain(..over);
    }

    pub(crate) fn newest_first(&self) -> impl Iterator<Item = (Timestamp, &str)> {
        self.0.iter().rev().map(|(at, text)| (*at, text.as_str()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Text of an event; the text of a fact is made when drawn.
    pub text: String,
    pub is_warning: bool,
    lifetime: NoticeLifetime,
    /// Outbox row of the message, which disappears when the row is sent.
    pub(crate) row: Option<RowId>,
}

impl Notice {
    pub(crate) fn shows_status(&self) -> bool {
        matches!(self.lifetime, NoticeLifetime::While(_))
    }

    /// True for what is said about the tab on screen or a conversation in it.
    pub(crate) fn is_about_tab(&self) -> bool {
        !matches!(
            self.lifetime,
            NoticeLifetime::While(StatusNotice::Interrupted | StatusNotice::UnansweredQuestion)
        )
    }

    pub(crate) fn of(text: String, is_warning: bool, now: Moment) -> Self {
        Self { text, is_warning, lifetime: NoticeLifetime::Until(now.plus(NOTICE_DURATION)), row: None }
    }

    pub(crate) fn of_status(fact: StatusNotice) -> Self {
        Self {
            text: String::new(),
            is_warning: matches!(fact, StatusNotice::UnfilledPlaceholder | StatusNotice::UnansweredQuestion),
            lifetime: NoticeLifetime::While(fact),
            row: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum NoticeLifetime {
    /// An event, shown until then.
    Until(Moment),
    /// A fact, with a text made at each drawing.
    While(StatusNotice),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StatusNotice {
    /// A change is held until `until`: its name with a count.
    Held { until: Moment, what: String },
    /// A message of the open conversation is held.
    MessageHeld,
    /// The text has a placeholder to fill in.
    UnfilledPlaceholder,
    /// The tab's server was asked for a refresh and has not answered.
    Refreshing(ChannelId),
    /// The business's own systems were asked and have not answered.
    QueryingConnections,
    /// Another Ctrl-C quits.
    Interrupted,
    /// A question waits for one of its own keys; another was pressed.
    UnansweredQuestion,
}

impl Keyboard {
    /// End of the time for the second Ctrl-C.
    pub(crate) fn interrupted_until(&self) -> Option<Moment> {
        self.interrupted_at.map(|moment| moment.plus(INTERRUPT_WINDOW))
    }
}
