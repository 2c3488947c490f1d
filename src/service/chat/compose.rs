//! Conversion of a send's content to an outgoing message and its price.

use serde_json::{Value, json};

use crate::chat::content::Content;
use crate::chat::send::ComposedMessage;
use crate::chat::templates::fill;
use crate::database::templates;
use crate::errors::ApiError;
use crate::media::{self, MediaInfo};
use crate::write::WriteContext;
use model::prices;
use wire::errors::ErrorCode;

/// Returns the price per recipient in credits, and the message.
///
/// # Errors
/// `TEMPLATE_ERROR` for a template that is missing, not approved or filled wrongly.
pub fn compose(
    work: &WriteContext<'_>,
    workspace: &str,
    content: Content,
    media: Option<&MediaInfo>,
) -> Result<(i64, ComposedMessage), ApiError> {
    let base = ComposedMessage { sender: "api", kind: content.kind(), ..ComposedMessage::default() };
    Ok(match content {
        Content::Text(text) => (prices::TEXT_CREDITS, ComposedMessage { content: text, ..base }),
        Content::Media(wanted) => {
            let details = json!({
                "mimeType": media.map(|media| &media.mime_type),
                "size": media.map(|media| media.size),
                "filename": wanted.filename,
            });
            let outgoing = ComposedMessage {
                content: wanted.caption.or(wanted.filename).unwrap_or_default(),
                media_url: Some(wanted.link),
                details: Some(details.to_string()),
                ..base
            };
            (media::price(wanted.kind, media.is_some_and(|media| media.hosted)), outgoing)
        }
        Content::Template { name, language, components } => {
            let content = template_text(work, workspace, &name, &language, &components)?;
            let details = json!({"template": name, "language": language, "components": components});
            (
                prices::TEMPLATE_CREDITS,
                ComposedMessage { content, details: Some(details.to_string()), ..base },
            )
        }
        Content::Interactive(value) => {
            let content = value["body"]["text"].as_str().unwrap_or("[interactive]").to_owned();
            (prices::TEXT_CREDITS, ComposedMessage { content, details: Some(value.to_string()), ..base })
        }
        Content::Location(value) => {
            let named = ["name", "address"].iter().find_map(|entry| value[*entry].as_str());
            let place = || format!("{}, {}", value["latitude"], value["longitude"]);
            let content = named.map_or_else(place, str::to_owned);
            (prices::TEXT_CREDITS, ComposedMessage { content, details: Some(value.to_string()), ..base })
        }
    })
}

fn template_text(
    work: &WriteContext<'_>,
    workspace: &str,
    name: &str,
    language: &str,
    components: &[Value],
) -> Result<String, ApiError> {
    let found = templates::find(work.db, workspace, name, language)?;
    let refuse = |message: String| ApiError::new(ErrorCode::TemplateError, message);
    let template = found.ok_or_else(|| refuse(format!("there is no template {name} in {language}")))?;
    if template.status != "APPROVED" {
        return Err(refuse(format!("the template {name} is {}, not APPROVED", template.status)));
    }
    let parts: Vec<Value> =
        serde_json::from_str(&template.components).map_err(|cause| ApiError::internal(&cause))?;
    fill(&parts, components)
}
