//! Audience of a broadcast before it is fixed: marked conversations, a search, a file, or everyone.

use crate::ids::{CampaignId, ChannelId, ContactId};
use crate::queries::ConversationKey;

const MAX_SHOWN_CHARS: usize = 40;
/// Minimum length of an id without digits; shorter words are names.
const MIN_ID_CHARS: usize = 16;
/// Minimum number of digits of a word without letters that counts as a phone number.
const MIN_PHONE_DIGITS: usize = 7;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AudienceSource {
    Conversations(Vec<ConversationKey>),
    Phones(Vec<String>),
    Fitting(String),
    File(String),
    /// Recipients that an earlier campaign is known not to have reached.
    Failed(CampaignId),
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
            Self::Fitting(search) => format!("all people matching {search:?}"),
            Self::File(path) => format!("the file {path}"),
            Self::Failed(_) => "failed recipients of the last broadcast".to_owned(),
            Self::Everyone => "EVERYONE in the workspace".to_owned(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AudienceQuery {
    pub channel: ChannelId,
    pub source: AudienceSource,
}

/// Recipients of a source, as far as known on this desk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResolvedAudience {
    /// Distinct, in order.
    pub ids: Vec<ContactId>,
    pub duplicates: usize,
    pub without_phone: usize,
    /// Numbers whose contact has not been read or does not exist.
    pub not_read: Vec<String>,
    /// The first few invalid lines of a file, described.
    pub invalid: Vec<String>,
    /// Recipients with an open service window.
    pub open: usize,
    /// Recipients with a closed service window or without messages.
    pub closed: usize,
    /// Recipients who want no marketing messages, which the platform does not deliver to them.
    pub no_marketing: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AudienceLine {
    Contact(ContactId),
    Phone(String),
    /// A name, a header, or a number without country code.
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

/// True if a word may be a contact id: neither a plain name nor a phone number. Only the server
/// knows if the contact exists.
fn is_contact_id(word: &str) -> bool {
    let fits =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | ':');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(char::is_ascii_alphabetic).count();
    let is_phone = letters == 0 && digits >= MIN_PHONE_DIGITS;
    let is_name = digits == 0 && word.len() < MIN_ID_CHARS;
    word.len() <= 200 && word.chars().all(fits) && !is_phone && !is_name
}

pub fn describe_invalid_line(word: &str) -> String {
    format!("{word:?} is neither a contact id nor a phone number with its country code, such as +34600111222")
}

/// Parses one id or number a line, with line numbers from 1. Ignores empty lines and comments after
/// `#`.
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
