//! A line of the log for each request: who asked what, and how it ended. Ids,
//! names of files and what was searched for are not in it.

use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode};
use tokio::time::Instant;

use crate::client_info::{ClientInfo, peer};
use crate::metrics::Metrics;

/// A request that has begun.
pub struct LogLine {
    client: std::net::IpAddr,
    method: Method,
    path: Option<MatchedPath>,
    begun: Instant,
}

impl LogLine {
    /// Notes what is asked; a client that named no host that is meant is told
    /// by its connection.
    pub fn begin(request: &Request, client: Option<&ClientInfo>) -> Self {
        Self {
            client: client.map_or_else(|| peer(request.extensions()), |it| it.address),
            method: request.method().clone(),
            path: request.extensions().get::<MatchedPath>().cloned(),
            begun: Instant::now(),
        }
    }

    /// Writes the line, and counts the request.
    pub fn end(self, status: StatusCode, metrics: &Metrics) {
        let Self { client, method, path, begun } = self;
        let took = begun.elapsed();
        metrics.answered(&method, path.as_ref().map(MatchedPath::as_str), status, took);
        let path = path.as_ref().map_or("-", MatchedPath::as_str);
        let took = took.as_millis();
        tracing::info!(target: "frontdesk::requests", %client, %method, path, status = status.as_u16(), ms = took);
    }
}
