//! A desk's folder: runs the real binary on it, and inspects and drains its outbox.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use frontdesk::client::prepare;
use frontdesk::config::Config;
use frontdesk::model::account::Platform;
use frontdesk::model::news::News;
use frontdesk::model::outbox::{Lane, Operation, RowState, StopReason};
use frontdesk::model::time::{Clock, SECOND, Timestamp};
use frontdesk::shell::clock::SystemClock;
use frontdesk::store::Store;
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::{ChannelSpec, ChannelSync, PushState, PushStep};
use portable_pty::CommandBuilder;
use rusqlite::{Connection, OpenFlags};

use crate::waiting::PATIENCE;

/// Steps after which an outbox counts as endless.
const STEPS: usize = 20_000;

/// A desk folder without a running inbox.
pub struct Folder {
    pub dir: tempfile::TempDir,
}

impl Folder {
    /// A configuration with one live business chat.
    pub fn new(base_url: &str, key: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let key_file = dir.path().join("key");
        std::fs::write(&key_file, key).expect("written");
        private(&key_file);
        let text = format!(
            "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{base_url}\"\nkey_file = \"{}\"\n\
             [behaviour]\npause_on_reply = \"never\"\nundo_seconds = {{ chat = 0 }}\n",
            key_file.display()
        );
        std::fs::write(dir.path().join("config.toml"), text).expect("written");
        Self { dir }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_frontdesk"))
            .args(arguments)
            .env("FRONTDESK_CONFIG_DIR", self.dir.path())
            .env("FRONTDESK_DATA_DIR", self.data())
            .env("FRONTDESK_LOG", "debug")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts")
    }

    pub fn inbox(&self) -> CommandBuilder {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
        command.env("FRONTDESK_CONFIG_DIR", self.dir.path());
        command.env("FRONTDESK_DATA_DIR", self.data());
        command
    }

    pub fn outbox(&self) -> Option<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        Connection::open_with_flags(self.data().join("outbox.db"), flags).ok()
    }

    /// A connection that can lock a file.
    pub fn to_lock(&self, file: &str) -> Connection {
        let connection = Connection::open(self.data().join(file)).expect("the file opens");
        // Another writer may take a while.
        connection.busy_timeout(PATIENCE).expect("set");
        connection
    }

    pub fn number(&self, sql: &str) -> i64 {
        let found = self.outbox().map(|outbox| outbox.query_row(sql, [], |row| row.get(0)));
        found.and_then(Result::ok).unwrap_or(0)
    }

    /// Texts ever committed, without those withdrawn because the server had not accepted them.
    pub fn committed(&self) -> i64 {
        self.number(
            "SELECT count(*) FROM audit q WHERE event = 'queued' AND operation = 'send' AND detail = ''
             AND NOT EXISTS (SELECT 1 FROM audit g WHERE g.row = q.row AND g.event = 'given up')",
        )
    }

    pub fn log(&self) -> String {
        let files = std::fs::read_dir(self.data()).into_iter().flatten().flatten();
        let logs = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "log"));
        logs.map(|log| std::fs::read_to_string(log.path()).unwrap_or_default()).collect()
    }

    pub fn spec(&self) -> ChannelSpec {
        let config = Config::read(&self.dir.path().join("config.toml")).expect("a configuration");
        frontdesk::cli::desk::specs(&config).expect("a key").remove(0)
    }

    /// Opens the store as a process with the channel's key.
    pub fn store(&self) -> Store {
        let store = Store::open(&self.data()).expect("the files open");
        let (clock, tell) = (Arc::new(SystemClock), Arc::new(|_: News| ()));
        ChannelSync::new(self.spec(), store.clone(), clock, tell).expect("a channel");
        store
    }

    /// Commits a text to the outbox without sending it.
    pub fn queue_text(&self, to: &str, text: &str) {
        let lane = Lane::Number(to.to_owned());
        let operation = Operation::SendText { to: to.to_owned(), text: text.to_owned(), reply_to: None };
        let request = prepare(&Platform::Whatsapp, &lane, &operation).expect("can be sent");
        let channel = self.spec().id;
        let row = NewRow { channel, lane, operation, request, hold_micros: 0, seen: None, planned_at: None };
        self.store().enqueue(row, SystemClock.now()).expect("queued");
    }

    /// Drains the outbox, sending stopped rows again. Returns the number of decisions.
    pub async fn drain(&self) -> usize {
        let store = self.store();
        let clock = Arc::new(Ahead::default());
        let channel = ChannelSync::new(self.spec(), store.clone(), clock.clone(), Arc::new(|_: News| ()))
            .expect("a channel");
        let mut state = PushState::new(clock.now());
        channel.pull_account().await;
        let mut asked = 0;
        for _ in 0..STEPS {
            match channel.push_once(&mut state, clock.now()).await {
                PushStep::Moved => {}
                PushStep::Due(until) => clock.advance(until.since(clock.now()).max(0) + 1),
                PushStep::Halted => {
                    channel.resume();
                    channel.pull_account().await;
                    clock.advance(SECOND);
                }
                PushStep::Idle => {
                    let rows = store.lane_rows(&channel.spec().id).await.expect("rows");
                    if rows.is_empty() {
                        return asked;
                    }
                    for row in rows.into_iter().map(|row| row.row) {
                        let RowState::Stopped(stop, _) = &row.state else { continue };
                        asked += 1;
                        let decided = store.retry_stopped(&row.id, None, clock.now()).expect("written");
                        let again =
                            decided.and_then(|applied_decision| applied_decision.after).expect("it goes on");
                        let pinned = row.operation.retry_class().relies_on_key()
                            && (stop.is_ambiguous() || *stop == StopReason::Auth);
                        assert!(!pinned || again.key == row.key, "a new key although {stop:?}");
                    }
                }
            }
        }
        panic!("the outbox does not settle");
    }
}

/// The system's clock plus an offset, so that no wait takes long.
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

fn private(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("the mode is taken");
}
