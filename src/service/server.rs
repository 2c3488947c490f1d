//! Connection loop: accepts, limits and ends connections. Used instead of `axum::serve`, which has no timeout
//! for request heads.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;

use crate::client_info::Peer;
use crate::errors::ApiError;
use crate::faults::ConnectionCut;
use crate::health;
use crate::http_errors::HttpErrorBodies;
use crate::open_connections::{OpenConnections, WatchedBody, WatchedStream};
use crate::options::Options;
use crate::remaining_body;
use api::errors::ErrorCode;

/// Maximum number of surplus connections that get a full refusal at a time.
const MAX_REJECTED_CONNECTIONS: usize = 64;
/// Time a surplus connection has to ask for a probe.
const PROBE_TIMEOUT: Duration = Duration::from_millis(200);
/// Maximum size of a probe's body, in bytes.
const MAX_PROBE_BYTES: usize = 16 * 1024;
/// Time a refused connection stays open for its client to read the answer.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_HEADERS: usize = 100;
/// Size of the read buffer, in bytes; bounds a request's head.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Entry point of requests. Until [`Entrance::open`] it answers that the service is starting.
#[derive(Clone)]
pub struct Entrance {
    router: Arc<OnceLock<Router>>,
    starting: Router,
    header_time: Duration,
    connections: OpenConnections,
    drain: Duration,
}

impl Entrance {
    pub fn new(options: &Options) -> Self {
        Self {
            router: Arc::default(),
            starting: health::while_starting(),
            header_time: options.timeouts.header,
            connections: OpenConnections::new(
                options.connections,
                &options.proxies,
                Arc::clone(&options.clock),
            ),
            drain: options.drain,
        }
    }

    /// Sends requests to `router` from now on.
    pub fn open(&self, router: Router) {
        // Fails only if it is open already.
        let _ = self.router.set(router);
    }

    fn router(&self) -> Router {
        self.router.get().unwrap_or(&self.starting).clone()
    }
}

/// Serves until `stop` changes or its sender is dropped. Then accepts no more connections, and cuts off
/// requests that run longer than the drain time. At the connection limit, one that [`OpenConnections`]
/// chooses is closed for each new one; if there is none, the new one is refused.
pub async fn serve(listener: TcpListener, entrance: Entrance, mut stop: watch::Receiver<bool>) {
    let farewells = Arc::new(Semaphore::new(MAX_REJECTED_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    // Dropped at the end of this function, which ends all connections.
    let (_open, cut) = watch::channel(());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(cause) => {
                // Out of file descriptors, or the peer is gone already.
                tracing::warn!(%cause, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let Some(place) = entrance.connections.admit(peer.ip()) else {
            reject_connection(stream, &farewells, entrance.router());
            continue;
        };
        let held = Arc::clone(&place.connection);
        let stream = WatchedStream { stream, connection: Arc::clone(&held) };
        let connection = graceful.watch(serve_connection(stream, entrance.clone(), Peer(peer.ip())));
        let mut cut = cut.clone();
        tokio::spawn(async move {
            tokio::select! {
                ended = connection => {
                    if let Err(cause) = ended {
                        tracing::debug!(%cause, "a connection ended early");
                    }
                }
                _ = cut.changed() => {}
                () = held.wait_for_end() => tracing::debug!("an idle connection was closed to make room"),
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(entrance.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still running when the service stopped, and were aborted");
    }
}

/// Refuses a surplus connection with 503, but answers health probes. With very many of them it writes the
/// refusal without waiting for the request.
fn reject_connection(mut stream: TcpStream, farewells: &Arc<Semaphore>, router: Router) {
    let Ok(place) = Arc::clone(farewells).try_acquire_owned() else {
        // A client that has not sent its request yet can read it.
        let _ = stream.try_write(too_many_response().as_bytes());
        return;
    };
    tokio::spawn(async move {
        let words = async {
            let answer = match read_probe_path(&mut stream).await {
                Some(path) => answer_probe(router, path).await,
                None => too_many_response(),
            };
            stream.write_all(answer.as_bytes()).await?;
            stream.shutdown().await?;
            // Closing with unread input would reset the connection and lose the answer.
            let mut rest = [0; 4096];
            while stream.read(&mut rest).await? > 0 {}
            Ok::<(), io::Error>(())
        };
        let _ = tokio::time::timeout(LINGER_TIMEOUT, words).await;
        drop(place);
    });
}

/// Returns the probe path that a connection asks for within [`PROBE_TIMEOUT`].
async fn read_probe_path(stream: &mut TcpStream) -> Option<&'static str> {
    let mut line = [0; 32];
    let asked = tokio::time::timeout(PROBE_TIMEOUT, stream.peek(&mut line)).await.ok()?.ok()?;
    let path = line[..asked].strip_prefix(b"GET ")?.split(|byte| *byte == b' ').next()?;
    health::PROBE_PATHS.into_iter().find(|probe| probe.as_bytes() == path)
}

/// Returns the serialized answer to a probe.
async fn answer_probe(router: Router, path: &'static str) -> String {
    let request = Request::get(path).body(Body::empty()).unwrap_or_default();
    let Ok(response) = router.oneshot(request).await;
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), MAX_PROBE_BYTES).await.unwrap_or_default();
    let reason = status.canonical_reason().unwrap_or("Unknown");
    format_response(&format!("{} {reason}", status.as_u16()), "", &String::from_utf8_lossy(&body))
}

fn too_many_response() -> String {
    let error =
        ApiError::new(ErrorCode::InternalError, "the service has too many connections; try again").body();
    let body = serde_json::to_string(&error).unwrap_or_default();
    format_response("503 Service Unavailable", "retry-after: 1\r\n", &body)
}

/// Serializes a JSON answer that closes the connection.
fn format_response(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}connection: close\r\ncontent-length: \
         {}\r\n\r\n{body}",
        body.len()
    )
}

/// Serves one connection until the peer or the service ends it.
fn serve_connection(
    stream: WatchedStream,
    entrance: Entrance,
    peer: Peer,
) -> impl hyper_util::server::graceful::GracefulConnection<Error: std::fmt::Display> + Send + 'static {
    let _ = stream.stream.set_nodelay(true);
    let held = Arc::clone(&stream.connection);
    let header_time = entrance.header_time;
    let service = service_fn(move |request: Request<Incoming>| {
        let router = entrance.router();
        let continues = request.headers().contains_key(header::EXPECT);
        let (head, body) = request.into_parts();
        let held = Arc::clone(&held);
        let (lent, rest) = remaining_body::split_body(body, Arc::clone(&held));
        let mut request = Request::from_parts(head, Body::new(lent));
        request.extensions_mut().insert(peer);
        async move {
            let answered: Result<_, Infallible> = router.oneshot(request).await;
            let mut response = answered.unwrap_or_else(|never| match never {});
            if !rest.drain(continues).await {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            // An error of the service makes hyper close the connection without an answer.
            match response.extensions().get::<ConnectionCut>() {
                Some(_) => Err(io::Error::other("closed by a requested fault")),
                None => Ok(response.map(|body| WatchedBody::new(body, held))),
            }
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_time)
        .max_headers(MAX_HEADERS)
        .max_buf_size(READ_BUFFER_BYTES)
        .serve_connection(TokioIo::new(HttpErrorBodies::new(stream)), service)
}
