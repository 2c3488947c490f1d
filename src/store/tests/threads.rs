//! What is known of threads of mails: what a reading may change, and what it
//! may not.

use crate::model::email::Thread;
use crate::model::outbox::content::ThreadChange;
use crate::model::queries::ConversationQuery;
use crate::model::text::SafeText;
use crate::store::Store;
use crate::store::tests::{channel, conversation, list};

fn told(is_read: bool, category: &str) -> Vec<(crate::model::ids::ConversationId, Thread)> {
    let category = Some(SafeText::line(category));
    vec![("c1".into(), Thread { is_read: Some(is_read), category, ..Thread::default() })]
}

fn shown(store: &Store) -> (Option<bool>, Option<String>) {
    let query = ConversationQuery::first(channel(), crate::model::filter::Filter::all(), 9);
    let page = store.reader().unwrap().conversations(&query).unwrap();
    let thread = page.rows[0].thread.clone().unwrap();
    (thread.is_read, thread.category.map(|it| it.as_str().to_owned()))
}

#[tokio::test]
async fn an_overtaken_reading_changes_nothing_of_a_thread() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("c1", 1)]).await;
    store.apply_threads(&channel(), told(false, "orders"), store.snapshot()).await.unwrap();
    // A reading leaves, a change is taken, the answer comes.
    let before = store.snapshot();
    let change = ThreadChange { is_read: Some(true), ..ThreadChange::default() };
    store.thread_changed(&channel(), &"c1".into(), &change).await.unwrap();
    assert!(!store.apply_threads(&channel(), told(false, "orders"), before).await.unwrap());
    assert_eq!(shown(&store), (Some(true), Some("orders".to_owned())));
    // A later one is believed.
    assert!(store.apply_threads(&channel(), told(false, "refund"), store.snapshot()).await.unwrap());
    assert_eq!(shown(&store), (Some(false), Some("refund".to_owned())));
}
