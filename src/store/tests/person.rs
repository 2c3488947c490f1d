//! One person on several channels: links between their conversations.

use crate::tests::{at, conversation, message};
use crate::{Reader, Store};
use model::account::Platform;
use model::contacts::ReceivedContact;
use model::conversations::{Conversation, NoMessagesReason};
use model::email::Correspondent;
use model::ids::ConversationId;
use model::messages::Direction::Inbound;
use model::person::{PersonPage, PersonQuery, UnreachableReason};
use model::queries::ConversationKey;
use model::text::SafeText;

const MARIA: &str = "+34600111222";
const OTHER: &str = "+34600333444";
const STOPPED: UnreachableReason = UnreachableReason::TakesNoMessages(NoMessagesReason::Stopped);

fn key(channel: &str, conversation: &str) -> ConversationKey {
    ConversationKey { channel: channel.into(), conversation: conversation.into() }
}

/// Returns a conversation with a number, a mail address or both.
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

async fn contact(store: &Store, phone: &str, email: &str) {
    let told = ReceivedContact { email: Some(email.to_owned()), ..ReceivedContact::default() };
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

fn page(reader: &Reader, of: &ConversationKey) -> PersonPage {
    reader.person_page(&PersonQuery { key: of.clone() }).unwrap()
}

fn joined(reader: &Reader, of: &ConversationKey) -> Vec<String> {
    page(reader, of)
        .conversations
        .iter()
        .map(|conversation| conversation.row.conversation.id.to_string())
        .collect()
}

/// A chat, a chat of another person, and three mail threads. All have the same name.
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
    let elsewhere = reader.other_conversations(&mail).unwrap();
    assert_eq!(elsewhere, [key("chat", "c1"), key("phone", "p1")]);
    // The id of a bot chat is not a phone number.
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
        let found = page(&reader, &key(of, alone));
        assert_eq!(found.conversations.len(), 1, "{alone}");
        assert_eq!(found.shared, ["shop@x.test"], "{alone}");
    }
    // Two sources with two numbers for one address.
    correspondent(&store, "maria@x.test", OTHER).await;
    contact(&store, MARIA, "maria@x.test").await;
    assert_eq!(joined(&reader, &key("chat", "c1")), ["c1"]);
    assert_eq!(joined(&reader, &key("mail", "t1")), ["t1"]);
}

#[tokio::test]
async fn who_wrote_stop_is_not_reached_until_they_write_start() {
    let (_folder, store, reader) = desk().await;
    let bar = || page(&reader, &key("chat", "c1")).conversations[0].bar;
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
        (2, "STOP", Some(STOPPED)),
        (3, "please stop it", Some(STOPPED)),
        (4, "help", Some(STOPPED)),
        (5, "start", None),
    ] {
        says(seconds, words).await;
        assert_eq!(bar(), expected, "{words}");
    }
    let unknown = ConversationKey { conversation: ConversationId::from("none"), ..key("chat", "c1") };
    assert_eq!(page(&reader, &unknown), PersonPage::default());
}

#[tokio::test]
async fn chat_that_blocked_the_bot_is_read_as_such_and_as_back() {
    let (_folder, store, reader) = desk().await;
    let blocked = Some(NoMessagesReason::Blocked);
    let told = |raw: &str, reason| Conversation {
        raw: raw.to_owned(),
        takes_no_messages: reason,
        ..with("c1", Some(MARIA), None)
    };
    let first = || page(&reader, &key("chat", "c1")).conversations[0].clone();
    for (raw, reason) in [(r#"{"takesNoMessages":"blocked"}"#, blocked), ("{}", None)] {
        // Nothing else of the row changes.
        list(&store, "chat", vec![told(raw, reason)]).await;
        let read = first();
        assert_eq!(read.row.conversation.takes_no_messages, reason, "{raw}");
        assert_eq!(read.bar, reason.map(UnreachableReason::TakesNoMessages), "{raw}");
    }
}
