//! Parts of schemas that the derive cannot know: fields that the service always writes, words, bounds.
//!
//! A transform names fields as they are in JSON, separated by spaces, and panics for one that its type does not
//! have. Words are separated by spaces, too.

use std::borrow::Cow;

use schemars::transform::Transform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::fields::MailAddress;
use model::bounds::MAX_RECIPIENTS;

/// Folder of the schemas in the document.
pub const SCHEMAS: &str = "/components/schemas";
/// At least one character that is no white space.
pub const NOT_BLANK: &str =
    r"[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";
/// E.164.
pub const PHONE: &str = r"^\+[1-9][0-9]{6,14}$";
/// A phone number, a person's id or a group.
pub const CHAT_ADDRESS: &str =
    r"^(\+[1-9][0-9]{6,14}|[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}|group:[A-Za-z0-9=_@.+/-]{1,200})$";
pub const CONVERSATION_STATUS: &str = "active closed";

/// A time as the service writes it.
pub struct Time;

impl JsonSchema for Time {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time", "examples": ["2026-11-20T09:17:04.000Z"]})
    }
}

/// An object whose fields differ from case to case.
pub struct AnyObject;

impl JsonSchema for AnyObject {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnyObject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "additionalProperties": true})
    }
}

/// A mail address or an empty text.
pub struct AddressOrEmpty;

impl JsonSchema for AddressOrEmpty {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AddressOrEmpty".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let address = MailAddress::json_schema(generator);
        json_schema!({"anyOf": [address, {"type": "string", "maxLength": 0}]})
    }
}

/// One mail address, or an array of them.
pub fn one_or_more_addresses(generator: &mut SchemaGenerator) -> Schema {
    let address = MailAddress::json_schema(generator);
    let many = json!({"type": "array", "items": address, "minItems": 1, "maxItems": MAX_RECIPIENTS});
    json_schema!({"anyOf": [address, many]})
}

/// Returns the schema of a field.
///
/// # Panics
/// If there is no such field.
pub fn property<'a>(schema: &'a mut Schema, name: &str) -> &'a mut Map<String, Value> {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    let Some(property) = properties.and_then(|properties| properties.get_mut(name)) else {
        panic!("a transform names the field {name}, which its type does not have");
    };
    // A field of any JSON has the schema `true`.
    if property.is_boolean() {
        *property = json!({});
    }
    property.as_object_mut().unwrap_or_else(|| panic!("the schema of {name} is no object"))
}

pub fn require(schema: &mut Schema, names: &str) {
    let required = schema.ensure_object().entry("required").or_insert_with(|| json!([]));
    let Value::Array(required) = required else { return };
    required.extend(names.split(' ').map(|name| json!(name)));
    required.sort_unstable_by(|one, other| one.as_str().cmp(&other.as_str()));
    required.dedup();
}

pub fn remove_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = types.as_slice() {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

/// Makes fields required and never null: the service always writes them.
pub fn always(names: &'static str) -> impl Transform {
    move |schema: &mut Schema| {
        names.split(' ').for_each(|name| remove_null(property(schema, name)));
        require(schema, names);
    }
}

/// Lets fields of a request be null, which counts as absent.
pub fn nullable(names: &'static str) -> impl Transform {
    move |schema: &mut Schema| {
        for name in names.split(' ') {
            let field = property(schema, name);
            let kind = field.remove("type");
            field.insert("type".to_owned(), json!([kind, "null"]));
        }
    }
}

/// Sets a keyword of fields, such as a bound.
pub fn set(names: &'static str, keyword: &'static str, value: impl Into<Value>) -> impl Transform {
    let value = value.into();
    move |schema: &mut Schema| {
        for name in names.split(' ') {
            property(schema, name).insert(keyword.to_owned(), value.clone());
        }
    }
}

/// Restricts a field to words; it may stay null.
pub fn allow_words(name: &'static str, words: &str) -> impl Transform {
    let words: Vec<Value> = words.split(' ').map(|word| json!(word)).collect();
    move |schema: &mut Schema| {
        property(schema, name).insert("enum".to_owned(), json!(words));
    }
}

/// Makes fields of text times.
pub fn times(names: &'static str) -> impl Transform {
    move |schema: &mut Schema| {
        for name in names.split(' ') {
            let field = property(schema, name);
            field.insert("format".to_owned(), json!("date-time"));
            field.insert("examples".to_owned(), json!(["2026-11-20T09:17:04.000Z"]));
        }
    }
}

/// Removes fields that a variant of a type does not have.
pub fn without(names: &'static str) -> impl Transform {
    move |schema: &mut Schema| {
        for name in names.split(' ') {
            property(schema, name);
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                properties.remove(name);
            }
            if let Some(Value::Array(required)) = schema.get_mut("required") {
                required.retain(|field| field != name);
            }
        }
    }
}

/// Returns a reference to a schema of the document.
pub fn reference(name: &str) -> Value {
    json!({"$ref": format!("#{SCHEMAS}/{name}")})
}

/// Lets the schema of a field be one of the document.
pub fn refer(field: &'static str, name: &'static str) -> impl Transform {
    move |schema: &mut Schema| replace(property(schema, field), reference(name))
}

/// Replaces all of a field's schema but its description.
pub fn replace(field: &mut Map<String, Value>, schema: Value) {
    let description = field.remove("description");
    *field = match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    field.extend(description.map(|description| ("description".to_owned(), description)));
}
