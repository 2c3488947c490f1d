//! A full disk: changes fail before any byte is sent, and stored data is intact.

use std::time::Duration;

use rusqlite::Connection;

use crate::tests::{at, channel, send};
use crate::{Store, StoreError};
use model::ids::ConversationId;
use model::queries::Draft;
use sqlite::Queries;

fn with_outbox(store: &Store, change: impl FnOnce(&Connection) + Send + 'static) {
    store
        .outbox()
        .call(move |connection| {
            change(connection);
            Ok(())
        })
        .unwrap();
}

async fn refuses(store: &Store, expected: fn(&StoreError) -> bool) {
    let (channel, conversation) = (channel(), ConversationId::from("a"));
    let draft =
        Draft { text: "kept".to_owned(), reply_to: None, note: String::new(), attachments: Vec::new() };
    let queued = store.lane_rows(&channel).await.unwrap();
    let error = store.enqueue_many(vec![send("a", &"long ".repeat(100_000), 0)], true, at(0)).unwrap_err();
    assert!(expected(&error), "{error:?}");
    let words = error.to_string();
    assert!(words.contains("nothing was written") && words.contains("ry again"), "{words}");
    let claimed = store.claim(&queued[0].row.id, queued[0].fencing_token, at(1), "key").await;
    assert!(matches!(claimed, Err(error) if expected(&error)), "nothing may leave");
    assert_eq!(store.lane_rows(&channel).await.unwrap(), queued, "nothing changed");
    let kept = store.reader().unwrap().draft(&channel, &conversation).unwrap();
    assert_eq!(kept, Some(draft), "the draft is still there");
}

fn desk() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.enqueue(send("a", "one", 0), at(0)).unwrap();
    let draft =
        Draft { text: "kept".to_owned(), reply_to: None, note: String::new(), attachments: Vec::new() };
    store.save_draft(&channel(), &ConversationId::from("a"), Some(draft)).unwrap();
    (folder, store)
}

#[tokio::test]
async fn a_read_only_outbox_refuses() {
    let (_folder, store) = desk();
    with_outbox(&store, |connection| connection.pragma_update(None, "query_only", true).unwrap());
    refuses(&store, |error| matches!(error, StoreError::ReadOnly)).await;
    with_outbox(&store, |connection| connection.pragma_update(None, "query_only", false).unwrap());
    store.enqueue(send("a", "two", 0), at(1)).unwrap();
}

#[tokio::test]
async fn a_full_disk_refuses() {
    let (_folder, store) = desk();
    with_outbox(&store, |connection| {
        let pages: i64 = connection.scalar("PRAGMA page_count", []).unwrap();
        connection.pragma_update(None, "max_page_count", pages).unwrap();
    });
    let error = store.enqueue(send("a", &"long ".repeat(100_000), 0), at(0)).unwrap_err();
    assert!(matches!(error, StoreError::Full), "{error:?}");
    assert_eq!(store.lane_rows(&channel()).await.unwrap().len(), 1);
    with_outbox(&store, |connection| connection.pragma_update(None, "max_page_count", 100_000).unwrap());
    store.enqueue(send("a", "two", 0), at(1)).unwrap();
}

#[tokio::test]
async fn a_locked_outbox_refuses_in_the_end_and_then_goes_on() {
    let (folder, store) = desk();
    with_outbox(&store, |connection| connection.busy_timeout(Duration::from_millis(20)).unwrap());
    let other = Connection::open(folder.path().join("outbox.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    refuses(&store, |error| matches!(error, StoreError::Locked)).await;
    other.execute_batch("COMMIT").unwrap();
    store.enqueue(send("a", "two", 0), at(1)).unwrap();
}
