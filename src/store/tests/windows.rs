//! Windows of the list: order, anchors, filters, totals, and that each walks one index.

use crate::tests::{add, at, channel, conversation, list, message, send};
use crate::{Reader, Store};
use model::conversations::{Automation, Conversation, ConversationStatus};
use model::filter::ConversationFilter;
use model::ids::ConversationId;
use model::messages::Direction::{Inbound, Outbound};
use model::queries::{Anchor, ConversationKey, ConversationPage, ConversationQuery};

fn query(filter: ConversationFilter, anchor: Anchor, limit: u32) -> ConversationQuery {
    ConversationQuery { anchor, ..ConversationQuery::first(channel(), filter, limit) }
}

fn around(id: &str) -> Anchor {
    Anchor::Around(ConversationKey { channel: channel(), conversation: id.into() })
}

fn ids(page: &ConversationPage) -> Vec<&str> {
    page.rows.iter().map(|row| row.conversation.id.as_str()).collect()
}

fn ask(reader: &Reader, filter: ConversationFilter, anchor: Anchor, limit: u32) -> ConversationPage {
    reader.conversations(&query(filter, anchor, limit)).unwrap()
}

/// Returns 10,000 conversations, newest activity last; every tenth is closed.
fn many() -> Vec<Conversation> {
    (0..10_000)
        .map(|number| {
            let mut one = conversation(&format!("c{number:05}"), number / 2);
            if number % 10 == 0 {
                one.status = ConversationStatus::Closed;
            }
            one
        })
        .collect()
}

#[tokio::test]
async fn windows_of_ten_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, many()).await;
    let reader = store.reader().unwrap();
    let page = ask(&reader, ConversationFilter::all(), Anchor::Top, 3);
    // Equal activity is ordered by id.
    assert_eq!(ids(&page), ["c09999", "c09998", "c09997"]);
    assert_eq!((page.reaches_top, page.reaches_bottom, page.total), (true, false, None));
    let page = ask(&reader, ConversationFilter::all(), Anchor::Bottom, 3);
    assert_eq!(ids(&page), ["c00002", "c00001", "c00000"]);
    assert!(page.reaches_bottom && !page.reaches_top);
    let page = ask(&reader, ConversationFilter::open(), around("c05001"), 5);
    assert_eq!(ids(&page), ["c05003", "c05002", "c05001", "c04999", "c04998"]);
    assert!(!page.reaches_bottom && !page.reaches_top);
    // A row outside the filter still marks the position.
    let page = ask(&reader, ConversationFilter::open(), around("c05000"), 4);
    assert_eq!(ids(&page), ["c05002", "c05001", "c04999", "c04998"]);
    let page = ask(&reader, ConversationFilter::all(), around("c00001"), 6);
    assert_eq!(ids(&page), ["c00005", "c00004", "c00003", "c00002", "c00001", "c00000"]);
    assert!(page.reaches_bottom);
    let page = ask(&reader, ConversationFilter::all(), around("gone"), 1);
    assert_eq!(ids(&page), ["c09999"]);
    let closed = ask(&reader, ConversationFilter::closed(), Anchor::Top, 2);
    assert_eq!(ids(&closed), ["c09990", "c09980"]);
    assert_eq!(ask(&reader, ConversationFilter::needing_person(), Anchor::Top, 2).total, Some(0));
}

#[tokio::test]
async fn who_needs_a_reply() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1), conversation("b", 2), conversation("c", 3)]).await;
    let reader = store.reader().unwrap();
    let needing = || ask(&reader, ConversationFilter::needing_person(), Anchor::Top, 9);
    assert!(needing().rows.is_empty());
    add(&store, vec![message("a", "m2", 12, Inbound), message("a", "m1", 11, Inbound)]).await;
    let page = needing();
    assert_eq!(ids(&page), ["a"]);
    assert_eq!(page.rows[0].waiting_since, Some(at(11)));
    assert_eq!(page.rows[0].last_inbound_at, Some(at(12)));
    assert_eq!(page.rows[0].unread, 2);
    assert_eq!(page.rows[0].conversation.preview.as_str(), "m2");
    assert!(page.rows[0].needs_reply());
    add(&store, vec![message("a", "m3", 13, Outbound)]).await;
    assert!(needing().rows.is_empty());
    // A stopped row wakes its conversation.
    let row = store.enqueue(send("b", "hi", 0), at(20)).unwrap();
    let claimed = store.claim(&row.id, 0, at(20), "").await.unwrap().unwrap();
    let stop = model::outbox::StopReason::Refused;
    let why = model::text::SafeText::line("no");
    store.settle(&claimed, crate::lane::AttemptResult::Stop(stop, why)).await.unwrap();
    let page = needing();
    assert_eq!(ids(&page), ["b"]);
    assert_eq!(page.rows[0].stopped_rows, 1);
    assert_eq!(reader.counts(&channel()).unwrap().needs_reply, 1);
    assert_eq!(reader.counts(&channel()).unwrap().stopped, 1);
    store.decide(&row.id, model::outbox::StopVerdict::Drop, None, at(30)).unwrap().unwrap();
    assert!(needing().rows.is_empty());
}

#[tokio::test]
async fn an_answer_on_its_way_does_not_undo_a_change_made_here() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let snapshot = store.snapshot();
    store.set_closed(&channel(), &ConversationId::from("a")).await.unwrap();
    store.apply_conversation(&channel(), conversation("a", 2), snapshot).await.unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(ids(&ask(&reader, ConversationFilter::closed(), Anchor::Top, 9)), ["a"]);
    let snapshot = store.snapshot();
    store.apply_conversation(&channel(), conversation("a", 2), snapshot).await.unwrap();
    assert_eq!(ids(&ask(&reader, ConversationFilter::open(), Anchor::Top, 9)), ["a"]);
}

#[tokio::test]
async fn an_answer_that_was_overtaken_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("c1", 1)]).await;
    let (asked_first, asked_last) = (store.snapshot(), store.snapshot());
    let closed = Conversation { status: ConversationStatus::Closed, ..conversation("c1", 1) };
    store.apply_conversation(&channel(), closed, asked_last).await.unwrap();
    store.apply_conversation(&channel(), conversation("c1", 1), asked_first).await.unwrap();
    let query = ConversationQuery::first(channel(), ConversationFilter::all(), 10);
    let rows = store.reader().unwrap().conversations(&query).unwrap().rows;
    assert_eq!(rows[0].conversation.status, ConversationStatus::Closed);
    store.apply_conversation(&channel(), conversation("c1", 1), store.snapshot()).await.unwrap();
    let rows = store.reader().unwrap().conversations(&query).unwrap().rows;
    assert_eq!(rows[0].conversation.status, ConversationStatus::Open);
}

#[tokio::test]
async fn pause_is_stored_with_its_author_until_the_ai_runs_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let told = |automation: Automation, raw: &str| Conversation {
        automation,
        raw: raw.to_owned(),
        ..conversation("a", 1)
    };
    // A list has no switch, and the last single read applies.
    let (ana, phone) = (r#"{"pausedBy":"Ana"}"#, r#"{"pausedFrom":"phone"}"#);
    let steps = [
        (Automation::On, "{}", None, true),
        (Automation::Unknown, ana, None, true),
        (Automation::Unknown, ana, None, false),
        (Automation::Off, ana, Some("by Ana"), true),
        (Automation::Unknown, ana, Some("by Ana"), false),
        (Automation::Off, phone, Some("on the phone"), true),
        (Automation::On, "{}", None, true),
    ];
    for (place, (automation, raw, expected, changes)) in steps.into_iter().enumerate() {
        let snapshot = store.snapshot();
        let applied = store.apply_conversation(&channel(), told(automation, raw), snapshot).await.unwrap();
        assert_eq!(applied.has_changes(), changes, "{place}");
        let key = ConversationKey { channel: channel(), conversation: ConversationId::from("a") };
        let row = store.reader().unwrap().conversation_rows(&[key]).unwrap().pop().unwrap();
        let origin = row.conversation.paused_by.map(|origin| origin.describe(None));
        assert_eq!(origin.as_deref(), expected, "{place}");
    }
}

#[tokio::test]
async fn pause_is_stored_on_a_channel_without_a_switch() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let steps = [
        ("{}", None, true),
        (r#"{"pausedBy":"Ana"}"#, Some("by Ana"), true),
        (r#"{"pausedBy":"Ana"}"#, Some("by Ana"), false),
        ("{}", None, true),
    ];
    for (place, (raw, expected, changes)) in steps.into_iter().enumerate() {
        let automation = Automation::NotApplicable;
        let told = Conversation { automation, raw: raw.to_owned(), ..conversation("a", 1) };
        let applied = store.apply_conversation(&channel(), told, store.snapshot()).await.unwrap();
        assert_eq!(applied.has_changes(), changes, "{place}");
        let key = ConversationKey { channel: channel(), conversation: ConversationId::from("a") };
        let row = store.reader().unwrap().conversation_rows(&[key]).unwrap().pop().unwrap();
        let origin = row.conversation.paused_by.map(|origin| origin.describe(None));
        assert_eq!(origin.as_deref(), expected, "{place}");
    }
}
