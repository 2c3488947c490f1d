//! Files of a desk that are deleted, replaced or restored in use: nothing unstored is confirmed,
//! and nothing is sent twice by itself.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Child;

use frontdesk::model::filter::ConversationFilter;
use frontdesk::model::ids::{ChannelId, ConversationId, RowId};
use frontdesk::model::queries::{ConversationQuery, Draft};
use frontdesk::model::time::{Clock, SECOND};
use frontdesk::shell::clock::SystemClock;
use frontdesk::store::{Store, StoreError};
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::desk::Desk;
use crate::pty::Terminal;
use crate::scripting::failing::last_error;
use crate::waiting::{until, until_so};

const ANA: &str = "+34600111222";
const BO: &str = "+34600333444";

fn scene() -> (Desk, Binary, String) {
    let desk = Desk::new(80, 24);
    let id = desk.customer("whatsapp", ANA, "Ana Wells", "Is my bicycle ready?");
    let mut binary = Binary::new();
    binary.configure_channels(&desk, &[("whatsapp", "Harbor chat")]);
    (desk, binary, id)
}

fn inbox(binary: &Binary) -> Terminal {
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    binary.variables(|name, value| command.env(name, value));
    command.env("TZ", "UTC");
    Terminal::run(tempfile::tempdir().expect("a folder"), command, 100, 30)
}

/// Starts an engine and waits until it works.
fn engine(binary: &Binary) -> Child {
    let mut child = binary.command(&["engine"]).spawn().expect("it runs");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut line).expect("a line");
    assert!(line.contains("frontdesk engine"), "{line}");
    child
}

fn leads(binary: &Binary) {
    until_so("an engine that leads", || {
        let store = Store::open(&binary.data()).expect("opens");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime
            .block_on(store.sender(&ChannelId::from("harbor chat"), SystemClock.now()))
            .expect("read")
            .is_some()
    });
}

#[test]
fn an_engine_whose_outbox_is_deleted_says_so_and_ends() {
    for replaced in [false, true] {
        let (desk, binary, id) = scene();
        binary.ok(&["list"], "");
        let mut child = engine(&binary);
        leads(&binary);
        let outbox = binary.data().join("outbox.db");
        if replaced {
            let copy = binary.data().join("copy.db");
            fs::copy(&outbox, &copy).expect("copied");
            fs::rename(&copy, &outbox).expect("replaced");
        } else {
            for ending in ["", "-wal", "-shm"] {
                let path = binary.data().join(format!("outbox.db{ending}"));
                drop(fs::remove_file(path));
            }
        }
        let ended = until("an engine that ends", || match child.try_wait().expect("asked") {
            Some(status) => Ok(status),
            None => Err("it runs"),
        });
        assert_eq!(ended.code(), Some(1));
        let mut why = String::new();
        child.stderr.take().expect("its errors").read_to_string(&mut why).expect("words");
        assert!(why.contains("outbox.db") && why.contains("nothing is kept or sent any more"), "{why}");
        // Another process leads: new requests are sent.
        binary.ok(&["send", &id, "At five.", "--beside-ai"], "");
        assert_eq!(desk.outbound().len(), 1);
    }
}

#[test]
fn an_inbox_whose_outbox_is_deleted_says_so_and_lets_another_process_send() {
    let (desk, binary, id) = scene();
    let mut terminal = inbox(&binary);
    terminal.wait_for_text("Ana Wells");
    leads(&binary);
    for ending in ["", "-wal", "-shm"] {
        drop(fs::remove_file(binary.data().join(format!("outbox.db{ending}"))));
    }
    terminal.wait_for_text("outbox.db was deleted");
    binary.ok(&["send", &id, "At five.", "--beside-ai"], "");
    assert_eq!(desk.outbound().len(), 1);
    terminal.kill();
}

#[test]
fn an_open_inbox_reads_anew_what_its_deleted_cache_held() {
    let (desk, binary, _) = scene();
    let mut terminal = inbox(&binary);
    terminal.wait_for_text("Ana Wells");
    for ending in ["", "-wal", "-shm"] {
        drop(fs::remove_file(binary.data().join(format!("cache.db{ending}"))));
    }
    desk.customer("whatsapp", BO, "Bo Silva", "And mine?");
    terminal.wait_for_text("Bo Silva");
    until_so("a cache with both", || {
        let store = Store::open(&binary.data()).expect("opens");
        let query = ConversationQuery::first(ChannelId::from("harbor chat"), ConversationFilter::all(), 10);
        store.reader().expect("a reader").conversations(&query).expect("read").rows.len() == 2
    });
    terminal.kill();
}

#[test]
fn a_store_goes_on_with_another_cache_and_its_readers_follow() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, other) =
        (Store::open(folder.path()).expect("opens"), Store::open(folder.path()).expect("opens"));
    let mut reader = store.reader().expect("a reader");
    let channel = ChannelId::from("a");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mark = |store: &Store, value: &str| {
        runtime.block_on(store.set_meta(&channel, vec![("mark", Some(value.to_owned()))])).expect("kept");
    };
    let marked = |store: &Store| runtime.block_on(store.meta(&channel, "mark")).expect("read");
    mark(&store, "before");
    assert_eq!((marked(&other).as_deref(), store.reopened_caches()), (Some("before"), 0));
    fs::remove_file(folder.path().join("cache.db")).expect("removed");
    mark(&store, "after");
    assert_eq!((marked(&other).as_deref(), marked(&store).as_deref()), (Some("after"), Some("after")));
    assert_eq!((store.reopened_caches(), other.reopened_caches()), (1, 1));
    reader.follow_cache();
    assert!(reader.account(&channel).expect("it reads the new file").is_none());
    // A replaced file is noticed, too.
    let aside = folder.path().join("aside.db");
    fs::rename(folder.path().join("cache.db"), aside).expect("moved");
    assert_eq!(marked(&other), None);
    mark(&other, "anew");
    assert_eq!(marked(&store).as_deref(), Some("anew"));
}

#[test]
fn files_that_lose_their_journals_are_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("opens");
    let channel = ChannelId::from("a");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mark = |store: &Store, value: &str| {
        runtime.block_on(store.set_meta(&channel, vec![("mark", Some(value.to_owned()))])).expect("kept");
    };
    mark(&store, "before");
    fs::remove_file(folder.path().join("cache.db-wal")).expect("removed");
    // Another process would create a new journal beside the file.
    mark(&store, "after");
    assert_eq!(store.reopened_caches(), 1);
    let other = Store::open(folder.path()).expect("opens");
    assert_eq!(runtime.block_on(other.meta(&channel, "mark")).expect("read").as_deref(), Some("after"));
    assert!(store.missing_outbox().is_none());
    fs::remove_file(folder.path().join("outbox.db-wal")).expect("removed");
    assert_eq!(store.missing_outbox(), Some(folder.path().join("outbox.db").as_path()));
    let draft = Draft { text: "half a thought".to_owned(), ..Draft::default() };
    let lost = store.save_draft(&channel, &ConversationId::from("c1"), Some(draft));
    assert!(matches!(lost, Err(StoreError::FileReplaced { .. })), "nothing is confirmed into a lost journal");
}

#[test]
fn an_older_outbox_that_is_brought_back_sends_nothing_by_itself() {
    let (desk, binary, id) = scene();
    // Puts history and outbox on the same clock.
    let behind = SystemClock.now().since(desk.clock.now()) / SECOND;
    desk.dev("clock", json!({"advance_seconds": behind}));
    desk.customer("whatsapp", ANA, "Ana Wells", "Still there?");
    let bo = desk.customer("whatsapp", BO, "Bo Silva", "And mine?");
    binary.ok(&["list"], "");
    // Two rows wait for the end of a rate limit.
    desk.dev(
        "fault",
        json!({"path_prefix": "/messages/send", "count": 2, "status": 429, "retry_after": 600}),
    );
    for to in [&id, &bo] {
        let ended = binary.run(&["send", to, "At five.", "--beside-ai", "--timeout", "20", "--json"], "");
        assert_eq!(ended.code, Some(3), "{}", ended.err);
    }
    let listed = |binary: &Binary| -> Vec<Value> {
        serde_json::from_str(&binary.run(&["outbox", "list", "--json"], "").out).expect("a list")
    };
    let rows = listed(&binary);
    assert_eq!(rows.len(), 2, "{rows:?}");
    let (outbox, backup) = (binary.data().join("outbox.db"), binary.folder().join("backup.db"));
    let kept = rusqlite::Connection::open(&outbox).expect("opens");
    kept.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("written back");
    drop(kept);
    fs::copy(&outbox, &backup).expect("copied");
    // One is withdrawn, the other sent.
    let row = |title: &str| -> RowId {
        let found = rows.iter().find(|row| row["to"].as_str().is_some_and(|to| to.contains(title)));
        found.expect("a row")["id"].as_str().expect("an id").into()
    };
    let store = Store::open(&binary.data()).expect("opens");
    assert!(store.recall(&row("Bo Silva")).expect("read").is_some());
    store.send_now(&row("Ana Wells")).expect("hurried");
    drop(store);
    binary.ok(&["send", &id, "And open until seven.", "--beside-ai"], "");
    assert_eq!(desk.outbound().len(), 2, "{:?}", desk.outbound());
    // Restores the copy.
    for ending in ["-wal", "-shm"] {
        drop(fs::remove_file(binary.data().join(format!("outbox.db{ending}"))));
    }
    fs::copy(&backup, &outbox).expect("copied");
    let ended = binary.run(&["outbox", "list"], "");
    assert!(ended.err.contains("restored from an older copy"), "{}", ended.err);
    assert_eq!(ended.out.matches("MAY OR MAY NOT HAVE BEEN SENT").count(), 2, "{}", ended.out);
    let rows = listed(&binary);
    for row in &rows {
        assert_eq!((&row["state"], &row["waitsForYou"]), (&json!("unknown"), &json!(true)), "{row}");
    }
    // The history settles the sent one; then the next is sent.
    binary.ok(&["send", &id, "See you.", "--beside-ai"], "");
    let error =
        last_error(&binary.run(&["send", &bo, "See you.", "--beside-ai", "--timeout", "20", "--json"], ""));
    assert_eq!(error["exit"], 3, "nothing overtakes what may have been sent: {error}");
    let sent: Vec<Value> = desk.outbound().iter().map(|sent| sent["content"].clone()).collect();
    assert_eq!(sent, ["At five.", "And open until seven.", "See you."].map(Value::from), "each once");
    assert!(listed(&binary).iter().all(|row| row["to"].as_str().is_some_and(|to| to.contains("Bo Silva"))));
}
