//! Due tasks, processed in order by the service's clock: simulated deliveries, instant answers of the
//! assistant, calls, broadcasts and the demo's customers.
//!
//! Every future task is a database row, so none is lost in a restart.

pub mod colleagues;
pub mod customers;
pub mod letters;
pub mod team;
#[cfg(test)]
mod tests;
mod workspaces;

use std::pin::pin;

use tokio::sync::watch;

use crate::assistant::{self, Answer, ChatTranscript};
use crate::background;
use crate::chat::broadcast;
use crate::database::due::{self, DueFilter, DueJob};
use crate::database::session::DbSession;
use crate::database::{WriteScope, savepoint};
use crate::errors::ApiError;
use crate::sending::{self, report};
use crate::state::Service;
use crate::voice;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use model::time::{Clock, Timestamp};

const MAX_JOBS_PER_TRANSACTION: usize = 64;

model::words! {
    /// Kind of a due task.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum JobKind {
        Delivered = "delivered",
        Read = "read",
        Failed = "failed",
        Answer = "answer",
        Customer = "customer",
        /// A customer writes by themselves.
        Live = "live",
        Opened = "opened",
        Bounced = "bounced",
        /// Next step of a colleague of the demo.
        Colleague = "colleague",
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
        if !background::wait_for_next_round(
            &service,
            round,
            "the sample world cannot continue right now",
            committed,
            &mut stop,
        )
        .await
        {
            return;
        }
    }
}

/// Processes all due tasks in order. Returns the time of the next one.
pub async fn catch_up(service: &Service) -> Result<Option<Timestamp>, ApiError> {
    let _one_at_a_time = service.simulation_lock.lock().await;
    if !service.database.is_leader() {
        return Ok(None);
    }
    // Answers that need I/O run in `assistant::tasks`, so that they delay no other task.
    let aside = if assistant::answers_in_background(service).await? { JobKind::Answer.word() } else { "" };
    let happens = due_filter(service);
    loop {
        if service.database.is_shared() && workspaces::run_due(service, aside, happens).await? {
            continue;
        }
        let next: Option<DueJob> =
            service.database.read(move |db| due::next_except(db, aside, happens)).await?;
        let Some(next) = next else { return Ok(None) };
        if next.at > service.clock.now() {
            return Ok(Some(next.at));
        }
        run_jobs(service, next).await?;
    }
}

/// Tasks left over from a simulation wait until the platforms are simulated again.
fn due_filter(service: &Service) -> DueFilter {
    if service.platforms.are_simulated() { DueFilter::All } else { DueFilter::Real }
}

/// Asks the assistant for the answer of a due task, if it is one of the assistant's.
async fn request_answer(
    service: &Service,
    due: &DueJob,
) -> Result<Option<(ChatTranscript, Answer)>, ApiError> {
    let thinks = JobKind::from_word(&due.kind) == Some(JobKind::Answer);
    let thought = match service.assistant.as_ref().filter(|_| thinks) {
        Some(assistant) => assistant::request_answer(service, assistant.as_ref(), &due.subject).await?,
        None => None,
    };
    Ok(thought.and_then(|(turn, answer)| Some((turn, answer.ok()?))))
}

/// Processes `first` and the due tasks after it up to the next answer of the assistant, in one transaction
/// that also removes them. Each happens at its due time, even if processed late.
async fn run_jobs(service: &Service, first: DueJob) -> Result<(), ApiError> {
    let answer = request_answer(service, &first).await?;
    let (state, happens) = (service.clone(), due_filter(service));
    service
        .database
        .write_as_leader(WriteScope::Everything, move |db| {
            let now = state.clock.now();
            run_job(db, &state, &first, answer)?;
            for _ in 1..MAX_JOBS_PER_TRANSACTION {
                let next = due::next_except(db, "", happens)?;
                let next = next.filter(|due| due.at <= now && due.kind != JobKind::Answer.word());
                let Some(next) = next else { break };
                run_job(db, &state, &next, None)?;
            }
            Ok(())
        })
        .await
}

/// Removes a task and executes it. A refusal rolls its effects back and is only logged.
fn run_job(
    db: &dyn DbSession,
    service: &Service,
    due: &DueJob,
    answer: Option<(ChatTranscript, Answer)>,
) -> Result<(), ApiError> {
    if !due::claim(db, due)? {
        return Ok(());
    }
    let Some(kind) = JobKind::from_word(&due.kind) else {
        tracing::warn!(
            kind = due.kind,
            "a task of the sample world has a kind that this version does not know"
        );
        return Ok(());
    };
    let work = WriteContext::of_service(db, service, due.at);
    let outcome = savepoint::in_savepoint(db, || match kind {
        JobKind::Delivered | JobKind::Read | JobKind::Failed => {
            Ok(report::advance(&work, &due.subject, kind)?)
        }
        JobKind::Answer => match answer {
            Some((turn, answer)) => assistant::post_answer(&work, &due.subject, &turn, answer),
            None => Ok(()),
        },
        JobKind::Customer => customers::answer_person(&work, &due.subject),
        JobKind::Colleague => colleagues::advance(&work, &due.subject, &due.data),
        JobKind::Live => customers::simulate_inbound(&work),
        JobKind::Opened | JobKind::Bounced => Ok(sending::mail::advance(&work, &due.subject, kind)?),
        JobKind::Call => Ok(voice::progress::advance(&work, &due.subject, &due.data)?),
        JobKind::Letter => Ok(letters::answer_person(&work, &due.subject)?),
        JobKind::Broadcast => Ok(broadcast::run_step(&work, &due.subject)?),
    });
    match outcome {
        Err(error) if error.code != ErrorCode::InternalError => {
            tracing::info!(kind = kind.word(), %error.message, "a task of the sample world was refused");
            Ok(())
        }
        other => other,
    }
}
