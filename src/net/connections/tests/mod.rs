//! Calls over real sockets on loopback, to well-behaved and hostile servers.

mod answers;
mod auth;
mod hostile;
mod secrets;
mod tokens;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::connections::{CallError, EndpointCaller, EndpointRequest, FinishedCall};
use crate::guard::tests::bench::Server;
use crate::guard::tests::certificate;
use crate::guard::{Guard, Policy, SystemNetwork};
use model::account::Platform;
use model::connections::{
    Auth, Connection, ConnectionEndpoint, ContactFacts, ContactField, EndpointMethod, Parameter,
    ParameterPlace, ParameterSource, ValueKind,
};
use model::secret::Secret;
use model::time::{Clock, Timestamp};

/// A clock that advances only on request.
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

/// Returns a caller that uses the system's network and permits only public and named hosts.
pub fn caller(clock: &Arc<HandClock>) -> EndpointCaller {
    let guard = Guard::with_network(Policy::default(), Arc::new(SystemNetwork), certificate::trust());
    EndpointCaller::new(guard, clock.clone())
}

/// Returns a connection to a local server with one endpoint.
pub fn to(server: &Server, auth: Auth) -> Connection {
    Connection {
        auth,
        private_hosts: vec![server.address.to_string()],
        endpoints: vec![orders()],
        per_minute: 6_000,
        ..Connection::new("shop", &server.url("/api"))
    }
}

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

pub fn failed(called: &FinishedCall) -> CallError {
    called.answer.clone().expect_err("it should not have worked")
}
