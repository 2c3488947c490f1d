//! Who is asking: the bearer key in the header, and the key behind it.
//! Interface: Authentication.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, header};
use tokio::time::Instant;

use crate::channels::Channel;
use crate::database::{self, Database};
use crate::errors::ApiError;
use crate::keys::{self, KeyHash};
use model::account::Environment;
use wire::errors::ErrorCode;

/// How long a key that was looked up is believed. Keys can be revoked by
/// another process on the same database.
const BELIEVED: Duration = Duration::from_secs(1);
/// Keys remembered at most.
const REMEMBERED: usize = 1_024;

/// The key that asks, and what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub key: String,
    /// The workspace whose balance and data it acts on.
    pub workspace: String,
    pub channel_id: String,
    pub channel: Channel,
    /// Live or test, as the key's prefix says.
    pub environment: Environment,
    /// How often its workspace had been committed to when the key was looked up, where
    /// other processes commit, too.
    pub revision: Option<i64>,
}

impl Caller {
    /// Whether nothing may really happen.
    pub fn is_test(&self) -> bool {
        self.environment == Environment::Test
    }
}

/// A key as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownKey {
    pub caller: Caller,
    pub revoked: bool,
}

/// Keys looked up a moment ago.
#[derive(Default)]
pub struct KeyRing {
    ring: Mutex<Ring>,
}

#[derive(Default)]
struct Ring {
    known: HashMap<KeyHash, (KnownKey, Instant)>,
    /// How often all was forgotten: what was looked up before that is old.
    forgotten: u64,
}

impl KeyRing {
    /// Finds out who asks.
    ///
    /// # Errors
    /// `INVALID_AUTH`, `INVALID_KEY` or `REVOKED_KEY`.
    pub async fn authenticate(&self, headers: &HeaderMap, database: &Database) -> Result<Caller, ApiError> {
        let key = bearer(headers)?;
        let unknown = || ApiError::new(ErrorCode::InvalidKey, "this API key is not known");
        if !keys::is_well_formed(key) {
            return Err(unknown());
        }
        let hash = keys::hash(key);
        // Where others serve the same database, one may have revoked it just now.
        let remembered = if database.is_shared() { Err(u64::MAX) } else { self.remembered(&hash) };
        let known = match remembered {
            Ok(known) => known,
            Err(forgotten) => {
                let is_shared = database.is_shared();
                let found = database.read(move |db| database::keys::find(db, &hash, is_shared)).await;
                let known = found.map_err(|cause: database::DatabaseError| ApiError::from(cause))?;
                let known = known.ok_or_else(unknown)?;
                self.remember(hash, known.clone(), forgotten);
                known
            }
        };
        if known.revoked {
            return Err(ApiError::new(ErrorCode::RevokedKey, "this API key was revoked"));
        }
        Ok(known.caller)
    }

    /// Forgets everything, after a key was changed.
    pub fn forget(&self) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        ring.known.clear();
        ring.forgotten += 1;
    }

    /// A key, or how often all was forgotten when it was looked for.
    fn remembered(&self, hash: &KeyHash) -> Result<KnownKey, u64> {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ring.known.get(hash).filter(|(_, since)| since.elapsed() < BELIEVED);
        known.map(|(key, _)| key.clone()).ok_or(ring.forgotten)
    }

    fn remember(&self, hash: KeyHash, key: KnownKey, forgotten: u64) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        if ring.forgotten != forgotten {
            return;
        }
        if ring.known.len() >= REMEMBERED {
            ring.known.clear();
        }
        ring.known.insert(hash, (key, Instant::now()));
    }
}

/// The key in the one `Authorization: Bearer <API_KEY>` header.
fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let refuse = |message: &str| Err(ApiError::new(ErrorCode::InvalidAuth, message));
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return refuse("send exactly one header `Authorization: Bearer <API_KEY>`");
    };
    let key = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
    match key {
        Some(key) if !key.is_empty() && !key.contains(char::is_whitespace) => Ok(key),
        _ => refuse("the Authorization header must read `Bearer <API_KEY>`"),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn one_header_in_one_form() {
        let cases: [(&[&str], Option<&str>); 9] = [
            (&["Bearer svc_live_x"], Some("svc_live_x")),
            (&["Bearer x"], Some("x")),
            (&[], None),
            (&["Bearer"], None),
            (&["Bearer "], None),
            (&["Bearer  x"], None),
            (&["bearer x"], None),
            (&["Basic x"], None),
            (&["Bearer x", "Bearer x"], None),
        ];
        for (lines, key) in cases {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::AUTHORIZATION, HeaderValue::from_str(line).expect("valid"));
            }
            let read = bearer(&headers);
            assert_eq!(read.as_deref().ok(), key, "{lines:?}");
            if let Err(error) = read {
                assert_eq!(error.code, ErrorCode::InvalidAuth);
            }
        }
    }
}
