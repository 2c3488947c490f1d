//! Texts and calls of a phone number, on an interface of Twilio's shape.
//!
//! The service's own id stands in the address at which the platform reports
//! what became of a message or call: what was cut off after it may have left is
//! settled by that. The platform does not repeat a call that was not taken, so
//! its lists are read as well.
//!
//! | file | what |
//! |---|---|
//! | `asking.rs` | one request, and why there was no answer |
//! | `sending.rs` | what a parcel becomes, and what an answer to it means |
//! | `hooks.rs` | what the platform calls to tell |
//! | `listing.rs` | what its lists tell |
//! | `signature.rs` | whether a call is the platform's |

mod asking;
mod hooks;
mod listing;
mod sending;
mod signature;

use serde_json::Value;

use crate::carriers::{
    BoxFuture, FileFetchError, InboundUpdate, OutboundFile, OutboundMessage, PlatformError, PlatformEvent,
    PlatformSource, PollResult, SendOutcome, Transport, WebhookCall,
};
use crate::platforms::voip::signature::SigningKey;
use crate::platforms::web;
use connections::guard::Guard;
use model::secret::Secret;
use model::text::SafeText;
use model::time::MINUTE;
use wire::carriers::{PhoneSecrets, PhoneSettings};

pub use hooks::names_in_call;
pub use listing::mark_from;

/// Where the platform is, unless somebody says otherwise.
pub const DEFAULT_API: &str = "https://api.twilio.com";
/// The version of its interface.
const API_VERSION: &str = "2010-04-01";

pub struct PhonePlatform {
    guard: Guard,
    settings: PhoneSettings,
    token: Secret,
    key: SigningKey,
    /// Where it calls the service, if it can.
    hook: Option<String>,
}

/// What the platform keeps of an account and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhoneIdentity {
    pub account: String,
    /// Whether it only reaches numbers that were verified.
    pub is_trial: bool,
    pub id: String,
    pub texts: bool,
    pub calls: bool,
    /// Where the platform calls for a text that comes in.
    pub hook: Option<String>,
}

impl PhonePlatform {
    /// A number at an address, which is called back at another.
    pub fn new(settings: PhoneSettings, secrets: &PhoneSecrets, hook: Option<&str>) -> Self {
        Self {
            guard: web::guard_of(&settings.api),
            settings,
            token: Secret::new(&secrets.token),
            key: SigningKey::new(&secrets.token),
            hook: hook.map(str::to_owned),
        }
    }

    /// The same, from what is kept.
    pub fn open(settings: &str, secrets: &str, hook: Option<&str>) -> Result<Self, String> {
        let settings = serde_json::from_str(settings).map_err(|why| format!("its settings: {why}"))?;
        let secrets = serde_json::from_str(secrets).map_err(|_| "its secrets cannot be read".to_owned())?;
        Ok(Self::new(settings, &secrets, hook))
    }

    /// Asks for the account's own record and the number's: whether the token is
    /// good for both.
    pub async fn identify(&self) -> Result<PhoneIdentity, PlatformError> {
        let long = |why: String| PlatformError { why, pause: MINUTE };
        let account = self.get_account().await?;
        let line = |value: &Value| SafeText::line(value.as_str().unwrap_or("")).as_str().to_owned();
        if account["status"].as_str().is_some_and(|account| account != "active") {
            let status = line(&account["status"]);
            return Err(long(format!("the account is {status}: the platform's own pages say why")));
        }
        let asked = [("PhoneNumber", self.settings.number.as_str())];
        let told = self.get_resource("IncomingPhoneNumbers.json", &asked).await?;
        let found = told["incoming_phone_numbers"].as_array().and_then(|array| array.first()).cloned();
        let Some(found) = found.filter(|value| value["sid"].is_string()) else {
            let number = &self.settings.number;
            return Err(long(format!(
                "{number} is no number of this account: look at --number and --account-sid"
            )));
        };
        Ok(PhoneIdentity {
            account: line(&account["friendly_name"]),
            is_trial: account["type"].as_str().is_some_and(|account| account.eq_ignore_ascii_case("trial")),
            id: line(&found["sid"]),
            texts: found["capabilities"]["sms"] == true,
            calls: found["capabilities"]["voice"] == true,
            hook: Some(line(&found["sms_url"])).filter(|text| !text.is_empty()),
        })
    }

    /// Ends a call.
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
            let told = [("SmsUrl", url.unwrap_or("")), ("SmsMethod", "POST")];
            self.post_form(&format!("IncomingPhoneNumbers/{}.json", me.id), &told).await.map(drop)
        })
    }

    fn hook_names(&self) -> Vec<String> {
        vec![hooks::name(&self.settings.account, &self.settings.number)]
    }

    fn is_genuine(&self, call: &WebhookCall<'_>) -> bool {
        self.hook.as_ref().is_some_and(|hook| self.key.is_genuine(hook, call))
    }

    fn split_updates(&self, call: &WebhookCall<'_>) -> Vec<InboundUpdate> {
        hooks::split_call(&self.settings, call)
    }

    fn webhook_response(&self) -> Option<(&'static str, &'static str)> {
        Some(("text/xml", "<Response/>"))
    }

    fn parse_updates(&self, body: &[u8]) -> Vec<PlatformEvent> {
        hooks::parse_update(&serde_json::from_slice(body).unwrap_or_default())
    }

    fn fetch_media<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Vec<u8>, FileFetchError>> {
        Box::pin(self.download(reference))
    }
}
