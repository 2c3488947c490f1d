//! Pause between two rounds of a background task: until the next due time, a commit, or the stop of the
//! service.

use std::pin::Pin;
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::watch;

use crate::errors::ApiError;
use crate::state::Service;
use model::time::{Clock, MINUTE, SECOND, Timestamp};

/// Waits after a round, which returned its next due time; one minute at most, one second after an error.
/// Returns false if the service stops. `committed` must listen since before the round, so that no commit
/// during it is missed.
pub async fn wait_for_next_round(
    service: &Service,
    round: Result<Option<Timestamp>, ApiError>,
    what: &str,
    committed: Pin<&mut Notified<'_>>,
    stop: &mut watch::Receiver<bool>,
) -> bool {
    let wait = match round {
        Ok(next) => next.map_or(MINUTE, |at| at.since(service.clock.now()).clamp(0, MINUTE)),
        Err(error) => {
            tracing::error!(%error.message, "{what} for a moment");
            SECOND
        }
    };
    let pause = Duration::from_micros(u64::try_from(wait).unwrap_or(0));
    tokio::select! {
        () = tokio::time::sleep(pause) => true,
        () = committed => true,
        _ = stop.changed() => false,
    }
}
