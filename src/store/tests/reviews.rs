//! Reviews of AI answers: sampling, verdicts, and their deletion with the person.

use crate::Store;
use crate::tests::{add, at, channel, conversation, list, message};
use model::messages::Direction::{Inbound, Outbound};
use model::messages::Sender;
use model::reviews::{MAX_QUEUED_ANSWERS, RejectionReason, ReviewVerdict, SAMPLE_PERIOD};
use model::text::SafeText;
use model::time::SECOND;

async fn store(folder: &std::path::Path) -> Store {
    let store = Store::open(folder).unwrap();
    list(&store, vec![conversation("a", 90), conversation("b", 80)]).await;
    let mut by_person = message("a", "p1", 40, Outbound);
    by_person.sender = Sender::Api;
    add(
        &store,
        vec![
            message("a", "q1", 10, Inbound),
            message("a", "q2", 20, Inbound),
            message("a", "a1", 30, Outbound),
            by_person,
            message("b", "a2", 50, Outbound),
        ],
    )
    .await;
    store
}

#[tokio::test]
async fn answers_of_the_ai_wait_with_what_was_asked_until_somebody_judged() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let reader = store.reader().unwrap();
    let page = reader.review_page(Some(&channel()), 1, at(100)).unwrap();
    let waiting: Vec<_> =
        page.entries.iter().map(|entry| (entry.answer.as_str(), entry.question.as_str())).collect();
    assert_eq!(waiting, [("a2", ""), ("a1", "q1\nq2")], "the newest first; people are not looked over");
    assert!(
        reader.review_page(None, 1, at(100).plus(SAMPLE_PERIOD + SECOND)).unwrap().entries.is_empty(),
        "too long ago"
    );
    let bad = ReviewVerdict::Bad { reason: RejectionReason::Tone, corrected: "Better.".to_owned() };
    let who = SafeText::line("Ana");
    store.record_review(&page.entries[1], Some(bad.clone()), &who, at(100)).unwrap();
    store.record_review(&page.entries[0], Some(ReviewVerdict::Good), &who, at(101)).unwrap();
    let page_after = reader.review_page(None, 1, at(102)).unwrap();
    assert_eq!((page_after.entries.len(), page_after.weeks.len()), (0, 1));
    assert_eq!(page_after.weeks[0].good_percent(), Some(50));
    let reviewed = reader.reviewed_answers(Some(&channel())).unwrap();
    assert_eq!((&reviewed[0].verdict, reviewed[0].reviewer.as_str()), (&bad, "Ana"));
    // A withdrawn verdict queues the answer again.
    store.record_review(&page.entries[1], None, &who, at(103)).unwrap();
    assert_eq!(reader.review_page(None, 1, at(104)).unwrap().entries.len(), 1);
    store.remove_person(&channel(), "+34600111222").await.unwrap();
    assert!(reader.reviewed_answers(None).unwrap().is_empty());
}

#[tokio::test]
async fn no_more_wait_than_a_person_can_look_over() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let many = (0..200).map(|number| message("a", &format!("m{number:03}"), 60, Outbound)).collect();
    add(&store, many).await;
    assert_eq!(
        store.reader().unwrap().review_page(None, 1, at(100)).unwrap().entries.len(),
        MAX_QUEUED_ANSWERS
    );
}
