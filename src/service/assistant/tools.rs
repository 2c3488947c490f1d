//! What an assistant can look up while it thinks, for the customer it answers
//! and for nobody else; what it may propose; and what it may still use up.

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

    /// What can be looked up for the contact of a thread of mail.
    pub async fn of_mail(service: &Service, thread: &str, address: &str) -> Result<Self, DatabaseError> {
        Ok(Self {
            service: Some(service.clone()),
            stored: connections::all(service).await?,
            contact: thread.to_owned(),
            facts: ContactFacts::of(&Channel::Email.platform(), address),
        })
    }

    /// The endpoints that may be offered, with a name for each that models
    /// take: those that read, and those that change something where the
    /// connection says so; only such as this customer can be bound to.
    pub fn list(&self) -> Vec<(String, &Stored, &ConnectionEndpoint)> {
        let all = self.stored.iter().flat_map(|it| it.connection.endpoints.iter().map(move |at| (it, at)));
        all.enumerate()
            .filter(|(_, (_, it))| it.method == EndpointMethod::Get || it.assistant_may_change)
            .filter(|(_, (_, it))| it.knows(&self.facts))
            .take(OFFERED)
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
    pub fn lookups(&self) -> impl Iterator<Item = (&Stored, &ConnectionEndpoint)> {
        let all = self.stored.iter().flat_map(|it| it.connection.endpoints.iter().map(move |at| (it, at)));
        all.filter(|(_, it)| it.reads_with(&self.facts))
    }

    /// Whether a change could be called like this; nothing is called.
    pub fn check(&self, endpoint: &ConnectionEndpoint, answers: &[(String, String)]) -> Result<(), String> {
        endpoint.fill(&self.facts, answers).map(drop)
    }

    /// Asks an endpoint that changes nothing.
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

    /// Whether a model may be asked once more today.
    ///
    /// # Errors
    /// [`Failure::Spent`] when the conversation or the day has used up its tokens.
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

    /// Counts what one request took.
    ///
    /// # Errors
    /// When the database fails: what cannot be counted is not gone on with.
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
