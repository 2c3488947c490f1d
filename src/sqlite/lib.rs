//! SQLite queries, and rows read by column name.

use std::cell::{Cell, RefCell};
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::{FromSql, Type};
use rusqlite::{Connection, Error, OptionalExtension, Params, Result, Statement};

use model::text::SafeText;

const ONLY_COLUMN: usize = 0;

/// Makes query plans independent of bound values. Otherwise SQLite prepares a statement with a
/// limit, or with a range after `ANALYZE`, again at every use.
///
/// # Errors
/// Fails if SQLite rejects the setting.
pub fn use_stable_plans(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Returns the file's URI with query `how`.
pub fn uri(path: &Path, how: &str) -> String {
    let mut uri = String::from("file:");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.push_str(&format!("%{byte:02x}")),
            b'\\' => uri.push('/'),
            _ if byte.is_ascii() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push('?');
    uri + how
}

/// A row whose cells are read by column name.
///
/// The search for a name starts behind the column read last, so that reading in column order
/// costs one comparison per cell. Reading fails if the column is missing or has another type.
pub struct Row<'a> {
    row: &'a rusqlite::Row<'a>,
    next: Cell<usize>,
    /// Columns found while reading earlier rows of the query.
    learned: Option<&'a LearnedColumns>,
    step: Cell<usize>,
}

/// Names in reading order with their column indices, so that the next row of the query needs no
/// name comparison.
type LearnedColumns = RefCell<Vec<(&'static str, usize)>>;

impl<'a> Row<'a> {
    pub fn new(row: &'a rusqlite::Row<'a>) -> Self {
        Self { row, next: Cell::new(0), learned: None, step: Cell::new(0) }
    }

    fn with_learned(row: &'a rusqlite::Row<'a>, learned: &'a LearnedColumns) -> Self {
        Self { learned: Some(learned), ..Self::new(row) }
    }

    pub fn get<T: FromSql>(&self, name: &'static str) -> Result<T> {
        self.row.get(self.column_index(name)?)
    }

    /// Reads a text without an intermediate copy.
    pub fn text<T: From<&'a str>>(&self, name: &'static str) -> Result<T> {
        Ok(self.row.get_ref(self.column_index(name)?)?.as_str()?.into())
    }

    /// Returns `None` for NULL.
    pub fn optional_text<T: From<&'a str>>(&self, name: &'static str) -> Result<Option<T>> {
        Ok(self.row.get_ref(self.column_index(name)?)?.as_str_or_null()?.map(T::from))
    }

    /// Converts a text with `meaning`.
    pub fn parse_word<T>(&self, name: &'static str, meaning: impl FnOnce(&str) -> T) -> Result<T> {
        Ok(meaning(self.row.get_ref(self.column_index(name)?)?.as_str()?))
    }

    /// Reads a single-line text; empty for NULL.
    pub fn line(&self, name: &'static str) -> Result<SafeText> {
        Ok(self.optional_line(name)?.unwrap_or_default())
    }

    /// Returns `None` for NULL.
    pub fn optional_line(&self, name: &'static str) -> Result<Option<SafeText>> {
        Ok(self.optional_text(name)?.map(SafeText::line))
    }

    /// Reads a multi-line text.
    pub fn block(&self, name: &'static str) -> Result<SafeText> {
        self.parse_word(name, SafeText::block)
    }

    /// Reads an integer; the default of `T` if it does not fit.
    pub fn number<T: TryFrom<i64> + Default>(&self, name: &'static str) -> Result<T> {
        Ok(T::try_from(self.get::<i64>(name)?).unwrap_or_default())
    }

    /// Reads JSON; the default of `T` for NULL or invalid JSON.
    pub fn json<T: JsonCell>(&self, name: &'static str) -> Result<T> {
        Ok(T::from_json(self.optional_text(name)?.unwrap_or_default()))
    }

    pub fn unreadable(&self, name: &'static str, why: String) -> Error {
        match self.column_index(name) {
            Ok(place) => Error::FromSqlConversionFailure(place, Type::Text, why.into()),
            Err(error) => error,
        }
    }

    fn column_index(&self, name: &'static str) -> Result<usize> {
        let step = self.step.get();
        self.step.set(step + 1);
        let known = self.learned.and_then(|ref_cell| ref_cell.borrow().get(step).copied());
        if let Some((known, place)) = known
            && std::ptr::eq(known, name)
        {
            self.next.set(place + 1);
            return Ok(place);
        }
        let place = self.find(name)?;
        if let Some(learned) = self.learned {
            let mut learned = learned.borrow_mut();
            learned.truncate(step);
            learned.push((name, place));
        }
        self.next.set(place + 1);
        Ok(place)
    }

    fn find(&self, name: &str) -> Result<usize> {
        let statement: &Statement<'_> = self.row.as_ref();
        let next = self.next.get();
        let mut places = (next..statement.column_count()).chain(0..next);
        let found =
            places.find(|place| statement.column_name(*place).is_ok_and(|column_name| column_name == name));
        found.ok_or_else(|| Error::InvalidColumnName(name.to_owned()))
    }
}

/// Reads the first column.
pub fn only_cell<T: FromSql>(row: &Row<'_>) -> Result<T> {
    row.row.get(ONLY_COLUMN)
}

/// Queries with cached prepared statements.
pub trait Queries {
    /// Returns the first column of a query that always has a row, such as a count or a PRAGMA.
    fn scalar<T: FromSql>(&self, sql: &str, bound: impl Params) -> Result<T> {
        self.one(sql, bound, only_cell)
    }

    /// Reads the first row; fails if there is none.
    fn one<T>(&self, sql: &str, bound: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T>;

    fn first<T>(
        &self,
        sql: &str,
        bound: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.one(sql, bound, read).optional()
    }

    fn all<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        bound: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<C>;
}

impl Queries for Connection {
    fn one<T>(&self, sql: &str, bound: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        let mut statement = self.prepare_cached(sql)?;
        debug_assert!(has_distinct_columns(&statement), "two columns of one name: {sql}");
        statement.query_row(bound, |row| read(&Row::new(row)))
    }

    fn all<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        bound: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<C> {
        let mut statement = self.prepare_cached(sql)?;
        debug_assert!(has_distinct_columns(&statement), "two columns of one name: {sql}");
        let learned = LearnedColumns::default();
        statement.query_map(bound, |row| read(&Row::with_learned(row, &learned)))?.collect()
    }
}

/// Returns true if no two columns of a statement have the same name.
pub fn has_distinct_columns(statement: &Statement<'_>) -> bool {
    let mut names: Vec<_> = statement.column_names().collect();
    names.sort_unstable();
    names.windows(2).all(|window| window[0] != window[1])
}

/// Reads a struct from the columns named like its fields.
///
/// `field: method` reads with a method of [`Row`], `field = column` reads another column. Fields
/// after `;` are initialized as in a struct expression.
#[macro_export]
macro_rules! read_row {
    ($row:ident, $name:ident {
        $($field:ident $(= $column:ident)? $(: $method:ident)?),*
        $(; $($extra:ident $(: $value:expr)?),* $(,)?)? $(,)?
    }) => {
        $name {
            $($field: $crate::cell!($row, $field $(= $column)? $(: $method)?),)*
            $($($extra $(: $value)?,)*)?
        }
    };
}

/// Reads one cell of [`read_row`].
#[macro_export]
macro_rules! cell {
    ($row:ident, $field:ident) => {
        $row.get(stringify!($field))?
    };
    ($row:ident, $field:ident: $method:ident) => {
        $row.$method(stringify!($field))?
    };
    ($row:ident, $field:ident = $column:ident) => {
        $row.get(stringify!($column))?
    };
    ($row:ident, $field:ident = $column:ident: $method:ident) => {
        $row.$method(stringify!($column))?
    };
}

/// Serializes a value; `[]` if that fails.
pub fn json_of(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "[]".to_owned())
}

pub trait JsonCell: Sized {
    /// Returns the default for invalid JSON.
    fn from_json(text: &str) -> Self;
}

impl<T: serde::de::DeserializeOwned + Default> JsonCell for T {
    fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use model::time::Timestamp;

    use super::*;

    #[derive(Debug, PartialEq)]
    struct SampleRow {
        name: String,
        key: Option<String>,
        tags: Vec<String>,
        age: u8,
        seen: Option<Timestamp>,
        known: bool,
    }

    fn from_row(row: &Row<'_>) -> Result<SampleRow> {
        Ok(read_row!(row, SampleRow {
            name, key = api_key: optional_text, tags: json, age: number, seen, known
        }))
    }

    fn people() -> (Connection, [SampleRow; 2]) {
        let db = Connection::open_in_memory().expect("opens");
        db.execute_batch("CREATE TABLE people (known, seen, age, tags, api_key, name)").expect("made");
        let seen = Some(Timestamp::from_micros(5));
        let tags = vec!["a".to_owned(), "b".to_owned()];
        let ana = SampleRow { name: "Ana".to_owned(), key: None, tags, age: 40, seen, known: true };
        let key = Some("k".to_owned());
        let bo = SampleRow { name: "Bo".to_owned(), key, tags: vec![], age: 0, seen: None, known: false };
        for SampleRow { name, key, tags, age, seen, known } in [&ana, &bo] {
            let tags = serde_json::to_string(tags).expect("JSON");
            let row = rusqlite::params![known, seen, age, tags, key, name];
            db.execute("INSERT INTO people VALUES (?1, ?2, ?3, ?4, ?5, ?6)", row).expect("stored");
        }
        (db, [ana, bo])
    }

    #[test]
    fn rows_are_read_by_name_in_whatever_order_they_come() {
        let (db, people) = people();
        for select in ["SELECT name, api_key, tags, age, seen, known FROM people", "SELECT * FROM people"] {
            let found: Vec<SampleRow> =
                db.all(&format!("{select} ORDER BY name"), [], from_row).expect("read");
            assert_eq!(found, people, "{select}");
        }
        // Values that do not fit or cannot be parsed become the default.
        db.execute("UPDATE people SET age = 400, tags = '[7]' WHERE name = 'Bo'", []).expect("written");
        let bo: Option<SampleRow> =
            db.first("SELECT * FROM people WHERE name = 'Bo'", [], from_row).expect("read");
        assert_eq!(bo.as_ref(), Some(&people[1]));
    }

    #[test]
    fn a_question_has_one_answer_or_none() {
        let (db, _) = people();
        let name =
            |key: &str| db.first("SELECT name FROM people WHERE api_key = ?1", [key], only_cell::<String>);
        assert_eq!(name("k").expect("read").as_deref(), Some("Bo"));
        assert_eq!(name("other").expect("read"), None);
        assert_eq!(db.scalar::<i64>("SELECT count(*) FROM people", []).expect("read"), 2);
        let wrong = db.first("SELECT name FROM people", [], |row| row.get::<String>("names"));
        assert_eq!(wrong, Err(Error::InvalidColumnName("names".to_owned())));
    }

    #[test]
    #[should_panic(expected = "two columns of one name")]
    fn columns_of_one_name_are_noticed() {
        let _ = people().0.first("SELECT a.name, b.name FROM people a, people b", [], |_| Ok(()));
    }
}
