use super::*;
use crate::ids::{ChannelId, ConversationId, IdempotencyKey};
use crate::outbox::{Lane, Operation, StopReason};
use crate::time::SECOND;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros((1_700_000_000 + seconds) * SECOND)
}

fn message(id: &str, text: &str, seconds: i64) -> MessageRow {
    let message = Message {
        direction: Direction::Outbound,
        sender: Sender::Api,
        content: SafeText::block(text),
        created_at: Some(at(seconds)),
        ..Message::stand_in(MessageId::from(id), ConversationId::from("c"))
    };
    MessageRow {
        message,
        sent_here: false,
        reaction: None,
        reaction_pending: None,
        mail: None,
        media: Default::default(),
        generated: Vec::new(),
        change: Default::default(),
        album: None,
    }
}

fn row(id: &str, text: &str, state: RowState) -> OutboxRow {
    OutboxRow {
        id: RowId::from(id),
        sequence: 1,
        channel: ChannelId::from("harbor"),
        lane: Lane::Conversation(ConversationId::from("c")),
        operation: Operation::SendText { to: "+1".into(), text: text.into(), reply_to: None },
        key: IdempotencyKey::from("k"),
        created_at: at(0),
        not_before: at(0),
        due_at: at(0),
        first_attempt_at: Some(at(0)),
        attempts: 1,
        state,
        seen: None,
        finding: HistoryFinding::Nothing,
        planned_at: None,
    }
}

#[test]
fn a_text_at_the_server_is_shown_once_as_its_row() {
    let sending = || vec![row("r", "Hi", RowState::Sending)];
    let stopped = |stop| RowState::Stopped(stop, SafeText::line("why"));
    let here = || MessageRow { sent_here: true, ..message("m", "Hi", 1) };
    let by = |sender: Sender| {
        let row = message("m", "Hi", 1);
        MessageRow { message: Message { sender, ..row.message.clone() }, ..row }
    };
    let untried = || OutboxRow { first_attempt_at: None, ..row("r", "Hi", RowState::Queued) };
    // Name, messages, rows; expected remaining messages and number of matched rows.
    type Case = (&'static str, Vec<MessageRow>, Vec<OutboxRow>, &'static [&'static str], usize);
    let cases: Vec<Case> = vec![
        ("it", vec![message("m", "Hi", 1)], sending(), &[], 1),
        ("the server's clock is behind", vec![message("m", "Hi", -50)], sending(), &[], 1),
        ("no clear answer", vec![message("m", "Hi", 1)], vec![row("r", "Hi", RowState::Uncertain)], &[], 1),
        ("unknown", vec![message("m", "Hi", 1)], vec![row("r", "Hi", stopped(StopReason::Unknown))], &[], 1),
        (
            "refused",
            vec![message("m", "Hi", 1)],
            vec![row("r", "Hi", stopped(StopReason::Refused))],
            &["m"],
            0,
        ),
        ("queued", vec![message("m", "Hi", 1)], vec![untried()], &["m"], 0),
        ("before it", vec![message("m", "Hi", -61)], sending(), &["m"], 0),
        ("other words", vec![message("m", "Hello", 1)], sending(), &["m"], 0),
        ("another row's", vec![here()], sending(), &["m"], 0),
        ("the AI's", vec![by(Sender::Ai)], sending(), &["m"], 0),
        ("two alike", vec![message("m", "Hi", 1), message("n", "Hi", 2)], sending(), &["m", "n"], 0),
        (
            "the one before it is older",
            vec![message("m", "Hi", -99), message("n", "Hi", 2)],
            sending(),
            &["m"],
            1,
        ),
        (
            "two rows alike",
            vec![message("m", "Hi", 1)],
            vec![row("r", "Hi", RowState::Uncertain), row("s", "Hi", RowState::Sending)],
            &["m"],
            0,
        ),
    ];
    for (name, mut messages, mut rows, left, found) in cases {
        match_listed(&mut messages, &mut rows);
        let ids: Vec<&str> = messages.iter().map(|message| message.message.id.as_str()).collect();
        assert_eq!(ids, left, "{name}");
        assert_eq!(rows.iter().filter(|row| row.finding == HistoryFinding::Listed).count(), found, "{name}");
    }
}
