//! Two processes on one data folder, and missing files.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use frontdesk::model::outbox::RowState;
use frontdesk::model::time::MINUTE;
use frontdesk::store::Store;
use frontdesk::store::lane::AttemptResult;
use frontdesk::sync::{PushState, PushStep};

use crate::hands::outbox_crash::desk;
use crate::hands::{id, open};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_on_one_outbox() {
    let (hands, office) = desk().await;
    let rows: Vec<_> = (0..30).map(|number| hands.queue_text(&format!("c{}", number % 6), "Hello")).collect();
    let other_store = Store::open(hands.folder.path()).expect("the files open");
    let news = Arc::new(Mutex::new(Vec::new()));
    let other = open(hands.channel.spec().clone(), &other_store, &hands.clock, &news);
    let now = hands.now();
    let mut state = PushState::new(now);
    let (first, second) = tokio::join!(hands.push(), other.push_all(&mut state, now));
    for step in [first, second] {
        assert!(!matches!(step, PushStep::Halted), "{step:?}");
    }
    // Sends that were running are finished by now.
    while hands.push().await != PushStep::Idle {
        hands.pass(2);
    }
    let posts = hands.server.posts();
    let keys: BTreeSet<_> = posts.iter().map(|post| post.key().to_owned()).collect();
    assert_eq!((posts.len(), keys.len(), office.count()), (30, 30, 30), "each left once");
    assert_eq!(keys, rows.iter().map(|row| row.key.to_string()).collect());
}

#[tokio::test]
async fn a_holder_that_stalls() {
    let (hands, office) = desk().await;
    let row = hands.queue_text("c1", "Hello");
    let stalled = Store::open(hands.folder.path()).expect("the files open");
    let fence = stalled.lane_rows(&id()).await.expect("rows")[0].fencing_token;
    let claim = stalled.claim(&row.id, fence, hands.now(), hands.channel.credential());
    let claimed = claim.await.expect("claimed").expect("free");
    assert!(matches!(hands.push().await, PushStep::Due(_)), "its claim holds");
    hands.pass(2 * MINUTE / 1_000_000);
    assert_eq!(hands.push().await, PushStep::Idle, "its claim has lapsed");
    let posts = hands.server.posts();
    assert_eq!((posts.len(), posts[0].key(), office.count()), (1, row.key.as_str(), 1));
    // The stalled worker wakes with a refusal that belongs to no current claim.
    let why = frontdesk::model::text::SafeText::line("late");
    let late = AttemptResult::Stop(frontdesk::model::outbox::StopReason::Refused, why);
    assert!(!stalled.settle(&claimed, late).await.expect("settled"));
    let success = AttemptResult::Done { created_id: Some("sent-1".into()), automation: None, replayed: true };
    stalled.settle(&claimed, success).await.expect("settled");
    assert!(hands.store.lane_rows(&id()).await.expect("rows").is_empty());
    assert_eq!(hands.messages("c1"), ["m1", "sent-1"], "one message");
}

/// Copies the databases without their WAL, as after an incomplete restore.
fn without_logs(from: &std::path::Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["outbox.db", "cache.db"] {
        std::fs::copy(from.join(name), folder.path().join(name)).expect("copied");
    }
    folder
}

#[tokio::test]
async fn a_lost_log_never_sends_twice() {
    let (hands, office) = desk().await;
    hands.queue_text("c1", "Hello");
    // Earlier writes are in the database, later ones in the WAL.
    let hands = hands.reopen();
    hands.server.now(office.open());
    assert_eq!(hands.push().await, PushStep::Idle);
    hands.queue_text("c1", "Lost with the log");
    let folder = without_logs(hands.folder.path());
    let store = Store::open(folder.path()).expect("the files open");
    let news = Arc::new(Mutex::new(Vec::new()));
    let again = open(hands.channel.spec().clone(), &store, &hands.clock, &news);
    let rows = store.lane_rows(&id()).await.expect("rows");
    assert!(rows.iter().all(|row| row.row.state == RowState::Queued), "as it was before the log");
    assert_eq!(again.push_all(&mut PushState::new(hands.now()), hands.now()).await, PushStep::Idle);
    assert_eq!(office.count(), 1, "the same key brings the same answer");
    let posts = hands.server.posts();
    assert!(posts.iter().all(|post| post.key() == posts[0].key()));
}
