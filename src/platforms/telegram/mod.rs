//! Telegram: the bot platform over its HTTP API.
//!
//! The API has no idempotency: a request that broke off after it may have left keeps an unknown
//! outcome. Each request uses a new connection, so a failure to connect proves that nothing has
//! left.
//!
//! | file | content |
//! |---|---|
//! | `asking.rs` | one API call and its errors |
//! | `sending.rs` | requests that send messages, and their outcomes |
//! | `updates.rs` | updates received from the platform |
//! | `message.rs` | content of a message |
//! | `structured.rs` | polls, payments, places and the like as text |
//! | `vcard.rs` | the card of a shared contact |
//! | `chat.rs` | chats, their topics, and authors |
//! | `html.rs`, `markdown.rs` | the visible text of marked-up messages |

mod asking;
pub mod chat;
pub mod html;
pub mod markdown;
mod message;
mod sending;
mod structured;
mod updates;
mod vcard;

use std::borrow::Cow;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::{Value, json};
use subtle::ConstantTimeEq;

use crate::contract::{
    BoxFuture, FileFetchError, FindChatFuture, FindConnectionFuture, InboundUpdate, OutboundFile,
    OutboundMessage, PlatformError, PlatformEvent, PlatformSource, PollResult, SendOutcome, Transport,
    WebhookCall,
};
use crate::web;
use api::carriers::{BotSecrets, BotSettings};
use model::secret::Secret;
use model::time::{MINUTE, SECOND};
use net::guard::Guard;

/// Time for which a typing indicator is visible, less the time of the request.
const TYPING_DURATION: Duration = Duration::from_secs(4);
pub const DEFAULT_API: &str = "https://api.telegram.org";
const SECRET_HEADER: &str = "x-telegram-bot-api-secret-token";
/// Timeout of a long poll on the platform's side.
const LONG_POLL_SECONDS: u64 = 25;
/// Maximum number of updates per poll.
const MAX_UPDATES: u64 = 100;
/// Method and field of an answer to a pressed button.
const ANSWER_PRESS: &str = "answerCallbackQuery";
const PRESS_FIELD: &str = "callback_query_id";

pub struct BotPlatform {
    guard: Guard,
    api: String,
    token: Secret,
    hook: String,
    webhook: bool,
    /// Mark read last by this process, whose updates are not yet confirmed to the platform.
    unconfirmed: Mutex<Option<String>>,
    /// Ids of polled button presses that the platform awaits an answer to.
    presses: Mutex<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotIdentity {
    pub id: i64,
    /// User name with a leading `@`.
    pub name: String,
}

impl BotPlatform {
    pub fn new(settings: &BotSettings, secrets: &BotSecrets) -> Self {
        Self {
            guard: web::guard_of(&settings.api),
            api: settings.api.trim_end_matches('/').to_owned(),
            token: Secret::new(&secrets.token),
            hook: secrets.hook.clone(),
            webhook: settings.webhook,
            unconfirmed: Mutex::default(),
            presses: Mutex::default(),
        }
    }

    pub fn open(settings: &str, secrets: &str) -> Result<Self, String> {
        let settings = serde_json::from_str(settings)
            .map_err(|why| format!("its settings cannot be read ({why}); connect the channel again"))?;
        let secrets = serde_json::from_str(secrets)
            .map_err(|_| "its secrets cannot be read; connect the channel again".to_owned())?;
        Ok(Self::new(&settings, &secrets))
    }

    /// Returns true if this process read up to a mark that was stored since.
    fn is_unconfirmed(&self, mark: &str) -> bool {
        self.unconfirmed.lock().unwrap_or_else(PoisonError::into_inner).as_deref() == Some(mark)
    }

    /// Ends the waiting sign that the platform shows on polled buttons since they were pressed.
    async fn answer_presses(&self) {
        let presses = std::mem::take(&mut *self.presses.lock().unwrap_or_else(PoisonError::into_inner));
        for id in presses {
            // The platform takes no answer to an old press, whose sign has ended by itself.
            if let Err(error) = self.call_idempotent(ANSWER_PRESS, json!({ PRESS_FIELD: id })).await {
                tracing::debug!(%error, "a pressed button was not answered");
            }
        }
    }

    /// Fetches the bot's identity, which checks the token.
    pub async fn identify(&self) -> Result<BotIdentity, PlatformError> {
        let me = self.call_idempotent("getMe", json!({})).await?;
        let name = me["username"].as_str().map(|text| format!("@{text}"));
        match (me["id"].as_i64(), name) {
            (Some(id), Some(name)) => Ok(BotIdentity { id, name }),
            _ => Err(PlatformError::transient("the platform does not say who the bot is")),
        }
    }

    /// Returns the registered webhook URL and the last error the platform had there.
    pub async fn webhook(&self) -> Result<(Option<String>, Option<String>), PlatformError> {
        let info = self.call_idempotent("getWebhookInfo", json!({})).await?;
        let text = |name: &str| info[name].as_str().filter(|info| !info.is_empty()).map(str::to_owned);
        Ok((text("url"), text("last_error_message")))
    }
}

impl Transport for BotPlatform {
    fn send_message<'a>(
        &'a self,
        parcel: &'a OutboundMessage,
        file: Option<&'a OutboundFile>,
    ) -> BoxFuture<'a, SendOutcome> {
        Box::pin(self.send(parcel, file))
    }
}

impl PlatformSource for BotPlatform {
    fn needs_polling(&self) -> bool {
        !self.webhook
    }

    /// Polls without an offset, except to confirm updates that were just read and stored: the
    /// platform restarts its numbering after a week without updates, and an offset confirms all
    /// updates below it. Updates read twice are stored once.
    fn poll_updates<'a>(&'a self, mark: &'a str) -> BoxFuture<'a, Result<PollResult, PlatformError>> {
        Box::pin(async move {
            let offset: i64 = if self.is_unconfirmed(mark) { mark.parse().unwrap_or(0) } else { 0 };
            let asked = json!({
                "offset": offset, "timeout": LONG_POLL_SECONDS, "limit": MAX_UPDATES, "allowed_updates": updates::REQUESTED_UPDATES,
            });
            // Presses are answered after their updates were stored, and delay no newer update.
            let answers = pin!(self.answer_presses());
            let told = match select(pin!(self.call_idempotent("getUpdates", asked)), answers).await {
                Either::Left((told, _)) => told?,
                Either::Right(((), updates)) => updates.await?,
            };
            let told = told.as_array().map_or(&[][..], Vec::as_slice);
            let pieces: Vec<InboundUpdate> = told.iter().filter_map(updates::to_inbound_update).collect();
            let last = told.iter().filter_map(|update| update["update_id"].as_i64()).max();
            let mark = last.map_or(0, |last| last.saturating_add(1)).to_string();
            let presses = told.iter().filter_map(updates::press_id).map(str::to_owned).collect();
            *self.presses.lock().unwrap_or_else(PoisonError::into_inner) = presses;
            *self.unconfirmed.lock().unwrap_or_else(PoisonError::into_inner) = last.map(|_| mark.clone());
            Ok(PollResult { updates: pieces, mark, ..PollResult::default() })
        })
    }

    fn subscribe<'a>(&'a self, url: Option<&'a str>) -> BoxFuture<'a, Result<(), PlatformError>> {
        Box::pin(async move {
            let done = match url {
                Some(url) => {
                    let asked = json!({
                        "url": url, "secret_token": self.hook, "allowed_updates": updates::REQUESTED_UPDATES, "max_connections": 10,
                    });
                    self.call_idempotent("setWebhook", asked).await
                }
                None => self.call_idempotent("deleteWebhook", json!({})).await,
            };
            done.map(drop).map_err(|error| PlatformError { pause: error.pause.max(MINUTE / 2), ..error })
        })
    }

    fn is_genuine(&self, call: &WebhookCall<'_>) -> bool {
        let given = call.headers.get(SECRET_HEADER).map_or(&[][..], |header| header.as_bytes());
        !self.hook.is_empty() && bool::from(given.ct_eq(self.hook.as_bytes()))
    }

    fn split_updates(&self, call: &WebhookCall<'_>) -> Vec<InboundUpdate> {
        let update: Option<Value> = serde_json::from_slice(call.body).ok();
        update.as_ref().and_then(updates::to_inbound_update).into_iter().collect()
    }

    /// Answers a pressed button with the same request.
    fn webhook_response(&self, call: &WebhookCall<'_>) -> Option<(&'static str, Cow<'static, str>)> {
        let update: Value = serde_json::from_slice(call.body).ok()?;
        let answer = json!({ "method": ANSWER_PRESS, PRESS_FIELD: updates::press_id(&update)? });
        Some(("application/json", Cow::Owned(answer.to_string())))
    }

    fn parse_updates(&self, body: &[u8]) -> Vec<PlatformEvent> {
        let update: Value = serde_json::from_slice(body).unwrap_or_default();
        updates::parse_update(&update)
    }

    fn show_typing<'a>(&'a self, to: &'a str, _: &'a str) -> Option<BoxFuture<'a, Duration>> {
        Some(Box::pin(async move {
            let mut asked = json!({ "action": "typing" });
            chat::set_address(&mut asked, to);
            asked["chat_id"] = chat::split_address(to).0.into();
            let told = self.call_idempotent("sendChatAction", asked).await;
            told.map_or_else(|trouble| typing_pause(&trouble), |_| TYPING_DURATION)
        }))
    }

    fn find_chat<'a>(&'a self, address: &'a str) -> Option<FindChatFuture<'a>> {
        // The platform gives a bot no information on the chats of a business.
        if chat::is_business(address) {
            return None;
        }
        Some(Box::pin(self.find_chat_at(address)))
    }

    fn find_connection<'a>(&'a self, address: &'a str) -> Option<FindConnectionFuture<'a>> {
        Some(Box::pin(self.find_connection_by_id(chat::connection_id(address)?)))
    }

    fn fetch_media<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Vec<u8>, FileFetchError>> {
        Box::pin(async move {
            let path = self.file_path(reference).await?;
            self.download(&path).await
        })
    }
}

/// Pause after a typing indicator failed.
fn typing_pause(trouble: &PlatformError) -> Duration {
    TYPING_DURATION.max(Duration::from_micros(u64::try_from(trouble.pause).unwrap_or(0)))
}

/// Pause that the platform demands before the next request.
fn retry_pause(seconds: Option<i64>) -> i64 {
    seconds.unwrap_or(3).clamp(1, 3600) * SECOND
}
