//! Conversion of a send's content to an outgoing message and its price.

use serde_json::{Value, json};

use crate::chat::templates::fill;
use crate::database::templates;
use crate::errors::ApiError;
use crate::media::{self, MediaInfo};
use crate::sending::accept::{CONTACT_DETAIL, ComposedMessage, PREVIEW_DETAIL, STICKER_DETAIL, VOICE_DETAIL};
use crate::write::WriteContext;
use api::content::{ContactContent, Content, LocationContent, TextContent};
use api::errors::ErrorCode;
use api::fields::Text;
use api::request::FieldError;
use model::account::Platform;
use model::prices;

/// Returns the price per recipient in credits, and the message.
///
/// # Errors
/// `TEMPLATE_ERROR` for a template that is missing, not approved or filled wrongly, `VALIDATION_ERROR` for a
/// sticker of another format.
pub fn compose(
    work: &WriteContext<'_>,
    channel: &str,
    content: Content,
    media: Option<&MediaInfo>,
) -> Result<(i64, ComposedMessage), ApiError> {
    let base = ComposedMessage { sender: "api", kind: content.kind(), ..ComposedMessage::default() };
    Ok(match content {
        Content::Text { text: TextContent { body, contact, link_preview } } => {
            let card = contact.map(ContactContent::into_model);
            let details = match (&card, link_preview) {
                (Some(card), _) => Some(json!({ CONTACT_DETAIL: card }).to_string()),
                (None, Some(is_shown)) => Some(json!({ PREVIEW_DETAIL: is_shown }).to_string()),
                (None, None) => None,
            };
            let content = card.map_or_else(|| body.into_string(), |card| card.describe());
            (prices::TEXT_CREDITS, ComposedMessage { content, details, ..base })
        }
        Content::Image { image: wanted }
        | Content::Audio { audio: wanted }
        | Content::Video { video: wanted }
        | Content::Document { document: wanted } => {
            let filename = wanted.filename.and_then(Text::non_empty);
            let mut details = json!({
                "mimeType": media.map(|media| &media.mime_type),
                "size": media.map(|media| media.size),
                "filename": filename,
            });
            if base.kind == "audio" && wanted.voice == Some(true) {
                details[VOICE_DETAIL] = true.into();
            }
            if base.kind == "image" && wanted.sticker == Some(true) {
                if wanted.caption.is_some() {
                    return Err(FieldError::new("image.caption", "must be absent for a sticker").into());
                }
                media::check_sticker(&Platform::Whatsapp, "image.link", media)?;
                details[STICKER_DETAIL] = true.into();
            }
            let price = media::price(base.kind, media.is_some_and(|media| media.hosted));
            let outgoing = ComposedMessage {
                content: wanted.caption.and_then(Text::non_empty).or(filename).unwrap_or_default(),
                media_url: Some(wanted.link.into_string()),
                details: Some(details.to_string()),
                ..base
            };
            (price, outgoing)
        }
        Content::Template { template } => {
            let (name, language) = (template.name.as_str(), template.language.code.as_str());
            let components = template.components.map(|all| all.to_values()).unwrap_or_default();
            let content = template_text(work, channel, name, language, &components)?;
            let details = json!({"template": name, "language": language, "components": components});
            (
                prices::TEMPLATE_CREDITS,
                ComposedMessage { content, details: Some(details.to_string()), ..base },
            )
        }
        Content::Interactive { interactive } => {
            let value = Value::Object(interactive.to_map());
            let content = value["body"]["text"].as_str().unwrap_or("[interactive]").to_owned();
            (
                prices::TEXT_CREDITS,
                ComposedMessage { content, details: Some(interactive.into_string()), ..base },
            )
        }
        Content::Location { location } => {
            let LocationContent { latitude, longitude, name, address } = location;
            let details = json!({
                "latitude": latitude,
                "longitude": longitude,
                "name": name.as_ref().map(Text::as_str),
                "address": address.as_ref().map(Text::as_str),
            });
            let place = || format!("{}, {}", details["latitude"], details["longitude"]);
            let content = name.or(address).map_or_else(place, Text::into_string);
            (prices::TEXT_CREDITS, ComposedMessage { content, details: Some(details.to_string()), ..base })
        }
    })
}

fn template_text(
    work: &WriteContext<'_>,
    channel: &str,
    name: &str,
    language: &str,
    components: &[Value],
) -> Result<String, ApiError> {
    let found = templates::find(work.db, channel, name, language)?;
    let refuse = |message: String| ApiError::new(ErrorCode::TemplateError, message);
    let template = found.ok_or_else(|| refuse(format!("there is no template {name} in {language}")))?;
    if template.status != "APPROVED" {
        return Err(refuse(format!("the template {name} is {}, not APPROVED", template.status)));
    }
    let parts: Vec<Value> =
        serde_json::from_str(&template.components).map_err(|cause| ApiError::internal(&cause))?;
    fill(&parts, components)
}
