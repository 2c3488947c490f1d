//! Rules of what the team shares about conversations and threads. Each change is made, logged and recorded in the
//! caller's transaction.

use crate::audit;
use crate::auth::{Caller, Member};
use crate::database::session::DbSession;
use crate::database::team::changes::{self, ChangeKind};
use crate::database::team::conversations::{self as stored, TeamConversation};
use crate::database::team::notes::{self, NoteRow};
use crate::database::team::people::{self, Person};
use crate::database::{DatabaseError, channels, conversations, threads};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::team::work as team_work;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use api::fields::Filled;
use api::request::FieldError;
use api::team::{
    ClaimBody, ClaimRequest, ClaimedError, NoteBody, PersonName, Role, SetSnooze, SharedConversation,
    SnoozeBody,
};
use model::time::{MINUTE, SECOND, Timestamp};

/// Time without activity after which anybody may take a person's claims over.
pub const AWAY_AFTER: i64 = 30 * MINUTE;

/// Checks that a conversation or thread belongs to the workspace.
pub fn check_subject(db: &dyn DbSession, workspace: &str, id: &str) -> Result<(), ApiError> {
    let found = match conversations::with_channel(db, id)? {
        Some((channel, _)) => Some(channel.workspace),
        None => match threads::channel_of(db, id)? {
            Some(channel) => Some(channels::read(db, &channel)?.workspace),
            None => None,
        },
    };
    if found.as_deref() == Some(workspace) { Ok(()) } else { Err(ApiError::not_found("this conversation")) }
}

/// Returns the body of a row with its notes.
pub fn shared_body(db: &dyn DbSession, row: TeamConversation) -> Result<SharedConversation, DatabaseError> {
    let notes = notes::list(db, &row.id)?.into_iter().map(|note| build_note_body(db, note));
    let notes = notes.collect::<Result<_, DatabaseError>>()?;
    let claim = claim_body(&row);
    let snooze =
        row.snoozed_until.map(|until| SnoozeBody { until: until.to_string(), note: row.snooze_note });
    let changed_at = exact_time(row.changed_at);
    Ok(SharedConversation { id: row.id, claim, tags: row.tags, snooze, notes, changed_at })
}

/// Formats a time with microseconds, so that a list can continue after it.
fn exact_time(at: Timestamp) -> String {
    let iso = at.iso();
    let seconds = iso.as_str().get(..19).unwrap_or_default();
    format!("{seconds}.{:06}Z", at.micros().rem_euclid(SECOND))
}

pub fn claim_body(row: &TeamConversation) -> Option<ClaimBody> {
    let id = row.person.clone()?;
    let person = PersonName { id, name: row.name.clone().unwrap_or_default() };
    Some(ClaimBody { person, at: row.claimed_at?.to_string(), version: row.version })
}

pub fn build_note_body(db: &dyn DbSession, note: NoteRow) -> Result<NoteBody, DatabaseError> {
    let mentions = note.mentions.into_iter().map(|id| {
        let name = people::name(db, &id)?.unwrap_or_default();
        Ok(PersonName { id, name })
    });
    Ok(NoteBody {
        id: note.id,
        person: PersonName { id: note.person, name: note.name },
        text: note.text,
        mentions: mentions.collect::<Result<_, DatabaseError>>()?,
        at: note.created_at.to_string(),
        edited_at: note.edited_at.map(|at| at.to_string()),
    })
}

/// Answers with the whole state of a conversation.
pub fn reply(db: &dyn DbSession, workspace: &str, id: &str, now: Timestamp) -> Result<Reply, ApiError> {
    Reply::ok(&shared_body(db, stored::read_or_insert(db, workspace, id, now)?)?)
}

/// Logs and records a change of a conversation.
pub fn record(
    work: &WriteContext<'_>,
    member: &Member,
    kind: ChangeKind,
    (id, item): (&str, &str),
    action: &str,
) -> Result<(), DatabaseError> {
    changes::log(work.db, &member.workspace, kind, (id, item), work.now)?;
    audit::record(work.db, &member.workspace, &member.person.id, (action, id), work.now)
}

/// Claims a conversation: compare and set.
pub fn claim(
    work: &WriteContext<'_>,
    member: &Member,
    id: &str,
    asked: &ClaimRequest,
) -> Result<Reply, ApiError> {
    check_subject(work.db, &member.workspace, id)?;
    let taker = match &asked.person {
        Some(named) => find_taker(work.db, &member.workspace, named.as_str())?.id,
        None => member.person.id.clone(),
    };
    set_claim(work, member, id, asked, Some(&taker))
}

/// Releases a conversation: compare and set.
pub fn release(
    work: &WriteContext<'_>,
    member: &Member,
    id: &str,
    asked: &ClaimRequest,
) -> Result<Reply, ApiError> {
    check_subject(work.db, &member.workspace, id)?;
    set_claim(work, member, id, asked, None)
}

fn set_claim(
    work: &WriteContext<'_>,
    member: &Member,
    id: &str,
    asked: &ClaimRequest,
    taker: Option<&str>,
) -> Result<Reply, ApiError> {
    let row = stored::read_or_insert(work.db, &member.workspace, id, work.now)?;
    if row.person.as_deref() == taker {
        return reply(work.db, &member.workspace, id, work.now);
    }
    if let Some(refused) = refuse_claim(work, member, &row, asked)? {
        return Ok(refused);
    }
    let assigned_by = taker.filter(|taker| *taker != member.person.id).map(|_| member.person.id.as_str());
    stored::set_claim(work.db, id, (taker, assigned_by), work.stamp())?;
    if let Some(taker) = taker {
        team_work::record_taken(work, &member.workspace, taker, id)?;
    }
    let action = match taker {
        None => "release",
        Some(taker) if *taker == member.person.id => "claim",
        Some(_) => "assign",
    };
    record(work, member, ChangeKind::Claim, (id, ""), action)?;
    reply(work.db, &member.workspace, id, work.now)
}

fn find_taker(db: &dyn DbSession, workspace: &str, named: &str) -> Result<Person, ApiError> {
    let absent = || FieldError::new("person", "names nobody of this team");
    let person = people::find(db, workspace, named)?.ok_or_else(absent)?;
    match person.role {
        Role::Viewer => Err(FieldError::new("person", "is a viewer, who claims nothing").into()),
        Role::Agent | Role::Lead => Ok(person),
    }
}

/// Returns the refusal of a change of a claim, if it has to be refused.
///
/// # Errors
/// `FORBIDDEN` if the change is forced by a person who may not do so.
fn refuse_claim(
    work: &WriteContext<'_>,
    member: &Member,
    row: &TeamConversation,
    asked: &ClaimRequest,
) -> Result<Option<Reply>, ApiError> {
    if asked.version.is_some_and(|version| version != row.version) {
        return claimed_reply(row, "has changed since it was read").map(Some);
    }
    let Some(owner) = row.person.as_deref().filter(|owner| *owner != member.person.id) else {
        return Ok(None);
    };
    // An assignment can be undone by its author until the next claim.
    if row.assigned_by.as_deref() == Some(member.person.id.as_str()) {
        return Ok(None);
    }
    if asked.force != Some(true) {
        return claimed_reply(row, "belongs to somebody else").map(Some);
    }
    let owner = people::find(work.db, &member.workspace, owner)?;
    let is_away = owner.is_none_or(|owner| work.now.since(owner.seen_at) >= AWAY_AFTER);
    if is_away || member.person.role == Role::Lead {
        return Ok(None);
    }
    let words = format!(
        "{} has this conversation and was here less than 30 minutes ago; ask them to release it, or a lead to take it over",
        row.name.as_deref().unwrap_or("somebody")
    );
    Err(ApiError::new(ErrorCode::Forbidden, words))
}

fn claimed_reply(row: &TeamConversation, problem: &str) -> Result<Reply, ApiError> {
    let owner = row.name.as_deref().map_or("nobody has it now".to_owned(), |name| format!("{name} has it"));
    let message = format!("the claim of this conversation {problem}: {owner}; read it again and decide");
    let code = ErrorCode::Claimed;
    let claim = claim_body(row);
    Reply::with_status(code.status(), &ClaimedError { code: code.word().to_owned(), message, claim })
}

/// Releases a conversation that is closed. The actor is the person or key that closes it.
pub fn release_closed(work: &WriteContext<'_>, caller: &Caller, id: &str) -> Result<(), DatabaseError> {
    let Some(row) = stored::read(work.db, id)?.filter(|row| row.person.is_some()) else { return Ok(()) };
    stored::set_claim(work.db, &row.id, (None, None), work.stamp())?;
    changes::log(work.db, &caller.workspace, ChangeKind::Claim, (id, ""), work.now)?;
    audit::record_request(work, caller, ("release", id))
}

/// Replaces the tags, unless they were changed later than this change was made.
pub fn set_tags(
    work: &WriteContext<'_>,
    member: &Member,
    id: &str,
    (tags, at): (&[String], Option<Timestamp>),
) -> Result<Reply, ApiError> {
    check_subject(work.db, &member.workspace, id)?;
    let row = stored::read_or_insert(work.db, &member.workspace, id, work.now)?;
    let at = at.unwrap_or(work.now).min(work.now);
    if at >= row.tagged_at && tags != row.tags {
        stored::set_tags(work.db, id, tags, (at, work.stamp()))?;
        record(work, member, ChangeKind::Tag, (id, ""), "tags")?;
    }
    reply(work.db, &member.workspace, id, work.now)
}

/// A checked [`SetSnooze`].
pub struct Snooze {
    pub until: Option<Timestamp>,
    pub note: Option<String>,
    pub at: Option<Timestamp>,
}

impl Snooze {
    pub fn of(asked: SetSnooze) -> Result<Self, FieldError> {
        let note = asked.note.map(Filled::into_string).filter(|_| asked.until.is_some());
        Ok(Self { until: read_time("until", asked.until)?, note, at: read_time("at", asked.at)? })
    }
}

pub fn read_time<const MAX: usize>(
    name: &str,
    asked: Option<Filled<MAX>>,
) -> Result<Option<Timestamp>, FieldError> {
    let Some(asked) = asked else { return Ok(None) };
    let problem = || FieldError::new(name, "must be a time such as 2026-11-20T09:17:04Z");
    Timestamp::parse(asked.as_str()).ok_or_else(problem).map(Some)
}

/// Replaces the snooze, unless it was changed later than this change was made.
pub fn set_snooze(
    work: &WriteContext<'_>,
    member: &Member,
    id: &str,
    asked: &Snooze,
) -> Result<Reply, ApiError> {
    check_subject(work.db, &member.workspace, id)?;
    let row = stored::read_or_insert(work.db, &member.workspace, id, work.now)?;
    let at = asked.at.unwrap_or(work.now).min(work.now);
    let is_same = asked.until == row.snoozed_until && asked.note == row.snooze_note;
    if at >= row.snooze_set_at && !is_same {
        let snooze = (asked.until, asked.note.as_deref());
        stored::set_snooze(work.db, id, snooze, (at, work.stamp()))?;
        record(work, member, ChangeKind::Snooze, (id, ""), "snooze")?;
    }
    reply(work.db, &member.workspace, id, work.now)
}
