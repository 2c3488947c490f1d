//! Answers to the question about a stopped outbox row: keys and the effect of each.

use model::messages::Message;
use model::outbox::{Operation, OutboxRow, RowState, StopReason, StopVerdict};
use model::queries::OutboxEntry;

/// Maximum number of candidate messages with a digit key.
const MAX_CANDIDATES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionOption {
    pub key: char,
    pub verdict: StopVerdict,
    pub word: String,
    pub effect: String,
}

impl DecisionOption {
    fn new(key: char, verdict: StopVerdict, word: &str, effect: &str) -> Self {
        Self { key, verdict, word: word.to_owned(), effect: effect.to_owned() }
    }
}

pub fn question_text(row: &OutboxRow) -> &'static str {
    let RowState::Stopped(stop, _) = &row.state else { return "" };
    match stop {
        StopReason::Refused => "The server refused it",
        StopReason::Credits => "Not enough credits",
        StopReason::Window => "Reply window closed",
        StopReason::Auth => "Key refused",
        StopReason::Unknown => "It may or may not have been sent",
        StopReason::Expired => "It may or may not have been sent, long ago",
        StopReason::ReplyConflict => "Someone answered meanwhile",
        StopReason::Late => "It waited long for a connection",
        StopReason::KeyUnproven => "It may or may not have been done",
        StopReason::Upload => "Its file was not uploaded",
        StopReason::Account => "It was written for another business",
    }
}

/// The answers, the one that sends first. `spent` says that a retry takes a new key.
pub fn decision_options(entry: &OutboxEntry, spent: bool) -> Vec<DecisionOption> {
    let row = &entry.row;
    let RowState::Stopped(stop, _) = &row.state else { return Vec::new() };
    let stop = *stop;
    let mut out = vec![send_option(row, stop, spent)];
    // A retry with a new key may duplicate the effect, so it is a separate answer that says so.
    if stop.is_ambiguous()
        && stop.retry_verdict(spent) != StopVerdict::NewKey
        && stop.allows(&StopVerdict::NewKey, spent)
    {
        let effect = "sent again; if the first one was done, it is done twice";
        out.push(DecisionOption::new('n', StopVerdict::NewKey, "send a new one", effect));
    }
    for (number, message) in ('1'..='9').zip(entry.candidates.iter().take(MAX_CANDIDATES)) {
        let effect = format!("already sent as: {}", first_line(message));
        let verdict = StopVerdict::Adopt(message.id.clone());
        out.push(DecisionOption { key: number, verdict, word: "mark as sent".to_owned(), effect });
    }
    if can_be_edited(&row.operation) {
        let effect = if stop.is_ambiguous() {
            "back into the composer; if it was sent, the customer has it already"
        } else {
            "back into the composer; nothing is sent"
        };
        out.push(DecisionOption::new('e', StopVerdict::Edit, "edit", effect));
    }
    let effect =
        if stop.is_ambiguous() { "nothing more is sent; it may have been done" } else { "nothing is sent" };
    out.push(DecisionOption::new('x', StopVerdict::Drop, "drop", effect));
    out
}

/// True if a person wrote its text. The answer to an invitation is more than its text and is given again.
fn can_be_edited(operation: &Operation) -> bool {
    match operation {
        Operation::SendMail(mail) => mail.invitation_response.is_none(),
        other => other.written_text().is_some(),
    }
}

fn send_option(row: &OutboxRow, stop: StopReason, spent: bool) -> DecisionOption {
    if stop == StopReason::Account {
        let effect = "sent again, from the current business of this channel";
        return DecisionOption::new('y', StopVerdict::SendFromHere, "send from here", effect);
    }
    let verdict = stop.retry_verdict(spent);
    let (word, effect) = match (&verdict, stop) {
        (StopVerdict::SendAnyway, _) => ("send anyway", "sent now; it was not sent before"),
        (StopVerdict::SameKey, StopReason::Auth) => ("try again", "once the channel's key is accepted again"),
        (StopVerdict::SameKey, _) => ("ask again", "if it was done, the server does nothing"),
        (_, StopReason::Refused | StopReason::Credits | StopReason::Window) => {
            ("try again", "sent again; the refused one did nothing")
        }
        (_, StopReason::Upload) => ("try again", "the file is uploaded again; nothing was sent with it"),
        _ if !row.operation.retry_class().relies_on_key() => ("try again", "doing it twice changes nothing"),
        _ => ("send a new one", "the first one is too old to check; if it was done, it is done twice"),
    };
    DecisionOption::new('y', verdict, word, effect)
}

fn first_line(message: &Message) -> String {
    message.content.as_str().lines().next().unwrap_or_default().to_owned()
}

/// Rows stopped by an outage that can be sent, and the number of rows to review first.
pub fn plan_send_all(entries: &[OutboxEntry]) -> (Vec<&OutboxEntry>, usize) {
    let waits = |outbox_entry: &&OutboxEntry| {
        matches!(outbox_entry.row.state, RowState::Stopped(StopReason::Late | StopReason::ReplyConflict, _))
    };
    let (go, look): (Vec<_>, Vec<_>) = entries.iter().filter(waits).partition(|entry| {
        entry.newer_messages.is_empty() && matches!(entry.row.state, RowState::Stopped(StopReason::Late, _))
    });
    (go, look.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ids::{ChannelId, ConversationId, IdempotencyKey, RowId};
    use model::outbox::{HistoryFinding, Lane};
    use model::text::SafeText;
    use model::time::Timestamp;

    const STOPS: [StopReason; 11] = [
        StopReason::Refused,
        StopReason::Credits,
        StopReason::Window,
        StopReason::Auth,
        StopReason::Unknown,
        StopReason::Expired,
        StopReason::ReplyConflict,
        StopReason::Late,
        StopReason::KeyUnproven,
        StopReason::Upload,
        StopReason::Account,
    ];

    fn entry(operation: Operation, stop: StopReason) -> OutboxEntry {
        let at = Timestamp::default();
        let conversation = ConversationId::from("c");
        let row = OutboxRow {
            id: RowId::from("r"),
            sequence: 1,
            channel: ChannelId::from("harbor"),
            lane: Lane::Conversation(conversation.clone()),
            operation,
            key: IdempotencyKey::from("k"),
            created_at: at,
            not_before: at,
            due_at: at,
            first_attempt_at: Some(at),
            attempts: 1,
            state: RowState::Stopped(stop, SafeText::line("why")),
            seen: None,
            finding: HistoryFinding::Nothing,
            planned_at: None,
        };
        let candidates = match stop.is_ambiguous() {
            true => vec![Message::stand_in("m".into(), conversation)],
            false => Vec::new(),
        };
        OutboxEntry { row, title: SafeText::line("Maria"), newer_messages: Vec::new(), candidates }
    }

    /// One operation per retry class, and a mail.
    fn operations() -> Vec<Operation> {
        let to = || "+34600111222".to_owned();
        vec![
            Operation::SendText { to: to(), text: "hi".into(), reply_to: None },
            Operation::SendMail(Box::default()),
            Operation::Call { to: to(), via: None, context: None },
            Operation::SetAutomation { enabled: false },
            Operation::AddWebhook { url: "https://h.example".into(), events: Vec::new() },
            Operation::Upload { filename: "a".into(), mime_type: "image/png".into(), size: 1 },
        ]
    }

    #[test]
    fn every_answer_offered_is_one_that_is_taken() {
        for stop in STOPS {
            for operation in operations() {
                // The store computes it in `LaneRow::wants_new_key`.
                let ages =
                    if operation.retry_class().relies_on_key() { vec![false, true] } else { vec![true] };
                for spent in ages {
                    let offered = decision_options(&entry(operation.clone(), stop), spent);
                    for option in &offered {
                        assert!(
                            stop.allows(&option.verdict, spent),
                            "{stop:?} {operation:?} {spent} {option:?}"
                        );
                    }
                    let keys: Vec<char> = offered.iter().map(|decision_option| decision_option.key).collect();
                    assert_eq!(keys.first(), Some(&'y'));
                    let once = keys.iter().collect::<std::collections::BTreeSet<_>>().len();
                    assert_eq!(once, keys.len(), "{keys:?}");
                }
            }
        }
    }

    #[test]
    fn crossed_mail_can_be_sent_edited_or_dropped() {
        let mail = entry(Operation::SendMail(Box::default()), StopReason::ReplyConflict);
        let keys: String = decision_options(&mail, false).iter().map(|option| option.key).collect();
        assert_eq!(keys, "yex");
    }

    #[test]
    fn what_may_be_done_twice_is_offered_once() {
        for stop in [StopReason::Unknown, StopReason::KeyUnproven, StopReason::Expired] {
            let offered = decision_options(&entry(Operation::SetAutomation { enabled: false }, stop), true);
            assert_eq!(offered[0].word, "try again");
            assert_eq!(offered[0].effect, "doing it twice changes nothing");
            assert!(offered.iter().all(|entry| entry.key != 'n'), "{stop:?}");
        }
        let text = Operation::SendText { to: "+1".into(), text: "hi".into(), reply_to: None };
        let young = decision_options(&entry(text.clone(), StopReason::Unknown), false);
        assert_eq!((young[0].word.as_str(), young[1].key), ("ask again", 'n'));
        assert_eq!(decision_options(&entry(text, StopReason::Unknown), true)[0].word, "send a new one");
    }
}
