//! Detects a pooler between service and database that gives a server connection to another client after each
//! transaction. Such a pooler passes no notifications on, and has to prepare missing statements again;
//! PgBouncer does since 1.21, if `max_prepared_statements` is not 0.

use crate::database::DatabaseError;
use crate::database::place::ServerUrl;
use crate::database::postgres::address::ServerAddress;
use crate::database::postgres::link::Link;
use crate::database::rows::DbRow;

/// Reads the session at the server, and whether a pooler has renamed the prepared statement of this query.
const PROBE: &str = "SELECT CAST(pg_backend_pid() AS BIGINT) AS session,
    EXISTS (SELECT 1 FROM pg_prepared_statements WHERE name LIKE 'PGBOUNCER\\_%') AS renamed";
/// Occupies the server connection used last. If the pooler has no other, the server ends the
/// transaction, so that nobody waits for long.
const BEGIN_IDLE_LIMITED: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '2s'";

struct Probe {
    session: i64,
    renamed: bool,
}

/// Returns true if a pooler in transaction mode is in front of the server. Refuses one that loses prepared
/// statements: they would fail occasionally, as soon as two connections are used at once.
pub fn is_in_transaction_mode(
    link: &Link,
    url: &ServerUrl,
    address: &ServerAddress,
) -> Result<bool, DatabaseError> {
    let other = Link::new(address)?;
    other.connect()?;
    let asked = probe(link).and_then(|first| {
        other.batch_execute(BEGIN_IDLE_LIMITED)?;
        Ok((first, probe(link)?))
    });
    // Its transaction ends with it.
    other.disconnect();
    match asked {
        Ok((first, second)) => Ok(first.renamed || second.renamed || first.session != second.session),
        Err(DatabaseError::Pooled(_)) => Err(DatabaseError::Pooled(url.to_string())),
        Err(cause) => Err(cause),
    }
}

fn probe(link: &Link) -> Result<Probe, DatabaseError> {
    let rows = link.send(&[], Some((PROBE, &[])))?;
    let row = DbRow::of(rows.first().ok_or(DatabaseError::Lost)?);
    Ok(Probe { session: row.get("session")?, renamed: row.get("renamed")? })
}
