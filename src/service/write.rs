//! The one shape of every write: claim the idempotency key, run the effect,
//! keep the answer; all of it in one transaction. Interface: Idempotency;
//! Authentication 6.

use std::sync::Arc;

use crate::auth::Caller;
use crate::carriers;
use crate::channels::Channel;
use crate::database::egress::{self, KeyedRequest};
use crate::database::idempotency::{self as kept, Found};
use crate::database::session::{DbSession, WriteScope};
use crate::database::{DatabaseError, outbound, savepoint};
use crate::errors::ApiError;
use crate::idempotency::{Claim, Fingerprint};
use crate::reply::Reply;
use crate::request::Writing;
use crate::state::{Service, ServiceState};
use model::time::{Clock, Timestamp};
use wire::errors::ErrorCode;

/// What an effect works with, inside its transaction.
pub struct Work<'a> {
    /// The writer's connection, inside a savepoint.
    pub db: &'a dyn DbSession,
    /// The service, for its platforms, seed and clock.
    pub service: &'a ServiceState,
    /// The time this effect happens at.
    pub now: Timestamp,
    /// A test key asks: everything is rolled back after the answer is made,
    /// what only a platform would refuse is not asked, nothing costs.
    pub test: bool,
    /// The idempotency key it happens under.
    pub key: Option<&'a str>,
}

impl Work<'_> {
    /// A time for a new row: now, but later than every earlier one, so that
    /// rows have one order.
    pub fn stamp(&self) -> Timestamp {
        self.service.stamps.next(self.now, self.service.clock.known())
    }

    /// Notes something that reached a platform, for `/dev/outbound`. Nobody else asks
    /// for it, and it would be one more place for what people write.
    pub fn note_outbound(
        &self,
        channel: Channel,
        recipient: &str,
        content: &str,
        at: Timestamp,
    ) -> Result<(), DatabaseError> {
        if !self.service.options.dev {
            return Ok(());
        }
        outbound::note(self.db, channel, recipient, content, self.key, at)
    }

    /// A new id; ids made later sort after ids made earlier. What a test key
    /// makes is called `test_…`.
    pub fn id(&self, prefix: &str, stamp: Timestamp) -> String {
        self.service.stamps.id(if self.test { "test" } else { prefix }, stamp)
    }
}

/// The idempotency of one request.
struct Keyed {
    key: String,
    fingerprint: Fingerprint,
}

impl ServiceState {
    /// Claims a request's idempotency key before anyone else is asked
    /// something for it; whether its answer is kept already, so that nobody
    /// need be asked.
    ///
    /// # Errors
    /// `IDEMPOTENCY_IN_PROGRESS` while another request runs under the key.
    pub async fn claim(&self, request: &mut Writing) -> Result<bool, ApiError> {
        let Some(key) = request.key.clone() else { return Ok(false) };
        let claim = match request.claim.take() {
            None => Some(self.in_flight.claim(&request.caller.key, &key)?),
            made => return self.is_answered(request, key, made).await,
        };
        if self.is_answered(request, key, claim).await? {
            return Ok(true);
        }
        // What is answered needs no claim: that of the first may be given up late.
        if let Some(shared) = self.database.shared_state()
            && let Some(claim) = request.claim.take()
        {
            request.claim = Some(claim.everywhere(shared, self.decision_clock()).await?);
        }
        Ok(false)
    }

    /// Whether the answer to a request is kept; the claim is the request's.
    async fn is_answered(
        &self,
        request: &mut Writing,
        key: String,
        claim: Option<Claim>,
    ) -> Result<bool, ApiError> {
        request.claim = claim;
        let (api_key, fingerprint) = (request.caller.key.clone(), request.fingerprint);
        let now = self.clock.elapsed();
        let look = move |db: &dyn DbSession| kept::find(db, &api_key, &key, &fingerprint, now);
        let found: Result<Found, DatabaseError> = self.database.read(look).await;
        Ok(found? != Found::Nothing)
    }

    /// Runs a write for a caller. `effect` is given the work and answers; what
    /// it refuses is undone, and kept under the key unless the service is at
    /// fault.
    pub async fn write<F>(self: &Arc<Self>, request: Writing, effect: F) -> Result<Reply, ApiError>
    where
        F: FnOnce(&Work<'_>, &Caller) -> Result<Reply, ApiError> + Send + 'static,
    {
        let Writing { caller, key, fingerprint, delay, claim, .. } = request;
        let claim = match (claim, &key) {
            (None, Some(key)) => Some(self.in_flight.claim(&caller.key, key)?),
            (claim, _) => claim,
        };
        if let Some(delay) = delay {
            delay.pass().await;
        }
        let keyed = key.map(|key| Keyed { key, fingerprint });
        let service: Service = Arc::clone(self);
        let scope = WriteScope::Workspace(caller.workspace.clone());
        let reply = self
            .database
            .write_in(scope.clone(), move |db| {
                let outcome = run(db, &service, &caller, keyed.as_ref(), effect);
                // Given up only after the answer is known, also when the
                // caller has gone.
                drop(claim);
                outcome
            })
            .await?;
        carriers::answered(self, scope, reply).await
    }
}

/// The whole write, inside the writer's savepoint.
fn run<F>(
    db: &dyn DbSession,
    service: &ServiceState,
    caller: &Caller,
    keyed: Option<&Keyed>,
    effect: F,
) -> Result<Reply, ApiError>
where
    F: FnOnce(&Work<'_>, &Caller) -> Result<Reply, ApiError>,
{
    let now = service.clock.now();
    if let Some(keyed) = keyed {
        match kept::find(db, &caller.key, &keyed.key, &keyed.fingerprint, service.clock.elapsed())? {
            Found::Nothing => {}
            Found::Same(reply) => return Ok(reply),
            Found::Other => return Err(conflict()),
        }
        if let Some(reply) = on_its_way(db, service, caller, keyed)? {
            return Ok(reply);
        }
    }
    let key = keyed.map(|keyed| keyed.key.as_str());
    let work = Work { db, service, now, test: caller.is_test(), key };
    let keep = |reply: &Reply| keep_answer(&work, caller, keyed, reply);
    let outcome = if work.test {
        savepoint::rehearsal(db, || effect(&work, caller)).and_then(Reply::marked_test)
    } else {
        // Kept inside the part, which waits once for all that it changed.
        let kept = savepoint::part(db, || {
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
        Err(error) if keyed.is_none() => return Err(error),
        Err(error) => Reply::of_error(&error),
    };
    keep(&reply)?;
    Ok(reply)
}

/// Keeps an answer under its key; that of something which is carried once the
/// platform has spoken.
fn keep_answer(
    work: &Work<'_>,
    caller: &Caller,
    keyed: Option<&Keyed>,
    reply: &Reply,
) -> Result<(), DatabaseError> {
    if let Some(id) = &reply.carried {
        let request = keyed.map(|keyed| KeyedRequest {
            api_key: caller.key.clone(),
            name: keyed.key.clone(),
            fingerprint: keyed.fingerprint,
        });
        return egress::bind(work.db, id, request.as_ref(), reply);
    }
    let Some(keyed) = keyed else { return Ok(()) };
    let now = work.service.clock.elapsed();
    kept::keep(work.db, &caller.key, &keyed.key, &keyed.fingerprint, reply, now)
}

/// The answer to an earlier request under the key, which waits for a platform.
fn on_its_way(
    db: &dyn DbSession,
    service: &ServiceState,
    caller: &Caller,
    keyed: &Keyed,
) -> Result<Option<Reply>, ApiError> {
    if service.platforms.are_simulated() {
        return Ok(None);
    }
    let Some((id, fingerprint)) = egress::of_request(db, &caller.key, &keyed.key)? else { return Ok(None) };
    if fingerprint != keyed.fingerprint {
        return Err(conflict());
    }
    let reply = egress::answer(db, &id)?.map(|(reply, _)| Reply { replayed: true, ..reply });
    Ok(reply.map(|it| it.after(Some(id))))
}

fn conflict() -> ApiError {
    ApiError::new(ErrorCode::IdempotencyConflict, "this Idempotency-Key was used for a different request")
}
