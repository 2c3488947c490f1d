//! Fields of a message that the service stores in addition to those of the API.

#[cfg(feature = "schema")]
use crate::schema;
use crate::team::PersonName;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Beginning of the stored text of the extras of messages from before the channel was connected.
pub const EARLIER_PREFIX: &str = "{\"earlier\":";
/// Only the latest contents are kept.
const MAX_FORMER_CONTENTS: usize = 20;
/// Maximum size as JSON.
const MAX_STRUCTURE_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageExtras {
    /// Set for messages from before the channel was connected. The first field, so that
    /// [`EARLIER_PREFIX`] begins the text of these messages only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierOrigin>,
    /// Content of a structured message, as sent by the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<Value>,
    /// Last edit by the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<String>,
    /// Deletion by the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<String>,
    /// Oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub former_contents: Vec<FormerContent>,
    /// Platform ids of the author, in a group conversation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written_by: Vec<String>,
    /// Platform's id of the album the message is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub album: Option<String>,
    /// `true` for audio that is a voice note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<bool>,
    /// `true` for a file that is a sticker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticker: Option<bool>,
    /// `true` for a message that its author passed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction: Option<ReactionOrigin>,
    /// Person who sent it with a key of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<PersonName>,
    /// Word of the place where a person sent it, if not through the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_from: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        inline,
        transform = schema::times("until")
    )
)]
pub struct FormerContent {
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_url: Option<String>,
    /// Time of the edit.
    pub until: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierOrigin {
    /// True while the platform has not given the file of the message.
    pub lacks_file: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReactionOrigin {
    pub to: String,
    pub by: String,
}

impl MessageExtras {
    /// Returns extras that hold a structure, unless it is empty or too large.
    pub fn from_structure(structure: Value) -> Self {
        let is_kept = !structure.is_null() && structure.to_string().len() <= MAX_STRUCTURE_BYTES;
        Self { structure: Some(structure).filter(|_| is_kept), ..Self::default() }
    }

    /// Takes over what describes the content of a message.
    #[must_use]
    pub fn with_content_of(self, other: Self) -> Self {
        let Self { structure, voice, sticker, forwarded, .. } = other;
        Self { structure, voice, sticker, forwarded, ..self }
    }

    pub fn from_agent(agent: Option<PersonName>) -> Self {
        Self { agent, ..Self::default() }
    }

    /// Parses the stored text; the default if it is invalid.
    pub fn read(kept: Option<&str>) -> Self {
        kept.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Returns the text to store; `None` if there is nothing to store.
    pub fn to_stored_text(&self) -> Option<String> {
        if *self == Self::default() { None } else { serde_json::to_string(self).ok() }
    }

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
    pub earlier: Option<EarlierOrigin>,
    #[serde(borrow)]
    pub structure: Option<&'a RawValue>,
    #[serde(borrow)]
    pub edited_at: Option<&'a str>,
    #[serde(borrow)]
    pub withdrawn_at: Option<&'a str>,
    #[serde(borrow)]
    pub former_contents: Option<&'a RawValue>,
    #[serde(borrow)]
    pub album: Option<&'a str>,
    pub voice: Option<bool>,
    pub sticker: Option<bool>,
    pub forwarded: Option<bool>,
    #[serde(borrow)]
    pub agent: Option<&'a RawValue>,
    #[serde(borrow)]
    pub sent_from: Option<&'a str>,
}

impl<'a> ExtrasLine<'a> {
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
