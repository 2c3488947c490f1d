//! `POST /dev/fault`: injects a fault into the next matching requests.

use std::time::Duration;

use axum::extract::State;
use axum::http::Method;
use serde_json::json;

use crate::errors::ApiError;
use crate::faults::{CutPoint, Fault};
use crate::reply::Reply;
use crate::request::DevRequest;
use crate::state::Service;
use api::dev::{CutWord, FaultBody};
use api::fields::Text;
use api::request::{self, FieldError};

pub async fn fault(State(service): State<Service>, DevRequest(body): DevRequest) -> Result<Reply, ApiError> {
    let fault = into_fault(request::read(body)?)?;
    // A count of 0 removes the pending faults of the prefix.
    if fault.count == 0 {
        service.faults.clear(&fault.path_prefix);
        return Reply::ok(&json!({"waiting": false}));
    }
    service.faults.add(fault);
    Reply::ok(&json!({"waiting": true}))
}

fn into_fault(body: FaultBody) -> Result<Fault, FieldError> {
    let method = match body.method {
        None => None,
        Some(word) => Some(
            Method::from_bytes(word.as_str().to_ascii_uppercase().as_bytes())
                .map_err(|_| FieldError::new("method", "must be an HTTP method"))?,
        ),
    };
    Ok(Fault {
        path_prefix: body.path_prefix.into_string(),
        method,
        count: u32::try_from(body.count.0).unwrap_or(1),
        status: body.status.and_then(|status| u16::try_from(status.0).ok()),
        code: body.code.map(Text::into_string),
        delay: Duration::from_millis(body.delay_ms.map_or(0, |delay| delay.0.unsigned_abs())),
        cut: body.drop.map(|word| match word {
            CutWord::Before => CutPoint::Before,
            CutWord::After => CutPoint::After,
            CutWord::Mid => CutPoint::Middle,
        }),
        retry_after: body.retry_after.map(|seconds| seconds.0),
    })
}
