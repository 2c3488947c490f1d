//! Rows keep the account they were written for.

use crate::Store;
use crate::lane::{AttemptResult, LaneRow};
use crate::tests::{at, channel, row, send};
use model::outbox::{Operation, RowState, SendingAccount, StopReason, StopVerdict};
use model::text::SafeText;

fn account(workspace: &str, environment: &str) -> SendingAccount {
    SendingAccount {
        server: "api.example.com".into(),
        key_print: String::new(),
        workspace: workspace.into(),
        assistant: "a1".into(),
        environment: environment.into(),
        platform: None,
        name: Some(workspace.into()),
    }
}

async fn rows(store: &Store) -> Vec<LaneRow> {
    store.lane_rows(&channel()).await.unwrap()
}

async fn confirm(
    store: &Store,
    credential: &str,
    account: &SendingAccount,
) -> crate::sending_account::Confirmation {
    store.confirm_account(&channel(), credential, account.clone(), at(0)).await.unwrap()
}

async fn stop(store: &Store, row: &LaneRow, here: &SendingAccount) {
    store.record_offered_account(&row.row.id, here).await.unwrap();
    let stop = AttemptResult::Stop(StopReason::Account, SafeText::line("written for another"));
    assert!(store.settle(row, stop).await.unwrap());
}

#[tokio::test]
async fn a_row_is_written_for_the_account_that_was_confirmed_last() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.record_credential(&channel(), "k1");
    store.enqueue(send("c1", "early", 0), at(0)).unwrap();
    let (harbor, shop) = (account("harbor", "live"), account("shop", "live"));
    assert!(!confirm(&store, "k1", &harbor).await.has_changed, "the first");
    store.enqueue(send("c2", "later", 0), at(1)).unwrap();
    drop(store);
    // The next run has another key and has not read its account yet.
    let store = Store::open(folder.path()).unwrap();
    store.record_credential(&channel(), "k2");
    store.enqueue(send("c3", "to whom the screen shows", 0), at(2)).unwrap();
    assert!(confirm(&store, "k2", &shop).await.has_changed);
    store.enqueue(row("c4", Operation::Close, 0), at(3)).unwrap();
    let written: Vec<_> =
        rows(&store).await.into_iter().map(|row| (row.written_for, row.written_as)).collect();
    let told = |account: &SendingAccount, print: &str| (Some(account.clone()), Some(print.to_owned()));
    assert_eq!(written, [told(&harbor, "k1"), told(&harbor, "k1"), told(&harbor, "k2"), told(&shop, "k2")]);
}

#[tokio::test]
async fn an_unknown_account_is_filled_in_only_where_the_key_proves_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    // Rows queued without a credential, one of them tried.
    store.enqueue(send("c1", "never tried", 0), at(0)).unwrap();
    let tried = store.enqueue(send("c2", "tried", 0), at(0)).unwrap();
    store.claim(&tried.id, 0, at(0), "k1").await.unwrap().expect("claimed");
    store.record_credential(&channel(), "k2");
    store.enqueue(send("c3", "another key", 0), at(0)).unwrap();
    confirm(&store, "k1", &account("harbor", "live")).await;
    let known: Vec<_> = rows(&store).await.into_iter().map(|row| row.written_for.is_some()).collect();
    assert_eq!(known, [false, true, false]);
}

#[tokio::test]
async fn a_row_of_another_account_waits_until_its_own_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (test, live) = (account("harbor", "test"), account("harbor", "live"));
    store.record_credential(&channel(), "k1");
    confirm(&store, "k1", &test).await;
    store.enqueue(send("c1", "a try", 0), at(0)).unwrap();
    confirm(&store, "k2", &live).await;
    stop(&store, &rows(&store).await[0], &live).await;
    assert_eq!(confirm(&store, "k2", &live).await.released, 0);
    assert_eq!(confirm(&store, "k1", &test).await.released, 1);
    assert_eq!(rows(&store).await[0].row.state, RowState::Queued);
}

#[tokio::test]
async fn only_its_own_decision_sends_a_row_from_another_account() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (harbor, shop) = (account("harbor", "live"), account("shop", "live"));
    confirm(&store, "k1", &harbor).await;
    let row = store.enqueue(send("c1", "for harbor", 0), at(0)).unwrap();
    confirm(&store, "k2", &shop).await;
    stop(&store, &rows(&store).await[0], &shop).await;
    for verdict in [StopVerdict::NewKey, StopVerdict::SendAnyway] {
        assert_eq!(store.decide(&row.id, verdict, None, at(1)).unwrap(), None);
    }
    // A retry compares the accounts again and keeps the row's account.
    store.retry_stopped(&row.id, None, at(1)).unwrap().expect("queued");
    let again = rows(&store).await.remove(0);
    assert_eq!((again.row.key.clone(), again.written_for.clone()), (row.key.clone(), Some(harbor)));
    stop(&store, &again, &shop).await;
    // The tab has changed its account again since the person was asked.
    confirm(&store, "k3", &account("third", "live")).await;
    let decided = store.decide(&row.id, StopVerdict::SendFromHere, None, at(2)).unwrap().expect("decided");
    let after = decided.after.expect("a new row");
    assert_ne!((&after.id, &after.key), (&row.id, &row.key), "no key is used for two accounts");
    assert_eq!(rows(&store).await[0].written_for, Some(shop), "the one that was asked about");
}
