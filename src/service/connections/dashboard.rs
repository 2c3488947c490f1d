//! Administration of Data Connections. A connection is stored only after a successful live call; its
//! credential is never shown.

use std::sync::Arc;

use crate::admin::{Admin, AdminError};
use crate::audit::{self, CONSOLE};
use crate::connections::KEY_PURPOSE;
use crate::database::connections::{self as stored, StoredConnection};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, WriteScope};
use crate::sealing_key::KeyError;
use model::connections::{CallLine, Connection, ConnectionEndpoint, ContactFacts};
use model::secret::Secret;
use model::time::{Clock, Timestamp};
use net::connections::review::{review, review_secret};
use net::connections::{EndpointCaller, EndpointRequest, FinishedCall, Sealer};
use net::guard::{Guard, Policy};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestCall {
    /// `None` selects the first endpoint.
    pub endpoint: Option<String>,
    pub facts: ContactFacts,
    pub answers: Vec<(String, String)>,
}

impl Admin {
    /// Opens the sealer with the service's key. Does not create one.
    async fn sealer(&self) -> Result<Sealer, AdminError> {
        let place = self.key.as_ref().ok_or(KeyError::Unnamed)?;
        let key = place.read()?.ok_or_else(|| KeyError::Missing(place.path().to_owned()))?;
        let credentials = key.derive(KEY_PURPOSE)?;
        let other: Result<bool, DatabaseError> = self.database.read(move |db| key.is_another(db)).await;
        if other? {
            Err(KeyError::Other(place.path().to_owned()).into())
        } else {
            Ok(Sealer::new(&credentials))
        }
    }

    /// Calls a connection, stored or not, as the service would, and logs the call in the selected workspace.
    pub async fn try_connection(
        &self,
        connection: &Connection,
        secret: Option<&Secret>,
        trial: &TestCall,
        clock: Arc<dyn Clock>,
    ) -> Result<(FinishedCall, ConnectionEndpoint), AdminError> {
        let wrong = review(connection, Policy::default());
        if !wrong.is_empty() {
            return Err(AdminError::Refused(wrong.join("; ")));
        }
        if let Some(secret) = secret {
            review_secret(&connection.auth, secret.expose()).map_err(AdminError::Refused)?;
        }
        let endpoint = match &trial.endpoint {
            Some(name) => connection.endpoint(name),
            None => connection.endpoints.first(),
        };
        let Some(endpoint) = endpoint else {
            let names: Vec<&str> =
                connection.endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
            let why = format!("it has no such endpoint; its endpoints are: {}", names.join(", "));
            return Err(AdminError::Refused(why));
        };
        let workspace = self.selected_id().await?;
        let caller = EndpointCaller::new(Guard::system(Policy::default()), clock);
        let (facts, answers) = (&trial.facts, &trial.answers);
        let called = caller
            .call(EndpointRequest {
                connection,
                endpoint,
                secret,
                facts,
                answers,
                contact: "a test",
                key: None,
            })
            .await;
        let line = called.line.clone();
        let log = move |db: &dyn DbSession| stored::insert_call(db, &workspace, &line);
        let logged: Result<(), DatabaseError> = self.database.write_in(WriteScope::Unordered, log).await;
        logged?;
        Ok((called, endpoint.clone()))
    }

    /// Stores a connection with its credential, replacing the one of its name.
    pub async fn put_connection(
        &self,
        connection: Connection,
        secret: Option<&Secret>,
        now: Timestamp,
    ) -> Result<(), AdminError> {
        let owner = connection.credential_scope();
        let sealed = match secret {
            Some(secret) => {
                let sealed = self.sealer().await?.seal(&owner, secret);
                Some(sealed.map_err(|why| AdminError::Refused(why.to_string()))?)
            }
            None => None,
        };
        let chosen = self.workspace.clone();
        self.database
            .write(move |db| {
                let (workspace, name) = (chosen.find(db)?.id, connection.name.clone());
                let stored_connection = StoredConnection { workspace, connection, sealed };
                stored::put(db, &stored_connection, now)?;
                let workspace = &stored_connection.workspace;
                Ok(audit::record(db, workspace, CONSOLE, ("connection put", &name), now)?)
            })
            .await
    }

    /// Lists the connections of the workspace, each with whether it has a credential.
    pub async fn connections(&self) -> Result<Vec<(Connection, bool)>, AdminError> {
        let workspace = self.selected_id().await?;
        let all: Result<_, DatabaseError> = self.database.read(move |db| stored::list(db, &workspace)).await;
        Ok(all?.into_iter().map(|entry| (entry.connection, entry.sealed.is_some())).collect())
    }

    pub async fn connection(&self, name: &str) -> Result<(Connection, Option<Secret>), AdminError> {
        self.connection_of(self.selected_id().await?, name).await
    }

    pub(super) async fn connection_of(
        &self,
        workspace: String,
        name: &str,
    ) -> Result<(Connection, Option<Secret>), AdminError> {
        let wanted = name.to_owned();
        let read = move |db: &dyn DbSession| stored::read(db, &workspace, &wanted);
        let found: Result<_, DatabaseError> = self.database.read(read).await;
        let Some(StoredConnection { connection, sealed, .. }) = found? else {
            return Err(AdminError::Absent(format!(
                "there is no connection {name:?}; `admin connection list` shows them"
            )));
        };
        let Some(sealed) = sealed else { return Ok((connection, None)) };
        let opened = self.sealer().await?.open(&connection.credential_scope(), &sealed);
        let secret = opened.map_err(|why| AdminError::Refused(why.to_string()))?;
        Ok((connection, Some(secret)))
    }

    pub async fn remove_connection(&self, name: &str, now: Timestamp) -> Result<(), AdminError> {
        let (chosen, wanted) = (self.workspace.clone(), name.to_owned());
        let remove = move |db: &dyn DbSession| {
            let workspace = chosen.find(db)?.id;
            let is_removed = stored::remove(db, &workspace, &wanted)?;
            if is_removed {
                audit::record(db, &workspace, CONSOLE, ("connection remove", &wanted), now)?;
            }
            Ok::<_, AdminError>(is_removed)
        };
        match self.database.write(remove).await? {
            true => Ok(()),
            false => Err(AdminError::Absent(format!(
                "there is no connection {name:?}; `admin connection list` shows them"
            ))),
        }
    }

    /// Lists the latest calls of the workspace, newest first.
    pub async fn connection_calls(&self, limit: u32) -> Result<Vec<CallLine>, AdminError> {
        let workspace = self.selected_id().await?;
        let calls: Result<_, DatabaseError> =
            self.database.read(move |db| stored::list_calls(db, &workspace, limit)).await;
        Ok(calls?)
    }
}
