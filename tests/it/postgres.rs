//! The service on PostgreSQL: the contract, and failures only a server has.

mod clocks;
pub(crate) mod cluster;
mod cutting;
mod failing;
mod killing;
mod moving;
mod moving_kills;
mod operating;
mod orders;
mod own_cluster;
mod pooler;
mod properties;
mod removing;
mod restoring;
pub(crate) mod together;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use frontdesk::service::database::session::DbSession;
use frontdesk::service::database::{Database, DatabaseError, Durability, savepoint};
use frontdesk::service::{self, DatabaseLocation, Options, RunningService};
use serde_json::json;

use crate::carriers::mail_server;
use crate::desk::HandClock;
use crate::waiting::until_found;

/// Tests that inspect the file, or failures only a file has.
const OF_FILES: [&str; 11] = [
    "contract::killing",
    "contract::memory",
    "contract::connections::the_last_request",
    "service::crowded",
    "service::broadcasts::broadcast_is_sent_over_time",
    "service::events::no_events_are_stored",
    "service::events::failures_are_tried",
    "service::events::a_success_ends",
    "service::webhooks::database_alone",
    "mail_earlier::kills_neither",
    "mail_earlier::an_open_desk",
];

/// Runs the contract tests again, without notifications, as behind a transaction pooler.
#[test]
fn the_contract_holds_on_a_server() {
    let Some(server) = cluster::server() else { return };
    let stories = [
        "contract::",
        "service::",
        "team::agents",
        "team::joining::channel_that",
        "team::people",
        "team::sharing",
        "team::statistics",
        "carriers::blocking",
        "carriers::bots",
        "carriers::buttons",
        "carriers::changing",
        "carriers::chats",
        "carriers::earlier_messages",
        "carriers::numbers",
        "carriers::mails",
        "carriers::mail_earlier",
        "carriers::mail_folders",
        "carriers::mail_identities",
        "carriers::mail_invitations",
        "carriers::mail_large",
        "carriers::people",
        "carriers::phones",
        "carriers::taking_over",
        "carriers::templates",
        "carriers::workspaces",
        "assistant::metrics",
    ];
    run_stories(server, "off", &stories, 60);
}

/// Runs stories again with their databases on a server in this folder, with notifications `on` or `off`. At least
/// `count` must pass.
fn run_stories(server: &Path, listen: &str, stories: &[&str], count: u32) {
    let mut run = Command::new(std::env::current_exe().expect("this binary"));
    run.env(cluster::SERVER, server).env(cluster::LISTEN, listen);
    run.args(["--test-threads", "3"]).args(stories);
    if let Some((name, folder)) = mail_server::servers().map(mail_server::MailServers::nested) {
        run.env(name, folder);
    }
    for story in OF_FILES {
        run.args(["--skip", story]);
    }
    let done = run.output().expect("it runs");
    let told = String::from_utf8_lossy(&done.stdout);
    let passed = told.split(" passed").next().and_then(|part| part.rsplit(' ').next()?.parse::<u32>().ok());
    assert!(done.status.success() && passed.is_some_and(|passed| passed >= count), "{told}");
}

pub(crate) fn options(url: &str, folder: &tempfile::TempDir) -> Options {
    let listen = "127.0.0.1:0".parse().expect("an address");
    let place: DatabaseLocation = cluster::served(url).parse().expect("an address");
    let options = Options::new(listen, place, HandClock::new());
    let key_file = Some(folder.path().join("service.key"));
    Options { key_file, dev: true, unlimited: true, by_hand: true, ..options }
}

async fn inbound(running: &RunningService, text: &str) -> reqwest::StatusCode {
    frontdesk::client::install_tls();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let body = json!({"channel": "whatsapp", "from": "+34600111222", "text": text}).to_string();
    let request =
        client.post(format!("{}/inbound", running.dev_url)).header("content-type", "application/json");
    request.body(body).send().await.expect("an answer").status()
}

/// Advances the clock by a minute; due work may be refused.
async fn advance(running: &RunningService) {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let request =
        client.post(format!("{}/clock", running.dev_url)).header("content-type", "application/json");
    request.body(r#"{"advance_seconds": 60}"#).send().await.expect("an answer");
}

fn messages(url: &str) -> i64 {
    cluster::count(&url.parse().expect("an address"), "SELECT count(*) FROM messages")
}

#[tokio::test]
async fn next_process_continues_after_one_has_ended() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    let first = service::start(options(&url, &folder)).await.expect("it starts");
    assert_eq!(first.keys.len(), 8);
    assert!(inbound(&first, "hi").await.is_success());
    first.shutdown().await;
    let next = service::start(options(&url, &folder)).await.expect("it is free");
    assert!(next.keys.is_empty(), "keys are told once");
    assert!(inbound(&next, "hi again").await.is_success());
    assert_eq!(messages(&url), 2);
    next.shutdown().await;
}

/// The fencing token rejects due work once another process has the lease, before the renewal fails.
#[tokio::test]
async fn process_without_the_lease_does_no_due_work() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    let running =
        service::start(Options { simulate: true, ..options(&url, &folder) }).await.expect("it starts");
    assert!(inbound(&running, "hi").await.is_success());
    // The other process renews its lease while the trigger exists.
    let taken = "UPDATE leases SET holder = 'another', process = 7, fence = fence + 1;
                 CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                 CREATE TRIGGER renewed BEFORE UPDATE ON leases FOR EACH ROW EXECUTE FUNCTION keep()";
    cluster::run(&url, taken).await.expect("taken");
    for _ in 0..2 {
        advance(&running).await;
        assert_eq!(messages(&url), 1, "the answer is another's to give");
    }
    assert!(inbound(&running, "requests are answered").await.is_success());
    cluster::run(&url, "DROP TRIGGER renewed ON leases; UPDATE leases SET until = 0")
        .await
        .expect("given back");
    while messages(&url) < 3 {
        advance(&running).await;
    }
    assert_eq!(cluster::column(&url.parse().expect("an address"), "SELECT fence FROM leases"), ["3"]);
    running.shutdown().await;
}

#[tokio::test]
async fn a_database_of_an_older_version_is_migrated() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    let first = service::start(options(&url, &folder)).await.expect("it starts");
    assert!(inbound(&first, "hi").await.is_success());
    first.shutdown().await;
    let back = "ALTER TABLE channels DROP COLUMN name; ALTER TABLE templates ADD COLUMN workspace TEXT;
                UPDATE templates SET workspace = 'ws_1'; ALTER TABLE templates DROP COLUMN channel CASCADE;
                ALTER TABLE templates ADD CONSTRAINT templates_pkey PRIMARY KEY (workspace, name, language);
                DROP TABLE commit_order, leases, shared_state, opt_outs, processes, peer_aliases, thread_automation,
                team_notes, team_conversations, team_replies, team_tokens, team_sessions, team_people, team_changes,
                team_actions, team_work, delivery_attempts; ALTER TABLE keys DROP COLUMN session;
                DROP INDEX threads_in_folder, threads_in_category, threads_by_reading, messages_by_status, messages_by_media,
                recipients_by_contact; ALTER TABLE events DROP COLUMN subject;
                CREATE INDEX threads_by_folder ON threads (channel, folder, last_at DESC, id DESC);
                ALTER TABLE conversations DROP COLUMN platform_peer; ALTER TABLE messages DROP COLUMN sent_at;
                ALTER TABLE emails DROP COLUMN sent_at;
                ALTER TABLE messages DROP COLUMN extras; ALTER TABLE conversations DROP COLUMN last_change;
                ALTER TABLE media_parts DROP COLUMN kept_at;
                ALTER TABLE connections DROP COLUMN workspace; ALTER TABLE connections ADD PRIMARY KEY (name);
                ALTER TABLE connection_calls DROP COLUMN workspace;
                ALTER TABLE workspaces DROP COLUMN revision, DROP COLUMN stamp;
                ALTER TABLE egress ADD CONSTRAINT egress_lane_fkey FOREIGN KEY (lane) REFERENCES conversations;
                CREATE TABLE lease (name TEXT); UPDATE meta SET value = '1' WHERE name = 'format'";
    cluster::run(&url, back).await.expect("as it was");
    let place: DatabaseLocation = url.parse().expect("an address");
    let looked = place.clone();
    let opening = tokio::task::spawn_blocking(move || Database::open_existing(&looked).err());
    assert!(matches!(opening.await.expect("no panic"), Some(DatabaseError::Older(1))));
    let next = service::start(options(&url, &folder)).await.expect("it migrates");
    assert!(inbound(&next, "hi again").await.is_success());
    // A newer version takes over the database.
    cluster::run(&url, "UPDATE commit_order SET format = format + 1").await.expect("newer");
    assert_eq!(inbound(&next, "too old for this").await.as_u16(), 503);
    let ready = reqwest::get(format!("{}/ready", next.base_url.trim_end_matches("/v1"))).await;
    assert_eq!(ready.expect("an answer").status().as_u16(), 503, "a balancer asks others");
    let held = "SELECT count(*) FROM leases WHERE until > extract(epoch FROM clock_timestamp()) * 1000000";
    until_found("it leaves what falls due to the newer one", async || match cluster::count(&place, held) {
        0 => Ok(()),
        held => Err(held),
    })
    .await;
    next.shutdown().await;
    assert_eq!(
        cluster::column(&place, "SELECT content FROM messages ORDER BY created_at"),
        ["hi", "hi again"]
    );
}

#[tokio::test]
async fn a_lost_connection_is_made_anew() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    let running = service::start(options(&url, &folder)).await.expect("it starts");
    for round in 1..4 {
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE datname = current_database() AND pid <> pg_backend_pid()";
        cluster::run(&url, others).await.expect("cut");
        assert!(inbound(&running, "hi").await.is_success(), "round {round}");
        assert_eq!(messages(&url), round);
    }
    running.shutdown().await;
}

#[tokio::test]
async fn unusable_database_is_refused_with_a_reason() {
    let Some(server) = cluster::server() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let refused = async |options: Options| service::start(options).await.err().expect("refused").to_string();
    let url = cluster::database(server).await;
    let unnamed = refused(Options { key_file: None, ..options(&url, &folder) }).await;
    assert!(unnamed.contains("needs the key file of its secrets; name it with --key-file"), "{unnamed}");
    let nowhere = refused(options(&cluster::url(server, "nowhere"), &folder)).await;
    assert!(nowhere.contains("cannot be used") && nowhere.contains("nowhere"), "{nowhere}");
    cluster::run(&url, "CREATE VIEW contacts AS SELECT 1 AS theirs").await.expect("made");
    let foreign = refused(options(&url, &folder)).await;
    assert!(foreign.contains("belongs to another program, which keeps contacts"), "{foreign}");
    let url = cluster::database(server).await;
    service::start(options(&url, &folder)).await.expect("it starts").shutdown().await;
    let keyless = options(&url, &folder);
    std::fs::remove_file(folder.path().join("service.key")).expect("removed");
    let missing = refused(keyless.clone()).await;
    assert!(missing.contains("restore the key file"), "{missing}");
    cluster::run(&url, "UPDATE meta SET value = '99' WHERE name = 'format'").await.expect("newer");
    let newer = refused(keyless).await;
    assert!(newer.contains("a newer version of this program (format 99)"), "{newer}");
}

fn meta(db: &dyn DbSession, name: &str) -> Result<(), DatabaseError> {
    db.change_later(
        "INSERT INTO meta (name, value) VALUES (?1, ?2)",
        &[
            frontdesk::service::database::rows::SqlValue::Text(name),
            frontdesk::service::database::rows::SqlValue::Int(1),
        ],
    )
}

/// A failed savepoint is undone alone, whenever it reaches the server.
async fn parts_are_undone_alone(place: DatabaseLocation) {
    let opening = move || Database::open(&place, Durability::Full, Arc::default());
    let (database, fresh) = tokio::task::spawn_blocking(opening).await.expect("no panic").expect("it opens");
    assert!(fresh);
    let (one, two) = tokio::join!(
        database.write(|db| {
            meta(db, "a")?;
            let refused = savepoint::in_savepoint(db, || {
                meta(db, "b")?;
                meta(db, "a")
            });
            assert!(refused.is_err(), "a name is taken once");
            // No query, so nothing of it was sent.
            let undone: Result<(), _> = savepoint::in_savepoint(db, || {
                meta(db, "c")?;
                Err(DatabaseError::Closed)
            });
            assert!(undone.is_err());
            savepoint::in_savepoint(db, || meta(db, "d"))?;
            assert_eq!(
                savepoint::dry_run(db, || {
                    meta(db, "e")?;
                    db.fetch_scalar::<i64>("SELECT count(*) FROM meta WHERE name IN ('a', 'd', 'e')", &[])
                })?,
                3
            );
            savepoint::in_savepoint(db, || {
                meta(db, "f")?;
                let inner = savepoint::in_savepoint(db, || meta(db, "f"));
                assert!(inner.is_err(), "told to the part it lies in");
                Ok::<_, DatabaseError>(())
            })?;
            // Savepoints whose ends are not sent before the next statement.
            let counted = "UPDATE meta SET value = value WHERE name IN ('d', 'f', 'h')";
            savepoint::in_savepoint(db, || {
                meta(db, "h")?;
                assert_eq!(db.change(counted, &[])?, 3, "what stood in line came before it");
                savepoint::in_savepoint(db, || Ok::<_, DatabaseError>(()))
            })?;
            let refused = savepoint::in_savepoint(db, || {
                savepoint::in_savepoint(db, || Ok::<_, DatabaseError>(()))?;
                meta(db, "a")?;
                db.change(counted, &[]).map(drop)
            });
            assert!(refused.is_err(), "a change hears of what stood in line before it");
            savepoint::in_savepoint(db, || db.change(counted, &[]).map(drop))
        }),
        // A job that fails late does not affect others.
        database.write(|db| {
            meta(db, "g")?;
            meta(db, "g")
        }),
    );
    one.expect("kept");
    assert!(two.is_err());
    let kept: Result<Vec<String>, DatabaseError> = database
        .read(|db| {
            let named = "SELECT name FROM meta WHERE name IN ('a','b','c','d','e','f','g','h') ORDER BY name";
            db.fetch_all(named, &[], |row| row.get("name"))
        })
        .await;
    assert_eq!(kept.expect("read"), ["a", "d", "f", "h"]);
    tokio::task::spawn_blocking(move || database.close()).await.expect("closed");
}

#[tokio::test]
async fn parts_are_undone_alone_on_both_engines() {
    let folder = tempfile::tempdir().expect("a folder");
    parts_are_undone_alone(folder.path().join("service.db").into()).await;
    let Some(server) = cluster::server() else { return };
    parts_are_undone_alone(cluster::database(server).await.parse().expect("an address")).await;
}
