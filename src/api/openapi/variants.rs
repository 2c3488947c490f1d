//! Schemas that share a type: answers with more or fewer fields, requests by `type` or by channel.

use schemars::transform::Transform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::Schemas;
use crate::events::{CHAT_EVENTS, Event, MAIL_EVENTS};
use crate::fields::{Filled, Link};
use crate::schema::{allow_words, property, reference, remove_null, replace, require, set, without};
use model::bounds::MAX_TEXT_CHARS;
use model::reactions::BOT_CHAT_REACTIONS;

/// Adds the schemas that share a type with one that is there, and removes those that are only parts.
pub fn add_variants(schemas: &mut Schemas) {
    add_answers(schemas);
    mark_tests(schemas);
    split_by_type(schemas, "SendMessage", "Send", "SendWhatsAppMessage");
    split_by_type(schemas, "BroadcastMessage", "Broadcast", "BroadcastMessage");
    add_telegram(schemas);
    add_attachments(schemas);
    add_events(schemas);
    let events = |schema: &mut Schema, events: &[Event]| {
        let words: Vec<&str> = events.iter().map(|event| event.word()).collect();
        property(schema, "events").insert("items".to_owned(), json!({"type": "string", "enum": words}));
    };
    copy(schemas, "WebhookInput", "EmailWebhookInput", |schema| events(schema, &MAIL_EVENTS));
    copy(schemas, "WebhookInput", "WebhookInput", |schema| events(schema, &CHAT_EVENTS));
    let all: Vec<Event> = CHAT_EVENTS.into_iter().chain(MAIL_EVENTS).collect();
    copy(schemas, "Webhook", "Webhook", |schema| events(schema, &all));
    copy(schemas, "React", "ReactOnTelegram", |schema| {
        let emoji: Vec<&str> = [""].into_iter().chain(BOT_CHAT_REACTIONS).collect();
        replace(property(schema, "emoji"), json!({"type": "string", "enum": emoji}));
    });
}

/// Adds a changed copy of a schema.
fn copy(schemas: &mut Schemas, name: &str, to: &str, mut change: impl FnMut(&mut Schema)) {
    if let Some(mut schema) = schemas.get(name).cloned() {
        change(&mut schema);
        schemas.insert(to.to_owned(), schema);
    }
}

/// Deliveries by event. Delivered, read and failed messages share a type, which names no event.
fn add_events(schemas: &mut Schemas) {
    for event in CHAT_EVENTS.into_iter().chain(MAIL_EVENTS) {
        let upper = |part: &str| part[..1].to_uppercase() + &part[1..];
        let name = event.word().split('.').map(upper).collect::<String>() + "Event";
        let from = if schemas.contains_key(&name) { name.as_str() } else { "MessageProgressEvent" };
        let status = event.word().rsplit('.').next().filter(|_| from != name);
        copy(schemas, from, &name.clone(), |schema| {
            allow_words("event", event.word()).transform(schema);
            if let Some(Value::Object(field)) = schema.pointer_mut("/properties/data/properties/status") {
                field.extend(status.map(|status| ("enum".to_owned(), json!([status]))));
            }
        });
    }
    schemas.remove("MessageProgressEvent");
    schemas.remove("NewHappenings").and_then(|list| schemas.insert("Happenings".to_owned(), list));
}

/// Answers whose type has fields of several operations.
fn add_answers(schemas: &mut Schemas) {
    copy(schemas, "SentMessage", "SentSms", |schema| {
        without("whatsappMessageId telegramMessageId").transform(schema);
    });
    copy(schemas, "SentMessage", "SentTelegramMessage", |schema| {
        without("whatsappMessageId").transform(schema);
        require(schema, "telegramMessageId");
    });
    copy(schemas, "SentMessage", "SentMessage", |schema| {
        without("telegramMessageId").transform(schema);
        require(schema, "whatsappMessageId");
    });
    copy(schemas, "Conversation", "WholeConversation", |schema| {
        require(schema, "automationEnabled escalation")
    });
    copy(schemas, "Conversation", "Conversation", |schema| {
        without("automationEnabled escalation").transform(schema);
    });
    copy(schemas, "Message", "WholeMessage", |schema| require(schema, "creditsUsed"));
    copy(schemas, "Message", "Message", |schema| without("media creditsUsed").transform(schema));
    copy(schemas, "EmailThread", "WholeEmailThread", |schema| require(schema, "folder messages"));
    copy(schemas, "EmailThread", "ChangedEmailThread", |schema| {
        without("messages").transform(schema);
        require(schema, "folder");
    });
    copy(schemas, "EmailThread", "EmailThread", |schema| without("folder messages").transform(schema));
}

/// Adds `test` to the answers to writes.
fn mark_tests(schemas: &mut Schemas) {
    let test = json!({
        "type": "boolean",
        "const": true,
        "description": "Present for a test key: nothing was sent."
    });
    for name in [
        "AutomationResult",
        "BroadcastAccepted",
        "ChangedEmailThread",
        "CloseResult",
        "DeleteResult",
        "PlacedCall",
        "Reaction",
        "SentEmail",
        "SentMessage",
        "SentSms",
        "SentTelegramMessage",
        "UploadedMedia",
    ] {
        copy(schemas, name, name, |schema| {
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                properties.insert("test".to_owned(), test.clone());
            }
        });
    }
    for (name, whole) in [("CreatedWebhook", "Webhook"), ("UpsertedContact", "Contact")] {
        let marked = json_schema!({
            "allOf": [reference(whole), {"type": "object", "properties": {"test": test}}]
        });
        schemas.insert(name.to_owned(), marked);
    }
}

/// Replaces a schema that has an alternative for each `type` by one schema for each.
fn split_by_type(schemas: &mut Schemas, name: &str, prefix: &str, to: &str) {
    let Some(mut whole) = schemas.remove(name) else { return };
    let Some(Value::Array(alternatives)) = whole.remove("oneOf") else { return };
    let (mut references, mut mapping) = (Vec::new(), Map::new());
    for alternative in alternatives {
        let Ok(mut schema) = Schema::try_from(alternative) else { continue };
        let Some(word) = property(&mut schema, "type").remove("const") else { continue };
        property(&mut schema, "type").insert("enum".to_owned(), json!([word]));
        add_fields(&mut schema, &whole);
        let word = word.as_str().unwrap_or_default();
        let (first, rest) = word.split_at(word.len().min(1));
        let name = format!("{prefix}{}{rest}", first.to_uppercase());
        let reference = reference(&name);
        mapping.insert(word.to_owned(), reference["$ref"].clone());
        references.push(reference);
        schemas.insert(name, schema);
    }
    let discriminator = json!({"propertyName": "type", "mapping": mapping});
    let mut schema = json_schema!({"oneOf": references, "discriminator": discriminator});
    if let Some(description) = whole.remove("description") {
        schema.insert("description".to_owned(), description);
    }
    schemas.insert(to.to_owned(), schema);
}

fn add_fields(schema: &mut Schema, whole: &Schema) {
    if let (Some(Value::Object(properties)), Some(Value::Object(fields))) =
        (schema.get_mut("properties"), whole.get("properties"))
    {
        properties.extend(fields.clone());
    }
    let required = whole.get("required").and_then(Value::as_array).into_iter().flatten();
    required.filter_map(Value::as_str).for_each(|name| require(schema, name));
}

/// A text, or media behind an address; both are one type.
fn add_telegram(schemas: &mut Schemas) {
    copy(schemas, "SendTelegram", "SendTelegramText", |schema| {
        without("url caption filename").transform(schema);
        let kind = json!({"type": ["string", "null"], "enum": ["text", null], "default": "text"});
        replace(property(schema, "type"), kind);
        replace(property(schema, "text"), schema_of::<Filled<MAX_TEXT_CHARS>>());
        require(schema, "text");
    });
    copy(schemas, "SendTelegram", "SendTelegramMedia", |schema| {
        without("text").transform(schema);
        replace(property(schema, "url"), schema_of::<Link>());
        allow_words("type", "photo video document audio").transform(schema);
        require(schema, "type url");
    });
    schemas.remove("SendTelegram");
    let either = json_schema!({"oneOf": [reference("SendTelegramText"), reference("SendTelegramMedia")]});
    schemas.insert("SendTelegramMessage".to_owned(), either);
}

/// Bytes or an address, not both.
fn add_attachments(schemas: &mut Schemas) {
    let description = schemas.get_mut("Attachment").and_then(|schema| schema.remove("description"));
    let forbid = |schema: &mut Schema, name: &str| {
        let field = property(schema, name);
        field.remove("description");
        replace(field, json!({"type": ["string", "null"], "maxLength": 0}));
    };
    copy(schemas, "Attachment", "AttachedBytes", |schema| {
        forbid(schema, "url");
        remove_null(property(schema, "content"));
        set("content", "minLength", 1).transform(schema);
        require(schema, "content");
    });
    copy(schemas, "Attachment", "AttachedLink", |schema| {
        replace(property(schema, "url"), schema_of::<Link>());
        forbid(schema, "content");
        require(schema, "url");
    });
    let mut either = json_schema!({"oneOf": [reference("AttachedBytes"), reference("AttachedLink")]});
    either.insert("description".to_owned(), json!(description));
    schemas.insert("Attachment".to_owned(), either);
}

fn schema_of<T: JsonSchema>() -> Value {
    T::json_schema(&mut SchemaGenerator::default()).to_value()
}
