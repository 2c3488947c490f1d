//! Latest requests, for display (the oldest is dropped first), and reads without a response yet.
//!
//! Holds no bodies, no API keys and no headers other than those named in [`Call`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reqwest::Url;
use reqwest::header::HeaderMap;

use crate::errors::NotSent;
use crate::transport::{ExchangeError, IncomingResponse, OutgoingRequest};
use api::errors::ErrorBody;
use api::repair;
use model::calls::Call;
use model::ids::ChannelId;
use model::text::SafeText;
use model::time::{Moment, Timestamp};

const HISTORY_LIMIT: usize = 200;

#[derive(Debug, Default)]
pub(crate) struct RequestRing(Mutex<RecordedCalls>);

#[derive(Debug, Default)]
struct RecordedCalls {
    all: VecDeque<Call>,
    /// Number of newest calls that [`RequestRing::take_fresh`] has not returned yet.
    new_count: usize,
}

impl RequestRing {
    pub(crate) fn record(&self, call: Call) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.all.len() == HISTORY_LIMIT {
            calls.all.pop_front();
        }
        calls.all.push_back(call);
        calls.new_count = (calls.new_count + 1).min(HISTORY_LIMIT);
    }

    /// Returns all calls, oldest first, labelled with `channel`.
    pub(crate) fn list(&self, channel: &ChannelId) -> Vec<Call> {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.all.iter().map(|call| Call { channel: channel.clone(), ..call.clone() }).collect()
    }

    /// Returns the calls added since the previous call of this function, oldest first.
    pub(crate) fn take_fresh(&self, channel: &ChannelId) -> Vec<Call> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = calls.all.len() - calls.new_count;
        calls.new_count = 0;
        calls.all.iter().skip(known).map(|call| Call { channel: channel.clone(), ..call.clone() }).collect()
    }
}

pub(crate) fn started(request: &OutgoingRequest, base: &str, at: Timestamp) -> Call {
    // The URL as the parser normalizes it, relative to the base URL.
    let whole = Url::parse(&request.url).map_or_else(|_| request.url.clone(), Into::into);
    let path = whole.strip_prefix(base).unwrap_or(&whole).to_owned();
    Call {
        channel: ChannelId::default(),
        at,
        method: request.method.as_str().to_owned(),
        base: base.to_owned(),
        path,
        duration: 0,
        answer: Err(SafeText::default()),
        code: None,
        replayed: false,
        key: text(&request.headers, "idempotency-key").map(str::to_owned),
        request_id: None,
        has_body: !request.body.is_empty(),
        process: SafeText::default(),
    }
}

/// Adds the outcome and the duration to a call.
pub(crate) fn finished(call: Call, answer: &Result<IncomingResponse, ExchangeError>, took: i64) -> Call {
    let call = Call { duration: took, ..call };
    match answer {
        Err(ExchangeError::NotSent(NotSent::Offline(why) | NotSent::Misconfigured(why))) => {
            Call { answer: Err(SafeText::line(&format!("not sent: {why}"))), ..call }
        }
        Err(ExchangeError::NotSent(NotSent::Paced(_) | NotSent::Limited(_))) => {
            Call { answer: Err(SafeText::line("not sent yet")), ..call }
        }
        Err(ExchangeError::Midway(why)) => {
            Call { answer: Err(SafeText::line(&format!("no answer: {why}"))), ..call }
        }
        Ok(answer) => Call {
            answer: Ok(answer.status),
            code: code(answer),
            replayed: text(&answer.headers, "idempotent-replayed")
                .is_some_and(|text| text.eq_ignore_ascii_case("true")),
            request_id: text(&answer.headers, "x-request-id").map(SafeText::line),
            ..call
        },
    }
}

/// Returns the error code of a refusal, or why the response body is incomplete.
fn code(answer: &IncomingResponse) -> Option<SafeText> {
    match &answer.body {
        Err(cut) => Some(cut.why.clone()),
        Ok(_) if (200..300).contains(&answer.status) => None,
        Ok(body) => serde_json::from_slice::<ErrorBody>(repair::without_byte_order_mark(body))
            .ok()
            .filter(|error| !error.code.is_empty())
            .map(|error| SafeText::line(&error.code)),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|header| header.to_str().ok())
}

/// Reads without a response yet, so that a silent server is reported before the read times out: the last
/// number given, and the start of each pending read by its number.
#[derive(Debug, Default)]
pub(crate) struct PendingReads(Mutex<(u64, BTreeMap<u64, Moment>)>);

impl PendingReads {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Moment>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a read until the returned value is dropped, also on cancellation.
    pub(crate) fn begin(&self, at: Moment) -> PendingRead<'_> {
        let mut all = self.lock();
        all.0 += 1;
        let number = all.0;
        all.1.insert(number, at);
        PendingRead { all: self, number }
    }

    /// Returns the start of the oldest pending read.
    pub(crate) fn oldest(&self) -> Option<Moment> {
        self.lock().1.values().min().copied()
    }
}

pub(crate) struct PendingRead<'a> {
    all: &'a PendingReads,
    number: u64,
}

impl Drop for PendingRead<'_> {
    fn drop(&mut self) {
        self.all.lock().1.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_read_without_an_answer_counts() {
        let at = Moment::from_micros;
        let all = PendingReads::default();
        assert_eq!(all.oldest(), None);
        let first = all.begin(at(1));
        let second = all.begin(at(2));
        assert_eq!(all.oldest(), Some(at(1)));
        drop(first);
        assert_eq!(all.oldest(), Some(at(2)));
        drop(second);
        assert_eq!(all.oldest(), None);
    }
}
