//! Which outbox row leaves next. Pure: rows in their order and the time come
//! in.
//!
//! Rows of one lane leave in the order they were
//! queued, one at a time. A row whose outcome is not known blocks its lane,
//! and so does one that waits for a key or for credits; a pause that failed
//! holds back the texts behind it, so that person and AI do not cross.
//!
//! Knows nothing of requests.

use std::collections::{HashMap, HashSet};

use crate::client::retry::is_spent;
use crate::model::ids::ConversationId;
use crate::model::outbox::{Operation, RowState, Stop};
use crate::model::time::Timestamp;
use crate::store::lane::LaneRow;

/// What to do with the outbox now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Sends this row.
    Send(usize),
    /// Reads this conversation's history before its text may leave.
    ReadFirst(ConversationId),
    /// Asks a person about this row: its key is too old to be recognised.
    Expire(usize),
    /// Frees rows whose claim lapsed.
    Recover,
    /// Nothing before then.
    Wait(Timestamp),
    /// Nothing until something is queued.
    Nothing,
}

/// Chooses the first row that may leave. `held` says which conversations wait
/// until when, because their history could not be read.
pub fn choose(rows: &[LaneRow], held: &HashMap<ConversationId, Timestamp>, now: Timestamp) -> Choice {
    let mut blocked = HashSet::new();
    let mut paused_in_vain = HashSet::new();
    let mut due: Option<Timestamp> = None;
    let mut wait = |until: Timestamp| due = Some(due.map_or(until, |it| it.min(until)));
    for (index, lane) in rows.iter().enumerate() {
        let row = &lane.row;
        if blocked.contains(&row.lane) {
            continue;
        }
        let conversation = row.lane.conversation();
        let speaks = row.operation.speaks();
        match &row.state {
            RowState::Done => continue,
            RowState::Stopped(Stop::Refused | Stop::Window, _) => {
                if matches!(row.operation, Operation::SetAutomation { enabled: false }) {
                    paused_in_vain.insert(&row.lane);
                }
                continue;
            }
            RowState::Stopped(Stop::Unknown | Stop::Auth | Stop::Credits, _) => {}
            RowState::Sending if lane.lease_until < now => return Choice::Recover,
            RowState::Sending => wait(lane.lease_until.plus(1)),
            RowState::Queued | RowState::Uncertain if speaks && paused_in_vain.contains(&row.lane) => {}
            RowState::Queued | RowState::Uncertain => {
                if row.state == RowState::Uncertain
                    && row.first_attempt_at.is_some_and(|it| is_spent(now.since(it)))
                {
                    return Choice::Expire(index);
                }
                let held = conversation.and_then(|it| held.get(it));
                let until = held.map_or(row.not_before, |it| row.not_before.max(*it));
                if until > now {
                    wait(until);
                } else if let Some(conversation) = conversation.filter(|_| speaks && lane.read_first) {
                    return Choice::ReadFirst(conversation.clone());
                } else {
                    return Choice::Send(index);
                }
            }
        }
        blocked.insert(&row.lane);
    }
    due.map_or(Choice::Nothing, Choice::Wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::{ChannelId, IdempotencyKey, RowId};
    use crate::model::outbox::{KEY_AGE, Lane, OutboxRow};
    use crate::model::text::SafeText;
    use crate::model::time::SECOND;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(1_700_000_000 * SECOND + seconds * SECOND)
    }

    fn row(conversation: &str, operation: Operation, state: RowState) -> LaneRow {
        let tried = !matches!(state, RowState::Queued);
        LaneRow {
            row: OutboxRow {
                id: RowId::from("r"),
                channel: ChannelId::from("harbor"),
                lane: Lane::Conversation(conversation.into()),
                operation,
                key: IdempotencyKey::from("k"),
                created_at: at(0),
                not_before: at(0),
                first_attempt_at: tried.then(|| at(0)),
                attempts: u32::from(tried),
                state,
            },
            failures: 0,
            fence: 1,
            lease_until: at(90),
            read_first: false,
        }
    }

    fn text(conversation: &str, state: RowState) -> LaneRow {
        row(conversation, Operation::SendText { to: "1".into(), text: "hi".into(), reply_to: None }, state)
    }

    fn pause(conversation: &str, state: RowState) -> LaneRow {
        row(conversation, Operation::SetAutomation { enabled: false }, state)
    }

    fn stopped(stop: Stop) -> RowState {
        RowState::Stopped(stop, SafeText::line("no"))
    }

    fn later(mut row: LaneRow, seconds: i64) -> LaneRow {
        row.row.not_before = at(seconds);
        row
    }

    #[test]
    fn rows_of_a_lane_leave_in_order() {
        use RowState::{Queued, Sending, Uncertain};
        let cases = [
            ("empty", vec![], Choice::Nothing),
            ("first", vec![text("a", Queued), text("a", Queued)], Choice::Send(0)),
            ("held back", vec![later(text("a", Queued), 9), text("a", Queued)], Choice::Wait(at(9))),
            ("other lane", vec![later(text("a", Queued), 9), text("b", Queued)], Choice::Send(1)),
            ("on its way", vec![text("a", Sending), text("a", Queued)], Choice::Wait(at(90).plus(1))),
            ("asks again", vec![text("a", Uncertain), text("a", Queued)], Choice::Send(0)),
            ("unknown", vec![text("a", stopped(Stop::Unknown)), text("a", Queued)], Choice::Nothing),
            ("credits", vec![text("a", stopped(Stop::Credits)), text("b", Queued)], Choice::Send(1)),
            ("auth", vec![text("a", stopped(Stop::Auth)), text("a", Queued)], Choice::Nothing),
            ("refused", vec![text("a", stopped(Stop::Refused)), text("a", Queued)], Choice::Send(1)),
            ("pause refused", vec![pause("a", stopped(Stop::Refused)), text("a", Queued)], Choice::Nothing),
            ("pause again", vec![pause("a", stopped(Stop::Refused)), pause("a", Queued)], Choice::Send(1)),
        ];
        for (name, rows, choice) in cases {
            assert_eq!(choose(&rows, &HashMap::new(), at(1)), choice, "{name}");
        }
    }

    #[test]
    fn a_lapsed_claim_is_freed_and_an_old_key_asks_a_person() {
        let rows = [text("a", RowState::Sending)];
        assert_eq!(choose(&rows, &HashMap::new(), at(91)), Choice::Recover);
        let rows = [text("a", RowState::Uncertain)];
        let old = at(0).plus(KEY_AGE);
        assert_eq!(choose(&rows, &HashMap::new(), old), Choice::Expire(0));
        assert_eq!(choose(&rows, &HashMap::new(), at(-1)), Choice::Expire(0), "a clock set back");
        assert_eq!(choose(&rows, &HashMap::new(), old.plus(-1)), Choice::Send(0));
    }

    #[test]
    fn a_text_behind_a_pause_waits_for_the_reading() {
        let mut first = text("a", RowState::Queued);
        first.read_first = true;
        let rows = [first, text("b", RowState::Queued)];
        assert_eq!(choose(&rows, &HashMap::new(), at(1)), Choice::ReadFirst("a".into()));
        let held = HashMap::from([(ConversationId::from("a"), at(5))]);
        assert_eq!(choose(&rows, &held, at(1)), Choice::Send(1));
        assert_eq!(choose(&rows[..1], &held, at(1)), Choice::Wait(at(5)));
        assert_eq!(choose(&rows, &held, at(5)), Choice::ReadFirst("a".into()));
    }
}
