//! Failures of the database server under load: nothing confirmed is lost or done twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::cluster;
use super::own_cluster::OwnCluster;
use super::together::{Process, Two, UNLIMITED};
use crate::service::receiver::Receiver;
use crate::waiting::{until_found, within};

const SEND: &str = "/v1/messages/send";
const LEDGER: &str = "SELECT balance - (SELECT sum(amount) FROM ledger) FROM workspaces";

fn text(words: &str) -> Value {
    json!({"to": "+34600111222", "type": "text", "text": {"body": words}})
}

/// Texts a caller sent, and the refusals.
type Called = (Vec<String>, Vec<(u16, Value)>);

/// Callers that each send text after text, repeating each until it is confirmed.
struct Load {
    done: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
    callers: Vec<tokio::task::JoinHandle<Called>>,
}

impl Load {
    const CALLERS: usize = 6;

    async fn begin(two: &Two) -> Self {
        // Credits for all texts sent during the test.
        two.one.switch("credits", json!({"balance": 1_000_000})).await;
        let (done, is_over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let mut callers = Vec::new();
        for caller in 0..Self::CALLERS {
            let process = two.turn(caller);
            let (address, http) = (process.address.clone(), process.http.clone());
            let (key, done, is_over) = (two.key().to_owned(), done.clone(), is_over.clone());
            callers.push(tokio::spawn(async move {
                let (mut texts, mut refusals) = (Vec::new(), Vec::new());
                while !is_over.load(Ordering::SeqCst) {
                    let words = format!("text-{caller}-{}", texts.len());
                    loop {
                        let request = http.post(format!("http://{address}{SEND}")).bearer_auth(&key);
                        let request = request.header("content-type", "application/json");
                        let request =
                            request.header("idempotency-key", &words).body(text(&words).to_string());
                        let answer = request.send().await.expect("the service lives");
                        let status = answer.status().as_u16();
                        if status == 200 {
                            break;
                        }
                        let body = answer.text().await.expect("a body");
                        refusals.push((status, serde_json::from_str(&body).unwrap_or(Value::Null)));
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                    texts.push(words);
                }
                (texts, refusals)
            }));
        }
        Self { done, is_over, callers }
    }

    /// Waits until `count` more texts are sent.
    async fn goes_on(&self, count: usize) {
        let wanted = self.done.load(Ordering::SeqCst) + count;
        until_found("some are sent", async || {
            let done = self.done.load(Ordering::SeqCst);
            if done >= wanted { Ok(()) } else { Err(done) }
        })
        .await;
    }

    /// Checks that each confirmed text exists once and that refusals were retryable.
    async fn ends(self, two: &Two) -> usize {
        self.is_over.store(true, Ordering::SeqCst);
        let (mut texts, mut refused) = (Vec::new(), BTreeMap::<u16, usize>::new());
        for caller in self.callers {
            let (own, refusals) = within("a caller", caller).await.expect("no panic");
            texts.extend(own);
            for (status, told) in refusals {
                let words = told["message"].as_str().unwrap_or_default();
                let passes = status == 503 && words.contains("try again");
                let is_unknown = status == 500 && words.contains("same Idempotency-Key");
                let is_claimed = status == 409 && told["code"] == "IDEMPOTENCY_IN_PROGRESS";
                assert!(passes || is_unknown || is_claimed, "{status} {told}");
                *refused.entry(status).or_default() += 1;
            }
        }
        texts.sort();
        let sent = "SELECT content FROM messages WHERE content LIKE 'text-%' ORDER BY content COLLATE \"C\"";
        let place = two.url.parse().expect("an address");
        assert_eq!(cluster::column(&place, sent), texts, "each is there once");
        assert_eq!(two.count(LEDGER), 0, "the ledger explains the balance");
        refused.values().sum()
    }
}

async fn start_two(own: &OwnCluster, parameters: &str) -> Two {
    let two = Two::start(own.folder(), parameters, &UNLIMITED).await;
    two.one.inbound("+34600111222", "hi").await;
    two
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_under_load_lose_nothing() {
    let Some(mut own) = OwnCluster::start("") else { return };
    let two = start_two(&own, "").await;
    let load = Load::begin(&two).await;
    for how in ["immediate", "fast", "immediate"] {
        load.goes_on(20).await;
        own.run(&format!(r#""$0/pg_ctl" -D "$1/data" -w -m {how} restart"#));
    }
    assert!(load.ends(&two).await > 0, "somebody noticed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_takes_over() {
    let Some(mut own) = OwnCluster::start("wal_level = replica\nmax_wal_senders = 4") else { return };
    let folder = own.folder().display().to_string();
    let standby = r#""$0/pg_basebackup" -D "$1/standby" -R -X stream -c fast -h "$1" -U frontdesk"#;
    own.run(standby);
    own.run(r#"echo "port = 5433" >>"$1/standby/postgresql.conf""#);
    own.run(r#""$0/pg_ctl" -D "$1/standby" -w -t 60 -l "$1/standby.log" start"#);
    // Confirmed writes are on both servers.
    let url = cluster::url(own.folder(), "postgres");
    for (name, value) in [("synchronous_standby_names", "*"), ("synchronous_commit", "remote_apply")] {
        cluster::run(&url, &format!("ALTER SYSTEM SET {name} = '{value}'")).await.expect("set");
    }
    own.run(r#""$0/pg_ctl" -D "$1/data" reload"#);
    let both = format!("&host={folder}&port=5433,5432&target_session_attrs=read-write");
    let mut two = start_two(&own, &both).await;
    let load = Load::begin(&two).await;
    load.goes_on(15).await;
    own.run(r#""$0/pg_ctl" -D "$1/data" -m immediate stop"#);
    own.run(r#""$0/pg_ctl" -D "$1/standby" -w promote"#);
    two.url = format!("{}&port=5433", two.url);
    assert!(load.ends(&two).await > 0, "somebody noticed");
}

/// Requests that wait too long are refused in time, and refused writes never happen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_that_waits_too_long_gets_an_error() {
    let Some(server) = cluster::server() else { return };
    let two = Arc::new(Two::start(server, "", &UNLIMITED).await);
    two.one.inbound("+34600111222", "hi").await;
    let (client, connection) =
        tokio_postgres::connect(&two.url, tokio_postgres::NoTls).await.expect("it answers");
    tokio::spawn(connection);
    client.batch_execute("BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE").await.expect("locked");
    // The first write waits for the lock, the others for the first.
    let sends = (0..6).map(|number| {
        let (two, words) = (two.clone(), format!("locked-{number}"));
        tokio::spawn(
            async move { (two.one.ask(SEND, two.key(), Some(&words), Some(text(&words))).await, words) },
        )
    });
    let sends: Vec<_> = sends.collect();
    figure_grows(&two, "frontdesk_database_jobs_waiting{pool=\"write\"}", 5).await;
    // More reads than can start before the last has waited too long.
    let reads = (0..20).map(|_| {
        let two = two.clone();
        tokio::spawn(async move { two.one.ask("/v1/messages", two.key(), None, None).await })
    });
    let reads: Vec<_> = reads.collect();
    // The lock timeout ends the first write, then the second starts.
    for (pool, least) in [("write", 4), ("read", 5)] {
        let away = format!("frontdesk_database_jobs_turned_away_total{{pool=\"{pool}\"}}");
        figure_grows(&two, &away, least).await;
    }
    // No request can succeed yet. Other requests may be counted, too.
    until_found("the answers", async || match sends.iter().filter(|send| send.is_finished()).count() {
        5.. => Ok(()),
        answered => Err(answered),
    })
    .await;
    client.batch_execute("COMMIT").await.expect("let go");
    let sends = futures_util::future::join_all(sends).await;
    let sends: Vec<_> = sends.into_iter().map(|send| send.expect("no panic")).collect();
    let turned_away: Vec<_> = sends.iter().filter(|send| send.0.0 == 503).collect();
    assert!(turned_away.len() >= 5, "{sends:?}");
    for ((_, told), words) in &turned_away {
        assert!(
            told["message"].as_str().expect("words").contains("nothing was changed: try again"),
            "{told}"
        );
        assert_eq!(two.count(&format!("SELECT count(*) FROM messages WHERE content = '{words}'")), 0);
    }
    let reads = futures_util::future::join_all(reads).await;
    assert!(reads.iter().any(|result| result.as_ref().is_ok_and(|pair| pair.0 == 503)), "{reads:?}");
    for (_, words) in &sends {
        sends_in_the_end(&two, words).await;
    }
    assert_eq!(two.count(LEDGER), 0, "the ledger explains the balance");
}

async fn figure_grows(two: &Two, name: &str, least: u32) {
    until_found(name, async || {
        let url = format!("http://{}/metrics", two.one.address);
        let told = two.one.http.get(url).send().await.expect("an answer").text().await.expect("a body");
        let figure = told.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u32>().ok());
        if figure.is_some_and(|figure| figure >= least) { Ok(()) } else { Err(told) }
    })
    .await;
}

/// Sends until confirmed; checks that the text exists once.
async fn sends_in_the_end(two: &Two, words: &str) {
    until_found("it goes on", async || {
        match two.one.ask(SEND, two.key(), Some(words), Some(text(words))).await {
            (200, _) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    assert_eq!(two.count(&format!("SELECT count(*) FROM messages WHERE content = '{words}'")), 1);
}

/// The server accepts no more connections: requests that need a new one are refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_room_for_connections_is_waited_for() {
    // As many as both processes may hold, and a few for the test.
    let Some(own) = OwnCluster::start("max_connections = 36\nsuperuser_reserved_connections = 0") else {
        return;
    };
    let two = start_two(&own, "").await;
    let told = until_found("a refusal", async || {
        match two.one.ask(SEND, two.key(), Some("full"), Some(text("full"))).await {
            (503, told) => Ok(told),
            other => Err(format!("{other:?}")),
        }
    });
    // Ends the service's connections until other clients hold all of them.
    let mut taken = Vec::new();
    let taking = async {
        let (client, connection) =
            tokio_postgres::connect(&two.url, tokio_postgres::NoTls).await.expect("it answers");
        taken.push(tokio::spawn(connection));
        for _ in 0..u32::MAX {
            let others =
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'frontdesk'";
            client.batch_execute(others).await.expect("cut");
            while let Ok((other, connection)) = tokio_postgres::connect(&two.url, tokio_postgres::NoTls).await
            {
                taken.push(tokio::spawn(async move {
                    let _kept = other;
                    connection.await
                }));
            }
        }
    };
    let told = tokio::select! {
        told = told => told,
        () = taking => unreachable!("it goes on for ever"),
    };
    assert!(told["message"].as_str().expect("words").contains("try again"), "{told}");
    taken.iter().for_each(tokio::task::JoinHandle::abort);
    // A closed connection keeps its slot until the server notices.
    until_found("room", async || {
        let told = |cause: tokio_postgres::Error| format!("{cause:?}");
        let (client, connection) =
            tokio_postgres::connect(&two.url, tokio_postgres::NoTls).await.map_err(told)?;
        tokio::spawn(connection);
        let others = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
                      AND application_name <> 'frontdesk' AND pid <> pg_backend_pid()";
        match client.query(others, &[]).await.map_err(told)?.len() {
            0 => Ok(()),
            others => Err(format!("{others} others")),
        }
    })
    .await;
    sends_in_the_end(&two, "full").await;
    assert_eq!(two.count(LEDGER), 0, "the ledger explains the balance");
}

/// A full disk: nothing unstored is confirmed, reads work, and writes do once there is space.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_is_reported_and_recovers() {
    let Some(mut own) = OwnCluster::start_in_a_room("") else { return };
    own.run(r#"mkdir "$1/small" && mount -t tmpfs -o size=24m,mode=700 none "$1/small""#);
    let folder = own.folder().display().to_string();
    let server = cluster::url(own.folder(), "postgres");
    cluster::run(&server, &format!("CREATE TABLESPACE small LOCATION '{folder}/small'")).await.expect("made");
    cluster::run(&server, "ALTER SYSTEM SET default_tablespace = 'small'").await.expect("set");
    own.run(r#""$0/pg_ctl" -D "$1/data" reload"#);
    let two = start_two(&own, "").await;
    cluster::run(&two.url, "CREATE TABLE ballast (a TEXT)").await.expect("made");
    let more = "INSERT INTO ballast SELECT repeat('x', 1000) FROM generate_series(1, 500)";
    let full = loop {
        if let Err(cause) = cluster::run(&two.url, more).await {
            break cause;
        }
    };
    assert_eq!(full.code(), Some(&tokio_postgres::error::SqlState::DISK_FULL));
    let mut sent = 0;
    let told = loop {
        let words = format!("{sent} {}", "long ".repeat(700));
        let (status, told) =
            two.one.ask(SEND, two.key(), Some(&format!("key-{sent}")), Some(text(&words))).await;
        match status {
            200 => sent += 1,
            503 => break told,
            _ => panic!("{status} {told}"),
        }
    };
    assert!(told["message"].as_str().expect("words").contains("the disk of the database is full"), "{told}");
    let counted = "SELECT count(*) FROM messages WHERE sender = 'api'";
    assert_eq!(two.count(counted), sent);
    let (status, _) = two.one.ask("/v1/messages", two.key(), None, None).await;
    assert_eq!(status, 200, "reads go on");
    wait_for_readiness(&two.one, 503, "full").await;
    // Also a process that has received no write.
    wait_for_readiness(&two.other, 503, "full").await;
    own.run(r#"mount -o remount,size=64m "$1/small""#);
    for process in [&two.one, &two.other] {
        wait_for_readiness(process, 200, "ready").await;
    }
    let words = format!("{sent} {}", "long ".repeat(700));
    let again = || two.other.ask(SEND, two.key(), Some("again"), Some(text(&words)));
    let (status, told) = again().await;
    assert_eq!(status, 200, "{told}");
    assert_eq!(two.count(counted), sent + 1);
    assert_eq!(two.count(LEDGER), 0, "the ledger explains the balance");
}

/// A server that is gone, and one whose tables are locked: `/ready` says so, and recovers by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ready_says_so_while_the_server_is_gone_or_its_tables_are_locked() {
    let Some(mut own) = OwnCluster::start("") else { return };
    let two = start_two(&own, "").await;
    two.one.inbound("+34600111222", "hi").await;
    let both = async |status, word| {
        for process in [&two.one, &two.other] {
            wait_for_readiness(process, status, word).await;
        }
    };
    both(200, "ready").await;
    let (client, connection) =
        tokio_postgres::connect(&two.url, tokio_postgres::NoTls).await.expect("it answers");
    tokio::spawn(connection);
    client.batch_execute("BEGIN; LOCK TABLE meta IN ACCESS EXCLUSIVE MODE").await.expect("held");
    both(503, "unwritable").await;
    client.batch_execute("COMMIT").await.expect("let go");
    both(200, "ready").await;
    own.run(r#""$0/pg_ctl" -D "$1/data" -w -m fast stop"#);
    both(503, "unwritable").await;
    for process in [&two.one, &two.other] {
        let (status, told) = process.ask("/health", "none", None, None).await;
        assert_eq!((status, &told["status"]), (200, &json!("alive")));
    }
    own.run(r#""$0/pg_ctl" -D "$1/data" -w -t 60 -l "$1/log" start"#);
    both(200, "ready").await;
    sends_in_the_end(&two, "after-all-of-it").await;
}

/// Waits until a process reports this readiness; the state is cached for a while.
async fn wait_for_readiness(process: &Process, status: u16, word: &str) {
    until_found(word, async || match process.ask("/ready", "none", None, None).await {
        (found, told) if found == status && told["status"] == word => Ok(()),
        other => Err(format!("{other:?}")),
    })
    .await;
}

/// A slow search is ended by a timeout, and pages do not wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_search_holds_up_nobody() {
    let Some(server) = cluster::server() else { return };
    let two = Arc::new(Two::start(server, "", &UNLIMITED).await);
    two.one.inbound("+34600111222", "hi").await;
    let slow = "CREATE OR REPLACE FUNCTION instr(haystack TEXT, needle TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$ BEGIN
            PERFORM pg_sleep(600); RETURN 0;
        END $$";
    cluster::run(&two.url, slow).await.expect("slow from now on");
    // Too short to be looked up by its parts, so all contacts are compared.
    let searches = (0..6).map(|_| {
        let two = two.clone();
        tokio::spawn(async move { two.one.ask("/v1/contacts?search=nob", two.key(), None, None).await })
    });
    let searches: Vec<_> = searches.collect();
    figure_grows(&two, "frontdesk_database_jobs_waiting{pool=\"search\"}", 4).await;
    for path in ["/v1/messages", "/v1/contacts", "/v1/conversations"] {
        let (status, told) = two.one.ask(path, two.key(), None, None).await;
        assert_eq!(status, 200, "{path} {told}");
    }
    let told = futures_util::future::join_all(searches).await;
    let told: Vec<_> = told.into_iter().map(|answer| answer.expect("no panic")).collect();
    assert!(told.iter().all(|answer| answer.0 == 503), "{told:?}");
    let is_ended =
        |answer: &&(u16, Value)| answer.1["message"].as_str().is_some_and(|words| words.contains("too long"));
    assert!(told.iter().any(|answer| is_ended(&answer)), "{told:?}");
    let sleeping =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    two.waits_for_count(sleeping, 0).await;
}

/// A delivered event is not sent again while its outcome cannot be stored.
#[tokio::test]
async fn delivery_result_is_stored_once_the_database_works_again() {
    let Some(server) = cluster::server() else { return };
    let two = Two::start(server, "", &UNLIMITED).await;
    let receiver = Receiver::start().await;
    let hook = json!({"url": receiver.url, "events": ["message.received"]});
    let (status, told) = two.one.ask("/v1/webhooks", two.key(), None, Some(hook)).await;
    assert!(status == 200 || status == 201, "{told}");
    receiver.take();
    // A sequence also counts transactions that are rolled back.
    let refuse = "CREATE SEQUENCE refusals;
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM nextval('refusals'); RAISE EXCEPTION 'no room' USING ERRCODE = '53100';
        END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse()";
    cluster::run(&two.url, refuse).await.expect("made");
    two.one.inbound("+34600111222", "hello").await;
    until_found("some outcomes that are not kept", async || {
        let count = two.count("SELECT last_value FROM refusals");
        if count >= 3 { Ok(()) } else { Err(count) }
    })
    .await;
    cluster::run(&two.url, "DROP TRIGGER refuse ON deliveries").await.expect("gone");
    two.waits_for_count("SELECT count(*) FROM deliveries WHERE delivered_at IS NOT NULL", 1).await;
    assert_eq!(receiver.deliveries().len(), 1, "it is told once");
}
