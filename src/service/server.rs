//! The connection loop: accepts, bounds and ends connections.
//!
//! It exists because the plain `serve` of the router's crate sets no time limit
//! on headers.

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
use crate::crowd::{Crowd, WatchedBody, WatchedStream};
use crate::errors::ApiError;
use crate::faults::CutOff;
use crate::health;
use crate::options::Options;
use crate::unparsed::ExplainedRefusals;
use crate::unread;
use wire::errors::ErrorCode;

/// Connections beyond those that are told so at a time.
const TURNED_AWAY: usize = 64;
/// How long one that is turned away may take to say that it only probes.
const FIRST_LINE: Duration = Duration::from_millis(200);
/// Bytes of the answer to a probe at most.
const PROBE_BYTES: usize = 16 * 1024;
/// How long one that is turned away may take to read why.
const LINGER: Duration = Duration::from_secs(1);
/// Headers of a request at most.
const HEADERS: usize = 100;
/// Bytes read ahead: bounds a request's head.
const BUFFER: usize = 64 * 1024;

/// Where requests go, and what is given to connections. Before it is opened, it
/// says that the service is starting.
#[derive(Clone)]
pub struct Entrance {
    router: Arc<OnceLock<Router>>,
    starting: Router,
    header_time: Duration,
    crowd: Crowd,
    drain: Duration,
}

impl Entrance {
    /// One that is not open yet.
    pub fn new(options: &Options) -> Self {
        Self {
            router: Arc::default(),
            starting: health::while_starting(),
            header_time: options.patience.header,
            crowd: Crowd::new(options.connections, &options.proxies, Arc::clone(&options.clock)),
            drain: options.drain,
        }
    }

    /// From here on requests go to this router.
    pub fn open(&self, router: Router) {
        // Opened once.
        let _ = self.router.set(router);
    }

    fn router(&self) -> Router {
        self.router.get().unwrap_or(&self.starting).clone()
    }
}

/// Serves until `stop` says so or its sender is gone; then takes no more
/// connections, lets running requests finish, and cuts off those that take too
/// long. Where there are more connections than allowed, those that are only held
/// give way, and then newcomers are turned away at once.
pub async fn serve(listener: TcpListener, entrance: Entrance, mut stop: watch::Receiver<bool>) {
    let farewells = Arc::new(Semaphore::new(TURNED_AWAY));
    let graceful = GracefulShutdown::new();
    // Connections end when this does.
    let (_open, cut) = watch::channel(());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(cause) => {
                // Out of file handles, or the peer has gone again.
                tracing::warn!(%cause, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let Some(place) = entrance.crowd.admit(peer.ip()) else {
            turn_away(stream, &farewells, entrance.router());
            continue;
        };
        let held = Arc::clone(&place.connection);
        let stream = WatchedStream { stream, connection: Arc::clone(&held) };
        let connection = graceful.watch(connection(stream, entrance.clone(), Peer(peer.ip())));
        let mut cut = cut.clone();
        tokio::spawn(async move {
            tokio::select! {
                ended = connection => {
                    if let Err(cause) = ended {
                        tracing::debug!(%cause, "a connection ended early");
                    }
                }
                _ = cut.changed() => {}
                () = held.ended() => tracing::debug!("a connection that was only held gave way"),
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(entrance.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still running when the service stopped, and are cut off");
    }
}

/// Tells a connection that there are too many; with very many of them, without
/// waiting until it was read. Who only watches over the service is answered.
fn turn_away(mut stream: TcpStream, farewells: &Arc<Semaphore>, router: Router) {
    let Ok(place) = Arc::clone(farewells).try_acquire_owned() else {
        // A caller that has not asked yet still reads it.
        let _ = stream.try_write(too_many().as_bytes());
        return;
    };
    tokio::spawn(async move {
        let words = async {
            let answer = match asked_probe(&mut stream).await {
                Some(path) => probe(router, path).await,
                None => too_many(),
            };
            stream.write_all(answer.as_bytes()).await?;
            stream.shutdown().await?;
            // Ended before the request is read, the answer would be lost with it.
            let mut rest = [0; 4096];
            while stream.read(&mut rest).await? > 0 {}
            Ok::<(), io::Error>(())
        };
        let _ = tokio::time::timeout(LINGER, words).await;
        drop(place);
    });
}

/// Returns the probe that a connection asks for within a moment.
async fn asked_probe(stream: &mut TcpStream) -> Option<&'static str> {
    let mut line = [0; 32];
    let asked = tokio::time::timeout(FIRST_LINE, stream.peek(&mut line)).await.ok()?.ok()?;
    let path = line[..asked].strip_prefix(b"GET ")?.split(|byte| *byte == b' ').next()?;
    health::PROBES.into_iter().find(|probe| probe.as_bytes() == path)
}

/// Returns the answer to a probe, written out.
async fn probe(router: Router, path: &'static str) -> String {
    let request = Request::get(path).body(Body::empty()).unwrap_or_default();
    let Ok(response) = router.oneshot(request).await;
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), PROBE_BYTES).await.unwrap_or_default();
    let reason = status.canonical_reason().unwrap_or("Unknown");
    written(&format!("{} {reason}", status.as_u16()), "", &String::from_utf8_lossy(&body))
}

fn too_many() -> String {
    let error =
        ApiError::new(ErrorCode::InternalError, "the service has too many connections; try again").body();
    let body = serde_json::to_string(&error).unwrap_or_default();
    written("503 Service Unavailable", "retry-after: 1\r\n", &body)
}

/// Writes out an answer of JSON, after which the connection ends.
fn written(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}connection: close\r\ncontent-length: \
         {}\r\n\r\n{body}",
        body.len()
    )
}

/// One connection; ends when the peer or the service ends it.
fn connection(
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
        let (lent, rest) = unread::lend(body, Arc::clone(&held));
        let mut request = Request::from_parts(head, Body::new(lent));
        request.extensions_mut().insert(peer);
        async move {
            let answered: Result<_, Infallible> = router.oneshot(request).await;
            let mut response = answered.unwrap_or_else(|never| match never {});
            if !rest.drained(continues).await {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            // A failing service makes hyper close the connection unanswered.
            match response.extensions().get::<CutOff>() {
                Some(_) => Err(io::Error::other("cut off, as was asked for")),
                None => Ok(response.map(|body| WatchedBody::new(body, held))),
            }
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_time)
        .max_headers(HEADERS)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(ExplainedRefusals::new(stream)), service)
}
