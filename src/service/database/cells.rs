//! Cells of a row, looked at where they lie.
//!
//! Knows nothing of tables.

use rusqlite::Row;
use rusqlite::types::{FromSqlError, Type};

use crate::model::time::Timestamp;

/// A text.
pub fn text<'a>(row: &'a Row<'_>, index: usize) -> rusqlite::Result<&'a str> {
    row.get_ref(index)?.as_str().map_err(|cause| wrong(index, cause))
}

/// A text or null.
pub fn optional_text<'a>(row: &'a Row<'_>, index: usize) -> rusqlite::Result<Option<&'a str>> {
    row.get_ref(index)?.as_str_or_null().map_err(|cause| wrong(index, cause))
}

/// A time or null.
pub fn optional_time(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(index)?.map(Timestamp::from_micros))
}

fn wrong(index: usize, cause: FromSqlError) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(cause))
}
