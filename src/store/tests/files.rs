use crate::tests::{at, channel, conversation, list, message};
use crate::{Store, StoreError, StoreOptions};
use model::account::Platform;
use model::conversations::{Automation, Conversation, Escalation, Referral};
use model::filter::ConversationFilter;
use model::ids::ConversationId;
use model::messages::{Direction, Message};
use model::queries::{ConversationQuery, Draft};
use model::text::SafeText;
use sqlite::Queries;

fn draft() -> Draft {
    Draft { text: "half a thought".into(), reply_to: None, note: String::new(), attachments: Vec::new() }
}

#[cfg(unix)]
#[test]
fn folder_and_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("deep/data");
    let _store = Store::open(&data).unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for entry in std::fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[tokio::test]
async fn a_damaged_newer_or_older_cache_is_set_aside_and_drafts_survive() {
    for damage in ["garbage", "newer", "older"] {
        let folder = tempfile::tempdir().unwrap();
        let id = ConversationId::from("c1");
        let store = Store::open(folder.path()).unwrap();
        list(&store, vec![conversation("c1", 1)]).await;
        store.save_draft(&channel(), &id, Some(draft())).unwrap();
        drop(store);
        let cache = folder.path().join("cache.db");
        if damage == "garbage" {
            std::fs::write(&cache, vec![b'x'; 8192]).unwrap();
        } else {
            let file = rusqlite::Connection::open(&cache).unwrap();
            let version = if damage == "newer" { 99 } else { 3 };
            file.pragma_update(None, "user_version", version).unwrap();
        }
        let store = Store::open(folder.path()).unwrap();
        assert!(store.cache_was_rebuilt(), "{damage}");
        assert!(folder.path().join("cache.db.set-aside").exists());
        let reader = store.reader().unwrap();
        assert_eq!(reader.draft(&channel(), &id).unwrap(), Some(draft()));
        let query = ConversationQuery::first(channel(), ConversationFilter::all(), 10);
        assert!(reader.conversations(&query).unwrap().rows.is_empty());
        drop(store);
        assert!(!Store::open(folder.path()).unwrap().cache_was_rebuilt());
    }
}

#[tokio::test]
async fn a_cache_that_is_damaged_in_parts_is_made_anew_by_the_next_that_is_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, (0..400).map(|number| conversation(&format!("c{number}"), number)).collect()).await;
    store.save_draft(&channel(), &ConversationId::from("c1"), Some(draft())).unwrap();
    drop(store);
    // Damages a page that opening does not read.
    let cache = folder.path().join("cache.db");
    let page = {
        let file = rusqlite::Connection::open(&cache).unwrap();
        file.pragma_update(None, "journal_mode", "DELETE").unwrap();
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'conversation'";
        usize::try_from(file.scalar::<i64>(sql, []).unwrap()).unwrap()
    };
    let mut bytes = std::fs::read(&cache).unwrap();
    bytes[(page - 1) * 4096..page * 4096].fill(0x5a);
    std::fs::write(&cache, bytes).unwrap();
    let query = ConversationQuery::first(channel(), ConversationFilter::all(), 10);
    if let Ok(store) = Store::open(folder.path()) {
        let reader = store.reader().unwrap();
        let error = reader.conversations(&query).unwrap_err();
        assert!(matches!(error, StoreError::Damaged(_)), "{error}");
        reader.record_damage(&error);
        assert!(!folder.path().join("cache.db.set-aside").exists(), "it is still in use");
    }
    let store = Store::open(folder.path()).unwrap();
    assert!(store.cache_was_rebuilt());
    assert!(store.reader().unwrap().conversations(&query).unwrap().rows.is_empty());
    let kept = store.reader().unwrap().draft(&channel(), &ConversationId::from("c1")).unwrap();
    assert_eq!(kept, Some(draft()));
    drop(store);
    assert!(!Store::open(folder.path()).unwrap().cache_was_rebuilt());
}

#[test]
fn a_damaged_newer_or_older_outbox_is_an_error_and_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = folder.path().join("outbox.db");
    std::fs::write(&outbox, vec![b'x'; 8192]).unwrap();
    let error = Store::open(folder.path()).err().unwrap();
    assert!(matches!(error, StoreError::OutboxDamaged { .. }), "{error}");
    assert_eq!(std::fs::read(&outbox).unwrap(), vec![b'x'; 8192]);

    for version in [3, 99] {
        let folder = tempfile::tempdir().unwrap();
        drop(Store::open(folder.path()).unwrap());
        let file = rusqlite::Connection::open(folder.path().join("outbox.db")).unwrap();
        file.pragma_update(None, "user_version", version).unwrap();
        drop(file);
        let error = Store::open(folder.path()).err().unwrap();
        let found = match error {
            StoreError::OutboxNewer { version, .. } | StoreError::OutboxOlder { version, .. } => version,
            other => panic!("{other}"),
        };
        assert_eq!(found, version);
    }
}

#[test]
fn drafts_are_kept_replaced_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let id = ConversationId::from("c1");
    let store = Store::open(folder.path()).unwrap();
    store
        .save_draft(
            &channel(),
            &id,
            Some(Draft { text: "one".into(), reply_to: None, note: String::new(), attachments: Vec::new() }),
        )
        .unwrap();
    store.save_draft(&channel(), &id, Some(draft())).unwrap();
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(reader.draft(&channel(), &id).unwrap(), Some(draft()));
    store.save_draft(&channel(), &id, None).unwrap();
    assert_eq!(reader.draft(&channel(), &id).unwrap(), None);
}

#[test]
fn a_second_process_does_not_call_the_first_ones_sending_uncertain() {
    // Two handles on one folder act as two processes: the lock belongs to the open file.
    let folder = tempfile::tempdir().unwrap();
    let first = Store::open(folder.path()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let now = crate::tests::at(0);
    let row = first.enqueue(crate::tests::send("c1", "hi", 0), now).unwrap();
    let claimed = runtime.block_on(first.claim(&row.id, 0, now, "")).unwrap().unwrap();
    let second = Store::open(folder.path()).unwrap();
    let rows = runtime.block_on(second.lane_rows(&channel())).unwrap();
    assert_eq!(rows[0].fencing_token, claimed.fencing_token);
    assert_eq!(rows[0].row.state, model::outbox::RowState::Sending);
    drop(first);
    let third = Store::open(folder.path()).unwrap();
    let rows = runtime.block_on(third.lane_rows(&channel())).unwrap();
    assert_eq!(
        rows[0].fencing_token, claimed.fencing_token,
        "the second is still there, and it may be the second's"
    );
    let lapsed = runtime.block_on(second.recover_lapsed(crate::tests::at(91))).unwrap();
    assert_eq!(lapsed, 1);
}

#[test]
fn many_that_open_a_new_folder_at_once_make_it_together() {
    for _ in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let begin = std::sync::Barrier::new(6);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    begin.wait();
                    Store::open(folder.path()).unwrap();
                });
            }
        });
        assert!(!Store::open(folder.path()).unwrap().cache_was_rebuilt());
    }
}

#[tokio::test]
async fn a_conversation_is_read_as_it_was_told_field_by_field() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let line = |text: &str| Some(SafeText::line(text));
    let told = Conversation {
        username: line("maria"),
        email: line("maria@mail.example"),
        message_count: 7,
        created_at: Some(at(2)),
        first_message_at: Some(at(3)),
        referral: Some(Referral { headline: line("Panniers that last"), ..Referral::default() }),
        escalation: Escalation::Requested(SafeText::line("asked for a person")),
        automation: Automation::Off,
        ..conversation("c1", 9)
    };
    list(&store, vec![told.clone()]).await;
    let query = ConversationQuery::first(channel(), ConversationFilter::all(), 10);
    let rows = store.reader().unwrap().conversations(&query).unwrap().rows;
    assert_eq!(rows[0].conversation, told);
}

#[tokio::test]
async fn list_names_a_file_without_a_text_as_the_history_does() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("c1", 9)]).await;
    let cases = [
        ("audio", r#"{"voice":true}"#, "[voice note]"),
        ("audio", "{}", "[audio]"),
        ("photo", r#"{"sticker":true}"#, "[sticker]"),
        ("sticker", "{}", "[sticker]"),
    ];
    for (seconds, (content_type, raw, words)) in (10..).zip(cases) {
        let told = Message {
            content: SafeText::default(),
            content_type: content_type.to_owned(),
            raw: raw.to_owned(),
            ..message("c1", &format!("m{seconds}"), seconds, Direction::Inbound)
        };
        store.apply_messages(&channel(), vec![told], Platform::Telegram, Vec::new()).await.unwrap();
        let query = ConversationQuery::first(channel(), ConversationFilter::all(), 10);
        let rows = store.reader().unwrap().conversations(&query).unwrap().rows;
        assert_eq!(rows[0].conversation.preview.as_str(), words, "{content_type} {raw}");
    }
}

#[test]
fn a_cache_beside_the_outbox_is_brought_to_where_it_belongs() {
    let folder = tempfile::tempdir().unwrap();
    let (data, cache) = (folder.path().join("data"), folder.path().join("cache"));
    let with_cache = || StoreOptions { cache: Some(cache.clone()), ..StoreOptions::default() };
    // The cache as an older version left it.
    drop(Store::open(&data).unwrap());
    let mark = |path: &std::path::Path, value: i64| {
        let file = rusqlite::Connection::open(path).unwrap();
        file.execute_batch(&format!(
            "CREATE TABLE IF NOT EXISTS mark (value); INSERT INTO mark VALUES ({value})"
        ))
        .unwrap();
    };
    mark(&data.join("cache.db"), 1);
    drop(Store::open_with(&data, with_cache()).unwrap());
    let marks = || -> Vec<i64> {
        let file = rusqlite::Connection::open(cache.join("cache.db")).unwrap();
        file.all("SELECT value FROM mark ORDER BY value", [], sqlite::only_cell).unwrap()
    };
    assert_eq!((marks(), data.join("cache.db").exists()), (vec![1], false));
    assert!(data.join("outbox.db").exists() && !cache.join("outbox.db").exists());
    // A cache recreated by an older version does not replace the new one.
    drop(Store::open(&data).unwrap());
    mark(&data.join("cache.db"), 2);
    let _used = Store::open_with(&data, with_cache()).unwrap();
    assert_eq!((marks(), data.join("cache.db").exists()), (vec![1], false));
    // While another process uses the folder, nothing is moved.
    let _other = Store::open(&data).unwrap();
    let _again = Store::open_with(&data, with_cache()).unwrap();
    assert!(data.join("cache.db").exists());
}
