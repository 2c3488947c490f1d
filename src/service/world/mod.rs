//! Due tasks, processed in order by the service's clock: simulated deliveries, instant answers of the
//! assistant, calls, broadcasts and the demo's customers.
//!
//! Every future task is a database row, so none is lost in a restart.

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

/// Maximum number of tasks per transaction.
const TOGETHER: usize = 64;

model::words! {
    /// Kind of a due task.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        Delivered = "delivered",
        Read = "read",
        Failed = "failed",
        Answer = "answer",
        Customer = "customer",
        /// A customer writes by themselves.
        Live = "live",
        Opened = "opened",
        Bounced = "bounced",
        /// The contact of a mail thread answers a person.
        Letter = "letter",
        Call = "call",
        /// A broadcast is sent to its next recipients.
        Broadcast = "broadcast",
    }
}

/// Processes due tasks until the service stops.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    loop {
        // Listens from here on, so that no commit during the round is missed.
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let round = catch_up(&service).await;
        if !rhythm::rest(&service, round, "the simulated world stands still", committed, &mut stop).await {
            return;
        }
    }
}

/// Processes all due tasks in order. Returns the time of the next one.
pub async fn catch_up(service: &Service) -> Result<Option<Timestamp>, ApiError> {
    let _one_at_a_time = service.world.lock().await;
    if !service.database.leads() {
        return Ok(None);
    }
    // Answers that need I/O run in `assistant::thinking`, so that they delay no other task.
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

/// Tasks left over from a simulation wait until the platforms are simulated again.
fn happens(service: &Service) -> Happens {
    if service.platforms.are_simulated() { Happens::All } else { Happens::Real }
}

/// Asks the assistant for the answer of a due task, if it is one of the assistant's.
async fn thought(service: &Service, due: &Due) -> Result<Option<(Turn, Answer)>, ApiError> {
    let thinks = Kind::from_word(&due.kind) == Some(Kind::Answer);
    let thought = match service.assistant.as_ref().filter(|_| thinks) {
        Some(it) => assistant::think(service, it.as_ref(), &due.subject).await?,
        None => None,
    };
    Ok(thought.and_then(|(turn, answer)| Some((turn, answer.ok()?))))
}

/// Processes `first` and the due tasks after it up to the next answer of the assistant, in one transaction
/// that also removes them. Each happens at its due time, even if processed late.
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
                let next = next.filter(|due| due.at <= now && due.kind != Kind::Answer.word());
                let Some(next) = next else { break };
                one(db, &state, &next, None)?;
            }
            Ok(())
        })
        .await
}

/// Removes a task and executes it. A refusal rolls its effects back and is only logged.
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
