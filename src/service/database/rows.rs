//! Values as they are bound and read, and rows read by the names of their
//! columns, whatever the engine.

use std::cell::Cell;

use crate::database::DatabaseError;
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::JsonCell;

/// A value that is bound or read. Truth values are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlValue<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// The cells of a row, as an engine hands them out.
pub trait RowCells {
    fn count(&self) -> usize;

    /// The name of a column.
    fn name(&self, place: usize) -> &str;

    fn value(&self, place: usize) -> Result<SqlValue<'_>, DatabaseError>;
}

/// A row whose cells are read by name.
///
/// A name is first looked for behind the one that was read last: a row read
/// in the order of its columns costs one comparison a cell. Reading fails
/// where there is no such column, or it holds something else.
pub struct DbRow<'a> {
    cells: &'a dyn RowCells,
    next: Cell<usize>,
}

impl<'a> DbRow<'a> {
    /// The same row, by name.
    pub fn of(cells: &'a dyn RowCells) -> Self {
        Self { cells, next: Cell::new(0) }
    }

    /// A cell.
    ///
    /// # Errors
    /// When it is not there or holds something else; so with all that follow.
    pub fn get<T: FromSqlValue>(&self, name: &str) -> Result<T, DatabaseError> {
        T::read(self.value(name)?).ok_or_else(|| unreadable(name))
    }

    /// A text where it lies, or copied from there.
    pub fn text<T: From<&'a str>>(&self, name: &str) -> Result<T, DatabaseError> {
        self.optional_text(name)?.ok_or_else(|| unreadable(name))
    }

    /// The same; `None` for null.
    pub fn optional_text<T: From<&'a str>>(&self, name: &str) -> Result<Option<T>, DatabaseError> {
        match self.value(name)? {
            SqlValue::Null => Ok(None),
            SqlValue::Text(text) => Ok(Some(text.into())),
            SqlValue::Int(_) | SqlValue::Bytes(_) => Err(unreadable(name)),
        }
    }

    /// What a stored word means.
    pub fn parse_word<T>(&self, name: &str, meaning: impl FnOnce(&str) -> T) -> Result<T, DatabaseError> {
        Ok(meaning(self.text(name)?))
    }

    /// A text of one line; none for null.
    pub fn line(&self, name: &str) -> Result<SafeText, DatabaseError> {
        Ok(self.optional_text(name)?.map(SafeText::line).unwrap_or_default())
    }

    /// A number in its own type; none where it does not fit.
    pub fn number<T: TryFrom<i64> + Default>(&self, name: &str) -> Result<T, DatabaseError> {
        Ok(T::try_from(self.get::<i64>(name)?).unwrap_or_default())
    }

    /// What JSON says; nothing where it cannot be read.
    pub fn json<T: JsonCell>(&self, name: &str) -> Result<T, DatabaseError> {
        Ok(T::from_json(self.optional_text(name)?.unwrap_or_default()))
    }

    /// All cells, in their order.
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

/// The cell of a row that has one column.
pub fn single_cell<T: FromSqlValue>(row: &DbRow<'_>) -> Result<T, DatabaseError> {
    T::read(row.cells.value(0)?).ok_or_else(|| unreadable(row.cells.name(0)))
}

/// What can be read from a cell.
pub trait FromSqlValue: Sized {
    /// The value; `None` where the cell holds something else.
    fn read(value: SqlValue<'_>) -> Option<Self>;
}

/// What can be bound to a parameter.
pub trait ToSqlValue {
    /// The value, where it lies.
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

/// Binds values to the parameters of a statement, in their order.
macro_rules! bound {
    ($($value:expr),* $(,)?) => {
        &[$($crate::database::rows::ToSqlValue::bind(&$value)),*]
    };
}

/// Declares once which columns of a table a struct is kept in: `SELECT`, up to
/// the condition, and `from_row`, which reads a row of it as
/// [`read_row`](sqlite::read_row) does; with `in` instead of `from` also
/// `store`, which adds a row. Of a struct over the kind of its texts, `Name<T>`,
/// also `view`, whose texts stay in the row.
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

/// The names of the columns of [`table`].
macro_rules! names {
    ($first:ident $(= $column:ident)? $(: $method:ident)?
        $(, $field:ident $(= $other:ident)? $(: $by:ident)?)* $(,)?) => {
        concat!(
            $crate::database::rows::column!($first $(= $column)?)
            $(, ", ", $crate::database::rows::column!($field $(= $other)?))*
        )
    };
}

/// The name of one of them.
macro_rules! column {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident = $column:ident) => {
        stringify!($column)
    };
}

/// As many question marks.
macro_rules! marks {
    ($first:ident $(= $column:ident)? $(: $method:ident)?
        $(, $field:ident $(= $other:ident)? $(: $by:ident)?)* $(,)?) => {
        concat!("?" $(, $crate::database::rows::mark!($field))*)
    };
}

/// One of them.
macro_rules! mark {
    ($field:ident) => {
        ", ?"
    };
}

/// What the fields of a struct are kept as, in the order of [`table`].
macro_rules! cells {
    ($row:ident, $($field:ident $(= $column:ident)? $(: $method:ident)?),* $(,)?) => {
        $crate::database::rows::bound![
            $($crate::database::rows::kept!($row, $field $(: $method)?)),*
        ]
    };
}

/// What one of them is kept as.
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
