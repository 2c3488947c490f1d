//! Mutated payloads: the reader of a platform never panics, its output is bounded by the size of
//! the call, and an answer goes only to the sender or chat that the payload names.
//!
//! [`named_recipients`] finds the recipients in the mutated bytes and shares no code with the
//! readers.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{self, AssertUnwindSafe};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::{PayloadReader, body, inputs, readers};
use crate::contract::{ArrivedMessage, PlatformEvent, WebhookCall};
use model::phone_forms::normalize;

/// Mutations per platform in a plain test run.
const CASES: u32 = 3_000;
const MAX_STEPS: usize = 6;
/// Longest text that a mutation inserts, in characters.
const MAX_TEXT: usize = 20_000;
/// Bytes of output allowed per byte of the call: a control character takes six in JSON, and a
/// contact is kept with each of its messages.
const GROWTH: usize = 16;
/// Bytes allowed in addition per event or update.
const OVERHEAD: usize = 16 * 1024;
/// Texts that are likely to confuse readers of ids, numbers and names.
const STRANGE_TEXTS: [&str; 24] = [
    "",
    " ",
    "\0",
    "+",
    "-",
    "@",
    "/",
    ".",
    "ES.",
    "ES.1",
    "group:",
    "group:x",
    "null",
    "0",
    "-0",
    "+0",
    "1/2",
    "-100123/45",
    "34600111222 ",
    "+34600999888",
    "\u{202e}34600111222",
    "９９",
    "🇪🇸",
    "a\r\nb",
];
const UPDATES: [&str; 10] = [
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "message_reaction",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "callback_query",
    "my_chat_member",
];

#[test]
fn whatsapp_reader_survives_mutated_payloads() {
    fuzz("whatsapp");
}

#[test]
fn telegram_reader_survives_mutated_payloads() {
    fuzz("telegram");
}

#[test]
fn voip_reader_survives_mutated_payloads() {
    fuzz("voip");
}

fn fuzz(folder: &str) {
    let reader = readers().into_iter().find(|reader| reader.folder == folder).expect("a platform");
    let given = |path: &std::path::PathBuf| -> Value {
        let input: Value = serde_json::from_slice(&fs::read(path).expect("bytes")).expect("JSON");
        input["given"].clone()
    };
    let corpus: Vec<Value> = inputs(folder).iter().map(given).collect();
    let (mut cases, mut events) = (0_u64, 0_usize);
    for seed in randomized::case_seeds(CASES) {
        let call = mutated_call(&mut StdRng::seed_from_u64(seed), folder, &corpus);
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| check(&reader, &call)));
        let fault = match outcome {
            Ok(Ok(count)) => {
                events += count;
                cases += 1;
                continue;
            }
            Ok(Err(fault)) => fault,
            Err(_) => "the reader panicked".to_owned(),
        };
        let shown: String = String::from_utf8_lossy(&call).chars().take(8_000).collect();
        panic!(
            "{fault}\nto repeat: FRONTDESK_LIVES=1 FRONTDESK_SEED={seed} cargo test {folder}_reader\n{shown}"
        );
    }
    // A single repeated payload may rightly have no events.
    assert!(events > 0 || cases < 2, "no mutation of {folder} said anything");
    eprintln!("{folder}: {cases} mutated payloads read, {events} events, no wrong recipient");
}

/// Reads a call and returns the number of its events.
///
/// # Errors
/// Description of the fault: a wrong recipient, or more output than the call accounts for.
fn check(reader: &PayloadReader, call: &[u8]) -> Result<usize, String> {
    let headers = hyper::HeaderMap::new();
    let pieces = reader.platform.split_updates(&WebhookCall { query: "", headers: &headers, body: call });
    let kept: usize = pieces.iter().map(|piece| piece.body.len() + piece.name.len() + piece.lane.len()).sum();
    check_size("pieces", kept, pieces.len(), call)?;
    let named = named_recipients(reader.folder, call);
    let (mut events, mut words) = (0, 0);
    for event in pieces.iter().flat_map(|piece| reader.platform.parse_updates(&piece.body)) {
        events += 1;
        words += text_size(&event);
        check_recipient(reader, &event, &named)?;
    }
    check_size("words", words, events, call)?;
    Ok(events)
}

fn check_size(name: &str, bytes: usize, count: usize, call: &[u8]) -> Result<(), String> {
    let limit = GROWTH * call.len() + OVERHEAD * count;
    let fault = format!("{bytes} bytes of {name} in {count} parts of a call of {} bytes", call.len());
    if bytes <= limit && count <= call.len() { Ok(()) } else { Err(fault) }
}

fn text_size(event: &PlatformEvent) -> usize {
    match event {
        PlatformEvent::Message(message) => {
            let ArrivedMessage { inbound, .. } = message.as_ref();
            let name = inbound.name.as_ref().map_or(0, String::len);
            inbound.text.len() + name + inbound.details.as_ref().map_or(0, String::len)
        }
        other => format!("{other:?}").len(),
    }
}

/// Placeholder for the id of the message that a change is about.
const CHANGED: &str = "~";

/// A platform message id and a recipient that the message names; the id `*` matches all messages.
type Named = BTreeSet<(String, String)>;

/// Checks that an answer to an event goes to a sender or chat that the payload names.
fn check_recipient(reader: &PayloadReader, event: &PlatformEvent, named: &Named) -> Result<(), String> {
    let is_named = |message: &str, address: &str| {
        let answer = (reader.answer)(address).to_string();
        ["*", message].iter().any(|about| named.contains(&((*about).to_owned(), answer.clone())))
    };
    let addresses: Vec<(&str, &str)> = match event {
        PlatformEvent::Message(message) => {
            let inbound = &message.inbound;
            let id = inbound.platform_id.as_deref().unwrap_or("");
            let also = inbound.other_ids.iter().map(String::as_str);
            also.chain([inbound.from.as_str()]).map(|address| (id, address)).collect()
        }
        PlatformEvent::SentElsewhere(sent) => vec![(&sent.platform_id, &sent.to)],
        PlatformEvent::Earlier(thread) => {
            let peer = thread.peer.iter().map(String::as_str);
            peer.flat_map(|peer| thread.messages.iter().map(move |message| (&*message.platform_id, peer)))
                .collect()
        }
        PlatformEvent::Edited { changed, message } => {
            vec![(CHANGED, &changed.peer), (CHANGED, &message.inbound.from)]
        }
        PlatformEvent::Withdrawn(changed) => vec![(CHANGED, &changed.peer)],
        PlatformEvent::Renamed { peer, .. } => vec![("", peer)],
        PlatformEvent::Moved { from, to, .. } | PlatformEvent::IdChanged { from, to } => {
            vec![("", from), ("", to)]
        }
        _ => Vec::new(),
    };
    match addresses.into_iter().find(|(id, address)| !is_named(id, address)) {
        Some((id, address)) => Err(format!("message {id:?} would be answered at {address:?}: {event:?}")),
        None => Ok(()),
    }
}

/// Returns the recipients that a call names as senders or chats, in the form used in an answer.
fn named_recipients(folder: &str, call: &[u8]) -> Named {
    let parsed: Value = serde_json::from_slice(call).unwrap_or_default();
    match folder {
        "whatsapp" => named_numbers(&parsed),
        "telegram" => named_chats(&parsed),
        _ => form_urlencoded::parse(call)
            .filter(|(name, _)| name == "From")
            .map(|(_, from)| ("*".to_owned(), json!({"To": plain(&from)}).to_string()))
            .collect(),
    }
}

fn plain(text: &str) -> String {
    text.replace('\0', "")
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(plain).filter(|text| !text.is_empty())
}

fn named_chats(update: &Value) -> Named {
    let mut named = Named::new();
    let pressed = &update["callback_query"]["message"];
    for message in UPDATES.iter().map(|kind| &update[*kind]).chain([pressed]) {
        let ids = [&message["chat"]["id"], &message["migrate_to_chat_id"], &message["migrate_from_chat_id"]];
        for (place, id) in ids.into_iter().enumerate().filter_map(|(place, id)| Some((place, id.as_i64()?))) {
            let whole = json!({ "chat_id": id });
            if let Some(connection) = text_of(&message["business_connection_id"]).filter(|_| place == 0) {
                let answer = json!({"business_connection_id": connection, "chat_id": id});
                named.insert(("*".to_owned(), answer.to_string()));
                continue;
            }
            let direct = message["direct_messages_topic"]["topic_id"].as_i64();
            let topic = message["message_thread_id"].as_i64().filter(|topic| *topic != 1);
            let topic = topic.filter(|_| message["is_topic_message"] == true);
            let answer = match (direct, topic, place) {
                (Some(direct), _, 0) => json!({"chat_id": id, "direct_messages_topic_id": direct}),
                (None, Some(topic), 0) => json!({"chat_id": id, "message_thread_id": topic}),
                _ => whole,
            };
            named.insert(("*".to_owned(), answer.to_string()));
        }
    }
    named
}

fn named_numbers(call: &Value) -> Named {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let changes = list(&call["entry"]).into_iter().flat_map(|entry| list(&entry["changes"]));
    let mut named = Named::new();
    for change in changes {
        let value = change["value"].clone();
        if change["field"] == "history" {
            let threads = list(&value["history"]).into_iter().flat_map(|part| list(&part["threads"]));
            let threads = threads.map(|thread| thread["id"].clone());
            let people = list(&value["messages"])
                .into_iter()
                .flat_map(|message| ["from", "to"].map(|field| message[field].clone()));
            let ids = threads.chain(people).filter_map(|id| text_of(&id));
            named.extend(ids.map(|id| ("*".to_owned(), individual(&id))));
        }
        let contacts = list(&value["contacts"]);
        for message in list(&value["messages"]) {
            let id = message["id"].as_str().unwrap_or("").to_owned();
            for recipient in senders(&message, &contacts) {
                named.insert((CHANGED.to_owned(), recipient.clone()));
                named.insert((id.clone(), recipient));
            }
            let system = &message["system"];
            let moved = ["customer", "wa_id", "new_wa_id", "user_id", "previous_user_id"];
            let moved = moved.iter().filter_map(|field| text_of(&system[*field]));
            for id in moved.chain(text_of(&message["from"])) {
                named.insert((String::new(), individual(&id)));
            }
        }
        for echo in list(&value["message_echoes"]) {
            let recipients = ["to", "to_user_id", "to_parent_user_id"].iter();
            for to in recipients.filter_map(|field| text_of(&echo[*field])).map(|to| individual(&to)) {
                named.insert((CHANGED.to_owned(), to.clone()));
                named.extend(text_of(&echo["id"]).map(|id| (id, to)));
            }
        }
        for status in list(&value["statuses"]) {
            let id = text_of(&status["recipient_id"]);
            named.extend(
                id.map(|id| ("*".to_owned(), individual(&id))).filter(|_| status["type"] == "payment"),
            );
        }
        for told in list(&value["calls"]) {
            let fields = ["from", "from_user_id", "from_parent_user_id"];
            let caller: Map<String, Value> =
                fields.iter().map(|field| ((*field).to_owned(), told[*field].clone())).collect();
            let callers = senders(&Value::Object(caller), &contacts);
            named.extend(callers.into_iter().map(|caller| ("*".to_owned(), caller)));
        }
        for told in list(&value["user_preferences"]) {
            let sender = json!({"from": told["wa_id"], "from_user_id": told["user_id"]});
            named.extend(senders(&sender, &contacts).into_iter().map(|sender| ("*".to_owned(), sender)));
        }
        for group in list(&value["groups"]) {
            named.extend(text_of(&group["group_id"]).map(|id| (String::new(), in_group(&id))));
        }
        for told in list(&value["user_id_update"]) {
            let ids = [&told["user_id"]["previous"], &told["user_id"]["current"]];
            named.extend(ids.into_iter().filter_map(text_of).map(|id| (String::new(), individual(&id))));
        }
    }
    named
}

/// Recipients of an answer to one message: its group, or else its sender as named by the message
/// and by the sender's contact.
fn senders(message: &Value, contacts: &[Value]) -> Vec<String> {
    if let Some(group) = message["group_id"].as_str().map(plain).filter(|group| !group.is_empty()) {
        return vec![in_group(&group)];
    }
    let number = text_of(&message["from"]);
    let is_same = |contact: &&Value| {
        let is = |field: &str, other: &str| contact[field].is_string() && contact[field] == message[other];
        is("wa_id", "from") || is("user_id", "from_user_id") || is("user_id", "from")
    };
    let is_other = |contact: &&Value| {
        let forms = number.clone().zip(text_of(&contact["wa_id"]));
        let ids = text_of(&message["from_user_id"]).zip(text_of(&contact["user_id"]));
        let digits = |text: &str| format!("+{}", text.trim_start_matches('+'));
        let is_other_number = |(one, other): (String, String)| {
            is_number(&one) && is_number(&other) && normalize(&digits(&one)) != normalize(&digits(&other))
        };
        forms.is_some_and(is_other_number) || ids.is_some_and(|(one, other)| one != other)
    };
    let only = contacts.first().filter(|contact| contacts.len() == 1 && !is_other(contact));
    let contact = contacts.iter().find(is_same).or(only).cloned().unwrap_or_default();
    let fields = ["from", "from_user_id", "from_parent_user_id"].iter().map(|field| &message[*field]);
    let of_contact = ["wa_id", "user_id", "parent_user_id"].iter().map(|field| &contact[*field]);
    fields.chain(of_contact).filter_map(text_of).map(|id| individual(&id)).collect()
}

fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches('+');
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn individual(id: &str) -> String {
    let field = if model::bounds::is_user_id(id) { "recipient" } else { "to" };
    json!({"recipient_type": "individual", field: id.trim_start_matches('+')}).to_string()
}

fn in_group(id: &str) -> String {
    json!({"recipient_type": "group", "to": id}).to_string()
}

fn mutated_call(random: &mut StdRng, folder: &str, corpus: &[Value]) -> Vec<u8> {
    let mut given = pick(random, corpus).clone();
    for _ in 0..random.random_range(1..=MAX_STEPS) {
        let donor = pick(random, corpus);
        mutate(random, &mut given, donor);
    }
    let form = folder == "voip" && !given.is_object();
    let mut bytes = if form { given.to_string().into_bytes() } else { body(folder, &given) };
    if random.random_ratio(1, 4) {
        for _ in 0..random.random_range(1..=MAX_STEPS) {
            mutate_bytes(random, &mut bytes);
        }
    }
    bytes
}

fn pick<'a, T>(random: &mut StdRng, all: &'a [T]) -> &'a T {
    &all[random.random_range(0..all.len())]
}

/// Counts a value and all values nested in it; keys do not count.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// Returns the value at a position in depth-first order.
fn at(value: &mut Value, mut place: usize) -> &mut Value {
    if place == 0 {
        return value;
    }
    place -= 1;
    let children: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    for child in children {
        let size = count(child);
        if place < size {
            return at(child, place);
        }
        place -= size;
    }
    unreachable!("a place beyond the value")
}

fn any_part<'a>(random: &mut StdRng, value: &'a mut Value) -> &'a mut Value {
    let place = random.random_range(0..count(value));
    at(value, place)
}

fn mutate(random: &mut StdRng, value: &mut Value, donor: &Value) {
    match random.random_range(0..10) {
        0 | 1 => *any_part(random, value) = strange_value(random),
        2 | 3 => {
            let mut donor = donor.clone();
            *any_part(random, value) = any_part(random, &mut donor).clone();
        }
        4 => {
            // Two values of one payload are swapped, such as the ids of two people.
            let mut copy = value.clone();
            let part = any_part(random, &mut copy).clone();
            *any_part(random, value) = part;
        }
        _ => {
            let strange = strange_value(random);
            match any_part(random, value) {
                Value::Object(fields) => mutate_fields(random, fields, strange),
                Value::Array(list) => mutate_list(random, list, strange),
                Value::String(text) => *text = mutated_text(random, text),
                Value::Number(number) => {
                    let near = number.as_i64().unwrap_or(0);
                    let far = near.wrapping_mul(random.random_range(-3..1_000_000));
                    let all = [near.wrapping_add(1), near.wrapping_neg(), far, i64::MIN, i64::MAX];
                    *number = (*pick(random, &all)).into();
                }
                other => *other = strange,
            }
        }
    }
}

fn mutate_fields(random: &mut StdRng, fields: &mut Map<String, Value>, strange: Value) {
    let names: Vec<String> = fields.keys().cloned().collect();
    if names.is_empty() {
        fields.insert("id".to_owned(), strange);
        return;
    }
    let name = pick(random, &names);
    match random.random_range(0..4) {
        0 => drop(fields.remove(name)),
        1 => drop(fields.insert(name.clone(), strange)),
        2 => {
            let moved = fields.remove(name).unwrap_or_default();
            fields.insert(pick(random, &names).clone(), moved);
        }
        _ => {
            let near = mutated_text(random, name);
            let copy = fields[name].clone();
            fields.insert(near, copy);
        }
    }
}

fn mutate_list(random: &mut StdRng, list: &mut Vec<Value>, strange: Value) {
    match (list.is_empty(), random.random_range(0..4)) {
        (true, _) | (_, 0) => list.push(strange),
        (_, 1) => {
            let place = random.random_range(0..list.len());
            let copy = list[place].clone();
            list.extend(std::iter::repeat_n(copy, random.random_range(1..20)));
        }
        (_, 2) => drop(list.remove(random.random_range(0..list.len()))),
        _ => list.reverse(),
    }
}

fn mutated_text(random: &mut StdRng, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let place = random.random_range(0..=letters.len());
    let letter = random.random_range('\0'..='\u{2ff}');
    match random.random_range(0..5) {
        0 => letters.insert(place, letter),
        1 if place < letters.len() => drop(letters.remove(place)),
        2 if place < letters.len() => letters[place] = random.random_range('0'..='9'),
        3 => letters.truncate(place),
        _ => letters.extend(pick(random, &STRANGE_TEXTS).chars()),
    }
    letters.into_iter().collect()
}

fn strange_value(random: &mut StdRng) -> Value {
    match random.random_range(0..12) {
        0 => Value::Null,
        1 => json!(random.random_bool(0.5)),
        2 => json!(*pick(random, &[0, 1, -1, i64::MIN, i64::MAX, 1_790_000_000, 34_600_111_222])),
        3 => json!(*pick(random, &[0.5, 1e308, -1e-308, 1e19])),
        4 => json!([]),
        5 => json!({}),
        6 => json!("x".repeat(random.random_range(0..MAX_TEXT))),
        7 => {
            let depth = random.random_range(1..200);
            (0..depth).fold(json!("deep"), |inner, _| json!([inner]))
        }
        8 => json!(random.random_range(-5_000_000_000_i64..5_000_000_000)),
        9 => json!(format!("{}", random.random_range(1_000_000_u64..1_000_000_000_000_000))),
        _ => json!(*pick(random, &STRANGE_TEXTS)),
    }
}

fn mutate_bytes(random: &mut StdRng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        bytes.push(random.random());
        return;
    }
    let place = random.random_range(0..bytes.len());
    match random.random_range(0..5) {
        0 => bytes[place] = random.random(),
        1 => bytes.insert(place, random.random()),
        2 => drop(bytes.remove(place)),
        3 => bytes.truncate(place),
        _ => {
            let end = (place + random.random_range(1..64)).min(bytes.len());
            let part = bytes[place..end].to_vec();
            let to = random.random_range(0..=bytes.len());
            drop(bytes.splice(to..to, part));
        }
    }
}
