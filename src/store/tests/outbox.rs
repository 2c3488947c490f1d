use crate::Store;
use crate::lane::{AttemptResult, LaneRow, is_lapsed};
use crate::outbox::NewRow;
use crate::tests::{at, channel, conversation, list, row, send};
use model::ids::{ConversationId, MessageId, RowId};
use model::outbox::{
    ClockTimes, MAX_KEY_AGE, Operation, OutboxRow, RowState, SERVER_CLOCK_SLACK, StopReason,
};
use model::queries::{Draft, HistoryQuery};
use model::text::SafeText;
use model::time::{ClockStep, Moment as TimeMoment, SECOND};

fn done(message: &str) -> AttemptResult {
    AttemptResult::Done { created_id: Some(message.to_owned()), automation: None, replayed: false }
}

async fn claim(store: &Store, row: &OutboxRow, seconds: i64) -> Option<LaneRow> {
    let fence = store
        .lane_rows(&channel())
        .await
        .unwrap()
        .iter()
        .find(|lane_row| lane_row.row.id == row.id)?
        .fencing_token;
    store.claim(&row.id, fence, at(seconds), "").await.unwrap()
}

async fn only(store: &Store) -> OutboxRow {
    let mut rows = store.lane_rows(&channel()).await.unwrap();
    assert_eq!(rows.len(), 1);
    rows.remove(0).row
}

#[tokio::test]
async fn rows_keep_their_order_and_their_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let pause = row("a", Operation::SetAutomation { enabled: false }, 5 * SECOND);
    let queued = store.enqueue_many(vec![pause, send("a", "one", 5 * SECOND)], false, at(0)).unwrap();
    let last = store.enqueue(send("a", "two", 0), at(0)).unwrap();
    assert_eq!(queued[1].remaining_hold(at(2)), Some(3));
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    let rows: Vec<_> =
        store.lane_rows(&channel()).await.unwrap().into_iter().map(|lane_row| lane_row.row).collect();
    assert_eq!(rows, [queued[0].clone(), queued[1].clone(), last]);
    assert_ne!(rows[0].key, rows[1].key);
    store.send_now(&rows[1].id).unwrap();
    let hurried = &store.lane_rows(&channel()).await.unwrap()[1].row;
    assert_eq!(hurried.remaining_hold(at(0)), None);
}

#[tokio::test]
async fn a_newer_wish_replaces_an_untried_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let react =
        |emoji: &str| row("a", Operation::React { message: MessageId::from("m"), emoji: emoji.into() }, 0);
    store.enqueue(react("👍"), at(0)).unwrap();
    store.enqueue(row("a", Operation::SetAutomation { enabled: false }, 0), at(0)).unwrap();
    store.enqueue(row("b", Operation::SetAutomation { enabled: false }, 0), at(0)).unwrap();
    store.enqueue(react("🎉"), at(1)).unwrap();
    store.enqueue(row("a", Operation::SetAutomation { enabled: true }, 0), at(1)).unwrap();
    let words: Vec<_> = store.lane_rows(&channel()).await.unwrap();
    let words: Vec<_> = words.iter().map(|word| (word.row.lane.id(), word.row.operation.word())).collect();
    assert_eq!(words, [("b", "pause"), ("a", "react"), ("a", "resume")]);
}

#[tokio::test]
async fn a_switch_of_the_ai_with_a_text_behind_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let switch = |enabled| row("a", Operation::SetAutomation { enabled }, 0);
    store.enqueue(switch(false), at(0)).unwrap();
    store.enqueue(send("a", "one", 0), at(0)).unwrap();
    // Of two switches between texts the later one counts.
    store.enqueue(switch(true), at(1)).unwrap();
    store.enqueue(switch(false), at(1)).unwrap();
    store.enqueue(send("a", "two", 0), at(1)).unwrap();
    store.enqueue(switch(true), at(2)).unwrap();
    let rows = store.lane_rows(&channel()).await.unwrap();
    let words: Vec<_> = rows.iter().map(|row| row.row.operation.word()).collect();
    assert_eq!(words, ["pause", "send", "pause", "send", "resume"]);
}

#[tokio::test]
async fn only_an_untried_row_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let first = store.enqueue(send("a", "one", 0), at(0)).unwrap();
    let second = store.enqueue(send("a", "two", 0), at(0)).unwrap();
    assert_eq!(store.recall(&second.id).unwrap(), Some(second.clone()));
    assert_eq!(store.recall(&second.id).unwrap(), None);
    let claimed = claim(&store, &first, 1).await.unwrap();
    assert_eq!(store.recall(&first.id).unwrap(), None);
    // A row whose bytes never left can be withdrawn.
    store.settle(&claimed, AttemptResult::Wait { not_before: at(9) }).await.unwrap();
    let waiting = only(&store).await;
    assert!(waiting.can_recall() && waiting.first_attempt_at.is_none());
    assert!(store.recall(&first.id).unwrap().is_some());
}

#[tokio::test]
async fn a_claim_is_made_once_and_settled_by_its_own_fence() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
    let first = store.claim(&row.id, 0, at(1), "").await.unwrap().unwrap();
    assert_eq!(first.row.state, RowState::Sending);
    assert_eq!(first.row.first_attempt_at, Some(at(1)));
    assert!(store.claim(&row.id, 0, at(1), "").await.unwrap().is_none());
    assert!(store.claim(&row.id, 1, at(1), "").await.unwrap().is_none(), "a leaving row cannot be claimed");
    store.recover_lapsed(at(100)).await.unwrap();
    let late = AttemptResult::Stop(StopReason::Refused, SafeText::line("late"));
    assert!(!store.settle(&first, late).await.unwrap());
    assert_eq!(only(&store).await.state, RowState::Uncertain);
    assert!(store.settle(&first, done("m1")).await.unwrap(), "a late success always counts");
    assert!(store.lane_rows(&channel()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_row_that_changed_since_it_was_read_is_not_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
    // Another process tried it meanwhile, and it is queued again.
    let other = store.claim(&row.id, 0, at(1), "").await.unwrap().unwrap();
    assert!(store.settle(&other, AttemptResult::Wait { not_before: at(1) }).await.unwrap());
    assert_eq!(only(&store).await.state, RowState::Queued);
    assert_eq!(store.claim(&row.id, 0, at(2), "").await.unwrap(), None, "read before that");
    assert_eq!(store.claim(&row.id, 7, at(2), "").await.unwrap(), None, "never read");
    assert!(store.claim(&row.id, other.fencing_token, at(2), "").await.unwrap().is_some());
}

#[tokio::test]
async fn a_late_outcome_does_not_move_the_claim_of_another_process() {
    let late: [fn() -> AttemptResult; 4] = [
        || AttemptResult::Retry { not_before: at(500), counted: true },
        || AttemptResult::Wait { not_before: at(500) },
        || AttemptResult::Stop(StopReason::Refused, SafeText::line("late")),
        || AttemptResult::Stop(StopReason::Auth, SafeText::line("late")),
    ];
    for outcome in late {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
        let stalled = store.claim(&row.id, 0, at(1), "").await.unwrap().unwrap();
        assert_eq!(store.recover_lapsed(at(100)).await.unwrap(), 1);
        let other = claim(&store, &row, 100).await.unwrap();
        assert!(!store.settle(&stalled, outcome()).await.unwrap(), "{:?}", outcome());
        let now = store.lane_rows(&channel()).await.unwrap().remove(0);
        assert_eq!(now, LaneRow { tried_before: None, ..other.clone() }, "{:?}", outcome());
        let own = AttemptResult::Retry { not_before: at(101), counted: true };
        assert!(store.settle(&other, own).await.unwrap(), "its own outcome counts");
        // A row that is not `sending` can still be stopped.
        let stops = matches!(outcome(), AttemptResult::Stop(..));
        assert_eq!(store.settle(&other, outcome()).await.unwrap(), stops, "only once: {:?}", outcome());
    }
}

#[tokio::test]
async fn a_clock_set_back_ends_holds_and_no_plan() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let planned = NewRow { planned_at: Some(at(3_600)), ..send("a", "planned", 0) };
    let planned = store.enqueue(planned, at(0)).unwrap();
    let held = store.enqueue(send("b", "held", 5 * SECOND), at(0)).unwrap();
    for (now, set_back, ended) in [(0, false, 0), (-60 * 60 * 24, false, 1), (-60 * 60 * 25, true, 1)] {
        assert_eq!(store.end_waits(&channel(), at(now), set_back).await.unwrap(), ended, "{now}");
        let rows = store.lane_rows(&channel()).await.unwrap();
        let until = |id| rows.iter().find(|row| row.row.id == id).map(|row| row.row.not_before);
        assert_eq!(until(planned.id.clone()), Some(at(3_600)), "{now}: it leaves at its time only");
        assert_eq!(until(held.id.clone()), Some(at(if ended == 1 { now } else { 5 })), "{now}");
    }
}

/// Clock step of `by` seconds at second 2.
fn step(by: i64) -> ClockStep {
    ClockStep { before: at(2), by: by * SECOND, noticed: TimeMoment::default() }
}

#[tokio::test]
async fn holds_and_waits_follow_a_clock_that_is_set_and_plans_do_not() {
    for by in [59 * 60, -59 * 60, 90, -90] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let planned = NewRow { planned_at: Some(at(3_600)), ..send("a", "planned", 0) };
        let planned = store.enqueue(planned, at(0)).unwrap();
        let held = store.enqueue(send("b", "held", 5 * SECOND), at(0)).unwrap();
        let limited = store.enqueue(send("c", "limited", 0), at(0)).unwrap();
        let claimed = claim(&store, &limited, 0).await.unwrap();
        assert!(store.settle(&claimed, AttemptResult::Wait { not_before: at(60) }).await.unwrap());
        let leaving = store.enqueue(send("d", "leaving", 0), at(0)).unwrap();
        claim(&store, &leaving, 1).await.unwrap();
        // Written after the step, by the new clock.
        let newer = store.enqueue(send("e", "newer", 5 * SECOND), at(2 + by)).unwrap();
        let moved = store.move_waits(&channel(), step(by)).await.unwrap();
        assert!(moved >= 3, "{by}: {moved}");
        let rows = store.lane_rows(&channel()).await.unwrap();
        let row = |id: &RowId| rows.iter().find(|row| row.row.id == *id).unwrap();
        assert_eq!(row(&planned.id).row.not_before, at(3_600), "{by}: a person chose that time");
        assert_eq!(row(&held.id).row.remaining_hold(at(2 + by)), Some(3), "{by}");
        assert_eq!(row(&held.id).row.due_at, at(5 + by), "{by}");
        assert_eq!(row(&limited.id).row.not_before, at(60 + by), "{by}");
        assert!(!is_lapsed(row(&leaving.id).lease_until, at(2 + by)), "{by}: its claim holds on");
        assert_eq!(row(&newer.id).row.remaining_hold(at(2 + by)), Some(5), "{by}");
        // Another process that detects the same step later moves nothing again.
        let later = ClockStep { before: at(12), ..step(by) };
        store.move_waits(&channel(), later).await.unwrap();
        let rows = store.lane_rows(&channel()).await.unwrap();
        let again = rows.iter().find(|row| row.row.id == held.id).unwrap();
        assert_eq!(again.row.not_before, at(5 + by), "{by}");
    }
}

#[tokio::test]
async fn planned_row_that_was_not_executed_waits_for_its_time_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let planned = NewRow { planned_at: Some(at(3_600)), ..send("a", "planned", 0) };
    let planned = store.enqueue(planned, at(0)).unwrap();
    let claimed = claim(&store, &planned, 3_600).await.unwrap();
    // The row was not executed, and the clock was set back by an hour meanwhile.
    assert!(store.settle(&claimed, AttemptResult::Wait { not_before: at(5) }).await.unwrap());
    assert_eq!(only(&store).await.not_before, at(3_600), "not before its time");
    // Due again, the server delays it for long; the clock is set back again.
    let claimed = store.claim(&planned.id, 1, at(3_600), "").await.unwrap().unwrap();
    assert!(store.settle(&claimed, AttemptResult::Wait { not_before: at(7_000) }).await.unwrap());
    assert_eq!(only(&store).await.not_before, at(7_000));
    assert_eq!(store.end_waits(&channel(), at(60), true).await.unwrap(), 1);
    assert_eq!(only(&store).await.not_before, at(3_600), "only the wait ends");
    assert_eq!(store.end_waits(&channel(), at(60), true).await.unwrap(), 0);
}

#[tokio::test]
async fn a_planned_row_that_was_tried_does_not_wait_for_a_clock_that_was_set_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let planned = NewRow { planned_at: Some(at(3_600)), ..send("a", "planned", 0) };
    let planned = store.enqueue(planned, at(0)).unwrap();
    let claimed = claim(&store, &planned, 3_600).await.unwrap();
    let later = AttemptResult::Retry { not_before: at(3_660), counted: true };
    assert!(store.settle(&claimed, later).await.unwrap());
    assert_eq!(store.end_waits(&channel(), at(3_601), false).await.unwrap(), 0, "the wait is a true one");
    assert_eq!(store.end_waits(&channel(), at(60), true).await.unwrap(), 1);
    let row = only(&store).await;
    assert_eq!((row.planned_at, row.not_before), (Some(at(3_600)), at(60)), "its time had come");
}

#[tokio::test]
async fn a_clock_set_back_since_the_newest_attempt_makes_a_key_old() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
    let moment = |seconds, server| ClockTimes { server, ..ClockTimes::from(at(seconds)) };
    for (fence, seconds) in [(0, 10), (1, 3_600)] {
        let claimed = store.claim(&row.id, fence, moment(seconds, Some(at(seconds))), "").await.unwrap();
        let again = AttemptResult::Retry { not_before: at(seconds), counted: true };
        assert!(store.settle(&claimed.unwrap(), again).await.unwrap());
    }
    let rows = store.lane_rows(&channel()).await.unwrap();
    let slack = SERVER_CLOCK_SLACK / SECOND;
    let cases = [
        ("the clock goes on", 3_700, None, Some(3_690)),
        ("two processes read it in any order", 3_600 - slack, None, Some(3_590 - slack)),
        ("set back to after the first attempt", 3_599 - slack, None, None),
        ("set back, and the server tells what passed", 20, Some(4_000), Some(3_990)),
    ];
    for (name, now, server, age) in cases {
        let now = moment(now, server.map(at));
        assert_eq!(rows[0].key_age(&now), Some(age.map_or(MAX_KEY_AGE, |age| age * SECOND)), "{name}");
        assert_eq!(rows[0].is_key_expired(&now), age.is_none(), "{name}");
    }
}

#[tokio::test]
async fn unclear_answers_are_counted_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
    let again = |counted| AttemptResult::Retry { not_before: at(0), counted };
    let wait = AttemptResult::Wait { not_before: at(0) };
    for (settlement, failures) in [(again(true), 1), (again(false), 1), (wait, 1), (again(true), 2)] {
        let claimed = claim(&store, &row, 1).await.unwrap();
        let words = format!("{settlement:?}");
        assert!(store.settle(&claimed, settlement).await.unwrap());
        let rows = store.lane_rows(&channel()).await.unwrap();
        assert_eq!(rows[0].failures, failures, "{words}");
    }
}

#[tokio::test]
async fn a_crash_while_sending_leaves_the_same_key_uncertain() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
    let request = store.request(&row.id).await.unwrap();
    claim(&store, &row, 1).await.unwrap();
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    let after = only(&store).await;
    assert_eq!(after.state, RowState::Uncertain);
    assert_eq!(after.key, row.key);
    assert!(request.is_some());
    assert_eq!(store.request(&after.id).await.unwrap(), request);
    let claimed = claim(&store, &row, 2).await.unwrap();
    assert_eq!((claimed.row.attempts, claimed.row.first_attempt_at), (2, Some(at(1))));
    // A second attempt that was not executed says nothing about the first one.
    store.settle(&claimed, AttemptResult::Wait { not_before: at(3) }).await.unwrap();
    assert_eq!(only(&store).await.state, RowState::Uncertain);
}

#[tokio::test]
async fn sending_again_makes_a_new_key_only_when_the_old_one_is_spent() {
    let cases = [
        (StopReason::Refused, 10, false),
        (StopReason::Credits, 10, false),
        (StopReason::Window, 10, false),
        (StopReason::Auth, 10, true),
        (StopReason::Unknown, 10, true),
        (StopReason::Unknown, 1 + MAX_KEY_AGE / SECOND, false),
    ];
    for (stop, seconds, same_key) in cases {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let row = store.enqueue(send("a", "one", 0), at(0)).unwrap();
        assert_eq!(store.retry_stopped(&row.id, None, at(0)).unwrap(), None, "not stopped");
        let claimed = claim(&store, &row, 1).await.unwrap();
        store.settle(&claimed, AttemptResult::Stop(stop, SafeText::line("why"))).await.unwrap();
        let again = store.retry_stopped(&row.id, None, at(seconds)).unwrap().unwrap().after.unwrap();
        assert_eq!(again.key == row.key, same_key, "{stop:?} after {seconds} s");
        assert_eq!(store.request(&again.id).await.unwrap(), Some(send("a", "one", 0).request));
        assert_eq!(only(&store).await.id, again.id);
        assert!(!again.is_stopped());
    }
}

#[tokio::test]
async fn what_was_done_here_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("a", 1)]).await;
    let sent = crate::tests::message("a", "m1", 5, model::messages::Direction::Outbound);
    let platform = model::account::Platform::Whatsapp;
    store.insert_sent_message(&channel(), sent, platform).await.unwrap();
    let react = Operation::React { message: MessageId::from("m1"), emoji: "👍".into() };
    let rows = vec![
        send("a", "one", 0),
        row("a", react, 0),
        row("a", Operation::SetAutomation { enabled: false }, 0),
    ];
    let queued = store.enqueue_many(rows, false, at(0)).unwrap();
    let reader = store.reader().unwrap();
    let query = HistoryQuery { channel: channel(), conversation: ConversationId::from("a"), limit: 9 };
    let page = reader.history(&query).unwrap();
    assert_eq!(page.outbox.len(), 3);
    assert_eq!(page.messages[0].reaction_pending.as_deref(), Some("👍"));
    assert_eq!(page.conversation.unwrap().automation_pending, Some(false));
    for row in &queued {
        let claimed = claim(&store, row, 1).await.unwrap();
        store.settle(&claimed, done("m1")).await.unwrap();
    }
    let page = reader.history(&query).unwrap();
    assert!(page.outbox.is_empty());
    assert!(page.messages[0].sent_here);
    assert_eq!(page.messages[0].reaction.as_deref(), Some("👍"));
    let listed = page.conversation.unwrap();
    assert!(listed.paused_here && listed.automation_pending.is_none());
    assert_eq!(reader.counts(&channel()).unwrap().paused_here, 1);
    let next = store.enqueue(send("a", "two", 0), at(2)).unwrap();
    assert!(store.lane_rows(&channel()).await.unwrap()[0].read_first);
    store.record_history_reread(&channel(), next.lane.conversation().unwrap()).await.unwrap();
    assert!(!store.lane_rows(&channel()).await.unwrap()[0].read_first);
}

#[test]
fn a_message_and_its_draft_change_places_in_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (channel, conversation) = (channel(), ConversationId::from("a"));
    let draft = |text: &str| {
        Some(Draft { text: text.to_owned(), reply_to: None, note: String::new(), attachments: Vec::new() })
    };
    let kept = || store.reader().unwrap().draft(&channel, &conversation).unwrap().map(|draft| draft.text);
    store.save_draft(&channel, &conversation, draft("one")).unwrap();
    let queued = store.enqueue_many(vec![send("a", "one", 5 * SECOND)], true, at(0)).unwrap();
    assert_eq!(kept(), None, "the draft is spent");
    store.save_draft(&channel, &conversation, draft("two")).unwrap();
    store.recall(&queued[0].id).unwrap().expect("still held");
    assert_eq!(kept().as_deref(), Some("one\ntwo"), "what was taken back goes before what was begun");
}

#[tokio::test]
async fn what_certainly_was_not_done_is_given_up_all_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let two = || vec![send("a", "one", 0), send("a", "two", 0)];
    let untried = store.enqueue_many(two(), false, at(0)).unwrap();
    let ids: Vec<_> = untried.iter().map(|outbox_row| outbox_row.id.clone()).collect();
    assert!(store.give_up(&ids).unwrap());
    assert!(store.lane_rows(&channel()).await.unwrap().is_empty());
    assert_eq!(store.last_audit_event(&ids[0]).unwrap().as_deref(), Some("given up"));
    // The first row may have been sent, so the second one is kept too.
    let rows = store.enqueue_many(two(), false, at(0)).unwrap();
    claim(&store, &rows[0], 1).await.unwrap();
    let ids: Vec<_> = rows.iter().map(|row| row.id.clone()).collect();
    assert!(!store.give_up(&ids).unwrap());
    assert_eq!(store.lane_rows(&channel()).await.unwrap().len(), 2);
}

#[test]
fn a_draft_another_process_wrote_over_is_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Store::open(folder.path()).unwrap(), Store::open(folder.path()).unwrap());
    let (channel, conversation) = (channel(), ConversationId::from("c1"));
    let save = |store: &Store, text: &str| {
        let draft = Draft { text: text.to_owned(), ..Draft::default() };
        store.save_draft(&channel, &conversation, Some(draft)).unwrap();
    };
    let read = |store: &Store| {
        let reader = store.reader().unwrap();
        let draft = reader.draft(&channel, &conversation).unwrap();
        (draft.map(|draft| draft.text), reader.draft_set_aside(&channel, &conversation).unwrap())
    };
    save(&one, "one");
    assert_eq!(read(&other), (Some("one".into()), None));
    save(&other, "rewritten by who has read it");
    assert_eq!(read(&other).1, None);
    // Not seen by the other window and not part of its text.
    save(&one, "written here meanwhile");
    let aside = Some("rewritten by who has read it".to_owned());
    assert_eq!(read(&one), (Some("written here meanwhile".into()), aside.clone()));
    save(&other, "written here meanwhile, and gone on with");
    assert_eq!(read(&other).1, aside, "what is part of the new text is not put aside");
    // Read while another text was typed, and still overwritten.
    assert_eq!(read(&one).0.as_deref(), Some("written here meanwhile, and gone on with"));
    save(&one, "typed all the time");
    assert_eq!(read(&other).1.as_deref(), Some("written here meanwhile, and gone on with"));
}
