//! The simulated world: what falls due happens, one thing after another, by
//! the service's clock. Deliveries, answers of the assistant, customers.
//!
//! Everything that will happen is a row, so a restart forgets nothing.

pub mod customers;
pub mod letters;
mod workspaces;

use std::pin::pin;

use tokio::sync::watch;

use crate::assistant::{self, Answer, Turn};
use crate::chat::{broadcast, deliver};
use crate::database::due::{self, Due, Happens};
use crate::database::session::DbSession;
use crate::database::{WriteScope, savepoint};
use crate::errors::ApiError;
use crate::mail;
use crate::rhythm;
use crate::state::Service;
use crate::voice;
use crate::write::Work;
use model::time::{Clock, Timestamp};
use wire::errors::ErrorCode;

/// Things that happen in one transaction at most.
const TOGETHER: usize = 64;

model::words! {
    /// What can fall due.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        /// A message reaches the device.
        Delivered = "delivered",
        Read = "read",
        /// A message does not arrive.
        Failed = "failed",
        /// The assistant answers a conversation.
        Answer = "answer",
        Customer = "customer",
        /// Some customer writes by themselves.
        Live = "live",
        /// Somebody opens a mail.
        Opened = "opened",
        /// A mail comes back.
        Bounced = "bounced",
        /// The contact of a thread of mail answers a person.
        Letter = "letter",
        Call = "call",
        /// A broadcast goes to its next recipients.
        Broadcast = "broadcast",
    }
}

/// Keeps things happening until the service stops.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    loop {
        // What is added from here on is noticed, also while things happen.
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let round = catch_up(&service).await;
        if !rhythm::rest(&service, round, "the simulated world stands still", committed, &mut stop).await {
            return;
        }
    }
}

/// Does all that has fallen due, in order; when the next thing will.
pub async fn catch_up(service: &Service) -> Result<Option<Timestamp>, ApiError> {
    let _one_at_a_time = service.world.lock().await;
    if !service.database.leads() {
        return Ok(None);
    }
    // What takes its time is thought of beside the world, which waits for nobody.
    let aside = if assistant::thinks_aside(service).await? { Kind::Answer.word() } else { "" };
    let happens = happens(service);
    loop {
        if service.database.is_shared() && workspaces::happen(service, aside, happens).await? {
            continue;
        }
        let next: Option<Due> = service.database.read(move |db| due::next_beside(db, aside, happens)).await?;
        let Some(next) = next else { return Ok(None) };
        if next.at > service.clock.now() {
            return Ok(Some(next.at));
        }
        happen(service, next).await?;
    }
}

/// What a simulation has left to happen waits until the world is simulated again.
fn happens(service: &Service) -> Happens {
    if service.platforms.are_simulated() { Happens::All } else { Happens::Real }
}

/// What the assistant makes of something that falls due, where it has to answer.
async fn thought(service: &Service, due: &Due) -> Result<Option<(Turn, Answer)>, ApiError> {
    let thinks = Kind::from_word(&due.kind) == Some(Kind::Answer);
    let thought = match service.assistant.as_ref().filter(|_| thinks) {
        Some(it) => assistant::think(service, it.as_ref(), &due.subject).await?,
        None => None,
    };
    Ok(thought.and_then(|(turn, answer)| Some((turn, answer.ok()?))))
}

/// Does one thing, and as many of those behind it as have fallen due and need
/// no thinking, in one transaction with taking them off the list. Each happens
/// at the time it fell due, however late that is noticed.
async fn happen(service: &Service, first: Due) -> Result<(), ApiError> {
    let answer = thought(service, &first).await?;
    let (state, happens) = (service.clone(), happens(service));
    service
        .database
        .write_leading(WriteScope::Everything, move |db| {
            let now = state.clock.now();
            one(db, &state, &first, answer)?;
            for _ in 1..TOGETHER {
                let next = due::next_beside(db, "", happens)?;
                let next = next.filter(|it| it.at <= now && it.kind != Kind::Answer.word());
                let Some(next) = next else { break };
                one(db, &state, &next, None)?;
            }
            Ok(())
        })
        .await
}

/// Takes one thing off the list and does it. What the world refuses is left
/// undone, and holds nothing up.
fn one(
    db: &dyn DbSession,
    service: &Service,
    due: &Due,
    answer: Option<(Turn, Answer)>,
) -> Result<(), ApiError> {
    if !due::take(db, due)? {
        return Ok(());
    }
    let Some(kind) = Kind::from_word(&due.kind) else {
        tracing::warn!(kind = due.kind, "something fell due that this version does not know");
        return Ok(());
    };
    let work = Work { db, service, now: due.at, test: false, key: None };
    let outcome = savepoint::part(db, || match kind {
        Kind::Delivered | Kind::Read | Kind::Failed => Ok(deliver::advance(&work, &due.subject, kind)?),
        Kind::Answer => match answer {
            Some((turn, answer)) => assistant::speak(&work, &due.subject, &turn, answer),
            None => Ok(()),
        },
        Kind::Customer => customers::answer_person(&work, &due.subject),
        Kind::Live => customers::somebody_writes(&work),
        Kind::Opened | Kind::Bounced => Ok(mail::progress::advance(&work, &due.subject, kind)?),
        Kind::Call => Ok(voice::progress::advance(&work, &due.subject, &due.data)?),
        Kind::Letter => Ok(letters::answer_person(&work, &due.subject)?),
        Kind::Broadcast => Ok(broadcast::step(&work, &due.subject)?),
    });
    match outcome {
        Err(error) if error.code != ErrorCode::InternalError => {
            tracing::info!(kind = kind.word(), %error.message, "something did not happen");
            Ok(())
        }
        other => other,
    }
}
