//! Credits, lists, idempotency and limits against simple models, on both engines.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, mpsc};

use frontdesk::model::bounds::IDEMPOTENCY_RETENTION_SECONDS;
use frontdesk::model::time::{SECOND, Timestamp};
use frontdesk::service::cursors::PagePosition;
use frontdesk::service::database::conversations::{self, ConversationRow};
use frontdesk::service::database::idempotency::{self, KeyLookup};
use frontdesk::service::database::session::DbSession;
use frontdesk::service::database::workspaces::{self, Workspace};
use frontdesk::service::database::{Database, DatabaseError, Durability, savepoint};
use frontdesk::service::reply::Reply;
use frontdesk::service::{self, DatabaseLocation, Options, RunningService};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestError, TestRunner};

use super::{cluster, options};
use crate::desk::HandClock;

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + micros)
}

/// A file, and a database on a server if there is one.
async fn both_engines(folder: &Path) -> Vec<DatabaseLocation> {
    let mut places: Vec<DatabaseLocation> = vec![folder.join("service.db").into()];
    if let Some(server) = cluster::server() {
        places.push(cluster::database(server).await.parse().expect("an address"));
    }
    places
}

/// Checks a property on both engines. Each case finds empty tables and leaves them empty.
async fn holds<S>(
    cases: u32,
    strategy: S,
    property: impl Fn(&dyn DbSession, S::Value) -> Result<(), TestCaseError> + Copy + Send + 'static,
) where
    S: Strategy<Value: Send + 'static> + Send + Sync + 'static,
{
    let folder = tempfile::tempdir().expect("a folder");
    let places = both_engines(folder.path()).await;
    let strategy = Arc::new(strategy);
    for place in places {
        let (strategy, config) = (strategy.clone(), randomized::config(cases));
        let trying = tokio::task::spawn_blocking(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let (database, _) =
                Database::open(&place, Durability::Simulated, Arc::default()).expect("it opens");
            let told = TestRunner::new(config).run(&*strategy, |value| {
                let rehearsed = database
                    .write(move |db| savepoint::dry_run(db, || Ok::<_, DatabaseError>(property(db, value))));
                runtime.block_on(rehearsed).expect("the database works")
            });
            database.close();
            told.map_err(|cause| match cause {
                TestError::Fail(why, value) => format!("{place}: {why}: {value:?}"),
                TestError::Abort(why) => format!("{place}: {why}"),
            })
        });
        if let Err(told) = trying.await.expect("no panic") {
            panic!("{told}");
        }
    }
}

fn tables(db: &dyn DbSession, balance: i64) {
    let workspace = Workspace { id: "w".into(), name: None, email: None, balance, suspended_at: None };
    workspaces::insert(db, &workspace, at(0)).expect("inserted");
    let channel = "INSERT INTO channels (id, workspace, kind, assistant, created_at) VALUES ('c', 'w', 'whatsapp', 'a', 0)";
    db.change(channel, &[]).expect("made");
}

#[derive(Debug, Clone)]
enum Step {
    Charge(i64),
    Refund(i64),
    Set(i64),
}

/// The balance is never negative, and the ledger adds up after each step.
#[tokio::test]
async fn credits_are_a_number_with_a_reason() {
    let step = prop_oneof![
        4 => (0_i64..40).prop_map(Step::Charge),
        1 => (1_i64..40).prop_map(Step::Refund),
        1 => (0_i64..100).prop_map(Step::Set),
    ];
    holds(48, (0_i64..100, prop::collection::vec(step, 1..60)), |db, (opening, steps)| {
        tables(db, opening);
        let mut model = opening;
        for (number, step) in steps.into_iter().enumerate() {
            let reference = format!("r{number}");
            match step {
                Step::Charge(cost) => {
                    let paid =
                        workspaces::charge(db, "w", cost, "message", &reference, at(1)).expect("works");
                    if cost <= model {
                        model -= cost;
                        prop_assert_eq!(paid, Ok(model));
                    } else {
                        prop_assert_eq!(paid, Err(model));
                    }
                }
                Step::Refund(amount) => {
                    workspaces::refund(db, "w", amount, &reference, at(1)).expect("works");
                    model += amount;
                }
                Step::Set(balance) => {
                    workspaces::set_balance(db, "w", balance, &reference, at(1)).expect("works");
                    model = balance;
                }
            }
            let ledger: i64 =
                db.fetch_scalar("SELECT CAST(sum(amount) AS BIGINT) FROM ledger", &[]).expect("a sum");
            prop_assert_eq!((workspaces::read(db, "w").expect("reads").balance, ledger), (model, model));
        }
        // A name can be charged only once.
        workspaces::set_balance(db, "w", 10, "last", at(1)).expect("works");
        let pay = || workspaces::charge(db, "w", 1, "message", "once", at(1));
        pay().expect("works").expect("paid");
        prop_assert!(savepoint::in_savepoint(db, pay).is_err());
        prop_assert_eq!(workspaces::read(db, "w").expect("reads").balance, 9);
        Ok(())
    })
    .await;
}

#[derive(Debug, Clone)]
enum Change {
    Touch(usize),
    Add,
    Close(usize),
}

fn changes() -> impl Strategy<Value = Vec<Vec<Change>>> {
    let change = prop_oneof![
        3 => (0_usize..40).prop_map(Change::Touch),
        2 => Just(Change::Add),
        1 => (0_usize..40).prop_map(Change::Close),
    ];
    prop::collection::vec(prop::collection::vec(change, 0..4), 40)
}

fn add(db: &dyn DbSession, number: usize, clock: i64) -> String {
    let id = format!("conv_{number}");
    let row = ConversationRow::new(id.clone(), "c", &format!("+34{number:09}"), at(clock));
    conversations::insert(db, &row).expect("inserted");
    id
}

/// Pages during writes: untouched rows appear exactly once, each page continues below the last.
#[tokio::test]
async fn untouched_rows_are_walked_exactly_once() {
    let walk = (1_usize..40, 1_i64..9, any::<bool>(), changes());
    holds(32, walk, |db, (rows, limit, open_only, changes)| {
        tables(db, 0);
        let mut clock = 0_i64;
        let mut ids: Vec<String> = (0..rows)
            .map(|number| {
                // Several with the same time: the id decides.
                clock += i64::from(number % 3 == 0);
                add(db, number, clock)
            })
            .collect();
        let mut touched: Vec<String> = Vec::new();
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut after = PagePosition::top();
        let status = open_only.then_some("active");
        for between in &changes {
            let page = conversations::list(db, "c", status, &after, limit).expect("listed");
            for row in &page {
                let place = row.page_position();
                prop_assert!((place.at, &place.id) < (after.at, &after.id) || after == PagePosition::top());
                after = place;
                *seen.entry(row.id.clone()).or_default() += 1;
            }
            if page.is_empty() {
                break;
            }
            for change in between {
                clock += 1;
                match change {
                    Change::Add => ids.push(add(db, ids.len(), clock)),
                    Change::Touch(which) => {
                        let id = &ids[which % ids.len()];
                        conversations::touch(db, id, "x", true, at(clock)).expect("touched");
                        touched.push(id.clone());
                    }
                    Change::Close(which) => {
                        let id = &ids[which % ids.len()];
                        conversations::set_status(db, id, "closed").expect("closed");
                        touched.push(id.clone());
                    }
                }
            }
        }
        let complete = conversations::list(db, "c", status, &after, 1).expect("listed").is_empty();
        for id in &ids[..rows] {
            if complete && !touched.contains(id) {
                prop_assert_eq!(seen.get(id), Some(&1), "{}", id);
            }
        }
        for (id, times) in seen {
            prop_assert!(times == 1 || touched.contains(&id), "{} was told {} times", id, times);
        }
        Ok(())
    })
    .await;
}

/// Idempotency keys store an answer for a day, per API key and for the same request only.
#[tokio::test]
async fn answers_are_kept_for_a_day() {
    // API key, name, request, and the hours until then.
    let step = (0_usize..2, 0_usize..3, 0_u8..2, 0_i64..9);
    holds(32, prop::collection::vec(step, 1..40), |db, steps| {
        let mut model: HashMap<(usize, usize), (u8, u16, i64)> = HashMap::new();
        let mut now = 0;
        for (number, (key, name, request, hours)) in steps.into_iter().enumerate() {
            now += hours * 3600 * SECOND;
            let (api_key, idem) = (format!("key_{key}"), format!("name {name}"));
            let kept = model
                .get(&(key, name))
                .filter(|entry| entry.2 > now - IDEMPOTENCY_RETENTION_SECONDS * SECOND);
            let found = idempotency::find(db, &api_key, &idem, &[request; 32], at(now)).expect("looked");
            match (kept, found) {
                (None, KeyLookup::Nothing) => {
                    let status = u16::try_from(200 + number).expect("few");
                    let body = vec![u8::try_from(number).expect("few")];
                    let reply = Reply { status, body, replayed: false, awaited_id: None };
                    idempotency::store_reply(db, &api_key, &idem, &[request; 32], &reply, at(now))
                        .expect("kept");
                    model.insert((key, name), (request, status, now));
                }
                (Some((same, status, _)), KeyLookup::Same(reply)) => {
                    prop_assert_eq!((*same, *status), (request, reply.status));
                    prop_assert!(reply.replayed);
                }
                (Some((other, ..)), KeyLookup::Other) => prop_assert_ne!(*other, request),
                (kept, found) => prop_assert!(false, "{:?} and not {:?}", found, kept),
            }
        }
        Ok(())
    })
    .await;
}

/// Requests of each category: refused, but counted.
const CALLS: [(&str, &str); 5] = [
    ("GET", "/account"),
    ("POST", "/messages/send"),
    ("POST", "/broadcast"),
    ("POST", "/contacts"),
    ("POST", "/webhooks"),
];

async fn call(
    http: &reqwest::Client,
    running: &RunningService,
    key: &str,
    which: usize,
) -> (bool, Vec<String>) {
    let (method, path) = CALLS[which];
    let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
    let request = http.request(method, format!("{}{path}", running.base_url)).bearer_auth(key);
    let answer =
        request.header("content-type", "application/json").body("{}").send().await.expect("an answer");
    let headers = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
    let told = |name| answer.headers().get(name).map(|header| header.to_str().expect("text").to_owned());
    (answer.status() == 429, headers.into_iter().filter_map(told).collect())
}

fn live_key(running: &RunningService) -> String {
    let is_live = |issued_key: &&service::IssuedKey| {
        issued_key.channel == "whatsapp" && issued_key.environment.word() == "live"
    };
    running.keys.iter().find(is_live).expect("a key").key.expose().to_owned()
}

/// Two processes on a server count calls like one on a file.
#[tokio::test]
async fn limits_of_two_are_those_of_one() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    let clock = HandClock::new();
    let with = |options: Options| Options { unlimited: false, clock: clock.clone(), ..options };
    let one = service::start(with(options(&url, &folder))).await.expect("it starts");
    let other = service::start(with(options(&url, &folder))).await.expect("it starts");
    let file = folder.path().join("service.db").display().to_string();
    let alone = service::start(with(options(&file, &folder))).await.expect("it starts");
    let (key, alone_key) = (live_key(&one), live_key(&alone));
    frontdesk::client::install_tls();
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let mut chance = TestRunner::deterministic();
    let steps = prop::collection::vec((0_i64..400, 0_usize..5, any::<bool>()), 500);
    let steps = steps.new_tree(&mut chance).expect("steps").current();
    let mut refused = 0;
    for (millis, which, first) in steps {
        clock.advance(millis * 1_000);
        let told = call(&http, if first { &one } else { &other }, &key, which).await;
        assert_eq!(
            told,
            call(&http, &alone, &alone_key, which).await,
            "{which} at {}",
            if first { 1 } else { 2 }
        );
        refused += usize::from(told.0);
    }
    assert!((20..480).contains(&refused), "{refused}: some are refused and some are not");
    for running in [one, other, alone] {
        running.shutdown().await;
    }
}

/// Reads twice, with a change committed in between.
async fn read_around_a_change(database: &Database) -> (i64, i64) {
    let (ask, asked) = tokio::sync::oneshot::channel();
    let (change, changed) = mpsc::channel();
    let balance = |db: &dyn DbSession| Ok::<_, DatabaseError>(workspaces::read(db, "w")?.balance);
    let reading = database.read_consistent(move |db| {
        let before = balance(db)?;
        ask.send(()).expect("somebody waits");
        changed.recv().expect("a change");
        Ok::<_, DatabaseError>((before, balance(db)?))
    });
    let changing = async {
        asked.await.expect("it was asked");
        let charged = database.write(|db| workspaces::charge(db, "w", 4, "message", "r", at(1))).await;
        assert_eq!(charged.expect("works"), Ok(6));
        change.send(()).expect("somebody waits");
    };
    let (seen, ()) = tokio::join!(reading, changing);
    assert_eq!(database.read(balance).await.expect("reads"), 6, "and what is read next is new");
    seen.expect("reads")
}

#[tokio::test]
async fn reads_of_one_request_are_consistent() {
    let folder = tempfile::tempdir().expect("a folder");
    for place in both_engines(folder.path()).await {
        let reading = tokio::task::spawn_blocking(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            let (database, _) =
                Database::open(&place, Durability::Simulated, Arc::default()).expect("it opens");
            let made = database.write(|db| {
                tables(db, 10);
                Ok::<_, DatabaseError>(())
            });
            runtime.block_on(made).expect("works");
            let seen = runtime.block_on(read_around_a_change(&database));
            database.close();
            assert_eq!(seen, (10, 10), "{place}");
        });
        reading.await.expect("no panic");
    }
}
