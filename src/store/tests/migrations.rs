//! Every older version of both files, built from its committed schema with
//! rows in it, opened by today's code.

mod outbox_rows;

use std::path::Path;

use rusqlite::Connection;

use crate::email::Filed;
use crate::templates::ToldTemplate;
use crate::tests::{at, channel, message};
use crate::{Store, StoreDurability, files, search, trouble};
use model::account::Platform;
use model::attachments::ReplyAttachment;
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::contacts::ToldContact;
use model::email::{Thread, ThreadField};
use model::filter::ConversationFilter;
use model::ids::ConversationId;
use model::messages::Direction;
use model::outbox::content::ThreadChange;
use model::queries::{ConversationQuery, Draft, HistoryQuery};
use model::search::SearchQuery;
use model::time::Timestamp;
use sqlite::Queries;

/// Messages in the older cache: more than two slices of the index.
const MESSAGES: i64 = 1_200;

/// A file of one version: its first one with rows in it, then each change as
/// it was made then.
fn older(path: &Path, versions: &[&str], rows: impl Fn(&Connection)) {
    let file = Connection::open(path).unwrap();
    search::install(&file).unwrap();
    file.execute_batch(versions[0]).unwrap();
    rows(&file);
    for change in &versions[1..] {
        file.execute_batch(change).unwrap();
    }
    file.pragma_update(None, "application_id", 0x4672_446b).unwrap();
    file.pragma_update(None, "user_version", i64::try_from(versions.len()).unwrap()).unwrap();
}

fn version_of(path: &Path) -> usize {
    let file = Connection::open(path).unwrap();
    let version: i64 = file.scalar("PRAGMA user_version", []).unwrap();
    usize::try_from(version).unwrap()
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
        INSERT INTO draft VALUES ('harbor', 'c1', 'half a thought', NULL);
        INSERT INTO outbox (id, channel, conversation, operation, recipient, text, idempotency_key, method,
                path, body, created_at, not_before, state, stop, why)
            VALUES ('r1', 'harbor', 'c1', 'send', '+34600111222', 'unsent', 'k1', 'POST', '/messages/send',
                x'7b7d', 1, 1, 'stopped', 'refused', 'said why'),
            ('r2', 'harbor', 'c2', 'close', NULL, NULL, 'k2', 'POST', '/conversations/c2/close', x'', 1, 1,
                'queued', NULL, NULL);
        INSERT INTO sent_here VALUES ('harbor', 'm1');
        INSERT INTO reaction VALUES ('harbor', 'm1', '👍');
        INSERT INTO pause VALUES ('harbor', 'c1', 1);
        INSERT INTO audit (row, channel, conversation, operation, event, detail)
            VALUES ('r0', 'harbor', 'c1', 'send', 'sent', '');";
    file.execute_batch(sql).unwrap();
}

fn broadcast() -> Broadcast {
    Broadcast {
        id: "b1".into(),
        status: BroadcastStatus::Sending,
        text: None,
        recipients: 12,
        delivered: 2,
        failed: 0,
        pending: 10,
        created_at: Some(at(1)),
        completed_at: None,
    }
}

#[tokio::test]
async fn every_older_cache_is_carried_over() {
    for version in 1..=files::CACHE.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.db");
        older(&path, &files::CACHE[..version], rows_of_cache);
        let store = Store::open(folder.path()).unwrap();
        assert!(!store.cache_was_rebuilt(), "version {version}");
        assert_eq!(store.meta(&channel(), "mark").await.unwrap().as_deref(), Some("kept"));
        assert!((store.account(&channel()).await.unwrap().unwrap().credits - 412.0).abs() < f64::EPSILON);
        let reader = store.reader().unwrap();
        let all = ConversationQuery::first(channel(), ConversationFilter::all(), 10);
        assert_eq!(reader.conversations(&all).unwrap().rows[0].conversation.title().as_str(), "Maria Lopez");
        let conversation = ConversationId::from("c1");
        let history = HistoryQuery { channel: channel(), conversation, limit: 5_000 };
        let messages = reader.history(&history).unwrap().messages;
        assert_eq!(i64::try_from(messages.len()).unwrap(), MESSAGES);
        store.finish_index().unwrap();
        let asked = |text: &str| SearchQuery { text: text.into(), limit: 5_000, ..SearchQuery::default() };
        let page = reader.search(&asked("order")).unwrap();
        assert_eq!(
            (i64::try_from(page.hits.len()).unwrap(), page.partial),
            (MESSAGES, false),
            "version {version}"
        );
        assert_eq!(page.hits[0].message.as_str(), format!("m{MESSAGES}"));
        assert_eq!(reader.search(&asked("number7")).unwrap().hits.len(), 111);
        assert_eq!(reader.search(&asked("maria")).unwrap().people.len(), 1);
        assert!(reader.broadcasts(&channel()).unwrap().is_empty());
        store.apply_broadcast(&channel(), broadcast()).await.unwrap();
        assert_eq!(reader.broadcasts(&channel()).unwrap(), [broadcast()], "version {version}");
        let told = ToldTemplate {
            name: "hello_again".into(),
            language: "en".into(),
            category: "UTILITY".into(),
            components: r#"[{"type":"BODY","text":"Hello {{1}}"}]"#.into(),
        };
        while store.cache().call(|it| trouble::add_slice(&mut it.connection)).unwrap() {}
        let second = &reader.conversations(&all).unwrap().rows[1];
        assert_eq!(second.trouble.line(), "55 wants a human", "version {version}");
        store.apply_templates(&channel(), vec![told], at(5)).await.unwrap();
        let templates = reader.templates(&channel()).unwrap();
        assert_eq!(
            (templates.fetched_at, templates.all[0].slots().len()),
            (Some(at(5)), 1),
            "version {version}"
        );
        let told = ToldContact { id: Some("ct1".into()), tags: vec!["vip".into()], ..ToldContact::default() };
        assert!(store.apply_contact(&channel(), "+34600111222", told, at(6)).await.unwrap());
        let tagged = reader.conversations(&all).unwrap().rows[0].local.tags.clone();
        assert_eq!(tagged[0].word.as_str(), "vip", "version {version}");
        let thread = Thread { is_read: Some(false), ..Thread::default() };
        assert!(
            store.apply_threads(&channel(), vec![("c1".into(), thread)], store.snapshot()).await.unwrap()
        );
        let row = &reader.conversations(&all).unwrap().rows[0];
        assert_eq!(row.thread.as_ref().and_then(|it| it.is_read), Some(false), "version {version}");
        assert_eq!(reader.mailbox(&channel()).unwrap(), None);
        assert!(reader.correspondents(&channel(), "", 10).unwrap().is_empty(), "version {version}");
        store.mark_gone(&channel(), &"c1".into()).await.unwrap();
        let old = vec![message("c1", "m1", 0, Direction::Inbound)];
        let again = store.apply_messages(&channel(), old, Platform::Whatsapp, vec![]).await.unwrap();
        assert!(again.inserted[0].is_back, "version {version}");
        drop((store, reader));
        assert_eq!(version_of(&path), files::CACHE.len());
    }
}

#[tokio::test]
async fn every_older_outbox_is_carried_over() {
    for version in 1..=files::OUTBOX.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("outbox.db");
        older(&path, &files::OUTBOX[..version], rows_of_outbox);
        let store = Store::open(folder.path()).unwrap();
        let reader = store.reader().unwrap();
        let draft = reader.draft(&channel(), &"c1".into()).unwrap();
        assert_eq!(
            draft,
            Some(Draft {
                text: "half a thought".into(),
                reply_to: None,
                note: String::new(),
                attachment: None
            }),
            "version {version}"
        );
        let attachment = Some(ReplyAttachment::link("https://shop.example/bill.pdf"));
        let attached = Some(Draft { attachment, ..Draft::default() });
        store.save_draft(&channel(), &"c2".into(), attached.clone()).unwrap();
        assert_eq!(reader.draft(&channel(), &"c2".into()).unwrap(), attached, "version {version}");
        let note = store.add_note(&channel(), &"c1".into(), "calls back on Monday", at(0)).unwrap();
        let id = note.id.clone();
        let page = reader.history(&HistoryQuery { channel: channel(), conversation: "c1".into(), limit: 1 });
        assert_eq!(page.unwrap().notes, [note]);
        assert_eq!(store.take_note_back(&id).unwrap().as_deref(), Some("calls back on Monday"));
        let rows = store.lane_rows(&channel()).await.unwrap();
        let ids: Vec<&str> = rows.iter().map(|it| it.row.id.as_str()).collect();
        assert_eq!(ids, ["r1", "r2"], "version {version}");
        assert!(rows[0].row.is_stopped() && !rows[1].row.is_stopped());
        let star = ThreadChange { is_starred: Some(true), ..ThreadChange::default() };
        let filed = Filed { ignored: vec![ThreadField::Star], ..Filed::default() };
        let ignored = store.note_filed(&channel(), &"c9".into(), &star, &filed, at(0)).await.unwrap();
        assert_eq!(ignored, [ThreadField::Star], "version {version}");
        assert!(store.working_fields(&channel()).await.unwrap().is_empty());
        store.keep_macro('a', Some("command close e".into())).unwrap();
        assert_eq!(reader.macros().unwrap()[0].steps, "command close e", "version {version}");
        store.keep_macro('a', None).unwrap();
        assert_eq!(reader.macros().unwrap(), []);
        assert!(reader.campaigns(None).unwrap().is_empty(), "version {version}");
        store.track_broadcast(&channel(), &"bc_1".into(), at(0)).unwrap();
        let counts = reader.counts(&channel()).unwrap();
        assert_eq!((counts.paused_here, counts.snoozed), (1, 0));
        assert_eq!(counts.paused_since, Some(Timestamp::default()), "version {version}");
        drop((store, reader));
        let file = Connection::open(&path).unwrap();
        let sql = "SELECT idempotency_key, body FROM outbox WHERE id = 'r1'";
        let (key, body): (String, Vec<u8>) =
            file.one(sql, [], |row| Ok((row.get("idempotency_key")?, row.get("body")?))).unwrap();
        assert_eq!((key.as_str(), body.as_slice()), ("k1", b"{}".as_slice()));
        for table in ["sent_here", "reaction", "audit"] {
            let sql = format!("SELECT count(*) FROM {table}");
            let count: i64 = file.scalar(&sql, []).unwrap();
            assert!(count >= 1, "version {version} has lost {table}");
        }
        assert_eq!(version_of(&path), files::OUTBOX.len());
    }
}

#[test]
fn the_index_of_an_older_cache_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    older(&folder.path().join("cache.db"), &files::CACHE[..1], rows_of_cache);
    let paths = files::Paths::prepare(folder.path(), None).unwrap();
    files::open_outbox(&paths, StoreDurability::Full).unwrap();
    let (mut cache, _) = files::open_cache(&paths, StoreDurability::Full).unwrap();
    assert!(search::is_partial(&cache).unwrap());
    assert!(search::add_slice(&mut cache).unwrap());
    let indexed = |cache: &Connection| -> i64 {
        cache.scalar("SELECT count(*) FROM message WHERE place IS NOT NULL", []).unwrap()
    };
    // The one that asks for a person is none of the many.
    let (first, sum): (i64, i64) = (indexed(&cache), MESSAGES + 1);
    assert!(first > 0 && first < sum, "{first}");
    drop(cache);
    let (mut cache, _) = files::open_cache(&paths, StoreDurability::Full).unwrap();
    assert_eq!(indexed(&cache), first);
    while search::add_slice(&mut cache).unwrap() {}
    assert_eq!(indexed(&cache), sum);
    assert!(!search::is_partial(&cache).unwrap() && !search::add_slice(&mut cache).unwrap());
}
