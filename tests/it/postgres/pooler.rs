//! A real PgBouncer before the server: refused if it loses prepared statements, used otherwise. A part of the
//! contract is run behind it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use frontdesk::service::{self, Options};
use serde_json::json;

use super::together::{Two, UNLIMITED};
use super::{cluster, inbound, messages, options, run_stories};
use crate::service::receiver::Receiver;
use crate::skipping::skip;
use crate::waiting::{aside, until_found};

/// Runs the pooler until the input ends. PgBouncer refuses to run as root.
const RUN: &str = r#"
    trap 'rm -rf "$1"' EXIT
    printf '"frontdesk" ""\n' >"$1/users"
    cat >"$1/pooler.ini" <<END
[databases]
* = host=SERVER
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = $1
auth_type = trust
auth_file = $1/users
SETTINGS
END
    "$0" -q "$1/pooler.ini" >"$1/log" 2>&1 &
    echo up
    cat >/dev/null
    kill $!
    wait
"#;

/// First version that keeps prepared statements in transaction mode.
const RENAMES_SINCE: (u32, u32) = (1, 21);
const TRANSACTION_MODE: &str = "pool_mode = transaction\nmax_prepared_statements = 200\n";
/// Stories of the contract that run behind the pooler.
const CONTRACT: [&str; 6] = [
    "contract::sending",
    "contract::idempotency",
    "contract::limits",
    "contract::paging",
    "service::events",
    "team::sharing",
];

/// A running PgBouncer; ends when dropped.
struct Pooler {
    folder: PathBuf,
    _keeper: Child,
}

fn installed() -> Option<(PathBuf, (u32, u32))> {
    let mut folders: Vec<PathBuf> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    // Debian installs it outside a user's path.
    folders.push("/usr/sbin".into());
    let program = folders.into_iter().map(|folder| folder.join("pgbouncer")).find(|path| path.exists());
    let Some(program) = program else {
        let demanded = std::env::var(cluster::DEMAND).is_ok_and(|var| var == "demanded");
        assert!(!demanded, "no pgbouncer is installed");
        skip("stories of a pooler, since no pgbouncer is installed");
        return None;
    };
    let told = Command::new(&program).arg("--version").output().expect("it tells its version").stdout;
    let told = String::from_utf8_lossy(&told).into_owned();
    let mut numbers = told.lines().next().unwrap_or("").rsplit(' ').next().unwrap_or("").split('.');
    let mut number = || numbers.next().and_then(|number| number.parse().ok()).expect("a version");
    Some((program, (number(), number())))
}

impl Pooler {
    async fn start(program: &Path, server: &Path, settings: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("fd-pooler-{}", uuid::Uuid::new_v4().simple()));
        let run = RUN.replace("SERVER", &server.to_string_lossy()).replace("SETTINGS", settings);
        let mut keeper = Command::new("sh")
            .args(["-c", cluster::AS_SOMEBODY])
            .args([program, &folder])
            .arg(run)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut told = String::new();
        BufReader::new(keeper.stdout.take().expect("piped")).read_line(&mut told).expect("read");
        assert_eq!(told, "up\n");
        let started = Self { folder, _keeper: keeper };
        let (url, log) = (started.url("postgres"), started.folder.join("log"));
        until_found("the pooler", async || {
            let asked = cluster::run(&url, "SELECT 1").await;
            asked.map_err(|error| format!("{error:?} {}", std::fs::read_to_string(&log).unwrap_or_default()))
        })
        .await;
        started
    }

    fn url(&self, name: &str) -> String {
        cluster::url(&self.folder, name)
    }
}

#[tokio::test]
async fn a_pooler_that_loses_prepared_statements_is_refused_in_words() {
    let Some(server) = cluster::server() else { return };
    let Some((program, version)) = installed() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let keeps = version >= RENAMES_SINCE;
    let loses = if keeps { "max_prepared_statements = 0\n" } else { "" };
    for more in ["", "default_pool_size = 1\n"] {
        let pooler =
            Pooler::start(&program, server, &format!("pool_mode = transaction\n{loses}{more}")).await;
        let url = cluster::database(server).await;
        let pooled = format!("{}&listen=off", pooler.url(cluster::name_in(&url)));
        let refused = service::start(options(&pooled, &folder)).await.err().expect("refused").to_string();
        assert!(refused.starts_with("postgres:///t_"), "where: {refused}");
        for words in ["loses prepared statements", "max_prepared_statements = 200", "pool_mode = session"] {
            assert!(refused.contains(words), "{refused}");
        }
        let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()";
        assert_eq!(cluster::count(&url.parse().expect("an address"), tables), 0, "nothing was made");
    }
    if keeps {
        let pooler = Pooler::start(&program, server, TRANSACTION_MODE).await;
        for more in ["", "&listen=off"] {
            is_served_through(&pooler, server, more).await;
        }
    }
}

/// Without notifications, the process that delivers learns of a commit of the other.
#[tokio::test]
async fn notifications_that_a_pooler_loses_are_replaced_by_polling_and_that_is_said_once() {
    const SAID: &str = "the database is behind a pooler in transaction mode";
    let Some(server) = cluster::server() else { return };
    let Some((program, version)) = installed() else { return };
    let (transactions, sessions) = (TRANSACTION_MODE, "pool_mode = session\ndefault_pool_size = 40\n");
    let settings = if version >= RENAMES_SINCE { &[transactions, sessions][..] } else { &[sessions] };
    for settings in settings {
        let pooler = Pooler::start(&program, server, settings).await;
        let url = cluster::database(server).await;
        let mut two = Two::on(pooler.url(cluster::name_in(&url)), "", &UNLIMITED);
        let receiver = Receiver::start().await;
        let hook = json!({"url": receiver.url, "events": ["message.received"]});
        let (status, told) = two.one.ask("/v1/webhooks", two.key(), None, Some(hook)).await;
        assert!(status == 200 || status == 201, "{told}");
        receiver.take();
        for process in [&two.one, &two.other] {
            process.inbound("+34600111222", "hi").await;
        }
        two.waits_for_count("SELECT count(*) FROM deliveries WHERE delivered_at IS NOT NULL", 2).await;
        two.end().await;
        let is_told = usize::from(*settings == transactions && cluster::served("").is_empty());
        for name in ["one.log", "other.log"] {
            let log = std::fs::read_to_string(two.binary.folder().join(name)).expect("a log");
            assert_eq!(log.matches(SAID).count(), is_told, "{settings} {log}");
        }
    }
}

/// In transaction mode where it is supported, else in session mode.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_of_the_contract_holds_behind_a_pooler() {
    const MORE: &str = "max_client_conn = 2000\nserver_idle_timeout = 1\n";
    let Some(server) = cluster::server() else { return };
    let Some((program, version)) = installed() else { return };
    let mode = if version >= RENAMES_SINCE {
        TRANSACTION_MODE
    } else {
        "pool_mode = session\ndefault_pool_size = 40\n"
    };
    let pooler = Pooler::start(&program, server, &format!("{mode}{MORE}")).await;
    let folder = pooler.folder.clone();
    aside(move || run_stories(&folder, "on", &CONTRACT, 30)).await;
}

#[tokio::test]
async fn a_pooler_of_sessions_is_served_through() {
    let Some(server) = cluster::server() else { return };
    let Some((program, _)) = installed() else { return };
    // Session settings of one client remain for the next.
    let settings = "pool_mode = session\ndefault_pool_size = 40\nserver_reset_query =\n";
    let pooler = Pooler::start(&program, server, settings).await;
    is_served_through(&pooler, server, "").await;
}

/// Two processes work behind the pooler, and no setting outlives its transaction.
async fn is_served_through(pooler: &Pooler, server: &Path, more: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = cluster::database(server).await;
    let durable = format!("ALTER DATABASE {} SET synchronous_commit = local", cluster::name_in(&url));
    cluster::run(&url, &durable).await.expect("set");
    let pooled = format!("{}{more}", pooler.url(cluster::name_in(&url)));
    let limited = || Options { unlimited: false, ..options(&pooled, &folder) };
    let one = service::start(limited()).await.expect("it starts");
    let other = service::start(limited()).await.expect("it starts beside");
    let key = one.keys.first().expect("a key").key.expose().to_owned();
    for running in [&one, &other, &one] {
        assert!(inbound(running, "hi").await.is_success());
    }
    one.shutdown().await;
    assert!(inbound(&other, "hi again").await.is_success());
    assert_eq!(messages(&url), 4);
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let calls = (0..12).map(|_| client.get(format!("{}/account", other.base_url)).bearer_auth(&key).send());
    for answer in futures_util::future::join_all(calls).await {
        assert!(answer.expect("an answer").status().is_success());
    }
    other.shutdown().await;
    is_set_to_nothing(&pooler.url(cluster::name_in(&url))).await;
}

/// Checks as many server connections as available.
async fn is_set_to_nothing(url: &str) {
    let mut taken = Vec::new();
    for _ in 0..12 {
        let (client, connection) =
            tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("it answers");
        tokio::spawn(connection);
        client.batch_execute("BEGIN").await.expect("begun");
        taken.push(client);
    }
    for client in &taken {
        for (name, usual) in [
            ("synchronous_commit", "local"),
            ("idle_in_transaction_session_timeout", "0"),
            ("lock_timeout", "0"),
        ] {
            let told = client.simple_query(&format!("SHOW {name}")).await.expect("told");
            let value = told.iter().find_map(|entry| match entry {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
                _ => None,
            });
            assert_eq!(value, Some(usual), "{name}");
        }
    }
}
