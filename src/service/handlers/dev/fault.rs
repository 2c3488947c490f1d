//! `POST /dev/fault`: injects a fault into the next matching requests.

use std::time::Duration;

use axum::extract::State;
use axum::http::Method;
use serde_json::json;

use crate::errors::ApiError;
use crate::faults::{CutPoint, Fault};
use crate::fields::Fields;
use crate::reply::Reply;
use crate::request::DevRequest;
use crate::state::Service;

pub async fn fault(State(service): State<Service>, DevRequest(body): DevRequest) -> Result<Reply, ApiError> {
    let fields = Fields::of_body(&body)?;
    let fault = read(&fields)?;
    // A count of 0 removes the pending faults of the prefix.
    if fault.count == 0 {
        service.faults.clear(&fault.path_prefix);
        return Reply::ok(&json!({"waiting": false}));
    }
    service.faults.add(fault);
    Reply::ok(&json!({"waiting": true}))
}

fn read(fields: &Fields<'_>) -> Result<Fault, ApiError> {
    let count = fields.required_integer("count", 0, 1_000_000)?;
    let cut = match fields.value("drop") {
        None => None,
        Some(_) => Some(match fields.required_word("drop", &["before", "after", "mid"])? {
            "before" => CutPoint::Before,
            "after" => CutPoint::After,
            _ => CutPoint::Middle,
        }),
    };
    let optional = |name: &str, from, to| {
        if fields.value(name).is_some() {
            fields.required_integer(name, from, to).map(Some)
        } else {
            Ok(None)
        }
    };
    let method = match fields.text("method", 16)? {
        None => None,
        Some(word) => Some(
            Method::from_bytes(word.to_ascii_uppercase().as_bytes())
                .map_err(|_| fields.refuse("method", "must be an HTTP method"))?,
        ),
    };
    let delay = optional("delay_ms", 0, 600_000)?.unwrap_or(0);
    Ok(Fault {
        path_prefix: fields.required_text("path_prefix", 1024)?.to_owned(),
        method,
        count: u32::try_from(count).unwrap_or(1),
        status: optional("status", 200, 599)?.and_then(|optional| u16::try_from(optional).ok()),
        code: fields.text("code", 64)?.map(str::to_owned),
        delay: Duration::from_millis(delay.unsigned_abs()),
        cut,
        retry_after: optional("retry_after", 0, 86_400)?,
    })
}
