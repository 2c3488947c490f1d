//! Which conversations a list shows: tests that must all hold, as typed in
//! the filter line, kept in a view, or asked for by the program itself.

mod parse;
mod phrase;
#[cfg(test)]
mod tests;

pub use parse::{FIELD_EXAMPLES, FilterError, ParsedFilter, complete, known_values, parse};
pub use phrase::Phrase;

use crate::conversations::Automation;
use crate::time::{Timestamp, Zone};

/// A filter. Empty, it lets everything through.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ConversationFilter {
    /// All of these must hold.
    pub tests: Vec<FilterTest>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilterTest {
    /// Whether the opposite is wanted.
    pub negated: bool,
    pub subject: FilterSubject,
}

/// What a test looks at.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FilterSubject {
    /// Whether the conversation goes on.
    Status(StatusFilter),
    /// The AI's switch.
    Ai(Automation),
    /// The service window.
    Window(WindowFilter),
    /// The beginning of a phone number, in digits.
    Phone(String),
    /// Words of the customer's name, user name or email address.
    Name(Phrase),
    /// A tag, without case.
    Tag(String),
    /// The folder a thread of mails lies in, without case.
    Folder(String),
    /// What a thread of mails is about, without case.
    Category(String),
    /// How urgent a thread of mails is, without case.
    Priority(String),
    /// Words of the subject of a thread of mails.
    Subject(Phrase),
    /// Words of an address that a mail of a thread went to.
    To(Phrase),
    /// The newest activity is of this day or a later one.
    After(FilterDay),
    /// The newest activity is of an earlier day.
    Before(FilterDay),
    /// Something the conversation has.
    Has(HasFilter),
    /// A state of the conversation on this desk.
    Is(IsFilter),
    /// Words of the customer's name and number, or of the newest message.
    Text(Phrase),
}

/// A day on the clocks of this desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterDay {
    /// That day, as [`crate::time::Timestamp::day_number`] counts.
    Date(i64),
    /// So many days before today.
    Ago(i64),
}

impl FilterDay {
    /// A date, or a day counted back from today: `2026-11-20`, `today`,
    /// `yesterday`, `7d`.
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

    /// When it begins on the clocks of a zone.
    pub fn start(self, now: Timestamp, zone: &Zone) -> Timestamp {
        match self {
            Self::Date(day) => zone.at(day, 0),
            Self::Ago(days) => zone.at(now.day_number(zone) - days, 0),
        }
    }
}

/// Whether a conversation goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusFilter {
    /// It does; whatever is not closed.
    Open,
    Closed,
    /// Either; typed to look beyond what a view shows.
    Any,
}

/// The service window, which the server tells, and what is left of it by this
/// desk's estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WindowFilter {
    Open,
    Closed,
    /// Open for less than these microseconds.
    Below(i64),
    /// Open for at least these microseconds.
    Above(i64),
}

/// What a conversation can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HasFilter {
    /// A message with a file; of mail, an attachment.
    Media,
    Draft,
    /// A message that could not be sent or delivered.
    Failed,
}

/// What a conversation can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IsFilter {
    /// Its customer waits for an answer.
    Waiting,
    /// It has messages this desk has not looked at.
    Unseen,
    /// Of mail: the server counts it as unread. Of others: as unseen.
    Unread,
    /// Mail with a star.
    Starred,
    /// Put off until later.
    Snoozed,
    /// Nothing but a broadcast: it began with one, and nobody has written since.
    Broadcast,
    /// Its AI was paused from this desk.
    Paused,
    /// The AI asks for a person.
    Failing,
    /// Someone at this desk has taken it.
    Claimed,
    /// A person is needed: it waits, the AI fails, or something written here
    /// could not be sent.
    Needed,
}

impl FilterSubject {
    /// Whether it finds what lists leave out until it is asked for.
    fn is_hidden_by_default(&self) -> bool {
        matches!(self, Self::Is(IsFilter::Snoozed | IsFilter::Broadcast))
    }

    /// Whether two tests of this kind exclude each other, so that the one
    /// typed takes the place of the view's.
    fn replaces(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Status(_), Self::Status(_))
                | (Self::Ai(_), Self::Ai(_))
                | (Self::Window(_), Self::Window(_))
                | (Self::Is(IsFilter::Snoozed), Self::Is(IsFilter::Snoozed))
                | (Self::Is(IsFilter::Broadcast), Self::Is(IsFilter::Broadcast))
        )
    }
}

impl ConversationFilter {
    /// One test alone.
    pub fn of_subject(what: FilterSubject) -> Self {
        Self { tests: vec![FilterTest { negated: false, subject: what }] }
    }

    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// Conversations that go on.
    pub fn open() -> Self {
        Self::of_subject(FilterSubject::Status(StatusFilter::Open))
    }

    pub fn closed() -> Self {
        Self::of_subject(FilterSubject::Status(StatusFilter::Closed))
    }

    /// Conversations that need a person.
    pub fn needing_person() -> Self {
        Self::of_subject(FilterSubject::Is(IsFilter::Needed))
    }

    /// This filter with further tests; those of a kind of which there can be
    /// only one take the place of this filter's.
    #[must_use]
    pub fn narrow(&self, further: &Self) -> Self {
        let gives_way = |test: &&FilterTest| {
            !further.tests.iter().any(|entry| !entry.negated && entry.subject.replaces(&test.subject))
        };
        let mut tests: Vec<FilterTest> = self.tests.iter().filter(gives_way).cloned().collect();
        tests.extend(further.tests.iter().cloned());
        Self { tests }
    }

    /// Whether the answer depends on the time.
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

    /// Whether only those who need a person are asked for.
    pub fn is_needing_person(&self) -> bool {
        self.tests.iter().any(|test| !test.negated && test.subject == FilterSubject::Is(IsFilter::Needed))
    }

    /// Whether nothing but the status or who needs a person is asked for,
    /// with or without what stands aside.
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

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sort {
    /// Newest activity first.
    #[default]
    Activity,
    /// Who has waited longest first, then the others by activity.
    Waiting,
    /// Most urgent first: failing AI, then trouble score, then longest wait, then
    /// newest activity.
    Urgency,
    /// The window that closes next first, then the others by activity.
    Window,
    Name,
    /// By what threads of mails are about; the others after them.
    Category,
    /// The most urgent threads of mails first; the others after them.
    Priority,
}

impl Sort {
    /// All, with their words and keys.
    pub const ALL: [(Self, &'static str, char); 7] = [
        (Self::Activity, "activity", 'a'),
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

    /// The order of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, text, _)| *text == word).map(|(sort, ..)| *sort)
    }
}
