//! Histories: each message is new once, facts are kept, marks move.

use crate::history::HistoryProgress;
use crate::messages::AppliedMessages;
use crate::tests::{add, at, channel, conversation, list, message};
use crate::{Reader, Store};
use model::account::Platform;
use model::ids::{ConversationId, MessageId};
use model::messages::DeliveryStatus;
use model::messages::Direction::{Inbound, Outbound};
use model::queries::{HistoryPage, HistoryQuery};

fn history(reader: &Reader, limit: u32) -> HistoryPage {
    let query = HistoryQuery { channel: channel(), conversation: ConversationId::from("a"), limit };
    reader.history(&query).unwrap()
}

fn ids(page: &HistoryPage) -> Vec<&str> {
    page.messages.iter().map(|row| row.message.id.as_str()).collect()
}

#[tokio::test]
async fn a_message_is_new_once_and_never_goes_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let read = |word: &str| {
        let mut one = message("a", "m1", 5, Outbound);
        one.delivery = DeliveryStatus::from_word(word);
        one.raw = word.to_owned();
        one
    };
    let harbor = channel();
    let apply = |message| store.apply_messages(&harbor, vec![message], Platform::Whatsapp, Vec::new());
    let first = apply(read("sent")).await.unwrap();
    assert_eq!((first.was_stored, first.inserted.len()), (vec![false], 1));
    let again = apply(read("read")).await.unwrap();
    assert_eq!((again.was_stored, again.inserted.len(), again.touched.len()), (vec![true], 0, 1));
    apply(read("delivered")).await.unwrap();
    let page = history(&store.reader().unwrap(), 10);
    assert_eq!(page.messages[0].message.delivery, DeliveryStatus::Read);
    assert!(apply(read("delivered")).await.unwrap().touched.is_empty());
}

#[tokio::test]
async fn what_comes_back_after_its_conversation_was_gone_is_not_new() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let apply = |numbers: &[i64]| {
        let page =
            numbers.iter().map(|number| message("a", &format!("m{number}"), *number, Inbound)).collect();
        let (store, harbor) = (store.clone(), channel());
        async move { store.apply_messages(&harbor, page, Platform::Whatsapp, Vec::new()).await.unwrap() }
    };
    let is_back = |applied: AppliedMessages| {
        applied.inserted.iter().map(|inserted| inserted.is_back).collect::<Vec<_>>()
    };
    let cases: [(&[i64], &[bool]); 4] = [
        (&[2, 1], &[false, false]),
        (&[2, 1], &[true, true]),
        // An older answer does not delete what was stored before it.
        (&[1], &[true]),
        (&[3, 2], &[false, true]),
    ];
    for (numbers, back) in cases {
        assert_eq!(is_back(apply(numbers).await), back, "{numbers:?}");
        store.remove_conversation(&channel(), &ConversationId::from("a")).await.unwrap();
        store.remove_conversation(&channel(), &ConversationId::from("a")).await.unwrap();
        assert_eq!(history(&store.reader().unwrap(), 9).messages, []);
    }
    // Nor is a message new that returns after its person was deleted here.
    assert_eq!(is_back(apply(&[4]).await), [false]);
    list(&store, vec![conversation("a", 1)]).await;
    let phone = history(&store.reader().unwrap(), 1).conversation.unwrap().conversation.address.unwrap();
    assert_eq!(store.remove_person(&channel(), &phone).await.unwrap(), [ConversationId::from("a")]);
    assert_eq!(is_back(apply(&[4, 3]).await), [true, true]);
}

#[tokio::test]
async fn pages_of_a_history_and_what_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let messages: Vec<_> =
        (0..30).rev().map(|number| message("a", &format!("m{number:02}"), number, Inbound)).collect();
    add(&store, messages).await;
    let reader = store.reader().unwrap();
    let page = history(&reader, 3);
    assert_eq!(ids(&page), ["m27", "m28", "m29"]);
    assert!(page.more_stored && page.more_on_server);
    assert_eq!(page.conversation.unwrap().unread, 30);
    let until = (at(28), MessageId::from("m28"));
    store.mark_seen(&channel(), &ConversationId::from("a"), until.clone()).unwrap();
    let older = (at(2), MessageId::from("m02"));
    store.mark_seen(&channel(), &ConversationId::from("a"), older).unwrap();
    let page = history(&reader, 100);
    assert_eq!((page.messages.len(), page.more_stored), (30, false));
    assert_eq!(page.seen_until, Some(until));
    assert_eq!(page.conversation.unwrap().unread, 1);
}

#[tokio::test]
async fn an_unreadable_time_stands_beside_its_neighbour() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let mut middle = message("a", "m9-broken", 0, Inbound);
    middle.created_at = None;
    add(&store, vec![message("a", "m3", 30, Inbound), middle, message("a", "m1", 10, Inbound)]).await;
    assert_eq!(ids(&history(&store.reader().unwrap(), 9)), ["m1", "m9-broken", "m3"]);
}

#[tokio::test]
async fn a_message_of_an_unlisted_conversation_waits_for_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    add(&store, vec![message("a", "m1", 10, Inbound)]).await;
    let page = history(&store.reader().unwrap(), 9);
    let row = page.conversation.unwrap();
    assert_eq!((row.unread, row.conversation.last_message_at), (1, Some(at(10))));
    list(&store, vec![conversation("a", 10)]).await;
    let row = history(&store.reader().unwrap(), 9).conversation.unwrap();
    assert_eq!(row.conversation.title().as_str(), "Maria");
    assert_eq!(row.unread, 1);
    store.remove_conversation(&channel(), &ConversationId::from("a")).await.unwrap();
    assert!(history(&store.reader().unwrap(), 9).conversation.is_none());
}

#[tokio::test]
async fn a_walk_that_cannot_meet_the_old_forgets_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let id = ConversationId::from("a");
    let harbor = channel();
    let apply = |page, step| store.apply_history(&harbor, &id, page, Platform::Whatsapp, step, true);
    assert_eq!(store.lagging_conversations(&channel(), 9).await.unwrap(), std::slice::from_ref(&id));
    let place = |number: i64| Some((at(number), MessageId::new(format!("m{number:02}"))));
    let anew = |newest, cursor: Option<&str>| HistoryProgress::Anew {
        newest: place(newest),
        older_cursor: cursor.map(str::to_owned),
    };
    apply(vec![message("a", "m02", 2, Inbound), message("a", "m01", 1, Inbound)], anew(2, None))
        .await
        .unwrap();
    assert!(store.lagging_conversations(&channel(), 9).await.unwrap().is_empty());
    let state = store.history_state(&channel(), &id).await.unwrap().unwrap();
    assert!(state.reached_start && !state.quiet && state.read_until == place(2));
    apply(vec![message("a", "m60", 60, Inbound), message("a", "m59", 59, Inbound)], anew(60, Some("k")))
        .await
        .unwrap();
    let page = history(&store.reader().unwrap(), 9);
    assert_eq!(ids(&page), ["m59", "m60"]);
    assert!(page.more_on_server);
    let older = HistoryProgress::Older { older_cursor: None };
    apply(vec![message("a", "m58", 58, Inbound)], older).await.unwrap();
    let page = history(&store.reader().unwrap(), 9);
    assert_eq!((ids(&page), page.more_on_server), (vec!["m58", "m59", "m60"], false));
}

/// Activity in the list that was not read yet may be an answer: it does not mark a customer as
/// waiting.
#[tokio::test]
async fn nobody_waits_before_it_is_known_who_spoke_last() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let waits = |id: &str| {
        let query = HistoryQuery { channel: channel(), conversation: ConversationId::from(id), limit: 9 };
        store.reader().unwrap().history(&query).unwrap().conversation.unwrap().waiting_since
    };
    // The list includes the AI's answers, which are not read otherwise.
    list(&store, vec![conversation("answered", 20), conversation("open", 10)]).await;
    add(&store, vec![message("answered", "m1", 10, Inbound), message("open", "m2", 10, Inbound)]).await;
    assert_eq!((waits("answered"), waits("open")), (None, Some(at(10))));
    let harbor = channel();
    let read = async |id: &str, page| {
        let step = HistoryProgress::Anew { newest: None, older_cursor: None };
        let id = ConversationId::from(id);
        store.apply_history(&harbor, &id, page, Platform::Whatsapp, step, true).await.unwrap();
    };
    read("answered", vec![message("answered", "m3", 20, Outbound)]).await;
    assert_eq!(waits("answered"), None, "the AI has answered");
    // A waiting customer waits until an answer was read.
    list(&store, vec![conversation("open", 30)]).await;
    assert_eq!(waits("open"), Some(at(10)));
    read("open", vec![message("open", "m4", 30, Outbound)]).await;
    assert_eq!(waits("open"), None);
    list(&store, vec![conversation("answered", 40)]).await;
    read("answered", vec![message("answered", "m5", 40, Inbound)]).await;
    assert_eq!(waits("answered"), Some(at(40)));
}

#[tokio::test]
async fn change_of_an_old_message_is_read_again_and_then_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (harbor, id) = (channel(), ConversationId::from("a"));
    list(&store, vec![conversation("a", 5)]).await;
    let newest = Some((at(5), MessageId::from("m5")));
    let page = || vec![message("a", "m5", 5, Inbound), message("a", "m1", 1, Inbound)];
    let anew = HistoryProgress::Anew { newest: newest.clone(), older_cursor: None };
    store.apply_history(&harbor, &id, page(), Platform::Whatsapp, anew, true).await.unwrap();
    assert_eq!(store.lagging_conversations(&harbor, 9).await.unwrap(), []);
    // The first message was edited: activity without a new message.
    let mut changed = conversation("a", 60);
    changed.raw = format!(r#"{{"lastChange":{{"at":"{}","messageAt":"{}"}}}}"#, at(60), at(1));
    list(&store, vec![changed.clone()]).await;
    assert_eq!(store.lagging_conversations(&harbor, 9).await.unwrap(), std::slice::from_ref(&id));
    let state = store.history_state(&harbor, &id).await.unwrap().unwrap();
    assert_eq!(state.changed_from, Some(at(1)));
    let joined = HistoryProgress::Joined { newest };
    let applied = store.apply_history(&harbor, &id, page(), Platform::Whatsapp, joined, true).await.unwrap();
    assert!(!applied.lags, "the activity is explained");
    assert_eq!(store.lagging_conversations(&harbor, 9).await.unwrap(), []);
    assert_eq!(store.history_state(&harbor, &id).await.unwrap().unwrap().changed_from, None);
    list(&store, vec![changed]).await;
    assert_eq!(store.lagging_conversations(&harbor, 9).await.unwrap(), [], "told once");
}
