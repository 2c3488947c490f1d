//! Typed mail addresses: parsing of lists, duplicates, and safe header lines.

use std::collections::HashSet;

const MAX_ADDRESS_CHARS: usize = 254;

/// Entry of an address list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedAddress {
    /// An address without display name.
    Address(String),
    /// Any other text.
    Invalid(String),
}

/// Parses a list such as `Ana <ana@x.example>, bob@x.example; c@x.example`.
pub fn parse_list(line: &str) -> Vec<TypedAddress> {
    let mut pieces = vec![String::new()];
    let (mut quoted, mut angled) = (false, false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            '<' if !quoted => angled = true,
            '>' if !quoted => angled = false,
            _ => (),
        }
        if matches!(character, ',' | ';' | '\n') && !quoted && !angled {
            pieces.push(String::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(character);
        }
    }
    pieces.iter().map(|piece| piece.trim()).filter(|text| !text.is_empty()).map(parse_address).collect()
}

fn parse_address(piece: &str) -> TypedAddress {
    let inner = match (piece.rfind('<'), piece.ends_with('>')) {
        (Some(at), true) => &piece[at + 1..piece.len() - 1],
        _ => piece,
    };
    let address = inner.trim();
    if is_address(address) {
        TypedAddress::Address(address.to_owned())
    } else {
        TypedAddress::Invalid(piece.to_owned())
    }
}

/// True if the text is exactly one address. Rejects anything that could add a header, an address or
/// a name.
pub fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let plain = |character: char| {
        !character.is_whitespace()
            && !character.is_control()
            && !matches!(character, ',' | ';' | '<' | '>' | '"' | '(' | ')' | '\\')
    };
    let is_domain = domain.contains('.')
        && !domain.starts_with(['.', '-'])
        && !domain.ends_with(['.', '-'])
        && !domain.contains("..")
        && domain.chars().all(|character| character.is_alphanumeric() || matches!(character, '.' | '-'));
    !local.is_empty()
        && !local.contains('@')
        && text.chars().count() <= MAX_ADDRESS_CHARS
        && local.chars().all(plain)
        && is_domain
}

pub fn normalize(address: &str) -> String {
    address.trim().to_lowercase()
}

/// Removes own addresses and duplicates from To, Cc and Bcc; the first occurrence is kept.
pub fn remove_duplicates(lists: [Vec<String>; 3], own: &[String]) -> [Vec<String>; 3] {
    let mut seen: HashSet<String> = own.iter().map(|text| normalize(text)).collect();
    lists.map(|list| list.into_iter().filter(|text| seen.insert(normalize(text))).collect())
}

/// Removes line breaks and controls, so that the text cannot end its header.
pub fn to_header_line(text: &str) -> String {
    let unbroken = text.replace(['\r', '\n', '\t', '\u{85}', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}'], " ");
    unbroken.chars().filter(|character| !character.is_control()).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_of_addresses() {
        let good = |text: &str| TypedAddress::Address(text.to_owned());
        let wrong = |text: &str| TypedAddress::Invalid(text.to_owned());
        let cases = [
            ("", vec![]),
            ("a@b.example", vec![good("a@b.example")]),
            ("Ana <a@b.example>, c@d.example;", vec![good("a@b.example"), good("c@d.example")]),
            ("\"Lopez, Ana\" <a@b.example>", vec![good("a@b.example")]),
            ("a@b.example\nBcc: x@y.example", vec![good("a@b.example"), wrong("Bcc: x@y.example")]),
            ("ana", vec![wrong("ana")]),
            ("a@b", vec![wrong("a@b")]),
            ("a@b.example x", vec![wrong("a@b.example x")]),
            ("jürgen@bücher.example", vec![good("jürgen@bücher.example")]),
        ];
        for (line, parts) in cases {
            assert_eq!(parse_list(line), parts, "{line:?}");
        }
    }

    #[test]
    fn each_address_once_and_never_ones_own() {
        let of = |entry: &[&str]| entry.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let lists =
            [of(&["A@x.example", "b@x.example"]), of(&["a@X.example", "me@x.example"]), of(&["b@x.example"])];
        let kept = remove_duplicates(lists, &of(&["Me@x.example"]));
        assert_eq!(kept, [of(&["A@x.example", "b@x.example"]), vec![], vec![]]);
    }

    proptest! {
        #![proptest_config(randomized::config(256))]

        #[test]
        fn nothing_typed_becomes_a_header(line in "\\PC{0,40}|[\\x00-\\x7f\u{85}\u{2028}]{0,60}") {
            for typed in parse_list(&line) {
                if let TypedAddress::Address(address) = typed {
                    prop_assert!(!address.chars().any(|character| character.is_control() || character.is_whitespace()), "{:?}", address);
                    prop_assert_eq!(address.matches('@').count(), 1);
                }
            }
            let header = to_header_line(&line);
            let breaks = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
            prop_assert!(!header.chars().any(breaks), "{:?}", header);
        }
    }
}
