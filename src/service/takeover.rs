//! Taking a conversation over from the assistant, and handing it back.
//!
//! A conversation (a chat of any channel, or a thread of mail) is taken over by a
//! pause, by closing it, or by a person's message: one that is neither the
//! assistant's nor part of a broadcast, sent from here or observed as sent elsewhere.
//! The transaction that keeps the pause or the message also ends everything the
//! assistant is about to say there:
//!
//! - **thinking**: the piece of work the thought belongs to is removed, and the
//!   transaction that would speak finds it gone;
//! - **waiting, claimed**: the text is dropped; before its first byte leaves, its attempt
//!   needs a transaction of its own ([`egress::depart`]), which fails from then on;
//! - **departed**: the text may reach the platform. It becomes *recalled*: it is not tried
//!   again, and [`wait_for_recalled`] holds a pause's answer until the attempt is over.
//!   A person's message needs no wait of its own, because it leaves behind that text.
//!
//! All these transactions belong to one workspace, and so come one after another, in
//! whichever process they run.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::admin::{Admin, AdminError};
use crate::database::conversations;
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::session::DbSession;
use crate::database::{Database, DatabaseError, due, thread_automation, threads};
use crate::errors::ApiError;
use crate::mail::answering;
use crate::state::Service;
use crate::world::Kind;
use crate::write::Work;
use model::time::Timestamp;
use wire::carriers::DraftAuthor;
use wire::errors::ErrorCode;

/// Longest wait between two looks for a settled attempt: another process on a
/// file tells nobody of its commits.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long a command waits for an attempt to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the assistant is silent after a person's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AfterPersonAnswers {
    /// Until the conversation is handed back.
    #[default]
    Pause,
    /// Until the customer writes again.
    NextCustomerMessage,
}

impl AfterPersonAnswers {
    pub const ALL: [Self; 2] = [Self::Pause, Self::NextCustomerMessage];

    /// The words in the service's configuration.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::NextCustomerMessage => "next customer message",
        }
    }
}

impl std::str::FromStr for AfterPersonAnswers {
    type Err = String;

    fn from_str(words: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|known| known.words() == words);
        found.ok_or_else(|| format!("{words:?} is neither \"pause\" nor \"next customer message\""))
    }
}

/// What the assistant can be switched off in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A conversation, by its id.
    Chat(&'a str),
    /// A thread of mail, by its id.
    Thread(&'a str),
}

impl<'a> Subject<'a> {
    /// The lane in which its messages leave.
    pub const fn lane(self) -> &'a str {
        match self {
            Self::Chat(id) | Self::Thread(id) => id,
        }
    }

    /// Finds a conversation or a thread of any channel, and whether the assistant
    /// answers there.
    pub fn find_anywhere(db: &dyn DbSession, id: &'a str) -> Result<Option<(Self, bool)>, DatabaseError> {
        let channel = match conversations::with_channel(db, id)? {
            Some((channel, _)) => Some(channel.id),
            None => threads::channel_of(db, id)?,
        };
        channel.map_or(Ok(None), |channel| Self::find(db, &channel, id))
    }

    /// Finds a conversation or a thread of a channel, and whether the assistant
    /// answers there.
    pub fn find(
        db: &dyn DbSession,
        channel: &str,
        id: &'a str,
    ) -> Result<Option<(Self, bool)>, DatabaseError> {
        if let Some(row) = conversations::read(db, channel, id)? {
            return Ok(Some((Self::Chat(id), row.automation)));
        }
        match threads::read(db, channel, id)? {
            Some(_) => Ok(Some((Self::Thread(id), answering::is_automated(db, id)?))),
            None => Ok(None),
        }
    }
}

/// Switches the assistant on or off in a conversation.
pub fn switch(
    db: &dyn DbSession,
    subject: Subject<'_>,
    enabled: bool,
    now: Timestamp,
) -> Result<(), ApiError> {
    match subject {
        Subject::Chat(id) => conversations::set_automation(db, id, enabled)?,
        Subject::Thread(id) => thread_automation::set(db, id, enabled)?,
    }
    if enabled { Ok(()) } else { silence(db, subject, now) }
}

/// Notes that a person has written in a conversation, with or after their message.
pub fn person_answered(work: &Work<'_>, subject: Subject<'_>) -> Result<(), ApiError> {
    if work.test {
        return Ok(());
    }
    match work.service.options.after_person_answers {
        AfterPersonAnswers::Pause => switch(work.db, subject, false, work.now),
        AfterPersonAnswers::NextCustomerMessage => {
            if let Subject::Thread(id) = subject
                && answering::is_automated(work.db, id)?
            {
                // Its mails alone would say that it is a person's now.
                thread_automation::set(work.db, id, true)?;
            }
            silence(work.db, subject, work.now)
        }
    }
}

/// Ends everything the assistant is about to say in a conversation.
pub fn silence(db: &dyn DbSession, subject: Subject<'_>, now: Timestamp) -> Result<(), ApiError> {
    match subject {
        Subject::Chat(id) => due::cancel(db, Kind::Answer.word(), id)?,
        Subject::Thread(id) => due::cancel(db, answering::KIND, id)?,
    }
    for row in egress::open_in(db, subject.lane())? {
        if !is_assistants(&row)? {
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

/// Returns whether the assistant has written what a parcel carries.
pub fn is_assistants(row: &EgressRow) -> Result<bool, ApiError> {
    if row.draft.is_empty() {
        return Ok(false);
    }
    let draft: DraftAuthor = serde_json::from_str(&row.draft).map_err(|cause| ApiError::internal(&cause))?;
    Ok(draft.sender == "ai" || draft.author == "ai")
}

/// Waits until no text of the assistant's is on its way in a conversation that
/// was taken over.
///
/// # Errors
/// 503 where the platform does not answer in time: the takeover is kept, and
/// repeating the request waits again.
pub async fn wait_for_recalled(service: &Service, lane: &str) -> Result<(), ApiError> {
    let last = Instant::now() + service.options.answering;
    loop {
        let mut settled = pin!(service.settled.0.notified());
        settled.as_mut().enable();
        if !is_recalling(&service.database, lane).await? {
            return Ok(());
        }
        if Instant::now() >= last {
            return Err(still_leaving());
        }
        // Woken or not, it looks again.
        let _ = timeout_at(last.min(Instant::now() + POLL_INTERVAL), settled).await;
    }
}

/// Returns whether a recalled text is still on its way in a conversation.
pub async fn is_recalling(database: &Database, lane: &str) -> Result<bool, DatabaseError> {
    let lane = lane.to_owned();
    database.read(move |db| egress::is_recalling(db, &lane)).await
}

/// The refusal to confirm a takeover while a text may still arrive.
pub fn still_leaving() -> ApiError {
    let words = "the assistant is switched off here, but its last text is still on its way to the platform; \
                 ask again to be told when it cannot arrive any more";
    ApiError::new(ErrorCode::InternalError, words).retry_after(1)
}

impl Admin {
    /// Returns whether the assistant answers a conversation or a thread of any
    /// channel.
    ///
    /// # Errors
    /// When there is none of this id.
    pub async fn automation(&self, id: &str) -> Result<bool, AdminError> {
        let id = id.to_owned();
        self.database
            .read(move |db| Ok(Subject::find_anywhere(db, &id)?.ok_or_else(|| no_subject(&id))?.1))
            .await
    }

    /// Switches the assistant on or off in a conversation or a thread of any channel.
    ///
    /// # Errors
    /// When there is none of this id, or the assistant's last text is still on its
    /// way after [`PATIENCE`].
    pub async fn switch_automation(&self, id: &str, enabled: bool, now: Timestamp) -> Result<(), AdminError> {
        let (subject, last) = (id.to_owned(), Instant::now() + PATIENCE);
        self.database
            .write(move |db| {
                let (found, _) = Subject::find_anywhere(db, &subject)?.ok_or_else(|| no_subject(&subject))?;
                switch(db, found, enabled, now).map_err(|error| AdminError::Refused(error.message))
            })
            .await?;
        while !enabled && is_recalling(&self.database, id).await? {
            if Instant::now() >= last {
                return Err(AdminError::Refused(still_leaving().message));
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }
}

fn no_subject(id: &str) -> AdminError {
    AdminError::Refused(format!(
        "there is no conversation or thread {id:?}; `frontdesk list` shows the ids of a channel"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_setting_are_read_as_written() {
        for choice in AfterPersonAnswers::ALL {
            assert_eq!(choice.words().parse(), Ok(choice));
        }
        let refused: Result<AfterPersonAnswers, String> = "Pause".parse();
        assert!(refused.is_err_and(|words| words.contains("\"next customer message\"")));
    }
}
