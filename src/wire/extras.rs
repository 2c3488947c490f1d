//! Fields of a message beside the interface's: its structure, and how its author
//! has changed it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Former contents that are kept of a message at most, the latest.
const MAX_FORMER_CONTENTS: usize = 20;
/// Bytes of a structure at most, as JSON.
const MAX_STRUCTURE_BYTES: usize = 64 * 1024;

/// Fields that are kept of a message beside the interface's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageExtras {
    /// Objects of a structured message, as its platform tells them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<Value>,
    /// ISO 8601: when its author last changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<String>,
    /// ISO 8601: when its author took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<String>,
    /// Its earlier contents, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub former_contents: Vec<FormerContent>,
    /// The platform's ids of its author, in a conversation of several people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written_by: Vec<String>,
    /// Of a reaction: the platform's ids of the message and of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction: Option<ReactionOrigin>,
}

/// Content of a message before a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormerContent {
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_url: Option<String>,
    /// ISO 8601: when it was changed.
    pub until: String,
}

/// Whose reaction it is, and to what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReactionOrigin {
    /// The platform's id of the message.
    pub to: String,
    /// The platform's id of the person.
    pub by: String,
}

impl MessageExtras {
    /// Returns extras that hold a structure, unless it is empty or too large.
    pub fn from_structure(structure: Value) -> Self {
        let is_kept = !structure.is_null() && structure.to_string().len() <= MAX_STRUCTURE_BYTES;
        Self { structure: Some(structure).filter(|_| is_kept), ..Self::default() }
    }

    /// Reads what is kept of a message.
    pub fn read(kept: Option<&str>) -> Self {
        kept.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Returns the text to be kept, `None` where there is nothing.
    pub fn to_stored_text(&self) -> Option<String> {
        if *self == Self::default() { None } else { serde_json::to_string(self).ok() }
    }

    /// Adds what the message said until now.
    pub fn push_former(&mut self, former: FormerContent) {
        self.former_contents.push(former);
        let over = self.former_contents.len().saturating_sub(MAX_FORMER_CONTENTS);
        self.former_contents.drain(..over);
    }
}

/// Borrowed form of [`MessageExtras`], for lists.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExtrasLine<'a> {
    #[serde(borrow)]
    pub structure: Option<&'a RawValue>,
    #[serde(borrow)]
    pub edited_at: Option<&'a str>,
    #[serde(borrow)]
    pub withdrawn_at: Option<&'a str>,
    #[serde(borrow)]
    pub former_contents: Option<&'a RawValue>,
}

impl<'a> ExtrasLine<'a> {
    /// Reads what is kept of a message.
    pub fn read(kept: Option<&'a str>) -> Self {
        kept.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn extras_are_kept_only_where_there_are_any() {
        assert_eq!(MessageExtras::default().to_stored_text(), None);
        let extras = MessageExtras::from_structure(json!({"order": [1]}));
        let kept = extras.to_stored_text();
        assert_eq!(MessageExtras::read(kept.as_deref()), extras);
        assert_eq!(ExtrasLine::read(kept.as_deref()).structure.map(RawValue::get), Some(r#"{"order":[1]}"#));
        assert_eq!(
            MessageExtras::from_structure(json!("x".repeat(MAX_STRUCTURE_BYTES))),
            MessageExtras::default()
        );
        assert_eq!(MessageExtras::read(Some("no JSON")), MessageExtras::default());
    }

    #[test]
    fn former_contents_are_bounded() {
        let mut extras = MessageExtras::default();
        for number in 0..MAX_FORMER_CONTENTS + 5 {
            let content = number.to_string();
            extras.push_former(FormerContent { content, media_url: None, until: String::new() });
        }
        assert_eq!(extras.former_contents.len(), MAX_FORMER_CONTENTS);
        assert_eq!(extras.former_contents[0].content, "5", "the oldest went");
    }
}
