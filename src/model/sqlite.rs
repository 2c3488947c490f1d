//! Storage of domain types in SQLite columns.

use rusqlite::Result;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use crate::ids;
use crate::text::SafeText;
use crate::time::Timestamp;

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self::from_micros)
    }
}

impl ToSql for Timestamp {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.micros().into())
    }
}

impl ToSql for SafeText {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

macro_rules! id_cells {
    ($($id:ident),*) => {
        $(impl FromSql for ids::$id {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                String::column_result(value).map(Self::new)
            }
        }

        impl ToSql for ids::$id {
            fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
                Ok(self.as_str().into())
            }
        })*
    };
}

id_cells!(
    BroadcastId,
    CampaignId,
    ProposalId,
    ChannelId,
    ContactId,
    ConversationId,
    IdempotencyKey,
    MessageId,
    NoteId,
    RowId
);
