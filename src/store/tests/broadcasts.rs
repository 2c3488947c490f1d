//! Tracked broadcasts and their state.

use std::sync::atomic::Ordering;

use rusqlite::Connection;

use crate::Store;
use crate::tests::{at, channel, count_steps};
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::ids::BroadcastId;
use model::text::SafeText;

/// Inserts an audit entry of a sent broadcast.
fn sent(folder: &tempfile::TempDir, channel: &str, operation: &str, made: &str) {
    let file = Connection::open(folder.path().join("outbox.db")).unwrap();
    file.execute(
        "INSERT INTO audit (row, channel, lane, lane_id, operation, event, detail, made)
         VALUES ('r', ?1, 'broadcasts', '', ?2, 'done', '', ?3)",
        [channel, operation, made],
    )
    .unwrap();
}

fn broadcast_with(id: &str, seconds: i64, status: BroadcastStatus) -> Broadcast {
    Broadcast {
        id: BroadcastId::from(id),
        status,
        text: Some(SafeText::line("Harbor opens")),
        recipients: 12,
        delivered: 2,
        failed: 1,
        pending: 9,
        created_at: Some(at(seconds)),
        completed_at: None,
        failures: Vec::new(),
    }
}

async fn unfinished(store: &Store, behind: i64) -> (Vec<String>, i64) {
    let (ids, until) = store.unfinished_broadcasts(&channel(), behind, at(600)).await.unwrap();
    (ids.iter().map(ToString::to_string).collect(), until)
}

#[tokio::test]
async fn what_was_sent_and_has_no_end_is_found_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(unfinished(&store, 0).await, (Vec::new(), 0));
    sent(&folder, "harbor", "broadcast", "b1");
    sent(&folder, "other", "broadcast", "b2");
    sent(&folder, "harbor", "send", "m3");
    sent(&folder, "harbor", "broadcast", "");
    sent(&folder, "harbor", "broadcast", "b5");
    assert_eq!(unfinished(&store, 0).await, (vec!["b1".to_owned(), "b5".to_owned()], 5));
    assert_eq!(unfinished(&store, 5).await, (Vec::new(), 5), "nothing was added");
    store.apply_broadcast(&channel(), broadcast_with("b1", 0, BroadcastStatus::Completed)).await.unwrap();
    store.apply_broadcast(&channel(), broadcast_with("b5", 1, BroadcastStatus::Sending)).await.unwrap();
    assert_eq!(unfinished(&store, 0).await, (vec!["b5".to_owned()], 5));
    for number in 0..60 {
        sent(&folder, "harbor", "broadcast", &format!("n{number}"));
    }
    let (newest, until) = unfinished(&store, 5).await;
    assert_eq!((newest.len(), newest[0].as_str(), until), (50, "n10", 65), "the newest only");
}

#[tokio::test]
async fn looking_for_them_takes_no_longer_however_much_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let counted = store.cache().call_async(|cache| Ok(count_steps(&mut cache.connection))).await.unwrap();
    let mut steps = Vec::new();
    for sends in [1, 500] {
        for number in 0..sends {
            sent(&folder, "harbor", "send", &format!("m{number}"));
        }
        // Runs once before counting, so that preparing the statement is not counted.
        unfinished(&store, 0).await;
        counted.store(0, Ordering::Relaxed);
        unfinished(&store, 0).await;
        steps.push(counted.load(Ordering::Relaxed));
    }
    assert_eq!(steps[0], steps[1]);
}

#[tokio::test]
async fn how_one_stands_is_kept_and_only_a_difference_counts() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let revision = async || store.revisions().await.unwrap().first().map_or(0, |revision| revision.1);
    let states = [
        broadcast_with("b1", 0, BroadcastStatus::Sending),
        broadcast_with("b1", 0, BroadcastStatus::Other("paused".into())),
        Broadcast { completed_at: Some(at(90)), ..broadcast_with("b1", 0, BroadcastStatus::Completed) },
    ];
    for state in states {
        let before = revision().await;
        assert!(store.apply_broadcast(&channel(), state.clone()).await.unwrap());
        assert_eq!(revision().await, before + 1, "other processes hear of it");
        assert!(!store.apply_broadcast(&channel(), state.clone()).await.unwrap());
        assert_eq!(revision().await, before + 1);
        assert_eq!(store.reader().unwrap().broadcasts(&channel()).unwrap(), [state]);
    }
    store.apply_broadcast(&channel(), broadcast_with("b2", 60, BroadcastStatus::Sending)).await.unwrap();
    let kept = store.reader().unwrap().broadcasts(&channel()).unwrap();
    let ids: Vec<&str> = kept.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["b2", "b1"], "newest first");
}
