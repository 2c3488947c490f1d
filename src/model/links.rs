//! Links as they come in messages: where they lead, and what their file is
//! called.
//!
//! Pure. Opens nothing.

/// Characters of a link at most.
const LONGEST: usize = 2_048;

/// The host a link leads to, for http and https alone; `None` for anything
/// else, and for what only looks like one.
pub fn host_of(url: &str) -> Option<String> {
    let odd = |it: char| it.is_whitespace() || it.is_control() || it == '\\';
    if url.len() > LONGEST || url.chars().any(odd) {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // What stands before an @ is a name that looks like a host.
    let host = authority.rsplit('@').next().unwrap_or_default();
    (!host.is_empty() && !host.starts_with(':')).then(|| host.to_lowercase())
}

/// The first link in a text.
pub fn first_in(text: &str) -> Option<&str> {
    let words = text.split(|it: char| it.is_whitespace() || matches!(it, '<' | '>' | '"'));
    let trimmed =
        words.map(|it| it.trim_start_matches('(').trim_end_matches(['.', ',', ';', ':', '!', '?', ')']));
    trimmed.into_iter().find(|it| host_of(it).is_some())
}

/// The name a link's path gives its file, if it gives one.
pub fn file_name(url: &str) -> Option<&str> {
    host_of(url)?;
    let (_, rest) = url.split_once("://")?;
    let path = rest.split(['?', '#']).next()?;
    let (_, path) = path.split_once('/')?;
    path.rsplit('/').next().filter(|it| !it.is_empty())
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
        assert_eq!(first_in("see (https://a.example/x), please"), Some("https://a.example/x"));
        assert_eq!(first_in("no link here"), None);
    }
}
