//! Private notes with mentions.

use crate::auth::Member;
use crate::database::team::changes::ChangeKind;
use crate::database::team::conversations as stored;
use crate::database::team::notes::{self, NoteRow};
use crate::database::team::people::{self, Person};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::team::conversations::{build_note_body, check_subject, record};
use crate::write::WriteContext;
use api::errors::ErrorCode;
use api::team::{NewNote, Role, SharedDeleted};
use model::time::SECOND;

/// Maximum number of notes that a person writes in a second.
const MAX_NOTES_PER_SECOND: i64 = 5;
/// Maximum number of notes of a conversation, deleted ones included.
const MAX_NOTES: i64 = 1000;

/// Adds a note. A repeat with the same id and text changes nothing.
pub fn add(work: &WriteContext<'_>, member: &Member, id: &str, asked: &NewNote) -> Result<Reply, ApiError> {
    check_subject(work.db, &member.workspace, id)?;
    stored::read_or_insert(work.db, &member.workspace, id, work.now)?;
    let (note, text) = (asked.id.as_str(), asked.text.as_str());
    if let Some(known) = notes::find(work.db, id, note)? {
        if known.person == member.person.id
            && (known.deleted || known.text == text || known.edited_at.is_some())
        {
            return Reply::ok(&build_note_body(work.db, known)?);
        }
        let words = "another note of this conversation has this id; use a new one";
        return Err(ApiError::new(ErrorCode::IdempotencyConflict, words));
    }
    if notes::count_since(work.db, &member.person.id, work.now.plus(-SECOND))? >= MAX_NOTES_PER_SECOND {
        let words =
            format!("a person can write at most {MAX_NOTES_PER_SECOND} notes a second; try again in 1 s");
        return Err(ApiError::new(ErrorCode::RateLimitExceeded, words).retry_after(1));
    }
    if notes::count(work.db, id)? >= MAX_NOTES {
        return Err(ApiError::validation(format!(
            "this conversation has {MAX_NOTES} notes, which is the maximum; delete one first"
        )));
    }
    let mentions = find_mentions(text, &people::list(work.db, &member.workspace)?);
    notes::insert(work.db, id, (note, &member.person.id), (text, &mentions), work.stamp())?;
    stored::set_changed(work.db, id, work.stamp())?;
    record(work, member, ChangeKind::Note, (id, note), "note")?;
    answer(work, id, note, 201)
}

/// Changes the text of one's own note.
pub fn edit(
    work: &WriteContext<'_>,
    member: &Member,
    (id, note): (&str, &str),
    text: &str,
) -> Result<Reply, ApiError> {
    check_subject(work.db, &member.workspace, id)?;
    let known = find(work, id, note)?;
    if known.person != member.person.id {
        return Err(not_own_error(&known, "change"));
    }
    if known.text != text {
        let mentions = find_mentions(text, &people::list(work.db, &member.workspace)?);
        notes::edit(work.db, (id, note), (text, &mentions), work.now)?;
        stored::set_changed(work.db, id, work.stamp())?;
        record(work, member, ChangeKind::Note, (id, note), "note edit")?;
    }
    answer(work, id, note, 200)
}

/// Deletes one's own note; a lead deletes any.
pub fn delete(work: &WriteContext<'_>, member: &Member, id: &str, note: &str) -> Result<Reply, ApiError> {
    check_subject(work.db, &member.workspace, id)?;
    let known = find(work, id, note)?;
    if known.person != member.person.id && member.person.role != Role::Lead {
        return Err(not_own_error(&known, "delete"));
    }
    notes::delete(work.db, id, note, work.now)?;
    stored::set_changed(work.db, id, work.stamp())?;
    record(work, member, ChangeKind::Note, (id, note), "note delete")?;
    Reply::ok(&SharedDeleted { success: true, deleted: note.to_owned() })
}

fn find(work: &WriteContext<'_>, id: &str, note: &str) -> Result<NoteRow, ApiError> {
    let found = notes::find(work.db, id, note)?.filter(|known| !known.deleted);
    found.ok_or_else(|| ApiError::not_found("this note"))
}

fn answer(work: &WriteContext<'_>, id: &str, note: &str, status: u16) -> Result<Reply, ApiError> {
    let row = notes::find(work.db, id, note)?.ok_or_else(|| ApiError::not_found("this note"))?;
    Reply::with_status(status, &build_note_body(work.db, row)?)
}

fn not_own_error(note: &NoteRow, what: &str) -> ApiError {
    let words = format!("{} wrote this note; only they can {what} it", note.name);
    ApiError::new(ErrorCode::Forbidden, words)
}

/// Returns the ids of the people named with `@name`, each once. Of two names that fit, the longer one counts.
fn find_mentions(text: &str, people: &[Person]) -> Vec<String> {
    let folded = text.to_lowercase();
    let mut names: Vec<(String, &Person)> =
        people.iter().map(|person| (person.name.to_lowercase(), person)).collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let mut mentions: Vec<String> = Vec::new();
    for (place, _) in folded.match_indices('@') {
        let rest = &folded[place + 1..];
        let is_named =
            |name: &str| rest.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        if let Some((_, person)) = names.iter().find(|(name, _)| is_named(name))
            && !mentions.contains(&person.id)
        {
            mentions.push(person.id.clone());
        }
    }
    mentions
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::Timestamp;

    #[test]
    fn longest_name_behind_an_at_is_mentioned_once() {
        let person = |name: &str| Person {
            id: name.to_owned(),
            name: name.to_owned(),
            role: Role::Agent,
            seen_at: Timestamp::default(),
        };
        let people = ["Ana", "Ana Ruiz", "Ben"].map(person);
        let cases: [(&str, &[&str]); 7] = [
            ("@Ana look", &["Ana"]),
            ("@ANA RUIZ, @ben!", &["Ana Ruiz", "Ben"]),
            ("@Ana and @ana", &["Ana"]),
            ("@Anabel", &[]),
            ("Ana", &[]),
            ("mail ben@ben", &["Ben"]),
            ("@", &[]),
        ];
        for (text, names) in cases {
            assert_eq!(find_mentions(text, &people), names, "{text}");
        }
    }
}
