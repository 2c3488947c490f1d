//! Real processes beside a running engine: the binary's commands, and a stopped inbox.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use frontdesk::model::ids::ChannelId;
use frontdesk::model::news::News;
use frontdesk::model::time::Clock;
#[cfg(target_os = "linux")]
use frontdesk::model::time::Timestamp;
use frontdesk::shell::clock::SystemClock;
use frontdesk::store::Store;
use frontdesk::sync::{ChannelSpec, Engine, Polling};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::hands::server::{Answer, Request, Server};
use crate::hands::{account, conversation, detail, message, page, quiet};
#[cfg(unix)]
use crate::waiting::until_found;

const KEY: &str = "svc_live_test";

fn chat(request: &Request) -> Answer {
    match request.route().as_str() {
        "GET /account" => Answer::ok(account("WHATSAPP")),
        "GET /conversations" => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
        "GET /conversations/c1" => Answer::ok(detail("c1", true)),
        "GET /conversations/c1/messages" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        "POST /messages/send" => Answer::ok(serde_json::json!({
            "messageId": "sent-1", "status": "sent", "creditsUsed": 1, "creditsRemaining": 7
        })),
        _ => quiet(request),
    }
}

fn configured(server: &Server) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "[[channel]]\nname = \"Harbor\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n",
        server.base_url
    );
    std::fs::write(folder.path().join("config.toml"), text).expect("written");
    folder
}

/// An engine in this process, as the inbox of that configuration has it.
fn engine(server: &Server, folder: &Path) -> (Engine, UnboundedReceiver<News>) {
    engine_by(Arc::new(SystemClock), server, folder)
}

fn engine_by(clock: Arc<dyn Clock>, server: &Server, folder: &Path) -> (Engine, UnboundedReceiver<News>) {
    let spec = ChannelSpec {
        id: ChannelId::from("harbor"),
        name: "Harbor".to_owned(),
        base_url: server.base_url.clone(),
        key: frontdesk::model::secret::Secret::new(KEY),
        read_only: false,
        draft_only: false,
    };
    let store = Store::open(&folder.join("data")).expect("the files open");
    let (told, news) = unbounded_channel();
    let told = std::sync::Mutex::new(told);
    let tell = Arc::new(move |news: News| {
        // The receiver may be dropped.
        let _ = told.lock().expect("no one failed").send(news);
    });
    let handle = tokio::runtime::Handle::current();
    let engine = Engine::start(handle, store, vec![spec], clock, tell, Polling::default());
    (engine, news)
}

async fn script(folder: &Path, arguments: &'static [&'static str]) -> Output {
    let folder = folder.to_owned();
    let run = move || {
        Command::new(env!("CARGO_BIN_EXE_frontdesk"))
            .args(arguments)
            .env("FRONTDESK_CONFIG_DIR", &folder)
            .env("FRONTDESK_DATA_DIR", folder.join("data"))
            .env("CHAT_KEY", KEY)
            .env_remove("HTTP_PROXY")
            .output()
            .expect("it runs")
    };
    tokio::task::spawn_blocking(run).await.expect("it ends")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_beside_an_inbox_queues_and_waits_for_the_inbox_to_send() {
    let server = Server::start(chat).await;
    let folder = configured(&server);
    let (running, mut news) = engine(&server, folder.path());
    crate::hands::until(&mut news, "the list", |news| matches!(news, News::Conversations(_))).await;
    let done = script(folder.path(), &["send", "c1", "Hello", "--beside-ai"]).await;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}");
    let listed = script(folder.path(), &["list"]).await;
    assert!(String::from_utf8_lossy(&listed.stdout).starts_with("c1"));
    crate::hands::until(&mut news, "its balance", |news| matches!(news, News::Credits(_, 7.0))).await;
    running.shutdown().await;
    let routes = server.routes();
    let count = |route: &str| routes.iter().filter(|text| *text == route).count();
    assert_eq!(
        (count("POST /messages/send"), count("GET /account")),
        (1, 1),
        "only the inbox asks: {routes:?}"
    );
    // Without a leader, a command sends itself.
    let done = script(folder.path(), &["send", "c1", "Again", "--beside-ai"]).await;
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(server.routes().contains(&"POST /messages/send".to_owned()));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_inbox_that_is_stopped_dead_loses_the_lead_and_does_not_take_it_back() {
    let server = Server::start(chat).await;
    let folder = configured(&server);
    let mut inbox = inbox(&server, folder.path()).await;
    let (running, mut news) = engine(&server, folder.path());
    // This engine follows: connection states come from the inbox.
    crate::hands::until(&mut news, "the inbox's word", |news| matches!(news, News::Health(..))).await;
    server.seen();
    signal(&*inbox, "STOP");
    wait_for_routes(&server, &["GET /account"]).await;
    signal(&*inbox, "CONT");
    running.focus(None);
    let done = script(folder.path(), &["send", "c1", "Hello", "--beside-ai", "--timeout", "120"]).await;
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let routes = server.routes();
    assert_eq!(routes.iter().filter(|route| *route == "POST /messages/send").count(), 1, "{routes:?}");
    assert_eq!(poller(folder.path()), std::process::id(), "the one that goes on takes no lead");
    running.shutdown().await;
    inbox.kill().expect("it ends");
}

/// Process that holds the polling lease.
#[cfg(unix)]
fn poller(folder: &Path) -> u32 {
    let cache = rusqlite::Connection::open(folder.join("data/cache.db")).expect("opens");
    let sql = "SELECT owner FROM lease WHERE name NOT LIKE '%.send%'";
    let owner: String = cache.query_row(sql, [], |row| row.get(0)).expect("a lease");
    owner.split('-').next().and_then(|process| process.parse().ok()).expect("a process")
}

/// The system's clock, which can be stopped.
#[cfg(target_os = "linux")]
#[derive(Debug, Default)]
struct Stopwatch(std::sync::Mutex<Option<Timestamp>>);

#[cfg(target_os = "linux")]
impl Clock for Stopwatch {
    fn now(&self) -> Timestamp {
        self.0.lock().expect("no one failed").unwrap_or_else(|| SystemClock.now())
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn an_inbox_that_is_killed_is_followed_before_its_lease_lapses() {
    let server = Server::start(chat).await;
    let folder = configured(&server);
    let mut inbox = inbox(&server, folder.path()).await;
    let clock = Arc::new(Stopwatch::default());
    let (running, mut news) = engine_by(clock.clone(), &server, folder.path());
    crate::hands::until(&mut news, "the inbox's word", |news| matches!(news, News::Health(..))).await;
    // With a stopped clock no lease expires: only the process's end can be the reason.
    *clock.0.lock().expect("no one failed") = Some(SystemClock.now());
    server.seen();
    inbox.kill().expect("it ends");
    inbox.wait().expect("it has ended");
    wait_for_routes(&server, &["GET /account"]).await;
    running.shutdown().await;
}

/// A real inbox in a pseudo-terminal, once it sends requests.
#[cfg(unix)]
async fn inbox(server: &Server, folder: &Path) -> Box<dyn portable_pty::Child + Send + Sync> {
    let pair = native_pty_system().openpty(PtySize::default()).expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.env("TERM", "xterm-256color");
    command.env("FRONTDESK_CONFIG_DIR", folder);
    command.env("FRONTDESK_DATA_DIR", folder.join("data"));
    command.env("CHAT_KEY", KEY);
    let inbox = pair.slave.spawn_command(command).expect("the binary starts");
    let mut output = pair.master.try_clone_reader().expect("a reader");
    // The output is read, so that the process never blocks.
    std::thread::spawn(move || {
        let _open = pair;
        std::io::copy(&mut output, &mut std::io::sink())
    });
    wait_for_routes(server, &["GET /account", "GET /triggers/new-message"]).await;
    inbox
}

/// Waits for all of these requests. Clear earlier ones before the act: the answer may be quick.
#[cfg(unix)]
async fn wait_for_routes(server: &Server, routes: &[&str]) {
    let mut seen = Vec::new();
    until_found(&routes.join(", "), async || {
        seen.extend(server.routes());
        if routes.iter().all(|route| seen.iter().any(|text| text == route)) {
            Ok(())
        } else {
            Err(format!("{seen:?}"))
        }
    })
    .await;
}

#[cfg(unix)]
fn signal(child: &(dyn portable_pty::Child + Send + Sync), name: &str) {
    crate::binary::signal(child.process_id().expect("an id"), name);
}
