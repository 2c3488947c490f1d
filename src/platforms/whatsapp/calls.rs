//! Webhook calls of the platform: messages, statuses of sent messages, and changes of the account.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::contract::{
    ArrivedMessage, DeliveryStep, InboundMessage, InboundUpdate, MISSED_CALL_PREFIX, MISSED_CALL_REASON,
    PlatformEvent, StatusReport,
};
use crate::whatsapp::address::{self, ChatPerson, group_address, phone_address};
use crate::whatsapp::{PAYMENT_PREFIX, PREFERENCE_PREFIX, history, message, sending, templates};
use crate::words::{self, in_brackets, join_parts, read_text};
use api::carriers::NumberSettings;
use api::errors::ErrorCode;
use api::extras::MessageExtras;
use model::bounds;
use model::phone_forms::normalize;

/// Field of messages sent with the platform's own app.
const ECHO_FIELD: &str = "smb_message_echoes";

/// Field of customers' choices whether they get marketing messages.
const PREFERENCE_FIELD: &str = "user_preferences";

/// Field of voice calls.
const CALLS_FIELD: &str = "calls";

/// Name of a channel in a webhook call, by the platform's id of its number.
pub(super) fn number_name(number: &str) -> String {
    format!("number {number}")
}

/// Name of all channels of an account in a webhook call.
pub(super) fn account_name(account: &str) -> String {
    format!("account {account}")
}

pub fn names_in_call(body: &[u8]) -> BTreeSet<String> {
    let told: Value = serde_json::from_slice(body).unwrap_or_default();
    changes(&told).filter_map(|(entry, change)| name_of(entry, change)).collect()
}

fn changes(told: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    let entries = told["entry"].as_array().into_iter().flatten();
    entries.flat_map(|entry| {
        let changes = entry["changes"].as_array().into_iter().flatten();
        changes.map(move |change| (entry, change))
    })
}

/// Returns the name of the number that a change is about, or of the account if it names no number.
/// Messages always name theirs.
fn name_of(entry: &Value, change: &Value) -> Option<String> {
    if let Some(number) = read_text(&change["value"]["metadata"]["phone_number_id"]) {
        return Some(number_name(&number));
    }
    let of_number = ["messages", CALLS_FIELD, ECHO_FIELD, history::FIELD];
    let is_of_number = of_number.iter().any(|field| change["field"] == *field);
    read_text(&entry["id"]).filter(|_| !is_of_number).map(|account| account_name(&account))
}

/// Splits a call into the updates of a number and its account.
pub(super) fn split_call(settings: &NumberSettings, body: &[u8]) -> Vec<InboundUpdate> {
    let told: Value = serde_json::from_slice(body).unwrap_or_default();
    let own = [number_name(&settings.number), account_name(&settings.account)];
    let is_own =
        |entry: &Value, change: &Value| name_of(entry, change).is_some_and(|name| own.contains(&name));
    changes(&told)
        .filter(|(entry, change)| is_own(entry, change))
        .flat_map(|(entry, change)| updates_of_change(change, &entry["time"]))
        .collect()
}

fn updates_of_change(change: &Value, time: &Value) -> Vec<InboundUpdate> {
    let (field, value) = (change["field"].as_str().unwrap_or(""), &change["value"]);
    if field == ECHO_FIELD {
        return echo_updates(value);
    }
    if field == history::FIELD {
        let pieces = history::split(value).into_iter();
        return pieces.map(|body| build_update(digest(&body), history::FIELD.to_owned(), body)).collect();
    }
    if matches!(field, "group_lifecycle_update" | "group_settings_update") {
        return group_updates(value);
    }
    if field == "user_id_update" {
        return id_updates(value);
    }
    if field == PREFERENCE_FIELD {
        return preference_updates(value);
    }
    if field == CALLS_FIELD {
        return voice_updates(value);
    }
    if field != "messages" {
        let about = ["template", "account", "phone_number", "business_capability"];
        let wanted = about.iter().any(|text| field.contains(text));
        // The time distinguishes repeated changes.
        let body = json!({ "changed": field, "value": value, "time": time }).to_string();
        return if wanted {
            vec![build_update(digest(&body), "account".to_owned(), body)]
        } else {
            Vec::new()
        };
    }
    let list = |name: &str| value[name].as_array().map_or(&[][..], Vec::as_slice);
    let mut pieces = Vec::new();
    for message in list("messages") {
        let Some(id) = message["id"].as_str() else { continue };
        let contact = find_contact(message, list("contacts"));
        let person = ChatPerson::read(message, &contact);
        let lane = match (message["group_id"].as_str(), message["from"].as_str(), person.address()) {
            (Some(group), ..) => group,
            (None, Some(from), _) => from,
            (None, None, Some(address)) => address,
            (None, None, None) => continue,
        };
        let body = json!({ "message": message, "contact": contact }).to_string();
        pieces.push(build_update(format!("message {id}"), lane.to_owned(), body));
    }
    for status in list("statuses") {
        let (Some(id), Some(word)) = (status["id"].as_str(), status["status"].as_str()) else { continue };
        // A status without our id may have to wait and must not delay the customer's lane.
        let lane = match status["biz_opaque_callback_data"].as_str() {
            Some(_) => status["recipient_id"].as_str().unwrap_or("").to_owned(),
            None => format!("status of {id}"),
        };
        let body = json!({ "status": status }).to_string();
        pieces.push(build_update(format!("{word} {id}"), lane, body));
    }
    pieces
}

/// Messages sent with the platform's own app on a phone with the same number.
fn echo_updates(value: &Value) -> Vec<InboundUpdate> {
    let all = value["message_echoes"].as_array().into_iter().flatten();
    let one = |message: &Value| {
        let (id, to) = (message["id"].as_str()?, address::echo_recipients(message).into_iter().next()?);
        // The lane of the customer's own messages.
        let lane = to.trim_start_matches('+').to_owned();
        Some(build_update(format!("message {id}"), lane, json!({ "echo": message }).to_string()))
    };
    all.filter_map(one).collect()
}

fn find_contact(message: &Value, contacts: &[Value]) -> Value {
    let same = |contact: &&Value, field: &str, other: &str| {
        contact[field].is_string() && contact[field] == message[other]
    };
    let is_sender = |contact: &&Value| {
        same(contact, "wa_id", "from")
            || same(contact, "user_id", "from_user_id")
            || same(contact, "user_id", "from")
    };
    let only = if contacts.len() == 1 { contacts.first() } else { None };
    let only = only.filter(|contact| !names_another(message, contact));
    contacts.iter().find(is_sender).or(only).cloned().unwrap_or_default()
}

/// Returns true if a contact has another number or id than the sender of a message, so that its
/// data does not apply to the sender.
fn names_another(message: &Value, contact: &Value) -> bool {
    let number = |value: &Value| {
        read_text(value).filter(|id| address::is_number(id)).map(|id| normalize(&phone_address(&id)))
    };
    let numbers = number(&message["from"]).zip(number(&contact["wa_id"]));
    let ids = read_text(&message["from_user_id"]).zip(read_text(&contact["user_id"]));
    let differ = |(one, other): (String, String)| one != other;
    numbers.is_some_and(differ) || ids.is_some_and(differ)
}

fn group_updates(value: &Value) -> Vec<InboundUpdate> {
    let groups = value["groups"].as_array().into_iter().flatten();
    let named = groups.filter_map(|told| {
        let id = read_text(&told["group_id"])?;
        let name = read_text(&told["group_subject"]["text"]).or_else(|| read_text(&told["subject"]))?;
        let body = json!({ "group": id, "name": name, "time": told["timestamp"] }).to_string();
        Some(build_update(digest(&body), id, body))
    });
    named.collect()
}

fn id_updates(value: &Value) -> Vec<InboundUpdate> {
    let told = value["user_id_update"].as_array().into_iter().flatten();
    let replaced = told.filter_map(|one| {
        let (from, to) = (read_text(&one["user_id"]["previous"])?, read_text(&one["user_id"]["current"])?);
        let body = json!({ "id_from": from, "id_to": to }).to_string();
        Some(build_update(digest(&body), from, body))
    });
    replaced.collect()
}

fn preference_updates(value: &Value) -> Vec<InboundUpdate> {
    let contacts = value["contacts"].as_array().map_or(&[][..], Vec::as_slice);
    let told = value[PREFERENCE_FIELD].as_array().into_iter().flatten();
    let one = |preference: &Value| {
        let sender = json!({"from": preference["wa_id"], "from_user_id": preference["user_id"]});
        let contact = find_contact(&sender, contacts);
        let lane = ChatPerson::read(&sender, &contact).address()?.trim_start_matches('+').to_owned();
        let body = json!({"preference": preference, "sender": sender, "contact": contact}).to_string();
        Some(build_update(digest(&body), lane, body))
    };
    told.filter_map(one).collect()
}

fn build_update(name: String, lane: String, body: String) -> InboundUpdate {
    InboundUpdate { name, lane, body: body.into_bytes() }
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Begin and end of voice calls.
fn voice_updates(value: &Value) -> Vec<InboundUpdate> {
    let contacts = value["contacts"].as_array().map_or(&[][..], Vec::as_slice);
    let told = value["calls"].as_array().into_iter().flatten();
    let one = |call: &Value| {
        let (id, event) = (call["id"].as_str()?, call["event"].as_str()?);
        let contact = find_contact(call, contacts);
        // The lane of the customer's messages.
        let lane = ChatPerson::read(call, &contact).address()?.trim_start_matches('+').to_owned();
        let body = json!({ "call": call, "contact": contact }).to_string();
        Some(build_update(format!("call {event} {id}"), lane, body))
    };
    told.filter_map(one).collect()
}

/// Parses an update; empty if nothing in it is stored.
pub(super) fn parse_update(piece: &Value) -> Vec<PlatformEvent> {
    if let Some(field) = piece["changed"].as_str() {
        let report = templates::read_report(field, &piece["value"]).map(PlatformEvent::TemplateReviewed);
        return report.into_iter().chain([PlatformEvent::AccountChanged]).collect();
    }
    if let (Some(id), Some(name)) = (read_text(&piece["group"]), read_text(&piece["name"])) {
        return vec![PlatformEvent::Renamed { peer: group_address(&id), name }];
    }
    if let (Some(from), Some(to)) = (read_text(&piece["id_from"]), read_text(&piece["id_to"])) {
        return changed_id(from, to).into_iter().collect();
    }
    if piece["preference"].is_object() {
        return read_preference(piece).into_iter().collect();
    }
    if piece["call"].is_object() {
        return read_missed_call(piece).into_iter().collect();
    }
    if piece["status"].is_object() {
        return status(&piece["status"]).into_iter().collect();
    }
    if let Some(threads) = piece[history::FIELD].as_array() {
        return history::read_threads(threads, &piece["own"]);
    }
    if piece[history::PROGRESS].is_object() {
        return history::read_progress(&piece[history::PROGRESS]).into_iter().collect();
    }
    if piece[history::REFUSAL].is_object() {
        let why = sending::error_text(&piece[history::REFUSAL]);
        tracing::info!(why = why.as_str(), "the business does not share its earlier messages");
        return vec![PlatformEvent::EarlierPart { is_last: true }];
    }
    if piece["echo"].is_object() {
        return message::read_sent_elsewhere(&piece["echo"]).into_iter().collect();
    }
    let message = &piece["message"];
    if message["type"] == "system" {
        return read_move(message);
    }
    message::read_arrival(message, &piece["contact"]).into_iter().collect()
}

/// Reads a customer's change of number, of id, or both.
fn read_move(message: &Value) -> Vec<PlatformEvent> {
    let system = &message["system"];
    let from = read_text(&message["from"]).or_else(|| read_text(&system["customer"]));
    let to = read_text(&system["wa_id"]).or_else(|| read_text(&system["new_wa_id"]));
    let numbers = from.zip(to).filter(|(from, to)| from != to);
    let numbers = numbers.map(|(from, to)| (phone_address(&from), phone_address(&to)));
    let number = numbers.filter(|(from, to)| bounds::is_e164(from) && bounds::is_e164(to));
    let number = number.map(|(from, to)| PlatformEvent::Moved { from, to, for_good: false });
    let (old, new) = (read_text(&system["previous_user_id"]), read_text(&system["user_id"]));
    let id = old.zip(new).and_then(|(old, new)| changed_id(old, new));
    number.into_iter().chain(id).collect()
}

/// A person's id changed. Texts of other forms are refused, because they could equal one of the
/// service's own addresses, such as a group's.
fn changed_id(from: String, to: String) -> Option<PlatformEvent> {
    let are_ids = bounds::is_user_id(&from) && bounds::is_user_id(&to);
    (are_ids && from != to).then_some(PlatformEvent::IdChanged { from, to })
}

/// Reads a choice about marketing messages as a message that needs no answer. Other messages still reach the
/// customer.
fn read_preference(piece: &Value) -> Option<PlatformEvent> {
    let preference = &piece["preference"];
    let allows_marketing = match (preference["category"].as_str()?, preference["value"].as_str()?) {
        ("marketing_messages", "stop") => false,
        ("marketing_messages", "resume") => true,
        _ => return None,
    };
    let text = match allows_marketing {
        false => "[stopped marketing messages]",
        true => "[allows marketing messages again]",
    };
    let person = ChatPerson::read(&piece["sender"], &piece["contact"]);
    let inbound = InboundMessage {
        from: person.address()?.to_owned(),
        other_ids: person.other_ids(),
        name: person.display_name(),
        username: person.username.clone(),
        sent_at: words::read_time(&preference["timestamp"]),
        text: text.to_owned(),
        kind: "text".to_owned(),
        platform_id: Some(format!("{PREFERENCE_PREFIX}{}", digest(&piece.to_string()))),
        needs_no_answer: true,
        is_notice: true,
        allows_marketing: Some(allows_marketing),
        ..InboundMessage::default()
    };
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, ..ArrivedMessage::default() })))
}

/// Reads the end of a customer's call that nobody took; `None` for every other event of a call. The end of a
/// call alone decides, because events may come in any order.
fn read_missed_call(piece: &Value) -> Option<PlatformEvent> {
    let call = &piece["call"];
    if call["event"] != "terminate" || call["direction"] == "BUSINESS_INITIATED" || was_taken(call) {
        return None;
    }
    let person = ChatPerson::read(call, &piece["contact"]);
    let inbound = InboundMessage {
        from: person.address()?.to_owned(),
        other_ids: person.other_ids(),
        name: person.display_name(),
        username: person.username.clone(),
        sent_at: words::read_time(&call["timestamp"]),
        text: in_brackets("missed call", ""),
        kind: "text".to_owned(),
        platform_id: Some(format!("{MISSED_CALL_PREFIX}{}", read_text(&call["id"])?)),
        needs_no_answer: true,
        asks_for_person: Some(MISSED_CALL_REASON),
        ..InboundMessage::default()
    };
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, ..ArrivedMessage::default() })))
}

/// Returns true if somebody talked: the platform gives a duration, and a time of beginning, only to calls
/// that were taken.
fn was_taken(call: &Value) -> bool {
    let duration = &call["duration"];
    let seconds = duration.as_i64().or_else(|| duration.as_str()?.trim().parse().ok());
    match seconds {
        Some(seconds) => seconds > 0,
        None => words::read_time(&call["start_time"]).is_some(),
    }
}

/// Reads a payment status as a message of the payer, as it is not about a message sent by this
/// service.
fn read_payment(told: &Value) -> Option<PlatformEvent> {
    let (payment, id) = (&told["payment"], read_text(&told["recipient_id"])?);
    let amount = &payment["amount"];
    let value = amount["value"].as_f64().zip(amount["offset"].as_f64().filter(|offset| *offset >= 1.0));
    let value =
        value.map(|(value, offset)| format!("{:.2}", value / offset)).zip(read_text(&payment["currency"]));
    let value = value.map(|(value, currency)| format!("{value} {currency}"));
    let words = join_parts([read_text(&told["status"]), value, read_text(&payment["reference_id"])]);
    let reference = read_text(&payment["transaction"]["id"]).or_else(|| read_text(&payment["reference_id"]));
    let status = read_text(&told["status"])?;
    let inbound = InboundMessage {
        from: if bounds::is_user_id(&id) { id } else { phone_address(&id) },
        sent_at: words::read_time(&told["timestamp"]),
        text: in_brackets("payment", &words),
        kind: "text".to_owned(),
        platform_id: Some(format!("{PAYMENT_PREFIX}{status} {} {}", reference?, read_text(&told["id"])?)),
        needs_no_answer: true,
        extras: MessageExtras::from_structure(json!({ "payment": payment })),
        ..InboundMessage::default()
    };
    Some(PlatformEvent::Message(Box::new(ArrivedMessage { inbound, ..ArrivedMessage::default() })))
}

fn status(told: &Value) -> Option<PlatformEvent> {
    if told["type"] == "payment" {
        return read_payment(told);
    }
    let step = match told["status"].as_str()? {
        "sent" => DeliveryStep::Sent,
        "delivered" => DeliveryStep::Delivered,
        "read" | "played" => DeliveryStep::Read,
        "failed" => {
            let error = &told["errors"][0];
            // Without a code it is not known whether other messages would arrive.
            let loss = error["code"].as_i64().map(sending::loss_code);
            let (code, broken) = loss.unwrap_or((ErrorCode::WhatsappError, false));
            DeliveryStep::Failed { code, why: sending::error_text(error).as_str().to_owned(), broken }
        }
        _ => return None,
    };
    // Reports about a group name the group or one of its members.
    let is_group = told["recipient_type"] == "group";
    let number = read_text(&told["recipient_id"]).filter(|id| !is_group && !bounds::is_user_id(id));
    Some(PlatformEvent::Status(StatusReport {
        platform_id: told["id"].as_str()?.to_owned(),
        own_id: told["biz_opaque_callback_data"].as_str().map(str::to_owned),
        step,
        reached: number.map(|id| phone_address(&id)),
        recipient_id: read_text(&told["recipient_user_id"])
            .or_else(|| read_text(&told["recipient_id"]))
            .filter(|id| !is_group && bounds::is_user_id(id)),
        trace: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> NumberSettings {
        NumberSettings { number: "555".to_owned(), account: "1".to_owned(), ..NumberSettings::default() }
    }

    fn call(value: &Value) -> Vec<InboundUpdate> {
        let body = json!({"entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}]});
        split_call(&settings(), body.to_string().as_bytes())
    }

    fn one(message: Value) -> Option<PlatformEvent> {
        let value = json!({
            "metadata": {"phone_number_id": "555"}, "messages": [message],
            "contacts": [{"wa_id": "34600111222", "profile": {"name": "Ana"}}],
        });
        let piece = call(&value).pop()?;
        parse_update(&serde_json::from_slice(&piece.body).expect("JSON")).pop()
    }

    fn message(kind: &str, content: Value) -> Value {
        json!({"id": "wamid.1", "from": "34600111222", "type": kind, kind: content})
    }

    #[test]
    fn author_is_kept_with_messages_of_a_group() {
        for (group, wanted) in [(json!("G1"), vec!["+34600111222"]), (Value::Null, Vec::new())] {
            let mut hook = message("text", json!({"body": "Hello"}));
            hook["group_id"] = group;
            let Some(PlatformEvent::Message(told)) = one(hook) else { panic!("no message") };
            assert_eq!(told.inbound.extras.written_by, wanted);
        }
    }

    #[test]
    fn every_kind_of_message_is_kept() {
        let cases = [
            ("text", json!({"body": "hi\u{0}"}), "text", "hi", None),
            ("image", json!({"id": "9", "caption": "look"}), "image", "look", Some("9")),
            ("audio", json!({"id": "9", "voice": true}), "audio", "", Some("9")),
            ("video", json!({"id": "9"}), "video", "", Some("9")),
            ("document", json!({"id": "9", "filename": "a.pdf"}), "document", "", Some("9")),
            ("sticker", json!({"id": "9"}), "image", "", Some("9")),
            ("button", json!({"text": "Yes"}), "text", "Yes", None),
            ("interactive", json!({"list_reply": {"title": "Blue"}}), "text", "Blue", None),
            (
                "location",
                json!({"latitude": 1.5, "longitude": 2, "name": "Pier"}),
                "location",
                "Pier · 1.5, 2",
                None,
            ),
            ("contacts", json!([{"name": {"formatted_name": "Bo"}}]), "text", "Bo", None),
            ("reaction", json!({"message_id": "wamid.0", "emoji": "👍"}), "reaction", "👍", None),
            ("order", json!({}), "text", "[order]", None),
            ("unknown", json!({}), "text", "[a kind of message that the platform does not forward]", None),
            ("request_welcome", json!({}), "text", "[request welcome]", None),
        ];
        for (kind, fields, wanted, words, file) in cases {
            let Some(PlatformEvent::Message(told)) = one(message(kind, fields)) else { panic!("{kind}") };
            assert_eq!((told.inbound.kind.as_str(), told.inbound.text.as_str()), (wanted, words), "{kind}");
            assert_eq!(told.media.as_ref().map(|media| media.reference.as_str()), file, "{kind}");
            assert_eq!(told.inbound.from, "+34600111222");
            assert_eq!(told.inbound.name.as_deref(), Some("Ana"));
            assert_eq!(told.inbound.needs_no_answer, kind == "reaction");
        }
        let changed = one(message("system", json!({"wa_id": "34600999888"})));
        assert!(matches!(changed, Some(PlatformEvent::Moved { to, .. }) if to == "+34600999888"));
        let no_number = one(message("system", json!({"wa_id": "ES.2"})));
        assert!(no_number.is_none(), "an id of another form is no number");
        let no_id = one(message("system", json!({"previous_user_id": "group:x", "user_id": "ES.2"})));
        assert!(no_id.is_none(), "a group is no person's id");
    }

    #[test]
    fn call_that_nobody_took_is_one_message_that_asks_for_a_person() {
        let told = |event: &str, more: Value| {
            let mut call = json!({"id": "wacid.1", "from": "34600111222", "to": "15550783881",
                "event": event, "direction": "USER_INITIATED", "timestamp": "1790000000"});
            for (name, value) in more.as_object().expect("fields") {
                call[name] = value.clone();
            }
            let value = json!({
                "metadata": {"phone_number_id": "555"}, "calls": [call],
                "contacts": [{"wa_id": "34600111222", "profile": {"name": "Ana"}}],
            });
            let body = json!({"entry": [{"id": "1", "changes": [{"field": "calls", "value": value}]}]});
            let mut pieces = split_call(&settings(), body.to_string().as_bytes());
            assert_eq!(pieces.len(), 1, "{event}");
            let piece = pieces.pop().expect("one");
            assert_eq!(piece.lane, "34600111222", "after the customer's messages");
            parse_update(&serde_json::from_slice(&piece.body).expect("JSON")).pop()
        };
        for failed in
            [json!({"status": "FAILED"}), json!({"status": ["COMPLETED"], "duration": 0}), json!({})]
        {
            let Some(PlatformEvent::Message(missed)) = told("terminate", failed.clone()) else {
                panic!("no message: {failed}")
            };
            let inbound = &missed.inbound;
            assert_eq!((inbound.from.as_str(), inbound.text.as_str()), ("+34600111222", "[missed call]"));
            assert_eq!(inbound.platform_id.as_deref(), Some("missed wacid.1"));
            assert_eq!(inbound.asks_for_person, Some(MISSED_CALL_REASON));
            assert!(inbound.needs_no_answer && !inbound.is_notice, "a call opens the service window");
        }
        let taken = json!({"status": "COMPLETED", "start_time": "1790000003", "end_time": "1790000036"});
        for (event, more) in [
            ("connect", json!({"session": {"sdp_type": "offer", "sdp": "v=0"}})),
            ("terminate", json!({"status": "COMPLETED", "duration": 33})),
            ("terminate", taken),
            ("terminate", json!({"direction": "BUSINESS_INITIATED", "status": "FAILED"})),
        ] {
            assert!(told(event, more.clone()).is_none(), "{event} {more}");
        }
    }

    #[test]
    fn each_thing_told_is_a_piece_of_its_own() {
        let value = json!({
            "metadata": {"phone_number_id": "555"}, "messages": [message("text", json!({"body": "hi"}))],
            "statuses": [
                {"id": "wamid.7", "status": "read", "recipient_id": "34", "biz_opaque_callback_data": "msg_7"},
                {"id": "wamid.8", "status": "failed", "recipient_id": "34", "errors": [{"code": 131_047, "title": "late"}]},
            ],
        });
        let pieces = call(&value);
        let names: Vec<_> = pieces.iter().map(|piece| piece.name.as_str()).collect();
        assert_eq!(names, ["message wamid.1", "read wamid.7", "failed wamid.8"]);
        let status = |at: usize| parse_update(&serde_json::from_slice(&pieces[at].body).expect("JSON")).pop();
        let Some(PlatformEvent::Status(told)) = status(1) else { panic!("a status") };
        assert_eq!((told.own_id.as_deref(), told.step), (Some("msg_7"), DeliveryStep::Read));
        let Some(PlatformEvent::Status(told)) = status(2) else { panic!("a status") };
        let why = "late".to_owned();
        assert_eq!(told.step, DeliveryStep::Failed { code: ErrorCode::SessionExpired, why, broken: false });
        let other = json!({"metadata": {"phone_number_id": "556"}, "messages": [message("text", json!({"body": "x"}))]});
        assert!(call(&other).is_empty(), "another number of the account");
        let change = |time: i64| {
            let change = json!({"field": "message_template_status_update", "value": {}});
            let told = json!({"entry": [{"id": "1", "time": time, "changes": [change]}]});
            split_call(&settings(), told.to_string().as_bytes()).pop().expect("a piece")
        };
        assert_eq!(change(1), change(1));
        assert_ne!(change(1).name, change(2).name, "it happened twice");
        assert!(split_call(&settings(), b"no JSON").is_empty());
        let nobodys = json!({"messages": [message("text", json!({"body": "x"}))]});
        assert!(call(&nobodys).is_empty(), "a message that does not say for which number");
    }

    #[test]
    fn failure_without_a_reason_says_nothing_about_the_account() {
        let cases = [
            (json!({}), "WHATSAPP_ERROR", false),
            (json!({ "errors": [] }), "WHATSAPP_ERROR", false),
            (json!({"errors": [{"title": "lost"}]}), "WHATSAPP_ERROR", false),
            (json!({"errors": [{"code": 131_026}]}), "INVALID_RECIPIENT", false),
            (json!({"errors": [{"code": 131_042}]}), "NOT_CONFIGURED", true),
        ];
        for (fields, wanted, is_broken) in cases {
            let mut told = json!({"id": "wamid.8", "status": "failed", "recipient_id": "34600111222"});
            for (name, value) in fields.as_object().expect("fields") {
                told[name] = value.clone();
            }
            let Some(PlatformEvent::Status(report)) = status(&told) else { panic!("a report: {told}") };
            let DeliveryStep::Failed { code, broken, .. } = report.step else { panic!("a failure: {told}") };
            assert_eq!((code.word(), broken), (wanted, is_broken), "{fields}");
        }
    }

    #[test]
    fn a_call_names_the_numbers_and_accounts_it_is_about() {
        let of =
            |number: &str| json!({"field": "messages", "value": {"metadata": {"phone_number_id": number}}});
        let told = json!({"entry": [
            {"id": "1", "changes": [of("555"), of("556"), of("555")]},
            {"id": "2", "changes": [{"field": "account_update", "value": {}}, {"field": "messages", "value": {}}]},
        ]});
        let names = names_in_call(told.to_string().as_bytes());
        assert_eq!(
            names.iter().map(String::as_str).collect::<Vec<_>>(),
            ["account 2", "number 555", "number 556"]
        );
        assert!(names_in_call(b"no JSON").is_empty());
    }
}
