//! The one place that performs requests.
//!
//! Knows nothing of resources. Bodies are read by streaming with a bound
//! after unpacking, so that a small answer that unpacks to a large one ends
//! at the bound.

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, RequestBuilder, Response};

use crate::client::connect::Client;
use crate::client::errors::{NotSent, Outcome, ReadError, Unclear, class_read, class_write};
use crate::client::headers::{self, Facts};
use crate::client::pace::Kind;
use crate::client::words;
use crate::model::ids::IdempotencyKey;
use crate::model::outbox::PreparedRequest;
use crate::model::text::SafeText;
use crate::model::time::{SECOND, Timestamp};

/// The body of a read that succeeded; not looked at yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The bytes.
    pub body: Vec<u8>,
    /// The server's own time.
    pub server_time: Option<Timestamp>,
    pub(crate) facts: Facts,
}

/// The body of a write that succeeded: a JSON object, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The bytes.
    pub body: Vec<u8>,
    /// Whether it is an answer given before under the same key.
    pub replayed: bool,
    /// The server's own time.
    pub server_time: Option<Timestamp>,
}

/// A whole answer of any status.
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) facts: Facts,
    pub(crate) body: Vec<u8>,
}

/// Why there is no whole answer.
enum Broken {
    /// No byte left.
    NotSent(NotSent),
    /// Bytes may have left.
    Midway(SafeText, Option<u16>),
}

impl Client {
    /// Reads a path below the base URL.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Answer, ReadError> {
        let url = format!("{}{path}", self.shared.base_url);
        let request =
            self.shared.http.request(Method::GET, url).query(query).timeout(self.shared.bounds.read_total);
        match self.exchange(request, Kind::Read(self.urgency), path).await {
            Ok(raw) => class_read(raw).and_then(|it| self.look(path, query, it)),
            Err(Broken::NotSent(NotSent::Offline(why)) | Broken::Midway(why, None)) => {
                Err(ReadError::Offline(why))
            }
            Err(Broken::NotSent(NotSent::Misconfigured(why))) => Err(ReadError::Misconfigured(why)),
            Err(Broken::NotSent(NotSent::Paced(wait))) => Err(ReadError::Paced(wait)),
            Err(Broken::Midway(why, Some(_))) => Err(ReadError::Trouble(why)),
        }
    }

    /// Sends prepared bytes under a key, once.
    pub async fn write(&self, request: &PreparedRequest, key: &IdempotencyKey) -> Outcome<Reply> {
        let Ok(key) = HeaderValue::from_str(key.as_str()) else {
            let why = SafeText::line("the row's key cannot be sent");
            return Outcome::NotSent(NotSent::Misconfigured(why));
        };
        let method = if request.method == "PATCH" { Method::PATCH } else { Method::POST };
        let url = format!("{}{}", self.shared.base_url, request.path);
        let mut builder = self.shared.http.request(method, url).timeout(self.shared.bounds.write_total);
        builder = builder.header("Idempotency-Key", key);
        if !request.body.is_empty() {
            let json = HeaderValue::from_static("application/json");
            builder = builder.header(CONTENT_TYPE, json).body(request.body.clone());
        }
        match self.exchange(builder, Kind::Send, &request.path).await {
            Ok(raw) => class_write(raw),
            Err(Broken::NotSent(why)) => Outcome::NotSent(why),
            Err(Broken::Midway(why, status)) => Outcome::Unknown(Unclear::new(why.as_str(), status)),
        }
    }

    async fn exchange(&self, request: RequestBuilder, kind: Kind, path: &str) -> Result<Raw, Broken> {
        let now = self.now();
        if let Err(wait) = self.pace(|pace| pace.ask(kind, self.seat, now)) {
            return Err(Broken::NotSent(NotSent::Paced(wait)));
        }
        let response = request.send().await.map_err(|error| no_answer(&error))?;
        let status = response.status().as_u16();
        let facts = headers::read(response.headers(), self.now());
        let heard_at = self.now();
        self.pace(|pace| {
            if let Some(rate) = facts.rate {
                pace.hear(kind, rate, heard_at);
            }
            if status == 429 {
                pace.refused(kind, facts.retry_after.unwrap_or(5 * SECOND), heard_at);
            }
        });
        tracing::debug!(path, status, "answered");
        let body = read_body(response, self.shared.bounds.body).await?;
        Ok(Raw { status, facts, body })
    }
}

fn no_answer(error: &reqwest::Error) -> Broken {
    let why = SafeText::line(&words::transport(error));
    if words::is_certificate(error) || error.is_builder() {
        Broken::NotSent(NotSent::Misconfigured(why))
    } else if error.is_connect() {
        Broken::NotSent(NotSent::Offline(why))
    } else {
        Broken::Midway(why, None)
    }
}

async fn read_body(mut response: Response, most: usize) -> Result<Vec<u8>, Broken> {
    let status = Some(response.status().as_u16());
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > most => {
                let why = format!("the server's answer is larger than {} MiB and was not read", most >> 20);
                return Err(Broken::Midway(SafeText::line(&why), status));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => {
                let words = words::transport(&error);
                return Err(Broken::Midway(SafeText::line(&words), status));
            }
        }
    }
}
