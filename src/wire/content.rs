//! What chat sends and broadcasts carry, as this desk writes it. Interface:
//! SendWhatsAppMessage; Broadcasts.

use serde::Serialize;
use serde_json::value::RawValue;

use model::outbox::content::{FilledTemplate, Json, MapLocation};

#[derive(Debug, Clone, Copy, Serialize)]
pub struct TextContent<'a> {
    /// At most 4096 characters.
    pub body: &'a str,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct MediaContent<'a> {
    /// A public https address.
    pub link: &'a str,
    /// At most 1024 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<&'a str>,
    /// At most 256 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<&'a str>,
}

#[derive(Debug, Clone, Serialize)]
pub struct TemplateContent<'a> {
    pub name: &'a str,
    pub language: Language<'a>,
    /// Header, body and buttons with their variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<Box<RawValue>>,
}

/// A language as a send writes it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Language<'a> {
    pub code: &'a str,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct LocationContent<'a> {
    pub latitude: f64,
    pub longitude: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    /// Where it is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<&'a str>,
}

/// A type with the object that carries its content.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TypedContent<'a> {
    #[serde(rename = "type")]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<TextContent<'a>>,
    /// When it is a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<MediaContent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<MediaContent<'a>>,
    /// When it is a film.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<MediaContent<'a>>,
    /// When it is a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<MediaContent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateContent<'a>>,
    /// When it has buttons or a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interactive: Option<Box<RawValue>>,
    /// When it is a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<LocationContent<'a>>,
}

impl<'a> TypedContent<'a> {
    /// A template; `None` if its components are not a JSON array.
    pub fn template(template: &'a FilledTemplate) -> Option<Self> {
        let components = match &template.components {
            None => None,
            Some(json) => Some(array(json)?),
        };
        let language = Language { code: &template.language };
        let content = TemplateContent { name: &template.name, language, components };
        Some(Self { kind: "template", template: Some(content), ..Self::default() })
    }

    pub fn location(place: &'a MapLocation) -> Self {
        let content = LocationContent {
            latitude: place.latitude.as_f64(),
            longitude: place.longitude.as_f64(),
            name: place.name.as_deref(),
            address: place.address.as_deref(),
        };
        Self { kind: "location", location: Some(content), ..Self::default() }
    }
}

/// A JSON object as it was given; `None` if it is none.
pub fn object(json: &Json) -> Option<Box<RawValue>> {
    checked(json, '{')
}

/// A JSON array as it was given; `None` if it is none.
pub fn array(json: &Json) -> Option<Box<RawValue>> {
    checked(json, '[')
}

fn checked(json: &Json, opening: char) -> Option<Box<RawValue>> {
    let text = json.0.trim();
    if !text.starts_with(opening) {
        return None;
    }
    RawValue::from_string(text.to_owned()).ok()
}
