//! The OpenAPI document. `operations.json` is written by hand and holds everything except the schemas, which are
//! derived from the contract's types; `prose.json` says what their fields mean.

mod overlay;
mod variants;

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use crate::events::EventBody;
use crate::schema::{SCHEMAS, remove_null};
use crate::{
    account, broadcasts, contacts, conversations, email, errors, events, media, messages, pages, reactions,
    team, telegram, templates, triggers, voip, webhooks,
};

const OPERATIONS: &str = include_str!("operations.json");
/// Line of `operations.json` in whose place the schemas are written.
const SCHEMAS_LINE: &str = "    \"schemas\": {}\n";

type Schemas = BTreeMap<String, Schema>;

/// Returns the document as JSON.
///
/// # Errors
/// If an entry of `prose.json` fits no schema, or the parts are not valid JSON.
pub fn document() -> Result<String, String> {
    let mut prose = overlay::Prose::parse(include_str!("prose.json"))?;
    let mut schemas = answers();
    schemas.extend(requests());
    schemas.insert("ErrorCode".to_owned(), error_code());
    prose.describe(&mut schemas)?;
    variants::add_variants(&mut schemas);
    prose.describe(&mut schemas)?;
    prose.finish()?;
    let (before, after) =
        OPERATIONS.split_once(SCHEMAS_LINE).ok_or("operations.json has no schemas in its components")?;
    let schemas = serde_json::to_string_pretty(&schemas).map_err(|error| format!("the schemas: {error}"))?;
    let document = format!("{before}    \"schemas\": {}\n{after}", schemas.replace('\n', "\n    "));
    match serde_json::from_str::<Value>(&document) {
        Ok(_) => Ok(document),
        Err(error) => Err(format!("operations.json with the schemas is not valid JSON: {error}")),
    }
}

/// Schemas of the answers, as the service writes them.
fn answers() -> Schemas {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = SCHEMAS.into())
        .for_serialize()
        .with_transform(tidy)
        .with_transform(drop_null_of_optional)
        .into_generator();
    generator.subschema_for::<account::AccountBody>();
    generator.subschema_for::<account::DeskServiceBody>();
    generator.subschema_for::<broadcasts::BroadcastAccepted>();
    generator.subschema_for::<broadcasts::BroadcastBody>();
    generator.subschema_for::<pages::Page<contacts::ContactBody>>();
    generator.subschema_for::<pages::Page<conversations::ConversationBody<'_>>>();
    generator.subschema_for::<conversations::AutomationResult>();
    generator.subschema_for::<conversations::CloseResult>();
    generator.subschema_for::<conversations::DeskAutomationResult>();
    generator.subschema_for::<email::EmailAccountBody>();
    generator.subschema_for::<email::SentEmail>();
    generator.subschema_for::<pages::Page<email::EmailThreadBody>>();
    generator.subschema_for::<pages::Page<email::EmailContactBody>>();
    generator.subschema_for::<errors::ErrorBody>();
    generator.subschema_for::<EventBody<events::MessageReceived<'_>>>();
    generator.subschema_for::<EventBody<events::MessageSent<'_>>>();
    generator.subschema_for::<EventBody<events::MessageProgress<'_>>>();
    generator.subschema_for::<EventBody<events::EmailReceived<'_>>>();
    generator.subschema_for::<EventBody<events::EmailSent<'_>>>();
    generator.subschema_for::<EventBody<events::EmailOpened<'_>>>();
    generator.subschema_for::<EventBody<events::EmailThreadCategorized<'_>>>();
    generator.subschema_for::<media::MediaBody>();
    generator.subschema_for::<messages::SentMessage>();
    generator.subschema_for::<pages::Page<messages::MessageBody<'_>>>();
    generator.subschema_for::<reactions::ReactResult>();
    generator.subschema_for::<team::TeamServiceBody>();
    generator.subschema_for::<team::SignedIn>();
    generator.subschema_for::<team::SignedOut>();
    generator.subschema_for::<team::TeamChannelList>();
    generator.subschema_for::<team::ChannelKey>();
    generator.subschema_for::<team::SharedConversationList>();
    generator.subschema_for::<team::TeamMemberList>();
    generator.subschema_for::<team::TeamStats>();
    generator.subschema_for::<team::SharedReplyList>();
    generator.subschema_for::<team::SharedDeleted>();
    generator.subschema_for::<team::PresenceAnnounced>();
    generator.subschema_for::<pages::Page<telegram::TelegramConversationBody>>();
    generator.subschema_for::<templates::TemplateList>();
    generator.subschema_for::<templates::SubmittedTemplateBody>();
    generator.subschema_for::<triggers::Newest<messages::MessageBody<'_>>>();
    generator.subschema_for::<triggers::Newest<contacts::ContactBody>>();
    generator.subschema_for::<triggers::Newest<triggers::TriggerEventBody>>();
    generator.subschema_for::<voip::CallBody>();
    generator.subschema_for::<pages::Page<voip::VoipConversationBody>>();
    generator.subschema_for::<webhooks::WebhookList>();
    generator.subschema_for::<webhooks::DeleteResult>();
    definitions(generator)
}

/// Schemas of the requests, as the service reads them.
fn requests() -> Schemas {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = SCHEMAS.into())
        .for_deserialize()
        .with_transform(tidy)
        .into_generator();
    generator.subschema_for::<broadcasts::CreateBroadcast>();
    generator.subschema_for::<contacts::SaveContact>();
    generator.subschema_for::<conversations::AutomationPatch>();
    generator.subschema_for::<conversations::DeskAutomationBody>();
    // Only read: the service passes on what the platform says.
    generator.subschema_for::<conversations::ReferralBody>();
    generator.subschema_for::<email::SendEmail>();
    generator.subschema_for::<email::ThreadPatch>();
    generator.subschema_for::<messages::SendMessage>();
    generator.subschema_for::<reactions::React>();
    generator.subschema_for::<team::SignIn>();
    generator.subschema_for::<team::NewChannelKey>();
    generator.subschema_for::<team::ClaimRequest>();
    generator.subschema_for::<team::NewNote>();
    generator.subschema_for::<team::NotePatch>();
    generator.subschema_for::<team::SetTags>();
    generator.subschema_for::<team::SetSnooze>();
    generator.subschema_for::<team::SetReply>();
    generator.subschema_for::<team::AnnouncePresence>();
    generator.subschema_for::<telegram::SendTelegram>();
    generator.subschema_for::<templates::SubmitTemplate>();
    generator.subschema_for::<voip::SendSms>();
    generator.subschema_for::<voip::PlaceCall>();
    generator.subschema_for::<webhooks::CreateWebhook>();
    definitions(generator)
}

fn definitions(mut generator: SchemaGenerator) -> Schemas {
    let definitions = generator.take_definitions(true).into_iter();
    definitions.filter_map(|(name, schema)| Some((name, Schema::try_from(schema).ok()?))).collect()
}

fn error_code() -> Schema {
    let words: Vec<&str> = errors::ErrorCode::ALL.iter().map(|code| code.word()).collect();
    schemars::json_schema!({"type": "string", "enum": words})
}

/// Removes defaults and the formats of Rust's numbers, and unwraps the lines of descriptions.
fn tidy(schema: &mut Schema) {
    schema.remove("default");
    let is_of_rust = |format: &Value| {
        format.as_str().is_some_and(|format| ["uint32", "uint64", "int64", "double"].contains(&format))
    };
    if schema.get("format").is_some_and(is_of_rust) {
        schema.remove("format");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    transform_subschemas(&mut tidy, schema);
}

/// Removes null from the fields that an answer may leave out: they are left out instead.
fn drop_null_of_optional(schema: &mut Schema) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let optional = properties.iter_mut().filter(|(name, _)| !required.iter().any(|field| field == *name));
        optional.filter_map(|(_, field)| field.as_object_mut()).for_each(remove_null);
    }
    transform_subschemas(&mut drop_null_of_optional, schema);
}
