//! Administration of calls that the assistant has proposed: a person makes the call for its customer, or
//! drops it.

use std::sync::Arc;

use crate::admin::{Admin, AdminError};
use crate::audit::{self, CONSOLE};
use crate::database::connections as stored;
use crate::database::proposals::{self, ProposalRow, ProposalState};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, conversations, scopes};
use model::connections::ContactFacts;
use model::time::{Clock, Timestamp};
use net::connections::{EndpointCaller, EndpointRequest, FinishedCall};
use net::guard::{Guard, Policy};

impl Admin {
    /// Lists proposals, newest first: those of the selected workspace, else of all.
    pub async fn proposals(&self) -> Result<Vec<ProposalRow>, AdminError> {
        let workspace = self.workspace.clone();
        self.database
            .read(move |db| {
                let mut all = proposals::list(db)?;
                if workspace.is_named() {
                    let wanted = workspace.find(db)?.id;
                    let mut kept = Vec::with_capacity(all.len());
                    for row in all {
                        if workspace_of(db, &row)?.as_deref() == Some(&wanted) {
                            kept.push(row);
                        }
                    }
                    all = kept;
                }
                Ok(all)
            })
            .await
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
        let row = self.decide(id, ProposalState::Begun, clock.now()).await?;
        let subject = row.conversation.clone();
        let found: Result<_, DatabaseError> =
            self.database.read(move |db| scopes::workspace_of_subject(db, &subject)).await;
        let workspace = found?.unwrap_or_default();
        let (connection, secret) = self.connection_of(workspace.clone(), &row.connection).await?;
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
                stored::insert_call(db, &workspace, &line)?;
                proposals::set_state(db, &id, state, Some(&outcome))
            })
            .await;
        kept?;
        Ok(called)
    }

    pub async fn drop_proposal(&self, id: &str, now: Timestamp) -> Result<(), AdminError> {
        self.decide(id, ProposalState::Dropped, now).await.map(drop)
    }

    /// Moves an undecided proposal to a state and returns it.
    async fn decide(&self, id: &str, next: ProposalState, now: Timestamp) -> Result<ProposalRow, AdminError> {
        let (workspace, id) = (self.workspace.clone(), id.to_owned());
        self.database
            .write(move |db| {
                let found = proposals::read(db, &id)?;
                let of_workspace = found.as_ref().map(|row| workspace_of(db, row)).transpose()?.flatten();
                let is_elsewhere = workspace.is_named() && of_workspace != Some(workspace.find(db)?.id);
                let Some(row) = found.filter(|_| !is_elsewhere) else {
                    let why = format!("there is no proposal {id:?}; `admin proposal list` shows them");
                    return Err(AdminError::Absent(why));
                };
                if matches!(row.state, ProposalState::Done | ProposalState::Dropped) {
                    return Err(AdminError::Refused(format!("{id} is already {}", row.state.word())));
                }
                proposals::set_state(db, &id, next, row.outcome.as_deref())?;
                let action =
                    if next == ProposalState::Dropped { "proposal drop" } else { "proposal carry out" };
                let of_workspace = of_workspace.unwrap_or_default();
                audit::record(db, &of_workspace, CONSOLE, (action, &id), now)?;
                Ok(row)
            })
            .await
    }
}

fn workspace_of(db: &dyn DbSession, row: &ProposalRow) -> Result<Option<String>, DatabaseError> {
    scopes::workspace_of_subject(db, &row.conversation)
}
