//! The key that seals a database's secrets, in a file of its own: beside the database or at `--key-file`,
//! readable by its owner only.
//!
//! The database stores a fingerprint of its key, so that a wrong key is noticed before it seals anything.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rand::RngExt;
use ring::hmac;
use thiserror::Error;

use crate::database::place::DatabaseLocation;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, meta};

pub const KEY_BYTES: usize = 32;
const MAX_KEY_FILE_BYTES: u64 = 4 * 1024;
/// HMAC context string of the key fingerprint.
const MARK_PURPOSE: &str = "which key a database is sealed with";

#[derive(Debug, Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("the key file {}: {cause}", path.display())]
    File { path: PathBuf, cause: io::Error },
    /// Users other than the owner can read or change the file.
    #[error("{path} can be read by others; run: chmod 600 {path}", path = .0.display())]
    Shared(PathBuf),
    #[error("{} contains no key; a key is 32 bytes or 64 hex digits", .0.display())]
    NoKey(PathBuf),
    /// The file is missing, and secrets are sealed with its key.
    #[error("{} does not exist, but this database contains encrypted secrets; restore the key file that \
             encrypts them", .0.display())]
    Missing(PathBuf),
    /// A database on a server needs a named key file.
    #[error("a database on a server needs the key file of its secrets; name it with --key-file")]
    Unnamed,
    #[error(
        "the secrets of this database are encrypted with another key than the one in {}; name the file of that \
         key with --key-file",
        .0.display()
    )]
    Other(PathBuf),
    /// The secrets are sealed with a key that is neither named nor beside the database.
    #[error(
        "the secrets of this database are encrypted with {sealed}, and {} {}; name the file of that key \
         with --key-file. If it is lost, `frontdesk admin key-file reset` deletes the secrets; then \
         connect the channels and webhooks again",
        found.display(),
        if *is_there { "does not decrypt them" } else { "does not exist" }
    )]
    Forgotten {
        /// Description of the key they are sealed with.
        sealed: String,
        /// File that was searched.
        found: PathBuf,
        /// True if `found` holds a key.
        is_there: bool,
    },
}

/// Metadata name of the path at which the key was last used.
const LOCATION_META_NAME: &str = "key_place";
/// Metadata name of the key fingerprint.
const MARK_META_NAME: &str = "key_mark";

/// Location of a database's key; `beside` is the default one, empty for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealingKeyLocation {
    path: PathBuf,
    beside: PathBuf,
}

#[derive(Clone, PartialEq, Eq)]
pub struct SealingKey([u8; KEY_BYTES]);

impl SealingKeyLocation {
    /// Returns the named file, else the default one beside a database file.
    pub fn of(database: &DatabaseLocation, named: Option<&Path>) -> Result<Self, KeyError> {
        let beside = database.file().map(|path| {
            let mut beside = path.as_os_str().to_owned();
            beside.push(".key");
            PathBuf::from(beside)
        });
        match (named, beside) {
            (named, Some(beside)) => {
                Ok(Self { path: named.map_or_else(|| beside.clone(), Path::to_owned), beside })
            }
            (Some(named), None) => Ok(Self { path: named.to_owned(), beside: PathBuf::new() }),
            (None, None) => Err(KeyError::Unnamed),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Builds the error for secrets that do not open, with the path at which their key was last used.
    /// `is_there` says whether the searched file holds a key.
    pub fn describe_missing_key(
        &self,
        db: &dyn DbSession,
        is_there: bool,
    ) -> Result<KeyError, DatabaseError> {
        let place: Option<Vec<u8>> = meta::get(db, LOCATION_META_NAME)?;
        let place = place.and_then(|bytes| String::from_utf8(bytes).ok());
        let sealed = match place {
            Some(place) if Path::new(&place) != absolute(&self.path) => {
                format!("the key that was in {place}")
            }
            _ => "another key".to_owned(),
        };
        Ok(KeyError::Forgotten { sealed, found: self.path.clone(), is_there })
    }

    /// Returns true if the path is not the default one.
    pub fn is_named(&self) -> bool {
        self.path != self.beside
    }

    /// Reads the key, `None` if the file does not exist. Call it once: the file may be a pipe.
    pub fn read(&self) -> Result<Option<SealingKey>, KeyError> {
        read(&self.path)
    }

    /// Tests whether a named key file can be created, before a database is created for it.
    pub fn can_make(&self) -> Result<(), KeyError> {
        let failed = |cause| KeyError::File { path: self.path.clone(), cause };
        if self.is_named() { disk::check_writable(&self.path).map_err(failed) } else { Ok(()) }
    }

    /// Creates a key. If two processes do so at once, both get the same one.
    pub fn make(&self) -> Result<SealingKey, KeyError> {
        let made: [u8; KEY_BYTES] = rand::rng().random();
        let failed = |cause| KeyError::File { path: self.path.clone(), cause };
        if !self.beside.as_os_str().is_empty() {
            // Only one process at a time has a database file open, so there is no race.
            disk::write(&self.path, &made).map_err(failed)?;
            return Ok(SealingKey(made));
        }
        let mut part = self.path.clone().into_os_string();
        part.push(format!(".{}", uuid::Uuid::new_v4().simple()));
        let part = PathBuf::from(part);
        disk::write(&part, &made).map_err(failed)?;
        let linked = fs::hard_link(&part, &self.path);
        fs::remove_file(&part).map_err(failed)?;
        match linked {
            Ok(()) => Ok(SealingKey(made)),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                self.read()?.ok_or_else(|| KeyError::Missing(self.path.clone()))
            }
            Err(cause) => Err(failed(cause)),
        }
    }

    /// Returns true if the key beside the database exists and differs from `key`, for a database that has no
    /// fingerprint yet.
    pub fn differs_from_default(&self, key: &SealingKey) -> bool {
        self.is_named() && matches!(read(&self.beside), Ok(Some(beside)) if beside != *key)
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn read(path: &Path) -> Result<Option<SealingKey>, KeyError> {
    let failed = |cause| KeyError::File { path: path.to_owned(), cause };
    let shared = match fs::metadata(path) {
        Ok(metadata) => disk::is_open_to_others(&metadata, 0o077),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(failed(cause)),
    };
    if shared {
        return Err(KeyError::Shared(path.to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_KEY_FILE_BYTES).read_to_end(&mut bytes))
        .map_err(failed)?;
    let key = <[u8; KEY_BYTES]>::try_from(bytes.as_slice()).ok().or_else(|| decode_hex(&bytes));
    key.map(|key| Some(SealingKey(key))).ok_or_else(|| KeyError::NoKey(path.to_owned()))
}

/// Parses 64 hex digits, as printed by `openssl rand -hex 32`.
fn decode_hex(bytes: &[u8]) -> Option<[u8; KEY_BYTES]> {
    let text = std::str::from_utf8(bytes).ok()?.trim_ascii();
    if text.len() != 2 * KEY_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut key = [0; KEY_BYTES];
    for (byte, at) in key.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(key)
}

impl SealingKey {
    pub fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    pub fn derive(&self, purpose: &str) -> Result<[u8; KEY_BYTES], DatabaseError> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let made = hmac::sign(&key, purpose.as_bytes());
        made.as_ref().try_into().map_err(|_| DatabaseError::Foreign)
    }

    /// Returns true if this is the key of a database. Stores its fingerprint if there is none, or if nothing
    /// is sealed and this process is `alone` on the database.
    pub fn claim(
        &self,
        db: &dyn DbSession,
        place: &SealingKeyLocation,
        alone: bool,
    ) -> Result<bool, DatabaseError> {
        let mark = self.derive(MARK_PURPOSE)?;
        let kept: Option<Vec<u8>> = meta::get(db, MARK_META_NAME)?;
        let fits = match &kept {
            Some(kept) => kept.as_slice() == mark,
            None => !place.differs_from_default(self),
        };
        let takes = fits || alone && !meta::has_sealed(db)?;
        if takes && kept.as_deref() != Some(mark.as_slice()) {
            meta::set(db, MARK_META_NAME, &mark.as_slice())?;
        }
        let path = absolute(&place.path).display().to_string();
        if takes && meta::get::<Vec<u8>>(db, LOCATION_META_NAME)?.as_deref() != Some(path.as_bytes()) {
            meta::set(db, LOCATION_META_NAME, &path.as_bytes())?;
        }
        Ok(takes)
    }

    /// Removes the key's fingerprint and path from a database.
    pub fn disclaim(db: &dyn DbSession) -> Result<(), DatabaseError> {
        db.change_later("DELETE FROM meta WHERE name IN (?1, ?2)", bound![MARK_META_NAME, LOCATION_META_NAME])
    }

    /// Returns true if a database has a key fingerprint.
    pub fn is_claimed(db: &dyn DbSession) -> Result<bool, DatabaseError> {
        Ok(meta::get::<Vec<u8>>(db, MARK_META_NAME)?.is_some())
    }

    /// Returns true if the database's fingerprint belongs to another key.
    pub fn is_another(&self, db: &dyn DbSession) -> Result<bool, DatabaseError> {
        let (mark, kept): (_, Option<Vec<u8>>) = (self.derive(MARK_PURPOSE)?, meta::get(db, MARK_META_NAME)?);
        Ok(kept.is_some_and(|bytes| bytes.as_slice() != mark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = SealingKeyLocation::of(&folder.path().join("service.db").into(), None).expect("a place");
        assert!(place.read().expect("nothing").is_none() && !place.is_named());
        let made = place.make().expect("made");
        assert!(place.read().expect("read") == Some(made));
        let path = folder.path().join("service.db.key");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
            for open in [0o604, 0o640, 0o666] {
                set(open);
                let refused = place.read().err().expect("refused").to_string();
                assert!(refused.contains("can be read by others; run: chmod 600"), "{refused}");
            }
            set(0o600);
        }
        fs::write(&path, b"short").expect("written");
        assert!(matches!(place.read(), Err(KeyError::NoKey(_))));
    }

    #[test]
    fn a_key_may_be_written_in_hex() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let place =
            SealingKeyLocation::of(&folder.path().join("service.db").into(), Some(&path)).expect("a place");
        let digits = "00ff10".to_owned() + &"7F".repeat(29);
        for text in [digits.clone(), format!("{digits}\n")] {
            disk::write(&path, text.as_bytes()).expect("written");
            let read = place.read().expect("read").expect("a key");
            assert_eq!((&read.bytes()[..3], read.bytes()[31]), (&[0, 255, 16][..], 0x7f));
        }
        for text in [digits.replace('f', "g"), format!("{digits}0"), digits.replace("ff", "é")] {
            disk::write(&path, text.as_bytes()).expect("written");
            assert!(matches!(place.read(), Err(KeyError::NoKey(_))), "{text}");
        }
    }
}
