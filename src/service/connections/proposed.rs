//! Administration of calls that the assistant has proposed: a person makes the call for its customer, or
//! drops it.

use std::sync::Arc;

use crate::admin::{Admin, AdminError};
use crate::database::connections as stored;
use crate::database::proposals::{self, ProposalRow, ProposalState};
use crate::database::{DatabaseError, conversations};
use model::connections::ContactFacts;
use model::time::Clock;
use net::connections::{EndpointCaller, EndpointRequest, FinishedCall};
use net::guard::{Guard, Policy};

impl Admin {
    /// Lists all proposals, newest first.
    pub async fn proposals(&self) -> Result<Vec<ProposalRow>, AdminError> {
        let all: Result<_, DatabaseError> = self.database.read(proposals::list).await;
        Ok(all?)
    }

    /// Makes a proposed call. Recorded before the request is sent; without a confirmed success it may be
    /// repeated under the same idempotency key.
    ///
    /// # Errors
    /// If the proposal does not exist or is decided, or the database fails. A refusal by the other side is
    /// part of [`FinishedCall`].
    pub async fn execute_proposal(
        &self,
        id: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<FinishedCall, AdminError> {
        let row = self.decide(id, ProposalState::Begun).await?;
        let (connection, secret) = self.connection(&row.connection).await?;
        let Some(endpoint) = connection.endpoint(&row.endpoint) else {
            let why = format!("{} no longer has the endpoint {:?}", row.connection, row.endpoint);
            return Err(AdminError::Refused(why));
        };
        let conversation = row.conversation.clone();
        let found: Result<_, DatabaseError> =
            self.database.read(move |db| conversations::with_channel(db, &conversation)).await;
        let facts =
            found?.map(|(channel, row)| ContactFacts::from_address(&channel.kind.platform(), &row.peer));
        let facts = facts.unwrap_or_default();
        let caller = EndpointCaller::new(Guard::system(Policy::default()), clock);
        let ask = EndpointRequest {
            connection: &connection,
            endpoint,
            secret: secret.as_ref(),
            facts: &facts,
            answers: &row.answers,
            contact: &row.conversation,
            key: Some(&row.id),
        };
        let called = caller.call(ask).await;
        let (state, outcome) = match &called.answer {
            Ok(answer) => (ProposalState::Done, format!("status {}", answer.status)),
            Err(why) => (ProposalState::Begun, why.to_string()),
        };
        let (line, id) = (called.line.clone(), row.id);
        let kept: Result<(), DatabaseError> = self
            .database
            .write(move |db| {
                stored::insert_call(db, &line)?;
                proposals::set_state(db, &id, state, Some(&outcome))
            })
            .await;
        kept?;
        Ok(called)
    }

    pub async fn drop_proposal(&self, id: &str) -> Result<(), AdminError> {
        self.decide(id, ProposalState::Dropped).await.map(drop)
    }

    /// Moves an undecided proposal to a state and returns it.
    async fn decide(&self, id: &str, next: ProposalState) -> Result<ProposalRow, AdminError> {
        let id = id.to_owned();
        self.database
            .write(move |db| {
                let Some(row) = proposals::read(db, &id)? else {
                    let why = format!("there is no proposal {id:?}; `admin proposal list` shows them");
                    return Err(AdminError::Absent(why));
                };
                if matches!(row.state, ProposalState::Done | ProposalState::Dropped) {
                    return Err(AdminError::Refused(format!("{id} is {} already", row.state.word())));
                }
                proposals::set_state(db, &id, next, row.outcome.as_deref())?;
                Ok(row)
            })
            .await
    }
}
