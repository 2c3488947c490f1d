//! Log line of a request: client, route, status, duration. Contains no ids, file names or search terms.

use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode};
use tokio::time::Instant;

use crate::client_info::{ClientInfo, peer};
use crate::metrics::Metrics;

/// Running request.
pub struct LogLine {
    client: std::net::IpAddr,
    method: Method,
    path: Option<MatchedPath>,
    started_at: Instant,
}

impl LogLine {
    /// Records the request. `client` is `None` for a foreign host; the line then names the peer of the
    /// connection.
    pub fn begin(request: &Request, client: Option<&ClientInfo>) -> Self {
        Self {
            client: client.map_or_else(|| peer(request.extensions()), |client| client.address),
            method: request.method().clone(),
            path: request.extensions().get::<MatchedPath>().cloned(),
            started_at: Instant::now(),
        }
    }

    /// Writes the line and counts the request in the metrics.
    pub fn end(self, status: StatusCode, metrics: &Metrics) {
        let Self { client, method, path, started_at: begun } = self;
        let took = begun.elapsed();
        metrics.record_answered(&method, path.as_ref().map(MatchedPath::as_str), status, took);
        let path = path.as_ref().map_or("-", MatchedPath::as_str);
        let took = took.as_millis();
        tracing::info!(target: "frontdesk::requests", %client, %method, path, status = status.as_u16(), ms = took);
    }
}
