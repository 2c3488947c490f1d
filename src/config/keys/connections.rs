//! Key that seals the credentials of connections: in the desktop's keyring if available, else in a file
//! readable by its owner only. Created on first use and then cached.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::keys::{file, keyring};
use model::secret::Secret;
use net::connections::sealing::KEY_BYTES;
use net::connections::{KeyProvider, Sealer};

pub fn key_provider(folder: PathBuf) -> KeyProvider {
    let known: Mutex<Option<[u8; KEY_BYTES]>> = Mutex::new(None);
    Arc::new(move || {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = *known {
            return Ok(key);
        }
        let key = fetch(&folder)?;
        *known = Some(key);
        Ok(key)
    })
}

fn fetch(folder: &Path) -> Result<[u8; KEY_BYTES], String> {
    let path = folder.join("keys").join("connections.key");
    let entry = format!("key of connections in {}", folder.display());
    let read = |text: &str| {
        let key = Sealer::key_of(&Secret::new(text));
        key.ok_or_else(|| "the stored key of connections is not valid".to_owned())
    };
    match file::read_private(&path) {
        Ok(text) => return read(&text),
        Err(file::KeyFileError::Missing(_)) => {}
        Err(other) => return Err(other.to_string()),
    }
    match keyring::get(&entry) {
        Ok(Some(text)) => return read(&text),
        Ok(None) | Err(keyring::KeyringError::Absent(_)) => {}
        // The keyring may hold the key: a new one would lock the credentials out.
        Err(failure) => return Err(failure.to_string()),
    }
    let key = Sealer::generate_key();
    let text = Sealer::key_text(&key);
    if keyring::set(&entry, text.expose()).is_err() {
        file::write_private(&path, text.expose())?;
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_made_once_and_found_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("keys").join("connections.key");
        file::write_private(&path, Sealer::key_text(&[7; KEY_BYTES]).expose()).expect("written");
        let holder = key_provider(folder.path().to_owned());
        assert_eq!(holder(), Ok([7; KEY_BYTES]));
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(holder(), Ok([7; KEY_BYTES]), "it is asked for once");
        file::write_private(&path, "no key").expect("written");
        assert!(super::key_provider(folder.path().to_owned())().is_err());
    }
}
