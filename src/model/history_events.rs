//! Events of a conversation beside its messages: takeover, hand-back and close. The history shows
//! them in the order of time.

use crate::text::SafeText;
use crate::time::{MINUTE, Timestamp};

/// Time in which two reports of a close or a takeover are one, in microseconds.
const SAME_EVENT_PERIOD: i64 = 5 * MINUTE;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryEventKind {
    TookOver,
    HandedBack,
    Closed,
    Reopened,
}

impl HistoryEventKind {
    pub const ALL: [Self; 4] = [Self::TookOver, Self::HandedBack, Self::Closed, Self::Reopened];

    /// Word in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::TookOver => "took over",
            Self::HandedBack => "handed back",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The event without its author.
    fn describe_alone(self) -> &'static str {
        match self {
            Self::TookOver => "taken over",
            Self::HandedBack => "handed back to the AI",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::TookOver => "took over",
            Self::HandedBack => "handed back to the AI",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventAuthor {
    /// User of this desk; the name may be empty.
    Agent(SafeText),
    OtherDesk,
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEvent {
    pub kind: HistoryEventKind,
    pub by: EventAuthor,
    pub at: Timestamp,
}

impl HistoryEvent {
    /// Returns the event in words for the desk of `agent`.
    pub fn describe(&self, agent: &SafeText) -> String {
        let who = match &self.by {
            EventAuthor::Unknown => return self.kind.describe_alone().to_owned(),
            EventAuthor::OtherDesk => "a colleague",
            EventAuthor::Agent(name) if name.is_empty() || name == agent => "you",
            EventAuthor::Agent(name) => name.as_str(),
        };
        format!("{who} {}", self.kind.verb())
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.kind == other.kind && self.at.since(other.at).abs() <= SAME_EVENT_PERIOD
    }
}

/// Adds an event that is known from elsewhere, unless it is recorded already.
pub fn add_unless_recorded(events: &mut Vec<HistoryEvent>, event: HistoryEvent) {
    if !events.iter().any(|recorded| recorded.is_same_as(&event)) {
        let place = events.partition_point(|recorded| recorded.at <= event.at);
        events.insert(place, event);
    }
}

/// Adds that a conversation was reopened: by the first message of the customer after a close.
/// `events`, and `inbound` with the times of the customer's messages, are oldest first.
pub fn with_reopenings(events: Vec<HistoryEvent>, inbound: &[Timestamp]) -> Vec<HistoryEvent> {
    let mut all = Vec::with_capacity(events.len());
    let mut events = events.into_iter().peekable();
    while let Some(event) = events.next() {
        let closed_at = (event.kind == HistoryEventKind::Closed).then_some(event.at);
        all.push(event);
        let next = events.peek().map(|event| event.at);
        let reopened = closed_at.and_then(|at| inbound.iter().copied().find(|time| *time > at));
        // A close that follows another belongs to the same time closed.
        let is_closed_again = events.peek().is_some_and(|event| event.kind == HistoryEventKind::Closed);
        if let Some(at) = reopened.filter(|at| !is_closed_again || next.is_none_or(|next| *at < next)) {
            all.push(HistoryEvent { kind: HistoryEventKind::Reopened, by: EventAuthor::Unknown, at });
        }
    }
    all.sort_by_key(|event| event.at);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: HistoryEventKind, minutes: i64) -> HistoryEvent {
        let by = EventAuthor::Agent(SafeText::line("Ana"));
        HistoryEvent { kind, by, at: Timestamp::from_micros(minutes * MINUTE) }
    }

    #[test]
    fn authors_are_named_as_the_desk_knows_them() {
        let ana = SafeText::line("Ana");
        let taken = event(HistoryEventKind::TookOver, 1);
        assert_eq!(taken.describe(&ana), "you took over");
        assert_eq!(taken.describe(&SafeText::line("Tom")), "Ana took over");
        let other = HistoryEvent { by: EventAuthor::OtherDesk, ..event(HistoryEventKind::HandedBack, 1) };
        assert_eq!(other.describe(&ana), "a colleague handed back to the AI");
        let unknown = HistoryEvent { by: EventAuthor::Unknown, ..event(HistoryEventKind::Closed, 1) };
        assert_eq!(unknown.describe(&ana), "closed");
    }

    #[test]
    fn a_message_after_a_close_reopens_once() {
        let events = vec![event(HistoryEventKind::TookOver, 1), event(HistoryEventKind::Closed, 10)];
        let inbound = [5, 12, 13].map(|minutes| Timestamp::from_micros(minutes * MINUTE));
        let all = with_reopenings(events, &inbound);
        let kinds: Vec<(HistoryEventKind, i64)> =
            all.iter().map(|event| (event.kind, event.at.micros() / MINUTE)).collect();
        let expected = [
            (HistoryEventKind::TookOver, 1),
            (HistoryEventKind::Closed, 10),
            (HistoryEventKind::Reopened, 12),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn what_the_server_reports_of_an_own_close_is_not_repeated() {
        let mut events = vec![event(HistoryEventKind::Closed, 10)];
        add_unless_recorded(&mut events, event(HistoryEventKind::Closed, 11));
        assert_eq!(events.len(), 1);
        add_unless_recorded(&mut events, event(HistoryEventKind::Closed, 3));
        assert_eq!(events.iter().map(|event| event.at.micros() / MINUTE).collect::<Vec<_>>(), [3, 10]);
    }
}
