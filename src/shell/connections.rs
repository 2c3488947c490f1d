//! Data Connections in the inbox: calls on threads of their own.

use std::path::PathBuf;
use std::sync::Arc;

use inbox::outside::OutsideAnswer;
use inbox::screens::connections::requests::{AnswerKey, ConnectionRequest, ConnectionResult};
use model::connections::{Connection, ContactFacts, MappedAnswer};
use model::time::{Clock, Zone};
use net::connections::{CallError, CallLog, Credentials, EndpointCaller, EndpointRequest, EndpointResponse};
use net::guard::{Guard, Policy};

/// Maximum log lines shown.
const MAX_SHOWN_LINES: usize = 500;

#[derive(Debug, Clone)]
pub struct ConnectionsSetup {
    pub connections: Vec<Connection>,
    /// File of recent calls.
    pub log: PathBuf,
    pub credentials: Credentials,
    pub zone: Zone,
}

/// The connections with their caller and log. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DeskConnections(Arc<ConnectionsState>);

#[derive(Debug)]
struct ConnectionsState {
    setup: ConnectionsSetup,
    caller: EndpointCaller,
    log: CallLog,
    runtime: tokio::runtime::Handle,
}

impl DeskConnections {
    /// `runtime` carries the calls.
    pub fn new(setup: ConnectionsSetup, clock: Arc<dyn Clock>, runtime: tokio::runtime::Handle) -> Self {
        let caller = EndpointCaller::new(Guard::system(Policy::default()), clock);
        let log = CallLog::open(Some(setup.log.clone()));
        Self(Arc::new(ConnectionsState { setup, caller, log, runtime }))
    }

    /// Runs a request on a thread of its own and passes the result to `tell`.
    pub fn start_request(
        &self,
        errand: ConnectionRequest,
        tell: impl FnOnce(OutsideAnswer) + Send + 'static,
    ) {
        let this = self.clone();
        drop(
            self.0.runtime.spawn_blocking(move || tell(OutsideAnswer::Connections(this.run_request(errand)))),
        );
    }

    /// Runs a request; blocks for as long as it takes.
    pub fn run_request(&self, errand: ConnectionRequest) -> ConnectionResult {
        match errand {
            ConnectionRequest::Call { slot, facts, answers, by_hand } => {
                let mapped = self.call(&slot, &facts, &answers);
                ConnectionResult::Called { slot, by_hand, mapped }
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
        let found = self.0.setup.connections.iter().find(|connection| connection.name == slot.connection);
        let found = found.and_then(|connection| Some((connection, connection.endpoint(&slot.endpoint)?)));
        let (connection, endpoint) = found.ok_or("the connection no longer exists")?;
        let give = || format!("`frontdesk connection credential {}` gives it one", connection.name);
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
}
