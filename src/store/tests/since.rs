//! Newer messages, pauses and hand-backs.

use crate::lane::AttemptResult;
use crate::since::NewerMessages;
use crate::tests::{add, at, channel, conversation, list, message, row, send};
use crate::{Store, StoreOptions};
use model::ids::{ConversationId, MessageId};
use model::messages::{Direction, Message, Sender};
use model::outbox::{ClockTimes, Operation};
use model::queries::HistoryQuery;
use model::text::SafeText;
use model::time::MINUTE;

#[tokio::test]
async fn answers_of_others_are_told_apart_from_this_desks() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let said = |id: &str, seconds: i64, sender: Sender| {
        let direction = if sender == Sender::Customer { Direction::Inbound } else { Direction::Outbound };
        Message { sender, ..message("a", id, seconds, direction) }
    };
    list(&store, vec![conversation("a", 1), conversation("b", 1)]).await;
    let page = vec![
        said("m6", 9, Sender::Unknown(SafeText::line("?"))),
        said("m5", 8, Sender::Human),
        said("m4", 7, Sender::Api),
        said("m3", 6, Sender::Ai),
        said("m2", 5, Sender::Customer),
        said("m1", 5, Sender::Ai),
    ];
    add(&store, page).await;
    let sent = store.enqueue(send("a", "mine", 0), at(0)).unwrap();
    let claimed = store.claim(&sent.id, 0, at(1), "").await.unwrap().unwrap();
    let done = AttemptResult::Done { created_id: Some("m4".to_owned()), automation: None, replayed: false };
    store.settle(&claimed, done).await.unwrap();
    // Sent just now and not listed yet.
    let provisional = said("m7", 10, Sender::Api);
    store.insert_sent_message(&channel(), provisional, model::account::Platform::Whatsapp).await.unwrap();
    let cases = [
        ((at(0), ""), (4, 5)),
        ((at(5), "m1"), (3, 4)),
        ((at(5), "m2"), (3, 3)),
        ((at(8), "m5"), (1, 1)),
        ((at(9), "m6"), (0, 0)),
    ];
    let a = ConversationId::from("a");
    for ((at, id), (answers, messages)) in cases {
        let moved = store.messages_since(&channel(), &a, &(at, MessageId::from(id))).await.unwrap();
        assert_eq!(moved, NewerMessages { answers, messages }, "{id}");
    }
    let first = [(5, "m1", Some("m3")), (6, "m3", Some("m5")), (8, "m5", Some("m6")), (9, "m6", None)];
    for (seconds, id, first) in first {
        let seen = (at(seconds), MessageId::from(id));
        let answer = store.first_answer_since(&channel(), &a, &seen).await.unwrap();
        assert_eq!(answer.map(|answer| answer.id), first.map(MessageId::from), "{id}");
    }
    let beginning = (at(0), MessageId::default());
    let elsewhere = store.messages_since(&channel(), &ConversationId::from("b"), &beginning).await.unwrap();
    assert_eq!(elsewhere, NewerMessages::default());
}

async fn switch(store: &Store, enabled: bool, wall: i64, server: i64) {
    let switch = store.enqueue(row("a", Operation::SetAutomation { enabled }, 0), at(wall)).unwrap();
    let fence = store.lane_rows(&channel()).await.unwrap()[0].fencing_token;
    let now = ClockTimes { wall: at(wall), server: Some(at(server)), since_boot: None };
    let claimed = store.claim(&switch.id, fence, now, "").await.unwrap().unwrap();
    let done = AttemptResult::Done { created_id: None, automation: None, replayed: false };
    store.settle(&claimed, done).await.unwrap();
}

#[tokio::test]
async fn a_pause_has_an_owner_and_an_age_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let store =
        Store::open_with(folder.path(), StoreOptions { owner: "ana".to_owned(), ..StoreOptions::default() })
            .unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let reader = store.reader().unwrap();
    let listed = || {
        let query = HistoryQuery { channel: channel(), conversation: ConversationId::from("a"), limit: 9 };
        reader.history(&query).unwrap().conversation.unwrap()
    };
    switch(&store, false, 10, 500).await;
    let pauses = reader.pauses(&channel()).unwrap();
    assert_eq!((pauses.len(), pauses[0].owner.as_str(), pauses[0].since), (1, "ana", at(10)));
    assert_eq!(store.pauses(&channel()).await.unwrap(), pauses);
    assert_eq!(listed().paused, Some((SafeText::line("ana"), at(10))));
    switch(&store, false, 20, 510).await;
    assert_eq!(reader.pauses(&channel()).unwrap()[0].since, at(10), "paused again is paused since then");
    store.remove_pause(&channel(), &ConversationId::from("a"), at(9)).await.unwrap();
    assert!(reader.pauses(&channel()).unwrap().is_empty());
    assert_eq!((listed().paused, listed().handed_back_at), (None, None), "someone else handed it back");
}

#[tokio::test]
async fn an_ai_that_does_not_answer_after_it_was_handed_back_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let reader = store.reader().unwrap();
    let listed = || {
        let query = HistoryQuery { channel: channel(), conversation: ConversationId::from("a"), limit: 9 };
        reader.history(&query).unwrap().conversation.unwrap()
    };
    add(&store, vec![message("a", "m1", 5, Direction::Inbound)]).await;
    switch(&store, false, 9, 9).await;
    switch(&store, true, 5000, 20).await;
    assert_eq!(listed().handed_back_at, Some(at(20)), "by the server's clock");
    assert_eq!(listed().unanswered_since(at(20).plus(MINUTE)), Some(at(20)), "the customer waited already");
    add(&store, vec![message("a", "m2", 21, Direction::Outbound)]).await;
    assert_eq!(listed().handed_back_at, None, "it answered");
    switch(&store, false, 5001, 22).await;
    switch(&store, true, 5002, 23).await;
    add(&store, vec![message("a", "m3", 30, Direction::Inbound)]).await;
    assert_eq!(listed().unanswered_since(at(89)), None);
    assert_eq!(listed().unanswered_since(at(30).plus(MINUTE)), Some(at(30)));
    add(&store, vec![message("a", "m4", 95, Direction::Outbound)]).await;
    assert_eq!(listed().unanswered_since(at(200)), None);
}
