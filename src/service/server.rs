//! The connection loop: accepts, bounds and ends connections.
//!
//! Knows nothing of paths. It exists because the plain `serve` of the router's
//! crate sets no time limit on headers.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;

use crate::service::faults::CutOff;
use crate::service::gate::Peer;

/// Connections at a time.
const CONNECTIONS: usize = 512;
/// Headers of a request at most.
const HEADERS: usize = 100;
/// Bytes read ahead: bounds a request's head.
const BUFFER: usize = 64 * 1024;
/// For requests that run when the service stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// Serves until `stop` says so or its sender is gone; then lets running
/// requests finish. `header_time` is for a request's head.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    header_time: Duration,
    mut stop: watch::Receiver<bool>,
) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { break };
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
        let connection = graceful.watch(connection(stream, router.clone(), header_time, Peer(peer.ip())));
        tokio::spawn(async move {
            if let Err(cause) = connection.await {
                tracing::debug!(%cause, "a connection ended early");
            }
            drop(slot);
        });
    }
    drop(listener);
    if tokio::time::timeout(FAREWELL, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still running when the service stopped");
    }
}

/// One connection; ends when the peer or the service ends it.
fn connection(
    stream: TcpStream,
    router: Router,
    header_time: Duration,
    peer: Peer,
) -> impl hyper_util::server::graceful::GracefulConnection<Error: std::fmt::Display> + Send + 'static {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        async move {
            let answered: Result<_, Infallible> = router.oneshot(request).await;
            let response = answered.unwrap_or_else(|never| match never {});
            // A failing service makes hyper close the connection unanswered.
            match response.extensions().get::<CutOff>() {
                Some(_) => Err(io::Error::other("cut off, as was asked for")),
                None => Ok(response),
            }
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_time)
        .max_headers(HEADERS)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service)
}
