//! Authentication of a request by its bearer: a channel key, or a person's session.

use axum::http::{HeaderMap, Method, header};

use crate::database::team::people::{self, Person};
use crate::database::{self, Database, DatabaseError};
use crate::errors::ApiError;
use crate::keys;
use api::errors::ErrorCode;
use api::team::Role;
use model::account::Environment;
use platforms::Channel;

/// Refusal of a session that has ended, and of the keys that belong to it.
const ENDED_SESSION: &str =
    "this session has ended; sign in with a new token, which `frontdesk admin person add` prints";

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
    /// Owner of a key that was made at a sign-in.
    pub person: Option<Person>,
    /// True if the operator has suspended the workspace.
    pub suspended: bool,
}

impl Caller {
    pub fn is_test(&self) -> bool {
        self.environment == Environment::Test
    }
}

/// Author of a write, by whose id its idempotency keys and limits are kept.
pub trait Requester: Clone + Send + Sync + 'static {
    /// Id of the key or session.
    fn id(&self) -> &str;

    fn workspace(&self) -> &str;

    /// Returns true for a test key, whose writes are rolled back.
    fn is_test(&self) -> bool;

    fn person(&self) -> Option<&Person>;

    /// Returns true if the operator has suspended the workspace.
    fn is_suspended(&self) -> bool;

    /// Checks that the caller may make a request.
    ///
    /// # Errors
    /// `FORBIDDEN` for a write of a viewer, or in a suspended workspace.
    fn check_role(&self, method: &Method) -> Result<(), ApiError> {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        if self.is_suspended() && !is_read {
            return Err(ApiError::new(
                ErrorCode::Forbidden,
                "this workspace is suspended: it can only be read until the operator of the service \
                 resumes it",
            ));
        }
        match self.person() {
            Some(person) if person.role == Role::Viewer && !is_read => Err(ApiError::new(
                ErrorCode::Forbidden,
                "a viewer cannot change anything; the operator of the service gives another role with \
                 `frontdesk admin person role`",
            )),
            _ => Ok(()),
        }
    }
}

impl Requester for Caller {
    fn id(&self) -> &str {
        &self.key
    }

    fn workspace(&self) -> &str {
        &self.workspace
    }

    fn is_test(&self) -> bool {
        self.is_test()
    }

    fn person(&self) -> Option<&Person> {
        self.person.as_ref()
    }

    fn is_suspended(&self) -> bool {
        self.suspended
    }
}

/// A signed-in person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub session: String,
    pub workspace: String,
    pub person: Person,
    pub suspended: bool,
}

/// Author of a request below `/desk/v1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeskCaller {
    Key(Caller),
    Member(Member),
}

impl DeskCaller {
    /// Returns the signed-in person.
    ///
    /// # Errors
    /// `FORBIDDEN` for a channel key.
    pub fn member(&self) -> Result<&Member, ApiError> {
        match self {
            Self::Member(member) => Ok(member),
            Self::Key(_) => Err(ApiError::new(
                ErrorCode::Forbidden,
                "this request needs a person's session, not a channel key; sign in with `frontdesk join`",
            )),
        }
    }
}

impl Requester for DeskCaller {
    fn id(&self) -> &str {
        match self {
            Self::Key(caller) => caller.id(),
            Self::Member(member) => &member.session,
        }
    }

    fn workspace(&self) -> &str {
        match self {
            Self::Key(caller) => caller.workspace(),
            Self::Member(member) => &member.workspace,
        }
    }

    fn is_test(&self) -> bool {
        match self {
            Self::Key(caller) => caller.is_test(),
            Self::Member(_) => false,
        }
    }

    fn person(&self) -> Option<&Person> {
        match self {
            Self::Key(caller) => caller.person(),
            Self::Member(member) => Some(&member.person),
        }
    }

    fn is_suspended(&self) -> bool {
        match self {
            Self::Key(caller) => caller.is_suspended(),
            Self::Member(member) => member.suspended,
        }
    }
}

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
        let message = match known.caller.person {
            Some(_) => ENDED_SESSION,
            None => "this API key was revoked",
        };
        return Err(ApiError::new(ErrorCode::RevokedKey, message));
    }
    Ok(known.caller)
}

/// Returns the signed-in person of a request below `/desk/v1`, or the caller of its key. Reads the database every
/// time, so that the end of a session takes effect at once.
///
/// # Errors
/// `INVALID_AUTH`, `INVALID_KEY` or `REVOKED_KEY`.
pub async fn authenticate_desk(headers: &HeaderMap, database: &Database) -> Result<DeskCaller, ApiError> {
    let session = bearer(headers)?;
    if !session.starts_with(keys::SESSION_PREFIX) {
        return Ok(DeskCaller::Key(authenticate(headers, database).await?));
    }
    let unknown = || ApiError::new(ErrorCode::InvalidKey, "this session is not known");
    if !keys::has_form(session, keys::SESSION_PREFIX) {
        return Err(unknown());
    }
    let hash = keys::hash(session);
    let found = database.read_indexed(move |db| people::find_session(db, &hash)).await;
    let found = found.map_err(|cause: DatabaseError| ApiError::from(cause))?.ok_or_else(unknown)?;
    if found.ended {
        return Err(ApiError::new(ErrorCode::RevokedKey, ENDED_SESSION));
    }
    let people::SessionRow { id: session, workspace, person, suspended, .. } = found;
    Ok(DeskCaller::Member(Member { session, workspace, person, suspended }))
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
