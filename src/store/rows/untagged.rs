//! Payloads of files from before they had tags: what each holds tells what it
//! is, and it is given the tag.

use serde_json::{Map, Value, json};

/// A payload of the outbox; the word beside it says most of what it is.
pub(crate) fn operation(word: &str, value: &mut Value) {
    let Some(fields) = untagged(value) else { return };
    let mut within = |name: &str, tag: fn(&mut Value)| fields.get_mut(name).into_iter().for_each(tag);
    match word {
        "send-content" => within("content", content),
        "broadcast" => {
            within("content", broadcast);
            within("to", audience);
        }
        "thread" => within("change", place),
        "mail" => within("attachments", |value| {
            value.as_array_mut().into_iter().flatten().for_each(mail_attachment)
        }),
        "pause" | "resume" => drop(fields.insert("enabled".to_owned(), (word == "resume").into())),
        _ => (),
    }
    let tag = match word {
        "send" => "send-text",
        "pause" | "resume" => "set-automation",
        "mail" => "send-mail",
        "thread" => "change-thread",
        "sms" => "send-sms",
        "contact" if fields.contains_key("unset") => "change-contact",
        "contact" if fields.contains_key("add") => "change-tags",
        "contact" => "save-contact",
        "contact-delete" => "delete-contact",
        "webhook" => "add-webhook",
        "webhook-delete" => "remove-webhook",
        // One that says to whom is sent there afterwards.
        "upload" if fields.contains_key("to") => "send-file",
        same => same,
    };
    fields.insert("type".to_owned(), tag.into());
}

/// What goes with a draft.
pub(crate) fn attachment(value: &mut Value) {
    let Some(fields) = value.as_object_mut().filter(|object_mut| !object_mut.contains_key("source")) else {
        return;
    };
    let source = ["link", "uploaded"].into_iter().find_map(|text| Some(tagged(text, fields.remove(text)?)));
    let source = source.unwrap_or_else(|| tagged("file", Value::Object(fields.clone())));
    fields.insert("source".to_owned(), source);
}

/// What a broadcast says.
pub(crate) fn broadcast(value: &mut Value) {
    let Some(fields) = untagged(value) else { return };
    match word_of(fields).as_str() {
        "text" => *value = tagged("text", fields.remove("text").unwrap_or_default()),
        "image" => *value = tagged("image", fields.remove("link").unwrap_or_default()),
        word => *value = tagged(word, value.take()),
    }
}

fn content(value: &mut Value) {
    let Some(fields) = untagged(value) else { return };
    match word_of(fields).as_str() {
        "interactive" => *value = tagged("interactive", fields.remove("object").unwrap_or_default()),
        word @ ("marked" | "template" | "location") => *value = tagged(word, value.take()),
        _ => *value = tagged("media", value.take()),
    }
}

fn audience(value: &mut Value) {
    match value.take() {
        Value::Null => *value = json!({"type": "everyone"}),
        ids @ Value::Array(_) => *value = tagged("contacts", ids),
        other => *value = other,
    }
}

fn place(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else { return };
    let places = [("archived", Value::is_boolean as fn(&Value) -> bool), ("folder", Value::is_string)];
    let place = places
        .into_iter()
        .find_map(|(name, fits)| fields.remove(name).filter(&fits).map(|field| tagged(name, field)));
    if let Some(place) = place {
        fields.insert("place".to_owned(), place);
    }
}

fn mail_attachment(value: &mut Value) {
    let Some(fields) = value.as_object_mut().filter(|object_mut| !object_mut.contains_key("source")) else {
        return;
    };
    let source = match (fields.remove("link"), fields.remove("size")) {
        (Some(link @ Value::String(_)), _) => tagged("link", link),
        (_, size) => tagged("enclosed", size.unwrap_or_default()),
    };
    fields.insert("source".to_owned(), source);
}

fn untagged(value: &mut Value) -> Option<&mut Map<String, Value>> {
    value.as_object_mut().filter(|object_mut| !object_mut.contains_key("type"))
}

fn word_of(fields: &Map<String, Value>) -> String {
    fields.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn tagged(tag: &str, value: Value) -> Value {
    json!({"type": tag, "value": value})
}
