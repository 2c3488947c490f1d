//! Where a channel's key comes from, and where `channel add` keeps it: in the
//! desktop's keyring where one answers, else in a file only its owner reads.
//!
//! A kept key is bound to the server it was given for: with another base_url it
//! is not handed out.

use std::path::{Path, PathBuf};

use url::Url;

use crate::shell::children;
use model::secret::Secret;

pub mod connections;
mod file;
pub mod keyring;
#[cfg(test)]
mod tests;

/// Where a channel's key comes from; never from an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    Environment(String),
    /// The output of a command, such as a password manager's.
    Command(String),
    /// A file that only its owner can read.
    File(PathBuf),
    /// What `channel add` kept, with the configuration in this folder.
    Kept(PathBuf),
}

/// Where a key was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptIn {
    /// The desktop's keyring.
    Keyring,
    /// A file, because no keyring answers: why.
    File(PathBuf, String),
}

/// One channel's place for a key.
#[derive(Debug, Clone, Copy)]
pub struct KeyLocation<'a> {
    /// The folder of the configuration.
    pub folder: &'a Path,
    pub channel: &'a str,
    /// Where the key may be sent.
    pub base_url: &'a str,
}

impl KeySource {
    /// Fetches a key from where it is.
    ///
    /// # Errors
    /// In words: it is not there, lies where others can read it, or was given
    /// for another server.
    pub fn fetch(&self, channel: &str, base_url: &str) -> Result<Secret, String> {
        let text = match self {
            Self::Environment(variable) => std::env::var(variable)
                .map_err(|_| format!("the environment variable {variable} is not set"))?,
            Self::Command(command) => run(command)?,
            Self::File(path) => file::read_private(path).map_err(|error| format!("key_file {error}"))?,
            Self::Kept(folder) => KeyLocation { folder, channel, base_url }.read()?,
        };
        let key = Secret::new(&text);
        if key.expose().is_empty() {
            return Err("the key is empty".to_owned());
        }
        Ok(key)
    }

    /// The first that a table names, and whether it names more. No program this
    /// desk starts is given any of them.
    pub(crate) fn first_of(named: impl IntoIterator<Item = Option<Self>>) -> (Option<Self>, bool) {
        let named: Vec<Self> = named.into_iter().flatten().collect();
        children::withhold(named.iter().filter_map(Self::variable));
        let is_one_of_many = named.len() > 1;
        (named.into_iter().next(), is_one_of_many)
    }

    /// The environment variable it is in, if it is in one.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Self::Environment(variable) => Some(variable),
            Self::Command(_) | Self::File(_) | Self::Kept(_) => None,
        }
    }

    /// Where it is, for a person.
    pub fn words(&self) -> String {
        match self {
            Self::Environment(variable) => format!("environment variable {variable}"),
            Self::Command(_) => "key_command".to_owned(),
            Self::File(path) => format!("file {}", path.display()),
            Self::Kept(_) => "kept by channel add".to_owned(),
        }
    }
}

impl KeyLocation<'_> {
    /// Keeps a key, in place of the one kept before.
    pub fn keep(&self, key: &Secret) -> Result<KeptIn, String> {
        let text = format!("{}\n{}\n", origin(self.base_url)?, key.expose());
        let path = self.file();
        match keyring::set(&self.entry(), &text) {
            Ok(()) => {
                // One kept before in a file would be found first.
                file::remove(&path)?;
                Ok(KeptIn::Keyring)
            }
            Err(why) => {
                file::write_private(&path, &text)?;
                Ok(KeptIn::File(path, why.to_string()))
            }
        }
    }

    /// Removes what is kept; tells whether anything was.
    pub fn forget(&self) -> Result<bool, String> {
        let from_file = file::remove(&self.file())?;
        match keyring::delete(&self.entry()) {
            Ok(found) => Ok(found || from_file),
            // No keyring, so nothing is in it.
            Err(keyring::KeyringError::Absent(_)) => Ok(from_file),
            Err(failure) => Err(failure.to_string()),
        }
    }

    fn read(&self) -> Result<String, String> {
        let again = format!("run: frontdesk channel add --name {:?}", self.channel);
        let kept = match file::read_private(&self.file()) {
            Ok(text) => text,
            Err(file::KeyFileError::Missing(_)) => match keyring::get(&self.entry()) {
                Ok(Some(text)) => text,
                Ok(None) => return Err(format!("no key is kept for it; {again}")),
                Err(keyring::KeyringError::Absent(_)) => {
                    return Err(format!("no key is kept for it in a file, and no keyring answers; {again}"));
                }
                Err(failure) => return Err(failure.to_string()),
            },
            Err(other) => return Err(other.to_string()),
        };
        // Whatever else stands there may be a key, and is not repeated.
        let parts = kept.split_once('\n').filter(|pair| pair.0.starts_with("http"));
        let (given_for, key) =
            parts.ok_or_else(|| format!("what is kept for it does not name a server; {again}"))?;
        let wanted = origin(self.base_url)?;
        if given_for != wanted {
            return Err(format!("its key was given for {given_for}, not for {wanted}; {again}"));
        }
        Ok(key.to_owned())
    }

    fn entry(&self) -> String {
        format!("{} in {}", self.channel.to_lowercase(), self.folder.display())
    }

    fn file(&self) -> PathBuf {
        self.folder.join("keys").join(file_name(self.channel))
    }
}

/// The server a key may be sent to.
fn origin(base_url: &str) -> Result<String, String> {
    let url = Url::parse(base_url.trim()).map_err(|error| format!("base_url {base_url:?}: {error}"))?;
    Ok(url.origin().ascii_serialization())
}

/// A file name any system takes, different for different names.
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

fn run(command: &str) -> Result<String, String> {
    let output = children::command("sh").arg("-c").arg(command).output();
    let output = output.map_err(|error| format!("key_command could not be run: {error}"))?;
    if !output.status.success() {
        return Err(format!("key_command failed ({}); run it by hand to see why", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| "key_command printed something that is not text".to_owned())
}
