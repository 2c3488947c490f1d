//! The desktop's keyring, if available. Each call has a thread and a time limit, since a keyring may ask its
//! owner for a password, or hang.

use thiserror::Error;

pub const UNLOCK_ADVICE: &str = "unlock it, or use key_env or key_file";

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyringError {
    #[error("no keyring: {0}")]
    Absent(&'static str),
    /// The owner has not unlocked the keyring, or it does not let this program in.
    #[error("the keyring is locked; {UNLOCK_ADVICE}")]
    Locked,
    #[error("the keyring failed: {0}")]
    Failed(String),
}

pub fn set(name: &str, text: &str) -> Result<(), KeyringError> {
    let (name, text) = (name.to_owned(), text.to_owned());
    service::within(service::PATIENCE, move |store| service::set(store, &name, &text))
}

pub fn get(name: &str) -> Result<Option<String>, KeyringError> {
    let name = name.to_owned();
    service::within(service::PATIENCE, move |store| service::get(store, &name))
}

/// Returns true if the entry existed.
pub fn delete(name: &str) -> Result<bool, KeyringError> {
    let name = name.to_owned();
    service::within(service::PATIENCE, move |store| service::delete(store, &name))
}

/// Checks that a keyring is available and unlocked, without a password prompt.
pub fn probe() -> Result<(), KeyringError> {
    service::within(service::PROBE, service::check_unlocked)
}

#[cfg(all(target_os = "linux", feature = "keyring"))]
mod service {
    use std::collections::HashMap;
    use std::sync::mpsc;
    use std::time::Duration;

    use secret_service::blocking::{Item, SecretService};
    use secret_service::{EncryptionType, Error};

    use crate::config::keys::keyring::KeyringError;

    /// Time limit for unlocking by the owner.
    pub const PATIENCE: Duration = Duration::from_secs(60);
    /// Time limit for the first answer.
    pub const PROBE: Duration = Duration::from_secs(3);
    const SERVICE_NAME: &str = "frontdesk";
    const CONTENT_TYPE: &str = "application/octet-stream";

    pub fn within<T: Send + 'static>(
        patience: Duration,
        work: impl FnOnce(&SecretService<'_>) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let (done, answer) = mpsc::sync_channel(1);
        let started = std::thread::Builder::new().name("keyring".to_owned()).spawn(move || {
            let worked = connect().and_then(|store| work(&store));
            // The caller may have stopped waiting.
            let _ = done.send(worked);
        });
        started.map_err(|error| KeyringError::Failed(error.to_string()))?;
        answer
            .recv_timeout(patience)
            .unwrap_or_else(|_| Err(KeyringError::Failed(format!("no answer in {} s", patience.as_secs()))))
    }

    /// The detailed error is only logged: over SSH and in containers there is no bus.
    fn connect() -> Result<SecretService<'static>, KeyringError> {
        SecretService::connect(EncryptionType::Dh).map_err(|error| {
            tracing::debug!(%error, "no keyring");
            KeyringError::Absent("there is no secret service on the session bus")
        })
    }

    /// Fails if the collection in which keys are stored is locked. One that does not exist yet is made when
    /// a key is stored.
    pub fn check_unlocked(store: &SecretService<'_>) -> Result<(), KeyringError> {
        match store.get_default_collection().and_then(|collection| collection.is_locked()) {
            Ok(true) => Err(KeyringError::Locked),
            Ok(false) | Err(_) => Ok(()),
        }
    }

    /// Attributes that identify an entry.
    fn attributes(name: &str) -> HashMap<&str, &str> {
        HashMap::from([("service", SERVICE_NAME), ("username", name)])
    }

    /// Unlocked entry of a name; its owner may be asked for a password.
    fn item<'a>(store: &'a SecretService<'a>, name: &str) -> Result<Option<Item<'a>>, KeyringError> {
        let found = store.search_items(attributes(name)).map_err(failed)?;
        let mut items = found.unlocked.into_iter().chain(found.locked);
        let Some(item) = items.next() else { return Ok(None) };
        if items.next().is_some() {
            return Err(KeyringError::Failed("it has more than one key of this name".to_owned()));
        }
        if item.is_locked().map_err(failed)? {
            item.unlock().map_err(failed)?;
        }
        Ok(Some(item))
    }

    pub fn set(store: &SecretService<'_>, name: &str, text: &str) -> Result<(), KeyringError> {
        if let Some(item) = item(store, name)? {
            return item.set_secret(text.as_bytes(), CONTENT_TYPE).map_err(failed);
        }
        let collection = store.get_default_collection().map_err(failed)?;
        if collection.is_locked().map_err(failed)? {
            collection.unlock().map_err(failed)?;
        }
        let label = format!("keyring:{name}@{SERVICE_NAME}");
        collection
            .create_item(&label, attributes(name), text.as_bytes(), true, CONTENT_TYPE)
            .map_err(failed)?;
        Ok(())
    }

    pub fn get(store: &SecretService<'_>, name: &str) -> Result<Option<String>, KeyringError> {
        let Some(item) = item(store, name)? else { return Ok(None) };
        let bytes = item.get_secret().map_err(failed)?;
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| KeyringError::Failed("its entry is not a key".to_owned()))
    }

    pub fn delete(store: &SecretService<'_>, name: &str) -> Result<bool, KeyringError> {
        let Some(item) = item(store, name)? else { return Ok(false) };
        item.delete().map_err(failed)?;
        Ok(true)
    }

    /// Maps an error to its kind only: it may contain secret data.
    fn failed(error: Error) -> KeyringError {
        let words = match error {
            Error::Locked | Error::Prompt => return KeyringError::Locked,
            Error::NoResult => "it cannot store new keys",
            _ => "it refused the request",
        };
        KeyringError::Failed(words.to_owned())
    }
}

#[cfg(not(all(target_os = "linux", feature = "keyring")))]
mod service {
    use std::time::Duration;

    use crate::config::keys::keyring::KeyringError;

    pub const PATIENCE: Duration = Duration::ZERO;
    pub const PROBE: Duration = Duration::ZERO;

    pub fn within<T>(
        _: Duration,
        work: impl FnOnce(&()) -> Result<T, KeyringError>,
    ) -> Result<T, KeyringError> {
        work(&())
    }

    const ABSENT: KeyringError = KeyringError::Absent("this build has none");

    pub fn check_unlocked(_: &()) -> Result<(), KeyringError> {
        Err(ABSENT)
    }

    pub fn set(_: &(), _: &str, _: &str) -> Result<(), KeyringError> {
        Err(ABSENT)
    }

    pub fn get(_: &(), _: &str) -> Result<Option<String>, KeyringError> {
        Err(ABSENT)
    }

    pub fn delete(_: &(), _: &str) -> Result<bool, KeyringError> {
        Err(ABSENT)
    }
}
