//! Connection to a server: made on demand, made again when lost, with its statements kept prepared.
//!
//! Each has a small runtime of its own, driven by the owning thread while it waits. Nothing of it
//! runs in between.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::join_all;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, CancelToken, Client, Connection, Row, Statement};

use crate::database::DatabaseError;
use crate::database::postgres::address::ServerAddress;
use crate::database::postgres::values::{BoundValue, OwnedSqlValue};
use crate::database::rows::SqlValue;
use crate::database::session::Obstacle;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
const READ_TIMEOUT: Duration = Duration::from_secs(5);
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);
/// Time limit for statements that process all rows: migrations and transfers.
const LONG_ANSWER_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// Yields to the runtime in which a closed connection is noticed.
const CLOSE_CHECK_TURNS: usize = 3;
/// Maximum number of prepared statements; only generated SQL would exceed it.
const MAX_PREPARED_STATEMENTS: usize = 400;

/// Marks a query over rows of any workspace: rows locked by another transaction are skipped. SQLite
/// ignores it.
const SKIP_LOCKED_MARK: &str = "/* skip locked */";

pub struct PreparedChange {
    statement: Statement,
    values: Vec<OwnedSqlValue>,
}

pub struct Link {
    runtime: Runtime,
    address: ServerAddress,
    answer_timeout: Duration,
    /// True if only queries run on it, so that one can be abandoned.
    only_reads: bool,
    obstacle: Cell<Option<Obstacle>>,
    open: RefCell<Option<OpenLink>>,
}

struct OpenLink {
    client: Client,
    cancel: CancelToken,
    prepared: HashMap<String, Statement>,
}

impl Link {
    /// Creates a link that is not connected yet.
    ///
    /// No setting may outlive a transaction: behind a pooler, the next user of the server's
    /// connection would inherit it.
    pub fn new(address: &ServerAddress) -> Result<Self, DatabaseError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (address, open) = (address.clone(), RefCell::default());
        let obstacle = Cell::default();
        Ok(Self { runtime, address, answer_timeout: ANSWER_TIMEOUT, only_reads: false, obstacle, open })
    }

    /// Link for queries only: one that takes too long is cancelled on the server.
    pub fn for_reading(address: &ServerAddress) -> Result<Self, DatabaseError> {
        Ok(Self { answer_timeout: READ_TIMEOUT, only_reads: true, ..Self::new(address)? })
    }

    /// Link for statements that take longer than any request may.
    pub fn for_long_jobs(address: &ServerAddress) -> Result<Self, DatabaseError> {
        Ok(Self { answer_timeout: LONG_ANSWER_TIMEOUT, ..Self::new(address)? })
    }

    pub fn connect(&self) -> Result<(), DatabaseError> {
        if self.is_open() {
            return Ok(());
        }
        let client = self.runtime.block_on(self.address.connect(None))?;
        let cancel = client.cancel_token();
        *self.open.borrow_mut() = Some(OpenLink { client, cancel, prepared: HashMap::new() });
        Ok(())
    }

    pub fn is_open(&self) -> bool {
        // The end of a connection is only noticed while the runtime runs.
        self.runtime.block_on(async {
            for _ in 0..CLOSE_CHECK_TURNS {
                tokio::task::yield_now().await;
            }
        });
        self.open.borrow().as_ref().is_some_and(|open_link| !open_link.client.is_closed())
    }

    pub fn take_obstacle(&self) -> Option<Obstacle> {
        self.obstacle.take()
    }

    /// Ends the connection; statements without an answer have an unknown outcome.
    pub fn disconnect(&self) {
        *self.open.borrow_mut() = None;
    }

    pub fn batch_execute(&self, sql: &str) -> Result<(), DatabaseError> {
        let open = self.open.borrow();
        let open = open.as_ref().ok_or(DatabaseError::Lost)?;
        self.wait_for_answer(open, open.client.batch_execute(sql))
    }

    /// Prepares a change to be sent with others.
    pub fn prepare_change(&self, sql: &str, bound: &[SqlValue<'_>]) -> Result<PreparedChange, DatabaseError> {
        let values = bound.iter().map(OwnedSqlValue::of).collect();
        Ok(PreparedChange { statement: self.prepare(sql)?, values })
    }

    /// Sends all changes and then a query at once, and waits once; returns the rows of the query.
    pub fn send(
        &self,
        lines: &[PreparedChange],
        question: Option<(&str, &[SqlValue<'_>])>,
    ) -> Result<Vec<Row>, DatabaseError> {
        let question = question.map(|(sql, bound)| Ok::<_, DatabaseError>((self.prepare(sql)?, bound)));
        let question = question.transpose()?;
        let open = self.open.borrow();
        let open = open.as_ref().ok_or(DatabaseError::Lost)?;
        self.wait_for_answer(open, async {
            let client = &open.client;
            let run = |line| execute(client, line);
            let asked = async {
                let Some((statement, bound)) = &question else { return Ok(Vec::new()) };
                let rows =
                    client.query_raw(statement, bound.iter().map(|sql_value| BoundValue(*sql_value))).await?;
                rows.try_collect().await
            };
            // Sent in this order, since each is sent when it is first polled.
            let (done, rows) = futures_util::future::join(join_all(lines.iter().map(run)), asked).await;
            done.into_iter().find_map(Result::err).map_or(rows, Err)
        })
    }

    /// Sends all changes at once and waits once; returns the rows affected by the last.
    pub fn execute_all(&self, lines: &[PreparedChange]) -> Result<u64, DatabaseError> {
        let open = self.open.borrow();
        let open = open.as_ref().ok_or(DatabaseError::Lost)?;
        self.wait_for_answer(open, async {
            let done = join_all(lines.iter().map(|line| execute(&open.client, line))).await;
            done.into_iter().try_fold(0, |_, result| result)
        })
    }

    fn prepare(&self, sql: &str) -> Result<Statement, DatabaseError> {
        let mut open = self.open.borrow_mut();
        let open = open.as_mut().ok_or(DatabaseError::Lost)?;
        if let Some(known) = open.prepared.get(sql) {
            return Ok(known.clone());
        }
        let text = number_parameters(sql);
        let statement = self.wait_for_answer(open, open.client.prepare(&text))?;
        if open.prepared.len() >= MAX_PREPARED_STATEMENTS {
            open.prepared.clear();
        }
        open.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Waits for an answer; cancels the statement on timeout, because a server session that waits
    /// for a lock does not notice that the client has gone.
    fn wait_for_answer<T>(
        &self,
        open: &OpenLink,
        asked: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, DatabaseError> {
        let answered =
            self.runtime.block_on(async { tokio::time::timeout(self.answer_timeout, asked).await });
        match answered {
            Ok(answer) => answer.map_err(|cause| {
                let told = database_error(&cause);
                match told {
                    DatabaseError::Full(_) => self.obstacle.set(Some(Obstacle::FullDisk)),
                    DatabaseError::Locked => self.obstacle.set(Some(Obstacle::ForeignLock)),
                    _ => {}
                }
                told
            }),
            Err(_) => {
                let cancelled = self.address.cancel(&open.cancel);
                // If the server is unreachable, the operating system ends the connection eventually.
                let _ =
                    self.runtime.block_on(async { tokio::time::timeout(CANCEL_TIMEOUT, cancelled).await });
                Err(if self.only_reads { DatabaseError::Slow } else { DatabaseError::Lost })
            }
        }
    }
}

async fn execute(client: &Client, line: &PreparedChange) -> Result<u64, tokio_postgres::Error> {
    client.execute_raw(&line.statement, line.values.iter().map(|value| BoundValue(value.as_value()))).await
}

pub async fn drive<S, T>(mut connection: Connection<S, T>, heard: Option<mpsc::Sender<()>>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let (AsyncMessage::Notification(_), Some(heard)) = (message, &heard) {
            // One pending notification covers all later ones.
            let _ = heard.try_send(());
        }
    }
}

/// Converts an error: refused by the server, or the connection is lost.
pub fn database_error(cause: &tokio_postgres::Error) -> DatabaseError {
    let gone = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::CANNOT_CONNECT_NOW];
    // Each connection prepares under its own names and uses no others, so a pooler lost them.
    let unprepared = [SqlState::INVALID_SQL_STATEMENT_NAME, SqlState::DUPLICATE_PSTATEMENT];
    // Another transaction held a lock for too long.
    let waited = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
    match cause.code() {
        Some(code) if unprepared.contains(code) => {
            DatabaseError::Pooled("the address of the database".to_owned())
        }
        Some(code) if waited.contains(code) => {
            tracing::warn!(cause = describe_causes(cause), "the database server closed the connection");
            DatabaseError::Busy
        }
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => DatabaseError::Locked,
        Some(code) if *code == SqlState::QUERY_CANCELED => DatabaseError::Slow,
        Some(code) if *code == SqlState::DISK_FULL => DatabaseError::Full(describe_causes(cause)),
        Some(code) if !gone.contains(code) => DatabaseError::Sql(describe_causes(cause)),
        None if !cause.is_closed()
            && std::error::Error::source(cause).is_none_or(|error| !error.is::<std::io::Error>()) =>
        {
            DatabaseError::Sql(describe_causes(cause))
        }
        _ => DatabaseError::Lost,
    }
}

pub fn describe_causes(cause: &tokio_postgres::Error) -> String {
    let mut said = cause.to_string();
    let mut next = std::error::Error::source(cause);
    while let Some(cause) = next {
        said.push_str(": ");
        said.push_str(&cause.to_string());
        next = cause.source();
    }
    said
}

/// Converts a query to the server's syntax: numbered parameters, and `SKIP LOCKED` where marked. No
/// query has a question mark in a string.
fn number_parameters(sql: &str) -> String {
    let sql = sql.replace(SKIP_LOCKED_MARK, "FOR UPDATE SKIP LOCKED");
    let mut parts = sql.split('?');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (number, part) in (1..).zip(parts) {
        text.push('$');
        if !part.starts_with(|part: char| part.is_ascii_digit()) {
            text.push_str(&number.to_string());
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered() {
        for (text, sent) in [
            ("SELECT 1", "SELECT 1"),
            ("a = ?1 AND (b, c) < (?2, ?12)", "a = $1 AND (b, c) < ($2, $12)"),
            ("VALUES (?, ?, ?)", "VALUES ($1, $2, $3)"),
            ("LIMIT ?1 /* skip locked */)", "LIMIT $1 FOR UPDATE SKIP LOCKED)"),
        ] {
            assert_eq!(number_parameters(text), sent);
        }
    }
}
