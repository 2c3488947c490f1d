//! Local data survives the process, and a snoozed conversation is not listed until something wakes
//! it.

use crate::tests::{at, channel, conversation, message};
use crate::{Reader, Store};
use model::account::Platform;
use model::conversations::{Automation, Conversation};
use model::filter::{self, Sort};
use model::local::{Assignment, LocalChange, LocalState, Tag, TagLocation};
use model::messages::Direction;
use model::queries::{Anchor, ConversationKey, ConversationQuery};
use model::snooze::{Snooze, WakeReason};
use model::text::SafeText;
use model::time::Timestamp;

fn ids(reader: &Reader, filter: &str) -> String {
    let mut found = Vec::new();
    // One tab by activity and all tabs by waiting use different indexes.
    for (channel, sort) in [(Some(channel()), Sort::Activity), (None, Sort::Waiting)] {
        let filter = filter::parse(filter).filter;
        let query = ConversationQuery { channel, filter, sort, at: at(0), anchor: Anchor::Top, limit: 10 };
        let page = reader.conversations(&query).unwrap();
        let mut ids: Vec<&str> = page.rows.iter().map(|row| row.conversation.id.as_str()).collect();
        ids.sort_unstable();
        found.push(ids.join(" "));
    }
    assert_eq!(found[0], found[1]);
    found.remove(0)
}

fn local(reader: &Reader, id: &str) -> LocalState {
    let key = ConversationKey { channel: channel(), conversation: id.into() };
    reader.conversation_rows(&[key]).unwrap().remove(0).local
}

fn asleep(until: Option<Timestamp>) -> Option<Snooze> {
    Some(Snooze { until, after: at(10), set_at: at(20), wake_reason: None, note: None })
}

async fn receive(store: &Store, id: &str, seconds: i64) {
    let inbound = vec![message(id, &format!("{id}{seconds}"), seconds, Direction::Inbound)];
    store.apply_messages(&channel(), inbound, Platform::Whatsapp, Vec::new()).await.unwrap();
}

async fn store(folder: &std::path::Path) -> Store {
    let store = Store::open(folder).unwrap();
    let page = ["a", "b", "c"].map(|id| Conversation { automation: Automation::Off, ..conversation(id, 10) });
    let page = page.to_vec();
    let snapshot = store.snapshot();
    store.apply_conversations(&channel(), page, snapshot, false, Vec::new()).await.unwrap();
    for id in ["a", "b", "c"] {
        receive(&store, id, 10).await;
    }
    store
}

#[tokio::test]
async fn what_stays_away_comes_back_at_its_time_only() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let reader = store.reader().unwrap();
    let stays = Some(Snooze::new(Some(at(150)), true, Some(at(20)), at(20)));
    store.change_local(&channel(), LocalChange::Snooze(vec![("c".into(), stays)])).unwrap();
    receive(&store, "c", 30).await;
    assert_eq!(reader.counts(&channel()).unwrap().muted, ["c".into()]);
    assert!(local(&reader, "c").is_asleep());
    store.change_local(&channel(), LocalChange::Wake(at(150))).unwrap();
    assert_eq!(local(&reader, "c").snooze.and_then(|snooze| snooze.wake_reason), Some(WakeReason::Time));
    assert!(reader.counts(&channel()).unwrap().muted.is_empty());
}

#[tokio::test]
async fn what_is_put_aside_is_away_until_its_time_or_a_reply() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let wishes = vec![("a".into(), asleep(Some(at(100)))), ("b".into(), asleep(None))];
    store.change_local(&channel(), LocalChange::Snooze(wishes)).unwrap();
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(ids(&reader, "status:open -is:snoozed"), "c");
    assert_eq!(ids(&reader, "is:needed -is:snoozed"), "c");
    assert_eq!(ids(&reader, "is:snoozed"), "a b");
    assert_eq!(ids(&reader, "status:any"), "a b c");
    let counts = reader.counts(&channel()).unwrap();
    assert_eq!((counts.needs_reply, counts.snoozed, counts.next_wake), (1, 2, Some(at(100))));
    // A reply wakes one, the time the other.
    receive(&store, "b", 30).await;
    assert_eq!(local(&reader, "b").snooze.and_then(|snooze| snooze.wake_reason), Some(WakeReason::Reply));
    store.change_local(&channel(), LocalChange::Wake(at(99))).unwrap();
    assert_eq!(ids(&reader, "status:open -is:snoozed"), "b c");
    store.change_local(&channel(), LocalChange::Wake(at(100))).unwrap();
    assert_eq!(local(&reader, "a").snooze.and_then(|snooze| snooze.wake_reason), Some(WakeReason::Time));
    assert_eq!(ids(&reader, "status:open -is:snoozed"), "a b c");
    assert_eq!(reader.counts(&channel()).unwrap().next_wake, None);
}

#[tokio::test]
async fn claims_and_tags_are_kept_and_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let reader = store.reader().unwrap();
    let tag = |word: &str, kept| Tag { word: SafeText::line(word), location: kept };
    let claim = Assignment { agent: SafeText::line("Ana"), at: at(5) };
    let tags = vec![tag("late", TagLocation::Local), tag("vip", TagLocation::Local)];
    store.change_local(&channel(), LocalChange::Claim(vec![("a".into(), Some(claim.clone()))])).unwrap();
    store
        .change_local(
            &channel(),
            LocalChange::Tags(vec![("a".into(), tags.clone()), ("b".into(), tags[..1].to_vec())]),
        )
        .unwrap();
    let kept = local(&reader, "a");
    assert_eq!((kept.claim, kept.tags), (Some(claim), tags));
    assert_eq!(
        (ids(&reader, "is:claimed"), ids(&reader, "tag:vip"), ids(&reader, "tag:LATE")),
        ("a".into(), "a".into(), "a b".into())
    );
    assert_eq!(reader.used_tags(1).unwrap(), [SafeText::line("late")], "the most used first");
    store.change_local(&channel(), LocalChange::Claim(vec![("a".into(), None)])).unwrap();
    store.change_local(&channel(), LocalChange::Tags(vec![("a".into(), Vec::new())])).unwrap();
    assert_eq!(local(&reader, "a"), LocalState::default());
}
