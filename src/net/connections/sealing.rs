//! Credentials at rest, sealed with XChaCha20-Poly1305 so that a stolen file or database reveals
//! none.

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use rand::RngExt;

use model::secret::Secret;

pub const KEY_BYTES: usize = 32;
/// Large enough that random nonces do not collide.
const NONCE_BYTES: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stored credential cannot be decrypted, or belongs to another connection; enter it again")]
pub struct SealingError;

pub struct Sealer(XChaCha20Poly1305);

impl Sealer {
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self(XChaCha20Poly1305::new(&Key::from(*key)))
    }

    pub fn generate_key() -> [u8; KEY_BYTES] {
        rand::rng().random()
    }

    /// Encodes a key as text for a keyring.
    pub fn key_text(key: &[u8; KEY_BYTES]) -> Secret {
        Secret::new(&BASE64_STANDARD_NO_PAD.encode(key))
    }

    pub fn key_of(text: &Secret) -> Option<[u8; KEY_BYTES]> {
        BASE64_STANDARD_NO_PAD.decode(text.expose()).ok()?.try_into().ok()
    }

    /// Seals a credential for `owner`, with a random nonce. Fails for a credential of many
    /// gigabytes.
    pub fn seal(&self, owner: &str, secret: &Secret) -> Result<Vec<u8>, SealingError> {
        let nonce: [u8; NONCE_BYTES] = rand::rng().random();
        let payload = Payload { msg: secret.expose().as_bytes(), aad: owner.as_bytes() };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload).map_err(|_| SealingError)?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Opens a credential sealed for `owner`. Fails if it was sealed with another key or for
    /// another owner, or was changed.
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
