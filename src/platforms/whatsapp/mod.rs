//! WhatsApp: business chat over its cloud API.
//!
//! Each message carries the service's own id, which every status report returns: this settles a
//! send that broke off after it may have left.
//!
//! | file | content |
//! |---|---|
//! | `asking.rs` | one API call and its errors |
//! | `sending.rs` | requests that send messages, and their outcomes |
//! | `uploads.rs` | cache of uploaded files |
//! | `calls.rs` | webhook calls: messages, statuses, changes of the account |
//! | `history.rs` | messages from before the connection |
//! | `templates.rs` | the account's templates: list, submission, deletion |
//! | `message.rs` | author and content of a message |
//! | `structured.rs` | orders, forms, contacts and places as text |
//! | `address.rs` | people with a number or an id, and groups |

pub(super) mod address;
mod asking;
mod calls;
mod history;
mod message;
mod sending;
mod structured;
mod templates;
mod uploads;

use std::collections::HashMap;
use std::time::Duration;

use hyper::Method;
use ring::hmac;
use subtle::ConstantTimeEq;
use url::form_urlencoded::byte_serialize;

use crate::contract::{
    BoxFuture, FileFetchError, InboundUpdate, MISSED_CALL_PREFIX, OutboundFile, OutboundMessage,
    PlatformDescription, PlatformError, PlatformEvent, PlatformSource, PollResult, SendOutcome,
    SubmissionFuture, Template, Transport, WebhookCall,
};
use crate::web;
use crate::whatsapp::uploads::Uploads;
use api::carriers::{NumberSecrets, NumberSettings};
use model::secret::Secret;
use model::text::SafeText;
use net::guard::{Guard, Request};

pub use calls::names_in_call;
pub use history::FIELD as HISTORY_LANE;
pub use templates::{SubmissionError, SubmittedTemplate};

/// Time for which a typing indicator is visible, less the time of the request.
const TYPING_DURATION: Duration = Duration::from_secs(20);
pub const DEFAULT_API: &str = "https://graph.facebook.com/v23.0";
const SIGNATURE_HEADER: &str = "x-hub-signature-256";
/// Prefix of ids made for payment messages.
const PAYMENT_PREFIX: &str = "payment ";
/// Prefix of ids made for choices about marketing messages.
const PREFERENCE_PREFIX: &str = "preference ";

pub struct NumberPlatform {
    guard: Guard,
    settings: NumberSettings,
    token: Secret,
    key: hmac::Key,
    verify: String,
    uploads: Uploads,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberIdentity {
    pub phone: String,
    pub name: String,
    pub quality: Option<String>,
    /// Limit of customers a day to whom it may write first.
    pub tier: Option<String>,
}

impl NumberPlatform {
    pub fn new(settings: NumberSettings, secrets: &NumberSecrets) -> Self {
        Self {
            guard: web::guard_of(&settings.api),
            settings,
            token: Secret::new(&secrets.token),
            key: hmac::Key::new(hmac::HMAC_SHA256, secrets.app_secret.as_bytes()),
            verify: secrets.verify.clone(),
            uploads: Uploads::default(),
        }
    }

    pub fn open(settings: &str, secrets: &str) -> Result<Self, String> {
        let settings = serde_json::from_str(settings)
            .map_err(|why| format!("its settings cannot be read ({why}); connect the channel again"))?;
        let secrets = serde_json::from_str(secrets)
            .map_err(|_| "its secrets cannot be read; connect the channel again".to_owned())?;
        Ok(Self::new(settings, &secrets))
    }

    /// Fetches the number's record, which checks the token.
    pub async fn identify(&self) -> Result<NumberIdentity, PlatformError> {
        let fields = "display_phone_number,verified_name,quality_rating,messaging_limit_tier";
        let told = self
            .call_idempotent(&format!("{}?fields={fields}", self.settings.number), Request::get())
            .await?;
        let text = |name: &str| told[name].as_str().map(|text| SafeText::line(text).as_str().to_owned());
        let digits: String =
            text("display_phone_number").unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
        if digits.is_empty() {
            return Err(PlatformError::transient("the platform did not return the number's details"));
        }
        Ok(NumberIdentity {
            phone: format!("+{digits}"),
            name: text("verified_name").unwrap_or_default(),
            quality: text("quality_rating"),
            tier: text("messaging_limit_tier"),
        })
    }

    /// Returns true if the platform calls a webhook for this account.
    pub async fn is_subscribed(&self) -> Result<bool, PlatformError> {
        let path = format!("{}/subscribed_apps", self.settings.account);
        let told = self.call_idempotent(&path, Request::get()).await?;
        Ok(told["data"].as_array().is_some_and(|array| !array.is_empty()))
    }

    pub async fn load_account(&self) -> Result<(NumberIdentity, Vec<Template>), PlatformError> {
        Ok((self.identify().await?, self.list_templates().await?))
    }

    /// Returns the settings updated with the platform's record of the number.
    pub fn with_identity(&self, me: &NumberIdentity) -> NumberSettings {
        NumberSettings { quality: me.quality.clone(), tier: me.tier.clone(), ..self.settings.clone() }
    }
}

impl Transport for NumberPlatform {
    fn send_message<'a>(
        &'a self,
        parcel: &'a OutboundMessage,
        file: Option<&'a OutboundFile>,
    ) -> BoxFuture<'a, SendOutcome> {
        Box::pin(self.send(parcel, file))
    }
}

impl PlatformSource for NumberPlatform {
    fn needs_polling(&self) -> bool {
        false
    }

    fn poll_updates<'a>(&'a self, mark: &'a str) -> BoxFuture<'a, Result<PollResult, PlatformError>> {
        Box::pin(std::future::ready(Ok(PollResult { mark: mark.to_owned(), ..PollResult::default() })))
    }

    fn subscribe<'a>(&'a self, url: Option<&'a str>) -> BoxFuture<'a, Result<(), PlatformError>> {
        Box::pin(async move {
            // The webhook URL is configured on the platform's own pages.
            let method = if url.is_some() { Method::POST } else { Method::DELETE };
            let path = format!("{}/subscribed_apps", self.settings.account);
            self.call_idempotent(&path, Request::new(method, "")).await.map(drop)
        })
    }

    fn answer_challenge(&self, asked: &HashMap<String, String>) -> Option<String> {
        let given = asked.get("hub.verify_token").map_or("", String::as_str);
        let is_it = asked.get("hub.mode").is_some_and(|text| text == "subscribe");
        let is_mine = !self.verify.is_empty() && bool::from(given.as_bytes().ct_eq(self.verify.as_bytes()));
        asked.get("hub.challenge").filter(|_| is_it && is_mine).cloned()
    }

    fn hook_names(&self) -> Vec<String> {
        vec![calls::number_name(&self.settings.number), calls::account_name(&self.settings.account)]
    }

    fn is_genuine(&self, call: &WebhookCall<'_>) -> bool {
        let given = call
            .headers
            .get(SIGNATURE_HEADER)
            .and_then(|header| header.to_str().ok()?.strip_prefix("sha256="));
        let Some(tag) = given.and_then(decode_hex) else { return false };
        hmac::verify(&self.key, call.body, &tag).is_ok()
    }

    fn split_updates(&self, call: &WebhookCall<'_>) -> Vec<InboundUpdate> {
        calls::split_call(&self.settings, call.body)
    }

    fn parse_updates(&self, body: &[u8]) -> Vec<PlatformEvent> {
        calls::parse_update(&serde_json::from_slice(body).unwrap_or_default())
    }

    fn show_typing<'a>(&'a self, _: &'a str, seen: &'a str) -> Option<BoxFuture<'a, Duration>> {
        Some(Box::pin(async move {
            self.show_typing_to(seen).await;
            TYPING_DURATION
        }))
    }

    fn fetch_media<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Vec<u8>, FileFetchError>> {
        Box::pin(async move {
            let reference: String = byte_serialize(reference.as_bytes()).collect();
            // The URL is valid for minutes and needs the token, too.
            let address = self.file_address(&reference).await?;
            self.download(&address).await
        })
    }

    fn request_review<'a>(&'a self, template: &'a Template) -> Option<SubmissionFuture<'a>> {
        Some(Box::pin(self.submit_template(template)))
    }

    fn describe_account(&self) -> Option<BoxFuture<'_, Result<PlatformDescription, PlatformError>>> {
        Some(Box::pin(async move {
            let (me, templates) = self.load_account().await?;
            let settings = serde_json::to_string(&self.with_identity(&me));
            let settings = settings.map_err(|why| PlatformError::transient(why.to_string()))?;
            Ok(PlatformDescription { settings, templates })
        }))
    }
}

/// Returns true if the platform knows a message by this id. Payments, choices and missed calls are shown as
/// messages and have ids that this service makes.
pub fn is_message_id(id: &str) -> bool {
    let own = [PAYMENT_PREFIX, PREFERENCE_PREFIX, MISSED_CALL_PREFIX];
    !id.is_empty() && !own.iter().any(|prefix| id.starts_with(prefix))
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    (0..32).map(|at| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;

    use super::*;

    #[test]
    fn ids_that_this_service_makes_are_no_message_ids() {
        for id in ["", "payment captured T1 wamid.1", "preference 00ff", "missed wacid.1"] {
            assert!(!is_message_id(id), "{id}");
        }
        assert!(is_message_id("wamid.1"));
    }

    fn platform() -> NumberPlatform {
        let secrets = NumberSecrets {
            token: "t".to_owned(),
            app_secret: "app".to_owned(),
            verify: "verify me".to_owned(),
        };
        NumberPlatform::new(NumberSettings::default(), &secrets)
    }

    #[test]
    fn a_call_is_signed_over_its_bytes() {
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"app");
        let hex = |body: &[u8]| -> String {
            hmac::sign(&key, body).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let is_genuine = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(SIGNATURE_HEADER, text.parse().expect("a header"));
            platform().is_genuine(&WebhookCall { query: "", headers: &headers, body: b"{}" })
        };
        assert!(is_genuine(&format!("sha256={}", hex(b"{}"))));
        assert!(!is_genuine(&format!("sha256={}", hex(b"{ }"))), "other bytes");
        for wrong in ["", "sha256=", "sha256=zz", &hex(b"{}")] {
            assert!(!is_genuine(wrong), "{wrong}");
        }
        let headers = HeaderMap::new();
        assert!(!platform().is_genuine(&WebhookCall { query: "", headers: &headers, body: b"{}" }));
    }

    #[test]
    fn only_who_knows_the_word_is_answered_its_challenge() {
        let asked = |mode: &str, token: &str| {
            let pairs = [("hub.mode", mode), ("hub.verify_token", token), ("hub.challenge", "42")];
            platform().answer_challenge(&pairs.map(|(name, text)| (name.to_owned(), text.to_owned())).into())
        };
        assert_eq!(asked("subscribe", "verify me").as_deref(), Some("42"));
        assert_eq!(asked("subscribe", "verify"), None);
        assert_eq!(asked("unsubscribe", "verify me"), None);
    }
}
