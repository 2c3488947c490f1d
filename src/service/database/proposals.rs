//! Changes that the assistant proposes and a person decides about.

use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use crate::database::DatabaseError;
use model::time::Timestamp;
use sqlite::{Queries, Row, read_row};

/// How far a proposal has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nobody has decided.
    Proposed,
    /// A person carried it out; no answer is known that says it is done.
    Begun,
    /// It is done.
    Done,
    /// A person dropped it.
    Dropped,
}

impl State {
    const ALL: [Self; 4] = [Self::Proposed, Self::Begun, Self::Done, Self::Dropped];

    /// The word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Dropped => "dropped",
        }
    }
}

/// One proposed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRow {
    /// Its id, and the idempotency key of its call.
    pub id: String,
    /// The conversation it came from.
    pub conversation: String,
    /// The connection.
    pub connection: String,
    /// The endpoint.
    pub endpoint: String,
    /// What the assistant filled in.
    pub answers: Vec<(String, String)>,
    /// How far it has come.
    pub state: State,
    /// What became of the last attempt.
    pub outcome: Option<String>,
    /// When it was proposed.
    pub created_at: Timestamp,
}

const SELECT: &str =
    "SELECT id, conversation, connection, endpoint, answers, state, outcome, created_at FROM proposals";

/// Keeps a proposal; one of the same id stays as it is.
pub fn insert(db: &Connection, row: &ProposalRow) -> Result<(), DatabaseError> {
    let answers: Map<String, Value> =
        row.answers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let sql = "INSERT OR IGNORE INTO proposals
        (id, conversation, connection, endpoint, answers, state, outcome, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    db.prepare_cached(sql)?.execute(params![
        row.id,
        row.conversation,
        row.connection,
        row.endpoint,
        Value::Object(answers).to_string(),
        row.state.word(),
        row.outcome,
        row.created_at
    ])?;
    Ok(())
}

/// The proposals of a conversation that nobody has decided about, oldest first.
pub fn open_of(db: &Connection, conversation: &str) -> Result<Vec<ProposalRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE conversation = ?1 AND state = 'proposed' ORDER BY created_at, id");
    Ok(db.all(&sql, [conversation], from_row)?)
}

/// All proposals, newest first.
pub fn list(db: &Connection) -> Result<Vec<ProposalRow>, DatabaseError> {
    Ok(db.all(&format!("{SELECT} ORDER BY created_at DESC, id DESC"), [], from_row)?)
}

/// The proposal of an id.
pub fn read(db: &Connection, id: &str) -> Result<Option<ProposalRow>, DatabaseError> {
    Ok(db.first(&format!("{SELECT} WHERE id = ?1"), [id], from_row)?)
}

/// Notes how far a proposal has come.
pub fn set_state(
    db: &Connection,
    id: &str,
    state: State,
    outcome: Option<&str>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE proposals SET state = ?2, outcome = ?3 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, state.word(), outcome])?;
    Ok(())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ProposalRow> {
    let answers: Map<String, Value> = row.json("answers")?;
    let text = |it: Value| it.as_str().unwrap_or_default().to_owned();
    let state = |word: &str| State::ALL.into_iter().find(|it| it.word() == word).unwrap_or(State::Begun);
    Ok(read_row!(row, ProposalRow {
        id, conversation, connection, endpoint, outcome, created_at;
        answers: answers.into_iter().map(|(name, value)| (name, text(value))).collect(),
        state: row.word("state", state)?
    }))
}
