//! Syntax of the filter line: `field:value`, words, `"quoted phrases"`, each negated by a leading
//! `-`. Invalid words are reported and ignored.

use std::ops::Range;

use crate::conversations::Automation;
use crate::filter::{
    ConversationFilter, FilterDay, FilterSubject, FilterTest, HasFilter, IsFilter, Phrase, StatusFilter,
    WindowFilter,
};
use crate::nearest::nearest_word;
use crate::queue::Section;
use crate::time::{DAY, HOUR, MINUTE};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedFilter {
    pub filter: ConversationFilter,
    /// Words that could not be parsed, in order.
    pub mistakes: Vec<FilterError>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// Byte range in the line.
    pub at: Range<usize>,
    pub message: String,
}

pub const FIELD_EXAMPLES: &[(&str, &str)] = &[
    ("status", "status:open"),
    ("ai", "ai:off"),
    ("window", "window:<2h"),
    ("from", "from:+44"),
    ("to", "to:sales@"),
    ("subject", "subject:invoice"),
    ("after", "after:2026-11-20"),
    ("before", "before:yesterday"),
    ("tag", "tag:vip"),
    ("folder", "folder:archive"),
    ("category", "category:billing"),
    ("priority", "priority:high"),
    ("has", "has:draft"),
    ("is", "is:waiting"),
    ("section", "section:needs"),
];

/// Values of a field; empty if any text is allowed.
pub fn known_values(field: &str) -> &'static [&'static str] {
    match field {
        "status" => &["open", "closed", "active", "any"],
        "ai" => &["on", "off", "unknown"],
        "window" => &["open", "closed", "<2h", ">2h"],
        "has" => &["file", "media", "draft", "sent", "failed"],
        "section" => &["mine", "needs", "ai", "any"],
        "after" | "before" => &["today", "yesterday", "7d", "2026-11-20"],
        "priority" => &["urgent", "high", "normal", "low"],
        "is" => &[
            "waiting",
            "unseen",
            "unread",
            "starred",
            "snoozed",
            "broadcast",
            "paused",
            "failing",
            "claimed",
            "needed",
        ],
        _ => &[],
    }
}

pub fn parse(line: &str) -> ParsedFilter {
    let mut parsed = ParsedFilter::default();
    for word in split_words(line) {
        match word.subject() {
            Ok(None) => (),
            Ok(Some(what)) => parsed.filter.tests.push(FilterTest { negated: word.negated, subject: what }),
            Err(words) => parsed.mistakes.push(FilterError { at: word.at, message: words }),
        }
    }
    parsed
}

/// Completes the last word if exactly one field or value starts with it.
pub fn complete(line: &str) -> String {
    let start = line.rfind([' ', '-']).map_or(0, |at| at + 1);
    let (before, word) = line.split_at(start);
    let begun = |all: Vec<String>| {
        let mut fitting = all.into_iter().filter(|text| text.starts_with(word) && text.len() > word.len());
        let first = fitting.next()?;
        fitting.next().is_none().then_some(first)
    };
    let found = match word.split_once(':') {
        Some((field, _)) => {
            begun(known_values(field).iter().map(|value| format!("{field}:{value}")).collect())
                .map(|begun| format!("{begun} "))
        }
        None if word.is_empty() => None,
        None => begun(FIELD_EXAMPLES.iter().map(|(field, _)| format!("{field}:")).collect()),
    };
    found.map_or_else(|| line.to_owned(), |word| format!("{before}{word}"))
}

struct FilterWord<'a> {
    at: Range<usize>,
    negated: bool,
    field: Option<&'a str>,
    value: &'a str,
    quoted: bool,
}

/// Splits at spaces outside quotes; an unclosed quote ends with the line.
fn split_words(line: &str) -> Vec<FilterWord<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(skipped) = line[at..].find(|line: char| !line.is_whitespace()) {
        let start = at + skipped;
        let mut quotes = false;
        let end = line[start..]
            .find(|line: char| {
                quotes ^= line == '"';
                line.is_whitespace() && !quotes
            })
            .map_or(line.len(), |length| start + length);
        words.push(parse_word(line, start..end));
        at = end;
    }
    words
}

fn parse_word(line: &str, at: Range<usize>) -> FilterWord<'_> {
    let whole = &line[at.clone()];
    let (negated, rest) = match whole.strip_prefix('-') {
        Some(rest) if !rest.is_empty() => (true, rest),
        _ => (false, whole),
    };
    let is_field = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let (field, value) = match rest.split_once(':') {
        Some((field, value)) if is_field(field) && !value.starts_with("//") => (Some(field), value),
        _ => (None, rest),
    };
    let quoted = value.starts_with('"');
    FilterWord { at, negated, field, value: value.trim_matches('"'), quoted }
}

impl FilterWord<'_> {
    /// `None` while the word is incomplete.
    fn subject(&self) -> Result<Option<FilterSubject>, String> {
        let Some(field) = self.field else {
            let phrase = self.phrase();
            return Ok((!phrase.is_empty()).then_some(FilterSubject::Text(phrase)));
        };
        let field = field.to_ascii_lowercase();
        if !FIELD_EXAMPLES.iter().any(|(name, _)| *name == field) {
            let names: Vec<&str> = FIELD_EXAMPLES.iter().map(|(name, _)| *name).collect();
            return Err(match nearest_word(&field, &names) {
                Some(near) => format!(
                    "{field}: is not known; did you mean {near}:? To search for \
                     the text, put it in quotes"
                ),
                None => format!("{field}: is not known; known are {}:", names.join(": ")),
            });
        }
        if self.value.is_empty() {
            return Ok(None);
        }
        let value = self.value.to_lowercase();
        let found = match field.as_str() {
            "status" => parse_status(&value).map(FilterSubject::Status),
            "ai" => parse_automation(&value).map(FilterSubject::Ai),
            "window" => parse_window(&value).map(FilterSubject::Window),
            "from" => self.sender(),
            "to" => self.nonempty_phrase().map(FilterSubject::To),
            "subject" => self.nonempty_phrase().map(FilterSubject::Subject),
            "after" => FilterDay::parse(&value).map(FilterSubject::After),
            "before" => FilterDay::parse(&value).map(FilterSubject::Before),
            "tag" => Some(FilterSubject::Tag(value.clone())),
            "folder" => Some(FilterSubject::Folder(value.clone())),
            "category" => Some(FilterSubject::Category(value.clone())),
            "priority" => Some(FilterSubject::Priority(value.clone())),
            "has" => parse_has(&value).map(FilterSubject::Has),
            "section" => parse_section(&value).map(FilterSubject::Section),
            _ => parse_is(&value).map(FilterSubject::Is),
        };
        found.map(Some).ok_or_else(|| describe_unknown(&field, &value))
    }

    fn phrase(&self) -> Phrase {
        Phrase { text: self.value.to_owned(), exact: self.quoted }
    }

    /// Parses a number prefix or a name.
    fn sender(&self) -> Option<FilterSubject> {
        let digits: String = self.value.chars().filter(|character| !" -()./".contains(*character)).collect();
        let is_number = digits.strip_prefix('+').unwrap_or(&digits).bytes().all(|byte| byte.is_ascii_digit());
        if is_number && !digits.is_empty() {
            return Some(FilterSubject::Phone(digits));
        }
        self.nonempty_phrase().map(FilterSubject::Name)
    }

    fn nonempty_phrase(&self) -> Option<Phrase> {
        Some(self.phrase()).filter(|phrase| !phrase.is_empty())
    }
}

fn describe_unknown(field: &str, value: &str) -> String {
    let known = known_values(field);
    match known {
        [] => format!("{field}:{value} cannot be searched for"),
        _ => format!("{field}:{value} is not known; use {field}: with {}", known.join(", ")),
    }
}

fn parse_status(value: &str) -> Option<StatusFilter> {
    match value {
        "open" | "active" => Some(StatusFilter::Open),
        "closed" => Some(StatusFilter::Closed),
        "any" | "all" => Some(StatusFilter::Any),
        _ => None,
    }
}

fn parse_section(value: &str) -> Option<Option<Section>> {
    match value {
        "mine" => Some(Some(Section::Mine)),
        "needs" => Some(Some(Section::NeedsPerson)),
        "ai" => Some(Some(Section::WithAi)),
        "any" | "all" => Some(None),
        _ => None,
    }
}

fn parse_automation(value: &str) -> Option<Automation> {
    match value {
        "on" => Some(Automation::On),
        "off" => Some(Automation::Off),
        "unknown" => Some(Automation::Unknown),
        _ => None,
    }
}

fn parse_window(value: &str) -> Option<WindowFilter> {
    match value {
        "open" => return Some(WindowFilter::Open),
        "closed" => return Some(WindowFilter::Closed),
        _ => (),
    }
    match value.strip_prefix('<') {
        Some(span) => parse_span(span).map(WindowFilter::Below),
        None => parse_span(value.strip_prefix('>')?).map(WindowFilter::Above),
    }
}

/// `2h`, `90m` or `1d`, in microseconds.
fn parse_span(text: &str) -> Option<i64> {
    let unit = match text.chars().last()? {
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        _ => return None,
    };
    let count: i64 = text[..text.len() - 1].parse().ok()?;
    (1..=1_000).contains(&count).then(|| count * unit)
}

fn parse_has(value: &str) -> Option<HasFilter> {
    match value {
        "file" | "media" => Some(HasFilter::Media),
        "draft" => Some(HasFilter::Draft),
        "sent" => Some(HasFilter::Sent),
        "failed" => Some(HasFilter::Failed),
        _ => None,
    }
}

fn parse_is(value: &str) -> Option<IsFilter> {
    match value {
        "waiting" => Some(IsFilter::Waiting),
        "unseen" => Some(IsFilter::Unseen),
        "unread" => Some(IsFilter::Unread),
        "starred" => Some(IsFilter::Starred),
        "snoozed" => Some(IsFilter::Snoozed),
        "paused" => Some(IsFilter::Paused),
        "failing" => Some(IsFilter::Failing),
        "broadcast" => Some(IsFilter::Broadcast),
        "claimed" => Some(IsFilter::Claimed),
        "needed" => Some(IsFilter::Needed),
        _ => None,
    }
}
