//! Links in messages: their host and file name. Pure; opens nothing.

use std::ops::Range;

const MAX_LINK_CHARS: usize = 2_048;
const MAX_ADDRESS_CHARS: usize = 254;

/// Returns the host of an http or https URL; `None` for anything else.
pub fn host_of(url: &str) -> Option<String> {
    let odd = |character: char| character.is_whitespace() || character.is_control() || character == '\\';
    if url.len() > MAX_LINK_CHARS || url.chars().any(odd) {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // User info before an @ may look like a host.
    let host = authority.rsplit('@').next().unwrap_or_default();
    (!host.is_empty() && !host.starts_with(':')).then(|| host.to_lowercase())
}

pub fn first_link(text: &str) -> Option<&str> {
    let words = text.split(|text: char| text.is_whitespace() || matches!(text, '<' | '>' | '"'));
    let trimmed =
        words.map(|word| word.trim_start_matches('(').trim_end_matches(['.', ',', ';', ':', '!', '?', ')']));
    trimmed.into_iter().find(|text| host_of(text).is_some())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLink {
    pub range: Range<usize>,
    /// The text itself; with a `mailto:` prefix for a mail address.
    pub target: String,
}

/// Finds web and mail addresses that can be made clickable, because their text is exactly their
/// target.
pub fn find_links(text: &str) -> Vec<TextLink> {
    if !text.contains("://") && !text.contains('@') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(|text: char| text.is_whitespace() || matches!(text, '<' | '>' | '"')) {
        let begins = word.trim_start_matches('(');
        let start = at + word.len() - begins.len();
        let ends = |character: char| character.is_whitespace() || matches!(character, '<' | '>' | '"');
        let bare = begins.trim_end_matches(ends).trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        at += word.len();
        let range = start..start + bare.len();
        if is_plain(bare) {
            found.push(TextLink { range, target: bare.to_owned() });
        } else if is_mail_address(bare) {
            found.push(TextLink { range, target: format!("mailto:{bare}") });
        }
    }
    found
}

/// True for a URL that cannot deceive: ASCII only, and without user info before the host.
pub fn is_plain(url: &str) -> bool {
    let Some(host) = host_of(url) else { return false };
    let authority = url.split("://").nth(1).and_then(|part| part.split(['/', '?', '#']).next());
    url.bytes().all(|byte| byte.is_ascii_graphic())
        && authority.is_some_and(|authority| authority.eq_ignore_ascii_case(&host))
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
}

fn is_mail_address(word: &str) -> bool {
    let Some((name, host)) = word.split_once('@') else { return false };
    let is_label = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    word.len() <= MAX_ADDRESS_CHARS
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-_".contains(&byte))
        && host.contains('.')
        && host.split('.').all(is_label)
}

/// Returns the last path segment of a link.
pub fn file_name(url: &str) -> Option<&str> {
    host_of(url)?;
    let (_, rest) = url.split_once("://")?;
    let path = rest.split(['?', '#']).next()?;
    let (_, path) = path.split_once('/')?;
    path.rsplit('/').next().filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_links_lead() {
        let cases = [
            ("https://files.example/a/photo.jpg?sig=1", Some("files.example"), Some("photo.jpg")),
            ("HTTP://Files.Example:8080", Some("files.example:8080"), None),
            ("https://bank.example@evil.example/x", Some("evil.example"), Some("x")),
            ("https://files.example/a/", Some("files.example"), None),
            ("javascript://files.example/%0aalert(1)", None, None),
            ("file:///etc/passwd", None, None),
            ("https:///etc/passwd", None, None),
            ("https://a.example\\@b.example/", None, None),
            ("https://a.example/ b", None, None),
            ("-n", None, None),
        ];
        for (url, host, name) in cases {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
            assert_eq!(file_name(url), name, "{url}");
        }
        assert_eq!(first_link("see (https://a.example/x), please"), Some("https://a.example/x"));
        assert_eq!(first_link("no link here"), None);
    }

    #[test]
    fn links_are_what_they_look_like() {
        let cases: [(&str, &[(&str, &str)]); 16] = [
            ("see (https://a.example/x), please", &[("https://a.example/x", "https://a.example/x")]),
            ("HTTP://A.example", &[("HTTP://A.example", "HTTP://A.example")]),
            ("http://[::1]:80/", &[("http://[::1]:80/", "http://[::1]:80/")]),
            ("write to ana@mail.example!", &[("ana@mail.example", "mailto:ana@mail.example")]),
            (
                "<ana@mail.example>, https://b.example",
                &[
                    ("ana@mail.example", "mailto:ana@mail.example"),
                    ("https://b.example", "https://b.example"),
                ],
            ),
            ("https://bank.example@evil.example/x", &[]),
            ("https://b\u{430}nk.example/", &[]),
            ("https://a.example/\u{202e}gpj.exe", &[]),
            ("javascript://a.example/%0aalert(1)", &[]),
            ("file:///etc/passwd", &[]),
            ("ana@mail.example?subject=x", &[]),
            ("ana@mail", &[]),
            ("a@b@c.example", &[]),
            ("https://a.example\u{1b}]8;;https://evil.example\u{1b}\\", &[]),
            ("no link here", &[]),
            ("@ :// ", &[]),
        ];
        for (text, links) in cases {
            let found: Vec<(&str, String)> = find_links(text)
                .into_iter()
                .map(|text_link| (&text[text_link.range], text_link.target))
                .collect();
            let found: Vec<(&str, &str)> =
                found.iter().map(|(shown, target)| (*shown, target.as_str())).collect();
            assert_eq!(found, links, "{}", text.escape_debug());
        }
    }
}
