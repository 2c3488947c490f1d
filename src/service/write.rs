//! Execution of every write: claims the idempotency key, runs the effect and stores the answer, all in one
//! transaction (docs/choices.md, "Idempotency" and "Test keys").

use std::sync::Arc;

use crate::auth::{Caller, Requester};
use crate::database::egress::{self, KeyedRequest};
use crate::database::idempotency::{self as kept, KeyLookup};
use crate::database::session::{DbSession, WriteScope};
use crate::database::{DatabaseError, outbound, savepoint, workspaces};
use crate::errors::ApiError;
use crate::idempotency::{Claim, Fingerprint};
use crate::reply::Reply;
use crate::request::WriteRequest;
use crate::sending;
use crate::state::{Service, ServiceState};
use crate::team;
use api::errors::ErrorCode;
use api::team::PersonName;
use model::time::{Clock, Timestamp};
use platforms::Channel;

/// Context of an effect, inside its transaction.
pub struct WriteContext<'a> {
    /// Writer's connection, inside a savepoint.
    pub db: &'a dyn DbSession,
    pub service: &'a ServiceState,
    /// Time at which the effect happens.
    pub now: Timestamp,
    /// True for a test key: everything is rolled back after the answer is made, no platform is asked, nothing
    /// is charged.
    pub test: bool,
    /// Idempotency key of the request.
    pub key: Option<&'a str>,
    /// Person with whose own key the request was made.
    pub agent: Option<&'a PersonName>,
    /// Newest message that this person has seen, if their desk says so.
    pub seen: Option<&'a str>,
}

impl<'a> WriteContext<'a> {
    /// Creates the context of an effect that no request asks for.
    pub fn of_service(db: &'a dyn DbSession, service: &'a ServiceState, now: Timestamp) -> Self {
        Self { db, service, now, test: false, key: None, agent: None, seen: None }
    }

    /// Returns a timestamp for a new row: now, but later than every earlier one.
    pub fn stamp(&self) -> Timestamp {
        self.service.ids.next_stamp(self.now, self.service.clock.reliable_wall_time())
    }

    /// Records an outbound message for `/dev/outbound`. Only with `--dev`: otherwise it would be a needless
    /// copy of personal data.
    pub fn record_outbound(
        &self,
        channel: Channel,
        recipient: &str,
        content: &str,
        at: Timestamp,
    ) -> Result<(), DatabaseError> {
        if !self.service.options.dev {
            return Ok(());
        }
        outbound::record(self.db, channel, recipient, content, self.key, at)
    }

    /// Returns a new id, which sorts after earlier ids. Ids made for a test key begin with `test_`.
    pub fn id(&self, prefix: &str, stamp: Timestamp) -> String {
        self.service.ids.new_id(if self.test { "test" } else { prefix }, stamp)
    }

    /// Charges the price of a write, identified by `reference` (docs/choices.md, "Credits"). A test key is not
    /// charged.
    ///
    /// # Errors
    /// `INSUFFICIENT_CREDITS` if the balance is lower than the price.
    pub fn pay(&self, caller: &Caller, price: i64, what: &str, reference: &str) -> Result<Payment, ApiError> {
        if self.test {
            let remaining = workspaces::read(self.db, &caller.workspace)?.balance;
            return Ok(Payment { used: 0, remaining });
        }
        match workspaces::charge(self.db, &caller.workspace, price, what, reference, self.now)? {
            Ok(remaining) => Ok(Payment { used: price, remaining }),
            Err(balance) => Err(ApiError::new(
                ErrorCode::InsufficientCredits,
                format!("not enough credits: required {price}, available {balance}"),
            )),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payment {
    /// Credits charged; 0 for a test key.
    pub used: i64,
    /// Balance after the charge.
    pub remaining: i64,
}

struct IdempotentRequest {
    key: String,
    fingerprint: Fingerprint,
}

impl ServiceState {
    /// Claims a request's idempotency key before any other service is asked on its behalf. Returns true if
    /// its answer is stored already.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` while another request runs under the key.
    pub async fn claim<C: Requester>(&self, request: &mut WriteRequest<C>) -> Result<bool, ApiError> {
        let Some(key) = request.key.clone() else { return Ok(false) };
        let claim = match request.claim.take() {
            None => Some(self.in_flight.claim(request.caller.id(), &key)?),
            made => return self.is_answered(request, key, made).await,
        };
        if self.is_answered(request, key, claim).await? {
            return Ok(true);
        }
        // Not before the lookup: the first request may release its claim late, after its answer was stored.
        if let Some(shared) = self.database.shared_state()
            && let Some(claim) = request.claim.take()
        {
            request.claim = Some(claim.claim_shared(shared, self.decision_clock()).await?);
        }
        Ok(false)
    }

    /// Returns true if the answer to a request is stored; hands the claim to the request.
    async fn is_answered<C: Requester>(
        &self,
        request: &mut WriteRequest<C>,
        key: String,
        claim: Option<Claim>,
    ) -> Result<bool, ApiError> {
        request.claim = claim;
        let (api_key, fingerprint) = (request.caller.id().to_owned(), request.fingerprint);
        let now = self.clock.elapsed();
        let look = move |db: &dyn DbSession| kept::find(db, &api_key, &key, &fingerprint, now);
        let found: Result<KeyLookup, DatabaseError> = self.database.read(look).await;
        Ok(found? != KeyLookup::Nothing)
    }

    /// Runs a write. A refusal by `effect` is rolled back, and stored under the key unless the service is at
    /// fault.
    pub async fn write<C, F>(self: &Arc<Self>, request: WriteRequest<C>, effect: F) -> Result<Reply, ApiError>
    where
        C: Requester,
        F: FnOnce(&WriteContext<'_>, &C) -> Result<Reply, ApiError> + Send + 'static,
    {
        let WriteRequest { caller, key, seen, fingerprint, delay, claim, .. } = request;
        let claim = match (claim, &key) {
            (None, Some(key)) => Some(self.in_flight.claim(caller.id(), key)?),
            (claim, _) => claim,
        };
        if let Some(delay) = delay {
            delay.wait().await;
        }
        let keyed = key.map(|key| IdempotentRequest { key, fingerprint });
        let service: Service = Arc::clone(self);
        let scope = WriteScope::Workspace(caller.workspace().to_owned());
        let reply = self
            .database
            .write_in(scope.clone(), move |db| {
                let outcome = run(db, &service, &caller, (keyed.as_ref(), seen.as_deref()), effect);
                // Released only after the answer is known, even if the caller has disconnected.
                drop(claim);
                outcome
            })
            .await?;
        sending::wait_for_reply(self, scope, reply).await
    }
}

/// Runs the write inside the writer's savepoint.
fn run<C, F>(
    db: &dyn DbSession,
    service: &ServiceState,
    caller: &C,
    (keyed, seen): (Option<&IdempotentRequest>, Option<&str>),
    effect: F,
) -> Result<Reply, ApiError>
where
    C: Requester,
    F: FnOnce(&WriteContext<'_>, &C) -> Result<Reply, ApiError>,
{
    let now = service.clock.now();
    if let Some(keyed) = keyed {
        match kept::find(db, caller.id(), &keyed.key, &keyed.fingerprint, service.clock.elapsed())? {
            KeyLookup::Nothing => {}
            KeyLookup::Same(reply) => return Ok(reply),
            KeyLookup::Other => return Err(conflict_error()),
        }
        if let Some(reply) = pending_answer(db, service, caller.id(), keyed)? {
            return Ok(reply);
        }
    }
    let key = keyed.map(|keyed| keyed.key.as_str());
    let agent = caller.person().map(team::person_name);
    let work = WriteContext { db, service, now, test: caller.is_test(), key, agent: agent.as_ref(), seen };
    let keep = |reply: &Reply| store_answer(&work, caller.id(), keyed, reply);
    let outcome = if work.test {
        savepoint::dry_run(db, || effect(&work, caller)).and_then(Reply::marked_test)
    } else {
        // Stored inside the savepoint, which then waits once for all its changes.
        let kept = savepoint::in_savepoint(db, || {
            let reply = effect(&work, caller)?;
            keep(&reply)?;
            Ok(reply)
        });
        match kept {
            Ok(reply) => return Ok(reply),
            refused => refused,
        }
    };
    let reply = match outcome {
        Ok(reply) => reply,
        Err(error) if error.is_server_fault() => return Err(error),
        // Not kept: the same key sends once the writer has seen the answer.
        Err(error) if keyed.is_none() || error.code == ErrorCode::Answered => return Err(error),
        Err(error) => Reply::from_error(&error),
    };
    keep(&reply)?;
    Ok(reply)
}

/// Stores an answer under its key. The answer to a send is stored when the platform has answered.
fn store_answer(
    work: &WriteContext<'_>,
    caller: &str,
    keyed: Option<&IdempotentRequest>,
    reply: &Reply,
) -> Result<(), DatabaseError> {
    if let Some(id) = &reply.awaited_id {
        let request = keyed.map(|keyed| KeyedRequest {
            api_key: caller.to_owned(),
            name: keyed.key.clone(),
            fingerprint: keyed.fingerprint,
        });
        return egress::bind_request(work.db, id, request.as_ref(), reply);
    }
    let Some(keyed) = keyed else { return Ok(()) };
    let now = work.service.clock.elapsed();
    kept::store_reply(work.db, caller, &keyed.key, &keyed.fingerprint, reply, now)
}

/// Returns the answer to an earlier request under the key that still waits for the platform.
fn pending_answer(
    db: &dyn DbSession,
    service: &ServiceState,
    caller: &str,
    keyed: &IdempotentRequest,
) -> Result<Option<Reply>, ApiError> {
    if service.platforms.are_simulated() {
        return Ok(None);
    }
    let Some((id, fingerprint)) = egress::find_by_request(db, caller, &keyed.key)? else {
        return Ok(None);
    };
    if fingerprint != keyed.fingerprint {
        return Err(conflict_error());
    }
    let reply = egress::read_reply(db, &id)?.map(|(reply, _)| Reply { replayed: true, ..reply });
    Ok(reply.map(|reply| reply.awaiting(Some(id))))
}

fn conflict_error() -> ApiError {
    ApiError::new(
        ErrorCode::IdempotencyConflict,
        "this Idempotency-Key was used for a different request; use a new key",
    )
}
