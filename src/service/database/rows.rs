//! Values bound to and read from queries, and rows read by column name, for both engines.

use std::cell::Cell;

use crate::database::DatabaseError;
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::JsonCell;

/// A value that is bound or read. Booleans are integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlValue<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

pub trait RowCells {
    fn count(&self) -> usize;

    fn name(&self, place: usize) -> &str;

    fn value(&self, place: usize) -> Result<SqlValue<'_>, DatabaseError>;
}

/// A row whose cells are read by name.
///
/// The search begins behind the cell read last, so reading in column order costs one comparison per
/// cell. Reading fails if the column is missing or of another type.
pub struct DbRow<'a> {
    cells: &'a dyn RowCells,
    next: Cell<usize>,
}

impl<'a> DbRow<'a> {
    pub fn of(cells: &'a dyn RowCells) -> Self {
        Self { cells, next: Cell::new(0) }
    }

    pub fn get<T: FromSqlValue>(&self, name: &str) -> Result<T, DatabaseError> {
        T::read(self.value(name)?).ok_or_else(|| unreadable(name))
    }

    /// Reads a text, borrowed or copied.
    pub fn text<T: From<&'a str>>(&self, name: &str) -> Result<T, DatabaseError> {
        self.optional_text(name)?.ok_or_else(|| unreadable(name))
    }

    /// [`text`](Self::text), but `None` for null.
    pub fn optional_text<T: From<&'a str>>(&self, name: &str) -> Result<Option<T>, DatabaseError> {
        match self.value(name)? {
            SqlValue::Null => Ok(None),
            SqlValue::Text(text) => Ok(Some(text.into())),
            SqlValue::Int(_) | SqlValue::Bytes(_) => Err(unreadable(name)),
        }
    }

    pub fn parse_word<T>(&self, name: &str, meaning: impl FnOnce(&str) -> T) -> Result<T, DatabaseError> {
        Ok(meaning(self.text(name)?))
    }

    /// Reads a text as one line; empty for null.
    pub fn line(&self, name: &str) -> Result<SafeText, DatabaseError> {
        Ok(self.optional_text(name)?.map(SafeText::line).unwrap_or_default())
    }

    /// Reads a number; 0 if it does not fit the type.
    pub fn number<T: TryFrom<i64> + Default>(&self, name: &str) -> Result<T, DatabaseError> {
        Ok(T::try_from(self.get::<i64>(name)?).unwrap_or_default())
    }

    /// Parses JSON; the default if unreadable.
    pub fn json<T: JsonCell>(&self, name: &str) -> Result<T, DatabaseError> {
        Ok(T::from_json(self.optional_text(name)?.unwrap_or_default()))
    }

    pub fn values(&self) -> Result<Vec<SqlValue<'a>>, DatabaseError> {
        (0..self.cells.count()).map(|number| self.cells.value(number)).collect()
    }

    fn value(&self, name: &str) -> Result<SqlValue<'a>, DatabaseError> {
        let next = self.next.get();
        let mut places = (next..self.cells.count()).chain(0..next);
        let found = places.find(|place| self.cells.name(*place) == name);
        let place = found.ok_or_else(|| DatabaseError::Sql(format!("there is no column {name}")))?;
        self.next.set(place + 1);
        self.cells.value(place)
    }
}

fn unreadable(name: &str) -> DatabaseError {
    DatabaseError::Sql(format!("the column {name} holds something else"))
}

pub fn single_cell<T: FromSqlValue>(row: &DbRow<'_>) -> Result<T, DatabaseError> {
    T::read(row.cells.value(0)?).ok_or_else(|| unreadable(row.cells.name(0)))
}

pub trait FromSqlValue: Sized {
    /// Converts a value; `None` if it is of another type.
    fn read(value: SqlValue<'_>) -> Option<Self>;
}

pub trait ToSqlValue {
    fn bind(&self) -> SqlValue<'_>;
}

macro_rules! whole_numbers {
    ($($kind:ident),*) => {
        $(impl FromSqlValue for $kind {
            fn read(value: SqlValue<'_>) -> Option<Self> {
                match value {
                    SqlValue::Int(number) => Self::try_from(number).ok(),
                    _ => None,
                }
            }
        }

        impl ToSqlValue for $kind {
            fn bind(&self) -> SqlValue<'_> {
                SqlValue::Int(i64::from(*self))
            }
        })*
    };
}

whole_numbers!(i64, i32, u8, u16, u32);

impl FromSqlValue for bool {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        i64::read(value).map(|entry| entry != 0)
    }
}

impl ToSqlValue for bool {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Int(i64::from(*self))
    }
}

impl FromSqlValue for Timestamp {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        i64::read(value).map(Self::from_micros)
    }
}

impl ToSqlValue for Timestamp {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Int(self.micros())
    }
}

impl FromSqlValue for String {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }
}

impl ToSqlValue for str {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Text(self)
    }
}

impl ToSqlValue for String {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Text(self)
    }
}

impl ToSqlValue for SafeText {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Text(self.as_str())
    }
}

impl FromSqlValue for Vec<u8> {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Bytes(bytes) => Some(bytes.to_owned()),
            _ => None,
        }
    }
}

impl ToSqlValue for Vec<u8> {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Bytes(self)
    }
}

impl ToSqlValue for [u8] {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Bytes(self)
    }
}

impl<const N: usize> FromSqlValue for [u8; N] {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Bytes(bytes) => bytes.try_into().ok(),
            _ => None,
        }
    }
}

impl<const N: usize> ToSqlValue for [u8; N] {
    fn bind(&self) -> SqlValue<'_> {
        SqlValue::Bytes(self)
    }
}

impl<T: FromSqlValue> FromSqlValue for Option<T> {
    fn read(value: SqlValue<'_>) -> Option<Self> {
        match value {
            SqlValue::Null => Some(None),
            value => T::read(value).map(Some),
        }
    }
}

impl<T: ToSqlValue> ToSqlValue for Option<T> {
    fn bind(&self) -> SqlValue<'_> {
        self.as_ref().map_or(SqlValue::Null, ToSqlValue::bind)
    }
}

impl<T: ToSqlValue + ?Sized> ToSqlValue for &T {
    fn bind(&self) -> SqlValue<'_> {
        (*self).bind()
    }
}

/// Binds values to the parameters of a statement, in order.
macro_rules! bound {
    ($($value:expr),* $(,)?) => {
        &[$($crate::database::rows::ToSqlValue::bind(&$value)),*]
    };
}

/// Maps a struct to the columns of a table. Generates `SELECT` (up to the condition) and
/// `from_row`, which reads a row like [`read_row`](sqlite::read_row); with `in` instead of `from`
/// also `store`, which inserts a row. For a struct generic over its text type, `Name<T>`, also
/// `view`, whose texts borrow from the row.
macro_rules! table {
    ($name:ident from $table:ident { $($fields:tt)* }) => {
        const SELECT: &str =
            concat!("SELECT ", $crate::database::rows::names!($($fields)*), " FROM ", stringify!($table));

        fn from_row(
            row: &$crate::database::rows::DbRow<'_>,
        ) -> Result<$name, $crate::database::DatabaseError> {
            Ok(::sqlite::read_row!(row, $name { $($fields)* }))
        }
    };
    ($name:ident<T> from $table:ident { $($fields:tt)* }) => {
        const SELECT: &str =
            concat!("SELECT ", $crate::database::rows::names!($($fields)*), " FROM ", stringify!($table));

        fn view<'a, T: From<&'a str>>(
            row: &$crate::database::rows::DbRow<'a>,
        ) -> Result<$name<T>, $crate::database::DatabaseError> {
            Ok(::sqlite::read_row!(row, $name { $($fields)* }))
        }

        fn from_row(
            row: &$crate::database::rows::DbRow<'_>,
        ) -> Result<$name, $crate::database::DatabaseError> {
            view(row)
        }
    };
    ($name:ident $(<$text:ident>)? in $table:ident { $($fields:tt)* }) => {
        $crate::database::rows::table!($name $(<$text>)? from $table { $($fields)* });

        fn store(
            db: &dyn $crate::database::session::DbSession,
            row: &$name,
        ) -> Result<(), $crate::database::DatabaseError> {
            let sql = concat!(
                "INSERT INTO ", stringify!($table), " (", $crate::database::rows::names!($($fields)*), ") VALUES (",
                $crate::database::rows::marks!($($fields)*), ")"
            );
            db.change_later(sql, $crate::database::rows::cells!(row, $($fields)*))
        }
    };
}

/// Column names of [`table`].
macro_rules! names {
    ($first:ident $(= $column:ident)? $(: $method:ident)?
        $(, $field:ident $(= $other:ident)? $(: $by:ident)?)* $(,)?) => {
        concat!(
            $crate::database::rows::column!($first $(= $column)?)
            $(, ", ", $crate::database::rows::column!($field $(= $other)?))*
        )
    };
}

macro_rules! column {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident = $column:ident) => {
        stringify!($column)
    };
}

macro_rules! marks {
    ($first:ident $(= $column:ident)? $(: $method:ident)?
        $(, $field:ident $(= $other:ident)? $(: $by:ident)?)* $(,)?) => {
        concat!("?" $(, $crate::database::rows::mark!($field))*)
    };
}

macro_rules! mark {
    ($field:ident) => {
        ", ?"
    };
}

/// Stored values of a struct's fields, in the order of [`table`].
macro_rules! cells {
    ($row:ident, $($field:ident $(= $column:ident)? $(: $method:ident)?),* $(,)?) => {
        $crate::database::rows::bound![
            $($crate::database::rows::kept!($row, $field $(: $method)?)),*
        ]
    };
}

macro_rules! kept {
    ($row:ident, $field:ident: json) => {
        ::sqlite::json_of(&$row.$field)
    };
    ($row:ident, $field:ident $(: $method:ident)?) => {
        $row.$field
    };
}

pub(crate) use {bound, cells, column, kept, mark, marks, names, table};

#[cfg(test)]
mod tests;
