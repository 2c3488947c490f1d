//! Mail threads: which fields a read may change.

use crate::email::ThreadChangeOutcome;
use crate::tests::{at, channel, conversation, list};
use crate::{Store, StoreOptions};
use model::email::{MailFile, MailMessage, Thread, ThreadField};
use model::outbox::content::ThreadChange;
use model::queries::ConversationQuery;
use model::text::SafeText;

fn threads_with(is_read: bool, category: &str) -> Vec<(model::ids::ConversationId, Thread)> {
    let category = Some(SafeText::line(category));
    vec![("c1".into(), Thread { is_read: Some(is_read), category, ..Thread::default() })]
}

fn shown(store: &Store) -> (Option<bool>, Option<String>) {
    let query = ConversationQuery::first(channel(), model::filter::ConversationFilter::all(), 9);
    let page = store.reader().unwrap().conversations(&query).unwrap();
    let thread = page.rows[0].thread.clone().unwrap();
    (thread.is_read, thread.category.map(|category| category.as_str().to_owned()))
}

#[tokio::test]
async fn an_overtaken_reading_changes_nothing_of_a_thread() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("c1", 1)]).await;
    store.apply_threads(&channel(), threads_with(false, "orders"), store.snapshot()).await.unwrap();
    // A read request leaves, a change is accepted, then the answer arrives.
    let before = store.snapshot();
    let change = ThreadChange { is_read: Some(true), ..ThreadChange::default() };
    store.apply_thread_change(&channel(), &"c1".into(), &change).await.unwrap();
    assert!(!store.apply_threads(&channel(), threads_with(false, "orders"), before).await.unwrap());
    assert_eq!(shown(&store), (Some(true), Some("orders".to_owned())));
    // A later read is applied.
    assert!(store.apply_threads(&channel(), threads_with(false, "refund"), store.snapshot()).await.unwrap());
    assert_eq!(shown(&store), (Some(false), Some("refund".to_owned())));
}

#[tokio::test]
async fn threads_are_found_by_their_subject_and_by_what_their_mails_hold() {
    let folder = tempfile::tempdir().unwrap();
    let zone = model::time::Zone::from_posix_rule("JST-9").unwrap();
    let store = Store::open_with(folder.path(), StoreOptions { zone, ..StoreOptions::default() }).unwrap();
    // 14:53 and 15:10 UTC on one day: midnight in Japan lies between them.
    list(&store, vec![conversation("c1", 60_000), conversation("c2", 61_000)]).await;
    let about = |id: &str, subject| {
        (id.into(), Thread { subject: Some(SafeText::line(subject)), ..Thread::default() })
    };
    let threads = vec![about("c1", "Invoice 2291, due"), about("c2", "Café chairs")];
    store.apply_threads(&channel(), threads, store.snapshot()).await.unwrap();
    let letter = MailMessage {
        to: vec![SafeText::line("hello@harbor.example")],
        cc: vec![SafeText::line("Eva@clinic.example")],
        files: vec![MailFile { name: SafeText::line("a.pdf"), ..MailFile::default() }],
        ..MailMessage::default()
    };
    store.apply_mail_messages(&channel(), &"c2".into(), vec![("m1".into(), letter)]).await.unwrap();
    let reader = store.reader().unwrap();
    let cases: [(&str, &[&str]); 11] = [
        ("subject:invoice", &["c1"]),
        ("subject:cafe", &["c2"]),
        ("subject:\"2291 due\"", &["c1"]),
        ("-subject:invoice", &["c2"]),
        ("to:eva@clinic", &["c2"]),
        ("to:hello", &["c2"]),
        ("to:invoice", &[]),
        ("has:file", &["c2"]),
        ("before:2023-11-16", &["c1"]),
        ("after:2023-11-16", &["c2"]),
        ("after:2023-11-15 before:2023-11-17", &["c2", "c1"]),
    ];
    for (line, wanted) in cases {
        let query = ConversationQuery::first(channel(), model::filter::parse(line).filter, 9);
        let page = reader.conversations(&query).unwrap();
        let found: Vec<&str> = page.rows.iter().map(|row| row.conversation.id.as_str()).collect();
        assert_eq!(found, wanted, "{line}");
    }
}

#[tokio::test]
async fn unread_threads_and_seen_words_are_counted_as_they_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let ids = ["c1", "c2", "c3", "c4"];
    list(&store, ids.iter().zip(1..).map(|(id, at)| conversation(id, at)).collect()).await;
    let facts = |(id, category): (&str, Option<&str>)| {
        let category = category.map(SafeText::line);
        (id.into(), Thread { is_read: Some(id == "c4"), category, ..Thread::default() })
    };
    let words = [Some("refund"), None, Some("orders"), Some("refund")];
    let threads = ids.into_iter().zip(words).map(facts).collect();
    store.apply_threads(&channel(), threads, store.snapshot()).await.unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(reader.counts(&channel()).unwrap().unread_mail, 3);
    for (id, read) in [("c1", true), ("c4", false)] {
        let change = ThreadChange { is_read: Some(read), ..ThreadChange::default() };
        let filed =
            ThreadChangeOutcome { ignored: vec![ThreadField::Read], ..ThreadChangeOutcome::default() };
        store.record_thread_change(&channel(), &id.into(), &change, &filed, at(0)).await.unwrap();
    }
    assert_eq!(reader.counts(&channel()).unwrap().unread_mail, 3);
    store.move_thread_here(&channel(), &"c4".into(), true).await.unwrap();
    assert_eq!(reader.counts(&channel()).unwrap().unread_mail, 2);
    let [folders, categories] = reader.folders_and_categories(&channel(), 9).unwrap();
    assert_eq!((folders, categories), (vec![], vec!["orders".to_owned(), "refund".to_owned()]));
    assert_eq!(reader.folders_and_categories(&channel(), 1).unwrap()[1], ["orders"]);
}
