//! Choose: the configuration file, read into what the desk needs.
//!
//! Every mistake is a sentence that says where, what and what to do. Knows
//! nothing of what the settings do.

use std::path::{Path, PathBuf};
use std::process::Command;

use thiserror::Error;
use toml::de::{DeTable, DeValue};

use crate::app::settings::PauseOnReply;
use crate::model::ids::ChannelId;
use crate::model::secret::Secret;

mod nearest;
mod reading;
#[cfg(test)]
mod tests;

use reading::{Place, Section};

/// The whole configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The tabs, in order.
    pub channels: Vec<ChannelConfig>,
    /// What sending does while the AI is on.
    pub pause_on_reply: PauseOnReply,
    /// Seconds a chat message or a close is held.
    pub undo_chat_seconds: i64,
    /// Seconds between polls of the visible tab.
    pub visible_seconds: i64,
    /// Seconds between polls of the other tabs.
    pub background_seconds: i64,
    /// Only ASCII for borders and marks.
    pub ascii: bool,
}

/// One tab.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelConfig {
    /// Its name, unique.
    pub name: String,
    /// Where the service is.
    pub base_url: String,
    /// Where the key is.
    pub key: KeySource,
    /// Whether nothing may be changed from here.
    pub read_only: bool,
}

/// Where a channel's key comes from; never from an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// An environment variable.
    Environment(String),
    /// The output of a command, such as a password manager's.
    Command(String),
    /// A file that only its owner can read.
    File(PathBuf),
}

/// What is wrong with a configuration.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{place}: {problem}")]
pub struct ConfigError {
    /// File and line.
    pub place: String,
    /// What is wrong and what to do.
    pub problem: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            channels: Vec::new(),
            pause_on_reply: PauseOnReply::Ask,
            undo_chat_seconds: 5,
            visible_seconds: 3,
            background_seconds: 10,
            ascii: false,
        }
    }
}

impl Config {
    /// Reads a file; one that is not there is an empty configuration.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(ConfigError { place: path.display().to_string(), problem: error.to_string() });
            }
        };
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a text; `name` stands for the file in errors.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let place = Place { name, text };
        let table = DeTable::parse(text).map_err(|it| {
            let at = it.span().map_or(0, |span| span.start);
            place.error(at, it.message())
        })?;
        let mut config = Self::default();
        let root = Section::new(place, "", table.get_ref());
        root.only(&["channel", "behaviour", "polling", "ui"])?;
        for channel in root.tables("channel")? {
            config.channels.push(read_channel(&channel, &config.channels)?);
        }
        if let Some(behaviour) = root.table("behaviour")? {
            read_behaviour(&behaviour, &mut config)?;
        }
        if let Some(polling) = root.table("polling")? {
            polling.only(&["visible_seconds", "background_seconds"])?;
            let visible = polling.integer("visible_seconds", 1..=3600)?;
            config.visible_seconds = visible.unwrap_or(config.visible_seconds);
            let background = polling.integer("background_seconds", 1..=3600)?;
            config.background_seconds = background.unwrap_or(config.background_seconds);
        }
        if let Some(ui) = root.table("ui")? {
            ui.only(&["theme", "ascii"])?;
            ui.word("theme", &["terminal"])?;
            config.ascii = ui.boolean("ascii")?.unwrap_or(false);
        }
        Ok(config)
    }
}

fn read_channel(section: &Section<'_>, before: &[ChannelConfig]) -> Result<ChannelConfig, ConfigError> {
    section.only(&["name", "base_url", "key_env", "key_command", "key_file", "read_only"])?;
    let name = section.required("name")?;
    if before.iter().any(|it| it.name == name) {
        return Err(section.error("name", &format!("two channels are called {name:?}; names must differ")));
    }
    let sources = [
        section.string("key_env")?.map(KeySource::Environment),
        section.string("key_command")?.map(KeySource::Command),
        section.string("key_file")?.map(|it| KeySource::File(PathBuf::from(it))),
    ];
    let mut sources = sources.into_iter().flatten();
    let key = sources.next().ok_or_else(|| {
        section.error("name", &format!("channel {name:?} has no key: add key_env, key_command or key_file"))
    })?;
    if sources.next().is_some() {
        let problem =
            format!("channel {name:?} has more than one of key_env, key_command, key_file; keep one");
        return Err(section.error("name", &problem));
    }
    Ok(ChannelConfig {
        base_url: section.required("base_url")?,
        read_only: section.boolean("read_only")?.unwrap_or(false),
        key,
        name,
    })
}

fn read_behaviour(section: &Section<'_>, config: &mut Config) -> Result<(), ConfigError> {
    section.only(&["pause_on_reply", "undo_seconds"])?;
    config.pause_on_reply = match section.word("pause_on_reply", &["ask", "always", "never"])?.as_deref() {
        Some("always") => PauseOnReply::Always,
        Some("never") => PauseOnReply::Never,
        _ => PauseOnReply::Ask,
    };
    if let Some(undo) = section.table("undo_seconds")? {
        undo.only(&["chat", "email", "broadcast"])?;
        for name in ["email", "broadcast"] {
            undo.integer(name, 0..=3600)?;
        }
        config.undo_chat_seconds = undo.integer("chat", 0..=3600)?.unwrap_or(config.undo_chat_seconds);
    }
    Ok(())
}

impl ChannelConfig {
    /// The tab's id: made from its name, so that drafts outlive a new key.
    pub fn id(&self) -> ChannelId {
        ChannelId::new(self.name.to_lowercase())
    }

    /// Fetches the key from where it is.
    ///
    /// # Errors
    /// When it is not there, or lies where others can read it.
    pub fn fetch_key(&self) -> Result<Secret, ConfigError> {
        let fail = |problem: String| ConfigError { place: format!("channel {:?}", self.name), problem };
        let text = match &self.key {
            KeySource::Environment(variable) => std::env::var(variable)
                .map_err(|_| fail(format!("the environment variable {variable} is not set")))?,
            KeySource::Command(command) => run(command).map_err(fail)?,
            KeySource::File(path) => read_private(path).map_err(fail)?,
        };
        let key = Secret::new(&text);
        if key.expose().is_empty() {
            return Err(fail("the key is empty".to_owned()));
        }
        Ok(key)
    }
}

fn run(command: &str) -> Result<String, String> {
    let output = Command::new("sh").arg("-c").arg(command).output();
    let output = output.map_err(|it| format!("key_command could not be run: {it}"))?;
    if !output.status.success() {
        return Err(format!("key_command failed ({}); run it by hand to see why", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| "key_command printed something that is not text".to_owned())
}

#[cfg(unix)]
fn read_private(path: &Path) -> Result<String, String> {
    use std::os::unix::fs::PermissionsExt;
    let shown = path.display();
    let metadata = std::fs::metadata(path).map_err(|it| format!("key_file {shown}: {it}"))?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(format!("key_file {shown} can be read by others; run: chmod 600 {shown}"));
    }
    std::fs::read_to_string(path).map_err(|it| format!("key_file {shown}: {it}"))
}

#[cfg(not(unix))]
fn read_private(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|it| format!("key_file {}: {it}", path.display()))
}

/// The value's kind, as people call it.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text in quotes",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
