//! What an assistant can look up while it thinks: the endpoints of the
//! business's connections, for the customer it answers and for nobody else.
//!
//! Knows nothing of who thinks. Every call is logged.

use serde_json::Value;

use crate::model::connections::{ContactFacts, Endpoint, Mapped, Method};
use crate::model::time::Zone;
use crate::service::connections;
use crate::service::database::DatabaseError;
use crate::service::database::connections::Stored;
use crate::service::database::conversations;
use crate::service::errors::ApiError;
use crate::service::state::Service;

/// Characters of an answer without a mapping.
const RAW: usize = 4_000;
/// Endpoints that are offered at most.
const OFFERED: usize = 40;

/// What can be looked up for one customer.
#[derive(Default)]
pub struct Tools {
    service: Option<Service>,
    stored: Vec<Stored>,
    contact: String,
    facts: ContactFacts,
}

/// What a call brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// As its mapping shows it.
    pub mapped: Mapped,
    /// As it came, cut.
    pub raw: String,
}

impl Tools {
    /// Nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// What can be looked up for the customer of a conversation.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn of(service: &Service, conversation: &str) -> Result<Self, DatabaseError> {
        let stored = connections::all(service).await?;
        if stored.is_empty() {
            return Ok(Self::none());
        }
        let id = conversation.to_owned();
        let found: Result<_, DatabaseError> =
            service.database.read(move |db| conversations::with_channel(db, &id)).await;
        let facts = found?.map(|(_, row)| {
            let is_number = row.peer.starts_with('+');
            ContactFacts {
                phone: is_number.then(|| row.peer.clone()),
                email: row.email.or_else(|| row.peer.contains('@').then(|| row.peer.clone())),
                name: row.name,
                username: row.username,
                metadata: Vec::new(),
            }
        });
        Ok(Self {
            service: Some(service.clone()),
            stored,
            contact: conversation.to_owned(),
            facts: facts.unwrap_or_default(),
        })
    }

    /// The endpoints, with a name for each that models take.
    pub fn list(&self) -> Vec<(String, &Stored, &Endpoint)> {
        let all = self.stored.iter().flat_map(|it| it.connection.endpoints.iter().map(move |at| (it, at)));
        all.take(OFFERED)
            .enumerate()
            .map(|(index, (stored, endpoint))| {
                let plain = |it: &str| -> String {
                    it.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '_').take(24).collect()
                };
                let name = format!("{}_{}_{index}", plain(&stored.connection.name), plain(&endpoint.name));
                (name, stored, endpoint)
            })
            .collect()
    }

    /// The endpoints that can be asked with what is known of the customer
    /// and that change nothing.
    pub fn lookups(&self) -> impl Iterator<Item = (&Stored, &Endpoint)> {
        let all = self.stored.iter().flat_map(|it| it.connection.endpoints.iter().map(move |at| (it, at)));
        all.filter(|(_, it)| it.method == Method::Get && it.needs_nobody())
    }

    /// Asks an endpoint.
    ///
    /// # Errors
    /// Why there is no answer, in words an assistant may be told.
    pub async fn call(
        &self,
        stored: &Stored,
        endpoint: &Endpoint,
        answers: &[(String, String)],
    ) -> Result<Told, String> {
        let Some(service) = &self.service else { return Err("there is nothing to look up".to_owned()) };
        let called =
            connections::call(service, (stored, endpoint), (&self.contact, &self.facts), answers).await;
        let called = called.map_err(|error: ApiError| error.message)?;
        let answer = called.answer.map_err(|why| why.to_string())?;
        let raw: String = match &answer.body {
            Value::Null => "done".to_owned(),
            body => body.to_string().chars().take(RAW).collect(),
        };
        Ok(Told { mapped: answer.mapped(endpoint, &Zone::UTC), raw })
    }
}
