//! Work of the people of a team, and the statistics that are counted from it.
//!
//! An entry is written in the transaction of the work itself: a conversation taken, closed or handed back, an answer
//! stored in the history. It holds ids and times only, so the numbers stay when a customer is erased. An answer
//! carries the customer's wait that it ended.

use crate::database::DatabaseError;
use crate::database::emails::{self, EmailRow};
use crate::database::messages::{self, MessageRow};
use crate::database::session::DbSession;
use crate::database::team::people;
use crate::database::team::work::{self as stored, Period, WorkCounts, WorkKind, WorkRow};
use crate::team::MAX_PEOPLE;
use crate::write::WriteContext;
use api::extras::MessageExtras;
use api::team::{AnswerTimes, PersonName, PersonStats, TeamStats};
use model::service_levels::{SaidBy, Spans};
use model::time::{DAY, SECOND, Timestamp};

/// Time for which the work of people is kept, in microseconds.
pub const WORK_RETENTION: i64 = 400 * DAY;
const MAX_LISTED_PEOPLE: usize = 2 * MAX_PEOPLE;
/// Number of messages before an answer that are searched for the customer's.
const MAX_SEARCHED_MESSAGES: i64 = 100;

/// Records that a person got a conversation.
pub fn record_taken(
    work: &WriteContext<'_>,
    workspace: &str,
    person: &str,
    conversation: &str,
) -> Result<(), DatabaseError> {
    record(work, workspace, person, (WorkKind::Taken, conversation))
}

/// Records that the person of a request is done with a conversation. Nothing is recorded without a person.
pub fn record_done(
    work: &WriteContext<'_>,
    workspace: &str,
    kind: WorkKind,
    conversation: &str,
) -> Result<(), DatabaseError> {
    match work.agent {
        Some(agent) => record(work, workspace, &agent.id, (kind, conversation)),
        None => Ok(()),
    }
}

fn record(
    work: &WriteContext<'_>,
    workspace: &str,
    person: &str,
    (kind, conversation): (WorkKind, &str),
) -> Result<(), DatabaseError> {
    let id = format!("work_{}", uuid::Uuid::now_v7().simple());
    let row = WorkRow { id: &id, workspace, person, kind, conversation, wait: None, at: work.now };
    stored::insert(work.db, &row)
}

/// Records a message of the history as an answer if a person of the team sent it.
pub fn record_answer(db: &dyn DbSession, workspace: &str, message: &MessageRow) -> Result<(), DatabaseError> {
    let agent = MessageExtras::read(message.extras.as_deref()).agent;
    let Some(agent) = agent.filter(|_| message.broadcast.is_none()) else { return Ok(()) };
    let position = message.history_position();
    let said = messages::list_authors_before(db, &message.conversation, &position, MAX_SEARCHED_MESSAGES)?;
    let place = (message.id.as_str(), message.conversation.as_str(), message.created_at);
    insert_answer(db, workspace, &agent, place, &said)
}

pub fn record_mail_answer(
    db: &dyn DbSession,
    workspace: &str,
    agent: &PersonName,
    mail: &EmailRow,
) -> Result<(), DatabaseError> {
    let said = emails::list_authors_before(db, mail, MAX_SEARCHED_MESSAGES)?;
    insert_answer(db, workspace, agent, (&mail.id, &mail.thread, mail.created_at), &said)
}

fn insert_answer(
    db: &dyn DbSession,
    workspace: &str,
    agent: &PersonName,
    (id, conversation, at): (&str, &str, Timestamp),
    said: &[(Timestamp, SaidBy)],
) -> Result<(), DatabaseError> {
    let wait = find_waiting_message(said).map(|since| at.since(since).max(0));
    let kind = WorkKind::Answered;
    stored::insert(db, &WorkRow { id, workspace, person: &agent.id, kind, conversation, wait, at })
}

/// Returns the time of the customer's message that waits for an answer; `None` if a person has answered since. `said`
/// is newest first.
///
/// The wait begins with the first message after the last answer of anybody. If the assistant spoke last, it begins
/// with the customer's last message, which the assistant did not settle.
fn find_waiting_message(said: &[(Timestamp, SaidBy)]) -> Option<Timestamp> {
    let mut waiting = None;
    for (at, by) in said {
        match by {
            SaidBy::Customer => waiting = Some(*at),
            SaidBy::Ai if waiting.is_none() => {}
            SaidBy::Ai | SaidBy::Person => break,
        }
    }
    waiting
}

/// Counts what each person did in a period. Removed people are listed if they did something.
pub fn read_stats(
    db: &dyn DbSession,
    workspace: &str,
    period: Period,
    now: Timestamp,
) -> Result<TeamStats, DatabaseError> {
    let mut counts = stored::count(db, workspace, period)?;
    let held = stored::count_held(db, workspace)?;
    let mut data = Vec::new();
    for (person, removed) in people::list_with_removed(db, workspace)? {
        let work = counts.remove(&person.id);
        if (removed && work.is_none()) || data.len() == MAX_LISTED_PEOPLE {
            continue;
        }
        let WorkCounts { taken, answers, done, handed_back, waits } = work.unwrap_or_default();
        let Spans { count, median, p90, .. } = Spans::from_spans(waits);
        let seconds = |span: Option<i64>| span.map(|span| (span + SECOND / 2) / SECOND);
        data.push(PersonStats {
            claim_count: held.get(&person.id).copied().unwrap_or_default(),
            id: person.id,
            name: person.name,
            role: person.role.word().to_owned(),
            removed,
            taken,
            answers,
            first_answer: AnswerTimes {
                count: i64::try_from(count).unwrap_or(i64::MAX),
                median: seconds(median),
                p90: seconds(p90),
            },
            done,
            handed_back,
        });
    }
    let to = period.to.unwrap_or(now);
    Ok(TeamStats { from: period.from.to_string(), to: to.to_string(), data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_begins_with_the_first_message_that_nobody_answered() {
        use SaidBy::{Ai, Customer, Person};
        let cases: [(&[SaidBy], Option<i64>); 8] = [
            (&[], None),
            (&[Customer], Some(0)),
            (&[Customer, Customer], Some(0)),
            (&[Customer, Person], None),
            (&[Customer, Person, Customer, Customer], Some(2)),
            (&[Customer, Ai, Customer, Customer], Some(2)),
            (&[Customer, Customer, Ai], Some(0)),
            (&[Person, Ai], None),
        ];
        for (authors, expected) in cases {
            let times = (0..).map(Timestamp::from_micros);
            let mut said: Vec<(Timestamp, SaidBy)> = times.zip(authors.iter().copied()).collect();
            said.reverse();
            assert_eq!(find_waiting_message(&said).map(Timestamp::micros), expected, "{authors:?}");
        }
    }
}
