//! Unnamed fields: counted, bounded, and without a deleted person's values.

use crate::Store;
use crate::tests::{channel, conversation, message};
use model::account::Platform;
use model::filter;
use model::lens::{JsonKind, LensShape};
use model::messages::Direction::Outbound;
use model::queries::ConversationQuery;

async fn tell(store: &Store, id: &str, seconds: i64, raw: String) -> Vec<String> {
    let mut told = conversation(id, seconds);
    told.raw = raw;
    let snapshot = store.snapshot();
    let applied = store.apply_conversation(&channel(), told, snapshot).await.unwrap();
    applied.reshaped.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_field_is_counted_and_its_change_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert!(tell(&store, "a", 1, r#"{"plan": "gold", "points": 3}"#.to_owned()).await.is_empty());
    assert!(
        tell(&store, "a", 2, r#"{"plan": null, "points": 4}"#.to_owned()).await.is_empty(),
        "nothing is no change"
    );
    let changed = tell(&store, "a", 3, r#"{"plan": "gold", "points": "4"}"#.to_owned()).await;
    assert_eq!(changed, ["Conversation.points was a number, now also a text"]);
    assert!(tell(&store, "b", 4, r#"{"points": "5"}"#.to_owned()).await.is_empty(), "told once");
    let reader = store.reader().unwrap();
    let seen = reader.lens().unwrap();
    let points = seen.fields.iter().find(|field| field.path == "points").unwrap();
    assert_eq!(points.kinds, [(JsonKind::Number, 2), (JsonKind::Text, 2)]);
    let found = |line: &str| {
        let query = ConversationQuery::first(channel(), filter::parse(line).filter, 10);
        let rows = reader.conversations(&query).unwrap().rows;
        rows.iter().map(|row| row.conversation.id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found("x.plan:GOLD"), "a");
    assert_eq!(found("x.points:5"), "b");
    assert_eq!(found("x.points:*"), "b a");
    assert_eq!(found("-x.plan:gold"), "b");
    assert_eq!(found("x.none:*"), "");
}

#[tokio::test]
async fn what_is_kept_is_bounded_and_goes_with_its_person() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for round in 0..30 {
        let fields: Vec<String> =
            (0..50).map(|number| format!("\"f{}\": \"secret of Maria\"", round * 50 + number)).collect();
        tell(&store, "a", round, format!("{{{}}}", fields.join(", "))).await;
    }
    let mut said = message("a", "m1", 5, Outbound);
    said.raw = r#"{"id": "m1", "senderType": "wizard", "mood": true}"#.to_owned();
    store.apply_messages(&channel(), vec![said], Platform::Whatsapp, Vec::new()).await.unwrap();
    let seen = store.reader().unwrap().lens().unwrap();
    assert_eq!(seen.fields.iter().filter(|field| field.shape == LensShape::Conversation).count(), 200);
    assert!(seen.fields.iter().any(|field| field.shape == LensShape::Message && field.path == "mood"));
    assert_eq!(seen.words[0].word.as_str(), "wizard");
    store.forget_person(&channel(), "+34600111222").await.unwrap();
    let seen = store.reader().unwrap().lens().unwrap();
    assert!(seen.fields.iter().all(|field| field.example.is_empty()), "{:?}", seen.fields[0]);
}
