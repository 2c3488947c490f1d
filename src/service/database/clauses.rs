//! The optional filters of a list: only what is asked for is compared, so
//! that an index fits each form of the query.

use std::fmt::Write;

/// Adds a comparison of each column that is asked for to the placeholder of
/// its number; a placeholder nobody asks for is bound to null.
pub fn add(sql: &mut String, filters: &[(bool, &str, u8)]) {
    for (given, column, number) in filters {
        // A string takes all that is written.
        let _ = match given {
            true => write!(sql, " AND {column} = ?{number}"),
            false => write!(sql, " AND ?{number} IS NULL"),
        };
    }
}
