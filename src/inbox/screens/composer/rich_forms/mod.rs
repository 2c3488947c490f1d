//! Forms for what is more than a text: a place, buttons, a list. Each field
//! says what is wrong with it, and nothing leaves before all are right.
//!
//! The answer that was begun stays in the composer.

pub(crate) mod update;

use crate::components::text_line::TextLine;
use model::bounds;
use model::interactive::{self, InteractiveFrame};
use model::outbox::content::{ChatContent, MapLocation};
use model::places;

/// Characters a place's name and address can have.
const NAME: usize = 1024;
/// Where a list's rows begin.
const ROWS_FROM: usize = 4;
/// Where the buttons begin.
const BUTTONS_FROM: usize = 3;

/// What is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormKind {
    Place,
    /// Up to three buttons.
    Buttons,
    List,
}

impl FormKind {
    pub fn title(self) -> &'static str {
        match self {
            Self::Place => "Location",
            Self::Buttons => "Buttons",
            Self::List => "List",
        }
    }

    pub fn label(self, field: usize) -> String {
        let fixed: &[&str] = match self {
            Self::Place => &["latitude", "longitude", "name", "address"],
            Self::Buttons => &["header", "text", "footer"],
            Self::List => &["header", "text", "footer", "opens with"],
        };
        match (fixed.get(field), self) {
            (Some(label), _) => (*label).to_owned(),
            (None, Self::Buttons) => format!("button {}", field - BUTTONS_FROM + 1),
            (None, _) => format!("row {}", (field + 1).saturating_sub(ROWS_FROM)),
        }
    }
}

/// A form being filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub kind: FormKind,
    /// What was filled in, a line for each field.
    pub values: Vec<TextLine>,
    pub focus: usize,
    /// Whether sending was tried: from then on all that is wrong is shown.
    pub tried: bool,
}

impl Form {
    fn new(kind: FormKind, body: &str) -> Self {
        let count = match kind {
            FormKind::Place => 4,
            FormKind::Buttons => BUTTONS_FROM + interactive::MAX_BUTTONS,
            FormKind::List => ROWS_FROM + 2,
        };
        let mut values = vec![TextLine::default(); count];
        let focus = if kind == FormKind::Place { 0 } else { 1 };
        if kind != FormKind::Place {
            values[1] = TextLine::new(body.replace('\n', " "));
        }
        if kind == FormKind::List {
            values[3] = TextLine::new("Choose");
        }
        Self { kind, values, focus, tried: false }
    }

    /// What a field holds.
    pub fn text(&self, field: usize) -> &str {
        self.values.get(field).map_or("", |value| value.text().trim())
    }

    /// A list always has one more empty row, as long as it takes one.
    fn grow(&mut self) {
        let full = self.values.last().is_some_and(|value| !value.is_empty());
        if self.kind == FormKind::List && full && self.values.len() < ROWS_FROM + interactive::MAX_ROWS {
            self.values.push(TextLine::default());
        }
    }

    pub fn wrong(&self, field: usize) -> Option<String> {
        let text = self.text(field);
        let most = |most: usize| {
            let length = bounds::count_chars(text);
            (length > most).then(|| format!("at most {most} characters, this has {length}"))
        };
        let wanted = || text.is_empty().then(|| "is wanted".to_owned());
        match (self.kind, field) {
            (FormKind::Place, 0) => places::parse_degrees(text, 90).err(),
            (FormKind::Place, 1) => places::parse_degrees(text, 180).err(),
            (FormKind::Place, _) => most(NAME),
            (_, 0 | 2) => most(interactive::MAX_HEADER_CHARS),
            (_, 1) => wanted().or_else(|| most(interactive::MAX_BODY_CHARS)),
            (FormKind::List, 3) => wanted().or_else(|| most(interactive::MAX_BUTTON_CHARS)),
            (FormKind::Buttons, BUTTONS_FROM) if self.choices().is_empty() => wanted(),
            (FormKind::Buttons, _) => most(interactive::MAX_BUTTON_CHARS).or_else(|| self.twice(field)),
            (FormKind::List, ROWS_FROM) if self.choices().is_empty() => wanted(),
            (FormKind::List, _) => {
                let (title, below) = row(text);
                let over = |text: &str, most| bounds::count_chars(text) > most;
                if over(title, interactive::MAX_ROW_TITLE_CHARS) {
                    Some(format!("at most {} characters before the |", interactive::MAX_ROW_TITLE_CHARS))
                } else if over(below, interactive::MAX_DESCRIPTION_CHARS) {
                    Some(format!("at most {} characters behind the |", interactive::MAX_DESCRIPTION_CHARS))
                } else {
                    self.twice(field)
                }
            }
        }
    }

    /// Two choices of one name could not be told apart.
    fn twice(&self, field: usize) -> Option<String> {
        let from = if self.kind == FormKind::Buttons { BUTTONS_FROM } else { ROWS_FROM };
        let title = row(self.text(field)).0;
        let before = (from..field).any(|number| !title.is_empty() && row(self.text(number)).0 == title);
        before.then(|| "is there already".to_owned())
    }

    /// The first field that is wrong.
    pub fn first_wrong(&self) -> Option<(usize, String)> {
        (0..self.values.len()).find_map(|field| Some((field, self.wrong(field)?)))
    }

    /// What can be chosen: title and what stands below it.
    pub fn choices(&self) -> Vec<(&str, &str)> {
        let texts = |from: usize| {
            (from..self.values.len()).map(|number| self.text(number)).filter(|text| !text.is_empty())
        };
        match self.kind {
            FormKind::Place => Vec::new(),
            FormKind::Buttons => texts(BUTTONS_FROM).map(|text| (text, "")).collect(),
            FormKind::List => texts(ROWS_FROM).map(row).collect(),
        }
    }

    /// Whether its text is an answer that was begun.
    fn has_text(&self, answer: &str) -> bool {
        let text = self.text(1);
        self.kind != FormKind::Place && !text.is_empty() && text == answer.replace('\n', " ")
    }

    /// What is sent; `None` while something is wrong.
    fn content(&self) -> Option<ChatContent> {
        if self.first_wrong().is_some() {
            return None;
        }
        let owned = |field| Some(self.text(field).to_owned()).filter(|text| !text.is_empty());
        let frame = InteractiveFrame {
            header: self.text(0).to_owned(),
            body: self.text(1).to_owned(),
            footer: self.text(2).to_owned(),
        };
        Some(match self.kind {
            FormKind::Place => ChatContent::Location(MapLocation {
                latitude: places::parse_degrees(self.text(0), 90).ok()?,
                longitude: places::parse_degrees(self.text(1), 180).ok()?,
                name: owned(2),
                address: owned(3),
            }),
            FormKind::Buttons => {
                let titles: Vec<&str> = self.choices().into_iter().map(|choice| choice.0).collect();
                ChatContent::Interactive(interactive::build_buttons(&frame, &titles))
            }
            FormKind::List => {
                ChatContent::Interactive(interactive::build_list(&frame, self.text(3), &self.choices()))
            }
        })
    }
}

/// A row's title and what stands below it, parted by a bar.
fn row(text: &str) -> (&str, &str) {
    text.split_once('|').map_or((text, ""), |(title, below)| (title.trim(), below.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(kind: FormKind, texts: &[&str]) -> Form {
        let mut form = Form::new(kind, "");
        for (field, text) in texts.iter().enumerate() {
            form.focus = field;
            form.values[field].set(*text);
            form.grow();
        }
        form
    }

    #[test]
    fn fields_say_what_is_wrong() {
        use FormKind::{Buttons, List, Place};
        let long = |count: usize| "x".repeat(count);
        let (edge, body, button) = (long(61), long(1025), long(21));
        type Case<'a> = (FormKind, &'a [&'a str], Option<(usize, &'a str)>);
        let cases: [Case<'_>; 14] = [
            (Place, &["51.5", "-0.12"], None),
            (Place, &["91", "0"], Some((0, "lies between -90 and 90"))),
            (Place, &["51.5", ""], Some((1, "is wanted"))),
            (Buttons, &["", "Which?", "", "A"], None),
            (Buttons, &["", "", "", "A"], Some((1, "is wanted"))),
            (Buttons, &["", "Which?", ""], Some((3, "is wanted"))),
            (Buttons, &[&edge, "Which?", "", "A"], Some((0, "at most 60 characters, this has 61"))),
            (Buttons, &["", &body, "", "A"], Some((1, "at most 1024"))),
            (Buttons, &["", "Which?", "", "A", &button], Some((4, "at most 20"))),
            (Buttons, &["", "Which?", "", "A", "A"], Some((4, "is there already"))),
            (List, &["", "Which?", "", "Choose", "A | loud", "B"], None),
            (List, &["", "Which?", "", "", "A"], Some((3, "is wanted"))),
            (List, &["", "Which?", "", "Choose", "A | x", "A | y"], Some((5, "is there already"))),
            (List, &["", "Which?", "", "Choose"], Some((4, "is wanted"))),
        ];
        for (kind, texts, expected) in cases {
            let told = filled(kind, texts).first_wrong();
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
            (0..ROWS_FROM + interactive::MAX_ROWS).map(|entry| format!("t{entry}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let form = filled(FormKind::List, &texts);
        assert_eq!((form.values.len(), form.choices().len()), (14, 10));
    }
}
