//! Filters of conversation lists: tests that must all hold. They come from the filter line, a saved
//! view, or the program.

mod parse;
mod phrase;
#[cfg(test)]
mod tests;

pub use parse::{FIELD_EXAMPLES, FilterError, ParsedFilter, complete, known_values, parse};
pub use phrase::Phrase;

use crate::conversations::Automation;
use crate::queue::Section;
use crate::time::{Timestamp, Zone};

/// An empty filter matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ConversationFilter {
    pub tests: Vec<FilterTest>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilterTest {
    pub negated: bool,
    pub subject: FilterSubject,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FilterSubject {
    Status(StatusFilter),
    Ai(Automation),
    Window(WindowFilter),
    /// Leading digits of a phone number.
    Phone(String),
    /// Words of the customer's name, user name or email address.
    Name(Phrase),
    /// Case-insensitive.
    Tag(String),
    /// Folder of a mail thread, case-insensitive.
    Folder(String),
    /// Category of a mail thread, case-insensitive.
    Category(String),
    /// Priority of a mail thread, case-insensitive.
    Priority(String),
    /// Words of the subject of a mail thread.
    Subject(Phrase),
    /// Words of a recipient address of a mail thread.
    To(Phrase),
    /// Newest activity on this day or later.
    After(FilterDay),
    /// Newest activity before this day.
    Before(FilterDay),
    Has(HasFilter),
    Is(IsFilter),
    /// In this section of the inbox, or in any.
    Section(Option<Section>),
    /// Words of the customer's name and number, or of the newest message.
    Text(Phrase),
}

/// A day in the time zone of this desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterDay {
    /// Day number as in [`crate::time::Timestamp::day_number`].
    Date(i64),
    /// Days before today.
    Ago(i64),
}

impl FilterDay {
    /// Parses a date or a relative day: `2026-11-20`, `today`, `yesterday`, `7d` (up to 10000
    /// days).
    pub fn parse(value: &str) -> Option<Self> {
        match value {
            "today" => return Some(Self::Ago(0)),
            "yesterday" => return Some(Self::Ago(1)),
            _ => (),
        }
        if let Some(count) = value.strip_suffix('d') {
            return count.parse().ok().filter(|number| (0..=10_000).contains(number)).map(Self::Ago);
        }
        let is_date = value.len() == 10 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let midnight = Timestamp::parse(&format!("{value}T00:00:00Z")).filter(|_| is_date)?;
        Some(Self::Date(midnight.day_number(&Zone::UTC)))
    }

    /// Returns midnight at the start of the day in `zone`.
    pub fn start(self, now: Timestamp, zone: &Zone) -> Timestamp {
        match self {
            Self::Date(day) => zone.at(day, 0),
            Self::Ago(days) => zone.at(now.day_number(zone) - days, 0),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusFilter {
    /// Any status other than closed.
    Open,
    Closed,
    /// Overrides the status test of a view.
    Any,
}

/// State of the service window as reported by the server, or its remaining time as estimated by
/// this desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WindowFilter {
    Open,
    Closed,
    /// Open for less than this many microseconds.
    Below(i64),
    /// Open for at least this many microseconds.
    Above(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HasFilter {
    /// A message with a file; for mail, an attachment.
    Media,
    Draft,
    /// A message that was sent from this desk.
    Sent,
    /// A message that could not be sent or delivered.
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IsFilter {
    /// The customer waits for an answer.
    Waiting,
    /// Has messages not yet viewed on this desk.
    Unseen,
    /// Mail: unread on the server. Other channels: as `Unseen`.
    Unread,
    Starred,
    Snoozed,
    /// Started with a broadcast, and nobody has written since.
    Broadcast,
    Paused,
    /// The AI asks for a person.
    Failing,
    Claimed,
    /// A reply or a decision is due: the customer waits, also for the AI, the AI asks for a person, or
    /// a send needs a decision.
    Needed,
}

impl FilterSubject {
    /// True if lists hide matching conversations by default.
    fn is_hidden_by_default(&self) -> bool {
        matches!(self, Self::Is(IsFilter::Snoozed | IsFilter::Broadcast))
    }

    /// True if both tests exclude each other, so that a typed test replaces the one of the view.
    fn replaces(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Status(_), Self::Status(_))
                | (Self::Ai(_), Self::Ai(_))
                | (Self::Window(_), Self::Window(_))
                // Only open conversations are in a section.
                | (Self::Section(_) | Self::Status(_), Self::Section(_))
                | (Self::Is(IsFilter::Snoozed | IsFilter::Broadcast), Self::Section(_))
                | (Self::Is(IsFilter::Snoozed), Self::Is(IsFilter::Snoozed))
                | (Self::Is(IsFilter::Broadcast), Self::Is(IsFilter::Broadcast))
        )
    }
}

impl ConversationFilter {
    pub fn of_subject(what: FilterSubject) -> Self {
        Self { tests: vec![FilterTest { negated: false, subject: what }] }
    }

    pub fn all() -> Self {
        Self::default()
    }

    pub fn open() -> Self {
        Self::of_subject(FilterSubject::Status(StatusFilter::Open))
    }

    pub fn closed() -> Self {
        Self::of_subject(FilterSubject::Status(StatusFilter::Closed))
    }

    pub fn needing_person() -> Self {
        Self::of_subject(FilterSubject::Is(IsFilter::Needed))
    }

    /// The inbox: all sections, or one.
    pub fn section(section: Option<Section>) -> Self {
        Self::of_subject(FilterSubject::Section(section))
    }

    /// Adds the tests of `further`; they replace tests they exclude.
    #[must_use]
    pub fn narrow(&self, further: &Self) -> Self {
        let gives_way = |test: &&FilterTest| {
            !further.tests.iter().any(|entry| !entry.negated && entry.subject.replaces(&test.subject))
        };
        let mut tests: Vec<FilterTest> = self.tests.iter().filter(gives_way).cloned().collect();
        tests.extend(further.tests.iter().cloned());
        Self { tests }
    }

    /// True if the result depends on the current time.
    pub fn uses_time(&self) -> bool {
        self.tests.iter().any(|test| {
            matches!(
                test.subject,
                FilterSubject::Window(WindowFilter::Below(_) | WindowFilter::Above(_))
                    | FilterSubject::After(FilterDay::Ago(_))
                    | FilterSubject::Before(FilterDay::Ago(_))
            )
        })
    }

    pub fn is_needing_person(&self) -> bool {
        self.tests.iter().any(|test| !test.negated && test.subject == FilterSubject::Is(IsFilter::Needed))
    }

    /// True if all rows of the filter are in a section of the inbox.
    pub fn is_of_sections(&self) -> bool {
        self.tests.iter().any(|test| !test.negated && matches!(test.subject, FilterSubject::Section(_)))
    }

    /// True if the filter holds at most one test, on status or need of a person, apart from negated
    /// tests for conversations hidden by default.
    pub fn is_plain(&self) -> bool {
        let plain = |test: &FilterTest| {
            !test.negated
                && matches!(test.subject, FilterSubject::Status(_) | FilterSubject::Is(IsFilter::Needed))
        };
        let aside = |test: &&FilterTest| test.negated && test.subject.is_hidden_by_default();
        let mut rest = self.tests.iter().filter(|test| !aside(test));
        rest.next().is_none_or(plain) && rest.next().is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sort {
    /// Newest activity first.
    #[default]
    Activity,
    /// By section of the inbox, and in each as `model/queue.rs` defines it.
    Queue,
    /// Longest wait first, then the rest by activity.
    Waiting,
    /// Most urgent first: failing AI, then trouble score, then longest wait, then newest activity.
    Urgency,
    /// Earliest closing of the service window first, then the rest by activity.
    Window,
    Name,
    /// Mail threads by category, then the rest.
    Category,
    /// Mail threads by priority, most urgent first, then the rest.
    Priority,
}

impl Sort {
    /// Every order with its word and key.
    pub const ALL: [(Self, &'static str, char); 8] = [
        (Self::Activity, "activity", 'a'),
        (Self::Queue, "section", 's'),
        (Self::Waiting, "waiting", 'w'),
        (Self::Urgency, "urgency", 'u'),
        (Self::Window, "window", 'x'),
        (Self::Name, "name", 'n'),
        (Self::Category, "category", 'c'),
        (Self::Priority, "priority", 'p'),
    ];

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(sort, ..)| *sort == self).map_or("", |(_, word, _)| word)
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, text, _)| *text == word).map(|(sort, ..)| *sort)
    }
}
