//! One API call and its errors.

use std::time::Duration;

use serde_json::{Value, json};

use crate::contract::{FileFetchError, FoundChat, PlatformError, PlatformEvent};
use crate::telegram::{BotPlatform, LONG_POLL_SECONDS, chat, retry_pause, updates};
use crate::web;
use crate::words::read_text;
use model::text::SafeText;
use model::time::{MINUTE, SECOND};
use net::guard::{FetchError, FetchLimits, Fetched, OversizePolicy, Request};

/// Maximum size of an answer, in bytes: a hundred updates.
const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;
/// Maximum size of a file that the platform gives a bot, in bytes.
const MAX_FILE_BYTES: usize = 20 * 1024 * 1024;
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

impl BotPlatform {
    pub(super) async fn call(&self, method: &str, request: Request) -> Result<Fetched, FetchError> {
        let url = format!("{}/bot{}/{method}", self.api, self.token.expose());
        let waits =
            if method == "getUpdates" { Duration::from_secs(LONG_POLL_SECONDS) } else { Duration::ZERO };
        let limits = FetchLimits {
            max_body: MAX_ANSWER_BYTES,
            oversize: OversizePolicy::Refuse,
            total: CALL_TIMEOUT + waits,
        };
        self.guard.fetch(&self.guard.vet(&url)?, request, limits).await
    }

    /// Makes a call without a second effect and returns its result.
    pub(super) async fn call_idempotent(&self, method: &str, asked: Value) -> Result<Value, PlatformError> {
        let request = web::json_request(&asked).map_err(|why| PlatformError::transient(why.to_string()))?;
        let answer = self.call(method, request).await?;
        let told = web::json_body(&answer);
        if answer.status == 200 && told["ok"] == true {
            return Ok(told["result"].clone());
        }
        Err(platform_error(answer.status, &told))
    }

    /// Finds the chat of an address; the platform gives no information on its topic.
    pub(super) async fn find_chat_at(&self, address: &str) -> Result<Option<FoundChat>, PlatformError> {
        let (wanted, topic) = chat::split_address(address);
        let mut asked = json!({});
        chat::set_address(&mut asked, wanted);
        let request = web::json_request(&asked).map_err(|why| PlatformError::transient(why.to_string()))?;
        let answer = self.call("getChat", request).await?;
        let told = web::json_body(&answer);
        let found = &told["result"];
        match (answer.status, found["id"].as_i64()) {
            (200, Some(id)) => Ok(Some(FoundChat {
                address: topic.map_or_else(|| id.to_string(), |topic| format!("{id}/{topic}")),
                name: chat::display_name(found),
                username: read_text(&found["username"]),
            })),
            (400 | 403, _) => Ok(None),
            (status, _) => Err(platform_error(status, &told)),
        }
    }

    /// Finds a connection to a business by its id.
    pub(super) async fn find_connection_by_id(
        &self,
        id: &str,
    ) -> Result<Option<PlatformEvent>, PlatformError> {
        let request = web::json_request(&json!({ "business_connection_id": id }));
        let request = request.map_err(|why| PlatformError::transient(why.to_string()))?;
        let answer = self.call("getBusinessConnection", request).await?;
        let told = web::json_body(&answer);
        match answer.status {
            200 => Ok(updates::read_connection(&told["result"])),
            400 | 403 => Ok(None),
            status => Err(platform_error(status, &told)),
        }
    }

    pub(super) async fn file_path(&self, id: &str) -> Result<String, FileFetchError> {
        let request = web::json_request(&json!({ "file_id": id }));
        let request = request.map_err(|why| FileFetchError::transient(why.to_string()))?;
        let answer = self.call("getFile", request).await?;
        let told = web::json_body(&answer);
        if let Some(path) = told["result"]["file_path"].as_str() {
            return Ok(path.to_owned());
        }
        let said =
            SafeText::line(told["description"].as_str().unwrap_or("the platform does not return the file"));
        let said = said.as_str().trim_start_matches("Bad Request: ").to_owned();
        match answer.status {
            400 if !said.contains("temporarily") => Err(FileFetchError::permanent(said)),
            400 => Err(FileFetchError::transient(said)),
            status => Err(platform_error(status, &told).into()),
        }
    }

    pub(super) async fn download(&self, path: &str) -> Result<Vec<u8>, FileFetchError> {
        let url = format!("{}/file/bot{}/{path}", self.api, self.token.expose());
        let url = self.guard.vet(&url)?;
        web::file_bytes(self.guard.fetch(&url, Request::get(), FetchLimits::media(MAX_FILE_BYTES)).await?)
    }
}

fn platform_error(status: u16, told: &Value) -> PlatformError {
    let said = SafeText::line(told["description"].as_str().unwrap_or("it gave no reason"));
    let retry = told["parameters"]["retry_after"].as_i64();
    match status {
        401 | 404 => PlatformError::needs_person(
            "the platform does not know this token; create a new one with @BotFather and connect the \
             channel again",
        ),
        409 if said.as_str().contains("webhook") => PlatformError {
            why: "the platform sends this bot's messages to another address, so they cannot be read here; \
                  connect the channel again to stop that"
                .to_owned(),
            pause: MINUTE / 2,
        },
        409 => PlatformError {
            why: "another program reads this bot's messages at the same time; stop it, or create a new \
                  token with @BotFather"
                .to_owned(),
            pause: 10 * SECOND,
        },
        429 => PlatformError { why: "the platform asks to wait".to_owned(), pause: retry_pause(retry) },
        status => PlatformError::transient(format!("the platform answered {status}: {said}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_is_explained() {
        let cases = [
            (401, json!({"description": "Unauthorized"}), "does not know this token", MINUTE),
            (404, json!({"description": "Not Found"}), "@BotFather", MINUTE),
            (
                409,
                json!({"description": "Conflict: can't use getUpdates method while webhook is active"}),
                "to another address",
                MINUTE / 2,
            ),
            (
                409,
                json!({"description": "Conflict: terminated by other getUpdates request"}),
                "another program reads this bot",
                10 * SECOND,
            ),
            (429, json!({"parameters": {"retry_after": 7}}), "asks to wait", 7 * SECOND),
            (502, json!(null), "answered 502", 3 * SECOND),
        ];
        for (status, told, words, pause) in cases {
            let trouble = platform_error(status, &told);
            assert!(trouble.why.contains(words), "{status}: {trouble}");
            assert_eq!(trouble.pause, pause, "{status}");
        }
    }
}
