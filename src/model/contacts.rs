//! Contacts as stored on the server, and the card shown beside a conversation.

use serde::{Deserialize, Serialize};

use crate::ids::{ChannelId, ContactId, ConversationId};
use crate::notes::PrivateNote;
use crate::outbox::content::Json;
use crate::queries::ConversationKey;
use crate::text::SafeText;
use crate::time::Timestamp;

/// A contact as last reported by the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contact {
    /// `None` if the server has no contact with this number.
    pub id: Option<ContactId>,
    pub name: Option<SafeText>,
    pub email: Option<SafeText>,
    pub tags: Vec<SafeText>,
    /// Names and values.
    pub metadata: Vec<(SafeText, SafeText)>,
    pub read_at: Timestamp,
}

/// A contact as received, before sanitizing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceivedContact {
    /// `None` if the server has no contact with this number.
    pub id: Option<ContactId>,
    pub name: Option<String>,
    pub email: Option<String>,
    pub tags: Vec<String>,
    /// A JSON object.
    pub metadata: String,
    /// True if the metadata was too large and was dropped.
    pub is_cut: bool,
}

/// Changes to a contact, or the fields of a new one. Merged with the server's contact just before
/// sending, so that concurrent changes by colleagues are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContactChange {
    /// E.164; identifies the contact.
    pub phone: String,
    /// An empty name removes it.
    pub name: Option<String>,
    /// An empty address removes it.
    pub email: Option<String>,
    pub add: Vec<String>,
    pub remove: Vec<String>,
    /// Metadata to set: names and JSON values.
    pub set: Vec<(String, Json)>,
    /// Names of metadata to remove.
    pub unset: Vec<String>,
}

impl ContactChange {
    pub fn is_empty(&self) -> bool {
        *self == Self { phone: self.phone.clone(), ..Self::default() }
    }

    pub fn changes_tags(&self) -> bool {
        !self.add.is_empty() || !self.remove.is_empty()
    }

    pub fn changes_metadata(&self) -> bool {
        !self.set.is_empty() || !self.unset.is_empty()
    }

    pub fn describe(&self) -> String {
        let one = |label: &str, entry: &Option<String>| match entry.as_deref() {
            Some("") => Some(format!("no {label}")),
            Some(text) => Some(format!("{label} {text}")),
            None => None,
        };
        let mut words: Vec<String> = Vec::new();
        words.extend(one("name", &self.name));
        words.extend(one("mail", &self.email));
        words.extend(self.add.iter().map(|text| format!("+{text}")));
        words.extend(self.remove.iter().map(|text| format!("-{text}")));
        words.extend(self.set.iter().map(|(name, _)| format!("{name}=…")));
        words.extend(self.unset.iter().map(|name| format!("no {name}")));
        words.join(", ")
    }
}

/// Query for the people of a channel, among the contacts read by this desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeopleQuery {
    pub channel: ChannelId,
    /// Words of a name, mail address or tag, digits of a number, or `tag:` and a whole tag.
    pub text: String,
    pub limit: u32,
}

pub fn parse_tag_term(word: &str) -> Option<&str> {
    word.strip_prefix("tag:").filter(|text| !text.is_empty())
}

/// Returns the part of a search that the server supports: names and numbers. Tags are matched
/// locally.
pub fn server_search_text(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().filter(|word| parse_tag_term(word).is_none()).collect();
    words.join(" ")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// E.164; identifies the person.
    pub phone: String,
    pub contact: Contact,
    pub conversation: Option<ConversationId>,
    /// Time of the newest message in the conversation.
    pub last_at: Option<Timestamp>,
}

impl Person {
    /// Name, or number without one.
    pub fn title(&self) -> SafeText {
        self.contact.name.clone().unwrap_or_else(|| SafeText::line(&self.phone))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeoplePage {
    pub people: Vec<Person>,
    /// Number of matches, including those not on this page.
    pub total: u64,
}

/// A contact for editing, neither truncated nor sanitized.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonDetail {
    pub phone: String,
    pub id: Option<ContactId>,
    /// Empty if there is none.
    pub name: String,
    /// Empty if there is none.
    pub email: String,
    pub tags: Vec<String>,
    pub fields: Vec<MetadataField>,
    pub conversation: Option<ConversationId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MetadataField {
    pub name: String,
    /// Strings verbatim, other values as JSON.
    pub text: String,
    pub is_text: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundContact {
    pub channel: ChannelId,
    pub phone: SafeText,
    pub name: SafeText,
    pub email: Option<SafeText>,
}

/// A conversation of the same person in another tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherConversation {
    pub key: ConversationKey,
    pub title: SafeText,
    /// Time of the newest message.
    pub last_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContactCard {
    /// `None` until the contact was read.
    pub contact: Option<Contact>,
    /// Conversations in other tabs with the same number or mail address.
    pub elsewhere: Vec<OtherConversation>,
    /// Newest private notes, newest first, at most [`MAX_CARD_NOTES`].
    pub notes: Vec<PrivateNote>,
}

pub const MAX_CARD_NOTES: u32 = 3;

/// Applies additions and removals to the server's tags and keeps all others.
pub fn merge_tags(before: &[String], add: &[String], remove: &[String]) -> Vec<String> {
    let mut after: Vec<String> = before.iter().filter(|text| !remove.contains(text)).cloned().collect();
    for word in add {
        if !after.contains(word) {
            after.push(word.clone());
        }
    }
    after
}

/// Parses tags separated by commas, without duplicates.
pub fn parse_tags(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(',').map(str::trim).filter(|text| !text.is_empty()) {
        if !words.iter().any(|text| text == word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// True if the tags contain every added and no removed one.
pub fn has_expected_tags(told: &[String], add: &[String], remove: &[String]) -> bool {
    add.iter().all(|text| told.contains(text)) && !remove.iter().any(|text| told.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_keeps_what_others_have_added() {
        let words = |all: &[&str]| all.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>();
        let cases: [[&[&str]; 4]; 5] = [
            [&["theirs"], &["vip"], &[], &["theirs", "vip"]],
            [&["vip", "late"], &[], &["late"], &["vip"]],
            [&["vip"], &["vip"], &[], &["vip"]],
            [&[], &["late"], &["late"], &["late"]],
            [&[], &[], &["gone"], &[]],
        ];
        for [before, add, remove, after] in cases {
            let merged = merge_tags(&words(before), &words(add), &words(remove));
            assert_eq!(merged, words(after), "{before:?} +{add:?} -{remove:?}");
        }
        assert!(has_expected_tags(&words(&["a", "b"]), &words(&["a"]), &words(&["c"])));
        assert!(!has_expected_tags(&words(&["b"]), &words(&["a"]), &[]));
        assert!(!has_expected_tags(&words(&["a"]), &[], &words(&["a"])));
    }
}
