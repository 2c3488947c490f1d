//! Adds tags to payloads written before tags existed, inferred from their fields.

use serde_json::{Map, Value, json};

pub(crate) fn tag_operation(word: &str, value: &mut Value) {
    let Some(fields) = untagged_fields(value) else { return };
    let mut within = |name: &str, tag: fn(&mut Value)| fields.get_mut(name).into_iter().for_each(tag);
    match word {
        "send-content" => within("content", tag_content),
        "broadcast" => {
            within("content", tag_broadcast);
            within("to", tag_audience);
        }
        "thread" => within("change", tag_place),
        "mail" => within("attachments", |value| {
            value.as_array_mut().into_iter().flatten().for_each(tag_mail_attachment)
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
        // An upload with a recipient is sent afterwards.
        "upload" if fields.contains_key("to") => "send-file",
        same => same,
    };
    fields.insert("type".to_owned(), tag.into());
}

/// Tags the attachment of a draft.
pub(crate) fn tag_attachment(value: &mut Value) {
    let Some(fields) = value.as_object_mut().filter(|object_mut| !object_mut.contains_key("source")) else {
        return;
    };
    let source = ["link", "uploaded"].into_iter().find_map(|text| Some(with_tag(text, fields.remove(text)?)));
    let source = source.unwrap_or_else(|| with_tag("file", Value::Object(fields.clone())));
    fields.insert("source".to_owned(), source);
}

pub(crate) fn tag_broadcast(value: &mut Value) {
    let Some(fields) = untagged_fields(value) else { return };
    match infer_tag(fields).as_str() {
        "text" => *value = with_tag("text", fields.remove("text").unwrap_or_default()),
        "image" => *value = with_tag("image", fields.remove("link").unwrap_or_default()),
        word => *value = with_tag(word, value.take()),
    }
}

fn tag_content(value: &mut Value) {
    let Some(fields) = untagged_fields(value) else { return };
    match infer_tag(fields).as_str() {
        "interactive" => *value = with_tag("interactive", fields.remove("object").unwrap_or_default()),
        word @ ("marked" | "template" | "location") => *value = with_tag(word, value.take()),
        _ => *value = with_tag("media", value.take()),
    }
}

fn tag_audience(value: &mut Value) {
    match value.take() {
        Value::Null => *value = json!({"type": "everyone"}),
        ids @ Value::Array(_) => *value = with_tag("contacts", ids),
        other => *value = other,
    }
}

fn tag_place(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else { return };
    let places = [("archived", Value::is_boolean as fn(&Value) -> bool), ("folder", Value::is_string)];
    let place = places
        .into_iter()
        .find_map(|(name, fits)| fields.remove(name).filter(&fits).map(|field| with_tag(name, field)));
    if let Some(place) = place {
        fields.insert("place".to_owned(), place);
    }
}

fn tag_mail_attachment(value: &mut Value) {
    let Some(fields) = value.as_object_mut().filter(|object_mut| !object_mut.contains_key("source")) else {
        return;
    };
    let source = match (fields.remove("link"), fields.remove("size")) {
        (Some(link @ Value::String(_)), _) => with_tag("link", link),
        (_, size) => with_tag("enclosed", size.unwrap_or_default()),
    };
    fields.insert("source".to_owned(), source);
}

fn untagged_fields(value: &mut Value) -> Option<&mut Map<String, Value>> {
    value.as_object_mut().filter(|object_mut| !object_mut.contains_key("type"))
}

fn infer_tag(fields: &Map<String, Value>) -> String {
    fields.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn with_tag(tag: &str, value: Value) -> Value {
    json!({"type": tag, "value": value})
}
