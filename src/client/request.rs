//! Sends all API requests, within the rate budget.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Url};
use serde_json::Value;

use crate::calls;
use crate::connect::Client;
use crate::errors::writes::{classify, classify_shared};
use crate::errors::{AttemptPhase, NotSent, ReadError, Unclear, WriteOutcome, classify_read};
use crate::headers::{self, ResponseFacts};
use crate::pace::RequestKind;
use crate::pages::PageSize;
use crate::receipt::Receipt;
use crate::transport::{ChunkStream, ExchangeError, IncompleteBody, OpenedStream, OutgoingRequest};
use api::team::SEEN_HEADER;
use api::{paths, repair};
use model::ids::IdempotencyKey;
use model::outbox::{self, PreparedRequest};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadResponse {
    pub status: u16,
    pub body: Vec<u8>,
    pub server_time: Option<Timestamp>,
    pub(crate) facts: ResponseFacts,
}

pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) facts: ResponseFacts,
    pub(crate) body: Vec<u8>,
}

const LIMIT_PARAMETER: &str = "limit";
/// Maximum size of the body of a refused stream, in bytes.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;
/// Assumed upload rate of a slow line, in bytes per second.
const MIN_BYTES_PER_SECOND: u64 = 64 * 1024;

fn rows(query: &[(&str, &str)]) -> Option<u32> {
    query.iter().find(|(name, _)| *name == LIMIT_PARAMETER)?.1.parse().ok()
}

/// Returns the extra time for uploading the body. A multipart body gets a third of the ordinary
/// timeout on top, because the service inspects the file before it responds.
fn upload_time(request: &PreparedRequest, ordinary: Duration) -> Duration {
    let carried =
        Duration::from_secs(u64::try_from(request.body.len()).unwrap_or(u64::MAX) / MIN_BYTES_PER_SECOND);
    let is_file =
        request.content_type.as_deref().is_some_and(|content_type| content_type.starts_with("multipart/"));
    if is_file { carried + ordinary / 3 } else { carried }
}

impl Client {
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<ReadResponse, ReadError> {
        let rows = rows(query);
        let fewer = rows.map(|row| self.with_page_size(|size| size.limit(row)).to_string());
        let bounded = query.iter().map(|(name, value)| match &fewer {
            Some(fewer) if *name == LIMIT_PARAMETER => (*name, fewer.as_str()),
            _ => (*name, *value),
        });
        let url = self.address(path, &bounded.collect::<Vec<_>>()).map_err(ReadError::Misconfigured)?;
        let request = OutgoingRequest {
            method: Method::GET,
            url,
            headers: self.shared.headers.clone(),
            body: Vec::new(),
            total: self.bounded_timeout(self.shared.bounds.read_total),
            progress: None,
        };
        match self.exchange(request, RequestKind::Read(self.urgency), path).await {
            Ok((raw, None)) => {
                if rows.is_some() {
                    self.with_page_size(PageSize::record_page);
                }
                classify_read(raw).and_then(|class_read| self.stop_known_answer(path, query, class_read))
            }
            Ok((_, Some(cut))) => {
                if let Some(asked) = fewer.and_then(|fewer| fewer.parse().ok()).filter(|_| cut.too_large) {
                    self.with_page_size(|size| size.record_too_large(asked));
                }
                Err(ReadError::Trouble(cut.why))
            }
            Err(ExchangeError::NotSent(NotSent::Offline(why)) | ExchangeError::Midway(why)) => {
                Err(ReadError::Offline(why))
            }
            Err(ExchangeError::NotSent(NotSent::Misconfigured(why))) => Err(ReadError::Misconfigured(why)),
            Err(ExchangeError::NotSent(NotSent::Paced(wait))) => Err(ReadError::Paced(wait)),
            Err(ExchangeError::NotSent(NotSent::Limited(refusal))) => {
                Err(ReadError::Limited(refusal.retry_after.unwrap_or(SECOND)))
            }
        }
    }

    /// Sends an outbox row once under its idempotency key and classifies the response.
    pub async fn send_write(
        &self,
        operation: &outbox::Operation,
        request: &PreparedRequest,
        key: &IdempotencyKey,
        phase: AttemptPhase,
    ) -> WriteOutcome<Receipt> {
        let Ok(key) = HeaderValue::from_str(key.as_str()) else {
            let why = SafeText::line("the idempotency key contains invalid characters");
            return WriteOutcome::NotSent(NotSent::Misconfigured(why));
        };
        let url = match self.address(&request.path, &[]) {
            Ok(url) => url,
            Err(why) => return WriteOutcome::NotSent(NotSent::Misconfigured(why)),
        };
        let mut headers = self.shared.headers.clone();
        headers.insert("idempotency-key", key);
        if let Some(seen) = &self.seen {
            headers.insert(SEEN_HEADER, seen.clone());
        }
        match request.content_type.as_deref().map(HeaderValue::from_str) {
            None => {}
            Some(Ok(content_type)) => {
                headers.insert(CONTENT_TYPE, content_type);
            }
            Some(Err(_)) => {
                let why = SafeText::line("the media type contains invalid characters");
                return WriteOutcome::NotSent(NotSent::Misconfigured(why));
            }
        }
        let ordinary = self.shared.bounds.write_total;
        let most = ordinary + upload_time(request, ordinary);
        let outgoing = OutgoingRequest {
            method: match request.method {
                outbox::WriteMethod::Post => Method::POST,
                outbox::WriteMethod::Patch => Method::PATCH,
                outbox::WriteMethod::Put => Method::PUT,
                outbox::WriteMethod::Delete => Method::DELETE,
            },
            url,
            headers,
            body: request.body.clone(),
            total: self.bounded_timeout(most),
            progress: self.progress.clone(),
        };
        match self.exchange(outgoing, RequestKind::of_write(request), &request.path).await {
            Ok((raw, None)) => classify(operation, phase, &raw),
            Ok((raw, Some(cut))) => WriteOutcome::Unknown(Unclear::new(cut.why.as_str(), Some(raw.status))),
            Err(ExchangeError::NotSent(why)) => WriteOutcome::NotSent(why),
            Err(ExchangeError::Midway(why)) => WriteOutcome::Unknown(Unclear::new(why.as_str(), None)),
        }
    }

    /// Sends a write of the team once. `read` parses the body of an accepted answer, or of a 409
    /// that names the present claim.
    pub(crate) async fn share<T>(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> WriteOutcome<T> {
        let url = match self.address(path, &[]) {
            Ok(url) => url,
            Err(why) => return WriteOutcome::NotSent(NotSent::Misconfigured(why)),
        };
        let mut headers = self.shared.headers.clone();
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let outgoing = OutgoingRequest {
            method,
            url,
            headers,
            body: body.map(|body| body.to_string().into_bytes()).unwrap_or_default(),
            total: self.bounded_timeout(self.shared.bounds.write_total),
            progress: None,
        };
        match self.exchange(outgoing, RequestKind::Send, path).await {
            Ok((raw, None)) => classify_shared(&raw, read),
            Ok((raw, Some(cut))) => WriteOutcome::Unknown(Unclear::new(cut.why.as_str(), Some(raw.status))),
            Err(ExchangeError::NotSent(why)) => WriteOutcome::NotSent(why),
            Err(ExchangeError::Midway(why)) => WriteOutcome::Unknown(Unclear::new(why.as_str(), None)),
        }
    }

    /// Opens a response that is read as it arrives.
    ///
    /// # Errors
    /// As of a read; also any status but 200.
    pub(crate) async fn open_stream(
        &self,
        path: &str,
        last_id: Option<&str>,
        silence: Duration,
    ) -> Result<ChunkStream, ReadError> {
        let url = self.address(path, &[]).map_err(ReadError::Misconfigured)?;
        let mut headers = self.shared.headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = last_id.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert("last-event-id", id);
        }
        let (method, body) = (Method::GET, Vec::new());
        let request = OutgoingRequest { method, url, headers, body, total: silence, progress: None };
        let opened = self.shared.transport.open(request).await.map_err(|error| match error {
            ExchangeError::NotSent(NotSent::Misconfigured(why)) => ReadError::Misconfigured(why),
            ExchangeError::NotSent(NotSent::Offline(why)) | ExchangeError::Midway(why) => {
                ReadError::Offline(why)
            }
            ExchangeError::NotSent(NotSent::Paced(wait)) => ReadError::Paced(wait),
            ExchangeError::NotSent(NotSent::Limited(refusal)) => {
                ReadError::Limited(refusal.retry_after.unwrap_or(SECOND))
            }
        })?;
        let OpenedStream { status, headers: received, mut chunks } = opened;
        if status == 200 {
            return Ok(chunks);
        }
        let facts = headers::read(&received, self.now());
        let mut body = Vec::new();
        while let Some(Ok(chunk)) = chunks.next().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_REFUSAL_BYTES {
                break;
            }
        }
        let unexpected =
            || SafeText::line(&format!("the server answered {status} instead of an event stream"));
        Err(classify_read(RawResponse { status, facts, body })
            .err()
            .unwrap_or(ReadError::Trouble(unexpected())))
    }

    /// Returns the URL of a path below the base URL. The service's extensions for desks are beside
    /// `/v1`, with which the base URL ends.
    fn address(&self, path: &str, query: &[(&str, &str)]) -> Result<String, SafeText> {
        let base = self.shared.base_url.as_str();
        let base = match path.starts_with(paths::DESK) {
            true => base.strip_suffix("/v1").unwrap_or(base),
            false => base,
        };
        let mut url = Url::parse(&format!("{base}{path}"))
            .map_err(|error| SafeText::line(&format!("the address is not a valid URL: {error}")))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url.into())
    }

    /// Returns the response, and the reason if its body is incomplete.
    async fn exchange(
        &self,
        request: OutgoingRequest,
        kind: RequestKind,
        path: &str,
    ) -> Result<(RawResponse, Option<IncompleteBody>), ExchangeError> {
        let begun = self.shared.clock.times();
        if let Err(wait) = self.with_rate_budget(|pace| pace.acquire(kind, self.rate_slot, begun.moment)) {
            return Err(ExchangeError::NotSent(NotSent::Paced(wait)));
        }
        let call = calls::started(&request, &self.shared.base_url, begun.now);
        let read = (request.method == Method::GET).then(|| self.shared.unanswered.begin(begun.moment));
        let answer = self.shared.transport.exchange(request).await;
        drop(read);
        let took = self.moment().since(begun.moment);
        self.shared.calls.record(calls::finished(call, &answer, took.max(0)));
        let answer = answer?;
        self.shared.answers.fetch_add(1, Ordering::Relaxed);
        let status = answer.status;
        let (heard_at, moment) = (self.now(), self.moment());
        let facts = headers::read(&answer.headers, heard_at);
        self.with_rate_budget(|pace| {
            if let Some(rate) = facts.rate {
                pace.record_rate(kind, rate, moment);
            }
            if status == 429 {
                let reset = facts.rate.and_then(|rate| rate.reset_in);
                let wait = facts.retry_after.or(reset).unwrap_or(5 * SECOND);
                pace.record_refusal(kind, wait.max(SECOND), moment);
            }
        });
        if (200..300).contains(&status) {
            self.retries.record_success();
        }
        if let Some(date) = facts.date {
            let since_boot = self.shared.clock.since_boot();
            let heard = outbox::ClockTimes { wall: heard_at, server: None, since_boot };
            self.with_server_clock(|server_clock| server_clock.record_date(date, heard));
        }
        tracing::debug!(path, status, "answered");
        let (body, cut) = match answer.body {
            Ok(body) => {
                let charset = headers::charset(&answer.headers);
                (repair::repaired(body, charset.as_deref()), None)
            }
            Err(cut) => (Vec::new(), Some(cut)),
        };
        Ok((RawResponse { status, facts, body }, cut))
    }
}
