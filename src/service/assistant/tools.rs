//! Lookups and proposals available to the assistant for one customer, and its token budget.

use serde_json::Value;

use crate::assistant::AnswerError;
use crate::connections;
use crate::database::connections::StoredConnection;
use crate::database::{DatabaseError, WriteScope, conversations, usage};
use crate::errors::ApiError;
use crate::state::Service;
use model::connections::{ConnectionEndpoint, ContactFacts, EndpointMethod, MappedAnswer};
use model::model_costs::ModelUsage;
use model::time::Clock;
use model::time::Zone;
use net::assist::ModelReply;
use platforms::Channel;

const MAX_RAW_ANSWER_CHARS: usize = 4_000;
const MAX_OFFERED_ENDPOINTS: usize = 40;

#[derive(Default)]
pub struct Tools {
    service: Option<Service>,
    stored: Vec<StoredConnection>,
    contact: String,
    facts: ContactFacts,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    pub mapped: MappedAnswer,
    /// Raw body, truncated.
    pub raw: String,
}

impl Tools {
    pub fn none() -> Self {
        Self::default()
    }

    pub async fn for_conversation(service: &Service, conversation: &str) -> Result<Self, DatabaseError> {
        let stored = connections::load_for_subject(service, conversation).await?;
        let id = conversation.to_owned();
        let found: Result<_, DatabaseError> =
            service.database.read(move |db| conversations::with_channel(db, &id)).await;
        let facts =
            found?.map(|(channel, row)| ContactFacts::from_address(&channel.kind.platform(), &row.peer));
        Ok(Self {
            service: Some(service.clone()),
            stored,
            contact: conversation.to_owned(),
            facts: facts.unwrap_or_default(),
        })
    }

    pub async fn for_thread(service: &Service, thread: &str, address: &str) -> Result<Self, DatabaseError> {
        Ok(Self {
            service: Some(service.clone()),
            stored: connections::load_for_subject(service, thread).await?,
            contact: thread.to_owned(),
            facts: ContactFacts::from_address(&Channel::Email.platform(), address),
        })
    }

    /// Lists the endpoints to offer, each with a name that models accept: reading ones, and changing ones
    /// that allow it. Only endpoints that can be bound to this customer are listed.
    pub fn list(&self) -> Vec<(String, &StoredConnection, &ConnectionEndpoint)> {
        let all = self
            .stored
            .iter()
            .flat_map(|stored| stored.connection.endpoints.iter().map(move |at| (stored, at)));
        all.enumerate()
            .filter(|(_, (_, connection_endpoint))| {
                connection_endpoint.method == EndpointMethod::Get || connection_endpoint.assistant_may_change
            })
            .filter(|(_, (_, connection_endpoint))| connection_endpoint.is_identified_by(&self.facts))
            .take(MAX_OFFERED_ENDPOINTS)
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
    pub fn readable_endpoints(&self) -> impl Iterator<Item = (&StoredConnection, &ConnectionEndpoint)> {
        let all = self
            .stored
            .iter()
            .flat_map(|stored| stored.connection.endpoints.iter().map(move |at| (stored, at)));
        all.filter(|(_, connection_endpoint)| connection_endpoint.is_readable_with(&self.facts))
    }

    /// Validates the arguments of a change without calling the endpoint.
    pub fn check(&self, endpoint: &ConnectionEndpoint, answers: &[(String, String)]) -> Result<(), String> {
        endpoint.fill_parameters(&self.facts, answers).map(drop)
    }

    /// Calls a reading endpoint.
    pub async fn call(
        &self,
        stored: &StoredConnection,
        endpoint: &ConnectionEndpoint,
        answers: &[(String, String)],
    ) -> Result<ToolResult, String> {
        let Some(service) = &self.service else { return Err("there is no connection to call".to_owned()) };
        if endpoint.method != EndpointMethod::Get {
            return Err("only a person can do that".to_owned());
        }
        let called =
            connections::call(service, (stored, endpoint), (&self.contact, &self.facts), answers).await;
        let called = called.map_err(|error: ApiError| error.message)?;
        let answer = called.answer.map_err(|why| why.to_string())?;
        let raw: String = match &answer.body {
            Value::Null => "done".to_owned(),
            body => body.to_string().chars().take(MAX_RAW_ANSWER_CHARS).collect(),
        };
        Ok(ToolResult { mapped: answer.mapped(endpoint, &Zone::UTC), raw })
    }

    /// Checks the token budget before another request to the model.
    ///
    /// # Errors
    /// [`AnswerError::Spent`] if the budget of the conversation or of the day is used up.
    pub async fn check_token_budget(&self) -> Result<(), AnswerError> {
        let Some(service) = &self.service else { return Ok(()) };
        let (id, now, caps) = (self.contact.clone(), service.clock.now(), service.options.assistant_caps);
        let used: Result<_, DatabaseError> = service.database.read(move |db| usage::read(db, &id, now)).await;
        let used = used.map_err(|why| AnswerError::Failed(why.to_string()))?;
        if used.conversation >= caps.conversation {
            let why = "the assistant has used up its tokens for this conversation today";
            return Err(AnswerError::Spent(why.to_owned()));
        }
        if used.day >= caps.day {
            return Err(AnswerError::Spent("the assistant has used up its tokens for today".to_owned()));
        }
        Ok(())
    }

    /// Counts the tokens of a request.
    ///
    /// # Errors
    /// If the database fails: uncounted tokens must not be used.
    pub async fn record_tokens(&self, reply: &ModelReply) -> Result<(), AnswerError> {
        let Some(service) = &self.service else { return Ok(()) };
        let prices = &service.options.assistant_prices;
        service.metrics.record_model_usage(&ModelUsage::from_tokens(
            prices,
            reply.tokens_in,
            reply.tokens_out,
        ));
        let tokens = reply.tokens();
        let (id, now) = (self.contact.clone(), service.clock.now());
        let kept: Result<(), DatabaseError> = service
            .database
            .write_in(WriteScope::Unordered, move |db| usage::add(db, &id, tokens, now))
            .await;
        kept.map_err(|why| AnswerError::Failed(why.to_string()))
    }
}
