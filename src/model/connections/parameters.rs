//! Parameters of an endpoint: source, position and type of their values.

use crate::connections::identity::ContactField;

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ParameterPlace {
        /// Replaces `{name}` in the path.
        Path = "path",
        Query = "query",
        /// Member of the JSON object in the body.
        Body = "body",
    }
}

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ValueKind {
        #[default]
        Text = "text",
        Integer = "integer",
        Number = "number",
        Boolean = "boolean",
        /// A day: `2026-11-20`.
        Date = "date",
    }
}

impl ValueKind {
    /// Returns a description of the expected value if the text is invalid.
    pub fn check_text(self, text: &str) -> Option<&'static str> {
        let digits = |text: &str| {
            !text.is_empty() && text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit())
        };
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

fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterSource {
    /// The contact's identity at this endpoint.
    Contact,
    /// A known fact about the contact.
    ContactField(ContactField),
    Constant(String),
    /// Input of a person or an assistant; holds the question.
    Asked(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub place: ParameterPlace,
    pub kind: ValueKind,
    /// As configured; see [`Parameter::is_required`] for the effective value.
    pub required: bool,
    pub source: ParameterSource,
}

impl Parameter {
    /// True if the endpoint is not called without the value. Always true for path parameters and
    /// facts about the contact.
    pub fn is_required(&self) -> bool {
        let of_contact = matches!(self.source, ParameterSource::Contact | ParameterSource::ContactField(_));
        self.required || of_contact || self.place == ParameterPlace::Path
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledParameter {
    pub name: String,
    pub place: ParameterPlace,
    pub kind: ValueKind,
    pub value: String,
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
                assert_eq!(kind.check_text(text), None, "{kind:?} {text:?}");
            }
            for text in bad {
                assert!(kind.check_text(text).is_some(), "{kind:?} {text:?}");
            }
        }
    }
}
