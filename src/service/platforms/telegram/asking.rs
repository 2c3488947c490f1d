//! One call of the platform, and why there was no answer.

use std::time::Duration;

use serde_json::{Value, json};

use crate::carriers::{FileTrouble, FoundChat, PlatformTrouble};
use crate::platforms::telegram::{BotPlatform, LONG_POLL, chat, pause};
use crate::platforms::web;
use crate::platforms::words::text;
use connections::guard::{FetchError, FetchLimits, Fetched, Longer, Request};
use model::text::SafeText;
use model::time::{MINUTE, SECOND};

/// Bytes of an answer at most: a hundred updates.
const ANSWER: usize = 8 * 1024 * 1024;
/// Bytes of a file at most that the platform gives a bot.
const FILE: usize = 20 * 1024 * 1024;
/// For a call.
const TIME: Duration = Duration::from_secs(20);

impl BotPlatform {
    /// Makes a call with a body that is ready.
    pub(super) async fn call(&self, method: &str, request: Request) -> Result<Fetched, FetchError> {
        let url = format!("{}/bot{}/{method}", self.api, self.token.expose());
        let waits = if method == "getUpdates" { Duration::from_secs(LONG_POLL) } else { Duration::ZERO };
        let limits = FetchLimits { max_body: ANSWER, longer: Longer::Refuse, total: TIME + waits };
        self.guard.fetch(&self.guard.vet(&url)?, request, limits).await
    }

    /// Makes a call that changes nothing twice; its result.
    pub(super) async fn ask(&self, method: &str, asked: Value) -> Result<Value, PlatformTrouble> {
        let request = web::json(&asked).map_err(|why| PlatformTrouble::passing(why.to_string()))?;
        let answer = self.call(method, request).await?;
        let told = web::told(&answer);
        if answer.status == 200 && told["ok"] == true {
            return Ok(told["result"].clone());
        }
        Err(trouble(answer.status, &told))
    }

    /// Asks for the chat at an address, whose topic the platform does not tell.
    pub(super) async fn chat_at(&self, address: &str) -> Result<Option<FoundChat>, PlatformTrouble> {
        let (wanted, topic) = chat::split(address);
        let mut asked = json!({});
        chat::set_address(&mut asked, wanted);
        let request = web::json(&asked).map_err(|why| PlatformTrouble::passing(why.to_string()))?;
        let answer = self.call("getChat", request).await?;
        let told = web::told(&answer);
        let found = &told["result"];
        match (answer.status, found["id"].as_i64()) {
            (200, Some(id)) => Ok(Some(FoundChat {
                address: topic.map_or_else(|| id.to_string(), |topic| format!("{id}/{topic}")),
                name: chat::name_of(found),
                username: text(&found["username"]),
            })),
            (400 | 403, _) => Ok(None),
            (status, _) => Err(trouble(status, &told)),
        }
    }

    /// Asks where a file lies.
    pub(super) async fn file_path(&self, id: &str) -> Result<String, FileTrouble> {
        let request = web::json(&json!({ "file_id": id }));
        let request = request.map_err(|why| FileTrouble::passing(why.to_string()))?;
        let answer = self.call("getFile", request).await?;
        let told = web::told(&answer);
        if let Some(path) = told["result"]["file_path"].as_str() {
            return Ok(path.to_owned());
        }
        let said = SafeText::line(told["description"].as_str().unwrap_or("the platform does not give it"));
        let said = said.as_str().trim_start_matches("Bad Request: ").to_owned();
        match answer.status {
            400 if !said.contains("temporarily") => Err(FileTrouble::last(said)),
            400 => Err(FileTrouble::passing(said)),
            status => Err(trouble(status, &told).into()),
        }
    }

    /// Reads a file of the platform's.
    pub(super) async fn download(&self, path: &str) -> Result<Vec<u8>, FileTrouble> {
        let url = format!("{}/file/bot{}/{path}", self.api, self.token.expose());
        let url = self.guard.vet(&url)?;
        web::file(self.guard.fetch(&url, Request::get(), FetchLimits::media(FILE)).await?)
    }
}

/// What an answer means that is none.
fn trouble(status: u16, told: &Value) -> PlatformTrouble {
    let said = SafeText::line(told["description"].as_str().unwrap_or("it said nothing more"));
    let retry = told["parameters"]["retry_after"].as_i64();
    match status {
        401 | 404 => PlatformTrouble::long(
            "the platform does not know this token: make a new one with @BotFather and connect the channel again",
        ),
        409 if said.as_str().contains("webhook") => PlatformTrouble {
            why: "the platform calls another address for this bot, so it cannot be read: connect the channel again, which ends \
                  that"
                .to_owned(),
            pause: MINUTE / 2,
        },
        409 => PlatformTrouble {
            why: "another program reads this bot at the same time: end it, or make a new token with @BotFather".to_owned(),
            pause: 10 * SECOND,
        },
        429 => PlatformTrouble { why: "the platform asks for a pause".to_owned(), pause: pause(retry) },
        status => PlatformTrouble::passing(format!("the platform answered {status}: {said}")),
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
                "calls another address",
                MINUTE / 2,
            ),
            (
                409,
                json!({"description": "Conflict: terminated by other getUpdates request"}),
                "another program reads this bot",
                10 * SECOND,
            ),
            (429, json!({"parameters": {"retry_after": 7}}), "asks for a pause", 7 * SECOND),
            (502, json!(null), "answered 502", 3 * SECOND),
        ];
        for (status, told, words, pause) in cases {
            let trouble = trouble(status, &told);
            assert!(trouble.why.contains(words), "{status}: {trouble}");
            assert_eq!(trouble.pause, pause, "{status}");
        }
    }
}
