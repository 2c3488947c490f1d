//! What the inbox sits on: a service with 10,000 conversations, the proxy
//! before it, and a data folder whose cache has read them all.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use frontdesk::client::Client;
use frontdesk::model::account::Platform;
use frontdesk::model::ids::ChannelId;
use frontdesk::model::secret::Secret;
use frontdesk::model::time::{Clock, MINUTE, SECOND, Timestamp};
use frontdesk::service::database::conversations::{self, ConversationRow};
use frontdesk::service::database::messages::{self, MessageRow};
use frontdesk::shell::clock::SystemClock;
use frontdesk::store::Store;
use portable_pty::CommandBuilder;
use rusqlite::Connection;
use serde_json::json;

use crate::proxy::{Door, Proxy};
use crate::service::{self, Service};

/// Conversations of the business chat.
const CONVERSATIONS: usize = 10_000;
/// Conversations of the bot-chat.
const BOT_CONVERSATIONS: usize = 50;

/// All of it.
pub struct Scene {
    pub proxy: Proxy,
    pub dev_url: String,
    folder: tempfile::TempDir,
    keys: Vec<(String, String)>,
    _service: Service,
}

impl Scene {
    /// Makes all of it.
    pub async fn ready() -> Self {
        frontdesk::client::install_tls();
        let folder = tempfile::tempdir().expect("a folder");
        let start = || Service::start(folder.path(), &["--unlimited"]);
        let first = start();
        let keys: Vec<(String, String)> =
            ["whatsapp", "telegram"].map(|text| (text.to_owned(), first.key(text))).into();
        drop(first);
        fill(&folder.path().join("service.db"));
        let service = start();
        let (base_url, dev_url) = (service.base_url(), service.dev_url());
        let proxy = Proxy::start(service.address(), Door::Open).await;
        let scene = Self { proxy, dev_url, folder, keys, _service: service };
        for (channel, key) in &scene.keys {
            scene.read_all(&base_url, channel, key).await;
        }
        scene
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Connections that can hold the locks of both files.
    pub fn locks(&self) -> [Connection; 2] {
        ["outbox.db", "cache.db"].map(|entry| Connection::open(self.data().join(entry)).expect("it opens"))
    }

    /// The inbox, with its service at an address or behind the proxy.
    pub fn inbox(&self, base_url: Option<&str>) -> CommandBuilder {
        let base_url = base_url.map_or_else(|| self.proxy.base_url(), str::to_owned);
        let mut text = String::from(
            "[behaviour]\npause_on_reply = \"never\"\nundo_seconds = { chat = 0 }\n\
             [polling]\nvisible_seconds = 1\nbackground_seconds = 2\n",
        );
        let variable = |channel: &str| format!("KEY_{channel}");
        for (channel, _) in &self.keys {
            let variable = variable(channel);
            text.push_str(&format!(
                "[[channel]]\nname = \"{channel}\"\nbase_url = \"{base_url}\"\nkey_env = \"{variable}\"\n"
            ));
        }
        let keys: Vec<_> = self.keys.iter().map(|(channel, key)| (variable(channel), key)).collect();
        let keys: Vec<_> = keys.iter().map(|(variable, key)| (variable.as_str(), key.as_str())).collect();
        service::inbox(self.folder.path(), &text, &keys)
    }

    /// Customers write, so many of them.
    pub async fn flood(dev_url: String, count: usize) {
        let caller = service::caller();
        for number in 0..count {
            let text = format!("flood {number}");
            let told = json!({"channel": "whatsapp", "from": phone(number % 500), "text": text});
            service::write(&caller, &dev_url, &told).await;
        }
    }

    /// Reads the list of a channel into the cache, page by page.
    async fn read_all(&self, base_url: &str, channel: &str, key: &str) {
        let store = Store::open(&self.data()).expect("the files open");
        let clock = Arc::new(Ahead::default());
        let client = Client::new(base_url, &Secret::new(key), clock.clone()).expect("a client");
        let id = ChannelId::from(channel);
        let platform = if channel == "telegram" { Platform::Telegram } else { Platform::Whatsapp };
        let mut cursor = None;
        loop {
            // Each page in a minute of its own: no budget is waited for.
            clock.advance(MINUTE);
            let snapshot = store.snapshot();
            let page = client.conversations(&platform, cursor.as_deref()).await.expect("a page");
            let rows = page.items;
            store.apply_conversations(&id, rows, snapshot, true, Vec::new()).await.expect("kept");
            cursor = page.next_cursor;
            if cursor.is_none() {
                return;
            }
        }
    }
}

/// The system's clock, and ahead of it, so that no budget has to be waited for.
#[derive(Debug, Default)]
struct Ahead(AtomicI64);

impl Ahead {
    fn advance(&self, micros: i64) {
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus(self.0.load(Ordering::SeqCst))
    }
}

fn phone(number: usize) -> String {
    format!("+34{number:05}4444")
}

/// Fills the service's own tables: the newest conversation wrote just now.
fn fill(file: &Path) {
    let mut db = Connection::open(file).expect("opens");
    let now = SystemClock.now();
    let change = db.transaction().expect("begun");
    for (channel, count) in [("whatsapp", CONVERSATIONS), ("telegram", BOT_CONVERSATIONS)] {
        for number in 0..count {
            let at = now.plus(-i64::try_from(number).expect("small") * SECOND);
            let id = format!("conv_{channel}_{number:08}");
            let peer = if channel == "telegram" { format!("77{number:06}") } else { phone(number) };
            let mut row = ConversationRow::new(id.clone(), &format!("ch_{channel}"), &peer, at);
            row.name = Some(format!("Customer {number}"));
            row.message_count = 1;
            row.preview = format!("where is my order {number}?");
            row.last_at = at;
            row.last_inbound_at = Some(at);
            conversations::insert(&*change, &row).expect("inserted");
            messages::insert(&*change, &message(&id, channel, number, at)).expect("inserted");
        }
    }
    change.commit().expect("kept");
}

fn message(conversation: &str, channel: &str, number: usize, at: Timestamp) -> MessageRow {
    MessageRow {
        id: format!("msg_{channel}_{number:08}"),
        conversation: conversation.to_owned(),
        channel: format!("ch_{channel}"),
        platform_id: format!("wamid.{channel}.{number:08}"),
        direction: "inbound".to_owned(),
        sender: "customer".to_owned(),
        content: format!("where is my order {number}?"),
        kind: "text".to_owned(),
        media_url: None,
        details: None,
        status: "received".to_owned(),
        reply_to: None,
        reaction: None,
        extras: None,
        cost: 0,
        created_at: at,
        sent_at: None,
        delivered_at: None,
        read_at: None,
        broadcast: None,
    }
}
