//! Link targets, and the comparison of a link's text with its real host.
//!
//! Pure: opens nothing.

use model::links;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) target: String,
    /// True if the text names a host other than the target's.
    pub(super) is_misleading: bool,
}

impl Link {
    /// The link as listed below the text.
    pub(crate) fn to_line(&self) -> String {
        let warning = if self.is_misleading { "NOT WHERE ITS TEXT SAYS: " } else { "" };
        if is_openable(&self.target) {
            format!("{warning}{}", self.target)
        } else {
            format!("{warning}{} (cannot be opened)", self.target)
        }
    }
}

/// True for `http` and `https`, the only schemes opened.
pub(crate) fn is_openable(target: &str) -> bool {
    let scheme = target.split(':').next().unwrap_or("").to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https")
}

pub(super) fn display_host(url: &str) -> String {
    host_of(url).map_or_else(String::new, |host| format!("; target {host}"))
}

pub(super) fn host_of(target: &str) -> Option<String> {
    let target = if target.starts_with("//") { &format!("https:{target}") } else { target };
    if !is_openable(target) {
        return None;
    }
    links::host_of(target).map(|host| host.to_string())
}

/// Host named by a link's text.
pub(super) fn parse_named_host(words: &str) -> Option<String> {
    let word = words.split_whitespace().next().filter(|_| words.split_whitespace().count() == 1)?;
    let rest = word.split_once("://").map_or(word, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next()?.to_lowercase();
    let (_, last) = host.rsplit_once('.')?;
    let is_host = last.len() >= 2 && last.chars().all(char::is_alphabetic) && !host.contains('@');
    is_host.then_some(host)
}

/// True if one host is the other or a subdomain of it.
pub(super) fn is_same_site(named: &str, host: &str) -> bool {
    let plain = |text: &str| text.trim_start_matches("www.").to_lowercase();
    let (named, host) = (plain(named), plain(host));
    named == host || host.ends_with(&format!(".{named}")) || named.ends_with(&format!(".{host}"))
}
