//! Encryption of stored secrets, so that the database alone reveals none.

use rand::RngExt;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use thiserror::Error;

use crate::sealing_key::SealingKey;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a stored secret cannot be decrypted with the key of the database")]
pub struct SealError;

pub struct Vault {
    key: LessSafeKey,
}

impl Vault {
    pub fn new(key: &SealingKey) -> Result<Self, SealError> {
        Self::from_key_bytes(key.bytes()).ok_or(SealError)
    }

    fn from_key_bytes(key: &[u8]) -> Option<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).ok()?;
        Some(Self { key: LessSafeKey::new(key) })
    }

    /// Seals a secret for one owner, a row's id. The result differs each time.
    ///
    /// # Errors
    /// [`SealError`] for a secret beyond the cipher's limit of many gigabytes.
    pub fn seal(&self, owner: &str, secret: &str) -> Result<Vec<u8>, SealError> {
        // One key seals few secrets, so random nonces do not collide.
        let nonce: [u8; NONCE_LEN] = rand::rng().random();
        let mut sealed = secret.as_bytes().to_vec();
        let owner = Aad::from(owner.as_bytes());
        self.key
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), owner, &mut sealed)
            .map_err(|_| SealError)?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Opens a secret sealed for this owner.
    ///
    /// # Errors
    /// [`SealError`] if the key or owner differs, or the bytes were changed.
    pub fn open(&self, owner: &str, sealed: &[u8]) -> Result<String, SealError> {
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN).ok_or(SealError)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| SealError)?;
        let mut rest = rest.to_vec();
        let owner = Aad::from(owner.as_bytes());
        let opened = self.key.open_in_place(nonce, owner, &mut rest).map_err(|_| SealError)?;
        String::from_utf8(opened.to_vec()).map_err(|_| SealError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sealing_key::KEY_BYTES;

    #[test]
    fn only_its_owner_and_key_open_a_secret() {
        let vault = Vault::from_key_bytes(&[1; KEY_BYTES]).expect("a key");
        let sealed = vault.seal("wh_1", "s3cret é").expect("sealed");
        assert_eq!(vault.open("wh_1", &sealed).as_deref(), Ok("s3cret é"));
        assert_ne!(sealed, vault.seal("wh_1", "s3cret é").expect("sealed"));
        assert_eq!(vault.open("wh_2", &sealed), Err(SealError));
        assert_eq!(
            Vault::from_key_bytes(&[2; KEY_BYTES]).expect("a key").open("wh_1", &sealed),
            Err(SealError)
        );
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert_eq!(vault.open("wh_1", &changed), Err(SealError), "{index}");
        }
        for short in [&[][..], &[0; 5], &[0; NONCE_LEN]] {
            assert_eq!(vault.open("wh_1", short), Err(SealError));
        }
    }
}
