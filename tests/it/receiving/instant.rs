//! The receiver with the engine and the real service: one webhook is registered, reused, moved with
//! its address and removed; deliveries are on screen at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk::model::ids::ChannelId;
use frontdesk::model::news::News;
use frontdesk::model::secret::Secret;
use frontdesk::model::time::{Clock, SECOND};
use frontdesk::model::webhook_status::WebhookDeliveryState;
use frontdesk::shell::clock::SystemClock;
use frontdesk::shell::receiving::{self, ReceiverSetup, RunningReceiver, WebhookSecrets};
use frontdesk::store::Store;
use frontdesk::sync::{ChannelSpec, Engine, Polling};
use portable_pty::CommandBuilder;
use serde_json::{Value, json};

use crate::binary::{Binary, free_port};
use crate::desk::Desk;
use crate::pty::Terminal;
use crate::waiting::{until, until_so};

const ANA: &str = "+34600111222";
/// No polling during a test.
const NEVER: Duration = Duration::from_secs(3600);

/// Webhook secrets in memory.
#[derive(Default)]
struct Remembered(Mutex<HashMap<ChannelId, Secret>>);

impl WebhookSecrets for Remembered {
    fn load(&self, channel: &ChannelSpec) -> Option<Secret> {
        self.0.lock().expect("no one failed").get(&channel.id).cloned()
    }

    fn store(&self, channel: &ChannelSpec, secret: &Secret) -> Result<(), String> {
        self.0.lock().expect("no one failed").insert(channel.id.clone(), secret.clone());
        Ok(())
    }
}

/// A service, a data folder, and state that outlives a restart.
struct Scene {
    desk: Desk,
    folder: tempfile::TempDir,
    secrets: Arc<Remembered>,
}

struct Running {
    engine: Arc<Engine>,
    store: Store,
    receiving: Option<RunningReceiver>,
    news: Arc<Mutex<Vec<News>>>,
}

/// A service with the system's time.
fn service() -> Desk {
    let desk = Desk::new(80, 24);
    let behind = SystemClock.now().since(desk.clock.now()) / SECOND;
    desk.dev("clock", json!({"advance_seconds": behind}));
    desk
}

fn writes(desk: &Desk, text: &str) {
    desk.customer("whatsapp", ANA, "Ana Wells", text);
    desk.dev("clock", json!({"advance_seconds": 0}));
}

impl Scene {
    fn new() -> Self {
        let desk = service();
        Self { desk, folder: tempfile::tempdir().expect("a folder"), secrets: Arc::default() }
    }

    fn start(&self, port: Option<u16>) -> Running {
        let store = Store::open(self.folder.path()).expect("the files open");
        let spec = ChannelSpec {
            id: ChannelId::from("harbor chat"),
            name: "Harbor chat".into(),
            base_url: self.desk.base_url.clone(),
            key: Secret::new(&self.desk.key_of("whatsapp")),
            read_only: false,
            draft_only: false,
        };
        let news: Arc<Mutex<Vec<News>>> = Arc::default();
        let log = news.clone();
        let tell: receiving::NewsCallback =
            Arc::new(move |news| log.lock().expect("no one failed").push(news));
        let handle = self.desk.runtime.handle().clone();
        let polling = Polling { visible: NEVER, background: NEVER };
        let clock = Arc::new(SystemClock);
        let specs = vec![spec];
        let engine =
            Engine::start(handle.clone(), store.clone(), specs.clone(), clock, tell.clone(), polling);
        let engine = Arc::new(engine);
        let setup = port.map(|port| ReceiverSetup {
            listen: ([127, 0, 0, 1], port).into(),
            public_url: format!("http://127.0.0.1:{port}/hooks"),
            secrets: self.secrets.clone(),
        });
        let receiving = Some(receiving::start(&handle, setup, &engine, specs, tell));
        Running { engine, store, receiving, news }
    }

    /// Waits for the first poll; earlier messages never notify.
    fn waits_for_first_look(&self, running: &Running) {
        let id = ChannelId::from("harbor chat");
        until_so("the first look", || {
            self.desk.runtime.block_on(running.store.meta(&id, "ring_after")).expect("read").is_some()
        });
    }

    fn webhooks(&self) -> Vec<Value> {
        self.desk.get("whatsapp", "/webhooks")["data"].as_array().expect("a list").clone()
    }

    fn end(&self, mut running: Running) {
        running.receiving = None;
        self.desk.runtime.block_on(running.engine.shutdown());
    }
}

impl Running {
    fn state(&self) -> Option<WebhookDeliveryState> {
        let news = self.news.lock().expect("no one failed");
        news.iter().rev().find_map(|news| match news {
            News::WebhookStatus(_, reception) => Some(reception.state.clone()),
            _ => None,
        })
    }

    fn rang(&self) -> usize {
        let news = self.news.lock().expect("no one failed");
        news.iter().filter(|news| matches!(news, News::Inbound(..))).count()
    }
}

#[test]
fn its_webhook_is_registered_once_moved_with_its_address_and_taken_away() {
    let scene = Scene::new();
    let port = free_port();
    let running = scene.start(Some(port));
    // The challenge was answered; only a delivery proves that the webhook works.
    until_so("the webhook", || running.state() == Some(WebhookDeliveryState::Quiet));
    let all = scene.webhooks();
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(
        all[0]["url"]
            .as_str()
            .is_some_and(|text| text.starts_with(&format!("http://127.0.0.1:{port}/hooks/harbor-chat-")))
    );
    scene.waits_for_first_look(&running);
    // Without polling, the message must have been delivered.
    writes(&scene.desk, "Hello?");
    until_so("the message", || running.rang() == 1);
    until_so("instant mode", || running.state() == Some(WebhookDeliveryState::Instant));
    scene.end(running);

    let running = scene.start(Some(port));
    until_so("the webhook", || running.state() == Some(WebhookDeliveryState::Quiet));
    let again = scene.webhooks();
    assert_eq!((again.len(), &again[0]["id"]), (1, &all[0]["id"]), "used again");
    let before = running.rang();
    writes(&scene.desk, "And?");
    until_so("the next message", || running.rang() > before);
    until_so("instant mode", || running.state() == Some(WebhookDeliveryState::Instant));
    scene.end(running);

    let moved = free_port();
    let running = scene.start(Some(moved));
    until_so("the webhook elsewhere", || {
        let all = scene.webhooks();
        let there =
            |value: &Value| value["url"].as_str().is_some_and(|entry| entry.contains(&format!(":{moved}/")));
        all.len() == 1 && there(&all[0])
    });
    scene.end(running);

    let running = scene.start(None);
    until_so("none", || scene.webhooks().is_empty());
    scene.end(running);
}

#[test]
fn an_address_in_use_is_said_and_polling_goes_on() {
    let scene = Scene::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let running = scene.start(Some(taken.local_addr().expect("an address").port()));
    let why = until("why", || match running.state() {
        Some(WebhookDeliveryState::Closed(why)) => Ok(why),
        other => Err(format!("{other:?}")),
    });
    assert!(why.as_str().contains("another desk"), "{why}");
    assert!(scene.webhooks().is_empty(), "nothing is registered that leads nowhere");
    scene.end(running);
}

#[test]
fn a_message_is_on_the_screen_although_nothing_polls() {
    let desk = service();
    let binary = Binary::new();
    let port = free_port();
    binary.configure(&format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n\
         [polling]\nvisible_seconds = 3600\nbackground_seconds = 3600\n\
         [receiver]\nlisten = \"127.0.0.1:{port}\"\npublic_url = \"http://127.0.0.1:{port}\"\n",
        desk.base_url
    ));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.env("FRONTDESK_CONFIG_DIR", binary.folder());
    command.env("FRONTDESK_DATA_DIR", binary.data());
    command.env("CHAT_KEY", desk.key_of("whatsapp"));
    let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, 100, 30);
    terminal.keys("gw");
    terminal.wait_for_text("registered");
    terminal.keys("gi");
    writes(&desk, "Is my bicycle ready?");
    terminal.wait_for_text("Is my bicycle ready?");
    terminal.keys("gw");
    terminal.wait_for_text("deliveries come through");
    terminal.keys("gi");
    writes(&desk, "It is the red one.");
    terminal.wait_for_text("It is the red one.");
    // The secret is stored like keys, and printed nowhere.
    let keys: Vec<_> = std::fs::read_dir(binary.folder().join("keys")).expect("a folder").collect();
    assert_eq!(keys.len(), 1);
    terminal.kill();
}
