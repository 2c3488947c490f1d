//! Form of an API key: creation, validation, hash.
//!
//! A key is the prefix of its environment, 43 random base62 characters and a checksum. Only its SHA-256 is
//! stored; 256 random bits need no slow hash.

use rand::RngExt;
use sha2::{Digest, Sha256};

use model::account::Environment;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS: usize = 43;
const CHECKSUM_CHARS: usize = 6;

/// SHA-256 by which a key is stored and looked up.
pub type KeyHash = [u8; 32];

/// New key, whose text is shown once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshKey {
    pub text: String,
    pub hash: KeyHash,
    /// Last four characters, shown in lists.
    pub tail: String,
}

/// Prefix of a sign-in token.
pub const TOKEN_PREFIX: &str = "desk_";
pub const SESSION_PREFIX: &str = "session_";

pub const fn prefix(environment: Environment) -> &'static str {
    match environment {
        Environment::Live => "svc_live_",
        Environment::Test => "svc_test_",
    }
}

/// Creates an API key; `random` must be cryptographically secure.
pub fn generate(environment: Environment, random: &mut impl RngExt) -> FreshKey {
    generate_with(prefix(environment), random)
}

/// Creates a secret of the form of a key with another prefix.
pub fn generate_with(prefix: &str, random: &mut impl RngExt) -> FreshKey {
    let mut text = prefix.to_owned();
    for _ in 0..RANDOM_CHARS {
        text.push(char::from(ALPHABET[random.random_range(0..ALPHABET.len())]));
    }
    let sum = checksum(&text);
    text.push_str(&sum);
    let tail = text[text.len() - 4..].to_owned();
    FreshKey { hash: hash(&text), text, tail }
}

/// Returns true if a text has the form of a key and a correct checksum. Other texts are not looked up.
pub fn is_well_formed(text: &str) -> bool {
    Environment::from_key(text).is_some_and(|environment| has_form(text, prefix(environment)))
}

/// Returns true if a text begins with `prefix` and has the form of a key and a correct checksum.
pub fn has_form(text: &str, prefix: &str) -> bool {
    let Some(body) = text.strip_prefix(prefix) else { return false };
    body.len() == RANDOM_CHARS + CHECKSUM_CHARS
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.ends_with(&checksum(&text[..text.len() - CHECKSUM_CHARS]))
}

pub fn hash(text: &str) -> KeyHash {
    Sha256::digest(text.as_bytes()).into()
}

/// Returns the first 16 hex digits of a hash, by which a desk knows its key.
pub fn fingerprint(hash: &KeyHash) -> String {
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// CRC-32 (the reflected IEEE polynomial) in six base62 digits.
fn checksum(text: &str) -> String {
    let mut crc = u32::MAX;
    for byte in text.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    let mut rest = !crc;
    let mut digits = [b'0'; CHECKSUM_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[usize::try_from(rest % 62).unwrap_or(0)];
        rest /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    #[test]
    fn keys_have_a_form_that_typing_mistakes_break() {
        for environment in [Environment::Live, Environment::Test] {
            let key = generate(environment, &mut StdRng::seed_from_u64(7));
            assert!(key.text.starts_with(prefix(environment)));
            assert_eq!(key.text.len(), 9 + 43 + 6);
            assert!(is_well_formed(&key.text));
            let mistyped = key.text.replacen(&key.text[20..21], "_", 1);
            assert!(!is_well_formed(&mistyped));
            let other = if &key.text[30..31] == "a" { "b" } else { "a" };
            let mut changed = key.text.clone();
            changed.replace_range(30..31, other);
            assert!(!is_well_formed(&changed));
        }
        for bad in ["", "svc_live_", "svc_live_x", "sk_live_0", "svc_test_é"] {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }
}
