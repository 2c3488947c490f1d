//! Changes that the assistant proposes and a person decides about.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};

use crate::model::time::Timestamp;
use crate::service::database::DatabaseError;

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

const COLUMNS: &str =
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
        row.created_at.micros(),
    ])?;
    Ok(())
}

/// The proposals of a conversation that nobody has decided about, oldest first.
pub fn open_of(db: &Connection, conversation: &str) -> Result<Vec<ProposalRow>, DatabaseError> {
    let sql = format!("{COLUMNS} WHERE conversation = ?1 AND state = 'proposed' ORDER BY created_at, id");
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map([conversation], map)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// All proposals, newest first.
pub fn list(db: &Connection) -> Result<Vec<ProposalRow>, DatabaseError> {
    let mut statement = db.prepare_cached(&format!("{COLUMNS} ORDER BY created_at DESC, id DESC"))?;
    let rows = statement.query_map([], map)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The proposal of an id.
pub fn read(db: &Connection, id: &str) -> Result<Option<ProposalRow>, DatabaseError> {
    let mut statement = db.prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?;
    Ok(statement.query_row([id], map).optional()?)
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

fn map(row: &Row<'_>) -> rusqlite::Result<ProposalRow> {
    let (answers, state): (String, String) = (row.get("answers")?, row.get("state")?);
    let answers: Map<String, Value> = serde_json::from_str(&answers).unwrap_or_default();
    let text = |it: Value| it.as_str().unwrap_or_default().to_owned();
    Ok(ProposalRow {
        id: row.get("id")?,
        conversation: row.get("conversation")?,
        connection: row.get("connection")?,
        endpoint: row.get("endpoint")?,
        answers: answers.into_iter().map(|(name, value)| (name, text(value))).collect(),
        state: State::ALL.into_iter().find(|it| it.word() == state).unwrap_or(State::Begun),
        outcome: row.get("outcome")?,
        created_at: Timestamp::from_micros(row.get("created_at")?),
    })
}
