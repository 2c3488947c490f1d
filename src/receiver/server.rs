//! HTTP server for deliveries: one request per connection, limited in number, size and time.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use url::form_urlencoded;

use crate::hooks::{DeliveryResponse, IncomingDelivery, WebhookRoutes};

pub const MAX_BODY_BYTES: usize = 1 << 20;
const MAX_HEADERS: usize = 64;
/// Read buffer in bytes; limits the size of the request head.
const READ_BUFFER_BYTES: usize = 16 * 1024;
const SIGNATURE_HEADER: &str = "x-service-signature";

#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Maximum number at a time; further connections wait to be accepted.
    pub connections: usize,
    /// Age after which the oldest connection is aborted if all are in use. Answering a delivery
    /// takes far less.
    pub grace: Duration,
    pub head: Duration,
    pub lifetime: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 128,
            grace: Duration::from_millis(250),
            head: Duration::from_secs(5),
            lifetime: Duration::from_secs(10),
        }
    }
}

/// Serves until `stop` is true or its sender is dropped.
pub async fn serve(
    listener: TcpListener,
    hooks: Arc<WebhookRoutes>,
    bounds: ConnectionLimits,
    mut stop: watch::Receiver<bool>,
) {
    let mut open = VecDeque::new();
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            accepted = accept(&listener, &mut open, bounds) => accepted,
        };
        let Some(stream) = accepted else { continue };
        let hooks = hooks.clone();
        let task = tokio::spawn(async move {
            if tokio::time::timeout(bounds.lifetime, connection(stream, hooks, bounds.head)).await.is_err() {
                tracing::debug!("a delivery took too long");
            }
        });
        open.push_back(OpenConnection { since: Instant::now(), task });
    }
}

struct OpenConnection {
    since: Instant,
    task: JoinHandle<()>,
}

async fn accept(
    listener: &TcpListener,
    open: &mut VecDeque<OpenConnection>,
    bounds: ConnectionLimits,
) -> Option<TcpStream> {
    wait_for_slot(open, bounds).await;
    match listener.accept().await {
        Ok((stream, _)) => Some(stream),
        Err(cause) => {
            // No file descriptors left, or the peer has closed the connection.
            tracing::warn!(%cause, "a delivery's connection could not be accepted");
            tokio::time::sleep(Duration::from_millis(20)).await;
            None
        }
    }
}

/// Waits until another connection can be served; aborts the oldest after its grace period.
async fn wait_for_slot(open: &mut VecDeque<OpenConnection>, bounds: ConnectionLimits) {
    open.retain(|open| !open.task.is_finished());
    while open.len() >= bounds.connections
        && let Some(oldest) = open.front_mut()
    {
        if tokio::time::timeout_at(oldest.since + bounds.grace, &mut oldest.task).await.is_err() {
            oldest.task.abort();
            tracing::debug!("an idle connection was closed to make room");
        }
        open.pop_front();
    }
}

async fn connection(stream: TcpStream, hooks: Arc<WebhookRoutes>, head: Duration) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let hooks = hooks.clone();
        async move { Ok::<_, Infallible>(response(&answer_request(&hooks, request).await)) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_headers(MAX_HEADERS)
        .max_buf_size(READ_BUFFER_BYTES)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(cause) = served {
        tracing::debug!(%cause, "a delivery's connection ended early");
    }
}

async fn answer_request(hooks: &WebhookRoutes, request: Request<Incoming>) -> DeliveryResponse {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    match head.method {
        Method::GET => {
            let query = head.uri.query().unwrap_or_default();
            let value = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "challenge");
            hooks.answer(path, IncomingDelivery::Challenge(&value.map(|value| value.1).unwrap_or_default()))
        }
        Method::POST => match read(body).await {
            BodyRead::Complete(body) => {
                let signatures: Vec<&[u8]> = head
                    .headers
                    .get_all(SIGNATURE_HEADER)
                    .iter()
                    .map(header::HeaderValue::as_bytes)
                    .collect();
                hooks.answer(path, IncomingDelivery::Delivery(&signatures, &body))
            }
            BodyRead::TooLarge => hooks.answer(path, IncomingDelivery::TooLarge),
            BodyRead::Broken => DeliveryResponse::Refused(400),
        },
        _ => DeliveryResponse::Refused(405),
    }
}

enum BodyRead {
    Complete(Vec<u8>),
    TooLarge,
    Broken,
}

/// Reads a body of at most [`MAX_BODY_BYTES`]; rejects a larger `Content-Length` without reading.
async fn read(mut body: Incoming) -> BodyRead {
    use hyper::body::Body;
    if body.size_hint().lower() > u64::try_from(MAX_BODY_BYTES).unwrap_or(u64::MAX) {
        return BodyRead::TooLarge;
    }
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return BodyRead::Broken };
        let Ok(part) = frame.into_data() else { continue };
        if whole.len() + part.len() > MAX_BODY_BYTES {
            return BodyRead::TooLarge;
        }
        whole.extend_from_slice(&part);
    }
    BodyRead::Complete(whole)
}

fn response(answer: &DeliveryResponse) -> Response<Full<Bytes>> {
    let (status, text) = match answer {
        DeliveryResponse::Echo(value) => (200, value.clone()),
        DeliveryResponse::Accepted => (200, String::new()),
        DeliveryResponse::Refused(status) => (*status, String::new()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let headers = response.headers_mut();
    // Keeps browsers from rendering the echoed challenge as HTML.
    for (name, value) in [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    response
}
