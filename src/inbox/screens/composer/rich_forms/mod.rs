//! Forms for locations, contacts, buttons and lists. Each field shows its own error, and a form is sent only
//! if all are valid. The draft reply stays in the composer.

pub(crate) mod update;

use crate::components::text_line::TextLine;
use model::bounds;
use model::contact_cards::{self, ContactToSend};
use model::interactive::{self, InteractiveFrame};
use model::outbox::content::{ChatContent, MapLocation};
use model::places;

/// Maximum length of a location's name and address, in characters.
const MAX_LOCATION_CHARS: usize = 1024;
/// Index of the first row of a list.
const FIRST_ROW_FIELD: usize = 4;
/// Index of the first button.
const FIRST_BUTTON_FIELD: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RichFormKind {
    Location,
    /// A contact card.
    Contact,
    /// Up to three.
    Buttons,
    List,
}

impl RichFormKind {
    /// True if the second field is a text, which begins with the draft reply.
    fn has_text(self) -> bool {
        match self {
            Self::Location | Self::Contact => false,
            Self::Buttons | Self::List => true,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Location => "Location",
            Self::Contact => "Contact",
            Self::Buttons => "Buttons",
            Self::List => "List",
        }
    }

    pub fn label(self, field: usize) -> String {
        let fixed: &[&str] = match self {
            Self::Location => &["latitude", "longitude", "name", "address"],
            Self::Contact => &["name", "number", "company"],
            Self::Buttons => &["header", "text", "footer"],
            Self::List => &["header", "text", "footer", "opens with"],
        };
        match (fixed.get(field), self) {
            (Some(label), _) => (*label).to_owned(),
            (None, Self::Buttons) => format!("button {}", field - FIRST_BUTTON_FIELD + 1),
            (None, _) => format!("row {}", (field + 1).saturating_sub(FIRST_ROW_FIELD)),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RichForm {
    pub kind: RichFormKind,
    pub values: Vec<TextLine>,
    pub focus: usize,
    /// True after an attempt to send: from then on all errors are shown.
    pub shows_all_errors: bool,
}

impl RichForm {
    fn new(kind: RichFormKind, body: &str) -> Self {
        let count = match kind {
            RichFormKind::Location => 4,
            RichFormKind::Contact => 3,
            RichFormKind::Buttons => FIRST_BUTTON_FIELD + interactive::MAX_BUTTONS,
            RichFormKind::List => FIRST_ROW_FIELD + 2,
        };
        let mut values = vec![TextLine::default(); count];
        let focus = usize::from(kind.has_text());
        if kind.has_text() {
            values[1] = TextLine::new(body.replace('\n', " "));
        }
        if kind == RichFormKind::List {
            values[3] = TextLine::new("Choose");
        }
        Self { kind, values, focus, shows_all_errors: false }
    }

    pub fn text(&self, field: usize) -> &str {
        self.values.get(field).map_or("", |value| value.text().trim())
    }

    /// Keeps one empty row at the end of a list, up to the limit.
    fn add_empty_row(&mut self) {
        let full = self.values.last().is_some_and(|value| !value.is_empty());
        if self.kind == RichFormKind::List
            && full
            && self.values.len() < FIRST_ROW_FIELD + interactive::MAX_ROWS
        {
            self.values.push(TextLine::default());
        }
    }

    pub fn field_error(&self, field: usize) -> Option<String> {
        let text = self.text(field);
        let most = |most: usize| {
            let length = bounds::count_chars(text);
            (length > most).then(|| format!("at most {most} characters, this has {length}"))
        };
        let wanted = || text.is_empty().then(|| "is required".to_owned());
        match (self.kind, field) {
            (RichFormKind::Location, 0) => places::parse_degrees(text, 90).err(),
            (RichFormKind::Location, 1) => places::parse_degrees(text, 180).err(),
            (RichFormKind::Location, _) => most(MAX_LOCATION_CHARS),
            (RichFormKind::Contact, 0) => wanted().or_else(|| contact_cards::length_error(text)),
            (RichFormKind::Contact, 1) => wanted().or_else(|| contact_cards::parse_phone(text).err()),
            (RichFormKind::Contact, _) => contact_cards::length_error(text),
            (_, 0 | 2) => most(interactive::MAX_HEADER_CHARS),
            (_, 1) => wanted().or_else(|| most(interactive::MAX_BODY_CHARS)),
            (RichFormKind::List, 3) => wanted().or_else(|| most(interactive::MAX_BUTTON_CHARS)),
            (RichFormKind::Buttons, FIRST_BUTTON_FIELD) if self.choices().is_empty() => wanted(),
            (RichFormKind::Buttons, _) => {
                most(interactive::MAX_BUTTON_CHARS).or_else(|| self.duplicate_error(field))
            }
            (RichFormKind::List, FIRST_ROW_FIELD) if self.choices().is_empty() => wanted(),
            (RichFormKind::List, _) => {
                let (title, below) = split_row(text);
                let over = |text: &str, most| bounds::count_chars(text) > most;
                if over(title, interactive::MAX_ROW_TITLE_CHARS) {
                    Some(format!("at most {} characters before the |", interactive::MAX_ROW_TITLE_CHARS))
                } else if over(below, interactive::MAX_DESCRIPTION_CHARS) {
                    Some(format!("at most {} characters after the |", interactive::MAX_DESCRIPTION_CHARS))
                } else {
                    self.duplicate_error(field)
                }
            }
        }
    }

    fn duplicate_error(&self, field: usize) -> Option<String> {
        let from = if self.kind == RichFormKind::Buttons { FIRST_BUTTON_FIELD } else { FIRST_ROW_FIELD };
        let title = split_row(self.text(field)).0;
        let before = (from..field).any(|number| !title.is_empty() && split_row(self.text(number)).0 == title);
        before.then(|| "is already used".to_owned())
    }

    pub fn first_error(&self) -> Option<(usize, String)> {
        (0..self.values.len()).find_map(|field| Some((field, self.field_error(field)?)))
    }

    pub fn choices(&self) -> Vec<(&str, &str)> {
        let texts = |from: usize| {
            (from..self.values.len()).map(|number| self.text(number)).filter(|text| !text.is_empty())
        };
        match self.kind {
            RichFormKind::Location | RichFormKind::Contact => Vec::new(),
            RichFormKind::Buttons => texts(FIRST_BUTTON_FIELD).map(|text| (text, "")).collect(),
            RichFormKind::List => texts(FIRST_ROW_FIELD).map(split_row).collect(),
        }
    }

    /// True if the form's text is the draft reply it was opened with.
    fn matches_reply(&self, answer: &str) -> bool {
        let text = self.text(1);
        self.kind.has_text() && !text.is_empty() && text == answer.replace('\n', " ")
    }

    /// Returns the content to send; `None` while a field is wrong.
    fn content(&self) -> Option<ChatContent> {
        if self.first_error().is_some() {
            return None;
        }
        let owned = |field| Some(self.text(field).to_owned()).filter(|text| !text.is_empty());
        let frame = InteractiveFrame {
            header: self.text(0).to_owned(),
            body: self.text(1).to_owned(),
            footer: self.text(2).to_owned(),
        };
        Some(match self.kind {
            RichFormKind::Location => ChatContent::Location(MapLocation {
                latitude: places::parse_degrees(self.text(0), 90).ok()?,
                longitude: places::parse_degrees(self.text(1), 180).ok()?,
                name: owned(2),
                address: owned(3),
            }),
            RichFormKind::Contact => ChatContent::Contact(ContactToSend {
                name: self.text(0).to_owned(),
                phone: contact_cards::parse_phone(self.text(1)).ok()?,
                company: owned(2),
            }),
            RichFormKind::Buttons => {
                let titles: Vec<&str> = self.choices().into_iter().map(|choice| choice.0).collect();
                ChatContent::Interactive(interactive::build_buttons(&frame, &titles))
            }
            RichFormKind::List => {
                ChatContent::Interactive(interactive::build_list(&frame, self.text(3), &self.choices()))
            }
        })
    }
}

/// Splits a row into title and description at the first `|`.
fn split_row(text: &str) -> (&str, &str) {
    text.split_once('|').map_or((text, ""), |(title, below)| (title.trim(), below.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(kind: RichFormKind, texts: &[&str]) -> RichForm {
        let mut form = RichForm::new(kind, "");
        for (field, text) in texts.iter().enumerate() {
            form.focus = field;
            form.values[field].set(*text);
            form.add_empty_row();
        }
        form
    }

    #[test]
    fn fields_say_what_is_wrong() {
        use RichFormKind::{Buttons, Contact, List, Location};
        let long = |count: usize| "x".repeat(count);
        let (edge, body, button) = (long(61), long(1025), long(21));
        type Case<'a> = (RichFormKind, &'a [&'a str], Option<(usize, &'a str)>);
        let (long_name, phone) = (long(101), "+34 600 111 222");
        let cases: [Case<'_>; 19] = [
            (Contact, &["Ana", phone], None),
            (Contact, &["", phone], Some((0, "is required"))),
            (Contact, &[&long_name, phone], Some((0, "at most 100 characters, this has 101"))),
            (Contact, &["Ana", "600"], Some((1, "needs its country code"))),
            (Contact, &["Ana", phone, &long_name], Some((2, "at most 100"))),
            (Location, &["51.5", "-0.12"], None),
            (Location, &["91", "0"], Some((0, "lies between -90 and 90"))),
            (Location, &["51.5", ""], Some((1, "is required"))),
            (Buttons, &["", "Which?", "", "A"], None),
            (Buttons, &["", "", "", "A"], Some((1, "is required"))),
            (Buttons, &["", "Which?", ""], Some((3, "is required"))),
            (Buttons, &[&edge, "Which?", "", "A"], Some((0, "at most 60 characters, this has 61"))),
            (Buttons, &["", &body, "", "A"], Some((1, "at most 1024"))),
            (Buttons, &["", "Which?", "", "A", &button], Some((4, "at most 20"))),
            (Buttons, &["", "Which?", "", "A", "A"], Some((4, "is already used"))),
            (List, &["", "Which?", "", "Choose", "A | loud", "B"], None),
            (List, &["", "Which?", "", "", "A"], Some((3, "is required"))),
            (List, &["", "Which?", "", "Choose", "A | x", "A | y"], Some((5, "is already used"))),
            (List, &["", "Which?", "", "Choose"], Some((4, "is required"))),
        ];
        for (kind, texts, expected) in cases {
            let told = filled(kind, texts).first_error();
            match expected {
                None => assert_eq!(told, None, "{texts:?}"),
                Some((field, words)) => {
                    assert!(
                        told.as_ref().is_some_and(|pair| pair.0 == field && pair.1.contains(words)),
                        "{told:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_list_grows_to_ten_rows() {
        let texts: Vec<String> =
            (0..FIRST_ROW_FIELD + interactive::MAX_ROWS).map(|entry| format!("t{entry}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let form = filled(RichFormKind::List, &texts);
        assert_eq!((form.values.len(), form.choices().len()), (14, 10));
    }
}
