//! The way a whole request leaves and its answer comes back: over sockets in
//! production, by another way in simulations.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream;
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderValue};
use reqwest::{Body, Method, Response, redirect};

use crate::connect::{Address, ClientTimeouts};
use crate::errors::NotSent;
use crate::local_listener::ListenerCheck;
use crate::words;
use model::text::SafeText;

/// How long an unused connection is kept; shorter than servers do, so that a
/// write rarely meets one that was just closed.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// Bytes of a piece of a body whose progress is told.
const CHUNK_BYTES: usize = 64 * 1024;

/// A request with everything that leaves.
#[derive(Debug, Clone)]
pub struct OutgoingRequest {
    pub method: Method,
    /// The whole address, with its query.
    pub url: String,
    /// All headers but those a connection makes for itself.
    pub headers: HeaderMap,
    /// The bytes; none for a read.
    pub body: Vec<u8>,
    /// How long the exchange may take in all.
    pub total: Duration,
    /// Who hears how far a large body has come.
    pub progress: Option<UploadProgress>,
}

/// Hears how many bytes of a body were handed on so far.
#[derive(Clone)]
pub struct UploadProgress(Arc<dyn Fn(usize) + Send + Sync>);

impl UploadProgress {
    /// Tells this.
    pub fn new(hear: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }
}

impl fmt::Debug for UploadProgress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Progress")
    }
}

/// An answer whose head has come.
#[derive(Debug, Clone)]
pub struct IncomingResponse {
    pub status: u16,
    pub headers: HeaderMap,
    /// The whole body, unpacked, or why it did not come whole.
    pub body: Result<Vec<u8>, IncompleteBody>,
}

/// Why a body did not come whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteBody {
    pub why: SafeText,
    /// Whether there was more than is read.
    pub too_large: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeError {
    /// No byte left.
    NotSent(NotSent),
    /// Bytes may have left.
    Midway(SafeText),
}

/// Carries requests. Object safe, so that a simulation can give a client its
/// own.
pub trait Transport: Send + Sync {
    /// Carries one request, once: never again by itself, never elsewhere.
    fn exchange(&self, request: OutgoingRequest) -> BoxFuture<'_, Result<IncomingResponse, ExchangeError>>;
}

/// Carries requests over sockets.
pub(crate) struct SocketTransport {
    /// Made for the first request: reading the certificates that the system trusts
    /// takes longer than drawing the screen.
    http: OnceLock<Result<reqwest::Client, SafeText>>,
    is_loopback: bool,
    local: [SocketAddr; 2],
    listener: Option<ListenerCheck>,
    connect: Duration,
    /// How long an answer may pause.
    idle: Duration,
    /// Bytes of the largest answer that is read, after unpacking.
    most: usize,
}

/// What every connection of this desk is built on.
pub(crate) fn builder() -> reqwest::ClientBuilder {
    crate::install_tls();
    reqwest::Client::builder()
        .user_agent(concat!("frontdesk/", env!("CARGO_PKG_VERSION")))
        // A redirect would carry the key and the body to another place.
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
            most: bounds.body,
        }
    }

    fn http(&self) -> Result<&reqwest::Client, ExchangeError> {
        let made = self.http.get_or_init(|| self.make().map_err(|error| SafeText::line(&error.to_string())));
        made.as_ref().map_err(|why| ExchangeError::NotSent(NotSent::Misconfigured(why.clone())))
    }

    fn make(&self) -> reqwest::Result<reqwest::Client> {
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
            // A body in pieces does not tell its length by itself.
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        // A read is answered soon or not at all; what is to be done or carried
        // up may take all its time before the head of an answer comes.
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
            Ok(IncomingResponse { status, headers, body: read_body(response, self.idle, self.most).await })
        })
    }
}

/// A body whose pieces are told of as they are taken.
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

/// Reads by streaming with a bound after unpacking, so that a small answer
/// that unpacks to a large one ends at the bound.
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
