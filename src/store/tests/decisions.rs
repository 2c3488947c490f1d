//! Verdicts on stopped rows, and late successes after them.

use crate::Store;
use crate::lane::{AttemptResult, LaneRow};
use crate::outbox::NewRow;
use crate::tests::{add, at, channel, conversation, list, message, row, send};
use model::ids::{ConversationId, MessageId};
use model::messages::{Direction, HistoryPosition};
use model::outbox::{MAX_KEY_AGE, Operation, OutboxRow, RowState, StopReason, StopVerdict};
use model::queries::Draft;
use model::text::SafeText;
use model::time::SECOND;

struct Desk {
    store: Store,
    _folder: tempfile::TempDir,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    Desk { store, _folder: folder }
}

async fn rows(store: &Store) -> Vec<LaneRow> {
    store.lane_rows(&channel()).await.unwrap()
}

async fn stop(store: &Store, row: &OutboxRow, stop: StopReason) -> LaneRow {
    let found = rows(store).await.into_iter().find(|lane_row| lane_row.row.id == row.id).unwrap();
    let untried = matches!(stop, StopReason::ReplyConflict | StopReason::Late);
    let lane = if untried {
        found
    } else {
        store.claim(&row.id, found.fencing_token, at(1), "").await.unwrap().unwrap()
    };
    assert!(store.settle(&lane, AttemptResult::Stop(stop, SafeText::line("why"))).await.unwrap());
    lane
}

fn done(message: &str) -> AttemptResult {
    AttemptResult::Done { created_id: Some(message.to_owned()), automation: None, replayed: false }
}

#[tokio::test]
async fn every_word_is_carried_out_and_written_down() {
    let adopt = || StopVerdict::Adopt(MessageId::from("m9"));
    // Expected state, and true if the key stays the same.
    let cases = [
        (StopReason::ReplyConflict, StopVerdict::SendAnyway, Some((RowState::Queued, true))),
        (StopReason::Late, StopVerdict::SendAnyway, Some((RowState::Queued, true))),
        (StopReason::Auth, StopVerdict::SameKey, Some((RowState::Queued, true))),
        (StopReason::Unknown, StopVerdict::SameKey, Some((RowState::Uncertain, true))),
        (StopReason::KeyUnproven, StopVerdict::SameKey, Some((RowState::Uncertain, true))),
        (StopReason::Unknown, StopVerdict::NewKey, Some((RowState::Queued, false))),
        (StopReason::Refused, StopVerdict::NewKey, Some((RowState::Queued, false))),
        (StopReason::Expired, adopt(), None),
        (StopReason::Unknown, StopVerdict::Drop, None),
        (StopReason::Credits, StopVerdict::Edit, None),
    ];
    for (stopped, verdict, left) in cases {
        let desk = desk();
        let row = desk.store.enqueue(send("a", "one", 0), at(0)).unwrap();
        stop(&desk.store, &row, stopped).await;
        let word = verdict.word();
        let decided = desk.store.decide(&row.id, verdict.clone(), None, at(9)).unwrap().unwrap();
        assert_eq!((&decided.before.id, decided.before.is_stopped()), (&row.id, true));
        let after = decided.after.map(|outbox_row| (outbox_row.state, outbox_row.key == row.key));
        assert_eq!(after, left, "{stopped:?} {word}");
        let remaining = rows(&desk.store).await;
        assert_eq!(remaining.len(), usize::from(left.is_some()), "{stopped:?} {word}");
        assert_eq!(desk.store.decisions(&row.id).unwrap(), [word]);
        if let StopVerdict::Adopt(message) = verdict {
            let unclaimed = desk.store.unclaimed_messages(&channel(), [message].into()).await.unwrap();
            assert!(unclaimed.is_empty(), "it is this desk's now");
        }
        let again = desk.store.decide(&row.id, StopVerdict::Drop, None, at(9)).unwrap();
        assert_eq!(again, None, "decided once");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_not_decided() {
    let cases = [
        (StopReason::ReplyConflict, StopVerdict::NewKey, 9),
        (StopReason::Auth, StopVerdict::NewKey, 9),
        (StopReason::Refused, StopVerdict::SameKey, 9),
        (StopReason::Unknown, StopVerdict::SameKey, 1 + MAX_KEY_AGE / SECOND),
        (StopReason::Unknown, StopVerdict::SendAnyway, 9),
        (StopReason::Refused, StopVerdict::Adopt(MessageId::from("m")), 9),
    ];
    for (stopped, verdict, seconds) in cases {
        let desk = desk();
        let row = desk.store.enqueue(send("a", "one", 0), at(0)).unwrap();
        assert_eq!(desk.store.decide(&row.id, StopVerdict::Drop, None, at(0)).unwrap(), None, "not stopped");
        stop(&desk.store, &row, stopped).await;
        let decided = desk.store.decide(&row.id, verdict.clone(), None, at(seconds)).unwrap();
        assert_eq!(decided, None, "{stopped:?} {verdict:?}");
        assert!(rows(&desk.store).await[0].row.is_stopped());
        assert!(desk.store.decisions(&row.id).unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_row_made_anew_keeps_its_place_and_its_words() {
    let desk = desk();
    let store = &desk.store;
    let first = store.enqueue(send("a", "one", 0), at(0)).unwrap();
    let second = store.enqueue(send("a", "two", 0), at(0)).unwrap();
    stop(store, &first, StopReason::Credits).await;
    let anew = store.retry_stopped(&first.id, None, at(5)).unwrap().unwrap().after.unwrap();
    assert!(anew.id != first.id && anew.key != first.key && anew.first_attempt_at.is_none());
    assert_eq!((anew.attempts, &anew.operation, anew.created_at), (0, &first.operation, at(5)));
    let order: Vec<_> = rows(store).await.into_iter().map(|row| row.row.id).collect();
    assert_eq!(order, [anew.id, second.id]);
}

#[tokio::test]
async fn sending_anyway_moves_what_was_seen() {
    let desk = desk();
    let store = &desk.store;
    list(store, vec![conversation("a", 9)]).await;
    add(store, vec![message("a", "m2", 9, Direction::Outbound), message("a", "m1", 5, Direction::Inbound)])
        .await;
    let place = |seconds: i64, id: &str| -> HistoryPosition { (at(seconds), MessageId::from(id)) };
    let crossed = async |seen: Option<HistoryPosition>| {
        let new = NewRow { seen: Some(place(5, "m1")), ..send("a", "one", 0) };
        let row = store.enqueue(new, at(0)).unwrap();
        assert_eq!(row.seen, Some(place(5, "m1")));
        stop(store, &row, StopReason::ReplyConflict).await;
        let after = store.retry_stopped(&row.id, seen, at(20)).unwrap().unwrap().after.unwrap();
        let lane = rows(store).await.into_iter().find(|entry| entry.row.id == row.id).unwrap();
        assert_eq!((lane.row.due_at, after.not_before), (at(20), at(20)));
        after.seen
    };
    assert_eq!(crossed(None).await, Some(place(9, "m2")), "the newest known");
    assert_eq!(crossed(Some(place(7, "x"))).await, Some(place(7, "x")), "what is on screen");
    let row = store.enqueue(send("a", "unasked", 0), at(0)).unwrap();
    stop(store, &row, StopReason::Refused).await;
    assert_eq!(store.retry_stopped(&row.id, None, at(20)).unwrap().unwrap().after.unwrap().seen, None);
}

#[tokio::test]
async fn sms_that_is_sent_anyway_names_no_message() {
    let desk = desk();
    let seen = Some((at(5), MessageId::from("m1")));
    let number = "+34600111222";
    for (stopped, kept) in [(StopReason::ReplyConflict, None), (StopReason::Late, seen.clone())] {
        let operation = Operation::SendSms { to: number.to_owned(), body: "one".to_owned(), via: None };
        let new = NewRow { seen: seen.clone(), ..row(number, operation, 0) };
        let row = desk.store.enqueue(new, at(0)).unwrap();
        stop(&desk.store, &row, stopped).await;
        let verdict = StopVerdict::SendAnyway;
        let decided = desk.store.decide(&row.id, verdict, seen.clone(), at(20)).unwrap().unwrap();
        assert_eq!(decided.after.unwrap().seen, kept, "{stopped:?}");
    }
}

#[tokio::test]
async fn a_text_that_is_edited_goes_before_the_draft() {
    let desk = desk();
    let (channel, conversation) = (channel(), ConversationId::from("a"));
    let draft =
        Draft { text: "two".to_owned(), reply_to: None, note: String::new(), attachments: Vec::new() };
    let row = desk.store.enqueue(send("a", "one", 0), at(0)).unwrap();
    desk.store.save_draft(&channel, &conversation, Some(draft)).unwrap();
    stop(&desk.store, &row, StopReason::Refused).await;
    desk.store.decide(&row.id, StopVerdict::Edit, None, at(1)).unwrap().unwrap();
    let kept = desk.store.reader().unwrap().draft(&channel, &conversation).unwrap().unwrap();
    assert_eq!(kept.text, "one\ntwo");
}

#[tokio::test]
async fn a_late_success_counts_whatever_a_person_said_meanwhile() {
    // Verdict, successor was tried, rows left.
    let cases = [
        (StopVerdict::Drop, false, 0),
        (StopVerdict::SameKey, false, 0),
        (StopVerdict::NewKey, false, 0),
        (StopVerdict::NewKey, true, 1),
    ];
    for (verdict, tried, left) in cases {
        let desk = desk();
        let store = &desk.store;
        let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
        let claimed = stop(store, &row, StopReason::Unknown).await;
        let after = store.decide(&row.id, verdict.clone(), None, at(5)).unwrap().unwrap().after;
        if tried {
            let anew = after.unwrap();
            let fence = rows(store).await[0].fencing_token;
            store.claim(&anew.id, fence, at(6), "").await.unwrap().unwrap();
        }
        store.settle(&claimed, done("m1")).await.unwrap();
        assert_eq!(rows(store).await.len(), left, "{verdict:?} {tried}");
        let unclaimed = store.unclaimed_messages(&channel(), [MessageId::from("m1")].into()).await.unwrap();
        assert!(unclaimed.is_empty(), "{verdict:?}: the message is this desk's");
    }
}

#[tokio::test]
async fn looks_are_remembered_and_begun_anew() {
    use model::outbox::{HistoryFinding, HistorySearches};
    let desk = desk();
    let store = &desk.store;
    let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
    stop(store, &row, StopReason::Unknown).await;
    let several = HistoryFinding::Several(vec!["m1".into(), "m2".into()]);
    for finding in [HistoryFinding::Nothing, HistoryFinding::Absent, several] {
        let looks = HistorySearches { count: 2, absent_at: Some(at(3)), last_at: Some(at(4)), finding };
        let lane = rows(store).await.remove(0);
        let why = SafeText::line("looked");
        assert!(store.record_history_searches(&lane, looks.clone(), Some(why.clone())).await.unwrap());
        let lane = rows(store).await.remove(0);
        assert_eq!((&lane.history_searches, &lane.row.finding), (&looks, &looks.finding));
        assert_eq!(lane.row.state, RowState::Stopped(StopReason::Unknown, why));
    }
    store.restart_history_search(&row.id).unwrap();
    assert_eq!(rows(store).await[0].history_searches, HistorySearches::default());
    store.retry_stopped(&row.id, None, at(9)).unwrap().unwrap();
    let lane = rows(store).await.remove(0);
    assert!(lane.is_retry_requested);
    assert!(
        !store.record_history_searches(&lane, HistorySearches::default(), None).await.unwrap(),
        "not stopped any more"
    );
}
