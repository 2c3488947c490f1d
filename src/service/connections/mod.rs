//! Data Connections of the service: the business's own interfaces, which its
//! assistant asks. What is called how is the business of the floor
//! [`connections`]; here they are kept.

pub mod dashboard;
pub mod proposed;

use std::sync::Arc;

use crate::database::connections::{self as stored, Stored};
use crate::database::{DatabaseError, WriteScope};
use crate::errors::ApiError;
use crate::state::Service;
use connections::guard::Guard;
use connections::{Called, EndpointCaller, EndpointRequest, Sealer};
use model::connections::{Connection, ConnectionEndpoint, ContactFacts};
use model::secret::Secret;
use model::time::Clock;

/// What the key beside the database is made into for credentials.
pub const PURPOSE: &str = "credentials of connections";

/// Calls connections and opens their credentials.
pub struct Connections {
    caller: EndpointCaller,
    sealer: Sealer,
}

impl Connections {
    /// Through a guard, with the key of the credentials.
    pub fn new(guard: Guard, clock: Arc<dyn Clock>, key: &[u8; 32]) -> Self {
        Self { caller: EndpointCaller::new(guard, clock), sealer: Sealer::new(key) }
    }

    /// The credential of a connection, if it has one that can be read.
    pub fn secret(&self, stored: &Stored) -> Option<Secret> {
        let sealed = stored.sealed.as_ref()?;
        match self.sealer.open(&stored.connection.credential_owner(), sealed) {
            Ok(secret) => Some(secret),
            Err(error) => {
                tracing::warn!(connection = stored.connection.name, %error, "a credential cannot be read");
                None
            }
        }
    }
}

/// Whether any connection is kept.
pub async fn any(service: &Service) -> Result<bool, DatabaseError> {
    service.database.read(stored::any).await
}

/// All that are kept.
pub async fn all(service: &Service) -> Result<Vec<Stored>, DatabaseError> {
    service.database.read(stored::list).await
}

/// One call for a contact, with its line in the log.
///
/// # Errors
/// When the database fails; that the other side does is part of what comes.
pub async fn call(
    service: &Service,
    (stored, endpoint): (&Stored, &ConnectionEndpoint),
    (contact, facts): (&str, &ContactFacts),
    answers: &[(String, String)],
) -> Result<Called, ApiError> {
    let secret = service.connections.secret(stored);
    let connection: &Connection = &stored.connection;
    let ask =
        EndpointRequest { connection, endpoint, secret: secret.as_ref(), facts, answers, contact, key: None };
    let called = service.connections.caller.call(ask).await;
    let line = called.line.clone();
    let logged: Result<(), DatabaseError> =
        service.database.write_in(WriteScope::Unordered, move |db| self::stored::log(db, &line)).await;
    logged?;
    Ok(called)
}
