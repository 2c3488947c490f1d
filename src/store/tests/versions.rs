//! Opens a file of each released version, with rows, with the current code.

use std::path::Path;

use rusqlite::Connection;

use crate::clock::StoreClock;
use crate::files::{self, Schema};
use crate::tests::{at, channel};
use crate::{Store, StoreDurability, search};
use model::filter::ConversationFilter;
use model::ids::ConversationId;
use model::queries::{ConversationQuery, Draft, HistoryQuery};
use model::search::SearchQuery;
use sqlite::Queries;

/// More messages than two index batches.
const MESSAGES: i64 = 1_200;

/// Creates a file of the first version with rows and applies `later` migrations.
fn file_of(path: &Path, schema: &Schema, later: usize, rows: impl Fn(&Connection)) {
    let file = Connection::open(path).unwrap();
    search::install(&file).unwrap();
    StoreClock::default().install(&file).unwrap();
    file.execute_batch(schema.versions[0]).unwrap();
    rows(&file);
    for change in &schema.versions[1..=later] {
        file.execute_batch(change).unwrap();
    }
    let version = schema.newest_version() - i64::try_from(schema.versions.len() - 1 - later).unwrap();
    file.pragma_update(None, "application_id", 0x4672_446b).unwrap();
    file.pragma_update(None, "user_version", version).unwrap();
}

fn version_of(path: &Path) -> i64 {
    Connection::open(path).unwrap().scalar("PRAGMA user_version", []).unwrap()
}

fn rows_of_cache(file: &Connection) {
    let sql = "
        INSERT INTO meta VALUES ('harbor', 'mark', 'kept');
        INSERT INTO account (channel, id, workspace_id, platform, environment, credits)
            VALUES ('harbor', 'a1', 'w1', 'WHATSAPP', 'live', 412);
        INSERT INTO conversation (channel, id, sort_at, status, is_closed, address, name, message_count,
                preview, service_window, automation, raw)
            VALUES ('harbor', 'c1', 1, 'OPEN', 0, '+34600111222', 'Maria Lopez', 1, 'hi', 'open', 'on', '{}'),
                ('harbor', 'c2', 0, 'OPEN', 0, '+44600111222', NULL, 1, 'hi', 'open', 'on', '{}');
        INSERT INTO message (conversation, id, sort_at, inbound, sender, content, content_type, delivery,
                created_at, unreadable, raw)
            VALUES (2, 'w1', 1, 1, 'customer', 'I want to talk to a human', 'text', 'sent', 1, 0, '{}');";
    file.execute_batch(sql).unwrap();
    file.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT INTO message (conversation, id, sort_at, inbound, sender, content, content_type, delivery,
                 created_at, unreadable, raw)
             SELECT 1, 'm' || i, ?2 + i, 1, 'customer', 'order number' || i, 'text', 'sent', ?2 + i, 0, '{}' FROM n",
        [MESSAGES, at(0).micros()],
    )
    .unwrap();
}

fn rows_of_outbox(file: &Connection) {
    let sql = "
        INSERT INTO draft (channel, conversation, text) VALUES ('harbor', 'c1', 'half a thought');
        INSERT INTO outbox (id, channel, lane, lane_id, operation, payload, idempotency_key, method, path, body,
                created_at, not_before, state, stop, why)
            VALUES ('r1', 'harbor', 'conversation', 'c1', 'send', '{\"to\":\"+34600111222\",\"text\":\"unsent\"}',
                'k1', 'POST', '/messages/send', x'7b7d', 1, 1, 'stopped', 'refused', 'said why'),
            ('r2', 'harbor', 'conversation', 'c2', 'close', '{}', 'k2', 'POST', '/conversations/c2/close', x'', 1, 1,
                'queued', NULL, NULL);
        INSERT INTO pause (channel, conversation, read_again) VALUES ('harbor', 'c1', 1);
        INSERT INTO note (id, channel, conversation, text, created_at)
            VALUES ('n1', 'harbor', 'c1', 'calls back on Monday', 1);";
    file.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_cache_of_every_version_opens_with_what_is_in_it() {
    for later in 0..files::CACHE.versions.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.db");
        file_of(&path, &files::CACHE, later, rows_of_cache);
        let store = Store::open(folder.path()).unwrap();
        assert!(!store.cache_was_rebuilt(), "version {later}");
        assert_eq!(store.meta(&channel(), "mark").await.unwrap().as_deref(), Some("kept"));
        let reader = store.reader().unwrap();
        let all = ConversationQuery::first(channel(), ConversationFilter::all(), 10);
        assert_eq!(reader.conversations(&all).unwrap().rows[0].conversation.title().as_str(), "Maria Lopez");
        let conversation = ConversationId::from("c1");
        let history = HistoryQuery { channel: channel(), conversation, limit: 5_000 };
        assert_eq!(i64::try_from(reader.history(&history).unwrap().messages.len()).unwrap(), MESSAGES);
        store.finish_index().unwrap();
        let asked = |text: &str| SearchQuery { text: text.into(), limit: 5_000, ..SearchQuery::default() };
        let page = reader.search(&asked("order")).unwrap();
        assert_eq!((i64::try_from(page.hits.len()).unwrap(), page.partial), (MESSAGES, false));
        assert_eq!(page.hits[0].message.as_str(), format!("m{MESSAGES}"));
        assert_eq!(reader.search(&asked("maria")).unwrap().people.len(), 1);
        drop((store, reader));
        assert_eq!(version_of(&path), files::CACHE.newest_version());
    }
}

#[tokio::test]
async fn an_outbox_of_every_version_keeps_every_row() {
    for later in 0..files::OUTBOX.versions.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("outbox.db");
        file_of(&path, &files::OUTBOX, later, rows_of_outbox);
        let store = Store::open(folder.path()).unwrap();
        let reader = store.reader().unwrap();
        let draft = reader.draft(&channel(), &"c1".into()).unwrap();
        assert_eq!(
            draft,
            Some(Draft { text: "half a thought".into(), ..Draft::default() }),
            "version {later}"
        );
        let rows = store.lane_rows(&channel()).await.unwrap();
        let ids: Vec<&str> = rows.iter().map(|row| row.row.id.as_str()).collect();
        assert_eq!(ids, ["r1", "r2"], "version {later}");
        assert!(rows[0].row.is_stopped() && !rows[1].row.is_stopped());
        let page = reader.history(&HistoryQuery { channel: channel(), conversation: "c1".into(), limit: 1 });
        assert_eq!(page.unwrap().notes.len(), 1, "version {later}");
        assert_eq!(reader.counts(&channel()).unwrap().paused_here, 1);
        drop((store, reader));
        assert_eq!(version_of(&path), files::OUTBOX.newest_version());
    }
}

#[tokio::test]
async fn agents_of_messages_that_are_stored_already_are_read_from_their_raw_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.db");
    let before = files::CACHE.versions.iter().position(|sql| sql.contains("COLUMN agent")).unwrap() - 1;
    file_of(&path, &files::CACHE, before, |file| {
        rows_of_cache(file);
        let sql = "UPDATE message SET inbound = 0, sender = 'api', raw = ?1 WHERE conversation = 2";
        file.execute(sql, [r#"{"agent":{"id":"p1","name":"Ana"}}"#]).unwrap();
        let sql = "UPDATE message SET inbound = 0, sender = 'api', raw = ?1 WHERE id = ?2";
        file.execute(sql, [r#"no JSON with "agent""#, "m1"]).unwrap();
        file.execute(sql, [r#"{"agent":7}"#, "m2"]).unwrap();
    });
    let store = Store::open(folder.path()).unwrap();
    let query = HistoryQuery { channel: channel(), conversation: "c2".into(), limit: 9 };
    let page = store.reader().unwrap().history(&query).unwrap();
    let agent = page.messages[0].message.agent.as_ref().unwrap();
    assert_eq!((agent.name.as_str(), agent.is_self), ("Ana", false));
}

#[test]
fn an_index_that_was_not_finished_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.db");
    file_of(&path, &files::CACHE, files::CACHE.versions.len() - 1, rows_of_cache);
    let file = Connection::open(&path).unwrap();
    search::install(&file).unwrap();
    StoreClock::default().install(&file).unwrap();
    let trigger: String =
        file.scalar("SELECT sql FROM sqlite_schema WHERE name = 'message_search'", []).unwrap();
    let unfinished = "DROP TRIGGER message_search; UPDATE message SET place = NULL;
        INSERT INTO search (search) VALUES ('delete-all');
        UPDATE search_progress SET below = (SELECT max(rowid) + 1 FROM message);";
    file.execute_batch(unfinished).unwrap();
    file.execute_batch(&trigger).unwrap();
    drop(file);
    let (paths, clock) = (files::Paths::prepare(folder.path(), None).unwrap(), StoreClock::default());
    files::open_outbox(&paths, StoreDurability::Full, &clock).unwrap();
    let (mut cache, _) = files::open_cache(&paths, StoreDurability::Full, &clock).unwrap();
    assert!(search::is_partial(&cache).unwrap());
    assert!(search::add_slice(&mut cache).unwrap());
    let indexed = |cache: &Connection| -> i64 {
        cache.scalar("SELECT count(*) FROM message WHERE place IS NOT NULL", []).unwrap()
    };
    // The conversation where the AI asks for a person adds one message.
    let (first, sum): (i64, i64) = (indexed(&cache), MESSAGES + 1);
    assert!(first > 0 && first < sum, "{first}");
    drop(cache);
    let (mut cache, _) = files::open_cache(&paths, StoreDurability::Full, &clock).unwrap();
    assert_eq!(indexed(&cache), first);
    while search::add_slice(&mut cache).unwrap() {}
    assert_eq!(indexed(&cache), sum);
    assert!(!search::is_partial(&cache).unwrap() && !search::add_slice(&mut cache).unwrap());
}
