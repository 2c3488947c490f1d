//! Idempotency keys (docs/choices.md, "Idempotency"): read from the header, claimed while a request runs,
//! compared by fingerprint.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::HeaderMap;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::database::{DecisionClock, NewValue, SharedState};
use crate::errors::ApiError;
use api::errors::ErrorCode;
use api::strict;
use model::time::MINUTE;

const MAX_KEY_CHARS: usize = 255;
/// Duration of a claim in the shared state, in microseconds. Only matters if its process was killed.
const CLAIM_DURATION: i64 = MINUTE;

/// SHA-256 of a request's method, path and body; a retry under the same key must have the same.
pub type Fingerprint = [u8; 32];

/// Returns the key of the one `Idempotency-Key` header, if any.
///
/// # Errors
/// `VALIDATION_ERROR` for two headers, or a key that is not 1 to 255 visible
/// ASCII characters.
pub fn read_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(None) };
    let bytes = value.as_bytes();
    let visible = (1..=MAX_KEY_CHARS).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic);
    if !visible || values.next().is_some() {
        return Err(ApiError::validation(format!(
            "the Idempotency-Key header must be present once, with 1 to {MAX_KEY_CHARS} visible ASCII \
             characters"
        )));
    }
    Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
}

/// Returns the fingerprint of a request; the order of fields and white space in the body do not matter.
pub fn fingerprint(method: &str, path: &str, body: &Value) -> Fingerprint {
    let mut hasher = Sha256::new();
    for part in [method, path] {
        hasher.update(part.len().to_be_bytes());
        hasher.update(part.as_bytes());
    }
    // Writing to a hash cannot fail.
    let _ = strict::canonical(body, &mut HashWriter(&mut hasher));
    hasher.finalize().into()
}

/// Hashes while writing, which avoids a copy of a large body.
struct HashWriter<'a>(&'a mut Sha256);

impl Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keys claimed by running requests of this process.
#[derive(Clone, Default)]
pub struct InFlight {
    running: Arc<Mutex<HashSet<(String, String)>>>,
}

/// Claim on a key; released when dropped.
pub struct Claim {
    running: InFlight,
    key: (String, String),
    shared_claim: Option<SharedClaim>,
}

/// Claim in the state that all processes on a database share.
struct SharedClaim {
    shared: SharedState,
    owner: [u8; 16],
    clock: DecisionClock,
}

impl InFlight {
    /// Claims an idempotency key of an API key, within this process.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` while another request runs under it.
    pub fn claim(&self, api_key: &str, idempotency_key: &str) -> Result<Claim, ApiError> {
        let key = (api_key.to_owned(), idempotency_key.to_owned());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if !running.insert(key.clone()) {
            return Err(in_progress_error());
        }
        Ok(Claim { running: self.clone(), key, shared_claim: None })
    }
}

fn in_progress_error() -> ApiError {
    let words = "a request with this Idempotency-Key is still running";
    ApiError::new(ErrorCode::IdempotencyInProgress, words).retry_after(1)
}

/// Returns true while a claim lasts. A claim that ends later than any can was made before the server's clock
/// was set back, and is over.
fn is_claimed(until: i64, now: i64) -> bool {
    until > now && until <= now.saturating_add(CLAIM_DURATION)
}

impl Claim {
    /// Claims the key for all processes as well. The claim of a killed process expires after [`CLAIM_DURATION`].
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` while another process has it.
    pub async fn claim_shared(
        mut self,
        shared: &SharedState,
        clock: DecisionClock,
    ) -> Result<Self, ApiError> {
        let owner: [u8; 16] = rand::random();
        let decide = move |value: &[u8], now| {
            if value
                .split_first_chunk::<8>()
                .is_some_and(|(until, other)| other != owner && is_claimed(i64::from_le_bytes(*until), now))
            {
                return NewValue { value: None, answer: false };
            }
            let until = now.saturating_add(CLAIM_DURATION);
            NewValue { value: Some(([until.to_le_bytes().as_slice(), &owner].concat(), until)), answer: true }
        };
        if !shared.change(self.name(), clock, decide).await? {
            return Err(in_progress_error());
        }
        self.shared_claim = Some(SharedClaim { shared: shared.clone(), owner, clock });
        Ok(self)
    }

    fn name(&self) -> String {
        format!("claim {} {}", self.key.0, self.key.1)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(SharedClaim { shared, owner, clock }) = self.shared_claim.take() {
            shared.change_later(self.name(), clock, move |value, now| {
                let is_mine = value.get(8..).is_some_and(|entry| entry == owner);
                NewValue { value: is_mine.then(|| (Vec::new(), now)), answer: () }
            });
        }
        let mut running = self.running.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn keys_are_short_and_visible() {
        let long = "k".repeat(255);
        let too_long = "k".repeat(256);
        type Read<'a> = Result<Option<&'a str>, ()>;
        let cases: [(&[&str], Read<'_>); 8] = [
            (&[], Ok(None)),
            (&["0b4c-1"], Ok(Some("0b4c-1"))),
            (&[&long], Ok(Some(&long))),
            (&[&too_long], Err(())),
            (&[""], Err(())),
            (&["a b"], Err(())),
            (&["é"], Err(())),
            (&["a", "a"], Err(())),
        ];
        for (lines, expected) in cases {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("idempotency-key", HeaderValue::from_bytes(line.as_bytes()).expect("valid"));
            }
            let read = read_key(&headers).map_err(drop);
            assert_eq!(read.as_ref().map(Option::as_deref), expected.as_ref().map(|text| *text), "{lines:?}");
        }
    }

    #[test]
    fn a_claim_ends_when_the_clock_is_set_back() {
        let made = 10 * CLAIM_DURATION;
        let until = made + CLAIM_DURATION;
        for (now, lasts) in
            [(made, true), (made + 1, true), (until, false), (made - CLAIM_DURATION, false), (0, false)]
        {
            assert_eq!(is_claimed(until, now), lasts, "{now}");
        }
    }

    #[test]
    fn one_request_at_a_time() {
        let running = InFlight::default();
        let claim = running.claim("k", "1").expect("free");
        assert_eq!(running.claim("k", "1").err().map(|error| error.retry_after), Some(Some(1)));
        assert!(running.claim("other", "1").is_ok());
        drop(claim);
        assert!(running.claim("k", "1").is_ok());
    }
}
