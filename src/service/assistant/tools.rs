//! Lookups and proposals available to the assistant for one customer, and its token budget.

use serde_json::Value;

use crate::assistant::Failure;
use crate::channels::Channel;
use crate::connections;
use crate::database::connections::Stored;
use crate::database::{DatabaseError, WriteScope, conversations, usage};
use crate::errors::ApiError;
use crate::state::Service;
use model::connections::{ConnectionEndpoint, ContactFacts, EndpointMethod, Mapped};
use model::time::Clock;
use model::time::Zone;

/// Maximum length of a raw answer, in characters.
const RAW: usize = 4_000;
/// Maximum number of offered endpoints.
const OFFERED: usize = 40;

/// Tools for one customer.
#[derive(Default)]
pub struct Tools {
    service: Option<Service>,
    stored: Vec<Stored>,
    contact: String,
    facts: ContactFacts,
}

/// Result of a lookup.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub mapped: Mapped,
    /// Raw body, truncated.
    pub raw: String,
}

impl Tools {
    pub fn none() -> Self {
        Self::default()
    }

    /// Tools for the customer of a conversation.
    pub async fn of(service: &Service, conversation: &str) -> Result<Self, DatabaseError> {
        let stored = connections::all(service).await?;
        let id = conversation.to_owned();
        let found: Result<_, DatabaseError> =
            service.database.read(move |db| conversations::with_channel(db, &id)).await;
        let facts = found?.map(|(channel, row)| ContactFacts::of(&channel.kind.platform(), &row.peer));
        Ok(Self {
            service: Some(service.clone()),
            stored,
            contact: conversation.to_owned(),
            facts: facts.unwrap_or_default(),
        })
    }

    /// Tools for the contact of a mail thread.
    pub async fn of_mail(service: &Service, thread: &str, address: &str) -> Result<Self, DatabaseError> {
        Ok(Self {
            service: Some(service.clone()),
            stored: connections::all(service).await?,
            contact: thread.to_owned(),
            facts: ContactFacts::of(&Channel::Email.platform(), address),
        })
    }

    /// Lists the endpoints to offer, each with a name that models accept: reading ones, and changing ones
    /// that allow it. Only endpoints that can be bound to this customer are listed.
    pub fn list(&self) -> Vec<(String, &Stored, &ConnectionEndpoint)> {
        let all = self
            .stored
            .iter()
            .flat_map(|stored| stored.connection.endpoints.iter().map(move |at| (stored, at)));
        all.enumerate()
            .filter(|(_, (_, connection_endpoint))| {
                connection_endpoint.method == EndpointMethod::Get || connection_endpoint.assistant_may_change
            })
            .filter(|(_, (_, connection_endpoint))| connection_endpoint.knows(&self.facts))
            .take(OFFERED)
            .map(|(index, (stored, endpoint))| {
                let plain = |text: &str| -> String {
                    text.chars()
                        .filter(|character| character.is_ascii_alphanumeric() || *character == '_')
                        .take(24)
                        .collect()
                };
                let name = format!("{}_{}_{index}", plain(&stored.connection.name), plain(&endpoint.name));
                (name, stored, endpoint)
            })
            .collect()
    }

    /// Lists the reading endpoints whose parameters are known for this customer.
    pub fn lookups(&self) -> impl Iterator<Item = (&Stored, &ConnectionEndpoint)> {
        let all = self
            .stored
            .iter()
            .flat_map(|stored| stored.connection.endpoints.iter().map(move |at| (stored, at)));
        all.filter(|(_, connection_endpoint)| connection_endpoint.reads_with(&self.facts))
    }

    /// Validates the arguments of a change without calling the endpoint.
    pub fn check(&self, endpoint: &ConnectionEndpoint, answers: &[(String, String)]) -> Result<(), String> {
        endpoint.fill(&self.facts, answers).map(drop)
    }

    /// Calls a reading endpoint.
    pub async fn call(
        &self,
        stored: &Stored,
        endpoint: &ConnectionEndpoint,
        answers: &[(String, String)],
    ) -> Result<Told, String> {
        let Some(service) = &self.service else { return Err("there is nothing to look up".to_owned()) };
        if endpoint.method != EndpointMethod::Get {
            return Err("only a person can do that".to_owned());
        }
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

    /// Checks the token budget before another request to the model.
    ///
    /// # Errors
    /// [`Failure::Spent`] if the budget of the conversation or of the day is used up.
    pub async fn afford(&self) -> Result<(), Failure> {
        let Some(service) = &self.service else { return Ok(()) };
        let (id, now, caps) = (self.contact.clone(), service.clock.now(), service.options.assistant_caps);
        let used: Result<_, DatabaseError> = service.database.read(move |db| usage::of(db, &id, now)).await;
        let used = used.map_err(|why| Failure::Failed(why.to_string()))?;
        if used.conversation >= caps.conversation {
            let why = "the assistant has used up its tokens for this conversation today";
            return Err(Failure::Spent(why.to_owned()));
        }
        if used.day >= caps.day {
            return Err(Failure::Spent("the assistant has used up its tokens for today".to_owned()));
        }
        Ok(())
    }

    /// Counts the tokens of a request.
    ///
    /// # Errors
    /// If the database fails: uncounted tokens must not be used.
    pub async fn spend(&self, tokens: u64) -> Result<(), Failure> {
        let Some(service) = &self.service else { return Ok(()) };
        let (id, now) = (self.contact.clone(), service.clock.now());
        let kept: Result<(), DatabaseError> = service
            .database
            .write_in(WriteScope::Unordered, move |db| usage::add(db, &id, tokens, now))
            .await;
        kept.map_err(|why| Failure::Failed(why.to_string()))
    }
}
