//! Detects a pooler between service and database that loses prepared statements. A pooler that
//! gives a server connection to another client after each transaction has to prepare missing
//! statements again; PgBouncer does since 1.21, if `max_prepared_statements` is not 0.

use crate::database::DatabaseError;
use crate::database::place::ServerUrl;
use crate::database::postgres::address::ServerAddress;
use crate::database::postgres::link::Link;

const PROBE: &str = "SELECT 1";
/// Occupies the server connection used last. If the pooler has no other, the server ends the
/// transaction, so that nobody waits for long.
const BEGIN_IDLE_LIMITED: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '2s'";

/// Refuses a pooler that loses prepared statements: they would fail occasionally, as soon as two
/// connections are used at once.
pub fn check_pooler(link: &Link, url: &ServerUrl, address: &ServerAddress) -> Result<(), DatabaseError> {
    let other = Link::new(address)?;
    other.connect()?;
    let asked = link.send(&[], Some((PROBE, &[]))).and_then(|_| {
        other.batch_execute(BEGIN_IDLE_LIMITED)?;
        link.send(&[], Some((PROBE, &[])))
    });
    // Its transaction ends with it.
    other.disconnect();
    match asked {
        Ok(_) => Ok(()),
        Err(DatabaseError::Pooled(_)) => Err(DatabaseError::Pooled(url.to_string())),
        Err(cause) => Err(cause),
    }
}
