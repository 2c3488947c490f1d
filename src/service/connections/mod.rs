//! Data Connections of the service: HTTP interfaces of the business that the assistant may call. This module
//! stores them; [`net::connections`] builds and sends the requests.

pub mod dashboard;
pub mod proposed;

use std::sync::Arc;

use crate::database::connections::{self as stored, StoredConnection};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, WriteScope, scopes};
use crate::errors::ApiError;
use crate::state::Service;
use model::connections::{Connection, ConnectionEndpoint, ContactFacts};
use model::secret::Secret;
use model::time::Clock;
use net::connections::{EndpointCaller, EndpointRequest, FinishedCall, Sealer};
use net::guard::Guard;

pub const KEY_PURPOSE: &str = "credentials of connections";

pub struct Connections {
    caller: EndpointCaller,
    sealer: Sealer,
}

impl Connections {
    /// `key` seals the credentials.
    pub fn new(guard: Guard, clock: Arc<dyn Clock>, key: &[u8; 32]) -> Self {
        Self { caller: EndpointCaller::new(guard, clock), sealer: Sealer::new(key) }
    }

    /// Returns a connection's credential; `None` without one, or if it cannot be opened.
    pub fn secret(&self, stored: &StoredConnection) -> Option<Secret> {
        let sealed = stored.sealed.as_ref()?;
        match self.sealer.open(&stored.connection.credential_scope(), sealed) {
            Ok(secret) => Some(secret),
            Err(error) => {
                tracing::warn!(connection = stored.connection.name, %error, "a credential cannot be read");
                None
            }
        }
    }
}

pub async fn has_any(service: &Service) -> Result<bool, DatabaseError> {
    service.database.read(stored::has_any).await
}

/// Returns the connections of the workspace that a conversation or thread belongs to.
pub async fn load_for_subject(
    service: &Service,
    subject: &str,
) -> Result<Vec<StoredConnection>, DatabaseError> {
    let subject = subject.to_owned();
    let list = move |db: &dyn DbSession| match scopes::workspace_of_subject(db, &subject)? {
        Some(workspace) => stored::list(db, &workspace),
        None => Ok(Vec::new()),
    };
    service.database.read(list).await
}

/// Calls an endpoint for a contact and logs the call.
///
/// # Errors
/// If the database fails. A failure of the other side is part of [`FinishedCall`].
pub async fn call(
    service: &Service,
    (stored, endpoint): (&StoredConnection, &ConnectionEndpoint),
    (contact, facts): (&str, &ContactFacts),
    answers: &[(String, String)],
) -> Result<FinishedCall, ApiError> {
    let secret = service.connections.secret(stored);
    let connection: &Connection = &stored.connection;
    let ask =
        EndpointRequest { connection, endpoint, secret: secret.as_ref(), facts, answers, contact, key: None };
    let called = service.connections.caller.call(ask).await;
    let (workspace, line) = (stored.workspace.clone(), called.line.clone());
    let logged: Result<(), DatabaseError> = service
        .database
        .write_in(WriteScope::Unordered, move |db| self::stored::insert_call(db, &workspace, &line))
        .await;
    logged?;
    Ok(called)
}
