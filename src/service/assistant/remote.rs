//! An assistant behind any endpoint that speaks the common chat completion
//! form. What goes wrong there is answered by the script instead.
//!
//! Knows nothing of conversations beyond what was said. The endpoint is the
//! operator's choice: a public https address, or loopback over http.

use std::time::Duration;

use serde_json::{Value, json};

use crate::connections::guard::{Guard, Limits, Longer, Policy, Request, VettedUrl};
use crate::model::bounds;
use crate::model::secret::Secret;
use crate::service::assistant::{Answer, Assistant, Scripted, Speaker, Thinking, Tools, Turn, asking};

/// How long an endpoint may take.
const TIME: Duration = Duration::from_secs(20);
/// Bytes of an answer at most.
const BODY: usize = 256 * 1024;
/// What the model says when a person is needed.
const HANDOVER: &str = "HANDOVER";

/// Where a model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Up to and including its version, such as `https://host.example/v1`.
    pub url: String,
    /// The model's name.
    pub model: String,
    /// Sent as a bearer key, where the endpoint wants one.
    pub key: Option<Secret>,
}

/// Asks an endpoint.
pub struct Remote {
    url: VettedUrl,
    endpoint: Endpoint,
    guard: Guard,
    business: String,
}

impl Remote {
    /// With the name of the business it speaks for.
    ///
    /// # Errors
    /// In words, when the address cannot be used.
    pub fn new(endpoint: Endpoint, business: &str) -> Result<Self, String> {
        let guard = Guard::system(Policy { allow_loopback_http: true });
        let base = endpoint.url.trim_end_matches('/');
        let whole = if base.ends_with("/chat/completions") {
            base.to_owned()
        } else {
            format!("{base}/chat/completions")
        };
        let url = guard.vet(&whole).map_err(|why| format!("the assistant's address {whole}: {why}"))?;
        Ok(Self { url, endpoint, guard, business: business.to_owned() })
    }

    /// Asks, and lets it look things up before it answers.
    async fn ask(&self, turn: &Turn, tools: &Tools) -> Result<Answer, String> {
        let mut body = self.question(turn);
        asking::offer(&mut body, tools);
        for _ in 0..asking::ROUNDS {
            let told = self.send(body.to_string()).await?;
            let message = &told["choices"][0]["message"];
            if asking::look_up(&mut body, message, tools).await {
                continue;
            }
            let text = message["content"].as_str().map(str::trim).filter(|it| !it.is_empty());
            return Ok(read(text.ok_or("its answer holds no text")?));
        }
        Err("it looks things up without end".to_owned())
    }

    async fn send(&self, body: String) -> Result<Value, String> {
        let mut request = Request::post(body)
            .header("content-type", "application/json")
            .and_then(|it| it.header("accept", "application/json"))
            .map_err(|why| why.to_string())?;
        if let Some(key) = &self.endpoint.key {
            let bearer = format!("Bearer {}", key.expose());
            request = request.header("authorization", &bearer).map_err(|why| why.to_string())?;
        }
        let limits = Limits { max_body: BODY, longer: Longer::Refuse, total: TIME };
        let answer = self.guard.fetch(&self.url, request, limits).await.map_err(|why| why.to_string())?;
        if answer.status != 200 {
            return Err(format!("it answered {}", answer.status));
        }
        serde_json::from_slice(&answer.body).map_err(|_| "it did not answer with JSON".to_owned())
    }

    /// The body of the request.
    fn question(&self, turn: &Turn) -> Value {
        let mut messages = vec![json!({"role": "system", "content": self.instructions(turn)})];
        for (speaker, text) in &turn.said {
            let role = if *speaker == Speaker::Customer { "user" } else { "assistant" };
            messages.push(json!({"role": role, "content": text}));
        }
        json!({"model": self.endpoint.model, "messages": messages, "max_tokens": 400, "stream": false})
    }

    fn instructions(&self, turn: &Turn) -> String {
        let language = turn.language.as_deref().unwrap_or("the customer's language");
        format!(
            "You answer customers of {} in a chat. Write in {language}, in at most three short sentences of plain \
             text. Never invent orders, prices or promises. When you cannot help, or the customer wants a person, \
             answer with the single word {HANDOVER}.",
            self.business
        )
    }
}

/// What a model said: a call for a person, or a text within the bound.
fn read(text: &str) -> Answer {
    if text.contains(HANDOVER) {
        return Answer { text: None, escalation: Some("the assistant asked for a person".to_owned()) };
    }
    Answer { text: Some(text.chars().take(bounds::TEXT).collect()), escalation: None }
}

impl Assistant for Remote {
    fn answer<'a>(&'a self, turn: &'a Turn, tools: &'a Tools) -> Thinking<'a> {
        Box::pin(async move {
            match self.ask(turn, tools).await {
                Ok(answer) => answer,
                Err(why) => {
                    tracing::warn!(%why, "the assistant's endpoint failed; the script answers");
                    Scripted.answer(turn, tools).await
                }
            }
        })
    }

    fn is_instant(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_says() {
        let long = "x".repeat(5000);
        let cases = [
            ("We are open until 19:00.", Some("We are open until 19:00."), false),
            ("HANDOVER", None, true),
            ("**HANDOVER**.", None, true),
            (long.as_str(), Some(&long[..4096]), false),
        ];
        for (said, text, escalates) in cases {
            let answer = read(said);
            assert_eq!((answer.text.as_deref(), answer.escalation.is_some()), (text, escalates));
        }
    }

    #[test]
    fn addresses_that_can_be_asked() {
        let endpoint = |url: &str| Endpoint { url: url.to_owned(), model: "m".to_owned(), key: None };
        for url in
            ["http://127.0.0.1:8000/v1", "https://llm.example/v1/", "https://llm.example/v1/chat/completions"]
        {
            let remote = Remote::new(endpoint(url), "Shop").unwrap_or_else(|why| panic!("{why}"));
            assert!(remote.url.as_str().ends_with("/v1/chat/completions"), "{url}");
        }
        for url in ["", "llm.example", "ftp://llm.example/v1", "http://llm.example/v1"] {
            assert!(Remote::new(endpoint(url), "Shop").is_err(), "{url}");
        }
    }
}
