//! The form of a person: name, mail address, tags and metadata. Each field
//! says what is wrong with it; what the server refused stands at the field it
//! names. What leaves is what differs from before.

#[cfg(test)]
pub(crate) mod tests;

use crate::components::text_line::TextLine;
use model::bounds;
use model::contacts::{ContactChange, MetadataField, PersonDetail, parse_tags};
use model::ids::RowId;
use model::json;
use model::outbox::content::Json;
use model::phones;

/// Metadata of one person at most.
const MOST: usize = 100;
/// Where metadata begins.
const METADATA: usize = 4;

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonField {
    /// The number, which names the person.
    Phone,
    Name,
    Email,
    /// Its tags, parted by commas.
    Tags,
    /// One piece of metadata: `name = value`.
    Metadata,
}

impl PersonField {
    pub fn at(place: usize) -> Self {
        [Self::Phone, Self::Name, Self::Email, Self::Tags].get(place).copied().unwrap_or(Self::Metadata)
    }

    /// Its first place.
    pub fn place(self) -> usize {
        [Self::Phone, Self::Name, Self::Email, Self::Tags]
            .iter()
            .position(|person_field| *person_field == self)
            .unwrap_or(METADATA)
    }

    /// What stands before it.
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

/// What is to be opened once it has been read.
#[derive(Debug, Default)]
pub struct Opening {
    /// The form of this person, with this field active.
    pub form: Option<(String, PersonField)>,
    /// The question whether to delete this person.
    pub delete: Option<String>,
    /// This person is to be chosen in the list.
    pub choose: Option<String>,
}

/// A line of metadata as it was before, with its name and its JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    line: String,
    name: String,
    raw: String,
    is_text: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonForm {
    /// Whether the person is made anew.
    pub is_new: bool,
    /// As it was when the form was opened.
    pub before: PersonDetail,
    /// What was filled in: the four fields, then lines of metadata.
    pub values: Vec<TextLine>,
    origins: Vec<Option<Origin>>,
    /// The field with the keyboard.
    pub focus: usize,
    /// Whether saving was tried: from then on all that is wrong is shown.
    pub tried: bool,
    /// What the server said, and of which field.
    pub told: Option<(usize, String)>,
    /// The refused row whose place this takes.
    pub replaces: Option<RowId>,
}

impl PersonForm {
    /// A form for someone new, or for someone as last read.
    pub fn new(before: Option<PersonDetail>, at: PersonField) -> Self {
        let is_new = before.is_none();
        let before = before.unwrap_or_default();
        let tags = before.tags.join(", ");
        let texts = [before.phone.as_str(), &before.name, &before.email, &tags];
        let mut form = Self {
            is_new,
            values: texts.map(TextLine::new).to_vec(),
            origins: Vec::new(),
            focus: if is_new { 0 } else { at.place() },
            tried: false,
            told: None,
            replaces: None,
            before,
        };
        let members = form.before.fields.iter().map(|field| (field.name.clone(), raw_of(field))).collect();
        form.set_members(members);
        form
    }

    /// Puts metadata in place of what is there.
    fn set_members(&mut self, members: Vec<(String, String)>) {
        self.values.truncate(METADATA);
        self.origins.clear();
        for (name, raw) in members.into_iter().take(MOST) {
            let text = json::unquote(&raw);
            let line = format!("{name} = {}", text.as_deref().unwrap_or(&raw).replace(['\n', '\r'], " "));
            self.values.push(TextLine::new(line.clone()));
            self.origins.push(Some(Origin { line, name, raw, is_text: text.is_some() }));
        }
        self.grow();
    }

    /// There is always one more empty line of metadata.
    pub fn grow(&mut self) {
        while self.values.len() - METADATA > self.origins.len() {
            self.origins.push(None);
        }
        let full = self.values.last().is_some_and(|value| !value.is_empty()) || self.values.len() == METADATA;
        if full && self.values.len() < METADATA + MOST {
            self.values.push(TextLine::default());
            self.origins.push(None);
        }
    }

    /// Whether anything is filled in.
    pub fn has_words(&self) -> bool {
        self.values.iter().any(|value| !value.text().trim().is_empty())
    }

    /// What a field holds.
    pub fn text(&self, field: usize) -> &str {
        self.values.get(field).map_or("", |value| value.text().trim())
    }

    /// The number without blanks and brackets.
    pub fn phone(&self) -> String {
        if self.is_new { phones::strip_separators(self.text(0)) } else { self.before.phone.clone() }
    }

    pub fn wrong(&self, field: usize) -> Option<String> {
        let text = self.text(field);
        match PersonField::at(field) {
            PersonField::Phone if !bounds::is_e164(&self.phone()) => {
                Some("is + and the country code: +34600111222".to_owned())
            }
            PersonField::Name if bounds::count_chars(text) > bounds::MAX_CONTACT_NAME_CHARS => {
                let (most, length) = (bounds::MAX_CONTACT_NAME_CHARS, bounds::count_chars(text));
                Some(format!("at most {most} characters, this has {length}"))
            }
            PersonField::Email if !text.is_empty() && !bounds::is_email(text) => {
                Some("is no mail address such as maria@mail.example".to_owned())
            }
            PersonField::Metadata => self.wrong_line(field),
            _ => None,
        }
    }

    fn wrong_line(&self, field: usize) -> Option<String> {
        let (name, _) = match self.member(field) {
            Some(member) => member,
            None if self.text(field).is_empty() => return None,
            None => return Some("is written: name = value".to_owned()),
        };
        let twice =
            (METADATA..field).any(|number| self.member(number).is_some_and(|(other, _)| other == name));
        twice.then(|| "is there already".to_owned())
    }

    /// Name and JSON of a line of metadata.
    fn member(&self, field: usize) -> Option<(String, String)> {
        let text = self.text(field);
        let origin = self.origins.get(field.checked_sub(METADATA)?).and_then(Option::as_ref);
        if let Some(origin) = origin.filter(|origin| origin.line.trim() == text) {
            return Some((origin.name.clone(), origin.raw.clone()));
        }
        let (name, value) = text.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() {
            return None;
        }
        // What was a number or a list before is one again, if it can be.
        let was_json = origin.is_some_and(|origin| origin.name == name && !origin.is_text);
        let raw = if was_json && json::is_value(value) { value.to_owned() } else { json::quote(value) };
        Some((name.to_owned(), raw))
    }

    /// All metadata as it is written now.
    fn members(&self) -> Vec<(String, String)> {
        (METADATA..self.values.len()).filter_map(|number| self.member(number)).collect()
    }

    /// The metadata as JSON, for an editor.
    pub fn json(&self) -> String {
        let lines: Vec<String> = self
            .members()
            .into_iter()
            .map(|(name, raw)| format!("  {}: {raw}", json::quote(&name)))
            .collect();
        if lines.is_empty() { "{\n}\n".to_owned() } else { format!("{{\n{}\n}}\n", lines.join(",\n")) }
    }

    /// Takes metadata as JSON.
    pub fn set_json(&mut self, text: &str) -> Result<(), String> {
        let members = json::members(text)
            .map_err(|(line, column, why)| format!("no JSON object: line {line}, column {column}: {why}"))?;
        self.set_members(members);
        self.focus = METADATA;
        Ok(())
    }

    /// The first field that is wrong.
    pub fn first_wrong(&self) -> Option<(usize, String)> {
        (0..self.values.len()).find_map(|field| Some((field, self.wrong(field)?)))
    }

    /// What differs from before; `None` while something is wrong.
    pub fn change(&self) -> Option<ContactChange> {
        if self.first_wrong().is_some() {
            return None;
        }
        let before = &self.before;
        let differs = |text: &str, before: &str| (text != before.trim()).then(|| text.to_owned());
        let tags = parse_tags(self.text(3));
        let members = self.members();
        let old: Vec<(&str, String)> =
            before.fields.iter().map(|field| (field.name.as_str(), raw_of(field))).collect();
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

    /// Fills in what a refused change wanted, with what the server said at
    /// the field it names.
    pub fn refused(mut self, change: &ContactChange, row: RowId, why: &str) -> Self {
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
        let mut members = self.members();
        members.retain(|(name, _)| {
            !change.unset.contains(name) && !change.set.iter().any(|(other, _)| other == name)
        });
        members.extend(change.set.iter().map(|(name, value)| (name.clone(), value.0.clone())));
        self.set_members(members);
        self.focus = field_named(why).unwrap_or(PersonField::Name).place();
        self.told = Some((self.focus, why.to_owned()));
        self.replaces = Some(row);
        self
    }
}

/// The field a refusal names first.
pub fn field_named(why: &str) -> Option<PersonField> {
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

fn raw_of(field: &MetadataField) -> String {
    if field.is_text { json::quote(&field.text) } else { field.text.clone() }
}
