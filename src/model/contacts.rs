//! Contacts: what the server keeps of a person, and what the card shows of
//! one beside the conversation.
//!
//! Knows nothing of JSON or of where it is kept.

use crate::model::ids::{ChannelId, ContactId};
use crate::model::queries::ConversationKey;
use crate::model::text::SafeText;
use crate::model::time::Timestamp;

/// A contact as the server last told it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contact {
    /// The server's id; `None`: it has none with this number.
    pub id: Option<ContactId>,
    /// What the person is called there.
    pub name: Option<SafeText>,
    /// The person's mail address.
    pub email: Option<SafeText>,
    /// Its labels.
    pub tags: Vec<SafeText>,
    /// What else is kept of the person: names and values.
    pub metadata: Vec<(SafeText, SafeText)>,
    /// When it was read.
    pub read_at: Timestamp,
}

/// A contact as the server sent it, before anything of it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToldContact {
    /// Its id; `None`: the server has none with this number.
    pub id: Option<ContactId>,
    /// What the person is called.
    pub name: Option<String>,
    /// The person's mail address.
    pub email: Option<String>,
    /// Its labels.
    pub tags: Vec<String>,
    /// A JSON object.
    pub metadata: String,
}

/// A contact a server found by what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundContact {
    /// The tab that asked.
    pub channel: ChannelId,
    /// The phone number.
    pub phone: SafeText,
    /// What the person is called.
    pub name: SafeText,
    /// The person's mail address.
    pub email: Option<SafeText>,
}

/// A conversation of the same person in another tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// Which.
    pub key: ConversationKey,
    /// Its title there.
    pub title: SafeText,
    /// When something was last said.
    pub last_at: Option<Timestamp>,
}

/// What the card shows beside the conversation itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    /// The contact, once it was read.
    pub contact: Option<Contact>,
    /// The same number or mail address in other tabs.
    pub elsewhere: Vec<Elsewhere>,
}

/// Tags as they shall be: what the server has, with some added and others
/// taken away. Nothing that a colleague added meanwhile is lost.
pub fn merged(before: &[String], add: &[String], remove: &[String]) -> Vec<String> {
    let mut after: Vec<String> = before.iter().filter(|it| !remove.contains(it)).cloned().collect();
    for word in add {
        if !after.contains(word) {
            after.push(word.clone());
        }
    }
    after
}

/// Whether tags are as they were wished.
pub fn agrees(told: &[String], add: &[String], remove: &[String]) -> bool {
    add.iter().all(|it| told.contains(it)) && !remove.iter().any(|it| told.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_keeps_what_others_have_added() {
        let words = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let cases: [[&[&str]; 4]; 5] = [
            [&["theirs"], &["vip"], &[], &["theirs", "vip"]],
            [&["vip", "late"], &[], &["late"], &["vip"]],
            [&["vip"], &["vip"], &[], &["vip"]],
            [&[], &["late"], &["late"], &["late"]],
            [&[], &[], &["gone"], &[]],
        ];
        for [before, add, remove, after] in cases {
            let merged = merged(&words(before), &words(add), &words(remove));
            assert_eq!(merged, words(after), "{before:?} +{add:?} -{remove:?}");
        }
        assert!(agrees(&words(&["a", "b"]), &words(&["a"]), &words(&["c"])));
        assert!(!agrees(&words(&["b"]), &words(&["a"]), &[]));
        assert!(!agrees(&words(&["a"]), &[], &words(&["a"])));
    }
}
