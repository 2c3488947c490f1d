//! Contacts: what the server keeps of a person, and what the card shows of
//! one beside the conversation.

use serde::{Deserialize, Serialize};

use crate::ids::{ChannelId, ContactId, ConversationId};
use crate::outbox::content::Json;
use crate::queries::ConversationKey;
use crate::text::SafeText;
use crate::time::Timestamp;

/// A contact as the server last told it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contact {
    /// The server's id; `None`: it has none with this number.
    pub id: Option<ContactId>,
    pub name: Option<SafeText>,
    pub email: Option<SafeText>,
    pub tags: Vec<SafeText>,
    /// What else is kept of the person: names and values.
    pub metadata: Vec<(SafeText, SafeText)>,
    pub read_at: Timestamp,
}

/// A contact as the server sent it, before anything of it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceivedContact {
    /// Its id; `None`: the server has none with this number.
    pub id: Option<ContactId>,
    pub name: Option<String>,
    pub email: Option<String>,
    pub tags: Vec<String>,
    /// A JSON object.
    pub metadata: String,
    /// Whether the object was too large to be kept, and is left out here.
    pub is_cut: bool,
}

/// What is to be changed of a contact, or what a new one begins with. It is
/// merged with what the server has when it is about to leave, so that
/// nothing a colleague added meanwhile is lost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContactChange {
    /// E.164; names the contact.
    pub phone: String,
    /// Its name; an empty one removes it.
    pub name: Option<String>,
    /// Its mail address; an empty one removes it.
    pub email: Option<String>,
    pub add: Vec<String>,
    pub remove: Vec<String>,
    /// Metadata to set: names and JSON values.
    pub set: Vec<(String, Json)>,
    /// Names of metadata to take away.
    pub unset: Vec<String>,
}

impl ContactChange {
    /// Whether nothing would be changed.
    pub fn is_empty(&self) -> bool {
        *self == Self { phone: self.phone.clone(), ..Self::default() }
    }

    pub fn changes_tags(&self) -> bool {
        !self.add.is_empty() || !self.remove.is_empty()
    }

    pub fn changes_metadata(&self) -> bool {
        !self.set.is_empty() || !self.unset.is_empty()
    }

    /// What it changes, in words.
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

/// Asks for the people of a tab, as far as this desk has read them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeopleQuery {
    pub channel: ChannelId,
    /// Words of a name, mail address or tag, digits of a number, or `tag:` and
    /// a whole tag.
    pub text: String,
    /// At most so many.
    pub limit: u32,
}

/// The tag that a word of a search names, if it names one.
pub fn parse_tag_term(word: &str) -> Option<&str> {
    word.strip_prefix("tag:").filter(|text| !text.is_empty())
}

/// What a server is asked for by a search: it looks in names and numbers, so
/// tags are looked for here.
pub fn server_search_text(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().filter(|word| parse_tag_term(word).is_none()).collect();
    words.join(" ")
}

/// A contact and the conversation with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Its number, which names it.
    pub phone: String,
    /// What is kept of it.
    pub contact: Contact,
    /// The conversation with it, if there is one.
    pub conversation: Option<ConversationId>,
    /// When something was last said in it.
    pub last_at: Option<Timestamp>,
}

impl Person {
    /// What it is called in one line.
    pub fn title(&self) -> SafeText {
        self.contact.name.clone().unwrap_or_else(|| SafeText::line(&self.phone))
    }
}

/// People, those with the newest activity first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeoplePage {
    pub people: Vec<Person>,
    /// How many fit, here or not.
    pub total: u64,
}

/// A contact to be edited: as the server told it, nothing cut or cleaned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonDetail {
    pub phone: String,
    pub id: Option<ContactId>,
    /// Its name; empty: none.
    pub name: String,
    /// Its mail address; empty: none.
    pub email: String,
    pub tags: Vec<String>,
    /// Its metadata: names, and values as a person writes them.
    pub fields: Vec<MetadataField>,
    /// The conversation with it, if there is one.
    pub conversation: Option<ConversationId>,
}

/// One piece of metadata.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MetadataField {
    pub name: String,
    /// Its value: a text as it is, anything else as JSON.
    pub text: String,
    pub is_text: bool,
}

/// A contact a server found by what was looked for.
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
    /// When something was last said.
    pub last_at: Option<Timestamp>,
}

/// What the card shows beside the conversation itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContactCard {
    /// The contact, once it was read.
    pub contact: Option<Contact>,
    /// The same number or mail address in other tabs.
    pub elsewhere: Vec<OtherConversation>,
}

/// Tags as they shall be: what the server has, with some added and others
/// taken away. Nothing that a colleague added meanwhile is lost.
pub fn merge_tags(before: &[String], add: &[String], remove: &[String]) -> Vec<String> {
    let mut after: Vec<String> = before.iter().filter(|text| !remove.contains(text)).cloned().collect();
    for word in add {
        if !after.contains(word) {
            after.push(word.clone());
        }
    }
    after
}

/// How a tag line is read: words parted by commas, each once.
pub fn parse_tags(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(',').map(str::trim).filter(|text| !text.is_empty()) {
        if !words.iter().any(|text| text == word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// Whether tags are as they were wished.
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
