use std::fmt;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use model::time::Clock;
use sqlite::Queries;

/// Clock for stored changes; defaults to SQLite's own.
#[derive(Clone, Default)]
pub struct StoreClock(Option<Arc<dyn Clock>>);

impl StoreClock {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self(Some(clock))
    }

    /// Registers the function that triggers call for the time.
    pub(crate) fn install(&self, connection: &Connection) -> rusqlite::Result<()> {
        let (clock, own) = (self.0.clone(), Connection::open_in_memory()?);
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        connection.create_scalar_function("desk_now", 0, flags, move |_| match &clock {
            Some(clock) => Ok(clock.now().micros()),
            None => own.scalar("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000", []),
        })
    }
}

impl fmt::Debug for StoreClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "a given clock" } else { "the database's clock" })
    }
}
