//! Which process serves a database: a row that is renewed while it lives, by
//! the server's clock, and whose lock every transaction takes first.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::database::DatabaseError;
use crate::database::place::ServerUrl;
use crate::database::postgres::link::Link;
use crate::database::rows::{DbRow, bound};

/// How often it is renewed.
const RENEWED: Duration = Duration::from_secs(3);
/// The span it is good for, in microseconds.
const SPAN: i64 = 12_000_000;
/// The server's clock in microseconds.
const NOW: &str = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";

/// The right to serve a database, given back when this is dropped.
pub struct Lease {
    holder: String,
    stop: Option<Sender<()>>,
    renewing: Option<JoinHandle<()>>,
}

impl Lease {
    /// Takes the lease of a database that nobody serves; waits for that of a
    /// process that is gone.
    ///
    /// # Errors
    /// When another process serves it.
    pub fn take(url: &ServerUrl) -> Result<Self, DatabaseError> {
        let link = Link::new(url)?;
        link.connect()?;
        let holder = uuid::Uuid::now_v7().simple().to_string();
        let mut seen = None;
        while !claimed(&link, &holder)? {
            let (process, until, left) = standing(&link)?;
            // One that was killed renews nothing, and its lease runs out.
            if seen.is_some_and(|before| until > before) {
                return Err(DatabaseError::Served(Some(process)));
            }
            seen = Some(until);
            let left = Duration::from_micros(left.unsigned_abs());
            std::thread::sleep(left.min(RENEWED + Duration::from_secs(1)));
        }
        let (stop, stopped) = channel();
        let held = holder.clone();
        let renewing = std::thread::Builder::new().name("service-lease".to_owned()).spawn(move || {
            while stopped.recv_timeout(RENEWED) == Err(RecvTimeoutError::Timeout) {
                if let Err(cause) = extend(&link, &held, SPAN) {
                    tracing::warn!(%cause, "the lease of the database could not be renewed");
                    link.cut();
                }
            }
            let given = extend(&link, &held, 0).or_else(|_| {
                link.cut();
                extend(&link, &held, 0)
            });
            if given.is_err() {
                tracing::warn!("the lease of the database could not be given back; it ends by itself");
            }
        })?;
        Ok(Self { holder, stop: Some(stop), renewing: Some(renewing) })
    }

    /// What its row says while it is held.
    pub fn holder(&self) -> &str {
        &self.holder
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(renewing) = self.renewing.take()
            && renewing.join().is_err()
        {
            tracing::error!("what renews the lease of the database failed");
        }
    }
}

/// Takes the lease, if nobody has it.
fn claimed(link: &Link, holder: &str) -> Result<bool, DatabaseError> {
    let sql = format!(
        "UPDATE lease SET holder = ?1, process = ?2, until = {NOW} + ?3 WHERE name = 'serve' AND until <= {NOW}
         RETURNING holder"
    );
    let process = std::process::id();
    Ok(!link.send(&[], Some((&sql, bound![holder, process, SPAN])))?.is_empty())
}

/// Which process has it, until when, and how long that is from now.
fn standing(link: &Link) -> Result<(u32, i64, i64), DatabaseError> {
    let sql =
        format!("SELECT process, until, greatest(until - {NOW}, 0) AS span FROM lease WHERE name = 'serve'");
    let rows = link.send(&[], Some((&sql, &[])))?;
    let row = DbRow::of(rows.first().ok_or(DatabaseError::NoRow)?);
    Ok((row.get("process")?, row.get("until")?, row.get("span")?))
}

fn extend(link: &Link, holder: &str, span: i64) -> Result<(), DatabaseError> {
    link.connect()?;
    let sql = format!("UPDATE lease SET until = {NOW} + ?2 WHERE name = 'serve' AND holder = ?1");
    link.send(&[], Some((&sql, bound![holder, span]))).map(drop)
}

/// Locks the row of the lease for a transaction; for a service, it must be its
/// own.
pub fn lock(link: &Link, holder: Option<&str>) -> Result<(), DatabaseError> {
    let sql = "SELECT holder, process FROM lease WHERE name = 'serve' FOR UPDATE";
    let rows = link.send(&[], Some((sql, &[])))?;
    let row = rows.first().ok_or(DatabaseError::NoRow)?;
    let row = DbRow::of(row);
    let (found, process): (String, u32) = (row.get("holder")?, row.get("process")?);
    match holder {
        Some(holder) if holder != found => Err(DatabaseError::Served(Some(process))),
        _ => Ok(()),
    }
}
