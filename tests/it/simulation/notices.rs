//! Rings as a person hears them: each must be for a message that nothing has
//! rung for yet.
//!
//! The desk's own file notes what is stored, in its order, so that a ring has
//! to look only at what came since the last one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use frontdesk::model::ids::ConversationId;
use rusqlite::{Connection, OpenFlags};

/// What has rung on one desk.
pub struct Notices {
    folder: PathBuf,
    heard: BTreeSet<String>,
    /// The last stored message each conversation rang for.
    until: BTreeMap<ConversationId, i64>,
    pub count: u64,
    /// Rings for nothing new.
    pub doubled: Vec<String>,
    connection: Option<Connection>,
}

/// Makes the desk's file note every message of a customer that is stored.
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

    /// A conversation rings. The messages are stored by then.
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

    /// Whether something has rung for a message.
    pub fn has(&self, message: &str) -> bool {
        self.heard.contains(message)
    }
}
