//! Mail-specific fields of messages.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::{Store, StoreError};
use model::email::MailMessage;
use model::ids::{ChannelId, ConversationId, MessageId};
use sqlite::{Queries, json_of};

impl Store {
    /// Stores the mail fields of a thread. Call before merging the messages.
    pub async fn apply_mail_messages(
        &self,
        channel: &ChannelId,
        thread: &ConversationId,
        letters: Vec<(MessageId, MailMessage)>,
    ) -> Result<(), StoreError> {
        let (channel, thread) = (channel.clone(), thread.clone());
        self.cache()
            .change_async(move |change| {
                for (id, letter) in &letters {
                    change
                        .prepare_cached(
                            "INSERT OR REPLACE INTO letter (channel, thread, id, facts) VALUES (?1, ?2, ?3, ?4)",
                        )?
                        .execute(params![channel, thread, id, json_of(letter)])?;
                }
                Ok(())
            })
            .await
    }

    /// Returns the raw item of a mail, if stored. Blocks.
    pub fn raw_mail(&self, channel: &ChannelId, mail: &MessageId) -> Result<Option<String>, StoreError> {
        let (channel, mail) = (channel.clone(), mail.clone());
        self.cache().call(move |cache| {
            Ok(cache.connection.first(
                "SELECT m.raw FROM conversation c JOIN message m ON m.conversation = c.number
                 WHERE c.channel = ?1 AND m.id = ?2",
                params![channel, mail],
                |row| row.get("raw"),
            )?)
        })
    }

    pub async fn stored_mail_messages(
        &self,
        channel: &ChannelId,
        thread: &ConversationId,
    ) -> Result<HashMap<MessageId, MailMessage>, StoreError> {
        let (channel, thread) = (channel.clone(), thread.clone());
        self.cache().call_async(move |cache| list_of_thread(&cache.connection, &channel, &thread)).await
    }
}

pub(crate) fn list_of_thread(
    connection: &Connection,
    channel: &ChannelId,
    thread: &ConversationId,
) -> Result<HashMap<MessageId, MailMessage>, StoreError> {
    Ok(connection.all(
        "SELECT id, facts FROM letter WHERE channel = ?1 AND thread = ?2",
        params![channel, thread],
        |row| Ok((row.get("id")?, row.json("facts")?)),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::email::{MailAccount, MailFile};
    use model::text::SafeText;
    use model::time::Timestamp;
    use sqlite::JsonCell;

    const LETTER: &str = r#"{"cc":[],"files":[{"enclosed":true,"kind":null,"name":"a.pdf","size":7,"url":null}],
        "from":"ana@y.example","fromName":"Ana\u001b[2J","headerId":"<1@y.example>",
        "links":["https://y.example/"],"plain":"Hi\nthere","replyTo":null,"rich":null,"subject":null,
        "to":["shop@x.example"]}"#;
    const ACCOUNT: &str = r#"{"address":"shop@x.example","autoReply":true,"name":null,"provider":null,
        "status":"active","syncedAt":5}"#;

    #[test]
    fn letters_and_accounts_are_kept_in_one_form() {
        let letter = MailMessage {
            from: SafeText::line("ana@y.example"),
            from_name: Some(SafeText::line("Ana\u{1b}[2J")),
            to: vec![SafeText::line("shop@x.example")],
            header_id: Some("<1@y.example>".to_owned()),
            plain: Some(SafeText::block("Hi\nthere")),
            links: vec![SafeText::line("https://y.example/")],
            files: vec![MailFile {
                name: SafeText::line("a.pdf"),
                size: Some(7),
                enclosed: true,
                ..MailFile::default()
            }],
            ..MailMessage::default()
        };
        assert_eq!(MailMessage::from_json(LETTER), letter);
        assert_eq!(MailMessage::from_json(&json_of(&letter)), letter);
        for wrong in ["", "[]", r#"{"files":[7]}"#, r#"{"to":7}"#] {
            assert_eq!(MailMessage::from_json(wrong), MailMessage::default(), "{wrong}");
        }
        let account = MailAccount {
            address: SafeText::line("shop@x.example"),
            sync_status: Some(SafeText::line("active")),
            last_sync_at: Some(Timestamp::from_micros(5)),
            ai_auto_reply: Some(true),
            ..MailAccount::default()
        };
        assert_eq!(MailAccount::from_json(ACCOUNT), account);
        assert_eq!(MailAccount::from_json(&json_of(&account)), account);
    }
}
