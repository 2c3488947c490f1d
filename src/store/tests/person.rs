//! One person on several channels: what joins their conversations, what does
//! not, and the window of what was said.

use crate::tests::{at, conversation, message};
use crate::{Reader, Store};
use model::account::Platform;
use model::contacts::ToldContact;
use model::conversations::Conversation;
use model::email::Correspondent;
use model::ids::{ChannelId, ConversationId};
use model::messages::Direction::{self, Inbound, Outbound};
use model::person::{ContactBar, PersonPage, PersonQuery};
use model::queries::ConversationKey;
use model::text::SafeText;

const MARIA: &str = "+34600111222";
const OTHER: &str = "+34600333444";

fn key(channel: &str, conversation: &str) -> ConversationKey {
    ConversationKey { channel: channel.into(), conversation: conversation.into() }
}

/// A conversation of a number or a mail address, or of both.
fn with(id: &str, phone: Option<&str>, email: Option<&str>) -> Conversation {
    Conversation {
        address: phone.map(str::to_owned),
        email: email.map(SafeText::line),
        ..conversation(id, 0)
    }
}

async fn list(store: &Store, channel: &str, all: Vec<Conversation>) {
    let snapshot = store.snapshot();
    store.apply_conversations(&channel.into(), all, snapshot, true, Vec::new()).await.unwrap();
}

async fn said(store: &Store, channel: &str, conversation: &str, all: &[(i64, Direction)]) {
    let one = |(seconds, direction): &(i64, Direction)| {
        message(conversation, &format!("{channel}-{seconds}"), *seconds, *direction)
    };
    let all = all.iter().map(one).collect();
    store.apply_messages(&ChannelId::from(channel), all, Platform::Whatsapp, Vec::new()).await.unwrap();
}

async fn contact(store: &Store, phone: &str, email: &str) {
    let told = ToldContact { email: Some(email.to_owned()), ..ToldContact::default() };
    store.apply_people(&"chat".into(), vec![(phone.to_owned(), told)], at(0)).await.unwrap();
}

async fn correspondent(store: &Store, email: &str, phone: &str) {
    let one = Correspondent {
        email: SafeText::line(email),
        phone: Some(SafeText::line(phone)),
        name: None,
        last_at: None,
        count: None,
    };
    store.apply_correspondents(&"mail".into(), vec![one]).await.unwrap();
}

fn page(reader: &Reader, of: &ConversationKey, limit: u32) -> PersonPage {
    reader.person_page(&PersonQuery { key: of.clone(), limit }).unwrap()
}

fn joined(reader: &Reader, of: &ConversationKey) -> Vec<String> {
    page(reader, of, 10)
        .conversations
        .iter()
        .map(|conversation| conversation.row.conversation.id.to_string())
        .collect()
}

/// A chat, a second chat of somebody else, and threads of three addresses. All
/// have the same name.
async fn desk() -> (tempfile::TempDir, Store, Reader) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, "chat", vec![with("c1", Some(MARIA), None), with("c2", Some(OTHER), None)]).await;
    let threads = [("t1", "maria@x.test"), ("t2", "shop@x.test"), ("t3", "nobody@x.test")];
    list(&store, "mail", threads.map(|(id, email)| with(id, Some(email), Some(email))).to_vec()).await;
    let reader = store.reader().unwrap();
    (folder, store, reader)
}

#[tokio::test]
async fn a_number_or_an_address_joins_and_a_name_never_does() {
    let (_folder, store, reader) = desk().await;
    let [chat, mail] = [key("chat", "c1"), key("mail", "t1")];
    assert_eq!(joined(&reader, &chat), ["c1"], "all are called Maria");
    correspondent(&store, "Maria@X.test", MARIA).await;
    assert_eq!(joined(&reader, &chat), ["c1", "t1"], "by the linked number");
    assert_eq!(joined(&reader, &mail), ["t1", "c1"], "and back");
    list(&store, "phone", vec![with("p1", Some(MARIA), None)]).await;
    assert_eq!(joined(&reader, &mail), ["t1", "c1", "p1"], "over the number");
    let elsewhere = reader.elsewhere(&mail).unwrap();
    assert_eq!(elsewhere, [key("chat", "c1"), key("phone", "p1")]);
    // A bot chat's id is no number.
    list(&store, "bot", vec![with("b1", Some("34600111222"), None)]).await;
    assert_eq!(joined(&reader, &chat).len(), 3);
}

#[tokio::test]
async fn an_address_that_stands_with_several_numbers_joins_nobody() {
    let (_folder, store, reader) = desk().await;
    contact(&store, MARIA, "shop@x.test").await;
    assert_eq!(joined(&reader, &key("chat", "c1")), ["c1", "t2"], "it is hers as far as is known");
    contact(&store, OTHER, "SHOP@x.test").await;
    for (of, alone) in [("chat", "c1"), ("chat", "c2"), ("mail", "t2")] {
        let found = page(&reader, &key(of, alone), 10);
        assert_eq!(found.conversations.len(), 1, "{alone}");
        assert_eq!(found.shared, ["shop@x.test"], "{alone}");
    }
    // What contradicts it elsewhere changes nothing: two sources, two numbers.
    correspondent(&store, "maria@x.test", OTHER).await;
    contact(&store, MARIA, "maria@x.test").await;
    assert_eq!(joined(&reader, &key("chat", "c1")), ["c1"]);
    assert_eq!(joined(&reader, &key("mail", "t1")), ["t1"]);
}

#[tokio::test]
async fn the_newest_of_all_channels_come_in_the_order_of_time() {
    let (_folder, store, reader) = desk().await;
    correspondent(&store, "maria@x.test", MARIA).await;
    said(&store, "chat", "c1", &[(10, Inbound), (30, Outbound), (50, Inbound)]).await;
    said(&store, "mail", "t1", &[(20, Inbound), (40, Outbound), (60, Inbound)]).await;
    let of = |limit| {
        let found = page(&reader, &key("chat", "c1"), limit);
        let seconds =
            |person_message: &model::person::PersonMessage| person_message.at.since(at(0)) / 1_000_000;
        let is_right = |person_message: &model::person::PersonMessage| {
            let row = &found.conversations[person_message.conversation].row;
            row.conversation.id == person_message.row.message.conversation
        };
        assert!(found.messages.iter().all(is_right));
        (found.messages.iter().map(seconds).collect::<Vec<_>>(), found.more_stored)
    };
    assert_eq!(of(2), (vec![50, 60], true));
    assert_eq!(of(5), (vec![20, 30, 40, 50, 60], true));
    assert_eq!(of(6), (vec![10, 20, 30, 40, 50, 60], false));
    assert_eq!(of(0), (vec![], true));
}

#[tokio::test]
async fn who_wrote_stop_is_not_reached_until_they_write_start() {
    let (_folder, store, reader) = desk().await;
    let bar = || page(&reader, &key("chat", "c1"), 1).conversations[0].bar;
    let says = |seconds, words: &'static str| {
        let mut one = message("c1", &format!("m{seconds}"), seconds, Inbound);
        one.content = SafeText::block(words);
        let store = store.clone();
        async move {
            store.apply_messages(&"chat".into(), vec![one], Platform::Whatsapp, Vec::new()).await.unwrap();
        }
    };
    for (seconds, words, expected) in [
        (1, "hello", None),
        (2, "STOP", Some(ContactBar::OptedOut)),
        (3, "please stop it", Some(ContactBar::OptedOut)),
        (4, "help", Some(ContactBar::OptedOut)),
        (5, "start", None),
    ] {
        says(seconds, words).await;
        assert_eq!(bar(), expected, "{words}");
    }
    let unknown = ConversationKey { conversation: ConversationId::from("none"), ..key("chat", "c1") };
    assert_eq!(page(&reader, &unknown, 1), PersonPage::default());
}
