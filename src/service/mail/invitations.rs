//! Invitations to events of a calendar, and their answers.
//!
//! The event of a received mail is stored among its headers, and the answer among those of the mail that
//! gives it, also if another program sent it. A cancellation often begins another thread, so each is also
//! recorded under its event.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::database::channels::ChannelRow;
use crate::database::emails::{self, EmailRow};
use crate::database::session::DbSession;
use crate::database::threads::ThreadRow;
use crate::database::{DatabaseError, ingress};
use crate::errors::ApiError;
use crate::mail::content::MailSendRequest;
use crate::write::WriteContext;
use api::carriers::{CalendarEvent, CalendarMethod, CalendarPerson, GivenAnswer, InvitationReply};
use api::email::InvitationBody;
use model::email::invitations::InvitationAnswer;
use model::time::Timestamp;
use platforms::mail::InboundMail;
use platforms::mail::calendar;

/// Key of a mail's event among its headers. No header can have this name, since it contains a space.
const EVENT_KEY: &str = "calendar event";
/// Key of the answer that a mail gives.
const ANSWER_KEY: &str = "calendar answer";
/// Maximum number of cancellations of one event that are checked.
const MAX_CANCELLATIONS: i64 = 100;

/// Stores the event of a received mail among its headers.
pub fn write_event(mail: &InboundMail, headers: &mut Map<String, Value>) {
    if let Some(event) = &mail.event
        && let Ok(event) = serde_json::to_value(event)
    {
        headers.insert(EVENT_KEY.to_owned(), event);
    }
}

/// Stores the answer that a mail of this service gives among its headers.
pub fn write_answer(reply: &InvitationReply, headers: &mut Map<String, Value>) {
    let stored = GivenAnswer { answer: reply.answer, event: reply.event.clone() };
    if let Ok(stored) = serde_json::to_value(stored) {
        headers.insert(ANSWER_KEY.to_owned(), stored);
    }
}

/// Stores the answer that another program sent from the mailbox.
pub fn write_foreign_answer(mail: &InboundMail, headers: &mut Map<String, Value>) {
    let Some(event) = &mail.event else { return };
    if let Some(answer) = event.answer {
        write_answer(&InvitationReply { answer, event: event.key(), calendar: String::new() }, headers);
    }
}

fn read_event(headers: &Map<String, Value>) -> Option<CalendarEvent> {
    let event: CalendarEvent = serde_json::from_value(headers.get(EVENT_KEY)?.clone()).ok()?;
    (event.method != CalendarMethod::Reply).then_some(event)
}

fn read_stored_answer(headers: &Map<String, Value>) -> Option<GivenAnswer> {
    serde_json::from_value(headers.get(ANSWER_KEY)?.clone()).ok()
}

pub fn read_answer(headers: &Map<String, Value>) -> Option<InvitationAnswer> {
    Some(read_stored_answer(headers)?.answer)
}

/// Returns the name under which the cancellations of an event are recorded; it does not reveal the event's
/// id.
fn cancellation_name(key: &str) -> String {
    let hex: String = Sha256::digest(key).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("cancelled event {hex}")
}

pub fn record_cancellation(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mail: &InboundMail,
) -> Result<(), DatabaseError> {
    let Some(event) = mail.event.as_ref().filter(|event| event.method == CalendarMethod::Cancel) else {
        return Ok(());
    };
    let name = cancellation_name(&event.key());
    ingress::record_arrival(work.db, &channel.id, &name, &event.sequence.to_string())?;
    Ok(())
}

/// Returns true if an event or its series was cancelled and not changed since.
fn is_cancelled(db: &dyn DbSession, channel: &str, event: &CalendarEvent) -> Result<bool, DatabaseError> {
    if event.method == CalendarMethod::Cancel {
        return Ok(true);
    }
    for key in [event.key(), event.series_key()] {
        let recorded = ingress::list_arrivals(db, channel, &cancellation_name(&key), MAX_CANCELLATIONS)?;
        let is_later =
            |sequence: &String| sequence.parse().is_ok_and(|sequence: i64| sequence >= event.sequence);
        if recorded.iter().any(is_later) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn headers_of(row: &EmailRow) -> Map<String, Value> {
    serde_json::from_str(&row.headers).unwrap_or_default()
}

/// Describes the invitations in the mails of a thread, by the id of their mail.
pub fn describe_all(
    db: &dyn DbSession,
    channel: &str,
    mails: &[EmailRow],
) -> Result<HashMap<String, InvitationBody>, DatabaseError> {
    let mut answers: HashMap<String, InvitationAnswer> = HashMap::new();
    for mail in mails.iter().filter(|mail| mail.direction == "outbound" && mail.status != "failed") {
        if let Some(stored) = read_stored_answer(&headers_of(mail)) {
            answers.insert(stored.event, stored.answer);
        }
    }
    let mut found = HashMap::new();
    for mail in mails.iter().filter(|mail| mail.direction == "inbound") {
        let Some(event) = read_event(&headers_of(mail)) else { continue };
        let body = InvitationBody {
            cancelled: is_cancelled(db, channel, &event)?,
            response: answers.get(&event.key()).copied(),
            when: event.when,
            ends_at: event.ends_at.map(|end| Timestamp::from_micros(end).to_string()),
            organizer: event.organizer.map(|organizer| organizer.address),
            guest: event.guest.map(|guest| guest.address),
            summary: Some(event.summary),
        };
        found.insert(mail.id.clone(), body);
    }
    Ok(found)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredInvitation {
    answer: InvitationAnswer,
    event: CalendarEvent,
    organizer: CalendarPerson,
    guest: CalendarPerson,
    /// `Message-ID` of its mail.
    pub header_id: String,
}

impl AnsweredInvitation {
    /// Address of the mailbox that is invited.
    pub fn guest_address(&self) -> &str {
        &self.guest.address
    }

    /// Writes the answer as it is sent from an address.
    pub fn to_reply(&self, sender: &str, at: Timestamp) -> InvitationReply {
        let people = (&self.organizer, &self.guest);
        InvitationReply {
            answer: self.answer,
            event: self.event.key(),
            calendar: calendar::write_reply(&self.event, people, self.answer, sender, at),
        }
    }
}

/// Finds the invitation that a mail answers, in its newest version.
///
/// # Errors
/// `VALIDATION_ERROR` with the reason if there is none that can be answered, or if the mail goes to
/// somebody else than its organizer.
pub fn find_answered(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    thread: &ThreadRow,
    asked: &MailSendRequest,
    answered: Option<&EmailRow>,
) -> Result<Option<AnsweredInvitation>, ApiError> {
    let Some(answer) = asked.invitation_response else { return Ok(None) };
    let refuse = |why: String| Err(ApiError::validation(format!("invitationResponse: {why}")));
    let all: Vec<(EmailRow, CalendarEvent)> = emails::list_with_header(work.db, &thread.id, EVENT_KEY)?
        .into_iter()
        .filter_map(|row| read_event(&headers_of(&row)).map(|event| (row, event)))
        .collect();
    let named = match (answered, &asked.in_reply_to) {
        (Some(answered), _) => all.iter().find(|(row, _)| row.id == answered.id),
        (None, Some(_)) => None,
        (None, None) => all.first(),
    };
    let Some((_, named)) = named else {
        return refuse(match asked.in_reply_to {
            Some(_) => "the mail of inReplyTo has no invitation in this thread".to_owned(),
            None => "this thread has no invitation".to_owned(),
        });
    };
    let is_version = |event: &CalendarEvent| event.key() == named.key() && event.method == named.method;
    let versions = all.iter().filter(|(_, event)| is_version(event));
    let newest = versions.max_by_key(|(row, event)| (event.sequence, row.created_at));
    let Some((row, event)) = newest else { return refuse("this thread has no invitation".to_owned()) };
    if is_cancelled(work.db, &channel.id, event)? {
        return refuse("the event was cancelled".to_owned());
    }
    let Some(guest) = event.guest.clone() else {
        let own = channel.address.as_deref().unwrap_or_default();
        let whom = match event.guests.as_slice() {
            [] => "nobody".to_owned(),
            guests => guests.join(", "),
        };
        return refuse(format!("the invitation is for {whom}, not for {own}"));
    };
    let Some(organizer) = event.organizer.clone() else {
        return refuse("the invitation names no address of its organizer".to_owned());
    };
    if organizer.address.eq_ignore_ascii_case(&guest.address) {
        return refuse("this mailbox is the organizer of the event".to_owned());
    }
    let is_organizer = |address: &String| address.eq_ignore_ascii_case(&organizer.address);
    if asked.to.len() != 1 || !asked.to.iter().all(is_organizer) {
        return refuse(format!("to must be the organizer, {}, and nobody else", organizer.address));
    }
    let header_id = row.header_id.clone();
    Ok(Some(AnsweredInvitation { answer, event: event.clone(), organizer, guest, header_id }))
}
