//! What an endpoint is given: where each value comes from, and whether it is
//! of its kind.

use crate::connections::identity::ContactField;

crate::words! {
    /// Where a value goes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ParameterPlace {
        /// Into the path, at `{name}`.
        Path = "path",
        /// Into the query.
        Query = "query",
        /// Into the JSON object that is the body.
        Body = "body",
    }
}

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum ValueKind {
        #[default]
        Text = "text",
        /// A whole number.
        Integer = "integer",
        Number = "number",
        /// `true` or `false`.
        Boolean = "boolean",
        /// A day: `2026-11-20`.
        Date = "date",
    }
}

impl ValueKind {
    /// Whether a text is such a value; what it should be, if not.
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

/// Whether a text is a day of the calendar.
fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterSource {
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
    pub place: ParameterPlace,
    pub kind: ValueKind,
    /// Whether the endpoint is not asked without it, as it was written: see
    /// [`Parameter::is_required`].
    pub required: bool,
    pub source: ParameterSource,
}

impl Parameter {
    /// Whether the endpoint is not asked without it: always so for what goes
    /// into the path, and for what says who the call is about.
    pub fn is_required(&self) -> bool {
        let of_contact = matches!(self.source, ParameterSource::Contact | ParameterSource::ContactField(_));
        self.required || of_contact || self.place == ParameterPlace::Path
    }
}

/// One value, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledParameter {
    /// What the endpoint calls it.
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
