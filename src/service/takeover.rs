//! Takeover of a conversation by a person, and its return to the assistant.
//!
//! A conversation (a chat of any channel, or a mail thread) is taken over when it is paused or closed, or by
//! a person's message: one that is neither the assistant's nor part of a broadcast, sent by this service or
//! observed as sent elsewhere. The transaction that stores the pause or the message also ends everything the
//! assistant is about to send there, by its state:
//!
//! - **thinking**: the task is deleted; the transaction that would store the answer finds it gone.
//! - **waiting**, **claimed**: the text is dropped. Sending it needs another transaction
//!   ([`crate::database::egress::mark_departed`]), which fails from then on.
//! - **departed**: the text may reach the platform. It becomes **recalled**: it is not retried, and
//!   [`wait_for_recalled`] delays the answer to a pause until the attempt has ended. A person's message needs
//!   no such wait, since it is sent after that text.
//!
//! All these transactions belong to one workspace, so they are serialized across processes.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::admin::{Admin, AdminError, WorkspaceChoice};
use crate::audit::{self, CONSOLE, SERVICE};
use crate::database::channels::ChannelRow;
use crate::database::conversations::Pauser;
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::session::DbSession;
use crate::database::team::changes;
use crate::database::{Database, DatabaseError, conversations, due, scopes, thread_automation, threads};
use crate::errors::ApiError;
use crate::mail::answering;
use crate::state::Service;
use crate::world::JobKind;
use crate::write::WriteContext;
use api::carriers::DraftAuthor;
use api::errors::ErrorCode;
use model::messages::AnswerPlace;
use model::time::Timestamp;

/// Longest wait between two checks of an attempt: another process on a database file sends no notification of
/// its commits.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Maximum time a `frontdesk admin` command waits for an attempt to end.
const RECALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Length of the assistant's pause after a person's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AfterPersonAnswers {
    /// Until the conversation is returned to the assistant.
    #[default]
    Pause,
    NextCustomerMessage,
}

impl AfterPersonAnswers {
    /// Value of the setting `pause_when_answered_elsewhere`.
    pub const fn from_setting(pauses: bool) -> Self {
        if pauses { Self::Pause } else { Self::NextCustomerMessage }
    }
}

/// Conversation in which the assistant can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutomationSubject<'a> {
    /// Conversation id.
    Chat(&'a str),
    /// Mail thread id.
    Thread(&'a str),
}

impl<'a> AutomationSubject<'a> {
    /// Lane of its outbound messages, which are sent one after another.
    pub const fn lane(self) -> &'a str {
        match self {
            Self::Chat(id) | Self::Thread(id) => id,
        }
    }

    /// Finds a conversation or thread of any channel, and whether the assistant is on.
    pub fn find_anywhere(db: &dyn DbSession, id: &'a str) -> Result<Option<(Self, bool)>, DatabaseError> {
        let channel = match conversations::with_channel(db, id)? {
            Some((channel, _)) => Some(channel.id),
            None => threads::channel_of(db, id)?,
        };
        channel.map_or(Ok(None), |channel| Self::find(db, &channel, id))
    }

    /// Finds a conversation or thread of one channel, and whether the assistant is on.
    pub fn find(
        db: &dyn DbSession,
        channel: &str,
        id: &'a str,
    ) -> Result<Option<(Self, bool)>, DatabaseError> {
        if let Some(row) = conversations::read(db, channel, id)? {
            return Ok(Some((Self::Chat(id), row.automation)));
        }
        match threads::read(db, channel, id)? {
            Some(_) => Ok(Some((Self::Thread(id), answering::is_assistant_enabled(db, id)?))),
            None => Ok(None),
        }
    }
}

/// Switches the assistant on or off, and ends what it is about to send. `pauser` is recorded with a pause
/// of an assistant that was on.
pub fn switch(
    db: &dyn DbSession,
    subject: AutomationSubject<'_>,
    (enabled, pauser): (bool, Pauser<'_>),
    now: Timestamp,
) -> Result<(), ApiError> {
    match subject {
        AutomationSubject::Chat(id) => {
            conversations::set_automation(db, id, enabled, pauser)?;
            changes::log_conversation(db, id, now)?;
        }
        AutomationSubject::Thread(id) => {
            let pauses = !enabled && answering::is_assistant_enabled(db, id)?;
            let pauser = if pauses { pauser } else { Pauser::default() };
            thread_automation::set(db, id, enabled, pauser)?;
            changes::log_thread(db, id, now)?;
        }
    }
    if enabled { Ok(()) } else { recall_answers(db, subject, now) }
}

/// Returns the person of a request as the author of a pause; nobody for a program's key.
pub fn pauser<'a>(work: &WriteContext<'a>) -> Pauser<'a> {
    Pauser { person: work.agent.map(|agent| agent.name.as_str()), place: None }
}

/// Applies the configured pause after a person's message, in the transaction that stores the message. `place` is
/// where it was sent, if not through this service.
pub fn record_person_answer(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    subject: AutomationSubject<'_>,
    place: Option<AnswerPlace>,
) -> Result<(), ApiError> {
    if work.test {
        return Ok(());
    }
    match work.service.options.after_person_answers {
        AfterPersonAnswers::Pause => {
            record_pause(work, channel, subject, place)?;
            switch(work.db, subject, (false, Pauser { place, ..pauser(work) }), work.now)
        }
        AfterPersonAnswers::NextCustomerMessage => {
            if let AutomationSubject::Thread(id) = subject
                && answering::is_assistant_enabled(work.db, id)?
            {
                // A thread with a person's mail counts as taken over unless its own setting says otherwise.
                thread_automation::set(work.db, id, true, Pauser::default())?;
            }
            recall_answers(work.db, subject, work.now)
        }
    }
}

/// Records that an answer switches the assistant off, unless it is off already. An answer with the key of a program
/// is no act of a person.
fn record_pause(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    subject: AutomationSubject<'_>,
    place: Option<AnswerPlace>,
) -> Result<(), ApiError> {
    if work.agent.is_none() && place.is_none() {
        return Ok(());
    }
    let is_on = match subject {
        AutomationSubject::Chat(id) => conversations::is_automation_on(work.db, id)?,
        AutomationSubject::Thread(id) => answering::is_assistant_enabled(work.db, id)?,
    };
    if is_on {
        let actor = work.agent.map_or(SERVICE, |agent| agent.id.as_str());
        audit::record(work.db, &channel.workspace, actor, ("pause", subject.lane()), work.now)?;
    }
    Ok(())
}

/// Ends everything the assistant is about to send in a conversation.
pub fn recall_answers(
    db: &dyn DbSession,
    subject: AutomationSubject<'_>,
    now: Timestamp,
) -> Result<(), ApiError> {
    match subject {
        AutomationSubject::Chat(id) => due::cancel(db, JobKind::Answer.word(), id)?,
        AutomationSubject::Thread(id) => due::cancel(db, answering::ANSWER_KIND, id)?,
    }
    for row in egress::list_open(db, subject.lane())? {
        if !is_from_assistant(&row)? {
            continue;
        }
        if row.state == EgressState::Departed.word() {
            egress::recall(db, &row.id)?;
        } else if row.state != EgressState::Recalled.word() {
            egress::settle(db, &row.id, EgressState::Dropped, None, now)?;
        }
    }
    Ok(())
}

pub fn is_from_assistant(row: &EgressRow) -> Result<bool, ApiError> {
    if row.draft.is_empty() {
        return Ok(false);
    }
    let draft: DraftAuthor = serde_json::from_str(&row.draft).map_err(|cause| ApiError::internal(&cause))?;
    Ok(draft.sender == "ai" || draft.author == "ai")
}

/// Waits until no recalled text of a conversation is under way.
///
/// # Errors
/// 503 if the platform does not answer in time. The takeover stays in effect; repeating the request waits
/// again.
pub async fn wait_for_recalled(service: &Service, lane: &str) -> Result<(), ApiError> {
    let last = Instant::now() + service.options.answering;
    loop {
        let mut settled = pin!(service.settled.notified());
        settled.as_mut().enable();
        if !is_recalling(&service.database, lane).await? {
            return Ok(());
        }
        if Instant::now() >= last {
            return Err(still_sending_error());
        }
        // Checks again after a notification as well as after the interval.
        let _ = timeout_at(last.min(Instant::now() + POLL_INTERVAL), settled).await;
    }
}

/// Returns true if a recalled text of a conversation is still under way.
pub async fn is_recalling(database: &Database, lane: &str) -> Result<bool, DatabaseError> {
    let lane = lane.to_owned();
    database.read(move |db| egress::is_recalling(db, &lane)).await
}

/// Refuses to confirm a takeover while a text may still arrive.
pub fn still_sending_error() -> ApiError {
    let words = "the assistant is paused in this conversation, but its last text is still being sent to \
                 the platform; repeat the request to learn when it can no longer arrive";
    ApiError::new(ErrorCode::InternalError, words).retry_after(1)
}

impl Admin {
    /// Returns true if the assistant is on in a conversation or thread of any channel.
    ///
    /// # Errors
    /// If there is none with this id.
    pub async fn automation(&self, id: &str) -> Result<bool, AdminError> {
        let (workspace, id) = (self.workspace.clone(), id.to_owned());
        self.database
            .read(move |db| {
                let found = AutomationSubject::find_anywhere(db, &id)?;
                let (_, enabled) = found.ok_or_else(|| no_subject_error(&id))?;
                check_workspace(db, &workspace, &id)?;
                Ok(enabled)
            })
            .await
    }

    /// Switches the assistant on or off in a conversation or thread of any channel.
    ///
    /// # Errors
    /// If there is none with this id, or the assistant's last text is still under way after [`RECALL_TIMEOUT`].
    pub async fn switch_automation(&self, id: &str, enabled: bool, now: Timestamp) -> Result<(), AdminError> {
        let (subject, last) = (id.to_owned(), Instant::now() + RECALL_TIMEOUT);
        let chosen = self.workspace.clone();
        self.database
            .write(move |db| {
                let (found, _) = AutomationSubject::find_anywhere(db, &subject)?
                    .ok_or_else(|| no_subject_error(&subject))?;
                let workspace = check_workspace(db, &chosen, &subject)?;
                switch(db, found, (enabled, Pauser::default()), now)
                    .map_err(|error| AdminError::Refused(error.message))?;
                let action = if enabled { "hand back" } else { "pause" };
                Ok::<_, AdminError>(audit::record(db, &workspace, CONSOLE, (action, &subject), now)?)
            })
            .await?;
        while !enabled && is_recalling(&self.database, id).await? {
            if Instant::now() >= last {
                return Err(AdminError::Refused(still_sending_error().message));
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }
}

/// Returns the workspace of a conversation or thread.
///
/// # Errors
/// If another one was selected.
fn check_workspace(db: &dyn DbSession, chosen: &WorkspaceChoice, id: &str) -> Result<String, AdminError> {
    let workspace = scopes::workspace_of_subject(db, id)?.unwrap_or_default();
    match chosen.includes(db, &workspace)? {
        true => Ok(workspace),
        false => Err(no_subject_error(id)),
    }
}

fn no_subject_error(id: &str) -> AdminError {
    AdminError::Absent(format!(
        "there is no conversation or thread {id:?}; `frontdesk list` shows the ids of a channel"
    ))
}
