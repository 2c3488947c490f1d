//! Arguments of a tool: one table for the published schema and the validation.

use serde_json::{Map, Value, json};

#[derive(Debug, Clone, Copy)]
pub(super) enum ArgumentKind {
    /// Non-empty text with a maximum number of characters.
    Text(usize),
    /// Whole number, both bounds inclusive.
    Number(u32, u32),
    Word(&'static [&'static str]),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ToolField {
    pub(super) name: &'static str,
    pub(super) kind: ArgumentKind,
    pub(super) required: bool,
    pub(super) doc: &'static str,
}

/// Validated arguments.
pub(super) struct ToolArguments<'a>(&'a Map<String, Value>);

impl<'a> ToolArguments<'a> {
    pub(super) fn parse(given: &'a Map<String, Value>, fields: &[ToolField]) -> Result<Self, String> {
        if let Some(name) = given.keys().find(|key| !fields.iter().any(|field| field.name == **key)) {
            return Err(format!("there is no argument {name:?}"));
        }
        for field in fields {
            match given.get(field.name) {
                None if field.required => return Err(format!("{} is missing", field.name)),
                None => (),
                Some(value) => field.check(value)?,
            }
        }
        Ok(Self(given))
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub(super) fn required(&self, name: &str) -> &'a str {
        self.text(name).unwrap_or_default()
    }

    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.0.get(name).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok())
    }
}

impl ToolField {
    fn check(&self, value: &Value) -> Result<(), String> {
        let name = self.name;
        let fits = match self.kind {
            ArgumentKind::Text(most) => {
                value.as_str().is_some_and(|value| !value.trim().is_empty() && value.chars().count() <= most)
            }
            ArgumentKind::Number(least, most) => {
                value.as_u64().is_some_and(|number| (u64::from(least)..=u64::from(most)).contains(&number))
            }
            ArgumentKind::Word(words) => value.as_str().is_some_and(|value| words.contains(&value)),
        };
        if fits { Ok(()) } else { Err(format!("{name} must be {}", self.kind.describe())) }
    }
}

impl ArgumentKind {
    fn describe(self) -> String {
        match self {
            Self::Text(most) => format!("a text of 1 to {most} characters"),
            Self::Number(least, most) => format!("a whole number from {least} to {most}"),
            Self::Word(words) => format!("one of {}", words.join(", ")),
        }
    }

    fn schema(self) -> Value {
        match self {
            Self::Text(most) => json!({"type": "string", "minLength": 1, "maxLength": most}),
            Self::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Self::Word(words) => json!({"type": "string", "enum": words}),
        }
    }
}

pub(super) fn schema(fields: &[ToolField]) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = field.kind.schema();
        schema["description"] = field.doc.into();
        properties.insert(field.name.to_owned(), schema);
    }
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[ToolField] = &[
        ToolField { name: "text", kind: ArgumentKind::Text(3), required: true, doc: "" },
        ToolField { name: "limit", kind: ArgumentKind::Number(1, 9), required: false, doc: "" },
        ToolField { name: "status", kind: ArgumentKind::Word(&["open", "all"]), required: false, doc: "" },
    ];

    #[test]
    fn only_what_the_schema_says_is_taken() {
        let cases = [
            (json!({"text": "añb", "limit": 9, "status": "all"}), None),
            (json!({}), Some("text is missing")),
            (json!({"text": "  "}), Some("text must be a text of 1 to 3 characters")),
            (json!({"text": "abcd"}), Some("text must be a text of 1 to 3 characters")),
            (json!({"text": 1}), Some("text must be a text of 1 to 3 characters")),
            (json!({"text": "a", "limit": 0}), Some("limit must be a whole number from 1 to 9")),
            (json!({"text": "a", "limit": 1.5}), Some("limit must be a whole number from 1 to 9")),
            (json!({"text": "a", "status": "shut"}), Some("status must be one of open, all")),
            (json!({"text": "a", "file": "/etc/passwd"}), Some("there is no argument \"file\"")),
        ];
        for (given, expected) in cases {
            let given = given.as_object().cloned().unwrap_or_default();
            let why = ToolArguments::parse(&given, FIELDS).err();
            assert_eq!(why.as_deref(), expected, "{given:?}");
        }
    }
}
