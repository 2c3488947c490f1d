//! Webhook subscriptions; email keys use separate paths.

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use crate::prepare::{PrepareError, json};
use api::paths;
use api::webhooks::{CreateWebhook, WebhookBody};
use model::account::Platform;
use model::ids::WebhookId;
use model::outbox::{PreparedRequest, WriteMethod};
use model::secret::Secret;

impl Client {
    /// `GET /webhooks` or `GET /email/webhooks`
    pub async fn webhooks(&self, platform: &Platform) -> Result<ListPage<WebhookBody>, ReadError> {
        let answer = self.get(path(platform), &[]).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }
}

fn path(platform: &Platform) -> &'static str {
    if *platform == Platform::Email { paths::EMAIL_WEBHOOKS } else { paths::WEBHOOKS }
}

/// `POST /webhooks` or `POST /email/webhooks`
pub(crate) fn prepare_add(
    platform: &Platform,
    url: &str,
    events: &[String],
    secret: Option<&Secret>,
) -> Result<PreparedRequest, PrepareError> {
    checks::link(url)?;
    let body = CreateWebhook {
        url: url.into(),
        events: (!events.is_empty()).then(|| events.to_vec()),
        secret: secret.map(|secret| secret.expose().into()),
    };
    json(WriteMethod::Post, path(platform), &body)
}

/// `DELETE /webhooks/{webhookId}` or `DELETE /email/webhooks/{webhookId}`
pub(crate) fn prepare_remove(platform: &Platform, id: &WebhookId) -> PreparedRequest {
    let path = match platform {
        Platform::Email => paths::email_webhook(id),
        _ => paths::webhook(id),
    };
    PreparedRequest::without_body(WriteMethod::Delete, path)
}
