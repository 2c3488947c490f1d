//! What an endpoint is given: where each value comes from, and whether it is
//! of its kind.
//!
//! Knows nothing of how values are written into a URL or a body.

/// Where a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Into the path, at `{name}`.
    Path,
    /// Into the query.
    Query,
    /// Into the JSON object that is the body.
    Body,
}

impl Place {
    /// All words.
    pub const WORDS: [&'static str; 3] = ["path", "query", "body"];

    /// The place of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Path, Self::Query, Self::Body];
        all.into_iter().find(|it| it.word() == word)
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Body => "body",
        }
    }
}

/// What kind of value it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ValueKind {
    /// Any text.
    #[default]
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A day: `2026-11-20`.
    Date,
}

impl ValueKind {
    /// All words.
    pub const WORDS: [&'static str; 5] = ["text", "integer", "number", "boolean", "date"];

    /// The kind of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Text, Self::Integer, Self::Number, Self::Boolean, Self::Date];
        all.into_iter().find(|it| it.word() == word)
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
        }
    }

    /// Whether a text is such a value; what it should be, if not.
    pub fn objection(self, text: &str) -> Option<&'static str> {
        let digits = |it: &str| !it.is_empty() && it.len() <= 18 && it.bytes().all(|it| it.is_ascii_digit());
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let fits = match self {
            Self::Text => true,
            Self::Integer => digits(unsigned),
            Self::Number => match unsigned.split_once('.') {
                Some((whole, rest)) => digits(whole) && digits(rest),
                None => digits(unsigned),
            },
            Self::Boolean => matches!(text, "true" | "false"),
            Self::Date => is_day(text),
        };
        let wanted = match self {
            Self::Text => "a text",
            Self::Integer => "a whole number",
            Self::Number => "a number, such as 12.50",
            Self::Boolean => "true or false",
            Self::Date => "a day, such as 2026-11-20",
        };
        (!fits).then_some(wanted)
    }
}

/// Whether a text is a day of the calendar.
fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// What is known of a contact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum ContactField {
    /// The number.
    #[default]
    Phone,
    /// The mail address.
    Email,
    /// The name.
    Name,
    /// The user name on the bot platform.
    Username,
    /// What stands under a name in the contact's metadata.
    Metadata(String),
}

impl ContactField {
    /// The field of a word, as `phone` or `metadata.customer_id`.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "phone" => Self::Phone,
            "email" => Self::Email,
            "name" => Self::Name,
            "username" => Self::Username,
            other => Self::Metadata(other.strip_prefix("metadata.").filter(|it| !it.is_empty())?.to_owned()),
        })
    }

    /// The word.
    pub fn word(&self) -> String {
        match self {
            Self::Phone => "phone".to_owned(),
            Self::Email => "email".to_owned(),
            Self::Name => "name".to_owned(),
            Self::Username => "username".to_owned(),
            Self::Metadata(name) => format!("metadata.{name}"),
        }
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// What names the contact at this endpoint.
    Contact,
    /// Something known of the contact.
    ContactField(ContactField),
    /// Always the same.
    Constant(String),
    /// A person or an assistant fills it in; what to ask for.
    Asked(String),
}

/// One value an endpoint is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// What the endpoint calls it.
    pub name: String,
    /// Where it goes.
    pub place: Place,
    /// Of what kind it is.
    pub kind: ValueKind,
    /// Whether the endpoint is not asked without it. What goes into a path
    /// is always required.
    pub required: bool,
    /// Where it comes from.
    pub source: Source,
}

/// What is known of the contact a call is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContactFacts {
    /// The number.
    pub phone: Option<String>,
    /// The mail address.
    pub email: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// The user name.
    pub username: Option<String>,
    /// Metadata.
    pub metadata: Vec<(String, String)>,
}

impl ContactFacts {
    /// One of them, if it is known.
    pub fn get(&self, field: &ContactField) -> Option<&str> {
        let known = match field {
            ContactField::Phone => self.phone.as_deref(),
            ContactField::Email => self.email.as_deref(),
            ContactField::Name => self.name.as_deref(),
            ContactField::Username => self.username.as_deref(),
            ContactField::Metadata(name) => {
                self.metadata.iter().find(|it| it.0 == *name).map(|it| it.1.as_str())
            }
        };
        known.map(str::trim).filter(|it| !it.is_empty())
    }
}

/// One value, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// What the endpoint calls it.
    pub name: String,
    /// Where it goes.
    pub place: Place,
    /// Of what kind it is.
    pub kind: ValueKind,
    /// The value.
    pub value: String,
}

/// Characters a value may have.
pub const LONGEST: usize = 1_000;

/// Gives each parameter its value. What is not required and not known is left
/// out.
///
/// # Errors
/// What is missing or of another kind, in words.
pub fn fill(
    parameters: &[Parameter],
    identifier: &ContactField,
    facts: &ContactFacts,
    answers: &[(String, String)],
) -> Result<Vec<Filled>, String> {
    let mut filled = Vec::new();
    for it in parameters {
        let value = match &it.source {
            Source::Contact => facts.get(identifier),
            Source::ContactField(field) => facts.get(field),
            Source::Constant(text) => Some(text.as_str()),
            Source::Asked(_) => {
                answers.iter().find(|(name, _)| *name == it.name).map(|(_, value)| value.trim())
            }
        };
        let Some(value) = value.filter(|it| !it.is_empty()) else {
            if it.required || it.place == Place::Path {
                return Err(missing(it, identifier));
            }
            continue;
        };
        if value.chars().count() > LONGEST {
            return Err(format!("{} is longer than {LONGEST} characters", it.name));
        }
        if let Some(wanted) = it.kind.objection(value) {
            return Err(format!("{} must be {wanted}", it.name));
        }
        filled.push(Filled {
            name: it.name.clone(),
            place: it.place,
            kind: it.kind,
            value: value.to_owned(),
        });
    }
    Ok(filled)
}

fn missing(parameter: &Parameter, identifier: &ContactField) -> String {
    match &parameter.source {
        Source::Contact => format!("the contact's {} is not known", identifier.word()),
        Source::ContactField(field) => format!("the contact's {} is not known", field.word()),
        Source::Constant(_) => format!("{} has no value", parameter.name),
        Source::Asked(question) if question.is_empty() => format!("{} is wanted", parameter.name),
        Source::Asked(question) => format!("{question} is wanted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_of_their_kind() {
        for (kind, good, bad) in [
            (ValueKind::Text, vec!["", "x\n", "1"], vec![]),
            (ValueKind::Integer, vec!["0", "-12", "999999999999999999"], vec!["", "-", "1.0", "1e3", "١"]),
            (ValueKind::Number, vec!["0", "-1.5", "12"], vec!["", ".5", "1.", "1.2.3", "NaN", "1,5"]),
            (ValueKind::Boolean, vec!["true", "false"], vec!["", "TRUE", "1", "yes"]),
            (
                ValueKind::Date,
                vec!["2026-11-20", "2024-02-29"],
                vec!["", "2026-02-29", "20.11.2026", "2026-1-1"],
            ),
        ] {
            for text in good {
                assert_eq!(kind.objection(text), None, "{kind:?} {text:?}");
            }
            for text in bad {
                assert!(kind.objection(text).is_some(), "{kind:?} {text:?}");
            }
        }
    }

    #[test]
    fn values_come_from_where_they_are_said_to() {
        let parameter = |name: &str, place, required, source| Parameter {
            name: name.to_owned(),
            place,
            kind: ValueKind::Text,
            required,
            source,
        };
        let facts = ContactFacts {
            phone: Some("+34600111222".to_owned()),
            email: Some(" ".to_owned()),
            metadata: vec![("customer".to_owned(), "C-7".to_owned())],
            ..ContactFacts::default()
        };
        let wanted = [
            parameter("a", Place::Query, true, Source::Contact),
            parameter(
                "b",
                Place::Path,
                false,
                Source::ContactField(ContactField::Metadata("customer".into())),
            ),
            parameter("c", Place::Query, false, Source::ContactField(ContactField::Email)),
            parameter("d", Place::Body, true, Source::Constant("x".into())),
            parameter("e", Place::Body, true, Source::Asked("Order number".into())),
        ];
        let answers = [("e".to_owned(), " 1041 ".to_owned())];
        let filled = fill(&wanted, &ContactField::Phone, &facts, &answers).expect("filled");
        let values: Vec<_> = filled.iter().map(|it| (it.name.as_str(), it.value.as_str())).collect();
        assert_eq!(values, [("a", "+34600111222"), ("b", "C-7"), ("d", "x"), ("e", "1041")]);
        let without = fill(&wanted, &ContactField::Phone, &facts, &[]);
        assert_eq!(without, Err("Order number is wanted".to_owned()));
        let unknown = fill(&wanted, &ContactField::Username, &facts, &answers);
        assert_eq!(unknown, Err("the contact's username is not known".to_owned()));
    }
}
