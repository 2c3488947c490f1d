//! The audience of a broadcast before it is frozen: what was marked, what
//! a search fits, what a file names, everyone.

use crate::ids::{CampaignId, ChannelId, ContactId};
use crate::queries::ConversationKey;

/// Characters of a line that is wrong, repeated at most.
const MAX_SHOWN_CHARS: usize = 40;
/// Characters from which on a word without a digit is no name.
const MIN_ID_CHARS: usize = 16;
/// Digits from which on a word without a letter is a number as people write it.
const MIN_PHONE_DIGITS: usize = 7;

/// Where an audience comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AudienceSource {
    /// The people of these conversations.
    Conversations(Vec<ConversationKey>),
    /// The people with these numbers.
    Phones(Vec<String>),
    /// All people a search fits.
    Fitting(String),
    /// The people a file names.
    File(String),
    /// Those an earlier one did not reach, as far as that shows.
    Failed(CampaignId),
    /// All contacts of the workspace.
    Everyone,
}

impl AudienceSource {
    pub fn describe(&self) -> String {
        match self {
            Self::Conversations(keys) if keys.len() == 1 => "this conversation".to_owned(),
            Self::Conversations(keys) => format!("{} marked conversations", keys.len()),
            Self::Phones(phones) if phones.len() == 1 => "this person".to_owned(),
            Self::Phones(phones) => format!("{} marked people", phones.len()),
            Self::Fitting(search) if search.is_empty() => "all people".to_owned(),
            Self::Fitting(search) => format!("all people that fit {search:?}"),
            Self::File(path) => format!("the file {path}"),
            Self::Failed(_) => "those that failed before".to_owned(),
            Self::Everyone => "EVERYONE of the workspace".to_owned(),
        }
    }
}

/// What is asked of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AudienceQuery {
    pub channel: ChannelId,
    pub source: AudienceSource,
}

/// The recipients a source resolves to, as far as is known here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResolvedAudience {
    /// Their ids, each once, in order.
    pub ids: Vec<ContactId>,
    /// How many were named again.
    pub duplicates: usize,
    /// How many have no number.
    pub without_phone: usize,
    /// Numbers whose contact has not been read, or is none.
    pub not_read: Vec<String>,
    /// Lines of a file that are wrong, the first few in words.
    pub invalid: Vec<String>,
    /// Of those with an id: how many have an open window.
    pub open: usize,
    /// How many have a closed one, or never wrote.
    pub closed: usize,
}

/// One line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AudienceLine {
    /// A contact by its id.
    Contact(ContactId),
    /// The owner of this number.
    Phone(String),
    /// Something that can be neither: a name, a heading, a number without its
    /// country code.
    Invalid(String),
}

impl AudienceLine {
    fn parse(word: &str) -> Self {
        let separator = |character: &char| matches!(character, ' ' | '-' | '(' | ')' | '/');
        if word.starts_with('+') {
            return Self::Phone(word.chars().filter(|character| !separator(character)).collect());
        }
        if is_contact_id(word) {
            return Self::Contact(ContactId::new(word));
        }
        Self::Invalid(word.chars().take(MAX_SHOWN_CHARS).collect())
    }
}

/// Whether a word can be a contact's id: one word, not a plain name, not a
/// number as people write it. Only the server knows whether somebody has it.
fn is_contact_id(word: &str) -> bool {
    let fits =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | ':');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(char::is_ascii_alphabetic).count();
    let is_phone = letters == 0 && digits >= MIN_PHONE_DIGITS;
    let is_name = digits == 0 && word.len() < MIN_ID_CHARS;
    word.len() <= 200 && word.chars().all(fits) && !is_phone && !is_name
}

/// Why such a line names nobody.
pub fn describe_invalid_line(word: &str) -> String {
    format!("{word:?} is neither a contact id nor a phone number with its country code, such as +34600111222")
}

/// What stands in a file: one id or number a line; empty lines and what
/// follows a `#` say nothing.
pub fn parse_lines(text: &str) -> Vec<(usize, AudienceLine)> {
    let lines = text.lines().enumerate().filter_map(|(at, line)| {
        let word = line.split('#').next().unwrap_or("").trim();
        let wanted = match word {
            "" => return None,
            word => AudienceLine::parse(word),
        };
        Some((at + 1, wanted))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_an_audience() {
        let text = "ct_1\n\n  +34 600-111 222  # Maria\n# nobody\nct_1\r\n";
        let expected = [
            (1, AudienceLine::Contact("ct_1".into())),
            (3, AudienceLine::Phone("+34600111222".to_owned())),
            (5, AudienceLine::Contact("ct_1".into())),
        ];
        assert_eq!(parse_lines(text), expected);
        assert!(parse_lines(" \n#\n").is_empty());
        for id in ["ct_1", "42", "3f2a9c1e-0b7d-4c55-9a51-5b1c3f0e9d11", "ckhgzqwertyuiopasdfgh"] {
            assert_eq!(parse_lines(id), [(1, AudienceLine::Contact(id.into()))]);
        }
        let neither = [
            "Maria",
            "Maria Lopez",
            "ana@mail.example",
            "name,phone",
            "ct_1,Ana",
            "600111222",
            "600-111-222",
            "ñ1",
        ];
        for word in neither {
            assert_eq!(parse_lines(word), [(1, AudienceLine::Invalid(word.to_owned()))]);
        }
    }
}
