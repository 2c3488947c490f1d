//! A broadcast is not an answer: customers keep waiting, and it does not count in service levels.

use crate::tests::{add, at, channel, conversation, list, message};
use crate::{Reader, Store};
use model::broadcasts::{Broadcast, BroadcastStatus};
use model::filter::{Sort, parse};
use model::ids::BroadcastId;
use model::messages::Direction::{Inbound, Outbound};
use model::messages::{Message, Sender};
use model::queries::{ConversationQuery, HistoryQuery};
use model::service_levels::{LevelsQuery, LevelsReport};
use model::text::SafeText;
use model::time::{DAY, Zone};

const TEXT: &str = "Harbor opens\nat ten.";

fn api_message(conversation: &str, text: &str, seconds: i64) -> Message {
    let id = format!("{conversation}-{seconds}");
    Message {
        sender: Sender::Api,
        content: SafeText::block(text),
        ..message(conversation, &id, seconds, Outbound)
    }
}

fn waiting(reader: &Reader) -> Vec<String> {
    let query = ConversationQuery {
        sort: Sort::Name,
        ..ConversationQuery::first(channel(), parse("is:waiting").filter, 50)
    };
    let rows = reader.conversations(&query).unwrap().rows;
    let mut ids: Vec<String> = rows.iter().map(|row| row.conversation.id.to_string()).collect();
    ids.sort();
    ids
}

fn levels(reader: &Reader) -> LevelsReport {
    let (since, until) = (at(0), at(0).plus(2 * DAY));
    let query = LevelsQuery { channels: vec![channel()], since, until, now: until, targets: Vec::new() };
    reader.service_levels(&query, &Zone::UTC).unwrap()
}

/// Four customers who wrote.
async fn desk(folder: &std::path::Path) -> Store {
    let store = Store::open(folder).unwrap();
    let ids = ["answered", "early", "late", "other"];
    list(&store, ids.iter().map(|id| conversation(id, 100)).collect()).await;
    add(&store, ids.iter().map(|id| message(id, &format!("{id}-in"), 100, Inbound)).collect()).await;
    store
}

#[tokio::test]
async fn who_waits_still_waits_after_a_broadcast() {
    let folder = tempfile::tempdir().unwrap();
    let store = desk(folder.path()).await;
    let reader = store.reader().unwrap();
    // One message is read before the broadcast is known.
    add(&store, vec![api_message("early", TEXT, 205)]).await;
    assert_eq!(waiting(&reader), ["answered", "late", "other"]);
    store.record_accepted_broadcast(&channel(), &BroadcastId::from("b1"), TEXT, at(200)).await.unwrap();
    add(&store, vec![api_message("late", TEXT, 206), api_message("answered", "At ten.", 207)]).await;
    assert_eq!(waiting(&reader), ["early", "late", "other"]);
    let history = |id: &str| {
        let query = HistoryQuery { channel: channel(), conversation: id.into(), limit: 9 };
        reader.history(&query).unwrap().messages
    };
    for (id, is_broadcast) in [("early", true), ("late", true), ("answered", false)] {
        let told: Vec<bool> =
            history(id).iter().map(|message_row| message_row.message.sender == Sender::Broadcast).collect();
        assert_eq!(told.iter().any(|flag| *flag), is_broadcast, "{id}: {told:?}");
    }
    let all = levels(&reader).all;
    assert_eq!((all.cases, all.first_response.count), (4, 1), "only one was answered: {all:?}");
    add(&store, vec![api_message("late", "Sorry: at ten.", 400)]).await;
    assert_eq!(waiting(&reader), ["early", "other"]);
    assert_eq!(levels(&reader).all.first_response.count, 2);
}

#[tokio::test]
async fn what_a_person_wrote_here_or_another_day_is_no_broadcast() {
    let folder = tempfile::tempdir().unwrap();
    let store = desk(folder.path()).await;
    let reader = store.reader().unwrap();
    let told = Broadcast {
        id: BroadcastId::from("b1"),
        status: BroadcastStatus::Completed,
        text: Some(SafeText::line(TEXT)),
        recipients: 3,
        delivered: 3,
        failed: 0,
        pending: 0,
        created_at: Some(at(200)),
        completed_at: Some(at(300)),
        failures: Vec::new(),
    };
    assert!(store.apply_broadcast(&channel(), told).await.unwrap());
    store
        .outbox()
        .call(|desk| {
            desk.execute("INSERT INTO sent_here (channel, message) VALUES ('harbor', 'answered-210')", [])?;
            Ok(())
        })
        .unwrap();
    add(
        &store,
        vec![
            api_message("answered", TEXT, 210),
            api_message("early", TEXT, 50_000),
            api_message("late", TEXT, 200_000),
        ],
    )
    .await;
    assert_eq!(waiting(&reader), ["early", "other"], "the same words two days later are an answer");
}
