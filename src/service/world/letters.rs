//! Simulated mail contacts of the demo: they write by themselves and answer people, until their script ends.

use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, channels, due, emails, threads};
use crate::errors::ApiError;
use crate::mail::receive::receive;
use crate::world::JobKind;
use crate::world::customers::pick;
use crate::write::WriteContext;
use model::time::SECOND;
use platforms::Channel;
use platforms::mail::{InboundMail, topics};
use sqlite::read_row;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedCorrespondent {
    pub thread: String,
    /// Unprompted mails in order.
    pub live: Vec<String>,
    /// Answers to people in order.
    pub replies: Vec<String>,
}

pub fn store_correspondent(db: &dyn DbSession, writer: &ScriptedCorrespondent) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO letter_writers (thread, live, replies) VALUES (?1, ?2, ?3)
               ON CONFLICT (thread) DO UPDATE SET live = excluded.live, replies = excluded.replies";
    let lines = |texts: &[String]| serde_json::to_string(texts).unwrap_or_else(|_| "[]".to_owned());
    db.change_later(sql, bound![writer.thread, lines(&writer.live), lines(&writer.replies)])
}

/// Schedules a contact's answer to a person's mail.
pub fn schedule_reply(work: &WriteContext<'_>, thread: &str) -> Result<(), DatabaseError> {
    if !work.service.options.demo || work.test {
        return Ok(());
    }
    due::cancel(work.db, JobKind::Letter.word(), thread)?;
    let wait = work.service.ids.random_between(8 * SECOND, 20 * SECOND);
    due::add(work.db, work.now.plus(wait), JobKind::Letter.word(), thread, "")
}

pub fn answer_person(work: &WriteContext<'_>, thread: &str) -> Result<(), ApiError> {
    let Some(mut writer) = read_correspondent(work.db, thread)? else { return Ok(()) };
    if writer.replies.is_empty() {
        return Ok(());
    }
    let text = writer.replies.remove(0);
    store_correspondent(work.db, &writer)?;
    receive_mail(work, thread, text)
}

/// Sends the next scripted mail of a contact. Returns false if none is left.
pub fn simulate_inbound(work: &WriteContext<'_>) -> Result<bool, ApiError> {
    let sql = "SELECT thread FROM letter_writers WHERE live <> '[]' ORDER BY thread";
    let ids: Vec<String> = work.db.fetch_all(sql, &[], single_cell)?;
    let Some(id) = pick(work, &ids) else { return Ok(false) };
    let Some(mut writer) = read_correspondent(work.db, &id)? else { return Ok(false) };
    let text = writer.live.remove(0);
    store_correspondent(work.db, &writer)?;
    receive_mail(work, &id, text)?;
    Ok(true)
}

fn receive_mail(work: &WriteContext<'_>, thread: &str, text: String) -> Result<(), ApiError> {
    let Some(channel) = channels::find_by_kind(work.db, Channel::Email)? else { return Ok(()) };
    let Some(row) = threads::read(work.db, &channel.id, thread)? else { return Ok(()) };
    let last = emails::newest_in_thread(work.db, thread)?;
    let mail = InboundMail {
        from: row.contact_email,
        name: row.contact_name,
        subject: topics::reply_subject(&row.subject),
        text: Some(text),
        in_reply_to: last.map(|entry| entry.header_id),
        ..InboundMail::default()
    };
    receive(work, &channel, &mail)?;
    Ok(())
}

fn read_correspondent(
    db: &dyn DbSession,
    thread: &str,
) -> Result<Option<ScriptedCorrespondent>, DatabaseError> {
    let sql = "SELECT live, replies FROM letter_writers WHERE thread = ?1";
    db.fetch_optional(sql, bound![thread], |row| {
        Ok(read_row!(row, ScriptedCorrespondent { live: json, replies: json; thread: thread.to_owned() }))
    })
}
