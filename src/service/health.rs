//! What those who watch over the service ask: whether it is alive, and whether
//! requests may be sent to it. Without a key, a host or limits, and nothing is
//! told but that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::database::{Database, DatabaseError, WriteScope, meta};
use crate::errors::ApiError;
use crate::gate;
use crate::state::Service;
use wire::errors::ErrorCode;

const HEALTH: &str = "/health";
const READY: &str = "/ready";
/// Paths that are answered however many connections there are.
pub const PROBES: [&str; 2] = [HEALTH, READY];
/// How long it is believed that the database takes writes, or does not: whoever
/// asks needs no key, and each look is a write.
const BELIEVED: Duration = Duration::from_secs(1);
/// How long a write may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether requests may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    /// The database is being opened.
    Starting,
    /// It ends, and answers what is under way.
    Draining,
    /// Nothing can be kept.
    Unwritable,
}

impl Readiness {
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Ready => ("ready", "requests are answered"),
            Self::Starting => ("starting", "the database is being opened"),
            Self::Draining => ("draining", "the service ends; what is under way is answered"),
            Self::Unwritable => ("unwritable", "the database cannot be written"),
        }
    }
}

impl IntoResponse for Readiness {
    fn into_response(self) -> Response {
        let (status, message) = self.words();
        let code = if self == Self::Ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        fresh((code, Json(json!({"status": status, "message": message}))).into_response())
    }
}

/// What is known of how the service stands.
#[derive(Default)]
pub struct HealthState {
    draining: AtomicBool,
    written: Mutex<Option<(Instant, bool)>>,
}

impl HealthState {
    /// From here on it is not ready any more.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
    }

    /// Looks whether requests may be sent.
    pub async fn look(&self, database: &Database) -> Readiness {
        let writes = self.writes(database).await;
        // Asked last: it may have begun meanwhile.
        match (self.draining.load(Ordering::SeqCst), writes) {
            (true, _) => Readiness::Draining,
            (false, false) => Readiness::Unwritable,
            (false, true) => Readiness::Ready,
        }
    }

    /// Whether the database takes writes. One at a time looks; the others wait
    /// for what it sees.
    async fn writes(&self, database: &Database) -> bool {
        let mut written = self.written.lock().await;
        if let Some((_, writes)) = written.filter(|(since, _)| since.elapsed() < BELIEVED) {
            return writes;
        }
        // Another value each time, so that a page is really written.
        let probe = database.write_in(WriteScope::Unordered, |db| {
            let count = meta::number(db, "probes")?.unwrap_or(0);
            meta::set(db, "probes", &count.wrapping_add(1))
        });
        let outcome: Result<Result<(), DatabaseError>, _> = tokio::time::timeout(PATIENCE, probe).await;
        let writes = matches!(outcome, Ok(Ok(())));
        if !writes {
            tracing::error!(?outcome, "the database cannot be written");
        }
        *written = Some((Instant::now(), writes));
        writes
    }
}

/// The two paths of a service that runs.
pub fn routes() -> Router<Service> {
    Router::new()
        .route(HEALTH, get(alive))
        .route(READY, get(ready))
        .method_not_allowed_fallback(gate::wrong_method)
}

/// What is answered before there is a service.
pub fn while_starting() -> Router {
    Router::new()
        .route(HEALTH, get(alive))
        .route(READY, get(async || Readiness::Starting))
        .method_not_allowed_fallback(gate::wrong_method)
        .fallback(async || {
            let error = ApiError::new(ErrorCode::InternalError, "the service is starting; try again");
            let soon = [(header::RETRY_AFTER, HeaderValue::from_static("1"))];
            (StatusCode::SERVICE_UNAVAILABLE, soon, Json(error.body()))
        })
}

/// `GET /health`
async fn alive() -> Response {
    fresh(Json(json!({"status": "alive"})).into_response())
}

/// `GET /ready`
async fn ready(State(service): State<Service>) -> Readiness {
    service.health.look(&service.database).await
}

/// Nobody keeps the answer for later.
fn fresh(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::database::Durability;

    #[tokio::test]
    async fn a_service_that_ends_or_cannot_write_is_not_ready() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        let (database, _) =
            Database::open(&path.into(), Durability::Simulated, Arc::default()).expect("it opens");
        let health = HealthState::default();
        assert_eq!(health.look(&database).await, Readiness::Ready);
        let commits = database.own_revision();
        assert_eq!(health.look(&database).await, Readiness::Ready);
        assert_eq!(database.own_revision(), commits, "believed for a moment");
        database.close();
        *health.written.lock().await = None;
        assert_eq!(health.look(&database).await, Readiness::Unwritable);
        health.drain();
        assert_eq!(health.look(&database).await, Readiness::Draining);
    }
}
