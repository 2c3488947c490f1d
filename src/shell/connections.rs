//! Data Connections in the inbox: calls on threads of their own, and edits of the connections file.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use connections::guard::{Guard, Policy};
use connections::review::{review, review_secret};
use connections::{
    CallError, CallLog, Credentials, EndpointCaller, EndpointRequest, EndpointResponse, answers, file,
};
use inbox::outside::Answered;
use inbox::screens::connections::errands::{AnswerKey, ConnectionRequest, ConnectionResult};
use model::connections::mapping::MappingCandidate;
use model::connections::{Connection, ContactFacts, MappedAnswer};
use model::secret::Secret;
use model::time::{Clock, Zone};

/// Maximum log lines shown.
const MAX_SHOWN_LINES: usize = 500;
/// Maximum endpoints on which a new credential is tested.
const MAX_TRIED_ENDPOINTS: usize = 5;

#[derive(Debug, Clone)]
pub struct ConnectionsSetup {
    pub connections: Vec<Connection>,
    pub file: PathBuf,
    /// File of recent calls.
    pub log: PathBuf,
    pub credentials: Credentials,
    /// Zone for dates.
    pub zone: Zone,
}

/// The connections with their caller and log. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DeskConnections(Arc<ConnectionsState>);

#[derive(Debug)]
struct ConnectionsState {
    setup: ConnectionsSetup,
    connections: Mutex<Vec<Connection>>,
    caller: EndpointCaller,
    log: CallLog,
    runtime: tokio::runtime::Handle,
}

impl DeskConnections {
    /// `runtime` carries the calls.
    pub fn new(setup: ConnectionsSetup, clock: Arc<dyn Clock>, runtime: tokio::runtime::Handle) -> Self {
        let caller = EndpointCaller::new(Guard::system(Policy::default()), clock);
        let log = CallLog::open(Some(setup.log.clone()));
        let connections = Mutex::new(setup.connections.clone());
        Self(Arc::new(ConnectionsState { setup, connections, caller, log, runtime }))
    }

    /// Runs a request on a thread of its own and passes the result to `tell`.
    pub fn begin(&self, errand: ConnectionRequest, tell: impl FnOnce(Answered) + Send + 'static) {
        let this = self.clone();
        drop(self.0.runtime.spawn_blocking(move || tell(Answered::Connections(this.run_request(errand)))));
    }

    /// Runs a request; blocks for as long as it takes.
    pub fn run_request(&self, errand: ConnectionRequest) -> ConnectionResult {
        match errand {
            ConnectionRequest::Call { slot, facts, answers, by_hand } => {
                let mapped = self.call(&slot, &facts, &answers);
                ConnectionResult::Called { slot, by_hand, mapped }
            }
            ConnectionRequest::Try { attempt, connection, secret, facts } => {
                ConnectionResult::Tried(attempt, self.try_call(&connection, &secret, &facts))
            }
            ConnectionRequest::Save { connection, secret } => {
                ConnectionResult::Saved(self.save(&connection, &secret))
            }
            ConnectionRequest::Credential { connection, secret, facts } => {
                let tried = self.accept(&connection, &secret, &facts);
                ConnectionResult::Accepted(connection, tried)
            }
            ConnectionRequest::Remove(name) => {
                ConnectionResult::Removed(self.remove(&name).map(|left| (name, left)))
            }
            ConnectionRequest::Log => ConnectionResult::Log(self.0.log.newest(MAX_SHOWN_LINES)),
        }
    }

    fn call(
        &self,
        slot: &AnswerKey,
        facts: &ContactFacts,
        answers: &[(String, String)],
    ) -> Result<MappedAnswer, String> {
        let all = self.0.connections.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let found = all.iter().find(|connection| connection.name == slot.connection);
        let found = found.and_then(|connection| Some((connection, connection.endpoint(&slot.endpoint)?)));
        let (connection, endpoint) = found.ok_or("there is no such connection any more")?;
        let give = || format!(":connection credential {} gives it one", connection.name);
        let secret = match connection.auth.needs_secret() {
            true => self.0.setup.credentials.get(connection).map_err(|why| format!("{why}: {}", give()))?,
            false => None,
        };
        let contact = slot.key.as_ref().map(|key| key.conversation.to_string()).unwrap_or_default();
        let ask = EndpointRequest {
            connection,
            endpoint,
            secret: secret.as_ref(),
            facts,
            answers,
            contact: &contact,
            key: None,
        };
        match self.call_endpoint(ask) {
            Ok(answer) => Ok(answer.mapped(endpoint, &self.0.setup.zone)),
            Err(CallError::NoCredential) => Err(format!("{}: {}", CallError::NoCredential, give())),
            Err(why) => Err(why.to_string()),
        }
    }

    /// Makes one call and logs it.
    fn call_endpoint(&self, ask: EndpointRequest<'_>) -> Result<EndpointResponse, CallError> {
        let called = self.0.runtime.block_on(self.0.caller.call(ask));
        self.0.log.add(called.line);
        called.answer
    }

    /// Tests a new credential and stores it once an endpoint has answered.
    fn accept(&self, name: &str, secret: &Secret, facts: &ContactFacts) -> Result<u16, String> {
        let all = self.0.connections.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let connection = all
            .iter()
            .find(|connection| connection.name == name)
            .ok_or("there is no such connection any more")?;
        review_secret(&connection.auth, secret.expose())?;
        let mut refused = None;
        // One answer proves the credential: other endpoints may not know this customer.
        for endpoint in connection
            .endpoints
            .iter()
            .filter(|endpoint| endpoint.is_readable_with(facts))
            .take(MAX_TRIED_ENDPOINTS)
        {
            let ask = EndpointRequest {
                connection,
                endpoint,
                secret: Some(secret),
                facts,
                answers: &[],
                contact: "a test",
                key: None,
            };
            match self.call_endpoint(ask) {
                Ok(answer) => {
                    self.0.setup.credentials.store(connection, secret)?;
                    return Ok(answer.status);
                }
                Err(why) => refused = refused.or(Some(why.to_string())),
            }
        }
        Err(refused.unwrap_or_else(|| {
            "none of its endpoints can be tried with what is known of this contact; open the conversation of \
             a customer it knows"
                .to_owned()
        }))
    }

    /// Removes a connection from its file, with its credential.
    fn remove(&self, name: &str) -> Result<Vec<Connection>, String> {
        let left = file::remove(&self.0.setup.file, name)?;
        self.0.connections.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&left);
        self.0.setup.credentials.forget(name)?;
        Ok(left)
    }

    /// Makes a live call with a connection not yet stored.
    fn try_call(
        &self,
        connection: &Connection,
        secret: &Secret,
        facts: &ContactFacts,
    ) -> Result<(u16, Vec<MappingCandidate>), String> {
        if let Some(why) = review(connection, Policy::default()).into_iter().next() {
            return Err(why);
        }
        let wanted = connection.auth.needs_secret();
        if wanted {
            review_secret(&connection.auth, secret.expose())?;
        }
        let endpoint = connection.endpoints.first().ok_or("it has no endpoint")?;
        let secret = Some(secret).filter(|_| wanted);
        let ask = EndpointRequest {
            connection,
            endpoint,
            secret,
            facts,
            answers: &[],
            contact: "a test",
            key: None,
        };
        let answer = self.call_endpoint(ask).map_err(|why| why.to_string())?;
        Ok((answer.status, answers::picks(&answer.body)))
    }

    fn save(&self, connection: &Connection, secret: &Secret) -> Result<Vec<Connection>, String> {
        let (all, _) = file::read(&self.0.setup.file);
        if all.iter().any(|entry| entry.name == connection.name) {
            return Err(format!("a connection is called {:?} already; take another name", connection.name));
        }
        if connection.auth.needs_secret() {
            self.0.setup.credentials.store(connection, secret)?;
        }
        let all = file::add(&self.0.setup.file, connection)?;
        self.0.connections.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&all);
        Ok(all)
    }
}
