//! A proposal becomes an outbox row only when a person accepts it.

use crate::proposals::{MAX_WAITING_PROPOSALS, NewProposal};
use crate::tests::{at, channel, conversation, message, send};
use crate::{Reader, Store};
use model::account::Platform;
use model::messages::Direction;
use model::outbox::Operation;
use model::proposals::{ProposalEntry, ProposalVerdict, ProposedChange};
use model::queries::DeskQuery;
use model::text::SafeText;

async fn store(folder: &std::path::Path) -> Store {
    let store = Store::open(folder).unwrap();
    let snapshot = store.snapshot();
    let page = vec![conversation("a", 10)];
    store.apply_conversations(&channel(), page, snapshot, false, Vec::new()).await.unwrap();
    say(&store, "m1", 10).await;
    store
}

async fn say(store: &Store, id: &str, seconds: i64) {
    let said = vec![message("a", id, seconds, Direction::Inbound)];
    store.apply_messages(&channel(), said, Platform::Whatsapp, Vec::new()).await.unwrap();
}

fn reply(reader: &Reader) -> NewProposal {
    NewProposal {
        channel: channel(),
        conversation: "a".into(),
        proposer: SafeText::line("Helper 1.0"),
        reason: SafeText::line("asked for the order"),
        change: ProposedChange::Reply { text: "It is on its way.".to_owned() },
        seen: reader.newest_message(&channel(), &"a".into()).unwrap(),
    }
}

fn waiting(reader: &Reader) -> Vec<ProposalEntry> {
    reader.proposals(&DeskQuery { channel: Some(channel()), limit: 10 }).unwrap().0
}

fn queued(reader: &Reader) -> usize {
    reader.outbox(&DeskQuery { channel: None, limit: 10 }).unwrap().entries.len()
}

#[tokio::test]
async fn a_proposal_waits_beside_the_outbox_and_is_stale_once_somebody_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let reader = store.reader().unwrap();
    let kept = store.insert_proposal(reply(&reader), at(20)).unwrap().unwrap();
    drop((reader, store));
    let store = Store::open(folder.path()).unwrap();
    let reader = store.reader().unwrap();
    let found = waiting(&reader).remove(0);
    assert_eq!((&found.proposal, found.title.as_str(), found.is_stale()), (&kept, "Maria", false));
    let counts = reader.counts(&channel()).unwrap();
    assert_eq!((counts.proposals.len(), counts.outbox, queued(&reader)), (1, 0, 0));
    say(&store, "m2", 30).await;
    let found = waiting(&reader).remove(0);
    assert!(found.is_stale());
    assert_eq!(found.known_position().map(|pair| pair.1), Some("m2".into()));
}

#[tokio::test]
async fn one_person_makes_one_row_of_it_however_often_it_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let reader = store.reader().unwrap();
    let kept = store.insert_proposal(reply(&reader), at(20)).unwrap().unwrap();
    let rows =
        store.accept_reply(&kept.id, vec![send("a", "It is on its way.", 0)], at(21)).unwrap().unwrap();
    assert!(matches!(&rows[..], [row] if matches!(&row.operation, Operation::SendText { .. })));
    assert_eq!(store.accept_reply(&kept.id, vec![send("a", "It is on its way.", 0)], at(22)).unwrap(), None);
    assert_eq!((queued(&reader), waiting(&reader).len()), (1, 0));
    let log = store.assistant_calls(5).unwrap();
    assert_eq!((log[0].asked.as_str(), log[0].outcome.as_str()), ("reply", "accepted by a person"));
}

#[tokio::test]
async fn what_was_dropped_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let reader = store.reader().unwrap();
    let kept = store.insert_proposal(reply(&reader), at(20)).unwrap().unwrap();
    let dropped = store.settle_proposal(&kept.id, ProposalVerdict::Dropped, at(21)).unwrap().unwrap();
    assert!(waiting(&reader).is_empty());
    store.restore_proposal(dropped.clone()).unwrap();
    store.restore_proposal(dropped).unwrap();
    assert_eq!(waiting(&reader).iter().map(|entry| &entry.proposal).collect::<Vec<_>>(), [&kept]);
}

#[tokio::test]
async fn a_text_to_be_edited_becomes_the_draft() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let reader = store.reader().unwrap();
    let kept = store.insert_proposal(reply(&reader), at(20)).unwrap().unwrap();
    store.settle_proposal(&kept.id, ProposalVerdict::Edited, at(21)).unwrap();
    let draft = reader.draft(&channel(), &"a".into()).unwrap().unwrap();
    assert_eq!((draft.text.as_str(), queued(&reader)), ("It is on its way.", 0));
}

#[tokio::test]
async fn only_so_many_wait_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let reader = store.reader().unwrap();
    let new = reply(&reader);
    for _ in 0..MAX_WAITING_PROPOSALS {
        assert!(store.insert_proposal(new.clone(), at(20)).unwrap().is_some());
    }
    assert_eq!(store.insert_proposal(new, at(20)).unwrap(), None);
}
