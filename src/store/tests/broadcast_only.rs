//! Conversations that began with a broadcast and have no message of the customer.

use crate::outbox::NewRow;
use crate::tests::{add, at, channel, list, message, send};
use crate::{Reader, Store, facts};
use model::contacts::ReceivedContact;
use model::conversations::{Conversation, Escalation};
use model::filter::{Sort, parse};
use model::ids::ContactId;
use model::messages::{Direction, Sender};
use model::outbox::Lane;
use model::outbox::content::Audience;
use model::queries::ConversationQuery;
use model::text::SafeText;

/// Time the broadcast was requested, in seconds.
const SENT: i64 = 10_000;

fn phone(id: &str) -> String {
    format!(
        "+346{:08}",
        id.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31) ^ u32::from(byte)) % 100_000_000
    )
}

fn one(id: &str, first: Option<i64>) -> Conversation {
    Conversation {
        address: Some(phone(id)),
        first_message_at: first.map(at),
        ..crate::tests::conversation(id, first.unwrap_or(SENT) + 5)
    }
}

fn contact_with(id: &str) -> ReceivedContact {
    ReceivedContact { id: Some(ContactId::from(id)), ..ReceivedContact::default() }
}

/// Opens a desk with these contacts.
async fn store(folder: &std::path::Path, contacts: &[&str]) -> Store {
    let store = Store::open(folder).unwrap();
    for id in contacts {
        store.apply_contact(&channel(), &phone(id), contact_with(id), at(1)).await.unwrap();
    }
    store
}

fn matching(reader: &Reader, line: &str) -> Vec<String> {
    let query =
        ConversationQuery { sort: Sort::Name, ..ConversationQuery::first(channel(), parse(line).filter, 50) };
    let page = reader.conversations(&query).unwrap();
    let mut ids: Vec<String> = page.rows.iter().map(|row| row.conversation.id.to_string()).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn it_began_with_a_broadcast_and_nobody_answered() {
    let folder = tempfile::tempdir().unwrap();
    let recipients =
        ["answered", "asks", "earlier", "empty", "new", "raced", "stuck", "unread", "whole", "written"];
    let store = store(folder.path(), &recipients).await;
    // The list may show a conversation before the broadcast is known to be accepted.
    list(&store, vec![one("raced", Some(SENT + 1))]).await;
    let to = Audience::Contacts(recipients.map(ContactId::from).to_vec());
    store.record_broadcast_recipients(&channel(), &to, at(SENT)).await.unwrap();
    let asks = Conversation {
        escalation: Escalation::Requested(SafeText::line("asks for a person")),
        ..one("asks", Some(SENT + 1))
    };
    let page = vec![
        one("answered", Some(SENT + 1)),
        asks,
        one("earlier", Some(SENT - 5_000)),
        one("empty", None),
        one("new", Some(SENT + 1)),
        one("stranger", Some(SENT + 1)),
        one("stuck", Some(SENT + 1)),
        one("unread", None),
        one("whole", None),
        one("written", Some(SENT + 1)),
    ];
    store.enqueue(send("written", "May I help?", 0), at(SENT + 1)).unwrap();
    // A contact change is not a message.
    let contact = NewRow { lane: Lane::Contact(phone("whole")), ..send("whole", "", 0) };
    store.enqueue(contact, at(SENT + 1)).unwrap();
    list(&store, page).await;
    let mut sent = message("whole", "we open", SENT + 2, Direction::Outbound);
    sent.sender = Sender::Api;
    add(&store, vec![sent, message("answered", "yes", SENT + 60, Direction::Inbound)]).await;
    store
        .cache()
        .call(|cache| {
            let numbers = "UPDATE conversation SET reached_start = 1 WHERE id IN ('whole', 'empty', 'stuck')";
            cache.connection.execute(numbers, [])?;
            cache.connection.execute("UPDATE conversation SET created_at = sort_at", [])?;
            (1..=11).try_for_each(|number| facts::refresh(&cache.connection, number))?;
            // A refresh would copy it from the outbox again.
            cache.connection.execute("UPDATE conversation SET stuck = id = 'stuck'", [])?;
            Ok(())
        })
        .unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(matching(&reader, "is:broadcast"), ["empty", "new", "raced", "whole"]);
    assert_eq!(
        matching(&reader, "status:open -is:broadcast"),
        ["answered", "asks", "earlier", "stranger", "stuck", "unread", "written"]
    );
    assert_eq!(matching(&reader, "is:broadcast is:needed"), [""; 0], "none of them waits");
    assert_eq!(reader.counts(&channel()).unwrap().broadcast_only, 4);
    // An answer makes the conversation an ordinary one.
    add(&store, vec![message("new", "at nine?", SENT + 90, Direction::Inbound)]).await;
    assert_eq!(matching(&reader, "is:broadcast"), ["empty", "raced", "whole"]);
    assert_eq!(matching(&reader, "is:waiting"), ["answered", "new"]);
    // A contact may be read later than its broadcast.
    store.apply_contact(&channel(), &phone("stranger"), contact_with("new"), at(SENT + 95)).await.unwrap();
    assert_eq!(matching(&reader, "is:broadcast"), ["empty", "raced", "stranger", "whole"]);
    store.record_broadcast_recipients(&channel(), &to, at(SENT + 9_000)).await.unwrap();
    assert_eq!(matching(&reader, "is:broadcast"), ["empty", "raced", "stranger", "whole"]);
}

#[tokio::test]
async fn one_to_everyone_begins_what_begins_soon_after() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), &[]).await;
    store.record_broadcast_recipients(&channel(), &Audience::Everyone, at(SENT)).await.unwrap();
    let page = [("before", SENT - 600), ("soon", SENT + 300), ("later", SENT + 7_200)];
    list(&store, page.map(|(id, first)| one(id, Some(first))).to_vec()).await;
    let reader = store.reader().unwrap();
    assert_eq!(matching(&reader, "is:broadcast"), ["soon"]);
    store.record_broadcast_recipients(&channel(), &Audience::Everyone, at(SENT + 7_000)).await.unwrap();
    assert_eq!(matching(&reader, "is:broadcast"), ["later", "soon"]);
}
