//! Operating a server and its processes: database settings, an open console, TLS and passwords.

use std::path::Path;
use std::process::Output;

use frontdesk::service;
use serde_json::{Value, json};

use super::moving::upload;
use super::own_cluster::OwnCluster;
use super::together::{DEV, Process, Two, UNLIMITED};
use super::{cluster, options};
use crate::binary::{Binary, free_port};
use crate::waiting::until_found;

const SEND: &str = "/v1/messages/send";
/// Contains every character with a meaning in a URL.
const PASSWORD: &str = "s3cr&t:@/?#% \\ü";
const ENCODED: &str = "s3cr%26t%3A%40%2F%3F%23%25%20%5C%C3%BC";
/// Part of the password that must not appear anywhere.
const SECRET: &str = "s3cr";

fn text(words: &str) -> Value {
    json!({"to": "+34600111222", "type": "text", "text": {"body": words}})
}

/// Settings of a database do not change the service's behaviour; tables follow the search path.
#[tokio::test]
async fn database_settings_change_no_behaviour() {
    let Some(server) = cluster::server() else { return };
    let url = cluster::database(server).await;
    let name = cluster::name_in(&url);
    let set = [
        "search_path = desk, public",
        "default_transaction_isolation = 'serializable'",
        "default_transaction_deferrable = on",
        "lock_timeout = '20s'",
        "statement_timeout = '20s'",
        "idle_in_transaction_session_timeout = 0",
        "timezone = 'Asia/Kolkata'",
        "datestyle = 'SQL, DMY'",
        "bytea_output = 'escape'",
        "standard_conforming_strings = off",
        "lc_messages = 'C'",
    ];
    cluster::run(&url, "CREATE SCHEMA desk; CREATE TABLE public.theirs (a INT)").await.expect("made");
    for setting in set {
        cluster::run(&url, &format!("ALTER DATABASE {name} SET {setting}")).await.expect("set");
    }
    let two = Two::on(url, "", &DEV);
    assert_eq!(two.count("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), 1, "theirs alone");
    assert!(two.count("SELECT count(*) FROM pg_tables WHERE schemaname = 'desk'") > 20);
    for number in 0..6 {
        two.turn(number).inbound("+34600111222", &format!("hi {number}")).await;
    }
    let sends = (0..12).map(|number| {
        let (two, words) = (&two, format!("words-{}", number / 2));
        async move { two.turn(number).ask(SEND, two.key(), Some(&words), Some(text(&words))).await }
    });
    let told = futures_util::future::join_all(sends).await;
    let is_told = |pair: &(u16, Value)| pair.0 == 200 || pair.1["code"] == "IDEMPOTENCY_IN_PROGRESS";
    assert!(told.iter().all(is_told), "{told:?}");
    assert_eq!(two.count("SELECT count(*) FROM messages WHERE sender = 'api'"), 6);
    let kept = "SELECT balance - (SELECT sum(amount) FROM ledger) FROM workspaces";
    assert_eq!(two.count(kept), 0, "the ledger explains the balance");
}

/// An upload to one process is served by the other, also if the first has ended.
#[tokio::test]
async fn file_uploaded_to_one_process_is_served_by_the_other() {
    let Some(server) = cluster::server() else { return };
    let mut two = Two::start(server, "", &UNLIMITED).await;
    let path = upload(&two.one, two.key()).await;
    for is_alone in [false, true] {
        if is_alone {
            two.one.child.kill().expect("killed");
        }
        let url = format!("http://{}{path}", two.other.address);
        let bytes = two.other.http.get(url).send().await.expect("an answer").bytes().await.expect("bytes");
        assert_eq!(&bytes[..], b"hello", "{is_alone}");
    }
}

/// A console that locks the row of a workspace: its writes are refused, the process stays ready.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_console_that_is_left_open_holds_up_one_workspace() {
    let Some(server) = cluster::server() else { return };
    let two = Two::start(server, "", &UNLIMITED).await;
    two.one.inbound("+34600111222", "hi").await;
    let (client, connection) =
        tokio_postgres::connect(&two.url, tokio_postgres::NoTls).await.expect("it answers");
    tokio::spawn(connection);
    client.batch_execute("BEGIN; UPDATE workspaces SET name = 'changed'").await.expect("held");
    let held = two.one.ask(SEND, two.key(), Some("held"), Some(text("held")));
    let looked = async {
        for process in [&two.one, &two.other] {
            // The process may be unready for a moment if a write of its own takes too long.
            until_found("it is ready", async || match process.ask("/ready", "none", None, None).await {
                (200, _) => Ok(()),
                (_, told) => Err(told),
            })
            .await;
        }
    };
    let ((status, told), ()) = futures_util::future::join(held, looked).await;
    assert_eq!(status, 503, "{told}");
    let words = told["message"].as_str().expect("words");
    assert!(words.contains("holds the lock") && words.contains("nothing was changed: try again"), "{told}");
    let log = std::fs::read_to_string(two.binary.folder().join("one.log")).expect("a log");
    assert!(log.contains("idle in transaction"), "the session is named: {log}");
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    assert!(two.count(waiting) <= 2, "what falls due may wait, too");
    client.batch_execute("COMMIT").await.expect("let go");
    let (status, told) = two.other.ask(SEND, two.key(), Some("held"), Some(text("held"))).await;
    assert_eq!(status, 200, "{told}");
    assert_eq!(two.count("SELECT count(*) FROM messages WHERE content = 'held'"), 1);
}

/// Foreign tables and views stay unchanged, are in no backup, and do not block a move.
#[tokio::test]
async fn foreign_tables_in_the_database_are_ignored() {
    let Some(server) = cluster::server() else { return };
    let url = cluster::database(server).await;
    let theirs = "CREATE TABLE theirs (seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, note TEXT);
                  INSERT INTO theirs (note) VALUES ('a'), ('b');
                  CREATE VIEW watched AS SELECT count(*) AS rows FROM theirs;
                  CREATE MATERIALIZED VIEW kept AS SELECT note FROM theirs";
    cluster::run(&url, theirs).await.expect("made");
    let mut two = Two::on(url, "", &UNLIMITED);
    two.one.inbound("+34600111222", "hi").await;
    let folder = two.binary.folder().to_owned();
    let (copy, moved) = (folder.join("copy.db"), folder.join("moved.db"));
    let path = |path: &Path| path.to_str().expect("words").to_owned();
    two.binary.ok(&["admin", "--db", &two.url, "backup", "--to", &path(&copy)], "");
    let key = path(&folder.join("service.key"));
    two.end().await;
    let (url, binary) = (two.url.clone(), &two.binary);
    for (from, to) in [(url.clone(), path(&moved)), (path(&moved), url.clone())] {
        binary.ok(&["admin", "move", "--from", &from, "--to", &to, "--key-file", &key], "");
    }
    let place = url.parse().expect("an address");
    assert_eq!(cluster::column(&place, "SELECT note FROM theirs ORDER BY seq"), ["a", "b"]);
    cluster::run(&url, "INSERT INTO theirs (note) VALUES ('c')").await.expect("numbered on");
    assert_eq!(cluster::column(&place, "SELECT seq FROM theirs WHERE note = 'c'"), ["3"]);
    assert_eq!(cluster::count(&place, "SELECT count(*) FROM messages WHERE content = 'hi'"), 1);
}

/// A server that starts after the service is waited for; one that refuses access is not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_not_there_yet_is_waited_for() {
    let Some(mut own) = OwnCluster::start("") else { return };
    let url = cluster::url(own.folder(), "postgres");
    own.run(r#""$0/pg_ctl" -D "$1/data" -w -m fast stop"#);
    let (binary, address) = (Binary::new(), format!("127.0.0.1:{}", free_port()));
    let file = |name: &str| binary.folder().join(name).to_str().expect("words").to_owned();
    let (key, ready) = (file("service.key"), file("ready.json"));
    let arguments = [
        "serve",
        "--listen",
        &address,
        "--db",
        &url,
        "--key-file",
        &key,
        "--ready-file",
        &ready,
        "--simulate",
    ];
    let mut command = binary.command(&arguments);
    let log = std::fs::File::create(file("log")).expect("a log");
    let mut child = command.stderr(log).spawn().expect("it runs");
    frontdesk::client::install_tls();
    let http = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client");
    let status = async || {
        let told =
            http.get(format!("http://{address}/ready")).send().await.map_err(|error| error.to_string())?;
        let body: Value = serde_json::from_str(&told.text().await.expect("a body")).expect("JSON");
        Ok::<_, String>(body["status"].as_str().unwrap_or_default().to_owned())
    };
    let stands = async |word: &str| {
        until_found(word, async || match status().await {
            Ok(found) if found == word => Ok(()),
            other => Err(format!("{other:?}")),
        })
        .await;
    };
    stands("starting").await;
    until_found("it says so", async || {
        let log = std::fs::read_to_string(file("log")).expect("a log");
        if log.contains("waiting for the database server") { Ok(()) } else { Err(log) }
    })
    .await;
    assert!(child.try_wait().expect("known").is_none(), "it waits");
    assert!(!Path::new(&ready).exists(), "nobody is told that it serves");
    own.run(r#""$0/pg_ctl" -D "$1/data" -w -t 60 -l "$1/log" start"#);
    stands("ready").await;
    until_found("the ready file", async || match Path::new(&ready).exists() {
        true => Ok(()),
        false => Err("not there"),
    })
    .await;
    child.kill().and_then(|()| child.wait()).expect("it ends");
    let log = std::fs::read_to_string(file("log")).expect("a log");
    assert_eq!(log.matches("waiting for the database server").count(), 1, "said once: {log}");
}

/// A server with TLS and a password.
struct Guarded {
    own: OwnCluster,
    port: u16,
    binary: Binary,
}

impl Guarded {
    async fn start() -> Option<Self> {
        let port = free_port();
        let mut own = OwnCluster::start(&format!("listen_addresses = '127.0.0.1'\nport = {port}"))?;
        certify(own.folder());
        own.run(r#"install -m 600 "$1/made.key" "$1/server.key""#);
        for (name, value) in
            [("ssl", "on"), ("ssl_cert_file", "$1/server.pem"), ("ssl_key_file", "$1/server.key")]
        {
            own.run(&format!(r#"echo "{name} = '{value}'" >>"$1/data/postgresql.conf""#));
        }
        own.run(r#"echo "local all all trust" >"$1/data/pg_hba.conf""#);
        own.run(r#"echo "hostssl all all 127.0.0.1/32 scram-sha-256" >>"$1/data/pg_hba.conf""#);
        own.run(r#""$0/pg_ctl" -D "$1/data" -w -m fast restart"#);
        let url = format!("{}&port={port}", cluster::url(own.folder(), "postgres"));
        let role = format!("CREATE ROLE ana LOGIN PASSWORD '{PASSWORD}'");
        for sql in [role.as_str(), "CREATE DATABASE shop OWNER ana"] {
            cluster::run(&url, sql).await.expect("made");
        }
        frontdesk::client::install_tls();
        Some(Self { own, port, binary: Binary::new() })
    }

    fn url(&self, login: &str, host: &str, more: &str) -> String {
        format!("postgres://{login}@{host}:{}/shop?sslmode=verify-full{more}", self.port)
    }

    fn trusting(&self) -> String {
        format!("&sslrootcert={}/ca.pem", self.own.folder().display())
    }

    fn arguments<'a>(url: &'a str, key: &'a str) -> [&'a str; 8] {
        ["serve", "--simulate", "--listen", "127.0.0.1:0", "--db", url, "--key-file", key]
    }

    fn key(&self) -> String {
        self.binary.folder().join("service.key").display().to_string()
    }

    /// Serves until ready; checks that the password appears only in the URL itself.
    async fn is_served(&self, url: &str, variables: &[(&str, &str)]) {
        let (key, mut told) = (self.key(), self.binary.folder().to_owned());
        told.push("log");
        let mut command = self.binary.command(&Self::arguments(url, &key));
        let log = std::fs::File::create(&told).expect("a log");
        command.env("FRONTDESK_LOG", "debug").envs(variables.iter().copied()).stderr(log);
        let process = Process::reached(command.spawn().expect("it runs"));
        until_found("it is ready", async || match process.ask("/ready", "none", None, None).await {
            (200, _) => Ok(()),
            (_, told) => Err(told),
        })
        .await;
        let shop = format!("{}&port={}", cluster::url(self.own.folder(), "shop"), self.port);
        let plain = "SELECT count(*) FILTER (WHERE NOT ssl) * 1000 + count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                     WHERE usename = 'ana'";
        let count = cluster::count(&shop.parse().expect("an address"), plain);
        assert!((3..1_000).contains(&count), "all of them through TLS: {count}");
        let log = std::fs::read_to_string(&told).expect("a log");
        assert!(!log.contains(SECRET), "{log}");
    }

    /// Checks that serving is refused and that the message has no password.
    fn is_refused(&self, url: &str, variables: &[(&str, &str)]) -> String {
        let key = self.key();
        let mut command = self.binary.command(&Self::arguments(url, &key));
        let Output { status, stdout, stderr } =
            command.envs(variables.iter().copied()).output().expect("it runs");
        let told = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
        assert!(!status.success() && !told.contains(SECRET), "{told}");
        told
    }
}

/// Certificates for `localhost`: from an authority no system trusts, and from another one.
fn certify(folder: &Path) {
    let authority = || {
        let mut asked = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
        asked.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().expect("a key");
        let made = asked.self_signed(&key).expect("a certificate").pem();
        (rcgen::Issuer::new(asked, key), made)
    };
    let ((issuer, ours), (_, another)) = (authority(), authority());
    let key = rcgen::KeyPair::generate().expect("a key");
    let asked = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
    let made = asked.signed_by(&key, &issuer).expect("a certificate");
    for (name, text) in [
        ("ca.pem", ours),
        ("another.pem", another),
        ("server.pem", made.pem()),
        ("made.key", key.serialize_pem()),
    ] {
        std::fs::write(folder.join(name), text).expect("written");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_reached_through_tls_and_with_a_password() {
    let Some(guarded) = Guarded::start().await else { return };
    let (trusting, wrong) = (guarded.trusting(), guarded.trusting().replace("ca.pem", "another.pem"));
    let in_address = guarded.url(&format!("ana:{ENCODED}"), "localhost", &trusting);
    guarded.is_served(&in_address, &[]).await;
    let url = guarded.url("ana", "localhost", &trusting);
    guarded.is_served(&url, &[("PGPASSWORD", PASSWORD)]).await;
    let file = guarded.binary.folder().join("passwords");
    let escaped = PASSWORD.replace('\\', "\\\\").replace(':', "\\:");
    std::fs::write(&file, format!("localhost:{}:shop:ana:{escaped}\n", guarded.port)).expect("written");
    let file = [("PGPASSFILE", file.to_str().expect("words"))];
    set_mode(file[0].1, 0o600);
    guarded.is_served(&url, &file).await;

    set_mode(file[0].1, 0o644);
    let password = [("PGPASSWORD", PASSWORD)];
    let bad = [("PGPASSWORD", "s3cret")];
    let here = guarded.url("ana", "127.0.0.1", &trusting);
    let system = guarded.url("ana", "localhost", "");
    let elsewhere = guarded.url("ana", "localhost", &wrong);
    let nowhere = guarded.url("ana", "localhost", "&sslrootcert=/not/there.pem");
    for (url, variables, words) in [
        (&url, &bad, "; correct the password in PGPASSWORD"),
        (&url, &file, "password missing; set PGPASSWORD"),
        (&here, &password, "invalid peer certificate"),
        (&system, &password, "; name the file of its authority with sslrootcert="),
        (&elsewhere, &password, "; name the file of its authority with sslrootcert="),
        (&nowhere, &password, "/not/there.pem"),
    ] {
        let told = guarded.is_refused(url, variables);
        assert!(told.contains(words), "{url}: {told}");
    }
}

fn set_mode(file: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).expect("set");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_of_an_earlier_format_belong_to_the_first_workspace() {
    let Some(server) = cluster::server() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let url = cluster::database(server).await;
    service::start(options(&url, &folder)).await.expect("it starts").shutdown().await;
    let before = "ALTER TABLE channels DROP COLUMN name; ALTER TABLE templates ADD COLUMN workspace TEXT;
                  UPDATE templates SET workspace = 'ws_1'; ALTER TABLE templates DROP COLUMN channel CASCADE;
                  ALTER TABLE templates ADD CONSTRAINT templates_pkey PRIMARY KEY (workspace, name, language);
                  ALTER TABLE connections DROP COLUMN workspace CASCADE;
                  ALTER TABLE connections ADD PRIMARY KEY (name);
                  ALTER TABLE connection_calls DROP COLUMN workspace;
                  DROP TABLE team_work;
                  INSERT INTO connections VALUES ('shop', '{}', NULL, 7);
                  INSERT INTO connection_calls (at, connection, endpoint, contact, millis, bytes)
                      VALUES (1, 'shop', 'orders', '', 1, 1);
                  UPDATE meta SET value = '15' WHERE name = 'format'; UPDATE commit_order SET format = 15";
    cluster::run(&url, before).await.expect("as before");
    service::start(options(&url, &folder)).await.expect("it starts again").shutdown().await;
    let place = url.parse().expect("an address");
    let moved = "SELECT connections.workspace || ' ' || name || ' ' || connection_calls.workspace
                 FROM connections, connection_calls";
    assert_eq!(cluster::column(&place, moved), ["ws_1 shop ws_1"]);
}
