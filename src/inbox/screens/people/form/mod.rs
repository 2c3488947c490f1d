//! The form of a person: name, mail address, tags and metadata. Each field shows its own error,
//! also a refusal by the server that names it. Only fields that differ from before are sent.

#[cfg(test)]
pub(crate) mod tests;

use crate::components::text_line::TextLine;
use model::bounds;
use model::contacts::{ContactChange, MetadataField, PersonDetail, parse_tags};
use model::ids::RowId;
use model::json;
use model::outbox::content::Json;
use model::phones;

const MAX_METADATA_ENTRIES: usize = 100;
/// Index of the first metadata line.
const FIRST_METADATA_FIELD: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonField {
    /// The phone number, which identifies the person.
    Phone,
    Name,
    Email,
    /// Separated by commas.
    Tags,
    /// One entry: `name = value`.
    Metadata,
}

impl PersonField {
    pub fn from_index(place: usize) -> Self {
        [Self::Phone, Self::Name, Self::Email, Self::Tags].get(place).copied().unwrap_or(Self::Metadata)
    }

    /// Index of the field, of the first line for metadata.
    pub fn index(self) -> usize {
        [Self::Phone, Self::Name, Self::Email, Self::Tags]
            .iter()
            .position(|person_field| *person_field == self)
            .unwrap_or(FIRST_METADATA_FIELD)
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Name => "name",
            Self::Email => "email",
            Self::Tags => "tags",
            Self::Metadata => "metadata",
        }
    }
}

/// Waits for a person to be loaded.
#[derive(Debug, Default)]
pub struct PendingPersonAction {
    /// Open this person's form at this field.
    pub form: Option<(String, PersonField)>,
    pub delete: Option<String>,
    pub choose: Option<String>,
}

/// A metadata line as loaded: its text, its name and its JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LoadedMetadata {
    line: String,
    name: String,
    raw: String,
    is_text: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonForm {
    /// True for a person who does not exist yet.
    pub is_new: bool,
    pub before: PersonDetail,
    /// The four fields, then the metadata lines.
    pub values: Vec<TextLine>,
    origins: Vec<Option<LoadedMetadata>>,
    pub focus: usize,
    /// True after an attempt to save: from then on all errors are shown.
    pub shows_all_errors: bool,
    /// The server's error and the index of its field.
    pub server_error: Option<(usize, String)>,
    /// Refused outbox row that this form replaces.
    pub replaces: Option<RowId>,
}

impl PersonForm {
    /// Creates a form for a new person, or for one as last read.
    pub fn new(before: Option<PersonDetail>, at: PersonField) -> Self {
        let is_new = before.is_none();
        let before = before.unwrap_or_default();
        let tags = before.tags.join(", ");
        let texts = [before.phone.as_str(), &before.name, &before.email, &tags];
        let mut form = Self {
            is_new,
            values: texts.map(TextLine::new).to_vec(),
            origins: Vec::new(),
            focus: if is_new { 0 } else { at.index() },
            shows_all_errors: false,
            server_error: None,
            replaces: None,
            before,
        };
        let members = form.before.fields.iter().map(|field| (field.name.clone(), raw_json(field))).collect();
        form.set_metadata(members);
        form
    }

    fn set_metadata(&mut self, members: Vec<(String, String)>) {
        self.values.truncate(FIRST_METADATA_FIELD);
        self.origins.clear();
        for (name, raw) in members.into_iter().take(MAX_METADATA_ENTRIES) {
            let text = json::unquote(&raw);
            let line = format!("{name} = {}", text.as_deref().unwrap_or(&raw).replace(['\n', '\r'], " "));
            self.values.push(TextLine::new(line.clone()));
            self.origins.push(Some(LoadedMetadata { line, name, raw, is_text: text.is_some() }));
        }
        self.add_empty_line();
    }

    /// Keeps one empty metadata line at the end.
    pub fn add_empty_line(&mut self) {
        while self.values.len() - FIRST_METADATA_FIELD > self.origins.len() {
            self.origins.push(None);
        }
        let full = self.values.last().is_some_and(|value| !value.is_empty())
            || self.values.len() == FIRST_METADATA_FIELD;
        if full && self.values.len() < FIRST_METADATA_FIELD + MAX_METADATA_ENTRIES {
            self.values.push(TextLine::default());
            self.origins.push(None);
        }
    }

    pub fn has_text(&self) -> bool {
        self.values.iter().any(|value| !value.text().trim().is_empty())
    }

    pub fn text(&self, field: usize) -> &str {
        self.values.get(field).map_or("", |value| value.text().trim())
    }

    /// The number without separators.
    pub fn phone(&self) -> String {
        if self.is_new { phones::strip_separators(self.text(0)) } else { self.before.phone.clone() }
    }

    pub fn field_error(&self, field: usize) -> Option<String> {
        let text = self.text(field);
        match PersonField::from_index(field) {
            PersonField::Phone if !bounds::is_e164(&self.phone()) => {
                Some("needs + and the country code: +34600111222".to_owned())
            }
            PersonField::Name if bounds::count_chars(text) > bounds::MAX_CONTACT_NAME_CHARS => {
                let (most, length) = (bounds::MAX_CONTACT_NAME_CHARS, bounds::count_chars(text));
                Some(format!("at most {most} characters, this has {length}"))
            }
            PersonField::Email if !text.is_empty() && !bounds::is_email(text) => {
                Some("is not a mail address such as maria@mail.example".to_owned())
            }
            PersonField::Metadata => self.metadata_error(field),
            _ => None,
        }
    }

    fn metadata_error(&self, field: usize) -> Option<String> {
        let (name, _) = match self.metadata_entry(field) {
            Some(member) => member,
            None if self.text(field).is_empty() => return None,
            None => return Some("must be name = value".to_owned()),
        };
        let twice = (FIRST_METADATA_FIELD..field)
            .any(|number| self.metadata_entry(number).is_some_and(|(other, _)| other == name));
        twice.then(|| "is already used".to_owned())
    }

    fn metadata_entry(&self, field: usize) -> Option<(String, String)> {
        let text = self.text(field);
        let origin = self.origins.get(field.checked_sub(FIRST_METADATA_FIELD)?).and_then(Option::as_ref);
        if let Some(origin) = origin.filter(|origin| origin.line.trim() == text) {
            return Some((origin.name.clone(), origin.raw.clone()));
        }
        let (name, value) = text.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() {
            return None;
        }
        // A value that was no text before stays JSON if it still parses.
        let was_json = origin.is_some_and(|origin| origin.name == name && !origin.is_text);
        let raw = if was_json && json::is_value(value) { value.to_owned() } else { json::quote(value) };
        Some((name.to_owned(), raw))
    }

    fn metadata_entries(&self) -> Vec<(String, String)> {
        (FIRST_METADATA_FIELD..self.values.len()).filter_map(|number| self.metadata_entry(number)).collect()
    }

    /// Returns the metadata as JSON, for an external editor.
    pub fn json(&self) -> String {
        let lines: Vec<String> = self
            .metadata_entries()
            .into_iter()
            .map(|(name, raw)| format!("  {}: {raw}", json::quote(&name)))
            .collect();
        if lines.is_empty() { "{\n}\n".to_owned() } else { format!("{{\n{}\n}}\n", lines.join(",\n")) }
    }

    pub fn set_json(&mut self, text: &str) -> Result<(), String> {
        let members = json::members(text).map_err(|(line, column, why)| {
            format!("not a JSON object: line {line}, column {column}: {why}")
        })?;
        self.set_metadata(members);
        self.focus = FIRST_METADATA_FIELD;
        Ok(())
    }

    pub fn first_error(&self) -> Option<(usize, String)> {
        (0..self.values.len()).find_map(|field| Some((field, self.field_error(field)?)))
    }

    /// Returns the fields that differ from before; `None` while a field is wrong.
    pub fn change(&self) -> Option<ContactChange> {
        if self.first_error().is_some() {
            return None;
        }
        let before = &self.before;
        let differs = |text: &str, before: &str| (text != before.trim()).then(|| text.to_owned());
        let tags = parse_tags(self.text(3));
        let members = self.metadata_entries();
        let old: Vec<(&str, String)> =
            before.fields.iter().map(|field| (field.name.as_str(), raw_json(field))).collect();
        let is_old = |name: &str, raw: &str| old.iter().any(|(text, value)| *text == name && value == raw);
        let gone = |name: &&str| !members.iter().any(|(text, _)| text == *name);
        Some(ContactChange {
            phone: self.phone(),
            name: differs(self.text(1), &before.name),
            email: differs(self.text(2), &before.email),
            add: tags.iter().filter(|tag| !before.tags.contains(tag)).cloned().collect(),
            remove: before.tags.iter().filter(|tag| !tags.contains(tag)).cloned().collect(),
            unset: old.iter().map(|pair| pair.0).filter(gone).map(str::to_owned).collect(),
            set: members
                .iter()
                .filter(|(name, raw)| !is_old(name, raw))
                .map(|(name, raw)| (name.clone(), Json(raw.clone())))
                .collect(),
        })
    }

    /// Fills in a refused change and shows the server's error at the field it names.
    pub fn with_refusal(mut self, change: &ContactChange, row: RowId, why: &str) -> Self {
        if self.is_new {
            self.values[0].set(change.phone.clone());
        }
        for (place, text) in [(1, &change.name), (2, &change.email)] {
            if let Some(text) = text {
                self.values[place].set(text.clone());
            }
        }
        let tags = model::contacts::merge_tags(&self.before.tags, &change.add, &change.remove);
        self.values[3].set(tags.join(", "));
        let mut members = self.metadata_entries();
        members.retain(|(name, _)| {
            !change.unset.contains(name) && !change.set.iter().any(|(other, _)| other == name)
        });
        members.extend(change.set.iter().map(|(name, value)| (name.clone(), value.0.clone())));
        self.set_metadata(members);
        self.focus = field_in_refusal(why).unwrap_or(PersonField::Name).index();
        self.server_error = Some((self.focus, why.to_owned()));
        self.replaces = Some(row);
        self
    }
}

/// Returns the first field that a refusal mentions.
pub fn field_in_refusal(why: &str) -> Option<PersonField> {
    let lower = why.to_lowercase();
    let words: Vec<&str> = lower.split(|lower: char| !lower.is_ascii_alphanumeric()).collect();
    let field = |word: &&str| match *word {
        "phone" => Some(PersonField::Phone),
        "name" => Some(PersonField::Name),
        "email" => Some(PersonField::Email),
        "tags" | "tag" => Some(PersonField::Tags),
        "metadata" => Some(PersonField::Metadata),
        _ => None,
    };
    words.iter().find_map(field)
}

fn raw_json(field: &MetadataField) -> String {
    if field.is_text { json::quote(&field.text) } else { field.text.clone() }
}
