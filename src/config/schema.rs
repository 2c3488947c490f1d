//! JSON Schema of `config.toml`, for editors.

use serde_json::{Map, Value, json};

use crate::config::settings::{Setting, SettingTable, SettingValue, TABLES, TableForm};
use inbox::command::{self, TABLE};
use inbox::keymap::KeyMap;

pub fn schema() -> Value {
    let tables = TABLES.iter().filter(|table| !matches!(table.form, TableForm::Within(_)));
    let properties: Map<String, Value> =
        tables.map(|setting_table| (setting_table.name.to_owned(), table(setting_table))).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "frontdesk: config.toml",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn table(of: &SettingTable) -> Value {
    let mut item = match of.name {
        "keys" => keys(),
        "senders" => json!({ "type": "object", "additionalProperties": text() }),
        _ => rows(of),
    };
    match of.form {
        TableForm::Repeated => json!({ "type": "array", "description": of.doc, "items": item }),
        TableForm::Once | TableForm::File | TableForm::Within(_) => {
            item["description"] = of.doc.into();
            item
        }
    }
}

/// Schema of a table with known keys.
fn rows(of: &SettingTable) -> Value {
    let own = of.settings.iter().map(|setting| (setting.key.to_owned(), property(setting)));
    let within = TABLES.iter().filter(|table| table.form == TableForm::Within(of.name));
    let within = within.map(|within| (within.name.to_owned(), table(within)));
    let properties: Map<String, Value> = own.chain(within).collect();
    let required: Vec<&str> =
        of.settings.iter().filter(|setting| setting.required).map(|setting| setting.key).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "required": required,
    })
}

fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

fn property(of: &Setting) -> Value {
    let mut item = match of.value {
        SettingValue::Text => text(),
        SettingValue::Flag => json!({ "type": "boolean" }),
        SettingValue::Number(from, to) => json!({ "type": "integer", "minimum": from, "maximum": to }),
        SettingValue::Word(words) => json!({ "type": "string", "enum": words() }),
        SettingValue::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        SettingValue::TextOrTexts => {
            json!({ "anyOf": [text(), { "type": "array", "items": { "type": "string" } }] })
        }
    };
    item["description"] = of.doc.into();
    // Only defaults that TOML and JSON write alike.
    if let Ok(default) = serde_json::from_str::<Value>(of.default) {
        item["default"] = default;
    }
    item
}

/// Property for each command, with its default keys.
fn keys() -> Value {
    let keymap = KeyMap::default();
    let property = |of: &command::CommandRow| {
        let item = json!({
            "description": keymap.doc_with_keys(of.command),
            "default": keymap.key_names(of.command),
            "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }],
        });
        (command::name(of.command), item)
    };
    let properties: Map<String, Value> = TABLE.iter().map(property).collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}
