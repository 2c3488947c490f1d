//! Translates a filter into an SQL condition on a conversation with alias `c`.
//!
//! Columns of the wide index are compared directly. Facts in other tables are read once into a set
//! of numbers, so that a walk over many rows touches only one index.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;

use crate::broadcast_only;
use crate::rows::conversation::automation_word;
use crate::rows::local;
use crate::search;
use model::conversations::Automation;
use model::filter::{
    ConversationFilter, FilterDay, FilterSubject, FilterTest, HasFilter, IsFilter, Phrase, StatusFilter,
    WindowFilter,
};
use model::queue::Section;
use model::search::{WordKind, split_words};
use model::time::{DAY, Timestamp, Zone};

mod threads;

/// Searchable identity of a customer.
const NAMES_TEXT: &str = "concat_ws(' ', c.name, c.address, c.username, c.email)";
/// Identity and newest message.
const LIST_TEXT: &str = "concat_ws(' ', c.name, c.address, c.username, c.email, c.preview)";

const PURE_FUNCTION: FunctionFlags = FunctionFlags::SQLITE_UTF8
    .union(FunctionFlags::SQLITE_DETERMINISTIC)
    .union(FunctionFlags::SQLITE_INNOCUOUS);

/// SQL fragment with the values of its placeholders.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Clause {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

impl Clause {
    pub(crate) fn plain(sql: &str) -> Self {
        Self { sql: sql.to_owned(), values: Vec::new() }
    }

    pub(crate) fn with_values(sql: &str, values: Vec<Value>) -> Self {
        Self { sql: sql.to_owned(), values }
    }

    pub(crate) fn push(&mut self, sql: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(sql);
        self.values.extend(values);
    }
}

/// Registers the functions used by conditions.
pub(crate) fn install(connection: &Connection) -> rusqlite::Result<()> {
    install_order(connection)?;
    connection.create_scalar_function("has_words", 3, PURE_FUNCTION, |arguments| {
        let text = arguments.get_raw(0).as_str_or_null()?.unwrap_or("");
        let phrase = Phrase { text: arguments.get(1)?, exact: arguments.get(2)? };
        Ok(phrase.is_in(text))
    })
}

/// Registers functions for the start of a day in a time zone.
pub(crate) fn install_days(connection: &Connection, zone: &Zone) -> rusqlite::Result<()> {
    let clocks = zone.clone();
    connection.create_scalar_function("day_start", 1, PURE_FUNCTION, move |arguments| {
        Ok(clocks.at(arguments.get(0)?, 0).micros())
    })?;
    let clocks = zone.clone();
    connection.create_scalar_function("days_before", 2, PURE_FUNCTION, move |arguments| {
        let (at, days) = (Timestamp::from_micros(arguments.get(0)?), arguments.get::<i64>(1)?);
        Ok(clocks.at(at.day_number(&clocks).saturating_sub(days), 0).micros())
    })
}

/// Registers the sort key for names.
pub(crate) fn install_order(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_scalar_function("name_key", 4, PURE_FUNCTION, |arguments| {
        let text = |at: usize| arguments.get_raw(at).as_str_or_null();
        let (name, username, address, id) = (text(0)?, text(1)?, text(2)?, text(3)?);
        Ok(name_key(name, username, address.or(id)))
    })
}

/// Returns a sort key without case and accents; conversations without a name sort last.
pub(crate) fn name_key(name: Option<&str>, username: Option<&str>, rest: Option<&str>) -> String {
    let folded = |text: &str| {
        split_words(text).into_iter().map(|text_word| text_word.folded).collect::<Vec<_>>().join(" ")
    };
    let named = name.or(username).map(folded).filter(|text| !text.is_empty());
    named.unwrap_or_else(|| format!("\u{10fffd}{}", rest.unwrap_or("")))
}

/// Returns the conditions of a filter, each preceded by `AND`. `narrow` means that the walk uses
/// the index made for this query.
pub(crate) fn clause(filter: &ConversationFilter, at: Timestamp, narrow: bool) -> Clause {
    let mut all = Clause::default();
    for FilterTest { negated, subject: what } in &filter.tests {
        let one = match what {
            FilterSubject::Is(IsFilter::Needed) if narrow => Clause::plain("c.needs = 1"),
            _ => condition(what, at),
        };
        let (open, close) = if *negated { (" AND NOT (", ")") } else { (" AND (", ")") };
        all.push(open, []);
        all.push(&one.sql, one.values);
        all.push(close, []);
    }
    all
}

fn condition(what: &FilterSubject, at: Timestamp) -> Clause {
    match what {
        FilterSubject::Status(StatusFilter::Open) => Clause::plain("c.is_closed = 0"),
        FilterSubject::Status(StatusFilter::Closed) => Clause::plain("c.is_closed = 1"),
        FilterSubject::Status(StatusFilter::Any) => Clause::plain("1"),
        FilterSubject::Ai(state) => ai(*state),
        FilterSubject::Window(window) => service_window(*window, at),
        FilterSubject::Phone(digits) => phone(digits),
        FilterSubject::Name(phrase) => matches_phrase("search_people", NAMES_TEXT, phrase, true),
        FilterSubject::Text(phrase) => {
            matches_phrase("search_list", LIST_TEXT, phrase, needs_recheck(phrase))
        }
        FilterSubject::Tag(tag) => has_tag(tag),
        FilterSubject::Folder(word) => threads::word("folder", "place", word),
        FilterSubject::Category(word) => threads::word("category", "category", word),
        FilterSubject::Priority(word) => threads::word("priority", "priority", word),
        FilterSubject::Subject(phrase) => threads::subject(phrase),
        FilterSubject::To(phrase) => threads::recipient(phrase),
        FilterSubject::After(day) => activity(">=", *day, at),
        FilterSubject::Before(day) => activity("<", *day, at),
        FilterSubject::Has(has) => has_condition(*has),
        FilterSubject::Is(is) => is_condition(*is),
        FilterSubject::Section(section) => in_section(*section),
    }
}

/// The index of the inbox holds only rows in a section.
fn in_section(section: Option<Section>) -> Clause {
    let Some((from, until)) = section.map(Section::sort_keys) else {
        return Clause::plain("c.queue IS NOT NULL");
    };
    Clause::plain(&format!("c.queue IS NOT NULL AND c.queue >= {from} AND c.queue < {until}"))
}

fn ai(state: Automation) -> Clause {
    Clause::with_values("c.automation = ?", vec![automation_word(state).to_owned().into()])
}

/// By this desk's estimate a window is open for a day after the newest inbound message.
fn service_window(window: WindowFilter, at: Timestamp) -> Clause {
    let opened = |left: i64| Value::from(at.plus(left - DAY).micros());
    match window {
        WindowFilter::Open => Clause::plain("c.service_window = 'open'"),
        WindowFilter::Closed => Clause::plain("c.service_window = 'closed'"),
        WindowFilter::Below(left) => Clause::with_values(
            "c.service_window = 'open' AND c.last_inbound_at > ? AND c.last_inbound_at < ?",
            vec![opened(0), opened(left)],
        ),
        WindowFilter::Above(left) => {
            Clause::with_values("c.service_window = 'open' AND c.last_inbound_at >= ?", vec![opened(left)])
        }
    }
}

fn activity(compared: &str, day: FilterDay, at: Timestamp) -> Clause {
    match day {
        FilterDay::Date(day) => {
            Clause::with_values(&format!("c.sort_at {compared} day_start(?)"), vec![day.into()])
        }
        FilterDay::Ago(days) => {
            let values = vec![at.micros().into(), days.into()];
            Clause::with_values(&format!("c.sort_at {compared} days_before(?, ?)"), values)
        }
    }
}

/// Numbers are stored with a plus sign; without one in the filter both forms match.
fn phone(digits: &str) -> Clause {
    let bounds = |text: &str| [Value::from(text.to_owned()), Value::from(format!("{text}\u{10ffff}"))];
    let mut clause = Clause::with_values("c.address >= ? AND c.address < ?", bounds(digits).to_vec());
    if !digits.starts_with('+') {
        clause.push(" OR c.address >= ? AND c.address < ?", bounds(&format!("+{digits}")));
    }
    clause.push(" AND c.address IS NOT NULL", []);
    Clause { sql: format!("({}) IS TRUE", clause.sql), ..clause }
}

/// Matches a phrase in a word index. The index does not store word order and cuts some scripts into
/// pairs of characters; with `again` the text itself is checked too.
fn matches_phrase(index: &str, text: &str, phrase: &Phrase, again: bool) -> Clause {
    let terms = phrase.terms();
    if terms.is_empty() {
        return Clause::plain("1");
    }
    let expression = search::expression(&terms, None, None);
    let mut clause = Clause::with_values(
        &format!("c.number IN (SELECT rowid FROM {index} WHERE {index} MATCH ?)"),
        vec![expression.into()],
    );
    if again {
        let values = [phrase.text.clone().into(), Value::from(i64::from(phrase.exact))];
        clause.push(&format!(" AND has_words({text}, ?, ?)"), values);
    }
    clause
}

fn needs_recheck(phrase: &Phrase) -> bool {
    let all = split_words(&phrase.text);
    (phrase.exact && all.len() > 1) || all.iter().any(|text_word| text_word.kind == WordKind::Run)
}

fn has_tag(tag: &str) -> Clause {
    Clause::with_values(
        "c.number IN (SELECT t.number FROM conversation t WHERE instr(t.raw, '\"tags\"') > 0
             AND EXISTS (SELECT 1 FROM json_each(iif(json_valid(t.raw), t.raw, '{}'), '$.tags') j
                 WHERE lower(j.value) = ?))
             OR c.number IN (SELECT t.number FROM contact p CROSS JOIN conversation t
                 ON t.address = p.phone AND t.channel = p.channel
                 WHERE EXISTS (SELECT 1 FROM json_each(p.tags) j WHERE lower(j.value) = ?))
             OR c.number IN (SELECT t.number FROM desk.tag g CROSS JOIN conversation t
                 ON t.channel = g.channel AND t.id = g.conversation WHERE lower(g.word) = ?)",
        vec![tag.to_owned().into(); 3],
    )
}

fn has_condition(has: HasFilter) -> Clause {
    Clause::plain(match has {
        HasFilter::Media => {
            "EXISTS (SELECT 1 FROM message m WHERE m.conversation = c.number AND m.media_url IS NOT NULL)
             OR c.number IN (SELECT t.number FROM letter l CROSS JOIN conversation t
                 ON t.channel = l.channel AND t.id = l.thread
                 WHERE json_array_length(l.facts, '$.files') > 0)"
        }
        HasFilter::Draft => {
            "c.number IN (SELECT t.number FROM desk.draft d CROSS JOIN conversation t
                 ON t.channel = d.channel AND t.id = d.conversation)"
        }
        HasFilter::Sent => {
            "c.number IN (SELECT t.number FROM desk.audit a CROSS JOIN conversation t ON t.channel = a.channel
                 AND (t.id = a.lane_id OR t.address = a.lane_id)
                 WHERE a.event = 'done' AND a.operation IN ('send', 'send-content', 'mail', 'sms', 'call'))"
        }
        HasFilter::Failed => {
            "c.stuck > 0 OR EXISTS (SELECT 1 FROM message m WHERE m.conversation = c.number
                 AND m.delivery = 'failed' AND m.inbound = 0)"
        }
    })
}

fn is_condition(is: IsFilter) -> Clause {
    Clause::plain(match is {
        IsFilter::Waiting => "c.is_closed = 0 AND c.waiting_since IS NOT NULL",
        IsFilter::Unseen => "c.unread > 0",
        IsFilter::Unread => return threads::unread_condition(),
        IsFilter::Starred => return threads::flag_condition("is_starred = 1", "star", "true"),
        IsFilter::Paused => {
            "c.number IN (SELECT t.number FROM desk.pause p CROSS JOIN conversation t
                 ON t.channel = p.channel AND t.id = p.conversation)"
        }
        // Written like the condition of the partial index on trouble.
        IsFilter::Failing => {
            "c.is_closed = 0 AND (c.escalation IS NOT NULL OR c.number IN (
                 SELECT t.number FROM conversation t WHERE t.trouble >= 30 AND t.automation <> 'off'))"
        }
        // Same expression as the generated column `needs`, which the wide index cannot contain.
        IsFilter::Needed => {
            "(c.is_closed = 0 AND (c.waiting_since IS NOT NULL OR c.escalation IS NOT NULL)) OR c.stuck > 0"
        }
        IsFilter::Snoozed => return Clause::plain(&format!("c.number IN ({})", local::SELECT_ASLEEP)),
        IsFilter::Broadcast => {
            return Clause::plain(&format!("c.number IN ({})", broadcast_only::SELECT_NUMBERS));
        }
        IsFilter::Claimed => {
            "c.number IN (SELECT t.number FROM desk.claim k CROSS JOIN conversation t
                 ON t.channel = k.channel AND t.id = k.conversation)"
        }
    })
}
