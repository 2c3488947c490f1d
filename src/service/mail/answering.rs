//! Answers of the assistant to mail. It answers only if the mailbox was connected with that setting, until a
//! person takes the thread over, never to automatic mail, and only a few times in a row.

use futures_util::future::join_all;
use serde_json::Map;
use std::pin::pin;
use tokio::sync::watch;

use crate::assistant::{self, Answer, Failure, Speaker, Tools, Turn};
use crate::database::channels::{self, ChannelRow};
use crate::database::due::{self, Due};
use crate::database::emails::{self, EmailRow};
use crate::database::session::DbSession;
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, savepoint, thread_automation};
use crate::errors::ApiError;
use crate::mail::content::MailSendRequest;
use crate::mail::receive::words;
use crate::mail::send::{self, MailAuthor};
use crate::mail::topics;
use crate::rhythm;
use crate::state::Service;
use crate::write::Work;
use model::time::{Clock, MINUTE, SECOND, Timestamp};
use wire::errors::ErrorCode;

/// Kind of the due task.
pub const KIND: &str = "mail_answer";
/// Time for further mail to arrive before an answer, in microseconds.
const WAIT: i64 = 2 * SECOND;
/// Maximum number of concurrent answers.
const TOGETHER: i64 = 4;
/// Duration of a lease on a due task, in microseconds; longer than any answer takes.
const LEASE: i64 = 2 * MINUTE;
/// Pauses before the retries after a failure, in microseconds.
const PAUSES: [i64; 2] = [10 * SECOND, MINUTE];
/// Maximum number of answers in a thread within [`WITHIN`] without a person's mail.
const ANSWERS: usize = 3;
const WITHIN: i64 = 10 * MINUTE;
/// Mails shown to the assistant, the bytes read for them, and the characters shown of each.
const SHOWN: i64 = 20;
const SHOWN_BYTES: usize = 512 * 1024;
const CHARACTERS: usize = 6_000;

/// Schedules an answer, if the mailbox is connected with that setting.
pub fn expect(work: &Work<'_>, channel: &ChannelRow, thread: &str) -> Result<(), DatabaseError> {
    let connected = work.service.platforms.connected(&channel.id);
    let answers = connected.is_some_and(|connected| connected.platform.answers_mail())
        && work.service.assistant.is_some();
    if !answers {
        return Ok(());
    }
    match turn_of(work.db, thread, work.now)? {
        WhoseTurn::Assistants => {
            // Restarts the wait, so that one answer covers all recent mail.
            due::cancel(work.db, KIND, thread)?;
            due::add(work.db, work.now.plus(WAIT), KIND, thread, "")
        }
        WhoseTurn::Nobodys => threads::prioritize(work.db, thread, "high"),
        WhoseTurn::Persons => Ok(()),
    }
}

/// Decides who writes next in a thread.
#[derive(PartialEq, Eq)]
enum WhoseTurn {
    Assistants,
    /// A person has taken the thread over.
    Persons,
    /// The assistant has reached [`ANSWERS`]; a person is needed.
    Nobodys,
}

fn turn_of(db: &dyn DbSession, thread: &str, now: Timestamp) -> Result<WhoseTurn, DatabaseError> {
    if !is_automated(db, thread)? {
        return Ok(WhoseTurn::Persons);
    }
    let written = emails::written(db, thread)?;
    let alone = written.iter().take_while(|mail| emails::is_robots(mail));
    let lately = alone.filter(|mail| now.since(mail.created_at) < WITHIN).count();
    Ok(if lately >= ANSWERS { WhoseTurn::Nobodys } else { WhoseTurn::Assistants })
}

/// Returns true if the assistant answers a thread: by its setting, else until a person has written in it.
pub fn is_automated(db: &dyn DbSession, thread: &str) -> Result<bool, DatabaseError> {
    match thread_automation::read(db, thread)? {
        Some(enabled) => Ok(enabled),
        None => Ok(emails::written(db, thread)?.iter().all(emails::is_robots)),
    }
}

fn is_assistants(db: &dyn DbSession, thread: &str, now: Timestamp) -> Result<bool, DatabaseError> {
    Ok(turn_of(db, thread, now)? == WhoseTurn::Assistants)
}

/// Answers due mail until the service stops.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    loop {
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let round = answer_due(&service).await;
        if !rhythm::rest(&service, round, "mail is not answered", committed, &mut stop).await {
            return;
        }
    }
}

/// Answers due mail and returns the next due time.
async fn answer_due(service: &Service) -> Result<Option<Timestamp>, ApiError> {
    if service.assistant.is_none() || !service.database.leads() {
        return Ok(None);
    }
    loop {
        let now = service.clock.now();
        let found: Result<Vec<Due>, DatabaseError> =
            service.database.read(move |db| due::all_of(db, KIND, TOGETHER)).await;
        let found = found?;
        let next = found.first().map(|due| due.at);
        let ready: Vec<Due> = found.into_iter().filter(|due| due.at <= now).collect();
        if ready.is_empty() {
            return Ok(next);
        }
        for done in join_all(ready.into_iter().map(|due| answer(service, due))).await {
            done?;
        }
    }
}

async fn answer(service: &Service, due: Due) -> Result<(), ApiError> {
    let (now, thread) = (service.clock.now(), due.subject.clone());
    let scope = service.database.scope_of_subject(&thread).await?;
    let begun: Result<_, DatabaseError> = service
        .database
        .write_in(scope.clone(), move |db| {
            // The task may have been cancelled since it was read.
            let Some(due) = due::postpone(db, &due, now.plus(LEASE))? else { return Ok(None) };
            Ok(Some((due, turn(db, &thread, now)?)))
        })
        .await;
    let Some((due, begun)) = begun? else { return Ok(()) };
    let (Some((turn, channel, row)), Some(assistant)) = (begun, &service.assistant) else {
        let take = move |db: &dyn DbSession| due::take(db, &due);
        let done: Result<bool, DatabaseError> = service.database.write_in(scope, take).await;
        return Ok(done.map(drop)?);
    };
    let tools = Tools::of_mail(service, &row.id, &row.contact).await?;
    let thought = assistant::in_time(assistant.as_ref(), &turn, &tools).await;
    let state = service.clone();
    service
        .database
        .write_in(scope, move |db| {
            let work = Work { db, service: &state, now: state.clock.now(), test: false, key: None };
            let tried: usize = due.data.parse().unwrap_or(0);
            if let (Err(Failure::Failed(why)), Some(pause)) = (&thought, PAUSES.get(tried)) {
                tracing::warn!(%why, "the assistant fails to answer a mail");
                let tried = (tried + 1).to_string();
                return Ok(due::again(db, &due, work.now.plus(*pause), &tried)?);
            }
            // Newer mail has replaced this task and is answered instead.
            if !due::take(db, &due)? {
                return Ok(());
            }
            let said = savepoint::part(db, || speak(&work, &channel, &row, thought));
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
fn speak(
    work: &Work<'_>,
    channel: &ChannelRow,
    thread: &ThreadRow,
    thought: Result<Answer, Failure>,
) -> Result<(), ApiError> {
    if !is_assistants(work.db, &thread.id, work.now)? {
        return Ok(());
    }
    let answer = thought.unwrap_or_else(|why| {
        tracing::warn!(%why, "the assistant does not answer a mail");
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
        reply_to: None,
        subject: topics::answering(&thread.subject),
        text: Some(text),
        html: None,
        headers,
        in_reply_to: None,
        thread: Some(thread.id.clone()),
        attachments: Vec::new(),
    };
    let id = work.id("mail", work.stamp());
    send::send(work, channel, id, asked, Vec::new(), MailAuthor { word: "ai", cost: 0 })?;
    Ok(())
}

/// Builds the model's input; `None` if there is nothing to answer.
fn turn(
    db: &dyn DbSession,
    thread: &str,
    now: Timestamp,
) -> Result<Option<(Turn, ChannelRow, ThreadRow)>, DatabaseError> {
    let Some(channel) = threads::channel_of(db, thread)? else { return Ok(None) };
    let channel = channels::read(db, &channel)?;
    let Some(row) = threads::read(db, &channel.id, thread)? else { return Ok(None) };
    let mails = emails::of_thread(db, thread, SHOWN, SHOWN_BYTES)?;
    // Only mail from the contact's address is shown as the customer's: a thread may have other participants,
    // and anybody can put the contact into Reply-To.
    let is_theirs =
        |mail: &&EmailRow| mail.direction != "inbound" || mail.sender.to_lowercase() == row.contact;
    let last = mails.last().filter(|mail| mail.direction == "inbound").filter(is_theirs);
    let Some(last) = last else { return Ok(None) };
    if !is_assistants(db, thread, now)? {
        return Ok(None);
    }
    let last = last.id.clone();
    let said = mails.iter().filter(is_theirs).map(|mail| (speaker(mail), shown(mail))).collect();
    Ok(Some((Turn { language: None, said, last }, channel, row)))
}

fn speaker(mail: &EmailRow) -> Speaker {
    match mail.direction.as_str() {
        "inbound" => Speaker::Customer,
        _ if emails::says_automatic(&mail.headers) => Speaker::Assistant,
        _ => Speaker::Person,
    }
}

fn shown(mail: &EmailRow) -> String {
    let text = words(mail.text.as_deref(), mail.html.as_deref());
    // Quoted lines were in earlier mail.
    let own = text.lines().take_while(|line| !line.trim_start().starts_with('>'));
    let own = own.collect::<Vec<_>>().join("\n");
    format!("{}\n\n{own}", mail.subject).chars().take(CHARACTERS).collect()
}
