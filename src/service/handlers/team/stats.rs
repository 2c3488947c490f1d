//! Handler of the statistics by person.

use axum::extract::State;

use crate::auth::DeskCaller;
use crate::database::team::work::Period;
use crate::errors::ApiError;
use crate::query::Query;
use crate::reply::Reply;
use crate::request::ReadRequest;
use crate::state::Service;
use crate::team::work::{self, WORK_RETENTION};
use model::time::{Clock, DAY, Timestamp};

/// Period without `from`, in microseconds.
const DEFAULT_PERIOD: i64 = 7 * DAY;
const MAX_PERIOD_DAYS: i64 = 92;

/// Handles `getTeamStats`.
pub async fn read(
    State(service): State<Service>,
    request: ReadRequest<DeskCaller>,
) -> Result<Reply, ApiError> {
    let workspace = request.caller.member()?.workspace.clone();
    let now = service.clock.now();
    let period = read_period(&request.query, now)?;
    service
        .database
        .read_consistent(move |db| Reply::ok(&work::read_stats(db, &workspace, period, now)?))
        .await
}

fn read_period(query: &Query, now: Timestamp) -> Result<Period, ApiError> {
    let to = query.time("to")?;
    let end = to.unwrap_or(now);
    let from = query.time("from")?.unwrap_or_else(|| end.plus(-DEFAULT_PERIOD));
    if from >= end {
        return Err(ApiError::validation("from must be before to"));
    }
    if end.since(from) > MAX_PERIOD_DAYS * DAY {
        return Err(ApiError::validation(format!(
            "from and to must be at most {MAX_PERIOD_DAYS} days apart"
        )));
    }
    if now.since(from) > WORK_RETENTION {
        let days = WORK_RETENTION / DAY;
        return Err(ApiError::validation(format!("from must be within the last {days} days")));
    }
    Ok(Period { from, to })
}
