//! The schema lens: fields of what a server sends that the interface does not
//! name, and words of its lists that this version does not know. Each is kept
//! with how often it came and an example, and none hides what is known.

mod schema;

use crate::conversations::ConversationStatus;
use crate::email::fields;
use crate::json;
use crate::known;
use crate::messages::{DeliveryStatus, Direction, Sender};
use crate::text::SafeText;
use crate::time::Timestamp;

/// Fields of one item looked at.
const MOST: usize = 60;
/// Objects within objects that are looked into.
const DEEPEST: usize = 3;
/// Characters of a path at most; what has a longer one is left out.
const PATH: usize = 100;
/// Characters of an example.
const EXAMPLE: usize = 60;
/// How urgent threads are.
const PRIORITIES: [&str; 4] = ["urgent", "high", "normal", "low"];

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LensShape {
    /// A conversation of a chat or a phone.
    Conversation,
    /// A message of a chat.
    Message,
    /// A thread of mails.
    Thread,
    /// A mail.
    Mail,
}

impl LensShape {
    /// All, with their words.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Conversation, "Conversation"),
        (Self::Message, "Message"),
        (Self::Thread, "Thread"),
        (Self::Mail, "Mail"),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|pair| pair.0 == self).map_or("", |pair| pair.1)
    }

    /// The shape of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|pair| pair.1 == word).map(|pair| pair.0)
    }

    fn names(self, field: &str) -> bool {
        match self {
            Self::Conversation | Self::Message => known::ITEM.contains(&field),
            Self::Thread => known::THREAD.contains(&field),
            Self::Mail => fields::of_a_mail().any(|mail| mail == field),
        }
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JsonKind {
    /// A text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// Fields of its own.
    Object,
    /// A list.
    List,
    /// Nothing.
    Null,
}

impl JsonKind {
    /// All, with their words and what JSON Schema calls them.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Text, "text", "string"),
        (Self::Number, "number", "number"),
        (Self::Boolean, "boolean", "boolean"),
        (Self::Object, "object", "object"),
        (Self::List, "list", "array"),
        (Self::Null, "null", "null"),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    /// The kind of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == word).map(|entry| entry.0)
    }

    fn schema(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.2)
    }

    fn of(value: &str) -> Self {
        match value.chars().next() {
            Some('"') => Self::Text,
            Some('{') => Self::Object,
            Some('[') => Self::List,
            Some('t' | 'f') => Self::Boolean,
            Some('n') | None => Self::Null,
            Some(_) => Self::Number,
        }
    }
}

/// A field of one item that the interface does not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenField {
    /// Its names from the item down, with points between them.
    pub path: String,
    /// What its value is.
    pub kind: JsonKind,
    /// The value, made short.
    pub example: SafeText,
}

/// The fields of an item that the interface does not name, in their order;
/// none where it is no object.
pub fn unknown_fields(shape: LensShape, raw: &str) -> Vec<SeenField> {
    let mut found = Vec::new();
    for (name, value) in json::members(raw).unwrap_or_default() {
        if !shape.names(&name) {
            add(&mut found, "", &name, &value, 1);
        }
    }
    found
}

fn add(found: &mut Vec<SeenField>, above: &str, name: &str, value: &str, depth: usize) {
    let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
    let is_plain = !name.is_empty()
        && name.chars().all(|character| character.is_alphanumeric() || "_-@$ ".contains(character));
    if !is_plain || path.chars().count() > PATH || found.len() >= MOST {
        return;
    }
    let kind = JsonKind::of(value.trim_start());
    let example = match kind {
        JsonKind::Text => json::unquoted(value).unwrap_or_default(),
        JsonKind::Object => String::new(),
        _ => value.to_owned(),
    };
    let example = SafeText::line(&example.chars().take(EXAMPLE).collect::<String>());
    found.push(SeenField { path: path.clone(), kind, example });
    if kind == JsonKind::Object && depth < DEEPEST {
        for (name, value) in json::members(value).unwrap_or_default() {
            add(found, &path, &name, &value, depth + 1);
        }
    }
}

/// The fields of an item whose words this version does not know, with the
/// words.
pub fn unknown_words(shape: LensShape, raw: &str) -> Vec<(&'static str, String)> {
    let is_strange = |field: &str, word: &str| match (shape, field) {
        (LensShape::Message, "senderType") => {
            matches!(Sender::derive(Direction::Outbound, word), Sender::Unknown(_)) && word != "customer"
        }
        (LensShape::Message, "status") => {
            matches!(DeliveryStatus::from_word(word), DeliveryStatus::Other(_)) && word != "received"
        }
        (LensShape::Message, "direction") => Direction::from_word(word).is_none(),
        (LensShape::Conversation, "status") => {
            matches!(ConversationStatus::from_word(word), ConversationStatus::Other(_))
        }
        (LensShape::Thread, "priority") => !PRIORITIES.contains(&word.to_lowercase().as_str()),
        _ => false,
    };
    let members = json::members(raw).unwrap_or_default();
    let told = ["senderType", "status", "direction", "priority"].into_iter().filter_map(|field| {
        let value = members.iter().find(|member| member.0 == field)?;
        Some((field, json::unquoted(&value.1)?))
    });
    let strange = told.filter(|(field, word)| !word.is_empty() && is_strange(field, word));
    strange.map(|(field, word)| (field, word.chars().take(EXAMPLE).collect())).collect()
}

/// The shape of a conversation as it came.
pub fn shape_of(raw: &str) -> LensShape {
    match raw.contains("\"contactEmail\"") || raw.contains("\"isRead\"") {
        true => LensShape::Thread,
        false => LensShape::Conversation,
    }
}

/// A field as it was seen so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensField {
    /// Of what.
    pub shape: LensShape,
    /// Its path.
    pub path: String,
    /// What its values were, and how often.
    pub kinds: Vec<(JsonKind, u64)>,
    /// A value.
    pub example: SafeText,
    /// When it came first.
    pub first_at: Timestamp,
}

impl LensField {
    /// How often it came.
    pub fn count(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.1).sum()
    }

    /// What its values were: `text`, or `text 3, number 9` where they differ.
    pub fn kinds_words(&self) -> String {
        match self.kinds.as_slice() {
            [(kind, _)] => kind.word().to_owned(),
            all => {
                let words = all.iter().map(|(kind, count)| format!("{} {count}", kind.word()));
                words.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Whether its values are of several kinds, nothing apart.
    pub fn is_mixed(&self) -> bool {
        self.kinds.iter().filter(|kind| kind.0 != JsonKind::Null).count() > 1
    }
}

/// A word that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LensWord {
    /// Of what.
    pub shape: LensShape,
    /// Of which field.
    pub field: String,
    /// The word.
    pub word: SafeText,
    /// How often it came.
    pub count: u64,
}

/// All that was seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LensReport {
    /// Fields, by shape and path.
    pub fields: Vec<LensField>,
    /// Words.
    pub words: Vec<LensWord>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_named_is_seen() {
        let raw = r#"{"id": "c1", "status": "active", "plan": "gold", "points": 3,
            "loyalty": {"tier": "silver", "since": null, "card": {"no": 7, "deep": {"er": 1}}}, "labels": [1, 2],
            "bad\u001bname": 1, "a.b": 2}"#;
        let seen = unknown_fields(LensShape::Conversation, raw);
        let words: Vec<String> = seen
            .iter()
            .map(|entry| format!("{} {} {}", entry.path, entry.kind.word(), entry.example))
            .collect();
        let expected = [
            "plan text gold",
            "points number 3",
            "loyalty object ",
            "loyalty.tier text silver",
            "loyalty.since null null",
            "loyalty.card object ",
            "loyalty.card.no number 7",
            "loyalty.card.deep object ",
            "labels list [1, 2]",
        ];
        assert_eq!(words, expected);
        for broken in ["", "[]", "{", "{\"a\"", "null", "3"] {
            assert_eq!(unknown_fields(LensShape::Message, broken), [], "{broken}");
        }
    }

    #[test]
    fn words_that_are_not_known() {
        let cases = [
            (LensShape::Message, r#"{"senderType": "wizard", "status": "read", "direction": "outbound"}"#, 1),
            (LensShape::Message, r#"{"senderType": "ai", "status": "queued", "direction": "sideways"}"#, 2),
            (LensShape::Message, r#"{"senderType": "customer", "status": "received"}"#, 0),
            (LensShape::Conversation, r#"{"status": "parked"}"#, 1),
            (LensShape::Thread, r#"{"priority": "High"}"#, 0),
            (LensShape::Thread, r#"{"priority": 7}"#, 0),
        ];
        for (shape, raw, count) in cases {
            assert_eq!(unknown_words(shape, raw).len(), count, "{raw}");
        }
    }
}
