//! Changes proposed by the assistant, for a person to decide.

use serde_json::{Map, Value};

use crate::database::DatabaseError;
use crate::database::rows::{DbRow, bound};
use crate::database::session::DbSession;
use model::time::Timestamp;
use sqlite::read_row;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalState {
    Proposed,
    /// A person started it; its success is not confirmed.
    Begun,
    Done,
    Dropped,
}

impl ProposalState {
    const ALL: [Self; 4] = [Self::Proposed, Self::Begun, Self::Done, Self::Dropped];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Dropped => "dropped",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRow {
    /// Also the idempotency key of its call.
    pub id: String,
    pub conversation: String,
    pub connection: String,
    pub endpoint: String,
    /// Parameters filled in by the assistant.
    pub answers: Vec<(String, String)>,
    pub state: ProposalState,
    pub outcome: Option<String>,
    pub created_at: Timestamp,
}

const SELECT: &str =
    "SELECT id, conversation, connection, endpoint, answers, state, outcome, created_at FROM proposals";

/// Inserts a proposal; an existing one with its id stays unchanged.
pub fn insert(db: &dyn DbSession, row: &ProposalRow) -> Result<(), DatabaseError> {
    let answers: Map<String, Value> =
        row.answers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let sql = "INSERT INTO proposals
        (id, conversation, connection, endpoint, answers, state, outcome, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING";
    db.change_later(
        sql,
        bound![
            row.id,
            row.conversation,
            row.connection,
            row.endpoint,
            Value::Object(answers).to_string(),
            row.state.word(),
            row.outcome,
            row.created_at
        ],
    )
}

pub fn list_open(db: &dyn DbSession, conversation: &str) -> Result<Vec<ProposalRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE conversation = ?1 AND state = 'proposed' ORDER BY created_at, id");
    db.fetch_all(&sql, bound![conversation], from_row)
}

pub fn list(db: &dyn DbSession) -> Result<Vec<ProposalRow>, DatabaseError> {
    db.fetch_all(&format!("{SELECT} ORDER BY created_at DESC, id DESC"), &[], from_row)
}

pub fn read(db: &dyn DbSession, id: &str) -> Result<Option<ProposalRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

pub fn set_state(
    db: &dyn DbSession,
    id: &str,
    state: ProposalState,
    outcome: Option<&str>,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE proposals SET state = ?2, outcome = ?3 WHERE id = ?1";
    db.change_later(sql, bound![id, state.word(), outcome])
}

fn from_row(row: &DbRow<'_>) -> Result<ProposalRow, DatabaseError> {
    let answers: Map<String, Value> = row.json("answers")?;
    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let state = |word: &str| {
        ProposalState::ALL.into_iter().find(|entry| entry.word() == word).unwrap_or(ProposalState::Begun)
    };
    Ok(read_row!(row, ProposalRow {
        id, conversation, connection, endpoint, outcome, created_at;
        answers: answers.into_iter().map(|(name, value)| (name, text(value))).collect(),
        state: row.parse_word("state", state)?
    }))
}
