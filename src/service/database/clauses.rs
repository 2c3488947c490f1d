//! Optional filters of a list: only the requested ones are compared and bound, so that an index
//! fits each form of the query.

use std::fmt::Write;

use crate::database::rows::SqlValue;

pub struct SqlQuery<'a> {
    sql: String,
    bound: Vec<SqlValue<'a>>,
}

impl<'a> SqlQuery<'a> {
    /// Begins a query whose first parameters are `bound`.
    pub fn new(sql: String, bound: &[SqlValue<'a>]) -> Self {
        Self { sql, bound: bound.to_vec() }
    }

    pub fn filter(&mut self, column: &str, asked: Option<SqlValue<'a>>) {
        if let Some(value) = asked {
            self.bound.push(value);
            let _ = write!(self.sql, " AND {column} = ?{}", self.bound.len());
        }
    }

    /// Appends SQL with a question mark for each value.
    pub fn push(&mut self, text: &str, bound: &[SqlValue<'a>]) {
        let mut values = bound.iter();
        for part in text.split_inclusive('?') {
            self.sql.push_str(part);
            if let (true, Some(value)) = (part.ends_with('?'), values.next()) {
                self.bound.push(*value);
                self.sql.push_str(&self.bound.len().to_string());
            }
        }
    }

    pub fn parts(&self) -> (&str, &[SqlValue<'a>]) {
        (&self.sql, &self.bound)
    }
}
