//! Content of `sendMessage`: its eight types with their bounds.

use serde_json::{Value, json};

use crate::errors::ApiError;
use crate::fields::Fields;
use model::bounds;

/// Maximum length of a URL, in characters.
pub const MAX_LINK_CHARS: usize = 2048;
/// Maximum length of an id, in characters.
pub const MAX_ID_CHARS: usize = 256;
/// Types in the order of the interface.
pub const CONTENT_TYPES: [&str; 8] =
    ["text", "image", "audio", "video", "document", "template", "interactive", "location"];

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Text(String),
    Media(Media),
    Template {
        name: String,
        language: String,
        components: Vec<Value>,
    },
    /// Buttons or a list, passed to the platform unchanged.
    Interactive(Value),
    Location(Value),
}

/// Media behind a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// `image`, `audio`, `video`, `document` or `photo`.
    pub kind: &'static str,
    pub link: String,
    pub caption: Option<String>,
    /// Name of a document.
    pub filename: Option<String>,
}

/// Body of `sendMessage`.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatSendRequest {
    /// Phone number in E.164 form, a person's id or a group.
    pub to: String,
    pub content: Content,
    /// Quoted message: a service id or a platform id. Always `None` for templates.
    pub reply_to: Option<String>,
}

impl ChatSendRequest {
    /// Parses the body.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` that names the field.
    pub fn read(fields: &Fields<'_>) -> Result<Self, ApiError> {
        let to = fields.required_chat_address("to")?.to_owned();
        let content = Content::read(fields, &CONTENT_TYPES)?;
        let reply_to =
            fields.text("replyTo", MAX_ID_CHARS)?.filter(|text| !text.is_empty()).map(str::to_owned);
        let reply_to = reply_to.filter(|_| content.kind() != "template");
        Ok(Self { to, content, reply_to })
    }
}

impl Content {
    /// Reads `type`, one of `types`, and the object of that name.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` that names the field.
    pub fn read(fields: &Fields<'_>, types: &[&'static str]) -> Result<Self, ApiError> {
        let kind = fields.required_word("type", types)?;
        read_content(kind, &fields.required_object(kind)?, fields)
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Media(media) => media.kind,
            Self::Template { .. } => "template",
            Self::Interactive(_) => "interactive",
            Self::Location(_) => "location",
        }
    }
}

impl Media {
    /// Reads an object whose field `link` is a URL.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` that names the field.
    pub fn read(kind: &'static str, fields: &Fields<'_>, link: &str) -> Result<Self, ApiError> {
        let owned = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Self {
            kind,
            link: fields.required_text(link, MAX_LINK_CHARS)?.to_owned(),
            caption: owned(fields.text("caption", bounds::MAX_CAPTION_CHARS)?),
            filename: owned(fields.text("filename", bounds::MAX_FILENAME_CHARS)?),
        })
    }
}

fn read_content(kind: &'static str, object: &Fields<'_>, fields: &Fields<'_>) -> Result<Content, ApiError> {
    Ok(match kind {
        "text" => Content::Text(object.required_text("body", bounds::MAX_TEXT_CHARS)?.to_owned()),
        "template" => Content::Template {
            name: object.required_text("name", 512)?.to_owned(),
            language: object.required_object("language")?.required_text("code", 32)?.to_owned(),
            components: read_components(object)?,
        },
        "interactive" => Content::Interactive(fields.value("interactive").cloned().unwrap_or(Value::Null)),
        "location" => Content::Location(read_location(object)?),
        media => Content::Media(Media::read(media, object, "link")?),
    })
}

fn read_components(object: &Fields<'_>) -> Result<Vec<Value>, ApiError> {
    let components = object.array("components")?;
    if components.iter().any(|component| !component.is_object()) {
        return Err(object.refuse("components", "must be an array of objects"));
    }
    Ok(components.to_vec())
}

fn read_location(object: &Fields<'_>) -> Result<Value, ApiError> {
    Ok(json!({
        "latitude": object.required_number("latitude", -90.0, 90.0)?,
        "longitude": object.required_number("longitude", -180.0, 180.0)?,
        "name": object.text("name", 1024)?,
        "address": object.text("address", 1024)?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &Value) -> Result<ChatSendRequest, ApiError> {
        ChatSendRequest::read(&Fields::of_body(body)?)
    }

    #[test]
    fn each_type_has_its_object_and_bounds() {
        let to = "+34600111222";
        let link = "https://shop.example/a.jpg";
        let good = [
            json!({"to": to, "type": "text", "text": {"body": "x".repeat(4096)}}),
            json!({"to": to, "type": "image", "image": {"link": link, "caption": "é".repeat(1024)}}),
            json!({"to": to, "type": "audio", "audio": {"link": link}}),
            json!({"to": to, "type": "video", "video": {"link": link}}),
            json!({"to": to, "type": "document", "document": {"link": link, "filename": "f".repeat(256)}}),
            json!({"to": to, "type": "template", "template": {"name": "a", "language": {"code": "en"}}}),
            json!({"to": to, "type": "interactive", "interactive": {"type": "button"}}),
            json!({"to": to, "type": "location", "location": {"latitude": 41.4, "longitude": 2}}),
        ];
        for body in &good {
            let request = read(body).expect("valid");
            assert_eq!(Some(request.content.kind()), body["type"].as_str());
        }
        let bad = [
            (
                json!({"to": to, "type": "text", "text": {"body": "x".repeat(4097)}}),
                "text.body must have at most",
            ),
            (json!({"to": to, "type": "text", "text": {"body": ""}}), "text.body must not be empty"),
            (json!({"to": to, "type": "text", "text": "hi"}), "text must be an object"),
            (json!({"to": to, "type": "text"}), "text is required"),
            (json!({"to": to}), "type is required"),
            (json!({"to": to, "type": "sticker"}), "type must be one of"),
            (json!({"type": "text", "text": {"body": "x"}}), "to is required"),
            (json!({"to": "600", "type": "text", "text": {"body": "x"}}), "to must be a phone number"),
            (json!({"to": to, "type": "image", "image": {}}), "image.link is required"),
            (
                json!({"to": to, "type": "video", "video": {"link": link, "caption": "x".repeat(1025)}}),
                "video.caption must have at most",
            ),
            (
                json!({"to": to, "type": "location", "location": {"latitude": 91, "longitude": 2}}),
                "location.latitude must be a number",
            ),
            (
                json!({"to": to, "type": "template", "template": {"name": "a", "language": "en"}}),
                "template.language must be an object",
            ),
        ];
        for (body, words) in bad {
            let message = read(&body).expect_err(words).message;
            assert!(message.starts_with(words), "{message}");
        }
    }

    #[test]
    fn a_template_quotes_nothing() {
        let body = json!({"to": "+34600111222", "type": "template", "replyTo": "msg_1",
                          "template": {"name": "a", "language": {"code": "en"}, "components": []}});
        assert_eq!(read(&body).expect("valid").reply_to, None);
    }
}
