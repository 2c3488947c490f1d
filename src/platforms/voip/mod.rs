//! SMS and calls of a phone number over a Twilio API.
//!
//! The status URL of each message or call contains the service's own id: a report settles a send
//! that broke off after it may have left. The platform does not repeat a failed webhook call, so
//! its lists are read, too.
//!
//! | file | content |
//! |---|---|
//! | `asking.rs` | one API request and its errors |
//! | `sending.rs` | requests that send messages, and their outcomes |
//! | `hooks.rs` | webhook calls of the platform |
//! | `listing.rs` | lists of messages and calls |
//! | `signature.rs` | signatures of webhook calls |

mod asking;
mod hooks;
mod listing;
mod sending;
mod signature;

use std::borrow::Cow;

use serde_json::Value;

use crate::contract::{
    BoxFuture, FileFetchError, InboundUpdate, OutboundFile, OutboundMessage, PlatformError, PlatformEvent,
    PlatformSource, PollResult, SendOutcome, Transport, WebhookCall,
};
use crate::voip::signature::SigningKey;
use crate::web;
use api::carriers::{PhoneSecrets, PhoneSettings};
use model::secret::Secret;
use model::text::SafeText;
use model::time::MINUTE;
use net::guard::Guard;

pub use hooks::names_in_call;
pub use listing::mark_from;

pub const DEFAULT_API: &str = "https://api.twilio.com";
const API_VERSION: &str = "2010-04-01";

pub struct PhonePlatform {
    guard: Guard,
    settings: PhoneSettings,
    token: Secret,
    key: SigningKey,
    /// URL of the service's webhook, if the platform can reach it.
    hook: Option<String>,
}

/// The platform's record of an account and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhoneIdentity {
    pub account: String,
    /// True if it reaches only verified numbers.
    pub is_trial: bool,
    pub id: String,
    pub texts: bool,
    pub calls: bool,
    /// Webhook URL for inbound SMS.
    pub hook: Option<String>,
    /// URL for reports of inbound calls.
    pub call_hook: Option<String>,
    /// Name of the messaging service that sends the texts.
    pub messaging_service: Option<String>,
}

impl PhonePlatform {
    /// `hook` is the URL of the service's webhook.
    pub fn new(settings: PhoneSettings, secrets: &PhoneSecrets, hook: Option<&str>) -> Self {
        Self {
            guard: web::guard_of(&settings.api),
            settings,
            token: Secret::new(&secrets.token),
            key: SigningKey::new(&secrets.token),
            hook: hook.map(str::to_owned),
        }
    }

    pub fn open(settings: &str, secrets: &str, hook: Option<&str>) -> Result<Self, String> {
        let settings = serde_json::from_str(settings)
            .map_err(|why| format!("its settings cannot be read ({why}); connect the channel again"))?;
        let secrets = serde_json::from_str(secrets)
            .map_err(|_| "its secrets cannot be read; connect the channel again".to_owned())?;
        Ok(Self::new(settings, &secrets, hook))
    }

    /// Fetches the records of the account and the number, which checks the token.
    pub async fn identify(&self) -> Result<PhoneIdentity, PlatformError> {
        let long = |why: String| PlatformError { why, pause: MINUTE };
        let account = self.get_account().await?;
        let line = |value: &Value| SafeText::line(value.as_str().unwrap_or("")).as_str().to_owned();
        if account["status"].as_str().is_some_and(|account| account != "active") {
            let status = line(&account["status"]);
            return Err(long(format!("the account is {status}; the platform's console shows why")));
        }
        let asked = [("PhoneNumber", self.settings.number.as_str())];
        let told = self.get_resource("IncomingPhoneNumbers.json", &asked).await?;
        let found = told["incoming_phone_numbers"].as_array().and_then(|array| array.first()).cloned();
        let Some(found) = found.filter(|value| value["sid"].is_string()) else {
            let number = &self.settings.number;
            return Err(long(format!(
                "{number} is not a number of this account; check --number and --account-sid"
            )));
        };
        let messaging_service = match &self.settings.messaging_service {
            Some(service) => Some(line(&self.messaging_service(service, None).await?["friendly_name"])),
            None => None,
        };
        let address = |name: &str| Some(line(&found[name])).filter(|text| !text.is_empty());
        Ok(PhoneIdentity {
            account: line(&account["friendly_name"]),
            is_trial: account["type"].as_str().is_some_and(|account| account.eq_ignore_ascii_case("trial")),
            id: line(&found["sid"]),
            texts: found["capabilities"]["sms"] == true,
            calls: found["capabilities"]["voice"] == true,
            hook: address("sms_url"),
            call_hook: address("status_callback"),
            messaging_service,
        })
    }

    pub async fn hang_up(&self, call: &str) -> Result<(), PlatformError> {
        self.post_form(&format!("Calls/{call}.json"), &[("Status", "completed")]).await.map(drop)
    }
}

impl Transport for PhonePlatform {
    fn send_message<'a>(
        &'a self,
        parcel: &'a OutboundMessage,
        _: Option<&'a OutboundFile>,
    ) -> BoxFuture<'a, SendOutcome> {
        Box::pin(self.send(parcel))
    }
}

impl PlatformSource for PhonePlatform {
    fn needs_polling(&self) -> bool {
        false
    }

    fn is_also_polled(&self) -> bool {
        true
    }

    fn poll_updates<'a>(&'a self, mark: &'a str) -> BoxFuture<'a, Result<PollResult, PlatformError>> {
        Box::pin(self.list_since(mark))
    }

    fn subscribe<'a>(&'a self, url: Option<&'a str>) -> BoxFuture<'a, Result<(), PlatformError>> {
        Box::pin(async move {
            let me = self.identify().await?;
            let url = url.unwrap_or("");
            let mut told = vec![("SmsUrl", url), ("SmsMethod", "POST")];
            // An address that somebody else has set for the reports of calls stays.
            if me.call_hook.is_none() || me.call_hook == me.hook {
                told.extend([("StatusCallback", url), ("StatusCallbackMethod", "POST")]);
            }
            self.post_form(&format!("IncomingPhoneNumbers/{}.json", me.id), &told).await?;
            let Some(service) = &self.settings.messaging_service else { return Ok(()) };
            // Otherwise the platform calls where each number of the service says.
            let told = [
                ("InboundRequestUrl", url),
                ("InboundMethod", "POST"),
                ("UseInboundWebhookOnNumber", "false"),
            ];
            self.messaging_service(service, Some(&told[..])).await.map(drop)
        })
    }

    fn hook_names(&self) -> Vec<String> {
        hooks::own_names(&self.settings)
    }

    fn is_genuine(&self, call: &WebhookCall<'_>) -> bool {
        self.hook.as_ref().is_some_and(|hook| self.key.is_genuine(hook, call))
    }

    fn split_updates(&self, call: &WebhookCall<'_>) -> Vec<InboundUpdate> {
        hooks::split_call(&self.settings, call)
    }

    fn webhook_response(&self, call: &WebhookCall<'_>) -> Option<(&'static str, Cow<'static, str>)> {
        Some(("text/xml", Cow::Borrowed(hooks::response(call))))
    }

    fn parse_updates(&self, body: &[u8]) -> Vec<PlatformEvent> {
        hooks::parse_update(&serde_json::from_slice(body).unwrap_or_default())
    }

    fn fetch_media<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Vec<u8>, FileFetchError>> {
        Box::pin(self.download(reference))
    }
}
