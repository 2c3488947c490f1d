//! Moving a service's data between a file and a database on a server, or copying
//! them into a file: all of it or nothing.
//!
//! | file | knows |
//! |---|---|
//! | `mod.rs` | the order of what is done |
//! | `digest.rs` | what the rows of a table come to, whatever their order |
//! | `file.rs`, `server.rs` | the two sides |
//! | `media.rs` | uploaded files |
//! | `note.rs` | what a database says of a move it is part of |
//! | `tables.rs` | which tables and columns there are |
//!
//! Both sides are locked for as long as it takes. The target is filled in one
//! transaction, compared with the source, and committed with a note that keeps
//! it from being served; then the source is marked as moved; then that note is
//! removed. So at most one of the two can be served at any time, and the same
//! command goes on wherever it was ended.

mod digest;
mod file;
mod media;
pub mod note;
mod server;
mod tables;

use std::path::Path;

use crate::database::DatabaseError;
use crate::database::place::DatabaseLocation;
use crate::database::rows::SqlValue;
use crate::database::session::DbSession;
use digest::TableDigest;
use file::FileSide;
use note::TransferMarker;
use server::ServerSide;
use tables::TransferTable;

/// What a row is shown to.
type RowVisit<'a> = dyn FnMut(&[SqlValue<'_>]) -> Result<(), DatabaseError> + 'a;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedTable {
    pub name: String,
    pub rows: u64,
}

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transfer {
    /// The tables; none where an earlier run had moved everything already.
    pub tables: Vec<MovedTable>,
    pub media: u64,
    /// Uploaded files whose bytes were gone before.
    pub missing_media: u64,
    pub credits: i64,
}

/// One side of a transfer, locked and in a transaction.
trait TransferSide {
    /// What it is asked through.
    fn session(&self) -> &dyn DbSession;

    /// The tables of the service and their columns.
    fn tables(&self) -> Result<Vec<TransferTable>, DatabaseError>;

    /// Shows all rows of a table.
    fn visit_rows(&self, table: &TransferTable, visit: &mut RowVisit<'_>) -> Result<(), DatabaseError>;

    /// Removes all rows.
    fn clear(&self, tables: &[TransferTable]) -> Result<(), DatabaseError>;

    /// Shows the bytes of an uploaded file in parts; whether there are any.
    fn read_media(&self, id: &str, visit: &mut dyn FnMut(&[u8])) -> Result<bool, DatabaseError>;

    /// Keeps an uploaded file, of which `next` gives the parts.
    fn write_media(&self, id: &str, parts: &[Vec<u8>]) -> Result<(), DatabaseError>;

    /// Refuses those who write all the same, or lets them.
    fn set_serveable(&self, is_serveable: bool) -> Result<(), DatabaseError>;

    /// Keeps what was changed; begins the next transaction on demand.
    fn commit(&self) -> Result<(), DatabaseError>;
}

/// Moves everything from one place to the other. `check` may refuse the source
/// before anything is done; `tell` hears of each step.
///
/// # Errors
/// When one of the two is in use or does not fit, or what arrived differs from
/// what left. The source can be served as before then, unless the error says
/// otherwise.
pub fn transfer<E: From<DatabaseError>>(
    from: &DatabaseLocation,
    to: &DatabaseLocation,
    check: impl FnOnce(&dyn DbSession) -> Result<(), E>,
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, E> {
    let source = open_source(from)?;
    match note::read(source.session())? {
        Some(TransferMarker::Moved { id, place }) if place == note::describe_location(to) => {
            tell("everything had been moved; what was left is done now");
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
    // The other side of this line, nothing but the target is served.
    let left = TransferMarker::Moved { id: id.clone(), place: note::describe_location(to) };
    note::write(source.session(), &left)?;
    source.set_serveable(false)?;
    source.commit()?;
    drop(target);
    finish(to, &id)?;
    Ok(moved)
}

/// Copies everything as it is at one time into a file, while it may be served: the
/// source; `tell` hears of each step.
pub fn back_up(
    from: &DatabaseLocation,
    to: &Path,
    tell: &mut dyn FnMut(&str),
) -> Result<Transfer, DatabaseError> {
    let source: Box<dyn TransferSide> = match from {
        DatabaseLocation::File(path) => Box::new(FileSide::snapshot(path)?),
        DatabaseLocation::Server(url) => Box::new(ServerSide::snapshot(url)?),
    };
    let target = FileSide::target(to, &note::describe_location(from))?;
    let copied = copy_all(source.as_ref(), &target, tell)?;
    note::remove(target.session())?;
    target.commit()?;
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

/// Fills the target, and compares what arrived with what left.
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
    tell("copying uploaded files");
    let files = media::copy(source, target, &mut moved)?;
    tell("comparing what arrived with what left");
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

/// Lets a target be served whose source is marked as moved.
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

/// The credits of all workspaces, each of which its ledger explains.
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
