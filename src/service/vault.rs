//! Secrets that have to be read again, sealed at rest: whoever gets hold of
//! the database alone learns none.
//!
//! Knows nothing of what the secrets are for. The key lies in a file of its
//! own beside the database, readable by its owner only.

use std::fs;
use std::io;
use std::path::Path;

use rand::Rng;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use thiserror::Error;

use crate::disk;

/// Bytes of the key.
const KEY: usize = 32;

/// A secret could not be sealed or opened again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a stored secret does not fit the key beside the database")]
pub struct Unreadable;

/// The key beside a database, which is made when there is none.
fn key_beside(database: &Path) -> io::Result<[u8; KEY]> {
    let mut path = database.as_os_str().to_owned();
    path.push(".key");
    let path = Path::new(&path);
    match private(path).and_then(|()| fs::read(path)) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            let made: [u8; KEY] = rand::rng().random();
            disk::write(path, &made)?;
            Ok(made)
        }
        read => read?.try_into().map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{} holds no key", path.display()))
        }),
    }
}

/// Refuses a key that others can read or change.
fn private(path: &Path) -> io::Result<()> {
    if !disk::is_open_to_others(&fs::metadata(path)?, 0o077) {
        return Ok(());
    }
    let words = format!("{0} can be read by others; run: chmod 600 {0}", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, words))
}

/// Another key for another purpose, made from the one beside a database.
///
/// # Errors
/// When the file cannot be read or written, or is no key.
pub fn derived(database: &Path, purpose: &str) -> io::Result<[u8; KEY]> {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key_beside(database)?);
    let made = ring::hmac::sign(&key, purpose.as_bytes());
    made.as_ref().try_into().map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Seals secrets with one key.
pub struct Vault {
    key: LessSafeKey,
}

impl Vault {
    /// With the key beside a database, which is made when there is none.
    ///
    /// # Errors
    /// When the file cannot be read or written, or is no key.
    pub fn beside(database: &Path) -> io::Result<Self> {
        let key = key_beside(database)?;
        Self::with(&key).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn with(key: &[u8]) -> Option<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).ok()?;
        Some(Self { key: LessSafeKey::new(key) })
    }

    /// Seals a secret of one owner: a row's id. Each sealing differs.
    ///
    /// # Errors
    /// [`Unreadable`] for a secret of many gigabytes.
    pub fn seal(&self, owner: &str, secret: &str) -> Result<Vec<u8>, Unreadable> {
        // Few secrets are sealed with one key, so that random nonces do not
        // meet.
        let nonce: [u8; NONCE_LEN] = rand::rng().random();
        let mut sealed = secret.as_bytes().to_vec();
        let owner = Aad::from(owner.as_bytes());
        self.key
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), owner, &mut sealed)
            .map_err(|_| Unreadable)?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Opens what was sealed for this owner.
    ///
    /// # Errors
    /// [`Unreadable`] when it was sealed with another key or for another
    /// owner, or was changed.
    pub fn open(&self, owner: &str, sealed: &[u8]) -> Result<String, Unreadable> {
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN).ok_or(Unreadable)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Unreadable)?;
        let mut rest = rest.to_vec();
        let owner = Aad::from(owner.as_bytes());
        let opened = self.key.open_in_place(nonce, owner, &mut rest).map_err(|_| Unreadable)?;
        String::from_utf8(opened.to_vec()).map_err(|_| Unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_owner_and_key_open_a_secret() {
        let vault = Vault::with(&[1; KEY]).expect("a key");
        let sealed = vault.seal("wh_1", "s3cret é").expect("sealed");
        assert_eq!(vault.open("wh_1", &sealed).as_deref(), Ok("s3cret é"));
        assert_ne!(sealed, vault.seal("wh_1", "s3cret é").expect("sealed"));
        assert_eq!(vault.open("wh_2", &sealed), Err(Unreadable));
        assert_eq!(Vault::with(&[2; KEY]).expect("a key").open("wh_1", &sealed), Err(Unreadable));
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert_eq!(vault.open("wh_1", &changed), Err(Unreadable), "{index}");
        }
        for short in [&[][..], &[0; 5], &[0; NONCE_LEN]] {
            assert_eq!(vault.open("wh_1", short), Err(Unreadable));
        }
    }

    #[test]
    fn the_key_is_made_once_and_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("service.db");
        let sealed = Vault::beside(&database).expect("made").seal("a", "x").expect("sealed");
        assert_eq!(Vault::beside(&database).expect("read").open("a", &sealed).as_deref(), Ok("x"));
        let key = folder.path().join("service.db.key");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&key).expect("there").permissions().mode() & 0o777, 0o600);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            for open in [0o604, 0o640, 0o666] {
                fs::set_permissions(&key, fs::Permissions::from_mode(open)).expect("set");
                let refused = Vault::beside(&database).err().expect("refused").to_string();
                assert!(refused.contains("can be read by others; run: chmod 600"), "{refused}");
            }
            fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("set");
        }
        fs::write(&key, b"short").expect("written");
        assert!(Vault::beside(&database).is_err());
    }
}
