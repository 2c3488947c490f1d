//! Messages from before a business connected its number, which it shares when it also uses the platform's app.
//!
//! A call holds thousands of messages of many customers. Calls come repeatedly and in any order, and they leave
//! files out: the messages with files of the last weeks follow in calls of their own. A call is split into
//! updates of at most [`MAX_MESSAGES`] messages. All of them have one lane, so that one at a time is processed
//! and the messages of today are not delayed.

use std::mem;

use serde_json::{Value, json};

use crate::contract::{EarlierMessage, EarlierThread, PlatformEvent};
use crate::whatsapp::address::{is_number, phone_address};
use crate::whatsapp::message;
use crate::words::{self, read_text};
use model::bounds;
use model::phone_forms::normalize;

/// Field of a webhook call, lane of its updates, and their content.
pub const FIELD: &str = "history";
/// Content of an update if the business does not share its history.
pub(super) const REFUSAL: &str = "history_refusal";
/// Content of an update after the messages of a part, which says how far the platform is.
pub(super) const PROGRESS: &str = "history_progress";
/// Progress after the last part, in percent.
const COMPLETE: i64 = 100;
/// Maximum number of messages of one update, which is stored in one transaction.
const MAX_MESSAGES: usize = 50;

/// Splits the value of a call into the bodies of its updates.
pub(super) fn split(value: &Value) -> Vec<String> {
    let own = &value["metadata"]["display_phone_number"];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut bodies = Vec::new();
    let mut threads = Vec::new();
    let mut progress = Vec::new();
    let mut room = MAX_MESSAGES;
    for part in list(&value[FIELD]) {
        if !part["metadata"]["progress"].is_null() {
            progress.push(json!({ PROGRESS: part["metadata"] }).to_string());
        }
        bodies.extend(list(&part["errors"]).first().map(|error| json!({ REFUSAL: error }).to_string()));
        for thread in list(&part["threads"]) {
            let messages = list(&thread["messages"]);
            // The platform lists them in either direction.
            let is_newest_first = is_before(messages.last(), messages.first());
            let mut ordered: Vec<(usize, Value)> = match is_newest_first {
                true => messages.into_iter().rev().enumerate().collect(),
                false => messages.into_iter().enumerate().collect(),
            };
            while !ordered.is_empty() {
                let rest = ordered.split_off(ordered.len().min(room));
                room -= ordered.len();
                let order = ordered.first().map_or(0, |(place, _)| *place);
                let messages: Vec<Value> = ordered.into_iter().map(|(_, message)| message).collect();
                threads.push(json!({"id": thread["id"], "order": order, "messages": messages}));
                ordered = rest;
                if room == 0 {
                    bodies.push(json!({ FIELD: mem::take(&mut threads), "own": own }).to_string());
                    room = MAX_MESSAGES;
                }
            }
        }
    }
    if !threads.is_empty() {
        bodies.push(json!({ FIELD: threads, "own": own }).to_string());
    }
    bodies.append(&mut progress);
    // Each message with a file is fetched by an update of its own.
    for message in list(&value["messages"]) {
        let id = if is_own(&message, &Value::Null, own) { &message["to"] } else { &message["from"] };
        let thread = json!({"id": id, "order": 0, "messages": [message]});
        bodies.push(json!({ FIELD: [thread], "own": own }).to_string());
    }
    bodies
}

fn is_before(one: Option<&Value>, other: Option<&Value>) -> bool {
    let time = |message: Option<&Value>| words::read_time(&message?["timestamp"]);
    time(one).zip(time(other)).is_some_and(|(one, other)| one < other)
}

/// Reads the threads of an update.
pub(super) fn read_threads(threads: &[Value], own: &Value) -> Vec<PlatformEvent> {
    let mut events = Vec::new();
    for thread in threads {
        let peer = read_text(&thread["id"]).and_then(|id| customer_address(&id));
        let mut together: Vec<EarlierMessage> = Vec::new();
        let first = thread["order"].as_i64().unwrap_or(0);
        for (place, message) in (first..).zip(thread["messages"].as_array().into_iter().flatten()) {
            let is_own = is_own(message, &thread["id"], own);
            let Some(message) = message::read_earlier(message, is_own, place) else { continue };
            match message.media {
                Some(_) => events.push(PlatformEvent::Earlier(EarlierThread {
                    peer: peer.clone(),
                    messages: vec![message],
                })),
                None => together.push(message),
            }
        }
        if !together.is_empty() && peer.is_some() {
            events.push(PlatformEvent::Earlier(EarlierThread { peer, messages: together }));
        }
    }
    events
}

/// Reads how far the platform is, in percent of the whole.
pub(super) fn read_progress(metadata: &Value) -> Option<PlatformEvent> {
    let progress = &metadata["progress"];
    let progress = progress.as_i64().or_else(|| progress.as_str()?.trim().parse().ok())?;
    Some(PlatformEvent::EarlierPart { is_last: progress >= COMPLETE })
}

fn customer_address(id: &str) -> Option<String> {
    let address = if is_number(id) { phone_address(id) } else { id.to_owned() };
    (bounds::is_e164(&address) || bounds::is_user_id(&address)).then_some(address)
}

/// Returns true if a message of the thread with the customer `thread` is the business's, whose number is `own`.
fn is_own(message: &Value, thread: &Value, own: &Value) -> bool {
    let address = |value: &Value| {
        let text = read_text(value)?;
        // The number of the business may be written with spaces.
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        Some(if bounds::is_user_id(&text) { text } else { normalize(&phone_address(&digits)) })
    };
    let from = address(&message["from"]);
    let is_from = |value: &Value| from.is_some() && from == address(value);
    let names_business = message["history_context"]["from_me"] == true || message["to"].is_string();
    is_from(own) || (names_business && !is_from(thread))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(id: usize, time: usize, fields: &Value) -> Value {
        let mut message = json!({"id": format!("wamid.{id}"), "timestamp": time.to_string(), "type": "text",
            "text": {"body": format!("text {id}")}, "from": "34600111222"});
        for (name, value) in fields.as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        message
    }

    fn read(bodies: &[String]) -> Vec<EarlierThread> {
        let mut threads = Vec::new();
        for body in bodies {
            let piece: Value = serde_json::from_str(body).expect("JSON");
            for event in read_threads(piece[FIELD].as_array().expect("threads"), &piece["own"]) {
                match event {
                    PlatformEvent::Earlier(thread) => threads.push(thread),
                    other => panic!("{other:?}"),
                }
            }
        }
        threads
    }

    fn call(messages: &[Value]) -> Value {
        json!({"metadata": {"display_phone_number": "+1 555-078-3881"},
            "history": [{"threads": [{"id": "34600111222", "messages": messages}]}]})
    }

    #[test]
    fn large_call_is_split_and_messages_of_one_second_keep_their_order() {
        let messages: Vec<Value> =
            (0..120).map(|id| text(id, 1_790_000_000 + id / 100, &json!({}))).collect();
        let newest_first: Vec<Value> = messages.iter().rev().cloned().collect();
        for messages in [messages, newest_first] {
            let bodies = split(&call(&messages));
            let threads = read(&bodies);
            let sizes: Vec<usize> = threads.iter().map(|thread| thread.messages.len()).collect();
            assert_eq!((bodies.len(), sizes), (3, vec![50, 50, 20]));
            let read: Vec<&EarlierMessage> = threads.iter().flat_map(|thread| &thread.messages).collect();
            assert!(read.is_sorted_by(|one, two| one.sent_at < two.sent_at));
            let ids: Vec<String> = (0..120).map(|id| format!("wamid.{id}")).collect();
            assert_eq!(
                read.iter().map(|message| &message.platform_id).collect::<Vec<_>>(),
                ids.iter().collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn progress_follows_the_messages_of_its_part() {
        for (progress, wanted) in [(json!(55), false), (json!(100), true), (json!("100"), true)] {
            let mut told = call(&[text(1, 1_790_000_000, &json!({}))]);
            told["history"][0]["metadata"] = json!({"phase": 2, "chunk_order": 1, "progress": progress});
            let bodies = split(&told);
            let pieces: Vec<Value> =
                bodies.iter().map(|body| serde_json::from_str(body).expect("JSON")).collect();
            assert!(pieces.len() == 2 && pieces[0][FIELD].is_array());
            let Some(PlatformEvent::EarlierPart { is_last }) = read_progress(&pieces[1][PROGRESS]) else {
                panic!("{pieces:?}")
            };
            assert_eq!(is_last, wanted, "{progress}");
        }
    }

    #[test]
    fn author_of_an_earlier_message_is_known() {
        let cases = [
            (json!({}), false),
            (json!({"to": "15550783881"}), false),
            (json!({"from": "15550783881"}), true),
            (json!({"from": "15550783881", "to": "34600111222"}), true),
            (json!({"from": "15550783882", "history_context": {"from_me": true}}), true),
            (json!({"from": "34600999888"}), false),
        ];
        for (fields, wanted) in cases {
            let threads = read(&split(&call(&[text(1, 1_790_000_000, &fields)])));
            assert_eq!(threads[0].messages[0].is_own, wanted, "{fields}");
        }
    }
}
