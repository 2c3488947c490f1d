//! Connections of this desk: their file, credentials and log of calls.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};

use crate::cli::desk;
use crate::cli::folders::{self, DeskFolders};
use crate::cli::unfinished::CommandRefusal;
use crate::shell::clock::SystemClock;
use crate::shell::connections::ConnectionsSetup;
use model::connections::{Connection, ConnectionEndpoint, ContactFacts};
use model::secret::Secret;
use net::connections::review::{review, review_secret};
use net::connections::{CallError, CallLog, EndpointCaller, EndpointRequest, FinishedCall, file};
use net::guard::{Guard, Policy};

/// Contact of test calls in the log.
const TEST_CONTACT: &str = "a test";

pub struct ConnectionStore {
    pub path: PathBuf,
    pub setup: ConnectionsSetup,
    caller: EndpointCaller,
    log: CallLog,
    runtime: tokio::runtime::Runtime,
}

impl ConnectionStore {
    /// # Errors
    /// If the file of connections has mistakes.
    pub fn open() -> Result<Self> {
        let config = folders::config()?.join("config.toml");
        let log = DeskFolders::find()?.data.join("connection-calls.log");
        let setup = desk::load_connections(&config)?;
        Ok(Self {
            path: config.with_file_name(desk::CONNECTIONS_FILE),
            setup,
            caller: EndpointCaller::new(Guard::system(Policy::default()), Arc::new(SystemClock)),
            log: CallLog::open(Some(log)),
            runtime: desk::runtime()?,
        })
    }

    /// Connection of a name, or an error that lists the known ones.
    pub fn named(&self, name: &str) -> Result<&Connection> {
        let all = &self.setup.connections;
        all.iter().find(|connection| connection.name == name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|connection| connection.name.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            CommandRefusal::not_found(format!("there is no connection {name:?}; known connections: {known}"))
                .into()
        })
    }

    /// Stored credential of a connection; `None` if it takes none.
    pub fn credential(&self, connection: &Connection) -> Result<Option<Secret>> {
        if !connection.auth.needs_secret() {
            return Ok(None);
        }
        let found = self.setup.credentials.get(connection);
        let missing = || Err(CallError::NoCredential.to_string());
        let secret = found.and_then(|secret| secret.map_or_else(missing, Ok)).map_err(|why| {
            let name = &connection.name;
            CommandRefusal::refused(format!(
                "{name}: {why}; set one with `frontdesk connection credential {name}`"
            ))
        });
        Ok(Some(secret?))
    }

    /// Calls an endpoint, and logs the call.
    pub fn call(
        &self,
        connection: &Connection,
        endpoint: &ConnectionEndpoint,
        secret: Option<&Secret>,
        facts: &ContactFacts,
        answers: &[(String, String)],
    ) -> FinishedCall {
        let request = EndpointRequest {
            connection,
            endpoint,
            secret,
            facts,
            answers,
            contact: TEST_CONTACT,
            key: None,
        };
        let called = self.runtime.block_on(self.caller.call(request));
        self.log.add(called.line.clone());
        called
    }

    /// Adds a connection with its credential to the files, both or none.
    pub fn add(&self, connection: &Connection, secret: Option<&Secret>) -> Result<()> {
        if let Some(secret) = secret {
            self.store_credential(connection, secret)?;
        }
        file::add(&self.path, connection).map(drop).map_err(|why| {
            let forgotten = self.setup.credentials.forget(&connection.name);
            anyhow!(match forgotten {
                Ok(_) => why,
                Err(also) => format!("{why}; its credential could not be removed: {also}"),
            })
        })
    }

    pub fn store_credential(&self, connection: &Connection, secret: &Secret) -> Result<()> {
        self.setup.credentials.store(connection, secret).map_err(|why| anyhow!(why))
    }

    /// Removes a connection from its file, with its credential.
    pub fn remove(&self, name: &str) -> Result<()> {
        file::remove(&self.path, name).map_err(|why| anyhow!(why))?;
        self.setup.credentials.forget(name).map(drop).map_err(|why| anyhow!(why))
    }
}

/// Checks a connection as it would be stored.
pub fn check(connection: &Connection) -> Result<(), String> {
    review(connection, Policy::default()).into_iter().next().map_or(Ok(()), Err)
}

/// Checks that a credential can be sent as the connection sends it.
pub fn check_secret(connection: &Connection, secret: &Secret) -> Result<(), String> {
    review_secret(&connection.auth, secret.expose())
}

/// True if another credential might work.
pub fn is_about_credential(error: &CallError) -> bool {
    matches!(error, CallError::Status(401 | 403) | CallError::Token(_))
}
