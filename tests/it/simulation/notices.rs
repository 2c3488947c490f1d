//! Notifications as a person hears them: each must be for a new message. A trigger in the desk's
//! file records stored messages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use frontdesk::model::ids::ConversationId;
use rusqlite::{Connection, OpenFlags};

pub struct Notices {
    folder: PathBuf,
    heard: BTreeSet<String>,
    /// Last stored message of each conversation at its last notification.
    until: BTreeMap<ConversationId, i64>,
    pub count: u64,
    /// Notifications without a new message.
    pub doubled: Vec<String>,
    connection: Option<Connection>,
}

/// Adds a trigger to the desk's file that records customers' messages.
pub fn watch(folder: &Path) {
    let connection = Connection::open(folder.join("cache.db")).expect("the cache opens");
    connection
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS simulated_inbound (
                 number INTEGER PRIMARY KEY, conversation TEXT NOT NULL, id TEXT NOT NULL);
             CREATE INDEX IF NOT EXISTS simulated_inbound_of ON simulated_inbound (conversation, number, id);
             CREATE TRIGGER IF NOT EXISTS simulated_inbound_stored AFTER INSERT ON message
             WHEN new.inbound = 1 BEGIN
                 INSERT INTO simulated_inbound (conversation, id)
                 SELECT id, new.id FROM conversation WHERE number = new.conversation;
             END;",
        )
        .expect("it watches");
}

impl Notices {
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            heard: BTreeSet::new(),
            until: BTreeMap::new(),
            count: 0,
            doubled: Vec::new(),
            connection: None,
        }
    }

    /// Handles a notification; its messages are stored by then.
    pub fn ring(&mut self, conversation: &ConversationId) {
        let connection = self.connection.get_or_insert_with(|| {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(self.folder.join("cache.db"), flags).expect("the cache opens")
        });
        let mut statement = connection
            .prepare_cached(
                "SELECT number, id FROM simulated_inbound WHERE conversation = ?1 AND number > ?2
                 ORDER BY number",
            )
            .expect("prepared");
        let until = self.until.entry(conversation.clone()).or_default();
        let stored = statement.query_map((conversation.as_str(), *until), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        });
        let before = self.heard.len();
        for stored in stored.expect("rows") {
            let (number, id) = stored.expect("an id");
            *until = number;
            self.heard.insert(id);
        }
        self.count += 1;
        if self.heard.len() == before {
            self.doubled.push(conversation.to_string());
        }
    }

    pub fn has(&self, message: &str) -> bool {
        self.heard.contains(message)
    }
}
