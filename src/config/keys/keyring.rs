//! The desktop's keyring, where one answers. Each call has a thread and a
//! bound of its own: a keyring may ask its owner for a password, or hang.

use thiserror::Error;

/// Why the keyring did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyringError {
    /// None answers.
    #[error("no keyring answers: {0}")]
    Absent(&'static str),
    /// It answers, and refuses or fails.
    #[error("the keyring failed: {0}")]
    Failed(String),
}

/// Keeps a text under a name.
///
/// # Errors
/// When no keyring takes it.
pub fn set(name: &str, text: &str) -> Result<(), KeyringError> {
    let (name, text) = (name.to_owned(), text.to_owned());
    service::within(service::PATIENCE, move |store| service::set(store, &name, &text))
}

/// The text kept under a name.
///
/// # Errors
/// When no keyring answers.
pub fn get(name: &str) -> Result<Option<String>, KeyringError> {
    let name = name.to_owned();
    service::within(service::PATIENCE, move |store| service::get(store, &name))
}

/// Removes what is kept under a name; tells whether anything was.
///
/// # Errors
/// When no keyring answers.
pub fn delete(name: &str) -> Result<bool, KeyringError> {
    let name = name.to_owned();
    service::within(service::PATIENCE, move |store| service::delete(store, &name))
}

/// Whether one answers; asks no one for a password.
///
/// # Errors
/// When none does.
pub fn probe() -> Result<(), KeyringError> {
    service::within(service::PROBE, |_| Ok(()))
}

#[cfg(all(target_os = "linux", feature = "keyring"))]
mod service {
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use keyring_core::api::CredentialStoreApi;
    use keyring_core::{Entry, Error};

    use crate::config::keys::keyring::KeyringError;

    /// How long the owner may take to unlock it.
    pub const PATIENCE: Duration = Duration::from_secs(60);
    /// How long it may take to answer at all.
    pub const PROBE: Duration = Duration::from_secs(3);
    /// What its entries stand under.
    const SERVICE: &str = "frontdesk";

    type Store = dyn CredentialStoreApi + Send + Sync;

    pub fn within<T: Send + 'static>(
        patience: Duration,
        work: impl FnOnce(&Store) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let (done, answer) = mpsc::sync_channel(1);
        let started = std::thread::Builder::new().name("keyring".to_owned()).spawn(move || {
            let worked = connect().and_then(|store| work(store.as_ref()));
            // Whoever asked may have given up.
            let _ = done.send(worked);
        });
        started.map_err(|error| KeyringError::Failed(error.to_string()))?;
        answer
            .recv_timeout(patience)
            .unwrap_or_else(|_| Err(KeyringError::Failed(format!("no answer in {} s", patience.as_secs()))))
    }

    /// What went wrong on the way is long and helps no one: there is no bus
    /// over SSH and in containers.
    fn connect() -> Result<Arc<Store>, KeyringError> {
        match zbus_secret_service_keyring_store::Store::new() {
            Ok(store) => Ok(store),
            Err(error) => {
                tracing::debug!(%error, "no keyring");
                Err(KeyringError::Absent("there is no secret service on the session bus"))
            }
        }
    }

    fn entry(store: &Store, name: &str) -> Result<Entry, KeyringError> {
        store.build(SERVICE, name, None).map_err(failed)
    }

    pub fn set(store: &Store, name: &str, text: &str) -> Result<(), KeyringError> {
        entry(store, name)?.set_password(text).map_err(failed)
    }

    pub fn get(store: &Store, name: &str) -> Result<Option<String>, KeyringError> {
        match entry(store, name)?.get_password() {
            Ok(text) => Ok(Some(text)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    pub fn delete(store: &Store, name: &str) -> Result<bool, KeyringError> {
        match entry(store, name)?.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// The kind of failure only: errors may carry what was read.
    fn failed(error: Error) -> KeyringError {
        let words = match error {
            Error::NoStorageAccess(_) => "it is locked or does not let this program in",
            Error::Ambiguous(_) => "it holds more than one key of this name",
            Error::BadEncoding(_) | Error::BadDataFormat(..) => "what it holds is not a key",
            _ => "it did not do what it was asked",
        };
        KeyringError::Failed(words.to_owned())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_keyring_keeps_hands_out_and_forgets() {
            let store = keyring_core::mock::Store::new().expect("a store");
            assert_eq!(get(store.as_ref(), "a"), Ok(None));
            set(store.as_ref(), "a", "one").expect("kept");
            assert_eq!(delete(store.as_ref(), "b"), Ok(false));
        }
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
