//! Search results and their order; no input breaks the search.

use std::sync::Arc;

use proptest::prelude::*;

use crate::tests::{add, channel, conversation, list, message};
use crate::{Store, StoreError};
use model::account::Platform;
use model::ids::{ChannelId, ConversationId};
use model::messages::{Direction, Message};
use model::search::{SearchPage, SearchQuery, Terms};
use model::text::SafeText;

fn says(conversation: &str, id: &str, seconds: i64, text: &str) -> Message {
    Message {
        content: SafeText::block(text),
        raw: format!("{id} {text}"),
        ..message(conversation, id, seconds, Direction::Inbound)
    }
}

fn asked(text: &str) -> SearchQuery {
    SearchQuery { text: text.to_owned(), limit: 50, ..SearchQuery::default() }
}

fn search(store: &Store, query: &SearchQuery) -> SearchPage {
    store.reader().unwrap().search(query).unwrap()
}

fn ids(store: &Store, text: &str) -> Vec<String> {
    search(store, &asked(text)).hits.iter().map(|hit| hit.message.to_string()).collect()
}

async fn store_of(folder: &tempfile::TempDir) -> Store {
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("c2", 2), conversation("c1", 1)]).await;
    let texts = [
        ("c1", "m1", 10, "Where is my ORDER 1041?"),
        ("c2", "m2", 30, "orders, café, Straße"),
        ("c1", "m3", 20, "reorder"),
        ("c2", "m4", 40, "東京都庁へ行く 👍"),
        ("c1", "m5", 5, "京都の東京"),
    ];
    add(&store, texts.iter().map(|(c, id, at, text)| says(c, id, *at, text)).collect()).await;
    store
}

#[tokio::test]
async fn finds_words_prefixes_runs_and_pictures_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(&folder).await;
    let cases: [(&str, &[&str]); 14] = [
        ("order", &["m2", "m1"]),
        ("or", &["m2", "m1"]),
        ("ORDER 104", &["m1"]),
        ("1041", &["m1"]),
        ("cafe", &["m2"]),
        ("strasse", &[]),
        ("straße", &["m2"]),
        ("東京", &["m4", "m5"]),
        ("京", &["m4", "m5"]),
        ("東京都", &["m4"]),
        // Both pairs occur, the run does not.
        ("京都東", &[]),
        ("👍", &["m4"]),
        ("order nothing", &[]),
        ("o", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(ids(&store, text), expected, "{text}");
    }
    let page = search(&store, &asked("ord"));
    let hit = &page.hits[0];
    assert_eq!(&hit.snippet.text.as_str()[hit.snippet.marks[0].clone()], "ord");
    assert_eq!((hit.title.as_str(), page.partial), ("Maria", false));
}

#[tokio::test]
async fn people_are_found_by_name_and_number() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(&folder).await;
    for text in ["mar", "34600", "+34600111222"] {
        let people = search(&store, &asked(text)).people;
        let ids: Vec<&str> = people.iter().map(|(_, row)| row.conversation.id.as_str()).collect();
        assert_eq!(ids, ["c2", "c1"], "{text}");
    }
    let renamed = model::conversations::Conversation {
        name: Some(SafeText::line("Zoë")),
        raw: "renamed".into(),
        ..conversation("c1", 3)
    };
    list(&store, vec![renamed]).await;
    assert_eq!(search(&store, &asked("zoe")).people.len(), 1);
    assert_eq!(search(&store, &asked("maria")).people.len(), 1);
}

#[tokio::test]
async fn narrows_to_a_tab_or_a_conversation_and_goes_on_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(&folder).await;
    let other = ChannelId::from("other Ω");
    store
        .apply_messages(&other, vec![says("c1", "n1", 50, "order")], Platform::Whatsapp, Vec::new())
        .await
        .unwrap();
    assert_eq!(ids(&store, "order"), ["n1", "m2", "m1"]);
    let of = |page: SearchPage| page.hits.into_iter().map(|hit| hit.message.to_string()).collect::<Vec<_>>();
    let narrowed = SearchQuery { channel: Some(other), ..asked("order") };
    assert_eq!(of(search(&store, &narrowed)), ["n1"]);
    let conversation = Some(ConversationId::from("c2"));
    let narrowed = SearchQuery { channel: Some(channel()), conversation, ..asked("order") };
    assert_eq!(of(search(&store, &narrowed)), ["m2"]);
    let first = search(&store, &SearchQuery { limit: 2, ..asked("order") });
    let next = search(&store, &SearchQuery { limit: 2, before: first.next, ..asked("order") });
    assert_eq!((of(first), next.next), (vec!["n1".to_owned(), "m2".to_owned()], None));
    assert_eq!(of(next), ["m1"]);
}

#[tokio::test]
async fn follows_changes_and_removals() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_of(&folder).await;
    add(&store, vec![says("c1", "m1", 10, "corrected")]).await;
    assert_eq!((ids(&store, "1041").len(), ids(&store, "corrected")), (0, vec!["m1".to_owned()]));
    store.remove_conversation(&channel(), &"c2".into()).await.unwrap();
    assert!(ids(&store, "order").is_empty());
    assert_eq!(search(&store, &asked("maria")).people.len(), 1);
    // A provisional message is replaced by the server's, at another time.
    store
        .insert_sent_message(&channel(), says("c1", "s1", 60, "provisional"), Platform::Whatsapp)
        .await
        .unwrap();
    add(&store, vec![says("c1", "s1", 1, "provisional yes")]).await;
    assert_eq!(ids(&store, "prov"), ["s1"]);
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(ids(&store, "prov"), ["s1"]);
}

#[tokio::test]
async fn long_words_are_found_however_many_begin_alike() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let word = |n: i64| match n {
        5 | 700 | 1900 => "orderly shelves",
        n if n % 3 == 0 => "orders",
        _ => "ordeal, shelved",
    };
    add(&store, (1..=2500).map(|n| says("c1", &format!("{n}"), n, word(n))).collect()).await;
    for (text, limit) in [("orderly", 1), ("orderly", 2), ("orders", 400), ("orde", 1000), ("shelv order", 2)]
    {
        let mut expected: Vec<String> = (1..=2500).rev().map(|n| n.to_string()).collect();
        let terms = Terms::parse(text);
        expected.retain(|id| terms.find(word(id.parse().unwrap())).is_some());
        let mut found = Vec::new();
        let mut query = SearchQuery { limit, ..asked(text) };
        loop {
            let page = search(&store, &query);
            assert!(!page.hits.is_empty() && page.hits.len() <= limit as usize, "{text}: a page too many");
            found.extend(page.hits.iter().map(|hit| hit.message.to_string()));
            query.before = page.next;
            if page.next.is_none() {
                break;
            }
        }
        assert_eq!(found, expected, "{text} by {limit}");
    }
}

#[tokio::test]
async fn of_many_people_the_most_active_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for many in [30, 1500] {
        let activity = |n: i64| n * 7 % 1501;
        list(&store, (1..=many).map(|n| conversation(&format!("c{n}"), activity(n))).collect()).await;
        let people = search(&store, &asked("mar")).people;
        let told: Vec<String> = people.iter().map(|(_, row)| row.conversation.id.to_string()).collect();
        let mut expected: Vec<i64> = (1..=many).collect();
        expected.sort_by_key(|number| -activity(*number));
        let expected: Vec<String> = expected.iter().take(20).map(|n| format!("c{n}")).collect();
        assert_eq!(told, expected, "of {many}");
    }
}

#[tokio::test]
async fn messages_of_one_moment_are_all_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let burst = |at: i64| (0..300).map(move |n| says("c1", &format!("{at}-{n}"), at, "burst"));
    add(&store, burst(7).collect()).await;
    add(&store, burst(8).collect()).await;
    add(&store, burst(6).chain(burst(8)).collect()).await;
    let found = search(&store, &SearchQuery { limit: 1000, ..asked("burst") });
    let seconds: Vec<&str> = found.hits.iter().map(|hit| &hit.message.as_str()[..1]).collect();
    let expected: Vec<&str> = ["8", "7", "6"].into_iter().flat_map(|text| [text; 300]).collect();
    assert_eq!(seconds, expected);
}

#[tokio::test]
async fn a_search_can_be_ended_from_another_thread() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    add(&store, (0..500).map(|n| says("c1", &format!("m{n}"), n, "都東 東京")).collect()).await;
    let mut reader = store.reader().unwrap();
    let handle = Arc::new(reader.interrupt());
    // Interrupts during the search, after a number of steps.
    let in_the_middle = move || {
        let handle = Arc::clone(&handle);
        std::thread::spawn(move || handle.interrupt()).join().unwrap();
        false
    };
    reader.connection.progress_handler(1_000, Some(in_the_middle)).unwrap();
    // The text check drops every hit, so the search walks all of them.
    assert!(matches!(reader.search(&asked("都東京")), Err(StoreError::Interrupted)));
    reader.connection.progress_handler(0, None::<fn() -> bool>).unwrap();
    assert_eq!(reader.search(&asked("東京")).unwrap().hits.len(), 50);
}

proptest! {
    #![proptest_config(randomized::config(256))]

    #[test]
    fn nothing_typed_is_an_error(text in "(\\PC|[\"'()*^:{}+-]| AND | OR | NOT | NEAR\\(|\u{0}|京|👍){0,24}") {
        thread_local! {
            static STORE: (tempfile::TempDir, Store) = {
                let folder = tempfile::tempdir().unwrap();
                let store = Store::open(folder.path()).unwrap();
                (folder, store)
            };
        }
        STORE.with(|(_, store)| {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(add(store, vec![says("c1", "m", 1, &text)]));
            let page = store.reader().unwrap().search(&asked(&text)).unwrap();
            // A text finds itself if it contains a word.
            let stored = SafeText::block(&text);
            if model::search::Terms::parse(&text).find(stored.as_str()).is_some_and(|ranges| !ranges.is_empty()) {
                assert_eq!(page.hits.len(), 1, "{text:?}");
            }
        });
    }
}
