//! Conversion of values to and from PostgreSQL, for columns of any width.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::database::DatabaseError;
use crate::database::rows::{RowCells, SqlValue};

type BoxError = Box<dyn Error + Sync + Send>;

/// Owned value for a statement that is sent later.
#[derive(Debug)]
pub enum OwnedSqlValue {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl OwnedSqlValue {
    pub fn of(value: &SqlValue<'_>) -> Self {
        match value {
            SqlValue::Null => Self::Null,
            SqlValue::Int(number) => Self::Int(*number),
            SqlValue::Text(text) => Self::Text((*text).to_owned()),
            SqlValue::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }

    pub fn as_value(&self) -> SqlValue<'_> {
        match self {
            Self::Null => SqlValue::Null,
            Self::Int(number) => SqlValue::Int(*number),
            Self::Text(text) => SqlValue::Text(text),
            Self::Bytes(bytes) => SqlValue::Bytes(bytes),
        }
    }
}

/// Value sent in the type that the server expects.
#[derive(Debug)]
pub struct BoundValue<'a>(pub SqlValue<'a>);

impl ToSql for BoundValue<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, BoxError> {
        match (self.0, kind) {
            (SqlValue::Null, _) => return Ok(IsNull::Yes),
            (SqlValue::Int(number), &Type::INT8) => out.extend_from_slice(&number.to_be_bytes()),
            (SqlValue::Int(number), &Type::INT4) => {
                out.extend_from_slice(&i32::try_from(number)?.to_be_bytes());
            }
            (SqlValue::Int(number), &Type::INT2) => {
                out.extend_from_slice(&i16::try_from(number)?.to_be_bytes());
            }
            (SqlValue::Int(number), &Type::BOOL) => out.extend_from_slice(&[u8::from(number != 0)]),
            (SqlValue::Int(number), &Type::BYTEA | &Type::TEXT) => {
                out.extend_from_slice(number.to_string().as_bytes());
            }
            // PostgreSQL refuses NUL in a text.
            (SqlValue::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::NAME) => {
                text.split('\0').for_each(|part| out.extend_from_slice(part.as_bytes()));
            }
            (SqlValue::Bytes(bytes), &Type::BYTEA) => out.extend_from_slice(bytes),
            (value, kind) => return Err(format!("{value:?} is no {kind}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

struct ReceivedValue<'a>(SqlValue<'a>);

impl<'a> FromSql<'a> for ReceivedValue<'a> {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, BoxError> {
        Ok(Self(match *kind {
            Type::INT8 => SqlValue::Int(i64::from_be_bytes(raw.try_into()?)),
            Type::INT4 => SqlValue::Int(i64::from(i32::from_be_bytes(raw.try_into()?))),
            Type::INT2 => SqlValue::Int(i64::from(i16::from_be_bytes(raw.try_into()?))),
            Type::BOOL => SqlValue::Int(i64::from(raw.first().is_some_and(|byte| *byte != 0))),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::UNKNOWN => {
                SqlValue::Text(std::str::from_utf8(raw)?)
            }
            Type::BYTEA => SqlValue::Bytes(raw),
            _ => return Err(format!("a column is {kind}, which is not kept").into()),
        }))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl RowCells for Row {
    fn count(&self) -> usize {
        self.len()
    }

    fn name(&self, place: usize) -> &str {
        self.columns().get(place).map_or("", |column| column.name())
    }

    fn value(&self, place: usize) -> Result<SqlValue<'_>, DatabaseError> {
        let came: Option<ReceivedValue<'_>> =
            self.try_get(place).map_err(|cause| DatabaseError::Sql(cause.to_string()))?;
        Ok(came.map_or(SqlValue::Null, |entry| entry.0))
    }
}
