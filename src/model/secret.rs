//! A secret that is hidden when printed. Memory is not protected.

use std::fmt;

/// Minimum length of a channel key after its prefix.
const MIN_KEY_CHARS: usize = 12;

/// A channel key or another secret. `Debug` and `Display` print dots; only [`Secret::expose`]
/// returns the text, so a search for it finds every use.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Trims surrounding white space.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Returns the text, for the one header that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the environment prefix and the last four characters, which may be shown.
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

fn find_keys(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("svc_").filter_map(|(at, _)| {
        let candidate = &text[at..];
        let rest = candidate.strip_prefix("svc_live_").or_else(|| candidate.strip_prefix("svc_test_"))?;
        let length = rest.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(rest.len());
        (length >= MIN_KEY_CHARS).then(|| &candidate[..candidate.len() - rest.len() + length])
    })
}

/// Returns the hint of the first channel key in a text.
pub fn key_hint_in(text: &str) -> Option<String> {
    find_keys(text).next().map(|key| Secret::new(key).hint())
}

/// Prefixes of keys and tokens of well-known providers, with the minimum length of the rest.
const TOKEN_PREFIXES: [(&str, usize); 17] = [
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("rk_live_", 10),
    ("whsec_", 16),
    ("gsk_", 16),
    ("hf_", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xapp-", 10),
    ("ghp_", 20),
    ("gho_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("AKIA", 16),
    ("AIza", 30),
    ("EAA", 60),
];
/// Minimum length of a bot token before and after its colon.
const MIN_BOT_TOKEN_CHARS: (usize, usize) = (8, 30);

/// Replaces each key and token of channels, providers and bots by its hint.
pub fn redact(text: &str) -> String {
    let shown = |text: &str, secret: &str| text.replace(secret, &Secret::new(secret).hint());
    let text = find_keys(text).fold(text.to_owned(), |text, key| shown(&text, key));
    let words = text.split(|text: char| !(text.is_ascii_alphanumeric() || "_-.:".contains(text)));
    words.flat_map(find_tokens).fold(text.clone(), |text, token| shown(&text, token))
}

/// Finds keys of providers, signed tokens, and the secret part of bot tokens in a word.
fn find_tokens(word: &str) -> impl Iterator<Item = &str> {
    // Format in URLs: /bot123456789:AAxyz/getMe.
    let is_bot = |id: &str| {
        let id = id.strip_prefix("bot").unwrap_or(id);
        id.len() >= MIN_BOT_TOKEN_CHARS.0 && id.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut before = "";
    word.split(':').filter(move |part| {
        let part = part.trim_end_matches('.');
        let is_half = is_bot(std::mem::replace(&mut before, part)) && part.len() >= MIN_BOT_TOKEN_CHARS.1;
        let is_known = TOKEN_PREFIXES.iter().any(|(beginning, least)| {
            let rest = part.strip_prefix(beginning).unwrap_or_default();
            rest.len() >= *least && rest.contains(|character: char| character.is_ascii_digit())
        });
        let is_signed = part.starts_with("eyJ") && part.len() >= 60 && part.matches('.').count() == 2;
        is_half || is_known || is_signed
    })
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
            assert_eq!(key_hint_in(text).as_deref(), found, "{text}");
        }
    }

    #[test]
    fn no_key_and_no_token_is_left_in_a_text() {
        let token = |beginning: &str, rest: usize| format!("{beginning}{}", "a1B2".repeat(rest.div_ceil(4)));
        let bot = format!("110201543:{}", "AAHd".repeat(9));
        let signed = format!("eyJ{0}.{0}.{0}", "a1B2".repeat(8));
        let all = [
            token("svc_live_", 40),
            token("sk-proj-", 40),
            token("sk_live_", 24),
            token("whsec_", 32),
            token("ghp_", 36),
            token("AKIA", 16),
            token("EAA", 90),
            bot,
            signed,
        ];
        for secret in all {
            for around in [" ", "\n", "\"", ":", "/bot", "key=", "é"] {
                // Only a bot token follows that word.
                if around == "/bot" && !secret.contains(':') {
                    continue;
                }
                let cut = redact(&format!("Here{around}{secret}/getMe, and {secret}."));
                assert!(!cut.contains(&secret[..secret.len() - 6]), "{around:?} {secret}: {cut}");
            }
        }
        for harmless in [
            "Order 1041 of 20:30, task-force-2026, risk-free since 2019-11-25T10:00:00Z.",
            "+34600111222 https://example.com/a/b?c=1234567890 maria@example.com",
            "sk-model AKIA HF_HOME eyJ ghp_ 110201543:short 佐藤様、19.8kgです。",
        ] {
            assert_eq!(redact(harmless), harmless);
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
