//! Liveness and readiness probes (docs/service.md, "Is it up?"), answered without a key, host check or rate
//! limit.

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

use crate::database::session::DbSession;
use crate::database::{Database, DatabaseError, Obstacle, WriteScope, meta};
use crate::errors::ApiError;
use crate::gate;
use crate::state::Service;
use api::errors::ErrorCode;

const HEALTH_PATH: &str = "/health";
const READY_PATH: &str = "/ready";
/// Paths that are answered even above the connection limit.
pub const PROBE_PATHS: [&str; 2] = [HEALTH_PATH, READY_PATH];
/// Cache time of a write test. Bounds the writes that callers without a key can cause.
const WRITE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// Cache time of a disk space test. Longer than that of the small write, which may succeed where the next
/// message finds no space.
const DISK_CHECK_INTERVAL: Duration = Duration::from_secs(10);
/// Time for which the disk counts as full after a write has failed for lack of space.
const FULL_DISK_RETRY: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    Starting,
    /// The service is shutting down; running requests are still answered.
    Draining,
    Unwritable,
    Full,
}

impl Readiness {
    const fn word_and_reason(self) -> (&'static str, &'static str) {
        match self {
            Self::Ready => ("ready", "requests are answered"),
            Self::Starting => ("starting", "the database is being opened"),
            Self::Draining => ("draining", "the service is stopping; running requests are still answered"),
            Self::Unwritable => ("unwritable", "the database cannot be written to"),
            Self::Full => ("full", "the disk of the database is full"),
        }
    }
}

impl IntoResponse for Readiness {
    fn into_response(self) -> Response {
        let (status, message) = self.word_and_reason();
        let code = if self == Self::Ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        uncached((code, Json(json!({"status": status, "message": message}))).into_response())
    }
}

/// Cached results of the readiness tests.
#[derive(Default)]
pub struct HealthState {
    draining: AtomicBool,
    write_checked_at: Mutex<Option<(Instant, Readiness)>>,
    /// Time of the latest successful disk space test.
    disk_checked_at: Mutex<Option<Instant>>,
}

impl HealthState {
    /// Makes every further readiness test return [`Readiness::Draining`].
    pub fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
    }

    pub async fn check(&self, database: &Database) -> Readiness {
        let writes = self.check_writes(database).await;
        // Checked last: draining may have begun meanwhile.
        if self.draining.load(Ordering::SeqCst) { Readiness::Draining } else { writes }
    }

    /// Tests whether the database takes writes. Concurrent callers wait for one test.
    async fn check_writes(&self, database: &Database) -> Readiness {
        let mut written = self.write_checked_at.lock().await;
        if let Some((_, writes)) = written.filter(|(since, _)| since.elapsed() < WRITE_CHECK_INTERVAL) {
            return writes;
        }
        let outcome = tokio::time::timeout(WRITE_TIMEOUT, self.try_write(database)).await;
        let writes = match &outcome {
            Ok(Ok(())) => Readiness::Ready,
            Ok(Err(DatabaseError::Full(_))) => Readiness::Full,
            Ok(Err(_)) | Err(_) => Readiness::Unwritable,
        };
        if writes != Readiness::Ready {
            tracing::error!(?outcome, "the database cannot be written to");
        }
        *written = Some((Instant::now(), writes));
        writes
    }

    async fn try_write(&self, database: &Database) -> Result<(), DatabaseError> {
        if database.was_met(Obstacle::FullDisk, FULL_DISK_RETRY) {
            *self.disk_checked_at.lock().await = None;
            return Err(DatabaseError::Full("a write failed with this just now".to_owned()));
        }
        let mut room = self.disk_checked_at.lock().await;
        if room.is_none_or(|since| since.elapsed() >= DISK_CHECK_INTERVAL) {
            *room = None;
            match database.check_disk_space().await {
                Err(full @ DatabaseError::Full(_)) => return Err(full),
                // For example a user who may not create tables on a server: the write below decides.
                Err(cause) => tracing::debug!(%cause, "free disk space could not be checked"),
                Ok(()) => {}
            }
            *room = Some(Instant::now());
        }
        // A value that changes each time, so that a page is really written.
        let probe = |db: &dyn DbSession| {
            let count = meta::get_number(db, "probes")?.unwrap_or(0);
            meta::set(db, "probes", &count.wrapping_add(1))
        };
        database.write_in(WriteScope::Unordered, probe).await
    }
}

/// Probe routes of a running service.
pub fn routes() -> Router<Service> {
    Router::new()
        .route(HEALTH_PATH, get(liveness))
        .route(READY_PATH, get(ready))
        .method_not_allowed_fallback(gate::wrong_method)
}

/// Routes before the database is open.
pub fn while_starting() -> Router {
    Router::new()
        .route(HEALTH_PATH, get(liveness))
        .route(READY_PATH, get(async || Readiness::Starting))
        .method_not_allowed_fallback(gate::wrong_method)
        .fallback(async || {
            let error = ApiError::new(ErrorCode::InternalError, "the service is starting; try again");
            let soon = [(header::RETRY_AFTER, HeaderValue::from_static("1"))];
            (StatusCode::SERVICE_UNAVAILABLE, soon, Json(error.body()))
        })
}

async fn liveness() -> Response {
    uncached(Json(json!({"status": "alive"})).into_response())
}

async fn ready(State(service): State<Service>) -> Readiness {
    service.health.check(&service.database).await
}

/// Forbids caches to keep the answer.
fn uncached(mut response: Response) -> Response {
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
        assert_eq!(health.check(&database).await, Readiness::Ready);
        let commits = database.own_revision();
        assert_eq!(health.check(&database).await, Readiness::Ready);
        assert_eq!(database.own_revision(), commits, "believed for a moment");
        database.close();
        *health.write_checked_at.lock().await = None;
        assert_eq!(health.check(&database).await, Readiness::Unwritable);
        health.drain();
        assert_eq!(health.check(&database).await, Readiness::Draining);
    }
}
