//! Local marks of a team, and the rows that carry them to the service.

use crate::tests::{add, at, channel, conversation, list, message};
use crate::{Store, StoreOptions};
use model::ids::{ConversationId, NoteId};
use model::local::{Assignment, LocalChange};
use model::messages::{Direction, Message, MessageAgent};
use model::queries::HistoryQuery;
use model::team::{
    SharedClaim, SharedNote, SharedPart, SharedSnooze, TeamAction, TeamAnswer, TeamChange, UNTIL_REPLY,
};
use model::text::SafeText;

fn open(folder: &std::path::Path) -> Store {
    Store::open_with(folder, StoreOptions { owner: "Ana".to_owned(), ..StoreOptions::default() }).unwrap()
}

async fn joined(folder: &std::path::Path) -> Store {
    let store = open(folder);
    list(&store, vec![conversation("a", 1)]).await;
    store.set_team(&[channel()]).unwrap();
    store
}

fn claim(store: &Store, agent: Option<&str>) {
    let claim = agent.map(|agent| Assignment { agent: SafeText::line(agent), at: at(5) });
    store.change_local(&channel(), LocalChange::Claim(vec![("a".into(), claim)])).unwrap();
}

async fn next(store: &Store) -> Option<TeamChange> {
    store.next_team_change().await.unwrap()
}

async fn apply(store: &Store, part: SharedPart) -> model::team::AppliedShared {
    store.apply_shared_parts(vec![("a".into(), part)]).await.unwrap()
}

fn of_ben(version: i64) -> SharedClaim {
    SharedClaim { agent: SafeText::line("Ben"), at: at(7), version }
}

#[tokio::test]
async fn agent_is_this_desks_person_only_in_a_channel_of_the_team() {
    let folder = tempfile::tempdir().unwrap();
    let store = joined(folder.path()).await;
    let sent = |id: &str, name: &str| Message {
        agent: MessageAgent::named(name),
        ..message("a", id, 5, Direction::Outbound)
    };
    let own = MessageAgent { name: SafeText::line("Ana"), is_self: true };
    let other = MessageAgent { name: SafeText::line("Ben"), is_self: false };
    add(&store, vec![sent("m2", "Ben"), sent("m1", "Ana")]).await;
    let agents = || {
        let query = HistoryQuery { channel: channel(), conversation: "a".into(), limit: 9 };
        let page = store.reader().unwrap().history(&query).unwrap();
        page.messages.into_iter().map(|row| row.message.agent).collect::<Vec<_>>()
    };
    assert_eq!(agents(), [Some(own.clone()), Some(other.clone())]);
    // A reading without the name keeps it.
    add(&store, vec![Message { raw: "m2 read".to_owned(), ..sent("m2", "") }]).await;
    assert_eq!(agents(), [Some(own.clone()), Some(other.clone())]);
    store.set_team(&[]).unwrap();
    assert_eq!(agents(), [Some(MessageAgent { is_self: false, ..own }), Some(other)]);
}

#[tokio::test]
async fn desk_without_a_team_shares_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.set_team(&[]).unwrap();
    claim(&store, Some("Ana"));
    let note = store.add_note(&channel(), &"a".into(), "mine", at(1)).unwrap();
    assert_eq!((next(&store).await, note.author), (None, None));
}

#[tokio::test]
async fn newest_change_of_a_part_is_sent_and_beats_older_state() {
    let folder = tempfile::tempdir().unwrap();
    let store = joined(folder.path()).await;
    claim(&store, Some("Ana"));
    claim(&store, None);
    claim(&store, Some("Ana"));
    // The claim of the service is older than the change that waits.
    assert!(apply(&store, SharedPart::Claim(Some(of_ben(1)))).await.changed.is_empty());
    let change = next(&store).await.unwrap();
    let agent = SafeText::line("Ana");
    assert_eq!(change.action, TeamAction::Claim { agent, version: None, force: false });
    let applied = store.settle_team_change(change, Some(TeamAnswer::Claimed(Some(of_ben(1))))).await.unwrap();
    assert_eq!(applied.lost, [(channel(), "a".into(), SafeText::line("Ben"))]);
    assert_eq!(next(&store).await, None);
    // Known already.
    assert!(apply(&store, SharedPart::Claim(Some(of_ben(1)))).await.changed.is_empty());
    claim(&store, None);
    assert_eq!(next(&store).await.unwrap().action, TeamAction::Release { version: Some(1) });
}

#[tokio::test]
async fn answer_to_an_older_change_leaves_a_newer_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = joined(folder.path()).await;
    claim(&store, Some("Ana"));
    let sent = next(&store).await.unwrap();
    claim(&store, None);
    let mine = SharedClaim { agent: SafeText::line("Ana"), ..of_ben(3) };
    let answer = TeamAnswer::Changed(SharedPart::Claim(Some(mine)));
    assert!(store.settle_team_change(sent, Some(answer)).await.unwrap().changed.is_empty());
    assert_eq!(next(&store).await.unwrap().action, TeamAction::Release { version: None });
}

#[tokio::test]
async fn withdrawn_note_is_deleted_for_all_unless_it_never_left() {
    let folder = tempfile::tempdir().unwrap();
    let store = joined(folder.path()).await;
    let note = store.add_note(&channel(), &"a".into(), "first", at(1)).unwrap();
    assert_eq!(note.author, Some(SafeText::line("Ana")));
    store.recall_note(&note.id).unwrap();
    assert_eq!(next(&store).await, None);
    let note = store.add_note(&channel(), &"a".into(), "second", at(2)).unwrap();
    let sent = next(&store).await.unwrap();
    store.mark_team_change_tried(sent.number).await.unwrap();
    store.recall_note(&note.id).unwrap();
    store.settle_team_change(sent, None).await.unwrap();
    assert_eq!(next(&store).await.unwrap().action, TeamAction::DeleteNote { id: note.id });
}

#[tokio::test]
async fn mention_of_a_colleague_rings_once_and_only_after_the_first_reading() {
    let folder = tempfile::tempdir().unwrap();
    let store = joined(folder.path()).await;
    let note = |id: &str| {
        let id = NoteId::new(id);
        let (author, me) = (SafeText::line("Ben"), SafeText::line("Ana"));
        let text = SafeText::line("@Ana look");
        let note =
            SharedNote { id: id.clone(), author, text, mentions: vec![me], at: at(3), edited_at: None };
        SharedPart::Note(id, Some(note))
    };
    assert!(apply(&store, note("n1")).await.mentions.is_empty());
    store.record_team_read(at(4)).await.unwrap();
    assert_eq!(apply(&store, note("n2")).await.mentions.len(), 1);
    assert!(apply(&store, note("n2")).await.mentions.is_empty());
    assert_eq!(apply(&store, SharedPart::Note(NoteId::new("n1"), None)).await.changed.len(), 1);
}

#[tokio::test]
async fn snooze_until_a_reply_survives_the_way_to_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let store = joined(folder.path()).await;
    let until_reply = SharedSnooze { until: UNTIL_REPLY, note: None };
    apply(&store, SharedPart::Snooze(Some(until_reply.clone()), at(9))).await;
    assert!(apply(&store, SharedPart::Snooze(Some(until_reply), at(10))).await.changed.is_empty());
    let over = SharedSnooze { until: at(0), note: None };
    apply(&store, SharedPart::Snooze(None, at(11))).await;
    assert!(apply(&store, SharedPart::Snooze(Some(over), at(12))).await.changed.is_empty(), "it has ended");
}

#[tokio::test]
async fn state_of_a_conversation_that_no_list_has_shown_is_read_later() {
    let folder = tempfile::tempdir().unwrap();
    let store = joined(folder.path()).await;
    let part = SharedPart::Claim(Some(of_ben(1)));
    store.apply_shared_parts(vec![("new".into(), part)]).await.unwrap();
    assert!(store.take_placed().await.unwrap().is_empty());
    list(&store, vec![conversation("new", 2)]).await;
    assert_eq!(store.take_placed().await.unwrap(), [ConversationId::from("new")]);
    assert!(store.take_placed().await.unwrap().is_empty());
}
