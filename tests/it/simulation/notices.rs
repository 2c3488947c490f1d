//! Rings as a person hears them: each must be for a message that nothing has
//! rung for yet.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use frontdesk::model::ids::ConversationId;
use rusqlite::{Connection, OpenFlags};

/// What has rung on one desk.
pub struct Notices {
    folder: PathBuf,
    heard: BTreeSet<String>,
    pub count: u64,
    /// Rings for nothing new.
    pub doubled: Vec<String>,
    connection: Option<Connection>,
}

impl Notices {
    pub fn new(folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { folder, heard: BTreeSet::new(), count: 0, doubled: Vec::new(), connection: None }
    }

    /// A conversation rings. The messages are stored by then.
    pub fn ring(&mut self, conversation: &ConversationId) {
        let connection = self.connection.get_or_insert_with(|| {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(self.folder.join("cache.db"), flags).expect("the cache opens")
        });
        let mut statement = connection
            .prepare_cached(
                "SELECT m.id FROM message m JOIN conversation c ON c.number = m.conversation
                 WHERE c.id = ?1 AND m.inbound = 1 ORDER BY m.sort_at DESC, m.id DESC LIMIT 400",
            )
            .expect("prepared");
        let ids = statement.query_map([conversation.as_str()], |row| row.get::<_, String>(0));
        let ids = ids.expect("rows").map(|it| it.expect("an id"));
        let before = self.heard.len();
        self.heard.extend(ids);
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
