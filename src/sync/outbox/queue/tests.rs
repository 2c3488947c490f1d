//! Tests of the choice of the next row.

use super::*;
use std::sync::LazyLock;

use crate::tests::at;
use RowState::{Queued, Sending, Uncertain};
use model::attachments::{FileFacts, ReplyAttachment};
use model::ids::{ChannelId, IdempotencyKey, MessageId, RowId};
use model::outbox::content::{Audience, BroadcastContent, Mail};
use model::outbox::{HistorySearches, MAX_KEY_AGE, OutboxRow, SendingAccount};
use model::text::SafeText;

static HARBOR: LazyLock<SendingAccount> = LazyLock::new(|| account("w1"));

fn account(workspace: &str) -> SendingAccount {
    SendingAccount {
        server: String::new(),
        key_print: String::new(),
        workspace: workspace.to_owned(),
        assistant: "a1".to_owned(),
        environment: "live".to_owned(),
        platform: None,
        name: None,
    }
}

fn sender() -> SenderAccount<'static> {
    SenderAccount { credential: "key", account: Some(&HARBOR), reports_account: true }
}

fn row(lane: Lane, operation: Operation, state: RowState) -> LaneRow {
    let tried = !matches!(state, Queued | RowState::Stopped(StopReason::ReplyConflict | StopReason::Late, _));
    let first = tried.then(|| at(0));
    LaneRow {
        tried_before: None,
        row: OutboxRow {
            sequence: 0,
            id: RowId::from("r"),
            channel: ChannelId::from("harbor"),
            lane,
            operation,
            key: IdempotencyKey::from("k"),
            created_at: at(0),
            not_before: at(0),
            due_at: at(0),
            first_attempt_at: first,
            attempts: u32::from(tried),
            state,
            seen: None,
            finding: Default::default(),
            planned_at: None,
        },
        failures: 0,
        fencing_token: 1,
        lease_until: at(90),
        cut_off: false,
        read_first: false,
        first: first.map(ClockTimes::from),
        last_attempt_at: first,
        attempted_as: None,
        written_for: Some(HARBOR.clone()),
        written_as: None,
        credits_before: None,
        is_retry_requested: false,
        is_successor: false,
        history_searches: HistorySearches::default(),
    }
}

fn in_conversation(conversation: &str, operation: Operation, state: RowState) -> LaneRow {
    row(Lane::Conversation(conversation.into()), operation, state)
}

fn text(conversation: &str, state: RowState) -> LaneRow {
    let operation = Operation::SendText { to: "1".into(), text: "hi".into(), reply_to: None };
    in_conversation(conversation, operation, state)
}

fn pause(conversation: &str, state: RowState) -> LaneRow {
    in_conversation(conversation, Operation::SetAutomation { enabled: false }, state)
}

fn broadcast(state: RowState) -> LaneRow {
    let content = BroadcastContent::Text("hi".into());
    row(Lane::Broadcasts, Operation::Broadcast { to: Audience::Everyone, content }, state)
}

fn stopped(stop: StopReason) -> RowState {
    RowState::Stopped(stop, SafeText::line("no"))
}

fn later(mut row: LaneRow, seconds: i64) -> LaneRow {
    row.row.not_before = at(seconds);
    row
}

fn seen(mut row: LaneRow) -> LaneRow {
    row.row.seen = Some((at(0), MessageId::from("m")));
    row
}

/// Chooses without history searches, held lanes or outages.
fn chosen(rows: &[LaneRow], now: Timestamp) -> LaneStep {
    let (held, read_at, outage) = (HashMap::new(), HashMap::new(), Outage::new(at(-1)));
    let desk = LaneContext {
        now: now.into(),
        held: &held,
        sender: sender(),
        confirm_after: at(0),
        read_at: &read_at,
        outage: &outage,
        search_after: None,
    };
    choose_row(rows, &desk)
}

#[test]
fn rows_of_a_lane_leave_in_order() {
    let cases = [
        ("empty", vec![], LaneStep::Nothing),
        ("first", vec![text("a", Queued), text("a", Queued)], LaneStep::Send(0)),
        ("held back", vec![later(text("a", Queued), 9), text("a", Queued)], LaneStep::Wait(at(9))),
        ("other lane", vec![later(text("a", Queued), 9), text("b", Queued)], LaneStep::Send(1)),
        ("on its way", vec![text("a", Sending), text("a", Queued)], LaneStep::Wait(at(90).plus(1))),
        ("asks again", vec![text("a", Uncertain), text("a", Queued)], LaneStep::Send(0)),
        ("unknown", vec![text("a", stopped(StopReason::Unknown)), text("a", Queued)], LaneStep::Nothing),
        ("expired", vec![text("a", stopped(StopReason::Expired)), text("a", Queued)], LaneStep::Nothing),
        (
            "crossed",
            vec![text("a", stopped(StopReason::ReplyConflict)), text("a", Queued)],
            LaneStep::Nothing,
        ),
        ("late", vec![text("a", stopped(StopReason::Late)), text("b", Queued)], LaneStep::Send(1)),
        ("auth", vec![text("a", stopped(StopReason::Auth)), text("a", Queued)], LaneStep::Nothing),
        ("asked", vec![broadcast(stopped(StopReason::KeyUnproven)), broadcast(Queued)], LaneStep::Nothing),
        ("refused", vec![text("a", stopped(StopReason::Refused)), text("a", Queued)], LaneStep::Send(1)),
        ("window", vec![text("a", stopped(StopReason::Window)), text("a", Queued)], LaneStep::Send(1)),
        (
            "sent again before one on its way",
            vec![text("a", Queued), text("a", Uncertain)],
            LaneStep::Send(1),
        ),
        (
            "pause refused",
            vec![pause("a", stopped(StopReason::Refused)), text("a", Queued)],
            LaneStep::Nothing,
        ),
        (
            "pause again",
            vec![pause("a", stopped(StopReason::Refused)), pause("a", Queued)],
            LaneStep::Send(1),
        ),
    ];
    for (name, rows, choice) in cases {
        assert_eq!(chosen(&rows, at(1)), choice, "{name}");
    }
}

#[test]
fn only_what_speaks_waits_for_a_file_that_is_uploaded() {
    let file = |state| {
        let facts = FileFacts {
            path: "/a.png".into(),
            name: "a.png".into(),
            mime_type: "image/png".into(),
            size: 1,
            webp: None,
        };
        in_conversation("a", ReplyAttachment::file(facts).to_operation("1", None, None, None), state)
    };
    let cases = [
        ("alone", vec![file(Queued)], LaneStep::Nothing),
        ("a text behind it", vec![file(Sending), text("a", Queued)], LaneStep::Nothing),
        ("a pause behind it", vec![file(Sending), pause("a", Queued)], LaneStep::Send(1)),
        ("a pause behind one cut off", vec![file(Uncertain), pause("a", Queued)], LaneStep::Send(1)),
        ("another conversation", vec![file(Sending), text("b", Queued)], LaneStep::Send(1)),
        ("refused", vec![file(stopped(StopReason::Refused)), text("a", Queued)], LaneStep::Send(1)),
        ("unknown", vec![file(stopped(StopReason::Unknown)), text("a", Queued)], LaneStep::Nothing),
    ];
    for (name, rows, choice) in cases {
        assert_eq!(chosen(&rows, at(1)), choice, "{name}");
    }
}

#[test]
fn what_is_planned_waits_for_its_time_and_lets_others_pass() {
    let planned = |seconds: i64| {
        let mut row = later(seen(text("a", Queued)), seconds);
        row.row.planned_at = Some(at(seconds));
        row
    };
    let cases = [
        ("alone", vec![planned(9)], LaneStep::Wait(at(9))),
        ("a text behind it", vec![planned(9), text("a", Queued)], LaneStep::Send(1)),
        ("due, and not read since", vec![planned(1)], LaneStep::ReadFirst("a".into())),
    ];
    for (name, rows, choice) in cases {
        assert_eq!(chosen(&rows, at(1)), choice, "{name}");
    }
}

#[test]
fn what_is_not_paid_holds_up_its_own_conversation_and_no_other() {
    let broke = || text("a", stopped(StopReason::Credits));
    let cases = [
        ("another text", vec![broke(), text("b", Queued)], LaneStep::Send(1)),
        ("a text behind it", vec![broke(), text("a", Queued)], LaneStep::Nothing),
        ("a text before it", vec![text("b", Queued), broke()], LaneStep::Send(0)),
        ("a broadcast", vec![broke(), broadcast(Queued)], LaneStep::Send(1)),
        ("the AI switch", vec![broke(), pause("b", Queued)], LaneStep::Send(1)),
        ("behind it", vec![broke(), pause("a", Queued)], LaneStep::Nothing),
        ("a switch behind a text", vec![broke(), text("b", Queued), pause("b", Queued)], LaneStep::Send(1)),
    ];
    for (name, rows, choice) in cases {
        assert_eq!(chosen(&rows, at(1)), choice, "{name}");
    }
}

#[test]
fn a_lapsed_claim_is_freed_and_an_old_key_asks_a_person() {
    let rows = [text("a", Sending)];
    assert_eq!(chosen(&rows, at(91)), LaneStep::Recover);
    assert_eq!(chosen(&rows, at(-9000)), LaneStep::Recover, "claimed under a clock set back since");
    let rows = [text("a", Uncertain)];
    let old = at(0).plus(MAX_KEY_AGE);
    assert_eq!(chosen(&rows, old), LaneStep::Expire(0));
    assert_eq!(chosen(&rows, at(-61)), LaneStep::Expire(0), "a clock set back");
    assert_eq!(chosen(&rows, at(-1)), LaneStep::Wait(at(0)), "another process read the clock a moment later");
    assert_eq!(chosen(&rows, old.plus(-1)), LaneStep::Send(0));
    let with = |print: &str| LaneRow { attempted_as: Some(print.to_owned()), ..text("a", Uncertain) };
    assert_eq!(chosen(&[with("key")], at(1)), LaneStep::Send(0));
    assert_eq!(chosen(&[with("another")], at(1)), LaneStep::Expire(0), "no other key knows it");
    assert_eq!(chosen(&[pause("a", Uncertain)], old), LaneStep::Send(0), "doing it twice is doing it once");
}

#[test]
fn a_text_behind_a_pause_waits_for_the_reading() {
    let mut first = text("a", Queued);
    first.read_first = true;
    let rows = [first, text("b", Queued)];
    let choose_held = |held: &[(&str, i64)], now: Timestamp, rows: &[LaneRow]| {
        let held = held.iter().map(|(id, until)| (Lane::Conversation((*id).into()), at(*until))).collect();
        let (read_at, outage) = (HashMap::new(), Outage::new(at(-1)));
        choose_row(
            rows,
            &LaneContext {
                now: now.into(),
                held: &held,
                sender: sender(),
                confirm_after: at(0),
                read_at: &read_at,
                outage: &outage,
                search_after: None,
            },
        )
    };
    assert_eq!(chosen(&rows, at(1)), LaneStep::ReadFirst("a".into()));
    assert_eq!(choose_held(&[("a", 5)], at(1), &rows), LaneStep::Send(1));
    assert_eq!(choose_held(&[("a", 5)], at(1), &rows[..1]), LaneStep::Wait(at(5)));
    assert_eq!(choose_held(&[("a", 5)], at(5), &rows), LaneStep::ReadFirst("a".into()));
}

#[test]
fn a_text_that_was_held_up_waits_for_the_reading() {
    let held = HashMap::new();
    // The process started after the row was due.
    let outage = Outage::new(at(10));
    let choice = |row: &LaneRow, read_at: Option<i64>| {
        let read_at = read_at.map(|number| (ConversationId::from("a"), at(number))).into_iter().collect();
        let desk = LaneContext {
            now: at(20).into(),
            held: &held,
            sender: sender(),
            confirm_after: at(0),
            read_at: &read_at,
            outage: &outage,
            search_after: None,
        };
        choose_row(std::slice::from_ref(row), &desk)
    };
    let cases = [
        ("unread", seen(text("a", Queued)), None, LaneStep::ReadFirst("a".into())),
        ("read before", seen(text("a", Queued)), Some(9), LaneStep::ReadFirst("a".into())),
        ("read since", seen(text("a", Queued)), Some(10), LaneStep::Send(0)),
        ("nobody looked at it", text("a", Queued), None, LaneStep::Send(0)),
        ("it may have left", seen(text("a", Uncertain)), None, LaneStep::Send(0)),
        ("no text", pause("a", Queued), None, LaneStep::Send(0)),
    ];
    for (name, row, read_at, expected) in cases {
        assert_eq!(choice(&row, read_at), expected, "{name}");
    }
    let mut due = seen(text("a", Queued));
    due.row.due_at = at(10);
    assert_eq!(choice(&due, None), LaneStep::Send(0), "not held up");
}

#[test]
fn answer_by_mail_waits_until_its_thread_is_read() {
    let (held, outage) = (HashMap::new(), Outage::new(at(-1)));
    let choice = |row: LaneRow, read_at: Option<i64>| {
        let read_at = read_at.map(|second| (ConversationId::from("a"), at(second))).into_iter().collect();
        let desk = LaneContext {
            now: at(20).into(),
            held: &held,
            sender: sender(),
            confirm_after: at(0),
            read_at: &read_at,
            outage: &outage,
            search_after: None,
        };
        choose_row(&[row], &desk)
    };
    let mail = |state| {
        let mail = Mail { to: vec!["a@b.example".into()], thread: Some("a".into()), ..Mail::default() };
        let mut row = in_conversation("a", Operation::SendMail(Box::new(mail)), state);
        (row.row.due_at, row.row.not_before) = (at(10), at(10));
        row
    };
    let sms = || {
        let operation = Operation::SendSms { to: "+34600111222".into(), body: "hi".into(), via: None };
        let mut row = seen(in_conversation("a", operation, Queued));
        row.read_first = true;
        row
    };
    let cases = [
        ("unread", seen(mail(Queued)), None, LaneStep::ReadFirst("a".into())),
        ("read during the hold", seen(mail(Queued)), Some(9), LaneStep::ReadFirst("a".into())),
        ("read since", seen(mail(Queued)), Some(10), LaneStep::Send(0)),
        ("a forward", mail(Queued), None, LaneStep::Send(0)),
        ("it may have left", seen(mail(Uncertain)), None, LaneStep::Send(0)),
        ("no history", sms(), None, LaneStep::Send(0)),
    ];
    for (name, row, read_at, expected) in cases {
        assert_eq!(choice(row, read_at), expected, "{name}");
    }
}

#[test]
fn looks_come_after_all_that_may_leave() {
    let (held, read_at, outage) = (HashMap::new(), HashMap::new(), Outage::new(at(-1)));
    let choice = |rows: &[LaneRow], now: i64, after: Option<i64>| {
        let look_after = after.map(at);
        let desk = LaneContext {
            now: at(now).into(),
            held: &held,
            sender: sender(),
            confirm_after: at(0),
            read_at: &read_at,
            outage: &outage,
            search_after: look_after,
        };
        choose_row(rows, &desk)
    };
    let unknown = || text("a", stopped(StopReason::Unknown));
    assert_eq!(choice(&[unknown()], 1, Some(0)), LaneStep::SearchHistory(0));
    assert_eq!(choice(&[unknown(), text("b", Queued)], 1, Some(0)), LaneStep::Send(1));
    assert_eq!(choice(&[unknown()], 1, Some(5)), LaneStep::Wait(at(5)));
    assert_eq!(choice(&[unknown()], 1, None), LaneStep::Nothing);
    assert_eq!(choice(&[text("a", stopped(StopReason::Expired))], 1, Some(0)), LaneStep::SearchHistory(0));
    assert_eq!(choice(&[text("a", stopped(StopReason::Refused))], 1, Some(0)), LaneStep::Nothing);
    assert_eq!(choice(&[text("a", stopped(StopReason::ReplyConflict))], 1, Some(0)), LaneStep::Nothing);
    assert_eq!(
        choice(&[broadcast(stopped(StopReason::Unknown))], 1, Some(0)),
        LaneStep::Nothing,
        "not in a history"
    );
    let mut looked = unknown();
    looked.history_searches =
        HistorySearches { count: 1, last_at: Some(at(1)), ..HistorySearches::default() };
    assert_eq!(choice(&[looked], 2, Some(0)), LaneStep::Wait(at(120)));
}

/// Chooses for a given sender.
fn chosen_by(rows: &[LaneRow], sender: SenderAccount<'_>, now: i64) -> LaneStep {
    let (held, read_at, outage) = (HashMap::new(), HashMap::new(), Outage::new(at(-1)));
    let desk = LaneContext {
        now: at(now).into(),
        held: &held,
        sender,
        confirm_after: at(5),
        read_at: &read_at,
        outage: &outage,
        search_after: Some(at(0)),
    };
    choose_row(rows, &desk)
}

#[test]
fn a_row_leaves_only_from_its_own_account() {
    let other = account("w2");
    let here = SenderAccount { account: Some(&other), ..sender() };
    let unread = SenderAccount { account: None, ..sender() };
    let untold = SenderAccount { account: None, reports_account: false, ..sender() };
    let unnamed = |print: Option<&str>| LaneRow {
        written_for: None,
        written_as: print.map(str::to_owned),
        ..text("a", Queued)
    };
    let (asks, confirms) = (LaneStep::AskAboutAccount(0), LaneStep::ConfirmAccount);
    let cases = [
        ("its own", text("a", Queued), sender(), LaneStep::Send(0)),
        ("another", text("a", Queued), here, asks.clone()),
        ("another, tried before", text("a", Uncertain), here, asks.clone()),
        ("a key that is not confirmed", text("a", Queued), unread, confirms.clone()),
        ("a server that tells no account", text("a", Queued), untold, confirms.clone()),
        ("unknown, written with this key", unnamed(Some("key")), here, LaneStep::Send(0)),
        ("unknown, written with another key", unnamed(Some("old")), here, asks.clone()),
        ("unknown altogether", unnamed(None), here, asks),
        ("unknown, this key, not confirmed", unnamed(Some("key")), unread, confirms.clone()),
        ("unknown, this key, never told", unnamed(Some("key")), untold, LaneStep::Send(0)),
        ("unknown, another key, never told", unnamed(Some("old")), untold, confirms),
    ];
    for (name, row, sender, step) in cases {
        assert_eq!(chosen_by(&[row], sender, 9), step, "{name}");
    }
    let rows = [text("a", Queued)];
    assert_eq!(chosen_by(&rows, unread, 1), LaneStep::Wait(at(5)), "after a reading that failed");
    let held = [later(text("a", Queued), 20), text("b", Queued)];
    assert_eq!(chosen_by(&held, here, 9), LaneStep::AskAboutAccount(1), "not before it is due");
    let unknown = [text("a", stopped(StopReason::Unknown))];
    assert_eq!(chosen_by(&unknown, sender(), 9), LaneStep::SearchHistory(0));
    assert_eq!(chosen_by(&unknown, here, 9), LaneStep::Nothing, "another history shows nothing of it");
}
