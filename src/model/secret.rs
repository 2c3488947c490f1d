//! A secret that prints as dots.
//!
//! It only keeps it from being shown.

use std::fmt;

/// Letters and digits of a channel key at least, behind its prefix.
const KEY: usize = 12;

/// A channel key or another secret. `Debug` and `Display` print dots; only
/// [`Secret::expose`] gives the text, so a search for it finds every use.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes ownership of a secret's text, without surrounding white space.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The text itself, for the one header it belongs in.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What may be shown: the environment prefix and the last four characters.
    pub fn hint(&self) -> String {
        let tail: String = match self.0.char_indices().rev().nth(3) {
            Some((at, _)) if self.0.len() >= 16 => self.0[at..].to_owned(),
            _ => String::new(),
        };
        for prefix in ["svc_live_", "svc_test_"] {
            if self.0.starts_with(prefix) {
                return format!("{prefix}…{tail}");
            }
        }
        format!("…{tail}")
    }
}

/// The channel keys that stand in a text.
fn keys(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("svc_").filter_map(|(at, _)| {
        let it = &text[at..];
        let rest = it.strip_prefix("svc_live_").or_else(|| it.strip_prefix("svc_test_"))?;
        let length = rest.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(rest.len());
        (length >= KEY).then(|| &it[..it.len() - rest.len() + length])
    })
}

/// What may be shown of a channel key that stands in a text.
pub fn key_in(text: &str) -> Option<String> {
    keys(text).next().map(|it| Secret::new(it).hint())
}

/// The text with what may be shown in place of each channel key.
pub fn without_keys(text: &str) -> String {
    keys(text).fold(text.to_owned(), |text, key| text.replace(key, &Secret::new(key).hint()))
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("••••")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("••••")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_a_text_is_found() {
        let cases = [
            ("use svc_live_abcdefghijklmnop, please", Some("svc_live_…mnop")),
            ("svc_ svc_live_short svc_test_0123456789abcdef", Some("svc_test_…cdef")),
            ("keys begin with svc_live_ or svc_test_…", None),
            ("svc_live_", None),
            ("", None),
        ];
        for (text, found) in cases {
            assert_eq!(key_in(text).as_deref(), found, "{text}");
        }
    }

    #[test]
    fn prints_dots_and_a_hint_only() {
        let secret = Secret::new(" svc_live_abcdefghijklmnop\n");
        assert_eq!(format!("{secret:?} {secret}"), "•••• ••••");
        assert_eq!(secret.hint(), "svc_live_…mnop");
        assert_eq!(Secret::new("short").hint(), "…");
        assert_eq!(secret.expose(), "svc_live_abcdefghijklmnop");
    }
}
