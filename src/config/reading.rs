//! Typed access to tables, with errors that name the file, the line and the remedy.

use toml::de::{DeTable, DeValue};

use crate::config::settings::{SERVICE_FILE, SettingTable, SettingValue};
use crate::config::{ConfigError, kind};
use model::nearest::nearest_word;

/// Source text for error positions.
#[derive(Debug, Clone, Copy)]
pub struct ConfigText<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

impl ConfigText<'_> {
    /// Creates an error at a byte offset.
    pub fn error(self, at: usize, problem: &str) -> ConfigError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        ConfigError::on_line(self.name, line, problem)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    place: ConfigText<'a>,
    name: &'a str,
    table: &'a DeTable<'a>,
}

/// Keys of earlier versions, with what takes their place.
const REMOVED_KEYS: [(&str, &str); 1] =
    [("vim", "texts are edited in your own $EDITOR instead; delete the line")];

impl<'a> Section<'a> {
    pub fn new(place: ConfigText<'a>, name: &'a str, table: &'a DeTable<'a>) -> Self {
        Self { place, name, table }
    }

    /// An error for each unknown key, with the most similar known one.
    pub fn unknown(&self) -> Vec<ConfigError> {
        let known = SettingTable::keys(self.name);
        let unknown = self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        unknown
            .map(|key| {
                let word = key.get_ref().as_ref();
                if let Some((_, sentence)) = REMOVED_KEYS.iter().find(|(key, _)| *key == word) {
                    return self.place.error(key.span().start, &format!("{word} was removed: {sentence}"));
                }
                let hint = match nearest_word(word, &known) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("known keys are {}", known.join(", ")),
                };
                let is_file = self.name.is_empty() || self.name == SERVICE_FILE;
                let section = if is_file { String::new() } else { format!(" in [{}]", self.name) };
                self.place.error(key.span().start, &format!("{word} is not a key{section}; {hint}"))
            })
            .collect()
    }

    /// Keys in the order of the file.
    pub fn names(&self) -> Vec<&'a str> {
        let mut all: Vec<_> = self.table.keys().collect();
        all.sort_by_key(|text| text.span().start);
        all.into_iter().map(|text| text.get_ref().as_ref()).collect()
    }

    /// Creates an error at a key, or at the table's first key.
    pub fn error(&self, key: &str, problem: &str) -> ConfigError {
        let at = self.table.keys().find(|text| text.get_ref() == key).or_else(|| self.table.keys().next());
        self.place.error(at.map_or(0, |text| text.span().start), problem)
    }

    fn wrong(&self, key: &str, wanted: &str, found: &DeValue<'_>) -> ConfigError {
        self.error(key, &format!("{key} must be {wanted}, not {}", kind(found)))
    }

    pub fn string(&self, key: &str) -> Result<Option<String>, ConfigError> {
        match self.table.get(key).map(|de_value| de_value.get_ref()) {
            None => Ok(None),
            Some(DeValue::String(text)) => Ok(Some(text.to_string())),
            Some(other) => Err(self.wrong(key, "text in quotes", other)),
        }
    }

    /// Required text, not empty.
    pub fn required(&self, key: &str) -> Result<String, ConfigError> {
        match self.string(key)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(self.error(key, &format!("[{}] needs {key} = \"…\"", self.name))),
        }
    }

    /// One of the key's allowed words.
    pub fn word(&self, key: &str) -> Result<Option<String>, ConfigError> {
        let words = match SettingTable::setting(self.name, key).map(|setting| setting.value) {
            Some(SettingValue::Word(words)) => words(),
            _ => Vec::new(),
        };
        match self.string(key)? {
            Some(word) if !words.contains(&word.as_str()) => {
                Err(self
                    .error(key, &format!("{key} = {word:?} is not known; use one of: {}", words.join(", "))))
            }
            word => Ok(word),
        }
    }

    pub fn strings(&self, key: &str) -> Result<Option<Vec<String>>, ConfigError> {
        let wanted = "a list of quoted texts";
        let found = match self.table.get(key).map(|de_value| de_value.get_ref()) {
            None => return Ok(None),
            Some(DeValue::Array(items)) => items,
            Some(other) => return Err(self.wrong(key, wanted, other)),
        };
        let text = |item: &DeValue<'_>| match item {
            DeValue::String(text) => Ok(text.to_string()),
            other => Err(self.wrong(key, wanted, other)),
        };
        found.iter().map(|de_value| text(de_value.get_ref())).collect::<Result<_, _>>().map(Some)
    }

    pub fn string_or_strings(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        match self.table.get(key).map(|de_value| de_value.get_ref()) {
            Some(DeValue::String(text)) => Ok(vec![text.to_string()]),
            Some(DeValue::Array(_)) | None => Ok(self.strings(key)?.unwrap_or_default()),
            Some(other) => Err(self.wrong(key, "text in quotes, or a list of quoted texts", other)),
        }
    }

    pub fn boolean(&self, key: &str) -> Result<Option<bool>, ConfigError> {
        match self.table.get(key).map(|de_value| de_value.get_ref()) {
            None => Ok(None),
            Some(DeValue::Boolean(word)) => Ok(Some(*word)),
            Some(other) => Err(self.wrong(key, "true or false", other)),
        }
    }

    /// Whole number within the key's bounds.
    pub fn integer(&self, key: &str) -> Result<Option<i64>, ConfigError> {
        let bounds = match SettingTable::setting(self.name, key).map(|setting| setting.value) {
            Some(SettingValue::Number(from, to)) => from..=to,
            _ => i64::MIN..=i64::MAX,
        };
        let wanted = format!("a whole number from {} to {}", bounds.start(), bounds.end());
        match self.table.get(key).map(|de_value| de_value.get_ref()) {
            None => Ok(None),
            Some(DeValue::Integer(number)) => {
                let value = i64::from_str_radix(number.as_str(), number.radix()).ok();
                match value.filter(|value| bounds.contains(value)) {
                    Some(value) => Ok(Some(value)),
                    None => Err(self.error(key, &format!("{key} must be {wanted}"))),
                }
            }
            Some(other) => Err(self.wrong(key, &wanted, other)),
        }
    }

    pub fn table(&self, key: &'a str) -> Result<Option<Section<'a>>, ConfigError> {
        match self.table.get(key).map(|de_value| de_value.get_ref()) {
            None => Ok(None),
            Some(DeValue::Table(table)) => Ok(Some(Section::new(self.place, key, table))),
            Some(other) => Err(self.wrong(key, "a table", other)),
        }
    }

    pub fn tables(&self, key: &'a str) -> Result<Vec<Section<'a>>, ConfigError> {
        let found = self.table.get(key).map(|de_value| de_value.get_ref());
        let Some(found) = found else { return Ok(Vec::new()) };
        let DeValue::Array(items) = found else {
            return Err(self.wrong(key, &format!("a list of tables, each starting with [[{key}]]"), found));
        };
        items
            .iter()
            .map(|item| match item.get_ref() {
                DeValue::Table(table) => Ok(Section::new(self.place, key, table)),
                other => {
                    Err(self.wrong(key, &format!("a list of tables, each starting with [[{key}]]"), other))
                }
            })
            .collect()
    }
}
