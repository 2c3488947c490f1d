//! Exchange of a request for a response: over sockets in production, in process in simulations.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderValue};
use reqwest::{Body, Method, Response, redirect};

use crate::connect::{Address, ClientTimeouts};
use crate::errors::NotSent;
use crate::local_listener::ListenerCheck;
use crate::words;
use model::text::SafeText;

/// Keep-alive of an idle connection; shorter than that of servers, so that a write rarely meets a
/// connection that was just closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// Size of the chunks after which the upload progress is reported.
const CHUNK_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone)]
pub struct OutgoingRequest {
    pub method: Method,
    pub url: String,
    /// All headers except those of the connection.
    pub headers: HeaderMap,
    /// Empty for a read.
    pub body: Vec<u8>,
    pub total: Duration,
    pub progress: Option<UploadProgress>,
}

/// Callback for the number of bytes of the body handed over so far.
#[derive(Clone)]
pub struct UploadProgress(Arc<dyn Fn(usize) + Send + Sync>);

impl UploadProgress {
    pub fn new(hear: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }
}

impl fmt::Debug for UploadProgress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Progress")
    }
}

/// A response whose head has arrived.
#[derive(Debug, Clone)]
pub struct IncomingResponse {
    pub status: u16,
    pub headers: HeaderMap,
    /// Decompressed body, or the reason why it is incomplete.
    pub body: Result<Vec<u8>, IncompleteBody>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteBody {
    pub why: SafeText,
    /// True if the body exceeds the size limit.
    pub too_large: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeError {
    /// Failed before the first byte.
    NotSent(NotSent),
    /// Some bytes may have been sent.
    Midway(SafeText),
}

/// Body of a response, chunk by chunk; an error ends it.
pub type ChunkStream = BoxStream<'static, Result<Vec<u8>, SafeText>>;

/// A response whose body is still arriving.
pub struct OpenedStream {
    pub status: u16,
    pub headers: HeaderMap,
    pub chunks: ChunkStream,
}

/// Sends requests. Object safe, so that a simulation can replace it.
pub trait Transport: Send + Sync {
    /// Sends a request exactly once, without retry or redirect.
    fn exchange(&self, request: OutgoingRequest) -> BoxFuture<'_, Result<IncomingResponse, ExchangeError>>;

    /// Opens a response that is read as it arrives. `total` bounds the wait for its head and each pause of its
    /// body. Without sockets, the body is one chunk.
    fn open(&self, request: OutgoingRequest) -> BoxFuture<'_, Result<OpenedStream, ExchangeError>> {
        let answer = self.exchange(request);
        Box::pin(async move {
            let IncomingResponse { status, headers, body } = answer.await?;
            let chunk = body.map_err(|cut| cut.why);
            Ok(OpenedStream { status, headers, chunks: stream::iter([chunk]).boxed() })
        })
    }
}

pub(crate) struct SocketTransport {
    /// Created at the first request: loading the system's certificates takes longer than drawing
    /// the screen.
    http: OnceLock<Result<reqwest::Client, SafeText>>,
    is_loopback: bool,
    local: [SocketAddr; 2],
    listener: Option<ListenerCheck>,
    connect: Duration,
    /// Longest pause while receiving.
    idle: Duration,
    /// Maximum size of a decompressed body, in bytes.
    max_body_bytes: usize,
}

/// Base configuration of every HTTP client of this desk.
pub(crate) fn builder() -> reqwest::ClientBuilder {
    crate::install_tls();
    reqwest::Client::builder()
        .user_agent(concat!("frontdesk/", env!("CARGO_PKG_VERSION")))
        // A redirect would send the key and the body to another address.
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
}

impl SocketTransport {
    pub(crate) fn new(address: &Address, bounds: ClientTimeouts) -> Self {
        Self {
            http: OnceLock::new(),
            is_loopback: address.is_loopback,
            local: address.loopback_addresses(),
            listener: address.listener,
            connect: bounds.connect,
            idle: bounds.idle,
            max_body_bytes: bounds.body,
        }
    }

    fn http(&self) -> Result<&reqwest::Client, ExchangeError> {
        let made = self.http.get_or_init(|| {
            self.build_client().map_err(|error| SafeText::line(&words::describe_client_error(&error)))
        });
        made.as_ref().map_err(|why| ExchangeError::NotSent(NotSent::Misconfigured(why.clone())))
    }

    fn build_client(&self) -> reqwest::Result<reqwest::Client> {
        let mut builder = builder()
            .https_only(!self.is_loopback)
            .connect_timeout(self.connect)
            .pool_idle_timeout(POOL_IDLE_TIMEOUT);
        if self.is_loopback {
            builder = builder.no_proxy().resolve_to_addrs("localhost", &self.local);
        }
        if let Some(listener) = self.listener {
            builder = builder.connector_layer(listener);
        }
        builder.build()
    }
}

impl Transport for SocketTransport {
    fn exchange(&self, request: OutgoingRequest) -> BoxFuture<'_, Result<IncomingResponse, ExchangeError>> {
        let OutgoingRequest { method, url, mut headers, body, total, progress } = request;
        if progress.is_some() {
            // A streamed body has no length of its own.
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        // A read must be answered soon; a write or an upload may take its whole timeout before the
        // head of the response arrives.
        let soon = if method == Method::GET { self.idle.min(total) } else { total };
        let http = match self.http() {
            Ok(http) => http,
            Err(broken) => return Box::pin(std::future::ready(Err(broken))),
        };
        let mut builder = http.request(method, url).headers(headers).timeout(total);
        builder = match progress {
            _ if body.is_empty() => builder,
            Some(progress) => builder.body(chunked_body(body, progress)),
            None => builder.body(body),
        };
        Box::pin(async move {
            let response = match tokio::time::timeout(soon, builder.send()).await {
                Ok(sent) => sent.map_err(|error| to_exchange_error(&error))?,
                Err(_) => return Err(ExchangeError::Midway(SafeText::line(words::TIMEOUT_TEXT))),
            };
            let status = response.status().as_u16();
            let headers = response.headers().clone();
            Ok(IncomingResponse {
                status,
                headers,
                body: read_body(response, self.idle, self.max_body_bytes).await,
            })
        })
    }

    fn open(&self, request: OutgoingRequest) -> BoxFuture<'_, Result<OpenedStream, ExchangeError>> {
        let OutgoingRequest { method, url, headers, total: silence, .. } = request;
        let http = match self.http() {
            Ok(http) => http,
            Err(broken) => return Box::pin(std::future::ready(Err(broken))),
        };
        let sent = http.request(method, url).headers(headers).send();
        Box::pin(async move {
            let response = match tokio::time::timeout(silence, sent).await {
                Ok(sent) => sent.map_err(|error| to_exchange_error(&error))?,
                Err(_) => return Err(ExchangeError::Midway(SafeText::line(words::TIMEOUT_TEXT))),
            };
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Ok(OpenedStream { status, headers, chunks: chunks_of(response, silence) })
        })
    }
}

/// Chunks of a body; ends with an error after a pause longer than `silence`.
fn chunks_of(response: Response, silence: Duration) -> ChunkStream {
    let read = move |response: Option<Response>| async move {
        let mut response = response?;
        let why = match tokio::time::timeout(silence, response.chunk()).await {
            Ok(Ok(Some(chunk))) => return Some((Ok(chunk.to_vec()), Some(response))),
            Ok(Ok(None)) => return None,
            Ok(Err(error)) => words::describe_transport_error(&error),
            Err(_) => words::TIMEOUT_TEXT.to_owned(),
        };
        Some((Err(SafeText::line(&why)), None))
    };
    stream::unfold(Some(response), read).boxed()
}

/// Streams a body in chunks and reports progress before each.
fn chunked_body(body: Vec<u8>, progress: UploadProgress) -> Body {
    let pieces = stream::unfold((body, 0), move |(body, from)| {
        (progress.0)(from);
        let to = (from + CHUNK_BYTES).min(body.len());
        let piece = body.get(from..to).filter(|entry| !entry.is_empty()).map(<[u8]>::to_vec);
        async move { piece.map(|piece| (Ok::<_, std::io::Error>(piece), (body, to))) }
    });
    Body::wrap_stream(pieces)
}

fn to_exchange_error(error: &reqwest::Error) -> ExchangeError {
    let why = SafeText::line(&words::describe_transport_error(error));
    if words::is_certificate(error) || error.is_builder() {
        ExchangeError::NotSent(NotSent::Misconfigured(why))
    } else if error.is_connect() {
        ExchangeError::NotSent(NotSent::Offline(why))
    } else {
        ExchangeError::Midway(why)
    }
}

/// Reads the body with the size limit applied after decompression, so that a small response cannot
/// expand beyond it.
async fn read_body(mut response: Response, idle: Duration, most: usize) -> Result<Vec<u8>, IncompleteBody> {
    let mut body = Vec::new();
    loop {
        let Ok(chunk) = tokio::time::timeout(idle, response.chunk()).await else {
            return Err(IncompleteBody { why: SafeText::line(words::TIMEOUT_TEXT), too_large: false });
        };
        match chunk {
            Ok(Some(chunk)) if body.len() + chunk.len() > most => {
                let why = format!("the server's answer is larger than {} MiB and was not read", most >> 20);
                return Err(IncompleteBody { why: SafeText::line(&why), too_large: true });
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => {
                return Err(IncompleteBody {
                    why: SafeText::line(&words::describe_transport_error(&error)),
                    too_large: false,
                });
            }
        }
    }
}
