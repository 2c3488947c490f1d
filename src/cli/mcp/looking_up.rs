//! Reads customer data through the connections the inbox queries when a conversation is opened. They change
//! nothing, and get only facts the channel proves about the customer.

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::desk;
use crate::cli::folders::{self, DeskFolders};
use crate::cli::scripting::Files;
use crate::shell::connections::{ConnectionsSetup, DeskConnections};
use inbox::screens::connections::requests::{AnswerKey, ConnectionRequest, ConnectionResult};
use model::connections::{Connection, ContactFacts};
use model::queries::ConversationKey;

const MAX_ANSWER_LINES: usize = 40;

pub(super) struct CustomerLookup {
    connections: Vec<Connection>,
    linked: DeskConnections,
    _runtime: tokio::runtime::Runtime,
}

impl CustomerLookup {
    pub(super) fn open(files: &Files) -> Result<Option<Self>> {
        let setup = desk::load_connections(&folders::config()?.join("config.toml"))?;
        if setup.connections.is_empty() {
            return Ok(None);
        }
        let log = DeskFolders::find()?.data.join("connection-calls.log");
        let (runtime, connections) = (desk::runtime()?, setup.connections.clone());
        let setup = ConnectionsSetup { log, ..setup };
        let linked = DeskConnections::new(setup, files.clock.clone(), runtime.handle().clone());
        Ok(Some(Self { connections, linked, _runtime: runtime }))
    }

    /// Queries each automatic endpoint about a customer.
    pub(super) fn query_connections(&self, key: &ConversationKey, facts: &ContactFacts) -> Vec<Value> {
        let all = self
            .connections
            .iter()
            .flat_map(|connection| connection.endpoints.iter().map(move |at| (connection, at)));
        all.filter(|(_, connection_endpoint)| {
            connection_endpoint.automatic && connection_endpoint.is_readable_with(facts)
        })
        .map(|(connection, endpoint)| {
            let slot = AnswerKey {
                key: Some(key.clone()),
                connection: connection.name.clone(),
                endpoint: endpoint.name.clone(),
            };
            let facts = facts.clone();
            let call = ConnectionRequest::Call { slot, facts, answers: Vec::new(), by_hand: false };
            let mut told = json!({"connection": connection.name, "endpoint": endpoint.name});
            match self.linked.run_request(call) {
                ConnectionResult::Called { mapped: Ok(mapped), .. } => {
                    told["answer"] = mapped.to_lines(MAX_ANSWER_LINES).into();
                }
                ConnectionResult::Called { mapped: Err(why), .. } => told["failed"] = why.into(),
                _ => (),
            }
            told
        })
        .collect()
    }
}
