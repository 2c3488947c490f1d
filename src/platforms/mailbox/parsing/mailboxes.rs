//! Reads the mailboxes of an address header (RFC 5322, section 3.4) from its raw value.
//!
//! An address is taken as written or not at all: it is never repaired, joined or cut. A display
//! name is never an address, in any encoding. Only unambiguous forms are normalized: a comma in a
//! name without quotes, a source route, quotes around a plain local part, the root dot of a domain,
//! and domains in Unicode, which become ASCII.

use crate::mailbox::parsing::encoded_words::{decode_words, word_length};
use crate::mailbox::parsing::lines::one_line;
use api::mail_addresses::ascii_address;
use model::bounds;

const MAX_MAILBOXES: usize = 100;
/// Maximum length of a header kept for display, in characters.
const MAX_SHOWN_CHARS: usize = 254;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailAddress {
    pub address: String,
    /// Display name, unless it contains an address.
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AddressHeader {
    /// Each address once, in the order of the header.
    pub mailboxes: Vec<MailAddress>,
    /// The header on one line, decoded; empty if missing or if it names nobody.
    pub shown: String,
    /// True if a part that looks like an address is unreadable.
    pub has_unreadable: bool,
}

#[derive(Debug, Default)]
struct HeaderPart {
    /// Text outside angle brackets and comments, quotes included.
    phrase: String,
    comments: String,
    angles: Vec<String>,
    /// True if an angle bracket, quote or comment is not closed.
    is_broken: bool,
}

pub fn read_mailboxes(values: &[String]) -> AddressHeader {
    let mut found = AddressHeader::default();
    for value in values {
        read_value(value, &mut found);
    }
    let shown: Vec<String> = values.iter().map(|value| one_line(&decode_words(value), usize::MAX)).collect();
    let shown = shown.join(", ").chars().take(MAX_SHOWN_CHARS).collect::<String>();
    // `<>` and `""` name nobody.
    if shown.chars().any(|letter| !matches!(letter, '<' | '>' | '"' | ',' | ';' | ' ')) {
        found.shown = shown;
    }
    found
}

fn read_value(value: &str, found: &mut AddressHeader) {
    let mut before: Vec<String> = Vec::new();
    for piece in split_header(value) {
        let has_at = piece.phrase.contains('@') || piece.angles.iter().any(|angle| angle.contains('@'));
        if !has_at && piece.angles.is_empty() && !piece.is_broken {
            // `Doe, John <john@d.example>`: a name with a comma.
            let words = name_of(&piece.phrase);
            before.extend(Some(words).filter(|words| !words.is_empty()));
            continue;
        }
        let Some(mailbox) = mailbox(&piece, &before) else {
            found.has_unreadable |= has_at || !piece.phrase.trim().is_empty();
            before.clear();
            continue;
        };
        before.clear();
        let is_known =
            found.mailboxes.iter().any(|known| known.address.eq_ignore_ascii_case(&mailbox.address));
        if !is_known && found.mailboxes.len() < MAX_MAILBOXES {
            found.mailboxes.push(mailbox);
        }
    }
}

fn mailbox(piece: &HeaderPart, before: &[String]) -> Option<MailAddress> {
    if piece.is_broken {
        return None;
    }
    let (address, words) = match piece.angles.as_slice() {
        [angle] => (address(angle)?, name_of(&piece.phrase)),
        [] => (address(&piece.phrase)?, String::new()),
        _ => return None,
    };
    let words = if words.is_empty() { name_of(&piece.comments) } else { words };
    let mut name = before.to_vec();
    name.extend(Some(words).filter(|words| !words.is_empty()));
    let name = one_line(&name.join(", "), bounds::MAX_CONTACT_NAME_CHARS);
    let is_name = !name.is_empty() && !holds_address(&name);
    Some(MailAddress { address, name: is_name.then_some(name) })
}

/// Returns the valid address in a text, `None` if there is none.
fn address(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("mailto:").unwrap_or(text);
    // `@relay.example:kim@x.example`: a source route is not part of the address.
    let text = if text.starts_with('@') { text.split_once(':')?.1 } else { text };
    let (local, domain) = text.rsplit_once('@')?;
    let local = match local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(quoted) => quoted,
        None => local,
    };
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    ascii_address(&format!("{local}@{domain}"))
}

fn name_of(phrase: &str) -> String {
    let mut words = String::new();
    let mut escaped = false;
    for letter in phrase.chars() {
        match letter {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => {}
            other => {
                words.push(other);
                escaped = false;
            }
        }
    }
    let words = one_line(&decode_words(&words), usize::MAX);
    words.trim_matches(['"', '\'', ' ']).to_owned()
}

fn holds_address(name: &str) -> bool {
    name.contains(['@', '＠', '﹫'])
}

/// Splits a value at commas and semicolons outside quotes, comments and angle brackets; drops the
/// names of groups.
fn split_header(value: &str) -> Vec<HeaderPart> {
    let mut found = Vec::new();
    let mut piece = HeaderPart::default();
    let mut rest = value;
    while let Some(letter) = rest.chars().next() {
        let mut taken = letter.len_utf8();
        match letter {
            '"' => {
                let length = quoted_length(rest);
                taken = length.unwrap_or(taken);
                // A quote that is not closed is an ordinary character.
                piece.phrase.push_str(if length.is_some() { &rest[..taken] } else { "" });
            }
            '(' => match comment_length(rest) {
                Some(length) => {
                    piece.comments.push(' ');
                    piece.comments.push_str(&rest[1..length - 1]);
                    taken = length;
                }
                None => piece.is_broken = true,
            },
            '<' => match rest.find('>') {
                Some(end) => {
                    piece.angles.extend(angle(&rest[1..end]));
                    piece.is_broken |= rest[1..end].contains('<');
                    taken = end + 1;
                }
                None => piece.is_broken = true,
            },
            '=' if word_length(rest).is_some() => {
                taken = word_length(rest).unwrap_or(taken);
                piece.phrase.push_str(&rest[..taken]);
            }
            ':' if begins_group(rest) => piece = HeaderPart::default(),
            ',' | ';' => found.push(std::mem::take(&mut piece)),
            // A second address without a comma is ambiguous.
            '@' if !piece.angles.is_empty() => piece.is_broken = true,
            other => piece.phrase.push(other),
        }
        rest = &rest[taken..];
    }
    found.push(piece);
    found
}

/// Returns the content of angle brackets without comments; `None` if empty.
fn angle(content: &str) -> Option<String> {
    let (mut kept, mut rest) = (String::new(), content);
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '(' => comment_length(rest),
            '"' => quoted_length(rest),
            _ => None,
        };
        let taken = length.unwrap_or(letter.len_utf8());
        if letter != '(' || length.is_none() {
            kept.push_str(&rest[..taken]);
        }
        rest = &rest[taken..];
    }
    Some(kept.trim().to_owned()).filter(|kept| !kept.is_empty())
}

/// Returns true if a colon ends the name of a group, which a semicolon closes.
fn begins_group(rest: &str) -> bool {
    let mut plain = true;
    rest.chars().any(|letter| {
        plain ^= letter == '"';
        plain && letter == ';'
    })
}

/// Length of the quoted text at the beginning of a value, `None` if it is not closed.
fn quoted_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Length of the comment that begins a value, nested ones included; `None` if it is not closed.
fn comment_length(text: &str) -> Option<usize> {
    let (mut depth, mut escaped) = (0_usize, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> AddressHeader {
        read_mailboxes(&[value.to_owned()])
    }

    fn all(value: &str) -> Vec<(String, Option<String>)> {
        read(value).mailboxes.into_iter().map(|mailbox| (mailbox.address, mailbox.name)).collect()
    }

    #[test]
    fn one_mailbox_is_read_in_every_form() {
        let cases = [
            ("kim@x.example", "kim@x.example", None),
            ("Kim Lee <kim@x.example>", "kim@x.example", Some("Kim Lee")),
            ("\"Lee, Kim\" <kim@x.example>", "kim@x.example", Some("Lee, Kim")),
            ("Doe, John <john@d.example>", "john@d.example", Some("Doe, John")),
            ("Acme: Sales, Inc. <a@x.example>", "a@x.example", Some("Acme: Sales, Inc.")),
            ("\"Tan Tanaka,<d@x.example>", "d@x.example", Some("Tan Tanaka")),
            ("kim@x.example (Kim (the) Lee)", "kim@x.example", Some("Kim (the) Lee")),
            ("Kim <kim(work)@x.example>", "kim@x.example", Some("Kim")),
            ("<@relay.example:kim@x.example>", "kim@x.example", None),
            ("<@a.example,@b.example:kim@x.example>", "kim@x.example", None),
            ("\"kim.lee\"@x.example", "kim.lee@x.example", None),
            ("<kim@x.example.>", "kim@x.example", None),
            ("<mailto:kim@x.example>", "kim@x.example", None),
            ("Jörg <j@bücher.example>", "j@xn--bcher-kva.example", Some("Jörg")),
            ("\"ann@bank.example\" <kim@x.example>", "kim@x.example", None),
            ("ann@bank.example <kim@x.example>", "kim@x.example", None),
            ("=?utf-8?q?ann=40bank.example?= <kim@x.example>", "kim@x.example", None),
            ("=?utf-8?q?Lee=2C_Kim?= <kim@x.example>", "kim@x.example", Some("Lee, Kim")),
            ("=?utf-8?q?Lee, Kim?= <kim@x.example>", "kim@x.example", Some("Lee, Kim")),
            ("Team: kim@x.example;", "kim@x.example", None),
        ];
        for (value, address, name) in cases {
            assert_eq!(all(value), [(address.to_owned(), name.map(str::to_owned))], "{value}");
        }
    }

    #[test]
    fn what_is_no_address_stays_as_it_stands() {
        let cases = [
            "bob@extern bobby@extern",
            "bob@x.example bobby@y.example",
            "<kim @x.example>",
            "kim lee@x.example",
            "kim@x@y.example",
            "Kim <kim@x.example",
            "<a@x.example> <b@y.example>",
            "<a@x.example> b@y.example",
            "<a@x.example> b@y.example <c@z.example>",
            "\"kim lee\"@x.example",
            "kim.@x.example",
            "kim@[192.0.2.1]",
            "=?utf-8?q?Kim_=3Ckim=40x.example=3E?=",
            "kim@localhost",
        ];
        for value in cases {
            let found = read(value);
            assert_eq!(found.mailboxes, [], "{value}");
            assert!(!found.shown.is_empty(), "{value}");
        }
        assert!(read("Kim").mailboxes.is_empty() && !read("Kim").has_unreadable);
        for nobody in ["", "<>", " \"\" <> ", ",;"] {
            assert_eq!(read(nobody), AddressHeader::default(), "{nobody}");
        }
    }

    #[test]
    fn several_mailboxes_stay_apart() {
        let both = |value: &str| all(value).into_iter().map(|text| text.0).collect::<Vec<_>>();
        assert_eq!(both("a@x.example, B <b@y.example>; A@X.example"), ["a@x.example", "b@y.example"]);
        assert_eq!(
            both("G: a@x.example, b@y.example;, c@z.example"),
            ["a@x.example", "b@y.example", "c@z.example"]
        );
        assert!(read("a@x.example, b@@y").has_unreadable);
    }
}
