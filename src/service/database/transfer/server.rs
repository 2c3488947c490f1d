//! Side of a transfer that is a database on a server.

use std::ops::ControlFlow;

use crate::database::place::ServerUrl;
use crate::database::postgres::{Link, ServerAddress, WritingSession, schema};
use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use crate::database::transfer::note::{self, TransferMarker};
use crate::database::transfer::tables::{self, TransferTable};
use crate::database::transfer::{RowVisit, TransferSide};
use crate::database::{DatabaseError, erasing, processes};

const ROWS_PER_READ: usize = 1_024;
/// No timeouts for the transfer itself; waits only briefly for locks.
const NO_TIMEOUTS: &str = "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0; \
                      SET LOCAL lock_timeout = '5s'";
/// Blocks all other writes before the snapshot is taken.
const LOCK_WRITERS: &str = "LOCK TABLE commit_order, workspaces IN EXCLUSIVE MODE";

/// A database, locked against writers, in a transaction.
pub struct ServerSide {
    session: WritingSession,
}

/// Reads the transfer marker of a database, which may be in use.
pub fn read_transfer_marker(url: &ServerUrl) -> Result<Option<TransferMarker>, DatabaseError> {
    let session = connect(url)?;
    schema::check_ours(&session.link)?;
    note::read(&session)
}

fn connect(url: &ServerUrl) -> Result<WritingSession, DatabaseError> {
    let link = Link::for_long_jobs(&ServerAddress::parse(url)?)?;
    link.connect()?;
    Ok(WritingSession::new(link))
}

impl ServerSide {
    pub fn source(url: &ServerUrl) -> Result<Self, DatabaseError> {
        let session = connect(url)?;
        schema::check_ours(&session.link)?;
        session.link.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ")?;
        session.link.batch_execute(NO_TIMEOUTS)?;
        session.link.batch_execute(LOCK_WRITERS)?;
        Self::check_unserved(session)
    }

    /// Opens a snapshot of a database, which may be in use.
    pub fn snapshot(url: &ServerUrl) -> Result<Self, DatabaseError> {
        let session = connect(url)?;
        schema::check_served(&session.link)?;
        session.link.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        session.link.batch_execute(NO_TIMEOUTS)?;
        Ok(Self { session })
    }

    /// Creates the tables of the target; refuses a database that holds data.
    pub fn target(url: &ServerUrl) -> Result<Self, DatabaseError> {
        let session = connect(url)?;
        session.link.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED")?;
        session.link.batch_execute(NO_TIMEOUTS)?;
        schema::migrate_in_transaction(&session.link)?;
        session.link.batch_execute(LOCK_WRITERS)?;
        let this = Self::check_unserved(session)?;
        let is_used: bool = this.session().fetch_scalar("SELECT EXISTS (SELECT 1 FROM workspaces)", &[])?;
        if is_used && note::read(this.session())?.is_none() {
            return Err(DatabaseError::Occupied(url.to_string()));
        }
        Ok(this)
    }

    /// Refuses a database that a process serves. None can start serving it afterwards.
    fn check_unserved(session: WritingSession) -> Result<Self, DatabaseError> {
        let this = Self { session };
        processes::find_live(this.session())?.map_or(Ok(this), |process| Err(DatabaseError::Served(process)))
    }
}

impl TransferSide for ServerSide {
    fn session(&self) -> &dyn DbSession {
        &self.session
    }

    fn tables(&self) -> Result<Vec<TransferTable>, DatabaseError> {
        tables::server_tables(&self.session)
    }

    fn visit_rows(&self, table: &TransferTable, visit: &mut RowVisit<'_>) -> Result<(), DatabaseError> {
        self.session.flush()?;
        let cursor = format!("\"each of {}\"", table.name);
        self.session
            .link
            .batch_execute(&format!("DECLARE {cursor} NO SCROLL CURSOR FOR {}", table.select()))?;
        loop {
            let mut count = 0;
            self.session.rows(&format!("FETCH {ROWS_PER_READ} FROM {cursor}"), &[], &mut |row| {
                count += 1;
                visit(&row.values()?)?;
                Ok(ControlFlow::Continue(()))
            })?;
            if count < ROWS_PER_READ {
                return self.session.link.batch_execute(&format!("CLOSE {cursor}"));
            }
        }
    }

    fn clear(&self, tables: &[TransferTable]) -> Result<(), DatabaseError> {
        let names: Vec<_> = tables
            .iter()
            .filter(|table| table.name != "meta")
            .map(|table| format!("\"{}\"", table.name))
            .collect();
        self.session.link.batch_execute(&format!("TRUNCATE {}, media_parts", names.join(", ")))?;
        self.session
            .change("DELETE FROM meta WHERE name NOT IN ('format', ?1)", bound![note::META_NAME])
            .map(drop)
    }

    fn restore_indexes(&self) -> Result<(), DatabaseError> {
        Ok(())
    }

    fn read_media(&self, id: &str, visit: &mut dyn FnMut(&[u8])) -> Result<bool, DatabaseError> {
        let mut number = 0;
        while let Some(part) = crate::database::media::read_part(&self.session, id, number)? {
            visit(&part);
            number += 1;
        }
        Ok(number > 0)
    }

    fn write_media(&self, id: &str, parts: &[Vec<u8>]) -> Result<(), DatabaseError> {
        crate::database::media::insert_bytes(&self.session, id, &parts.concat())
    }

    /// Every transaction of a service checks the format after it has locked its row.
    fn set_serveable(&self, is_serveable: bool) -> Result<(), DatabaseError> {
        let format = if is_serveable { schema::FORMAT_VERSION } else { schema::MOVED_FORMAT };
        self.session.change_later("UPDATE commit_order SET format = ?1", bound![format])
    }

    fn commit(&self) -> Result<(), DatabaseError> {
        self.advance_sequences()?;
        self.session.flush()?;
        self.session.link.batch_execute("COMMIT").map_err(|cause| match cause {
            DatabaseError::Lost => DatabaseError::Unknown,
            other => other,
        })
    }
}

impl ServerSide {
    /// Moves the sequences past the copied rows.
    fn advance_sequences(&self) -> Result<(), DatabaseError> {
        self.session.flush()?;
        let sql = "SELECT CAST(table_name AS TEXT) AS name FROM information_schema.columns
                   WHERE table_schema = current_schema() AND is_identity = 'YES' AND column_name = 'seq'";
        let tables: Vec<String> = self.session().fetch_all(sql, &[], single_cell)?;
        for table in tables.into_iter().filter(|table| erasing::is_own_table(table)) {
            let sql = format!(
                "SELECT setval(pg_get_serial_sequence('{table}', 'seq'), greatest((SELECT max(seq) FROM {table}), 1))"
            );
            self.session().fetch_scalar::<i64>(&sql, &[])?;
        }
        Ok(())
    }
}
