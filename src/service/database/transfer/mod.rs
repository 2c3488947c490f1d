//! Moves a service's data between a file and a database on a server, or copies it into a file:
//! everything or nothing.
//!
//! | file | content |
//! |---|---|
//! | `mod.rs` | order of the steps |
//! | `digest.rs` | digest of the rows of a table, independent of their order |
//! | `file.rs`, `server.rs` | the two sides |
//! | `media.rs` | uploaded files |
//! | `note.rs` | marker of a database that takes part in a move |
//! | `tables.rs` | tables and columns |
//!
//! Both sides are locked throughout. The target is filled in one transaction, compared with the
//! source, and committed with a marker that keeps it from being served; then the source is marked
//! as moved; then the target's marker is removed. So at most one of the two can be served at any
//! time, and the same command resumes wherever it was interrupted.

mod digest;
mod file;
mod media;
pub mod note;
mod server;
mod tables;

use std::path::Path;

use crate::database::DatabaseError;
use crate::database::place::DatabaseLocation;
use crate::database::postgres;
use crate::database::rows::SqlValue;
use crate::database::session::DbSession;
use digest::TableDigest;
use file::FileSide;
use note::TransferMarker;
use server::ServerSide;
use tables::TransferTable;

type RowVisit<'a> = dyn FnMut(&[SqlValue<'_>]) -> Result<(), DatabaseError> + 'a;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedTable {
    pub name: String,
    pub rows: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transfer {
    /// Tables; empty if an earlier run had moved everything already.
    pub tables: Vec<MovedTable>,
    pub media: u64,
    /// Uploaded files whose bytes were missing at the source.
    pub missing_media: u64,
    pub credits: i64,
}

/// One side of a transfer, locked and in a transaction.
trait TransferSide {
    fn session(&self) -> &dyn DbSession;

    fn tables(&self) -> Result<Vec<TransferTable>, DatabaseError>;

    fn visit_rows(&self, table: &TransferTable, visit: &mut RowVisit<'_>) -> Result<(), DatabaseError>;

    /// Empties the tables. A file drops their indexes until [`restore_indexes`](Self::restore_indexes): to build one
    /// from all rows is much faster than row by row.
    fn clear(&self, tables: &[TransferTable]) -> Result<(), DatabaseError>;

    fn restore_indexes(&self) -> Result<(), DatabaseError>;

    /// Reads an uploaded file in parts; false if it has no bytes.
    fn read_media(&self, id: &str, visit: &mut dyn FnMut(&[u8])) -> Result<bool, DatabaseError>;

    fn write_media(&self, id: &str, parts: &[Vec<u8>]) -> Result<(), DatabaseError>;

    /// Blocks or allows writes of processes that ignore the marker.
    fn set_serveable(&self, is_serveable: bool) -> Result<(), DatabaseError>;

    /// Commits; the next transaction begins on demand.
    fn commit(&self) -> Result<(), DatabaseError>;
}

/// Moves everything from one place to the other. `check` may refuse the source before anything is
/// done; `tell` receives each step.
///
/// # Errors
/// If one side is in use or unsuitable, or the copy differs from the source. The source can still
/// be served then, unless the error says otherwise.
pub fn transfer<E: From<DatabaseError>>(
    from: &DatabaseLocation,
    to: &DatabaseLocation,
    check: impl FnOnce(&dyn DbSession) -> Result<(), E>,
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, E> {
    let source = open_source(from)?;
    match note::read(source.session())? {
        Some(TransferMarker::Moved { id, place }) if place == note::describe_location(to) => {
            tell("all rows had already been moved; the remaining steps are done now");
            return Ok(finish(to, &id).map(|()| Transfer::default())?);
        }
        Some(other) => return Err(other.refusal().into()),
        None => {}
    }
    check(source.session())?;
    let target = open_target(to, &note::describe_location(from))?;
    let moved = copy_all(source.as_ref(), target.as_ref(), tell)?;
    let id = uuid::Uuid::new_v4().simple().to_string();
    let arriving = TransferMarker::Arriving { id: id.clone(), place: note::describe_location(from) };
    note::write(target.session(), &arriving)?;
    target.set_serveable(false)?;
    target.commit()?;
    // From this commit on only the target may be served.
    let left = TransferMarker::Moved { id: id.clone(), place: note::describe_location(to) };
    note::write(source.session(), &left)?;
    source.set_serveable(false)?;
    source.commit()?;
    drop(target);
    finish(to, &id)?;
    if let DatabaseLocation::Server(url) = to {
        tell("vacuuming the tables, so that they are read quickly from the start");
        let vacuumed = postgres::vacuum(url, moved.tables.iter().map(|table| table.name.as_str()));
        // Everything is moved; the server's autovacuum vacuums the tables later.
        drop(vacuumed.inspect_err(|cause| tracing::warn!(%cause, "the tables were not vacuumed")));
    }
    Ok(moved)
}

/// Copies a snapshot of the data into a file while the source may be served; `tell` receives each
/// step.
pub fn back_up(
    from: &DatabaseLocation,
    to: &Path,
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, DatabaseError> {
    let mut target = FileSide::target(to, &note::describe_location(from))?;
    let copied = match from {
        DatabaseLocation::File(path) => copy_file(&FileSide::snapshot(path)?, (&mut target, to), tell)?,
        DatabaseLocation::Server(url) => {
            let copied = copy_all(&ServerSide::snapshot(url)?, &target, tell)?;
            note::remove(target.session())?;
            target.commit()?;
            copied
        }
    };
    target.close_copy(to)?;
    Ok(copied)
}

/// Copies a file page by page, which takes a fraction of the time of copying it row by row. Until all pages are
/// there, the target holds nothing but the marker.
fn copy_file(
    source: &FileSide,
    (target, to): (&mut FileSide, &Path),
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, DatabaseError> {
    // The first read fixes the snapshot.
    let mut copied = Transfer { credits: check_credits(source.session())?, ..Transfer::default() };
    tell("copying uploaded files");
    let files = media::copy(source, &*target, &mut copied)?;
    media::compare(&*target, &files)?;
    tell("copying all tables");
    source.copy_pages_to(target, to)?;
    tell("checking the copy");
    target.check_pages()?;
    if check_credits(target.session())? != copied.credits {
        return Err(DatabaseError::Differs("ledger".to_owned()));
    }
    for table in source.tables()? {
        let sql = format!("SELECT count(*) FROM \"{}\"", table.name);
        let rows: i64 = target.session().fetch_scalar(&sql, &[])?;
        copied.tables.push(MovedTable { name: table.name, rows: u64::try_from(rows).unwrap_or(0) });
    }
    Ok(copied)
}

fn open_source(place: &DatabaseLocation) -> Result<Box<dyn TransferSide>, DatabaseError> {
    Ok(match place {
        DatabaseLocation::File(path) => Box::new(FileSide::source(path)?),
        DatabaseLocation::Server(url) => Box::new(ServerSide::source(url)?),
    })
}

fn open_target(place: &DatabaseLocation, from: &str) -> Result<Box<dyn TransferSide>, DatabaseError> {
    Ok(match place {
        DatabaseLocation::File(path) => Box::new(FileSide::target(path, from)?),
        DatabaseLocation::Server(url) => Box::new(ServerSide::target(url)?),
    })
}

fn copy_all(
    source: &dyn TransferSide,
    target: &dyn TransferSide,
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, DatabaseError> {
    let tables = tables::common_tables(source.tables()?, target.tables()?)?;
    let credits = check_credits(source.session())?;
    target.clear(&tables)?;
    let mut moved = Transfer { credits, ..Transfer::default() };
    let mut sent = Vec::new();
    for table in &tables {
        tell(&format!("copying {}", table.name));
        let insert = table.insert();
        let mut digest = TableDigest::default();
        source.visit_rows(table, &mut |row| {
            digest.add(row);
            target.session().change_later(&insert, row)
        })?;
        moved.tables.push(MovedTable { name: table.name.clone(), rows: digest.rows() });
        sent.push(digest);
    }
    tell("building indexes");
    target.restore_indexes()?;
    tell("copying uploaded files");
    let files = media::copy(source, target, &mut moved)?;
    tell("comparing the copied rows with the original rows");
    for (table, sent) in tables.iter().zip(&sent) {
        let mut arrived = TableDigest::default();
        target.visit_rows(table, &mut |row| {
            arrived.add(row);
            Ok(())
        })?;
        if arrived != *sent {
            return Err(DatabaseError::Differs(table.name.clone()));
        }
    }
    media::compare(target, &files)?;
    if check_credits(target.session())? != credits {
        return Err(DatabaseError::Differs("ledger".to_owned()));
    }
    Ok(moved)
}

/// Allows a target to be served whose source is marked as moved.
fn finish(to: &DatabaseLocation, id: &str) -> Result<(), DatabaseError> {
    let note = match to {
        DatabaseLocation::File(path) => file::read_transfer_marker(path)?,
        DatabaseLocation::Server(url) => server::read_transfer_marker(url)?,
    };
    match note {
        None => return Ok(()),
        Some(TransferMarker::Arriving { id: found, .. }) if found == id => {}
        Some(other) => return Err(other.refusal()),
    }
    let target: Box<dyn TransferSide> = match to {
        DatabaseLocation::File(path) => Box::new(FileSide::open_arrived(path)?),
        DatabaseLocation::Server(url) => Box::new(ServerSide::source(url)?),
    };
    note::remove(target.session())?;
    target.set_serveable(true)?;
    target.commit()
}

/// Returns the credits of all workspaces after checking each balance against the ledger.
fn check_credits(db: &dyn DbSession) -> Result<i64, DatabaseError> {
    let sql = "SELECT id, balance, CAST((SELECT COALESCE(sum(amount), 0) FROM ledger WHERE workspace = workspaces.id)
               AS BIGINT) AS explained FROM workspaces";
    let balances: Vec<(String, i64, i64)> =
        db.fetch_all(sql, &[], |row| Ok((row.get("id")?, row.get("balance")?, row.get("explained")?)))?;
    match balances.iter().find(|(_, balance, explained)| balance != explained) {
        Some((id, ..)) => Err(DatabaseError::Unexplained(id.clone())),
        None => Ok(balances.iter().map(|balance| balance.1).sum()),
    }
}
