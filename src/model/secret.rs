//! A secret that prints as dots.
//!
//! Knows nothing of where a key is kept; it only keeps it from being shown.

use std::fmt;

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
    fn prints_dots_and_a_hint_only() {
        let secret = Secret::new(" svc_live_abcdefghijklmnop\n");
        assert_eq!(format!("{secret:?} {secret}"), "•••• ••••");
        assert_eq!(secret.hint(), "svc_live_…mnop");
        assert_eq!(Secret::new("short").hint(), "…");
        assert_eq!(secret.expose(), "svc_live_abcdefghijklmnop");
    }
}
