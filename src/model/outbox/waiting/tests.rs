use super::*;
use crate::attachments::{FileFacts, ReplyAttachment};
use crate::ids::{ChannelId, ConversationId, IdempotencyKey, RowId};
use crate::outbox::{HistoryFinding, Lane};
use crate::text::SafeText;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000 * SECOND + seconds * SECOND)
}

fn row(sequence: i64, conversation: &str, operation: Operation, state: RowState) -> OutboxRow {
    OutboxRow {
        id: RowId::from(format!("r{sequence}").as_str()),
        sequence,
        channel: ChannelId::from("harbor"),
        lane: Lane::Conversation(ConversationId::from(conversation)),
        operation,
        key: IdempotencyKey::new("k".to_owned()),
        created_at: at(-9),
        not_before: at(-9),
        due_at: at(-9),
        first_attempt_at: None,
        attempts: 0,
        state,
        seen: None,
        finding: HistoryFinding::Nothing,
        planned_at: None,
    }
}

fn text(sequence: i64, conversation: &str, state: RowState) -> OutboxRow {
    row(
        sequence,
        conversation,
        Operation::SendText { to: "+34".into(), text: "hi".into(), reply_to: None },
        state,
    )
}

fn file(sequence: i64, state: RowState) -> OutboxRow {
    let facts = FileFacts {
        path: "/a.png".into(),
        name: "a.png".into(),
        mime_type: "image/png".into(),
        size: 1,
        webp: None,
    };
    row(sequence, "a", ReplyAttachment::file(facts).to_operation("1", None, None, None), state)
}

fn stopped(stop: StopReason) -> RowState {
    RowState::Stopped(stop, SafeText::line("no"))
}

fn tried(mut row: OutboxRow, not_before: i64) -> OutboxRow {
    (row.attempts, row.not_before) = (1, at(not_before));
    row
}

/// On hold until `not_before`.
fn later(mut row: OutboxRow, not_before: i64) -> OutboxRow {
    (row.not_before, row.due_at) = (at(not_before), at(not_before));
    row
}

/// Retry delay after the hold, until `not_before`.
fn again(mut row: OutboxRow, not_before: i64) -> OutboxRow {
    row.not_before = at(not_before);
    row
}

fn planned(mut row: OutboxRow, seconds: i64) -> OutboxRow {
    row.planned_at = Some(at(seconds));
    later(row, seconds)
}

fn live() -> Health {
    Health::Live { at: at(0) }
}

fn import() -> Leader {
    Leader::Elsewhere { kind: SafeText::line("contacts import"), process: Some(4312) }
}

/// Row, other rows, connection, leader; expected reason and text.
type Case = (OutboxRow, Vec<OutboxRow>, Health, Leader, WaitReason, &'static str);

fn all_hold(cases: Vec<Case>) {
    for (row, others, health, leader, expected, words) in cases {
        let facts = QueueFacts { now: at(0), health: &health, leader: &leader, has_credits: None };
        let found = wait_reason(&row, others.iter(), &facts);
        assert_eq!(found, expected, "{words}");
        let told = found.describe(&row.operation, at(0));
        assert!(words.is_empty() || told == words, "{told:?} for {words:?}");
        assert!(!told.is_empty() && !found.word().is_empty(), "{found:?}");
    }
}

fn offline() -> Health {
    Health::Offline { since: at(-9), why: SafeText::line("gone") }
}

fn limited() -> Health {
    Health::Limited { until: at(30) }
}

fn pause(state: RowState) -> OutboxRow {
    row(1, "a", Operation::SetAutomation { enabled: false }, state)
}

fn mine() -> OutboxRow {
    text(2, "a", RowState::Queued)
}

#[test]
fn a_row_says_first_what_it_waits_for_itself() {
    all_hold(vec![
        (mine(), vec![], live(), Leader::Here, WaitReason::Nothing, "queued; next to send"),
        (mine(), vec![], live(), Leader::Unknown, WaitReason::Nothing, "queued; next to send"),
        (later(mine(), 4), vec![], live(), Leader::Here, WaitReason::Held(at(4)), "Sending in 4 s"),
        (later(mine(), 4), vec![], offline(), import(), WaitReason::Held(at(4)), "Sending in 4 s"),
        (
            planned(mine(), 7_200),
            vec![],
            offline(),
            Leader::Here,
            WaitReason::Planned(at(7_200)),
            "scheduled, in 2h if frontdesk runs",
        ),
        (file(2, RowState::Sending), vec![], live(), Leader::Here, WaitReason::Uploading, "uploading"),
        (
            file(2, RowState::Queued),
            vec![],
            live(),
            Leader::Here,
            WaitReason::UploadNext,
            "waiting to upload",
        ),
        (
            file(2, RowState::Uncertain),
            vec![],
            live(),
            Leader::Here,
            WaitReason::UploadCutOff,
            "upload interrupted; retrying",
        ),
        (text(2, "a", RowState::Sending), vec![], live(), import(), WaitReason::Answer, "sending"),
        (
            tried(text(2, "a", RowState::Uncertain), 12),
            vec![],
            live(),
            Leader::Here,
            WaitReason::ClearAnswer(Some(at(12))),
            "no clear answer; asking again in 12 s, never sent twice",
        ),
        (
            tried(text(2, "a", RowState::Uncertain), -1),
            vec![],
            offline(),
            Leader::Here,
            WaitReason::ClearAnswer(None),
            "no clear answer; asking again, never sent twice",
        ),
        (
            text(2, "a", stopped(StopReason::ReplyConflict)),
            vec![],
            offline(),
            Leader::Nobody,
            WaitReason::Decision(StopReason::ReplyConflict, None),
            "NOT SENT, someone answered meanwhile",
        ),
    ]);
}

#[test]
fn a_row_waits_for_what_stands_before_it_and_for_nobody_elses() {
    all_hold(vec![
        (
            mine(),
            vec![text(1, "a", RowState::Queued)],
            live(),
            Leader::Here,
            WaitReason::RowBefore(None),
            "waiting for the message before it",
        ),
        (
            mine(),
            vec![text(1, "a", stopped(StopReason::Credits))],
            live(),
            Leader::Here,
            WaitReason::RowBefore(Some(StopReason::Credits)),
            "waiting for the message before it: NOT SENT, out of credits",
        ),
        (
            mine(),
            vec![text(1, "b", stopped(StopReason::Credits)), text(3, "a", RowState::Queued)],
            live(),
            Leader::Here,
            WaitReason::Nothing,
            "queued; next to send",
        ),
        (
            mine(),
            vec![text(1, "a", stopped(StopReason::Refused))],
            live(),
            Leader::Here,
            WaitReason::Nothing,
            "",
        ),
        (
            mine(),
            vec![planned(text(1, "a", RowState::Queued), 90)],
            live(),
            Leader::Here,
            WaitReason::Nothing,
            "",
        ),
        (
            mine(),
            vec![file(1, RowState::Sending)],
            live(),
            Leader::Here,
            WaitReason::FileBefore,
            "waiting for the file before it",
        ),
        (
            mine(),
            vec![pause(stopped(StopReason::Refused))],
            live(),
            Leader::Here,
            WaitReason::PauseBefore,
            "waiting: pausing the AI failed",
        ),
    ]);
}

#[test]
fn the_wait_for_another_try_is_no_hold() {
    let next = WaitReason::NextTry(Some(at(6)));
    let words = "not sent yet; retrying in 6 s";
    all_hold(vec![
        (again(mine(), 6), vec![], live(), Leader::Here, next, words),
        (
            again(mine(), 6),
            vec![],
            offline(),
            Leader::Here,
            WaitReason::Connection,
            "waiting for a connection; then sent automatically",
        ),
        (
            again(mine(), 6),
            vec![text(1, "a", RowState::Queued)],
            live(),
            Leader::Here,
            WaitReason::RowBefore(None),
            "waiting for the message before it",
        ),
    ]);
    assert_eq!(again(mine(), 6).remaining_hold(at(0)), None);
    assert_eq!(later(mine(), 6).remaining_hold(at(0)), Some(6));
}

#[test]
fn a_row_says_what_its_channel_waits_for() {
    all_hold(vec![
        (
            tried(mine(), 8),
            vec![],
            live(),
            Leader::Here,
            WaitReason::NextTry(Some(at(8))),
            "not sent yet; retrying in 8 s",
        ),
        (
            tried(mine(), -1),
            vec![],
            live(),
            Leader::Here,
            WaitReason::NextTry(None),
            "not sent yet; retrying",
        ),
        (
            later(mine(), 30),
            vec![],
            limited(),
            Leader::Here,
            WaitReason::RateLimit(at(30)),
            "rate limit; sending in 30 s",
        ),
        (mine(), vec![], limited(), Leader::Here, WaitReason::RateLimit(at(30)), ""),
        (
            mine(),
            vec![],
            offline(),
            Leader::Here,
            WaitReason::Connection,
            "waiting for a connection; then sent automatically",
        ),
        (
            mine(),
            vec![],
            Health::Trouble { since: at(-9), why: SafeText::line("gone") },
            Leader::Here,
            WaitReason::Server,
            "server trouble; retried automatically",
        ),
        (
            mine(),
            vec![],
            Health::Refused { code: SafeText::line("gone"), why: SafeText::line("gone") },
            import(),
            WaitReason::Key,
            "waiting: key refused",
        ),
        (
            mine(),
            vec![],
            Health::Misconfigured { why: SafeText::line("gone") },
            Leader::Here,
            WaitReason::Configuration,
            "waiting: this channel cannot be used as configured",
        ),
        (
            mine(),
            vec![],
            live(),
            Leader::Nobody,
            WaitReason::Sender,
            "waiting: no process that may send is running",
        ),
        (
            mine(),
            vec![],
            live(),
            import(),
            WaitReason::OtherProcess(import()),
            "queued; sent by contacts import, process 4312",
        ),
    ]);
}

#[test]
fn what_waits_for_credits_says_when_there_are_enough() {
    let row = text(1, "a", stopped(StopReason::Credits));
    for (pays, way, words) in [
        (Some(true), WaitRemedy::SendUnpaid, "NOT SENT, out of credits; enough now"),
        (Some(false), WaitRemedy::Decide, "NOT SENT, out of credits"),
        (None, WaitRemedy::Decide, "NOT SENT, out of credits"),
    ] {
        let facts = QueueFacts { now: at(0), health: &live(), leader: &Leader::Here, has_credits: pays };
        let found = wait_reason(&row, [].into_iter(), &facts);
        assert_eq!((found.remedies()[0], found.describe(&row.operation, at(0)).as_str()), (way, words));
    }
}
