//! Sealed credentials of a desk, in a file that only its owner can read. A credential is never
//! displayed.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;

use crate::connections::sealing::{KEY_BYTES, Sealer};
use model::connections::Connection;
use model::secret::Secret;

/// Loads the key from the keyring or a file when it is first needed.
pub type KeyProvider = Arc<dyn Fn() -> Result<[u8; KEY_BYTES], String> + Send + Sync>;

const MAX_FILE_BYTES: u64 = 1024 * 1024;

#[derive(Clone)]
pub struct Credentials {
    file: PathBuf,
    key: KeyProvider,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Credentials").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Credentials {
    pub fn new(file: PathBuf, key: KeyProvider) -> Self {
        Self { file, key }
    }

    /// True if a credential is stored under the connection's name, readable or not.
    pub fn has(&self, connection: &Connection) -> bool {
        self.read().is_ok_and(|map| map.contains_key(&connection.name))
    }

    /// Returns the credential of a connection, if one is stored. Fails if the key is missing, or if
    /// the credential was given for another server or another kind of authentication.
    pub fn get(&self, connection: &Connection) -> Result<Option<Secret>, String> {
        let kept = self.read()?;
        let Some(sealed) = kept.get(&connection.name) else { return Ok(None) };
        let opened = Sealer::new(&(self.key)()?).open(&connection.credential_scope(), sealed);
        opened.map(Some).map_err(|why| why.to_string())
    }

    /// Stores a connection's credential, replacing an earlier one.
    pub fn store(&self, connection: &Connection, secret: &Secret) -> Result<(), String> {
        let mut kept = self.read()?;
        let sealed = Sealer::new(&(self.key)()?).seal(&connection.credential_scope(), secret);
        kept.insert(connection.name.clone(), sealed.map_err(|why| why.to_string())?);
        self.write(&kept)
    }

    /// Deletes a connection's credential; returns true if there was one.
    pub fn forget(&self, name: &str) -> Result<bool, String> {
        let mut kept = self.read()?;
        let found = kept.remove(name).is_some();
        if found {
            self.write(&kept)?;
        }
        Ok(found)
    }

    fn failed(&self, what: &str, error: &io::Error) -> String {
        format!("{what} {}: {error}", self.file.display())
    }

    /// Reads one line per credential: the name, and the sealed bytes in base64.
    fn read(&self) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let text = match fs::metadata(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Ok(facts) if facts.len() > MAX_FILE_BYTES => {
                return Err(format!("{} is too long", self.file.display()));
            }
            _ => disk::read_text(&self.file).map_err(|error| self.failed("reading", &error))?,
        };
        let read = |line: &str| {
            let (name, sealed) = line.split_once(' ')?;
            Some((name.to_owned(), BASE64_STANDARD_NO_PAD.decode(sealed).ok()?))
        };
        Ok(text.lines().filter_map(read).collect())
    }

    fn write(&self, kept: &BTreeMap<String, Vec<u8>>) -> Result<(), String> {
        let line = |(name, sealed): (&String, &Vec<u8>)| {
            format!("{name} {}\n", BASE64_STANDARD_NO_PAD.encode(sealed))
        };
        let text: String = kept.iter().map(line).collect();
        disk::write_with_folder(&self.file, text.as_bytes()).map_err(|error| self.failed("writing", &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::connections::Auth;

    #[test]
    fn a_credential_is_only_handed_out_for_what_it_was_given_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("connections.sealed");
        let kept = Credentials::new(file.clone(), Arc::new(|| Ok([3; KEY_BYTES])));
        let shop = Connection { auth: Auth::Bearer, ..Connection::new("shop", "https://shop.example/v1") };
        assert_eq!(kept.get(&shop), Ok(None));
        kept.store(&shop, &Secret::new("s3cret-token")).expect("kept");
        assert_eq!(kept.get(&shop), Ok(Some(Secret::new("s3cret-token"))));
        let text = fs::read_to_string(&file).expect("written");
        assert!(!text.contains("s3cret") && text.starts_with("shop "));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
        }
        let moved = Connection { base_url: "https://evil.example/v1".to_owned(), ..shop.clone() };
        assert!(kept.get(&moved).is_err(), "another host gets nothing");
        let other = Connection { auth: Auth::ApiKeyQuery { parameter: "k".into() }, ..shop.clone() };
        assert!(kept.get(&other).is_err(), "nor another way to send it");
        let longer = Connection { base_url: "https://shop.example/v2".to_owned(), ..shop.clone() };
        assert!(kept.get(&longer).is_ok(), "another path of the same host does");
        let wrong = Credentials::new(file, Arc::new(|| Ok([4; KEY_BYTES])));
        assert!(wrong.get(&shop).is_err());
        assert_eq!(kept.forget("shop"), Ok(true));
        assert_eq!((kept.forget("shop"), kept.get(&shop)), (Ok(false), Ok(None)));
    }
}
