//! Calls over real sockets on loopback, to servers that do as they are told
//! and to servers that do not.

mod answers;
mod auth;
mod hostile;
mod secrets;
mod tokens;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::guard::tests::bench::Server;
use crate::guard::tests::certificate;
use crate::guard::{Guard, Policy, SystemNetwork};
use crate::{CallError, EndpointCaller, EndpointRequest, FinishedCall};
use model::account::Platform;
use model::connections::{
    Auth, Connection, ConnectionEndpoint, ContactFacts, ContactField, EndpointMethod, Parameter,
    ParameterPlace, ParameterSource, ValueKind,
};
use model::secret::Secret;
use model::time::{Clock, Timestamp};

/// A clock that moves only when it is told to.
#[derive(Debug)]
pub struct HandClock(AtomicI64);

impl HandClock {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_790_000_000_000_000)))
    }

    pub fn advance(&self, micros: i64) {
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// Calls through the system's network, to the public internet and to what is
/// named.
pub fn caller(clock: &Arc<HandClock>) -> EndpointCaller {
    let guard = Guard::with_network(Policy::default(), Arc::new(SystemNetwork), certificate::trust());
    EndpointCaller::new(guard, clock.clone())
}

/// A connection to a local server, which it names, with one endpoint.
pub fn to(server: &Server, auth: Auth) -> Connection {
    Connection {
        auth,
        private_hosts: vec![server.address.to_string()],
        endpoints: vec![orders()],
        per_minute: 6_000,
        ..Connection::new("shop", &server.url("/api"))
    }
}

/// An endpoint that asks for a contact's orders.
pub fn orders() -> ConnectionEndpoint {
    ConnectionEndpoint {
        name: "orders".to_owned(),
        method: EndpointMethod::Get,
        path: "/orders".to_owned(),
        instructions: String::new(),
        contact: vec![ContactField::Phone],
        public: false,
        assistant_may_change: false,
        automatic: false,
        parameters: vec![Parameter {
            name: "phone".to_owned(),
            place: ParameterPlace::Query,
            kind: ValueKind::Text,
            required: true,
            source: ParameterSource::Contact,
        }],
        fields: Vec::new(),
    }
}

/// Asks for the orders of a contact.
pub async fn call(caller: &EndpointCaller, connection: &Connection, secret: &str) -> FinishedCall {
    let secret = Secret::new(secret);
    let facts = ContactFacts::from_address(&Platform::Whatsapp, "+34600111222");
    caller
        .call(EndpointRequest {
            connection,
            endpoint: &connection.endpoints[0],
            secret: Some(&secret).filter(|secret| !secret.expose().is_empty()),
            facts: &facts,
            answers: &[],
            contact: "+34600111222",
            key: None,
        })
        .await
}

/// Why a call brought nothing.
pub fn failed(called: &FinishedCall) -> CallError {
    called.answer.clone().expect_err("it should not have worked")
}
