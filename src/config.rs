//! Reads the configuration file `config.toml`.
//!
//! Every mistake is one sentence with its place, the problem and the remedy. The effect of the settings is
//! defined elsewhere.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::de::{DeTable, DeValue};

use crate::config::screen::ScreenConfig;
use crate::shell::notify::Notifier;
use inbox::features::macros::Macro;
use inbox::keymap::KeyMap;
use inbox::screens::conversations::saved_views::{SavedView, built_in_views};
use inbox::settings::{NoticeSettings, PauseOnReply};
use inbox::theme_table_view::ThemeName;
use model::email::compose::MailStyle;
use model::ids::ChannelId;
use model::pictures::Graphics;
use model::secret::Secret;

mod assist;
mod behaviour;
mod bindings;
pub mod edit;
pub mod keys;
mod macros;
mod mail;
pub mod membership;
mod notify;
mod reading;
mod receiver;
pub mod schema;
pub mod screen;
mod service;
pub mod settings;
mod targets;
#[cfg(test)]
mod tests;
mod views;

pub use self::assist::AssistConfig;
pub use self::service::{AssistantConfig, ServiceConfig};
pub use keys::KeySource;
use reading::{ConfigText, Section};
pub use receiver::ReceiverConfig;
pub use targets::TargetMinutes;

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Tabs, in order.
    pub channels: Vec<ChannelConfig>,
    /// Effect of sending while the AI is on.
    pub pause_on_reply: PauseOnReply,
    /// Undo time of a chat message or a close, in seconds.
    pub undo_chat_seconds: i64,
    pub undo_email_seconds: i64,
    /// Delay before the first wave of a broadcast, in seconds.
    pub undo_broadcast_seconds: i64,
    /// Name of the person, for canned replies, claims and pauses.
    pub agent: Option<String>,
    /// Folder of canned replies; beside the file if `None`.
    pub replies: Option<PathBuf>,
    /// Poll interval of the visible tab, in seconds.
    pub visible_seconds: i64,
    /// Poll interval of the other tabs, in seconds.
    pub background_seconds: i64,
    pub theme: ThemeName,
    /// ASCII only for borders and marks; `None` leaves it to the locale.
    pub ascii: Option<bool>,
    /// Hours after which a pause of the AI asks for renewal; 0 for never.
    pub pause_lease_hours: i64,
    pub brief_on_pause: bool,
    /// True shows a preview of the first link in texts, false none; `None` leaves it to the channel.
    pub link_preview: Option<bool>,
    /// One in this many AI answers is drawn for review.
    pub review_one_in: u32,
    /// Response targets of all channels.
    pub targets: TargetMinutes,
    pub screen: ScreenConfig,
    pub noticing: NoticeSettings,
    pub notifier: Notifier,
    /// Command that records a voice note; empty if there is none.
    pub record_command: Vec<String>,
    /// Command for copies; empty uses tmux or the terminal.
    pub copy_command: Vec<String>,
    /// Saved views, built-in ones first.
    pub views: Vec<SavedView>,
    /// Graphics protocol; `None` detects it from the terminal's name.
    pub graphics: Option<Graphics>,
    pub keymap: KeyMap,
    pub senders: Vec<(String, String)>,
    /// Macros, editable only in the file.
    pub macros: Vec<Macro>,
    pub assist: Option<AssistConfig>,
    pub receiver: Option<ReceiverConfig>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChannelConfig {
    /// Unique name.
    pub name: String,
    pub base_url: String,
    pub key: KeySource,
    pub read_only: bool,
    /// True if pictures are fetched automatically.
    pub pictures: bool,
    /// True if the AI stays paused and drafts are prepared instead.
    pub draft_only: bool,
    pub mail: MailStyle,
    /// Response targets that differ from those of all channels.
    pub targets: TargetMinutes,
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("{place}: {problem}")]
pub struct ConfigError {
    /// File and line, or channel.
    pub place: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    pub problem: String,
}

impl ConfigError {
    fn on_line(file: &str, line: usize, problem: &str) -> Self {
        Self { place: format!("{file}, line {line}"), line: Some(line), problem: problem.to_owned() }
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("{}", describe_mistakes(.0))]
pub struct ConfigErrors(pub Vec<ConfigError>);

/// A single mistake on its line, or their number and a list.
fn describe_mistakes(mistakes: &[ConfigError]) -> String {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    match lines.as_slice() {
        [one] => one.clone(),
        all => format!("the configuration has {} errors:\n  {}", all.len(), all.join("\n  ")),
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            channels: Vec::new(),
            pause_on_reply: PauseOnReply::Ask,
            undo_chat_seconds: 5,
            undo_email_seconds: 10,
            undo_broadcast_seconds: 15,
            agent: None,
            replies: None,
            visible_seconds: 3,
            background_seconds: 10,
            theme: ThemeName::default(),
            ascii: None,
            pause_lease_hours: 4,
            brief_on_pause: true,
            link_preview: None,
            review_one_in: model::reviews::DEFAULT_SAMPLE_RATE,
            targets: TargetMinutes::NONE,
            screen: ScreenConfig::default(),
            noticing: NoticeSettings::default(),
            notifier: Notifier::default(),
            record_command: Vec::new(),
            copy_command: Vec::new(),
            views: built_in_views(),
            graphics: None,
            keymap: KeyMap::default(),
            senders: Vec::new(),
            macros: Vec::new(),
            assist: None,
            receiver: None,
        }
    }
}

impl Config {
    /// Reads a file; a missing one gives the defaults.
    pub fn read(path: &Path) -> Result<Self, ConfigErrors> {
        let text = match read_text(path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Self::default()),
            Err(error) => return Err(ConfigErrors(vec![error])),
        };
        let mut config = Self::parse(&path.display().to_string(), &text)?;
        let joined = path.parent().and_then(|folder| membership::read(folder).ok().flatten());
        if let Some(joined) = joined {
            // Claims are made under the name that the team knows.
            config.agent = Some(joined.person);
        }
        Ok(config)
    }

    /// Reads a file despite mistakes; an unreadable one gives the defaults.
    pub fn examine_file(path: &Path) -> Self {
        let text = disk::read_text(path).unwrap_or_default();
        Self::examine(&path.display().to_string(), &text).0
    }

    /// Parses a text; `name` is its file, for errors and to locate kept keys.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigErrors> {
        let (config, mistakes) = Self::examine(name, text);
        if mistakes.is_empty() { Ok(config) } else { Err(ConfigErrors(mistakes)) }
    }

    /// Parses a text and collects every mistake; a mistaken value counts as absent.
    pub fn examine(name: &str, text: &str) -> (Self, Vec<ConfigError>) {
        let mut config = Self::default();
        let place = ConfigText { name, text };
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                return (config, vec![place.error(at, error.message())]);
            }
        };
        let mut mistakes = Mistakes::default();
        let root = Section::new(place, "", table.get_ref());
        mistakes.all(root.unknown());
        let folder = Path::new(name).parent().unwrap_or(Path::new(""));
        for channel in mistakes.collect(root.tables("channel")).unwrap_or_default() {
            let read = read_channel(&channel, folder, &config.channels, &mut mistakes);
            config.channels.extend(read);
        }
        if let Some(behaviour) = mistakes.collect(root.table("behaviour")).flatten() {
            behaviour::read(&behaviour, &mut config, &mut mistakes);
        }
        if let Some(writing) = mistakes.collect(root.table("writing")).flatten() {
            mistakes.all(writing.unknown());
            config.agent = mistakes.value(writing.string("agent"));
            config.replies =
                mistakes.value(writing.string("replies")).map(|text| resolve_path(folder, &text));
        }
        if let Some(polling) = mistakes.collect(root.table("polling")).flatten() {
            mistakes.all(polling.unknown());
            let mut seconds = |key, before| mistakes.value(polling.integer(key)).unwrap_or(before);
            config.visible_seconds = seconds("visible_seconds", config.visible_seconds);
            config.background_seconds = seconds("background_seconds", config.background_seconds);
        }
        if let Some(ui) = mistakes.collect(root.table("ui")).flatten() {
            mistakes.all(ui.unknown());
            let word = mistakes.value(ui.word("pictures"));
            config.graphics = word.and_then(|word| Graphics::from_word(&word));
            let word = mistakes.value(ui.word("theme"));
            config.theme = word.and_then(|word| ThemeName::from_word(&word)).unwrap_or_default();
            config.ascii = mistakes.value(ui.boolean("ascii"));
            config.screen = screen::read(&ui, &mut mistakes);
            config.copy_command = mistakes.value(ui.strings("copy_command")).unwrap_or_default();
        }
        if let Some(section) = mistakes.collect(root.table("targets")).flatten() {
            mistakes.all(section.unknown());
            config.targets = targets::read(&section, &mut mistakes).or(TargetMinutes::NONE);
        }
        if let Some(section) = mistakes.collect(root.table("notify")).flatten() {
            (config.noticing, config.notifier) = notify::read(&section, &mut mistakes);
        }
        if let Some(section) = mistakes.collect(root.table("voice")).flatten() {
            mistakes.all(section.unknown());
            config.record_command = mistakes.value(section.strings("record")).unwrap_or_default();
        }
        for section in mistakes.collect(root.tables("views")).unwrap_or_default() {
            let read = views::read(&section, &config.views, &mut mistakes);
            config.views.extend(read);
        }
        if let Some(section) = mistakes.collect(root.table("keys")).flatten() {
            config.keymap = bindings::read(&section, &mut mistakes);
        }
        if let Some(section) = mistakes.collect(root.table("senders")).flatten() {
            for word in section.names() {
                let name = mistakes.collect(section.required(word));
                config.senders.extend(name.map(|name| (word.to_owned(), name)));
            }
        }
        if let Some(section) = mistakes.collect(root.table("assist")).flatten() {
            config.assist = assist::read(&section, &mut mistakes);
        }
        if let Some(section) = mistakes.collect(root.table("receiver")).flatten() {
            config.receiver = receiver::read(&section, &mut mistakes);
        }
        for section in mistakes.collect(root.tables("macros")).unwrap_or_default() {
            let read = macros::read(&section, &config.macros, &config.keymap, &mut mistakes);
            config.macros.extend(read);
        }
        mistakes.0.sort_by_key(|mistake| mistake.line);
        (config, mistakes.0)
    }
}

/// Returns `None` if the file does not exist.
pub fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let name = path.display().to_string();
    let text = match disk::read_bytes(path) {
        Ok(bytes) => String::from_utf8(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let denial = disk::find_denial(path, disk::NeededAccess::Read);
            let problem = denial.map_or_else(
                || error.to_string(),
                |denial| format!("could not be read: {denial}; {}", denial.remedy()),
            );
            return Err(ConfigError { place: name, line: None, problem });
        }
    };
    text.map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        ConfigError::on_line(&name, line, "this line is not UTF-8 text; save the file as UTF-8")
    })
}

#[derive(Debug, Default)]
struct Mistakes(Vec<ConfigError>);

impl Mistakes {
    fn all(&mut self, mistakes: Vec<ConfigError>) {
        self.0.extend(mistakes);
    }

    fn collect<T>(&mut self, read: Result<T, ConfigError>) -> Option<T> {
        read.map_err(|mistake| self.0.push(mistake)).ok()
    }

    /// Returns the value, or records the mistake.
    fn value<T>(&mut self, read: Result<Option<T>, ConfigError>) -> Option<T> {
        self.collect(read).flatten()
    }
}

fn read_channel(
    section: &Section<'_>,
    folder: &Path,
    before: &[ChannelConfig],
    mistakes: &mut Mistakes,
) -> Option<ChannelConfig> {
    mistakes.all(section.unknown());
    let name = mistakes.collect(section.required("name"));
    let base_url =
        mistakes.collect(section.required("base_url").and_then(|url| match client::check_usable(&url) {
            Ok(()) => Ok(url),
            Err(why) => Err(section.error("base_url", &why.to_string())),
        }));
    let sources = [
        mistakes.value(section.string("key_env")).map(KeySource::Environment),
        mistakes.value(section.string("key_command")).map(KeySource::Command),
        mistakes.value(section.string("key_file")).map(|text| KeySource::File(resolve_path(folder, &text))),
    ];
    let mut flag = |key: &str| mistakes.value(section.boolean(key)).unwrap_or(false);
    let [read_only, pictures, draft_only] = ["read_only", "pictures", "draft_only"].map(&mut flag);
    let uid = mistakes.value(section.integer("service_uid"));
    let mail = mail::read(section, mistakes);
    let targets = targets::read(section, mistakes);
    let (name, base_url) = (name?, base_url?);
    if let Some(uid) = uid.and_then(|uid| u32::try_from(uid).ok()) {
        client::trust_user(&base_url, uid);
    }
    // Drafts and outbox rows refer to the name without case.
    if before.iter().any(|channel_config| channel_config.id() == id_of(&name)) {
        mistakes.0.push(
            section.error("name", &format!("two channels have the name {name:?}; give each its own name")),
        );
        return None;
    }
    let (key, is_one_of_many) = KeySource::first_source(sources);
    let key = key.unwrap_or_else(|| KeySource::Kept(folder.to_owned()));
    if is_one_of_many {
        let problem =
            format!("channel {name:?} has more than one of key_env, key_command and key_file; keep one");
        mistakes.0.push(section.error("name", &problem));
    }
    Some(ChannelConfig { name, base_url, key, read_only, pictures, draft_only, mail, targets })
}

/// Path of a setting: `~/` is the home folder, and a relative path is beside the file.
fn resolve_path(folder: &Path, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(text),
    }
}

fn id_of(name: &str) -> ChannelId {
    ChannelId::new(name.to_lowercase())
}

impl ChannelConfig {
    /// Id of the tab, derived from its name, so that drafts survive a new key.
    pub fn id(&self) -> ChannelId {
        id_of(&self.name)
    }

    /// Fetches the key from its source.
    ///
    /// # Errors
    /// When the key is missing, readable by others, or no key.
    pub fn fetch_key(&self) -> Result<Secret, ConfigError> {
        self.find_key().map_err(|error| ConfigError {
            place: format!("channel {:?}", self.name),
            line: None,
            problem: error.to_string(),
        })
    }

    /// Like [`Self::fetch_key`]; the error does not name the channel.
    ///
    /// # Errors
    /// As [`Self::fetch_key`].
    pub fn find_key(&self) -> Result<Secret, keys::KeyError> {
        let key = self.key.fetch(&self.name, &self.base_url)?;
        match keys::check_key_form(&key) {
            Ok(()) => Ok(key),
            Err(why) => Err(keys::KeyError::advised(format!("{why}; {}", self.key_advice()))),
        }
    }

    /// Advice for a key that the server refuses.
    pub fn key_advice(&self) -> String {
        format!("{}; {}", self.key.describe_replacement(&self.name), keys::KEY_CREATION_ADVICE)
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text in quotes",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
