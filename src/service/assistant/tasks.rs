//! Background task of the assistant's answers. Runs several at a time, one per conversation, each with a
//! deadline. A failed one is retried after a pause; after the last failure the conversation is escalated.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

use crate::assistant::{self, Answer, AnswerError, Assistant, ChatTranscript, Tools, guardrails};
use crate::background;
use crate::connections;
use crate::database::due::{self, DueJob};
use crate::database::{DatabaseError, WriteScope, savepoint};
use crate::errors::ApiError;
use crate::metrics::AnswerOutcome;
use crate::state::Service;
use crate::world::JobKind;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use model::time::{Clock, MINUTE, SECOND, Timestamp};

const MAX_CONCURRENT_ANSWERS: u32 = 4;
/// Time limit of one answer, including lookups.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(45);
/// Duration of a lease on a due task, in microseconds; after a crash another answer may start when it ends.
const ANSWER_LEASE: i64 = MINUTE;
const LEASE_RENEW_INTERVAL: Duration = Duration::from_secs(15);
/// Interval at which a running answer checks whether it is still wanted.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Pauses before the retries after a failure, in microseconds.
const RETRY_DELAYS: [i64; 2] = [10 * SECOND, MINUTE];

pub struct AssistantTasks {
    slots: Arc<Semaphore>,
    conversations: Mutex<HashSet<String>>,
}

impl Default for AssistantTasks {
    fn default() -> Self {
        let places = usize::try_from(MAX_CONCURRENT_ANSWERS).unwrap_or(1);
        Self { slots: Arc::new(Semaphore::new(places)), conversations: Mutex::default() }
    }
}

/// Place of one running answer; freed when dropped.
struct TaskSlot {
    service: Service,
    conversation: String,
    permit: Option<OwnedSemaphorePermit>,
}

impl TaskSlot {
    /// `None` if an answer for the conversation is running.
    fn reserve(service: &Service, conversation: &str, permit: OwnedSemaphorePermit) -> Option<Self> {
        let mut about = service.assistant_tasks.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = about.insert(conversation.to_owned());
        let conversation = conversation.to_owned();
        is_free.then(|| Self { service: service.clone(), conversation, permit: Some(permit) })
    }
}

impl Drop for TaskSlot {
    fn drop(&mut self) {
        let mut about =
            self.service.assistant_tasks.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        about.remove(&self.conversation);
        drop(about);
        drop(self.permit.take());
        // Wakes the loop, which may have due answers without a place.
        self.service.committed.notify_waiters();
    }
}

/// Returns true if answers need I/O and therefore run in this task instead of the simulation.
pub async fn answers_in_background(service: &Service) -> Result<bool, DatabaseError> {
    match &service.assistant {
        None => Ok(false),
        Some(assistant) => Ok(!assistant.is_instant() || connections::has_any(service).await?),
    }
}

/// Starts due answers until the service stops.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    loop {
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let round = start_due_tasks(&service).await;
        if !background::wait_for_next_round(
            &service,
            round,
            "tasks of the assistant could not be started",
            committed,
            &mut stop,
        )
        .await
        {
            return;
        }
    }
}

/// Starts due answers while there are places. Returns the time of the next one.
pub async fn start_due_tasks(service: &Service) -> Result<Option<Timestamp>, ApiError> {
    if !(service.database.is_leader() && answers_in_background(service).await?) {
        return Ok(None);
    }
    loop {
        let Ok(permit) = Arc::clone(&service.assistant_tasks.slots).try_acquire_owned() else {
            return Ok(None);
        };
        let answer = JobKind::Answer.word();
        let next: Option<DueJob> = service.database.read(move |db| due::next_of_kind(db, answer)).await?;
        let Some(next) = next else { return Ok(None) };
        let now = service.clock.now();
        if next.at > now {
            return Ok(Some(next.at));
        }
        let place = TaskSlot::reserve(service, &next.subject, permit);
        let until = now.plus(if place.is_some() { ANSWER_LEASE } else { SECOND });
        let scope = service.database.scope_of_subject(&next.subject).await?;
        // Another process may have taken it since it was read.
        let mine: Result<Option<DueJob>, DatabaseError> =
            service.database.write_in(scope.clone(), move |db| due::postpone(db, &next, until)).await;
        if let (Some(mine), Some(place)) = (mine?, place) {
            let service = service.clone();
            tokio::spawn(async move {
                if let Err(error) = run_task(&service, scope, mine).await {
                    tracing::error!(%error.message, "an answer of the assistant could not be stored");
                }
                drop(place);
            });
        }
    }
}

/// Runs due answers until none is due or running.
pub async fn run_until_idle(service: &Service) -> Result<(), ApiError> {
    loop {
        let next = start_due_tasks(service).await?;
        let busy = service.assistant_tasks.slots.available_permits()
            < usize::try_from(MAX_CONCURRENT_ANSWERS).unwrap_or(1);
        // Fails only if the semaphore is closed, which never happens.
        drop(service.assistant_tasks.slots.acquire_many(MAX_CONCURRENT_ANSWERS).await);
        if !busy && next.is_none_or(|at| at > service.clock.now()) {
            return Ok(());
        }
    }
}

/// Asks the assistant for an answer, outside any transaction. `None` if there is nothing to answer.
pub async fn request_answer(
    service: &Service,
    assistant: &dyn Assistant,
    conversation: &str,
) -> Result<Option<(ChatTranscript, Result<Answer, AnswerError>)>, ApiError> {
    let id = conversation.to_owned();
    let turn: Result<_, DatabaseError> =
        service.database.read(move |db| assistant::load_transcript(db, &id)).await;
    let Some(turn) = turn? else { return Ok(None) };
    if guardrails::is_answer_limit_reached(service, conversation).await? {
        return Ok(Some((turn, Err(AnswerError::Spent(guardrails::TOO_MANY_ANSWERS_REASON.to_owned())))));
    }
    let tools = Tools::for_conversation(service, conversation).await?;
    let answer = tokio::select! {
        biased;
        answer = answer_before_deadline(assistant, &turn, &tools) => answer,
        never = guardrails::show_typing_until_dropped(service, conversation, &turn) => match never {},
    };
    Ok(Some((turn, answer)))
}

pub async fn answer_before_deadline(
    assistant: &dyn Assistant,
    turn: &ChatTranscript,
    tools: &Tools,
) -> Result<Answer, AnswerError> {
    let late = || AnswerError::Failed(format!("no answer within {} s", ANSWER_TIMEOUT.as_secs()));
    tokio::time::timeout(ANSWER_TIMEOUT, assistant.answer(turn, tools)).await.unwrap_or_else(|_| Err(late()))
}

/// Runs one answer and stores the result. Stops if the due task is removed meanwhile, because the customer
/// has written again or the conversation was taken over.
async fn run_task(service: &Service, scope: WriteScope, mut due: DueJob) -> Result<(), ApiError> {
    let Some(assistant) = &service.assistant else { return Ok(()) };
    let subject = due.subject.clone();
    let mut thinking = pin!(request_answer(service, assistant.as_ref(), &subject));
    let mut renewed = Instant::now();
    let thought = loop {
        tokio::select! {
            thought = &mut thinking => break thought?,
            () = tokio::time::sleep(POLL_INTERVAL) => {
                let mine = due.clone();
                let kept: Result<Option<DueJob>, DatabaseError> = if renewed.elapsed() < LEASE_RENEW_INTERVAL {
                    service.database.read(move |db| Ok(due::exists(db, &mine)?.then_some(mine))).await
                } else {
                    renewed = Instant::now();
                    let until = service.clock.now().plus(ANSWER_LEASE);
                    service.database.write_in(scope.clone(), move |db| due::postpone(db, &mine, until)).await
                };
                let Some(kept) = kept? else {
                    service.metrics.record_answer_outcome(AnswerOutcome::Silent);
                    return Ok(());
                };
                due = kept;
            }
        }
    };
    let state = service.clone();
    service
        .database
        .write_in(scope, move |db| {
            let work = WriteContext::of_service(db, &state, state.clock.now());
            finish_task(&work, &due, thought)
        })
        .await
}

/// Applies a result, and removes the due task in the same transaction.
fn finish_task(
    work: &WriteContext<'_>,
    due: &DueJob,
    thought: Option<(ChatTranscript, Result<Answer, AnswerError>)>,
) -> Result<(), ApiError> {
    let failures: usize = due.data.parse().unwrap_or(0);
    if let Some((_, Err(AnswerError::Failed(why)))) = &thought
        && let Some(pause) = RETRY_DELAYS.get(failures)
    {
        tracing::warn!(%why, failures, "the assistant failed and will try again");
        work.service.metrics.record_answer_outcome(AnswerOutcome::Failed);
        return Ok(due::retry_at(work.db, due, work.now.plus(*pause), &(failures + 1).to_string())?);
    }
    let metrics = &work.service.metrics;
    if !due::claim(work.db, due)? {
        metrics.record_answer_outcome(AnswerOutcome::Silent);
        return Ok(());
    }
    let Some((turn, thought)) = thought else {
        metrics.record_answer_outcome(AnswerOutcome::Silent);
        return Ok(());
    };
    let (why_not, outcome) = match thought {
        Ok(answer) => {
            let outcome = AnswerOutcome::of(&answer);
            match savepoint::in_savepoint(work.db, || {
                assistant::post_answer(work, &due.subject, &turn, answer)
            }) {
                // A retry would be refused as well.
                Err(error) if error.code != ErrorCode::InternalError => {
                    (format!("the assistant's answer was refused: {}", error.message), AnswerOutcome::Refused)
                }
                other => {
                    metrics.record_answer_outcome(outcome);
                    return other;
                }
            }
        }
        Err(AnswerError::Spent(why)) => (why, AnswerOutcome::Refused),
        Err(AnswerError::Failed(why)) => {
            (format!("the assistant does not answer: {why}"), AnswerOutcome::Failed)
        }
    };
    metrics.record_answer_outcome(outcome);
    assistant::escalate_failure(work, &due.subject, &turn, &why_not)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::assistant::AnswerFuture;

    /// Assistant whose lookups together exceed the deadline.
    struct Restless;

    impl Assistant for Restless {
        fn answer<'a>(&'a self, _: &'a ChatTranscript, _: &'a Tools) -> AnswerFuture<'a> {
            Box::pin(async {
                for _ in 0..4 {
                    tokio::time::sleep(Duration::from_secs(20)).await;
                }
                Ok(Answer::default())
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_deadline_holds_for_the_whole_answer() {
        let turn = ChatTranscript { language: None, messages: Vec::new(), last: String::new() };
        let begun = tokio::time::Instant::now();
        let answer = answer_before_deadline(&Restless, &turn, &Tools::none()).await;
        assert_eq!(answer, Err(AnswerError::Failed("no answer within 45 s".to_owned())));
        assert_eq!(begun.elapsed().as_secs(), 45);
    }
}
