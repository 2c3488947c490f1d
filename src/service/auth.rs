//! Authentication of a request by its bearer key.

use axum::http::{HeaderMap, header};

use crate::channels::Channel;
use crate::database::{self, Database};
use crate::errors::ApiError;
use crate::keys;
use model::account::Environment;
use wire::errors::ErrorCode;

/// Key that makes a request, with its workspace and channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub key: String,
    pub workspace: String,
    pub channel_id: String,
    pub channel: Channel,
    /// Taken from the key's prefix.
    pub environment: Environment,
    /// Commit count of the workspace at lookup; set only where other processes write to the database as well.
    pub revision: Option<i64>,
}

impl Caller {
    /// Returns true for a test key, whose writes are rolled back.
    pub fn is_test(&self) -> bool {
        self.environment == Environment::Test
    }
}

/// Stored key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    pub caller: Caller,
    pub revoked: bool,
}

/// Returns the caller of a request. Reads the database every time, so that a revocation by any process takes
/// effect at once.
///
/// # Errors
/// `INVALID_AUTH`, `INVALID_KEY` or `REVOKED_KEY`.
pub async fn authenticate(headers: &HeaderMap, database: &Database) -> Result<Caller, ApiError> {
    let key = bearer(headers)?;
    let unknown = || ApiError::new(ErrorCode::InvalidKey, "this API key is not known");
    if !keys::is_well_formed(key) {
        return Err(unknown());
    }
    let (hash, is_shared) = (keys::hash(key), database.is_shared());
    let found = database.read_indexed(move |db| database::keys::find(db, &hash, is_shared)).await;
    let known = found.map_err(|cause: database::DatabaseError| ApiError::from(cause))?.ok_or_else(unknown)?;
    if known.revoked {
        return Err(ApiError::new(ErrorCode::RevokedKey, "this API key was revoked"));
    }
    Ok(known.caller)
}

/// Returns the key of the one `Authorization: Bearer <API_KEY>` header.
fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let refuse = |message: &str| Err(ApiError::new(ErrorCode::InvalidAuth, message));
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return refuse("send exactly one header `Authorization: Bearer <API_KEY>`");
    };
    let scheme = |text: &&str| text.eq_ignore_ascii_case("Bearer");
    let key = value.to_str().ok().and_then(|text| {
        let (named, key) = text.split_once(' ')?;
        Some(key).filter(|_| scheme(&named))
    });
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
        let cases: [(&[&str], Option<&str>); 11] = [
            (&["Bearer svc_live_x"], Some("svc_live_x")),
            (&["Bearer x"], Some("x")),
            (&[], None),
            (&["Bearer"], None),
            (&["Bearer "], None),
            (&["Bearer  x"], None),
            (&["bearer x"], Some("x")),
            (&["BEARER x"], Some("x")),
            (&["Bearerx"], None),
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
