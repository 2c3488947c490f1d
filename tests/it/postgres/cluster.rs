//! A temporary PostgreSQL server for one run of the tests, on a socket in a folder of its own. A
//! shell that reads its input until the end stops the server, also if the tests are killed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use frontdesk::service::{DatabaseLocation, Options};

use crate::skipping::skip;
use crate::waiting::until_found;

/// Server whose databases a nested run of this binary uses.
pub const SERVER: &str = "FRONTDESK_TEST_SERVER";
/// If `off`, services run without notifications.
pub const LISTEN: &str = "FRONTDESK_POSTGRES_LISTEN";
/// If `demanded`, a missing server fails the tests.
pub const DEMAND: &str = "FRONTDESK_POSTGRES";

/// Creates a cluster and runs it until the input ends. PostgreSQL refuses to run as root. Each
/// process of a service holds 15 connections, and tests with two or three processes run in
/// parallel.
const RUN: &str = r#"
    set -e
    trap 'rm -rf "$1"' EXIT
    "$0/initdb" -D "$1/data" -U frontdesk --auth=trust --no-sync --no-instructions -E UTF8 --locale=C >"$1/log" 2>&1
    "$0/pg_ctl" -D "$1/data" -w -t 60 -l "$1/log" start >/dev/null -o "-c listen_addresses= \
        -c unix_socket_directories=$1 -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
        -c shared_buffers=32MB -c max_connections=600"
    echo up
    cat >/dev/null
    "$0/pg_ctl" -D "$1/data" -m immediate stop >/dev/null 2>&1
"#;
/// Runs a script as a user other than root, in a folder of that user.
pub const AS_SOMEBODY: &str = r#"
    if [ "$(id -u)" = 0 ]; then
        install -d -o postgres -m 700 "$1"
        exec runuser -u postgres -- sh -c "$2" "$0" "$1"
    fi
    mkdir -m 700 "$1"
    exec sh -c "$2" "$0" "$1"
"#;

struct Cluster {
    folder: PathBuf,
    _keeper: Option<Child>,
}

/// Folder of an installed server's programs, which Debian keeps out of the path.
pub fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut found: Vec<_> = versions.flatten().map(|version| version.path().join("bin")).collect();
    found.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    // A link may point to `initdb` alone, without the programs beside it.
    let real = |path: PathBuf| Some(path.join("initdb").canonicalize().ok()?.parent()?.to_owned());
    let mut found: Vec<_> = found.into_iter().filter_map(real).collect();
    found.sort();
    found.pop()
}

fn start(programs: &Path) -> Cluster {
    let folder = std::env::temp_dir().join(format!("fd-pg-{}", uuid::Uuid::new_v4().simple()));
    let mut keeper = Command::new("sh")
        .args(["-c", AS_SOMEBODY])
        .args([programs, folder.as_path()])
        .arg(RUN)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut told = String::new();
    BufReader::new(keeper.stdout.take().expect("piped")).read_line(&mut told).expect("read");
    let log = || std::fs::read_to_string(folder.join("log")).unwrap_or_default();
    assert_eq!(told, "up\n", "the server does not start: {}", log());
    Cluster { folder, _keeper: Some(keeper) }
}

fn cluster() -> Option<&'static Cluster> {
    static RUNNING: OnceLock<Option<Cluster>> = OnceLock::new();
    let made = || match std::env::var_os(SERVER) {
        Some(folder) => Some(Cluster { folder: folder.into(), _keeper: None }),
        None => {
            let found = programs().map(|program| start(&program));
            if found.is_none() {
                skip("stories on PostgreSQL, since no initdb is installed");
            }
            found
        }
    };
    RUNNING.get_or_init(made).as_ref()
}

/// Folder of the server's socket; `None` with a message if there is no server.
pub fn server() -> Option<&'static Path> {
    let found = cluster();
    let demanded = std::env::var(DEMAND).is_ok_and(|var| var == "demanded");
    assert!(found.is_some() || !demanded, "no initdb is installed");
    found.map(|cluster| cluster.folder.as_path())
}

pub fn url(server: &Path, name: &str) -> String {
    format!("postgres:///{name}?user=frontdesk&host={}", server.display())
}

/// URL of a database for a service; without notifications if [`LISTEN`] is `off`.
pub fn served(url: &str) -> String {
    let is_off = std::env::var(LISTEN).is_ok_and(|var| var == "off");
    if is_off { format!("{url}&listen=off") } else { url.to_owned() }
}

pub async fn run(url: &str, sql: &str) -> Result<(), tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
    let driven = tokio::spawn(connection);
    let done = client.batch_execute(sql).await;
    driven.abort();
    done
}

pub async fn database(server: &Path) -> String {
    named(server, &format!("t_{}", uuid::Uuid::new_v4().simple())).await
}

async fn named(server: &Path, name: &str) -> String {
    let made = run(&url(server, "postgres"), &format!("CREATE DATABASE {name} TEMPLATE template0")).await;
    if let Err(cause) = made {
        let known = cause.code() == Some(&tokio_postgres::error::SqlState::DUPLICATE_DATABASE);
        assert!(known, "{cause:?}");
    }
    url(server, name)
}

/// Copies a database without connections; returns the copy's name.
pub async fn copy(server: &Path, url: &str) -> String {
    let name = format!("t_{}", uuid::Uuid::new_v4().simple());
    let sql = format!("CREATE DATABASE {name} TEMPLATE {}", name_in(url));
    until_unused(server, &sql).await;
    name
}

/// Recreates a database from a copy.
pub async fn restore(server: &Path, copy: &str, url: &str) {
    let name = name_in(url);
    until_unused(server, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
    until_unused(server, &format!("CREATE DATABASE {name} TEMPLATE {copy}")).await;
}

pub fn name_in(url: &str) -> &str {
    let (path, _) = url.split_once('?').expect("parameters");
    path.rsplit('/').next().expect("a name")
}

/// Repeats a statement while a last connection is still closing.
async fn until_unused(server: &Path, sql: &str) {
    let server = url(server, "postgres");
    until_found(sql, async || run(&server, sql).await.map_err(|error| format!("{error:?}"))).await;
}

/// In a nested run, moves a test's database to the server, under the name of its folder.
pub async fn settle(options: &mut Options) {
    let Some(server) = std::env::var_os(SERVER) else { return };
    let Some(folder) = options.database.file().and_then(Path::parent).map(Path::to_owned) else { return };
    let name = folder.file_name().expect("a name").to_string_lossy();
    let name: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    let url = served(&named(Path::new(&server), &format!("f_{name}")).await);
    options.database = url.parse().expect("an address");
    options.key_file = Some(folder.join("service.key"));
}

/// First column of a query's result, on either engine.
pub fn column(place: &DatabaseLocation, sql: &str) -> Vec<String> {
    let place = place.clone();
    let DatabaseLocation::Server(url) = place else {
        let db = rusqlite::Connection::open(place.file().expect("a file")).expect("it opens");
        let mut asked = db.prepare(sql).expect(sql);
        let text = |row: &rusqlite::Row<'_>| {
            let value: rusqlite::types::Value = row.get(0)?;
            Ok(match value {
                rusqlite::types::Value::Integer(number) => number.to_string(),
                rusqlite::types::Value::Text(text) => text,
                other => panic!("{other:?}"),
            })
        };
        return asked.query_map([], text).expect(sql).map(|query_map| query_map.expect("a value")).collect();
    };
    let sql = sql.to_owned();
    // The caller may be inside a runtime.
    let asking = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&url.client_url(), tokio_postgres::NoTls).await.expect("it answers");
            tokio::spawn(connection);
            let told = client.simple_query(&sql).await.expect(&sql);
            let text = |simple_query_message: &tokio_postgres::SimpleQueryMessage| match simple_query_message
            {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            };
            told.iter().filter_map(text).collect()
        })
    });
    asking.join().expect("asked")
}

pub fn count(place: &DatabaseLocation, sql: &str) -> i64 {
    column(place, sql).first().and_then(|entry| entry.parse().ok()).unwrap_or_else(|| panic!("{sql}"))
}

/// All rows of all tables, except idempotency keys, leases and other bookkeeping.
pub fn dump(place: &DatabaseLocation) -> Vec<String> {
    let tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()
                  AND table_name NOT IN ('idempotency', 'leases', 'commit_order', 'processes', 'shared_state') ORDER BY 1";
    // Without the columns for the order of commits.
    let row = "(to_jsonb(it) - 'revision' - 'stamp')::text";
    let rows = |table: &String| column(place, &format!("SELECT {row} FROM \"{table}\" AS it ORDER BY 1"));
    let told =
        |table: String| rows(&table).into_iter().map(move |row| format!("{table} {row}")).collect::<Vec<_>>();
    let found: Vec<_> = column(place, tables).into_iter().flat_map(told).collect();
    assert!(found.len() > 10, "a workspace, channels, keys");
    found
}
