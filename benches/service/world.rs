//! The world that is measured: made once, the same each time, through the
//! service's own tables.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frontdesk::model::account::Environment;
use frontdesk::model::time::{SECOND, Timestamp};
use frontdesk::service::database::conversations::{self, ConversationRow};
use frontdesk::service::database::messages::{self, MessageRow};
use frontdesk::service::{self, Options, keys};
use frontdesk::shell::clock::SystemClock;
use rusqlite::Connection;

/// Conversations.
pub const CONVERSATIONS: usize = 100_000;
/// Of these, the first so many have a long history.
pub const LONG: usize = 100;
/// Messages of a short and of a long history: 1,000,000 together.
const SHORT_HISTORY: usize = 9;
const LONG_HISTORY: usize = 1_009;
/// When the first message was written: 1 January 2026.
const START: i64 = 1_767_225_600 * SECOND;

/// The file, and the key it is asked with.
pub struct World {
    folder: PathBuf,
    pub key: String,
}

impl World {
    /// Makes the world unless it is there.
    pub async fn ready() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench");
        let (file, key) = (folder.join("world.db"), folder.join("world.key"));
        // A key of an earlier form is not taken.
        if let Some(key) = fs::read_to_string(&key).ok().filter(|key| keys::is_well_formed(key)) {
            return Self { folder, key };
        }
        println!("making {CONVERSATIONS} conversations and 1,000,000 messages in {}", file.display());
        drop(fs::remove_dir_all(&folder));
        let options =
            Options::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), file.clone(), Arc::new(SystemClock));
        let running = service::start(options).await.expect("the service starts");
        let live =
            running.keys.iter().find(|key| key.channel == "whatsapp" && key.environment == Environment::Live);
        let text = live.expect("a key").key.expose().to_owned();
        running.shutdown().await;
        fill(&file);
        fs::write(&key, &text).expect("written");
        Self { folder, key: text }
    }

    /// A copy that a run may change.
    pub fn copy(&self) -> PathBuf {
        let copy = self.folder.join("run.db");
        for suffix in ["-wal", "-shm"] {
            drop(fs::remove_file(self.folder.join(format!("run.db{suffix}"))));
        }
        fs::copy(self.folder.join("world.db"), &copy).expect("copied");
        copy
    }
}

/// The id of a conversation.
pub fn conversation(number: usize) -> String {
    format!("conv_{number:014x}00000000")
}

/// The number of a customer.
pub fn phone(number: usize) -> String {
    format!("+346{number:08}")
}

fn fill(file: &Path) {
    let mut db = Connection::open(file).expect("opens");
    db.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;").expect("set");
    let change = db.transaction().expect("begun");
    let mut serial = 0_i64;
    for number in 0..CONVERSATIONS {
        let history = if number < LONG { LONG_HISTORY } else { SHORT_HISTORY };
        let id = conversation(number);
        let first = Timestamp::from_micros(START + serial * SECOND);
        let mut row = ConversationRow::new(id.clone(), "ch_whatsapp", &phone(number), first);
        row.name = Some(format!("Customer {number}"));
        row.message_count = i64::try_from(history).expect("small");
        row.preview = text(number, history - 1);
        row.last_at = first.plus((row.message_count - 1) * SECOND);
        row.last_inbound_at = Some(row.last_at);
        if number % 10 == 0 {
            row.status = "closed".to_owned();
        }
        conversations::insert(&*change, &row).expect("inserted");
        for turn in 0..history {
            messages::insert(&*change, &message(&id, number, turn, serial)).expect("inserted");
            serial += 1;
        }
    }
    change.commit().expect("kept");
    db.execute_batch("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);").expect("folded");
}

fn message(conversation: &str, number: usize, turn: usize, serial: i64) -> MessageRow {
    let inbound = turn.is_multiple_of(2);
    let at = Timestamp::from_micros(START + serial * SECOND);
    let seen = (!inbound).then(|| at.plus(2 * SECOND));
    MessageRow {
        id: format!("msg_{:014x}{:08x}", at.micros(), serial),
        conversation: conversation.to_owned(),
        channel: "ch_whatsapp".to_owned(),
        platform_id: format!("wamid.{serial:028X}"),
        direction: if inbound { "inbound" } else { "outbound" }.to_owned(),
        sender: if inbound { "customer" } else { "ai" }.to_owned(),
        content: text(number, turn),
        kind: "text".to_owned(),
        media_url: None,
        details: None,
        status: if inbound { "received" } else { "read" }.to_owned(),
        reply_to: None,
        reaction: None,
        extras: None,
        cost: 0,
        created_at: at,
        sent_at: None,
        delivered_at: seen,
        read_at: seen,
        broadcast: None,
    }
}

/// Between 20 and 120 characters, some of them not ASCII.
fn text(number: usize, turn: usize) -> String {
    let words = ["hello", "where", "is", "my", "order", "número", "1041", "gracias", "the", "bicycle"];
    let count = 5 + (number + turn * 7) % 16;
    let pick = |entry: usize| words[(number * 31 + turn * 17 + entry * 13) % words.len()];
    (0..count).map(pick).collect::<Vec<_>>().join(" ")
}
