//! What a deleted contact takes with it.
//!
//! Knows nothing of contacts themselves; they are not kept here.

use rusqlite::params;

use crate::model::ids::{ChannelId, ConversationId};
use crate::store::{Store, StoreError};

impl Store {
    /// Forgets the conversation with a phone number, as the server has; tells
    /// which it was.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_person(
        &self,
        channel: &ChannelId,
        phone: &str,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let (channel, phone) = (channel.clone(), phone.to_owned());
        self.cache()
            .later(move |cache| {
                let sql = "DELETE FROM conversation WHERE channel = ?1 AND address = ?2 RETURNING id";
                let mut statement = cache.connection.prepare(sql)?;
                let ids =
                    statement.query_map(params![channel.as_str(), phone], |row| row.get::<_, String>(0))?;
                Ok(ids.map(|it| it.map(ConversationId::new)).collect::<Result<_, _>>()?)
            })
            .await
    }
}
