//! Header of the raw view, and marks on fields this version does not know. Works on formatted JSON
//! lines without parsing them.

use model::conversations::CONVERSATION_FIELDS;
use model::email::fields;
use model::known;
use model::messages::{DeliveryStatus, Direction, MessageRow, Sender};
use model::text::SafeText;
use model::time::{Timestamp, Zone};

const REASON_FIELDS: &[&str] =
    &["error", "errorMessage", "errorCode", "failureReason", "failedReason", "reason", "statusReason"];

const UNKNOWN_FIELD_MARK: &str = "   ← unknown to this version";

fn is_known(name: &str, is_mail: bool) -> bool {
    if is_mail {
        known::THREAD_FIELDS.contains(&name) || fields::all_fields().any(|mail| mail == name)
    } else {
        known::MESSAGE_FIELDS.contains(&name) || CONVERSATION_FIELDS.contains(&name)
    }
}

/// Marks a top-level field that is not known.
pub fn mark_unknown(line: &str, is_mail: bool) -> String {
    match field_name(line, "  ") {
        Some(name) if !is_known(name, is_mail) => format!("{line}{UNKNOWN_FIELD_MARK}"),
        _ => line.to_owned(),
    }
}

fn field_name<'a>(line: &'a str, indent: &str) -> Option<&'a str> {
    let (name, _) = line.strip_prefix(indent)?.strip_prefix('"')?.split_once("\": ")?;
    Some(name)
}

/// Sender, delivery state and times, one line each.
pub fn message_details(row: &MessageRow, raw: &[&str], zone: &Zone) -> Vec<String> {
    let message = &row.message;
    let face = |at: Timestamp| format!("{} {}", at.day_name(zone), at.hour_and_minute(zone));
    let mut lines = vec![format!("who        {}", describe_sender(row))];
    let sent_at = row.mail.as_ref().and_then(|letter| letter.sent_at).or(message.sent_at);
    lines.extend(sent_at.map(|at| format!("sent       {}", face(at))));
    lines.extend(message.created_at.map(|entry| format!("accepted   {}", face(entry))));
    if message.direction == Direction::Outbound {
        let told = |at: Option<Timestamp>| at.map_or_else(|| "unknown".to_owned(), face);
        lines.push(format!("delivered  {}", told(message.delivered_at)));
        lines.push(format!("read       {}", told(message.read_at)));
        lines.push(format!("status     {}", SafeText::line(message.delivery.word())));
    }
    if let Some((word, at)) = row.change.last_change() {
        lines.push(format!("{word:<10} {}", face(at)));
    }
    for former in &row.change.former {
        let until = former.until.map(|at| format!(" (until {})", face(at))).unwrap_or_default();
        let mut words = former.content.as_str().lines();
        lines.push(format!("before     {}{until}", words.next().unwrap_or("")));
        lines.extend(words.map(|line| format!("           {line}")));
    }
    if message.delivery == DeliveryStatus::Failed {
        let why = raw.iter().find_map(|line| failure_reason(line));
        lines.push(format!("why        {}", why.unwrap_or("no reason given")));
    }
    lines.push(String::new());
    lines
}

fn describe_sender(row: &MessageRow) -> String {
    match (&row.message.agent, row.sent_here) {
        (_, true) => return "this desk".to_owned(),
        (Some(agent), false) if agent.is_self => return "you, at another machine".to_owned(),
        (Some(agent), false) => return format!("{}, a colleague", agent.name),
        (None, false) => (),
    }
    if let Some(place) = row.message.answer_place() {
        return format!("a person of your side, {}", place.describe());
    }
    match &row.message.sender {
        Sender::Customer => "the customer".to_owned(),
        Sender::Ai => "the AI".to_owned(),
        Sender::Human => "a colleague, not on this desk".to_owned(),
        Sender::Api => "another program with a key".to_owned(),
        Sender::Broadcast => "a broadcast".to_owned(),
        Sender::Unknown(word) => format!("unknown: {word}"),
    }
}

fn failure_reason(line: &str) -> Option<&str> {
    let (name, told) = line.trim_start().strip_prefix('"')?.split_once("\": ")?;
    let told = told.trim_end_matches(',').trim_matches('"');
    (REASON_FIELDS.contains(&name) && !matches!(told, "" | "null" | "{" | "[")).then_some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_marked() {
        let cases = [
            ("  \"id\": \"m1\",", false),
            ("  \"mood\": \"good\",", true),
            ("    \"mood\": \"inside another\"", false),
            ("{", false),
            ("  }", false),
        ];
        for (line, marked) in cases {
            assert_eq!(mark_unknown(line, false).ends_with(UNKNOWN_FIELD_MARK), marked, "{line}");
        }
    }

    #[test]
    fn a_reason_is_read_where_one_is_told() {
        assert_eq!(
            failure_reason("  \"failureReason\": \"number is not reachable\","),
            Some("number is not reachable")
        );
        assert_eq!(failure_reason("  \"error\": null,"), None);
        assert_eq!(failure_reason("  \"content\": \"reason\""), None);
    }
}
