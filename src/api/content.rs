//! Content of chat messages and broadcasts.

use serde::{Deserialize, Serialize};

use crate::fields::{Degrees, Filled, JsonObject, JsonObjects, Link, Phone, Text};
use crate::request::{FieldError, Fields};
#[cfg(feature = "schema")]
use crate::schema;
use model::bounds::{MAX_CAPTION_CHARS, MAX_FILENAME_CHARS, MAX_TEXT_CHARS};
use model::contact_cards::{ContactToSend, MAX_CARD_NAME_CHARS};
use model::outbox::content::{FilledTemplate, MapLocation};

pub const MAX_LINK_CHARS: usize = 2048;
pub const MAX_ID_CHARS: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct TextContent {
    /// Must not consist of white space only.
    pub body: Filled<MAX_TEXT_CHARS>,
    /// Contact card that is sent instead of the text. Extension of this service; others send the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactContent>,
    /// True shows a preview of the first link, false none; absent shows none. Extension of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_preview: Option<bool>,
}

/// Contact card: somebody's name and number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ContactContent {
    pub name: Filled<MAX_CARD_NAME_CHARS>,
    pub phone: Phone,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<Text<MAX_CARD_NAME_CHARS>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct MediaContent {
    pub link: Link,
    /// Text below the media.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<Text<MAX_CAPTION_CHARS>>,
    /// Name of a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<Text<MAX_FILENAME_CHARS>>,
    /// True sends audio as a voice note, if its format is one of the platform's; otherwise as audio. Extension
    /// of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<bool>,
    /// True sends an image as a sticker, in a format and size of the platform's stickers and without a caption.
    /// Extension of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticker: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct TemplateContent {
    /// Name of an approved template.
    pub name: Filled<512>,
    pub language: Language,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<JsonObjects>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Language {
    /// Language code.
    pub code: Filled<32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct LocationContent {
    pub latitude: Degrees<90>,
    pub longitude: Degrees<180>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Text<1024>>,
    /// As text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Text<1024>>,
}

/// Content of a message: `type`, and the object of that name. Other objects are ignored.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Content {
    Text {
        text: TextContent,
    },
    Image {
        #[cfg_attr(feature = "schema", schemars(transform = schema::without("filename voice")))]
        image: MediaContent,
    },
    Audio {
        #[cfg_attr(feature = "schema", schemars(transform = schema::without("caption filename sticker")))]
        audio: MediaContent,
    },
    Video {
        #[cfg_attr(feature = "schema", schemars(transform = schema::without("filename voice sticker")))]
        video: MediaContent,
    },
    Document {
        #[cfg_attr(feature = "schema", schemars(transform = schema::without("voice sticker")))]
        document: MediaContent,
    },
    Template {
        template: TemplateContent,
    },
    Interactive {
        /// Buttons or a list, passed to the platform unchanged.
        interactive: JsonObject,
    },
    Location {
        location: LocationContent,
    },
}

/// Content of a broadcast: as [`Content`], with fewer types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BroadcastMessage"))]
pub enum BroadcastContent {
    Text {
        #[cfg_attr(feature = "schema", schemars(transform = schema::without("contact linkPreview")))]
        text: TextContent,
    },
    Image {
        #[cfg_attr(feature = "schema", schemars(transform = schema::without("filename voice sticker")))]
        image: MediaContent,
    },
    Template {
        template: TemplateContent,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ContentType {
    Text,
    Image,
    Audio,
    Video,
    Document,
    Template,
    Interactive,
    Location,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum BroadcastType {
    Text,
    Image,
    Template,
}

impl Content {
    /// Reads `type` and its object.
    ///
    /// # Errors
    /// If one of them is missing or has a value that its type does not take.
    pub fn read(message: &mut Fields) -> Result<Self, FieldError> {
        Ok(match message.required("type")? {
            ContentType::Text => Self::Text { text: message.required("text")? },
            ContentType::Image => Self::Image { image: message.required("image")? },
            ContentType::Audio => Self::Audio { audio: message.required("audio")? },
            ContentType::Video => Self::Video { video: message.required("video")? },
            ContentType::Document => Self::Document { document: message.required("document")? },
            ContentType::Template => Self::Template { template: message.required("template")? },
            ContentType::Interactive => Self::Interactive { interactive: message.required("interactive")? },
            ContentType::Location => Self::Location { location: message.required("location")? },
        })
    }

    /// Returns media with the word of its type; `None` for other content.
    pub fn media(&self) -> Option<(&'static str, &MediaContent)> {
        match self {
            Self::Image { image: media }
            | Self::Audio { audio: media }
            | Self::Video { video: media }
            | Self::Document { document: media } => Some((self.kind(), media)),
            Self::Text { .. } | Self::Template { .. } | Self::Interactive { .. } | Self::Location { .. } => {
                None
            }
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::Image { .. } => "image",
            Self::Audio { .. } => "audio",
            Self::Video { .. } => "video",
            Self::Document { .. } => "document",
            Self::Template { .. } => "template",
            Self::Interactive { .. } => "interactive",
            Self::Location { .. } => "location",
        }
    }
}

impl BroadcastContent {
    /// Reads `type` and its object.
    ///
    /// # Errors
    /// As [`Content::read`].
    pub fn read(message: &mut Fields) -> Result<Self, FieldError> {
        Ok(match message.required("type")? {
            BroadcastType::Text => Self::Text { text: message.required("text")? },
            BroadcastType::Image => Self::Image { image: message.required("image")? },
            BroadcastType::Template => Self::Template { template: message.required("template")? },
        })
    }
}

impl From<BroadcastContent> for Content {
    fn from(content: BroadcastContent) -> Self {
        match content {
            BroadcastContent::Text { text } => Self::Text { text },
            BroadcastContent::Image { image } => Self::Image { image },
            BroadcastContent::Template { template } => Self::Template { template },
        }
    }
}

impl From<&str> for TextContent {
    fn from(body: &str) -> Self {
        Self { body: body.into(), contact: None, link_preview: None }
    }
}

impl ContactContent {
    pub fn into_model(self) -> ContactToSend {
        let company = self.company.and_then(Text::non_empty);
        ContactToSend { name: self.name.into_string(), phone: self.phone.into_string(), company }
    }
}

impl From<&ContactToSend> for ContactContent {
    fn from(card: &ContactToSend) -> Self {
        Self {
            name: card.name.as_str().into(),
            phone: card.phone.as_str().into(),
            company: card.company.as_deref().map(Text::from),
        }
    }
}

impl MediaContent {
    /// Media without a caption or a file name.
    pub fn of_link(link: &str) -> Self {
        Self { link: link.into(), caption: None, filename: None, voice: None, sticker: None }
    }
}

impl TemplateContent {
    /// Returns `None` if the components are not a JSON array.
    pub fn from_model(template: &FilledTemplate) -> Option<Self> {
        let components = match &template.components {
            None => None,
            Some(json) => Some(JsonObjects::from_text(&json.0)?),
        };
        let language = Language { code: template.language.as_str().into() };
        Some(Self { name: template.name.as_str().into(), language, components })
    }
}

impl From<&MapLocation> for LocationContent {
    fn from(place: &MapLocation) -> Self {
        Self {
            latitude: Degrees(place.latitude.as_f64()),
            longitude: Degrees(place.longitude.as_f64()),
            name: place.name.as_deref().map(Text::from),
            address: place.address.as_deref().map(Text::from),
        }
    }
}
