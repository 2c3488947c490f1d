//! Credentials at rest: sealed with XChaCha20-Poly1305, so that whoever gets
//! hold of a file or a database alone learns none.

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use rand::RngExt;

use model::secret::Secret;

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// Bytes of a nonce: enough that random ones do not meet.
const NONCE_BYTES: usize = 24;

/// Something could not be sealed, or opened again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stored credential does not fit its key or what it was given for; give it again")]
pub struct SealingError;

/// Seals credentials with one key.
pub struct Sealer(XChaCha20Poly1305);

impl Sealer {
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self(XChaCha20Poly1305::new(&Key::from(*key)))
    }

    pub fn generate_key() -> [u8; KEY_BYTES] {
        rand::rng().random()
    }

    /// A key as text, as a keyring keeps it.
    pub fn key_text(key: &[u8; KEY_BYTES]) -> Secret {
        Secret::new(&BASE64_STANDARD_NO_PAD.encode(key))
    }

    /// Reads what [`Sealer::key_text`] wrote.
    pub fn key_of(text: &Secret) -> Option<[u8; KEY_BYTES]> {
        BASE64_STANDARD_NO_PAD.decode(text.expose()).ok()?.try_into().ok()
    }

    /// Seals a credential for what it is given for. Each sealing differs.
    ///
    /// # Errors
    /// [`SealingError`] for one of many gigabytes.
    pub fn seal(&self, owner: &str, secret: &Secret) -> Result<Vec<u8>, SealingError> {
        let nonce: [u8; NONCE_BYTES] = rand::rng().random();
        let payload = Payload { msg: secret.expose().as_bytes(), aad: owner.as_bytes() };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload).map_err(|_| SealingError)?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Opens what was sealed for this owner.
    ///
    /// # Errors
    /// [`SealingError`] when it was sealed with another key or for another
    /// owner, or was changed.
    pub fn open(&self, owner: &str, sealed: &[u8]) -> Result<Secret, SealingError> {
        let (nonce, rest) = sealed.split_at_checked(NONCE_BYTES).ok_or(SealingError)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| SealingError)?;
        let payload = Payload { msg: rest, aad: owner.as_bytes() };
        let opened = self.0.decrypt(&XNonce::from(nonce), payload).map_err(|_| SealingError)?;
        Ok(Secret::new(str::from_utf8(&opened).map_err(|_| SealingError)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_owner_and_key_open_a_credential() {
        let sealer = Sealer::new(&[1; KEY_BYTES]);
        let secret = Secret::new("s3cret é");
        let sealed = sealer.seal("shop", &secret).expect("sealed");
        assert_eq!(sealer.open("shop", &sealed), Ok(secret.clone()));
        assert_ne!(sealed, sealer.seal("shop", &secret).expect("sealed"));
        assert!(!sealed.windows(6).any(|window| window == b"s3cret"));
        assert_eq!(sealer.open("other", &sealed), Err(SealingError));
        assert_eq!(Sealer::new(&[2; KEY_BYTES]).open("shop", &sealed), Err(SealingError));
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert_eq!(sealer.open("shop", &changed), Err(SealingError), "{index}");
        }
        for short in [&[][..], &[0; 5], &[0; NONCE_BYTES], &[0; NONCE_BYTES + 16]] {
            assert_eq!(sealer.open("shop", short), Err(SealingError));
        }
    }

    #[test]
    fn a_key_is_kept_as_text() {
        let key = Sealer::generate_key();
        assert_eq!(Sealer::key_of(&Sealer::key_text(&key)), Some(key));
        for bad in ["", "x", "AAAA", "!"] {
            assert_eq!(Sealer::key_of(&Secret::new(bad)), None);
        }
    }
}
