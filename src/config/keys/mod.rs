//! Sources of channel keys, and their storage by `channel add`: the desktop's keyring if available, else a
//! file readable by its owner only.
//!
//! A kept key is bound to its server: it is not used with another base_url.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;
use url::Url;

use crate::shell::children;
use model::account::Environment;
use model::secret::Secret;

pub mod connections;
mod file;
pub mod keyring;
pub mod session;
#[cfg(test)]
mod tests;

const KEY_COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// Source of a channel's key; never a command line argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    Environment(String),
    /// Output of a command, such as a password manager.
    Command(String),
    /// File readable by its owner only.
    File(PathBuf),
    /// Kept by `channel add` for the configuration in this folder.
    Kept(PathBuf),
}

/// Failure to fetch a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text}")]
pub struct KeyError {
    text: String,
    /// True if the text ends with what to do.
    pub has_remedy: bool,
}

impl KeyError {
    /// Creates an error whose text ends with what to do.
    pub(crate) fn advised(text: impl Into<String>) -> Self {
        Self { text: text.into(), has_remedy: true }
    }

    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), has_remedy: false }
    }
}

impl From<file::KeyFileError> for KeyError {
    fn from(error: file::KeyFileError) -> Self {
        Self { text: error.to_string(), has_remedy: error.has_remedy() }
    }
}

impl From<keyring::KeyringError> for KeyError {
    fn from(error: keyring::KeyringError) -> Self {
        let has_remedy = error == keyring::KeyringError::Locked;
        Self { text: error.to_string(), has_remedy }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyStorage {
    Keyring,
    /// File, with the reason the keyring was not used.
    File(PathBuf, String),
}

#[derive(Debug, Clone, Copy)]
pub struct KeyLocation<'a> {
    /// Configuration folder.
    pub folder: &'a Path,
    pub channel: &'a str,
    /// Server the key may be sent to.
    pub base_url: &'a str,
}

impl KeySource {
    /// Fetches a key from its source.
    ///
    /// # Errors
    /// When the key is missing, readable by others, or bound to another server.
    pub fn fetch(&self, channel: &str, base_url: &str) -> Result<Secret, KeyError> {
        let text = match self {
            Self::Environment(variable) => std::env::var(variable).map_err(|_| {
                KeyError::advised(format!(
                    "the environment variable {variable} is not set; set it, or change key_env in config.toml"
                ))
            })?,
            Self::Command(command) => run(command)?,
            Self::File(path) => file::read_private(path).map_err(|error| {
                let error = KeyError::from(error);
                KeyError { text: format!("key_file {error}"), ..error }
            })?,
            Self::Kept(folder) => KeyLocation { folder, channel, base_url }.read()?,
        };
        let key = Secret::new(&text);
        if key.expose().is_empty() {
            return Err(KeyError::plain("the key is empty"));
        }
        Ok(key)
    }

    /// First source named, and true if there are more. Withholds their environment variables from child
    /// processes.
    pub(crate) fn first_source(named: impl IntoIterator<Item = Option<Self>>) -> (Option<Self>, bool) {
        let named: Vec<Self> = named.into_iter().flatten().collect();
        children::withhold(named.iter().filter_map(Self::variable));
        let is_one_of_many = named.len() > 1;
        (named.into_iter().next(), is_one_of_many)
    }

    /// Environment variable of the key, if used.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Self::Environment(variable) => Some(variable),
            Self::Command(_) | Self::File(_) | Self::Kept(_) => None,
        }
    }

    /// Advice for a key that the server refuses, or that is for another tab.
    pub fn describe_replacement(&self, channel: &str) -> String {
        match self {
            Self::Environment(variable) => format!("put another key into the variable {variable}"),
            Self::Command(_) => "let key_command print another key".to_owned(),
            Self::File(path) => format!("put another key into the file {}", path.display()),
            Self::Kept(_) => format!("run: frontdesk channel add --name {channel:?}"),
        }
    }

    pub fn describe(&self) -> String {
        match self {
            Self::Environment(variable) => format!("environment variable {variable}"),
            Self::Command(_) => "key_command".to_owned(),
            Self::File(path) => format!("file {}", path.display()),
            Self::Kept(_) => "stored by `channel add`".to_owned(),
        }
    }
}

pub const KEY_CREATION_ADVICE: &str = "on your own service, `frontdesk admin key create` makes a key";

/// Refuses a text that is no channel key, before it is sent to a server.
pub fn check_key_form(key: &Secret) -> Result<(), String> {
    match Environment::from_key(key.expose()) {
        Some(_) => Ok(()),
        None => Err("this is not a channel key: a key begins with svc_live_ or svc_test_".to_owned()),
    }
}

impl KeyLocation<'_> {
    /// Stores a key, replacing an earlier one.
    pub fn store(&self, key: &Secret) -> Result<KeyStorage, String> {
        self.entry().store(self.base_url, key)
    }

    /// Returns true if there was one.
    pub fn forget(&self) -> Result<bool, String> {
        self.entry().forget()
    }

    fn read(&self) -> Result<String, KeyError> {
        self.entry().read(self.base_url, &format!("run: frontdesk channel add --name {:?}", self.channel))
    }

    fn entry(&self) -> StoredSecret {
        StoredSecret {
            entry: format!("{} in {}", self.channel.to_lowercase(), self.folder.display()),
            path: self.folder.join("keys").join(file_name(self.channel)),
        }
    }
}

/// Place of a secret in the keyring and, without one, in a file.
struct StoredSecret {
    entry: String,
    path: PathBuf,
}

impl StoredSecret {
    fn store(&self, base_url: &str, secret: &Secret) -> Result<KeyStorage, String> {
        let text = format!("{}\n{}\n", origin(base_url)?, secret.expose());
        match keyring::set(&self.entry, &text) {
            Ok(()) => {
                // An earlier one in a file would take precedence.
                file::remove(&self.path)?;
                Ok(KeyStorage::Keyring)
            }
            Err(why) => {
                file::write_private(&self.path, &text)?;
                Ok(KeyStorage::File(self.path.clone(), why.to_string()))
            }
        }
    }

    /// Returns true if there was one.
    fn forget(&self) -> Result<bool, String> {
        let from_file = file::remove(&self.path)?;
        match keyring::delete(&self.entry) {
            Ok(found) => Ok(found || from_file),
            // Without a keyring there is no entry.
            Err(keyring::KeyringError::Absent(_)) => Ok(from_file),
            Err(failure) => Err(failure.to_string()),
        }
    }

    /// Reads the secret for a server; `again` says how to store one.
    fn read(&self, base_url: &str, again: &str) -> Result<String, KeyError> {
        let advised = |problem: &str| KeyError::advised(format!("{problem}; {again}"));
        let kept = match file::read_private(&self.path) {
            Ok(text) => text,
            Err(file::KeyFileError::Missing(_)) => match keyring::get(&self.entry) {
                Ok(Some(text)) => text,
                Ok(None) => return Err(advised("no key is stored")),
                Err(keyring::KeyringError::Absent(_)) => {
                    return Err(advised("no key is stored in a file, and there is no keyring"));
                }
                Err(failure) => return Err(failure.into()),
            },
            Err(other) => return Err(other.into()),
        };
        // Any other text may be a key and is not repeated in the error.
        let parts = kept.split_once('\n').filter(|pair| pair.0.starts_with("http"));
        let (given_for, key) = parts.ok_or_else(|| advised("the stored key is not bound to a server"))?;
        let wanted = origin(base_url).map_err(KeyError::plain)?;
        if given_for != wanted {
            return Err(advised(&format!("the stored key is for {given_for}, not for {wanted}")));
        }
        Ok(key.to_owned())
    }
}

fn origin(base_url: &str) -> Result<String, String> {
    let url = Url::parse(base_url.trim()).map_err(|error| format!("base_url {base_url:?}: {error}"))?;
    Ok(url.origin().ascii_serialization())
}

/// File name valid on every system and distinct for distinct names.
fn file_name(channel: &str) -> String {
    use sha2::{Digest, Sha256};
    let plain: String = channel
        .to_lowercase()
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character } else { '-' })
        .take(32)
        .collect();
    let digest = Sha256::digest(channel.to_lowercase().as_bytes());
    let mark: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{plain}-{mark}.key")
}

fn run(command: &str) -> Result<String, KeyError> {
    let output = children::output_within(children::command("sh").arg("-c").arg(command), KEY_COMMAND_TIMEOUT);
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => KeyError::advised(format!(
            "key_command did not end within {} s; run it by hand to see what it waits for",
            KEY_COMMAND_TIMEOUT.as_secs()
        )),
        _ => KeyError::plain(format!("could not run key_command: {error}")),
    })?;
    if !output.status.success() {
        let status = output.status;
        return Err(KeyError::advised(format!("key_command failed ({status}); run it by hand to see why")));
    }
    let text = String::from_utf8(output.stdout);
    text.map_err(|_| KeyError::plain("the output of key_command is not UTF-8 text"))
}
