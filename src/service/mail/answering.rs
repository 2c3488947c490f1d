//! Answers of the assistant to mail. It answers only if the mailbox was connected with that setting, until a
//! person takes the thread over, never to automatic mail, and only a few times in a row.

use futures_util::future::join_all;
use serde_json::Map;
use std::pin::pin;
use tokio::sync::watch;

use crate::assistant::{self, Answer, AnswerError, ChatTranscript, Speaker, Tools};
use crate::background;
use crate::database::channels::{self, ChannelRow};
use crate::database::due::{self, DueJob};
use crate::database::emails::{self, EmailRow};
use crate::database::session::DbSession;
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, savepoint, thread_automation, workspaces};
use crate::errors::ApiError;
use crate::mail::content::MailSendRequest;
use crate::metrics::AnswerOutcome;
use crate::sending::mail::{MailAuthor, accept_mail};
use crate::state::Service;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use model::time::{Clock, MINUTE, SECOND, Timestamp};
use platforms::mail::{readable_text, topics};

/// Kind of the due task.
pub const ANSWER_KIND: &str = "mail_answer";
/// Time for further mail to arrive before an answer, in microseconds.
const ANSWER_DELAY: i64 = 2 * SECOND;
const MAX_CONCURRENT_ANSWERS: i64 = 4;
/// Duration of a lease on a due task, in microseconds; longer than any answer takes.
const ANSWER_LEASE: i64 = 2 * MINUTE;
/// Pauses before the retries after a failure, in microseconds.
const RETRY_DELAYS: [i64; 2] = [10 * SECOND, MINUTE];
/// Maximum number of answers in a thread within [`ANSWER_WINDOW`] without a person's mail.
const MAX_UNATTENDED_ANSWERS: usize = 3;
const ANSWER_WINDOW: i64 = 10 * MINUTE;
/// Mails shown to the assistant, the bytes read for them, and the characters shown of each.
const MAX_SHOWN_MAILS: i64 = 20;
const MAX_SHOWN_BYTES: usize = 512 * 1024;
const MAX_MAIL_CHARS: usize = 6_000;

/// Schedules an answer, if the mailbox is connected with that setting.
pub fn schedule_answer(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    thread: &str,
) -> Result<(), DatabaseError> {
    let connected = work.service.platforms.connected(&channel.id);
    let answers = connected.is_some_and(|connected| connected.platform.answers_mail())
        && work.service.assistant.is_some();
    if !answers {
        return Ok(());
    }
    match decide_answer(work.db, thread, work.now)? {
        AnswerDecision::Assistant => {
            // Restarts the wait, so that one answer covers all recent mail.
            due::cancel(work.db, ANSWER_KIND, thread)?;
            due::add(work.db, work.now.plus(ANSWER_DELAY), ANSWER_KIND, thread, "")
        }
        AnswerDecision::Nobody => threads::prioritize(work.db, thread, "high"),
        AnswerDecision::Person => Ok(()),
    }
}

/// Author of the next mail in a thread.
#[derive(PartialEq, Eq)]
enum AnswerDecision {
    Assistant,
    /// A person has taken the thread over.
    Person,
    /// The assistant has reached [`MAX_UNATTENDED_ANSWERS`]; a person is needed.
    Nobody,
}

fn decide_answer(db: &dyn DbSession, thread: &str, now: Timestamp) -> Result<AnswerDecision, DatabaseError> {
    if !is_assistant_enabled(db, thread)? {
        return Ok(AnswerDecision::Person);
    }
    if workspaces::is_thread_suspended(db, thread)? {
        return Ok(AnswerDecision::Nobody);
    }
    let written = emails::list_own(db, thread)?;
    let alone = written.iter().take_while(|mail| emails::is_from_assistant(mail));
    let lately = alone.filter(|mail| now.since(mail.created_at) < ANSWER_WINDOW).count();
    Ok(if lately >= MAX_UNATTENDED_ANSWERS { AnswerDecision::Nobody } else { AnswerDecision::Assistant })
}

/// Returns true if the assistant answers a thread: by its setting, else until a person has written in it.
pub fn is_assistant_enabled(db: &dyn DbSession, thread: &str) -> Result<bool, DatabaseError> {
    match thread_automation::read(db, thread)? {
        Some(enabled) => Ok(enabled),
        None => Ok(emails::list_own(db, thread)?.iter().all(emails::is_from_assistant)),
    }
}

fn is_assistant_next(db: &dyn DbSession, thread: &str, now: Timestamp) -> Result<bool, DatabaseError> {
    Ok(decide_answer(db, thread, now)? == AnswerDecision::Assistant)
}

/// Answers due mail until the service stops.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    loop {
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let round = answer_due(&service).await;
        if !background::wait_for_next_round(
            &service,
            round,
            "answers to mail could not be started",
            committed,
            &mut stop,
        )
        .await
        {
            return;
        }
    }
}

/// Answers due mail and returns the next due time.
async fn answer_due(service: &Service) -> Result<Option<Timestamp>, ApiError> {
    if service.assistant.is_none() || !service.database.is_leader() {
        return Ok(None);
    }
    loop {
        let now = service.clock.now();
        let found: Result<Vec<DueJob>, DatabaseError> =
            service.database.read(move |db| due::list_of_kind(db, ANSWER_KIND, MAX_CONCURRENT_ANSWERS)).await;
        let found = found?;
        let next = found.first().map(|due| due.at);
        let ready: Vec<DueJob> = found.into_iter().filter(|due| due.at <= now).collect();
        if ready.is_empty() {
            return Ok(next);
        }
        for done in join_all(ready.into_iter().map(|due| answer(service, due))).await {
            done?;
        }
    }
}

async fn answer(service: &Service, due: DueJob) -> Result<(), ApiError> {
    let (now, thread) = (service.clock.now(), due.subject.clone());
    let scope = service.database.scope_of_subject(&thread).await?;
    let begun: Result<_, DatabaseError> = service
        .database
        .write_in(scope.clone(), move |db| {
            // The task may have been cancelled since it was read.
            let Some(due) = due::postpone(db, &due, now.plus(ANSWER_LEASE))? else { return Ok(None) };
            Ok(Some((due, load_transcript(db, &thread, now)?)))
        })
        .await;
    let Some((due, begun)) = begun? else { return Ok(()) };
    let (Some((turn, channel, row)), Some(assistant)) = (begun, &service.assistant) else {
        let take = move |db: &dyn DbSession| due::claim(db, &due);
        let done: Result<bool, DatabaseError> = service.database.write_in(scope, take).await;
        return Ok(done.map(drop)?);
    };
    let tools = Tools::for_thread(service, &row.id, &row.contact).await?;
    let thought = assistant::answer_before_deadline(assistant.as_ref(), &turn, &tools).await;
    let state = service.clone();
    service
        .database
        .write_in(scope, move |db| {
            let work = WriteContext::of_service(db, &state, state.clock.now());
            let tried: usize = due.data.parse().unwrap_or(0);
            if let (Err(AnswerError::Failed(why)), Some(pause)) = (&thought, RETRY_DELAYS.get(tried)) {
                tracing::warn!(%why, "the assistant failed to answer a mail");
                state.metrics.record_answer_outcome(AnswerOutcome::Failed);
                let tried = (tried + 1).to_string();
                return Ok(due::retry_at(db, &due, work.now.plus(*pause), &tried)?);
            }
            // Newer mail has replaced this task and is answered instead.
            if !due::claim(db, &due)? {
                return Ok(());
            }
            let outcome = match &thought {
                Ok(answer) => AnswerOutcome::of(answer),
                Err(AnswerError::Failed(_)) => AnswerOutcome::Failed,
                Err(AnswerError::Spent(_)) => AnswerOutcome::Refused,
            };
            state.metrics.record_answer_outcome(outcome);
            let said = savepoint::in_savepoint(db, || send_answer(&work, &channel, &row, thought));
            match said {
                Err(error) if error.code != ErrorCode::InternalError => {
                    tracing::warn!(%error.message, "an answer of the assistant was refused");
                    Ok(())
                }
                other => other,
            }
        })
        .await
}

/// Sends the answer, unless a person has written meanwhile.
fn send_answer(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    thread: &ThreadRow,
    thought: Result<Answer, AnswerError>,
) -> Result<(), ApiError> {
    if !is_assistant_next(work.db, &thread.id, work.now)? {
        return Ok(());
    }
    let answer = thought.unwrap_or_else(|why| {
        tracing::warn!(%why, "the assistant leaves a mail unanswered");
        Answer { text: None, handover: None, proposals: Vec::new() }
    });
    if answer.handover.is_some() || answer.text.is_none() {
        // Asks for a person.
        threads::prioritize(work.db, &thread.id, "high")?;
    }
    let Some(text) = answer.text else { return Ok(()) };
    let mut headers = Map::new();
    headers.insert("Auto-Submitted".to_owned(), "auto-replied".into());
    headers.insert("X-Auto-Response-Suppress".to_owned(), "All".into());
    let asked = MailSendRequest {
        to: vec![thread.contact_email.clone()],
        cc: Vec::new(),
        bcc: Vec::new(),
        from_name: None,
        from_address: None,
        reply_to: None,
        subject: topics::reply_subject(&thread.subject),
        text: Some(text),
        html: None,
        headers,
        in_reply_to: None,
        thread: Some(thread.id.clone()),
        attachments: Vec::new(),
        invitation_response: None,
    };
    let id = work.id("mail", work.stamp());
    accept_mail(work, channel, id, asked, Vec::new(), MailAuthor { sender: "ai", cost: 0 })?;
    Ok(())
}

/// Builds the model's input; `None` if there is nothing to answer.
fn load_transcript(
    db: &dyn DbSession,
    thread: &str,
    now: Timestamp,
) -> Result<Option<(ChatTranscript, ChannelRow, ThreadRow)>, DatabaseError> {
    let Some(channel) = threads::channel_of(db, thread)? else { return Ok(None) };
    let channel = channels::read(db, &channel)?;
    let Some(row) = threads::read(db, &channel.id, thread)? else { return Ok(None) };
    let mails = emails::list_thread(db, thread, MAX_SHOWN_MAILS, MAX_SHOWN_BYTES)?;
    // Only mail from the contact's address is shown as the customer's: a thread may have other participants,
    // and anybody can put the contact into Reply-To.
    let is_theirs =
        |mail: &&EmailRow| mail.direction != "inbound" || mail.sender.to_lowercase() == row.contact;
    let last = mails.last().filter(|mail| mail.direction == "inbound").filter(is_theirs);
    let Some(last) = last else { return Ok(None) };
    if !is_assistant_next(db, thread, now)? {
        return Ok(None);
    }
    let last = last.id.clone();
    let said = mails.iter().filter(is_theirs).map(|mail| (speaker(mail), shorten_mail(mail))).collect();
    Ok(Some((ChatTranscript { language: None, messages: said, last }, channel, row)))
}

fn speaker(mail: &EmailRow) -> Speaker {
    match mail.direction.as_str() {
        "inbound" => Speaker::Customer,
        _ if emails::has_automatic_header(&mail.headers) => Speaker::Assistant,
        _ => Speaker::Person,
    }
}

fn shorten_mail(mail: &EmailRow) -> String {
    let text = readable_text(mail.text.as_deref(), mail.html.as_deref());
    // Quoted lines were in earlier mail.
    let own = text.lines().take_while(|line| !line.trim_start().starts_with('>'));
    let own = own.collect::<Vec<_>>().join("\n");
    format!("{}\n\n{own}", mail.subject).chars().take(MAX_MAIL_CHARS).collect()
}
