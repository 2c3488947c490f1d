//! Each workspace has its own order of commits, and its readers miss no write by any process.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use frontdesk::service::database::session::DbSession;
use frontdesk::service::database::{Database, DatabaseError, Durability, WriteScope};
use frontdesk::service::{self, DatabaseLocation, Options};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::together::{Process, UNLIMITED};
use super::{cluster, options};
use crate::binary::Binary;
use crate::service::receiver::Receiver;
use crate::waiting::until_found;

/// Runs of the random test; `FRONTDESK_ORDER_CASES` overrides it.
const CASES: usize = 1;
const PROCESSES: usize = 3;

/// A workspace on a shared service, with its readers' results.
struct Shop {
    id: String,
    key: String,
    receiver: Receiver,
}

async fn shops(binary: &Binary, url: &str, process: &Process, count: usize) -> Vec<Shop> {
    let mut shops = Vec::new();
    for number in 0..count {
        let name = format!("shop {number}");
        let told = binary.ok(&["admin", "--db", url, "--json", "workspace", "add", "--name", &name], "");
        let told: Value = serde_json::from_str(&told).expect("JSON");
        let keys = told["keys"].as_array().expect("keys");
        let is_chat = |value: &&Value| value["channel"] == "whatsapp" && value["environment"] == "live";
        let key = keys.iter().find(is_chat).expect("a key")["key"].as_str().expect("text").to_owned();
        let receiver = Receiver::start().await;
        let hook = json!({"url": receiver.url, "events": ["message.sent"]});
        let (status, body) = process.ask("/v1/webhooks", &key, None, Some(hook)).await;
        assert!(status == 200 || status == 201, "{body}");
        let id = told["id"].as_str().expect("text").to_owned();
        shops.push(Shop { id, key, receiver });
    }
    let listed = binary.ok(&["admin", "--db", url, "workspace", "list"], "");
    assert_eq!(listed.lines().count(), count + 1, "{listed}");
    assert!(listed.contains("\t1000 credits\tshop 0"), "{listed}");
    shops
}

/// A message that opens a conversation, and its text in the list.
fn opening(to: &str, text: &str) -> Value {
    let parameters = json!([{"type": "text", "text": text}]);
    json!({"to": to, "type": "template", "template": {"name": "repair_ready", "language": {"code": "es"},
        "components": [{"type": "body", "parameters": parameters}]}})
}

fn shown(text: &str) -> String {
    let (begin, end) = (
        "Hola, ",
        ". Tu bicicleta ya está lista. Puedes recogerla en el taller de lunes a viernes de 9:30 a 19:00, y los sábados de 10:00 a 14:00.",
    );
    format!("{begin}{text}{end}")
}

/// Reads the newest page until all writers are done; new messages must be on top.
async fn read_along(process: &Process, key: &str, left: &AtomicUsize) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    loop {
        let is_last = left.load(Ordering::SeqCst) == 0;
        let (mut news, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/v1/messages?limit=3{cursor}");
            let (status, page) = process.ask(&path, key, None, None).await;
            assert_eq!(status, 200, "{page}");
            let texts =
                page["data"].as_array().expect("a page").iter().map(|value| value["content"].to_string());
            let fresh: Vec<String> = texts.take_while(|text| seen.last() != Some(text)).collect();
            let is_whole = fresh.len() == page["data"].as_array().map_or(0, Vec::len);
            news.extend(fresh);
            match page["nextCursor"].as_str() {
                Some(next) if is_whole => cursor = format!("&cursor={next}"),
                _ => break,
            }
        }
        seen.extend(news.into_iter().rev());
        if is_last {
            return seen;
        }
    }
}

/// Writers of several workspaces at several processes, with readers and a webhook each.
async fn nothing_is_skipped(server: &std::path::Path, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let (binary, url) = (Binary::new(), cluster::database(server).await);
    let served = cluster::served(&url);
    let arguments = [&["--db", served.as_str()], &UNLIMITED[..]].concat();
    let mut processes = Vec::new();
    for number in 0..PROCESSES {
        let child = Process::begin(&binary, &format!("process{number}"), &arguments);
        processes.push(Process::reached(child));
    }
    let count = random.random_range(2..6);
    let shops = shops(&binary, &url, &processes[0], count).await;
    let left = Arc::new(AtomicUsize::new(0));
    let mut writers = Vec::new();
    let mut sent: HashMap<String, HashSet<String>> = HashMap::new();
    for shop in &shops {
        for writer in 0..random.random_range(1..4) {
            let texts: Vec<(String, usize)> = (0..random.random_range(5..20))
                .map(|number| (format!("{writer} says {number}"), random.random_range(0..PROCESSES)))
                .collect();
            let quoted = texts.iter().map(|text| format!("\"{}\"", shown(&text.0)));
            sent.entry(shop.id.clone()).or_default().extend(quoted);
            left.fetch_add(1, Ordering::SeqCst);
            let (processes, key, left) = (&processes, &shop.key, left.clone());
            writers.push(async move {
                for (number, (text, which)) in texts.into_iter().enumerate() {
                    let body = opening(&format!("+34600{writer}{number:02}111"), &text);
                    let idem = format!("{writer}-{number}");
                    let told = processes[which].ask("/v1/messages/send", key, Some(&idem), Some(body)).await;
                    assert_eq!(told.0, 200, "{}", told.1);
                }
                left.fetch_sub(1, Ordering::SeqCst);
            });
        }
    }
    let all = async {
        let mut balance = 1_000;
        while left.load(Ordering::SeqCst) > 0 {
            balance += 1;
            processes[balance % PROCESSES].switch("credits", json!({"balance": balance})).await;
        }
    };
    let readers =
        shops.iter().flat_map(|shop| [0, 1].map(|number| read_along(&processes[number], &shop.key, &left)));
    let (_, (), told) =
        tokio::join!(futures_util::future::join_all(writers), all, futures_util::future::join_all(readers));
    for (number, seen) in told.iter().enumerate() {
        let wanted = &sent[&shops[number / 2].id];
        let different: HashSet<String> = seen.iter().cloned().collect();
        assert_eq!((&different, seen.len()), (wanted, wanted.len()), "seed {seed}: each is told once");
    }
    for (pair, shop) in told.chunks(2).zip(&shops) {
        assert_eq!(pair[0], pair[1], "seed {seed}: both readers are told one order");
        let wanted = sent[&shop.id].len();
        let mut ids: HashSet<String> = HashSet::new();
        until_found("deliveries", async || {
            // Deliveries since the last call.
            let told = shop.receiver.deliveries();
            ids.extend(told.iter().map(|raw_request| raw_request.json()["data"]["messageId"].to_string()));
            if ids.len() == wanted { Ok(()) } else { Err(format!("{} of {wanted}", ids.len())) }
        })
        .await;
    }
    let place: DatabaseLocation = url.parse().expect("an address");
    let ledger = "SELECT count(*) FROM workspaces WHERE balance <> (SELECT sum(amount) FROM ledger WHERE workspace = workspaces.id)";
    assert_eq!(cluster::count(&place, ledger), 0, "seed {seed}: the ledger explains each balance");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_miss_nothing_of_several_workspaces() {
    let Some(server) = cluster::server() else { return };
    frontdesk::client::install_tls();
    let number = |name: &str| std::env::var(name).ok().and_then(|var| var.parse::<usize>().ok());
    let cases = number("FRONTDESK_ORDER_CASES").unwrap_or(CASES);
    let seed = number("FRONTDESK_SEED").unwrap_or(20_261_123) as u64;
    for case in 0..cases as u64 {
        nothing_is_skipped(server, seed + case).await;
    }
}

/// Appends to a workspace's name; returns the result.
fn add(db: &dyn DbSession, id: &str) -> Result<String, DatabaseError> {
    use frontdesk::service::database::workspaces;
    Ok(workspaces::read(db, id)?.name.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workspace_waits_for_itself_and_for_what_concerns_all() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    service::start(Options { simulate: true, ..options(&url, &folder) })
        .await
        .expect("it starts")
        .shutdown()
        .await;
    let more = "INSERT INTO workspaces (id, name, balance, created_at) VALUES ('ws_2', 'two', 0, 0)";
    cluster::run(&url, more).await.expect("made");
    let place: DatabaseLocation = url.parse().expect("an address");
    let opening = move || Database::open(&place, Durability::Full, Arc::default());
    let (database, _) = tokio::task::spawn_blocking(opening).await.expect("no panic").expect("it opens");
    let database = Arc::new(database);
    let write = |scope: WriteScope| {
        let database = database.clone();
        tokio::spawn(async move { database.write_in(scope, |db| add(db, "ws_2")).await })
    };
    let of = |id: &str| WriteScope::Workspace(id.to_owned());
    let (client, connection) =
        tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("it answers");
    tokio::spawn(connection);
    // Another process is inside a transaction in the first workspace.
    client
        .batch_execute("BEGIN; UPDATE workspaces SET revision = revision + 1 WHERE id = 'ws_1'")
        .await
        .expect("held");
    let first = write(of("ws_1"));
    assert_eq!(write(of("ws_2")).await.expect("no panic").expect("beside it"), "two");
    let all = write(WriteScope::Everything);
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let place: DatabaseLocation = url.parse().expect("an address");
    until_found("both wait", async || match cluster::count(&place, waiting) {
        2 => Ok(()),
        other => Err(other),
    })
    .await;
    assert!(!first.is_finished() && !all.is_finished());
    let unordered = write(WriteScope::Unordered).await.expect("no panic");
    assert_eq!(unordered.expect("beside them all"), "two");
    client
        .batch_execute("UPDATE workspaces SET name = 'changed' WHERE id = 'ws_2'; COMMIT")
        .await
        .expect("let go");
    for waited in [first, all] {
        assert_eq!(
            waited.await.expect("no panic").expect("behind it"),
            "changed",
            "it sees what it waited for"
        );
    }
    let nowhere = write(of("ws_9")).await.expect("no panic");
    assert!(nowhere.is_err(), "{nowhere:?}");
    database.close();
}
