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

    /// Compares a column with a list of at most `length` texts. The text of the query does not depend on how many
    /// there are, as the engines prepare each text once.
    pub fn filter_in(&mut self, column: &str, texts: &'a [String], length: usize) {
        let _ = write!(self.sql, " AND {column} IN (");
        let padded = texts.iter().map(String::as_str).chain(std::iter::repeat(""));
        for (place, text) in padded.take(length.max(texts.len())).enumerate() {
            self.bound.push(SqlValue::Text(text));
            let comma = if place == 0 { "" } else { ", " };
            let _ = write!(self.sql, "{comma}?{}", self.bound.len());
        }
        self.sql.push(')');
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
