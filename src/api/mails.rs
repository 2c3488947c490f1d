//! Parses the mails of a thread. The API does not define their fields, so each is looked up under
//! the names that mail APIs commonly use; a mail without any known field is still returned, with
//! its raw form.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::email::InvitationBody;
use crate::lenient::find_text;

use model::email::fields::{
    AI_FIELDS, CC_FIELDS, DATE_FIELDS, DIRECTION_FIELDS, FILE_CONTENT_FIELDS, FILE_LIST_FIELDS,
    FILE_NAME_FIELDS, FILE_SIZE_FIELDS, FILE_TYPE_FIELDS, FILE_URL_FIELDS, FROM_FIELDS, FROM_NAME_FIELDS,
    HEADER_ID_FIELDS, HTML_FIELDS, ID_FIELDS, INBOUND_FIELDS, MESSAGE_LIST_FIELDS, OPENED_FIELDS,
    OUTBOUND_FIELDS, REPLY_TO_FIELDS, SENDER_DATE_FIELD, SENDER_FIELDS, STATUS_FIELDS, SUBJECT_FIELDS,
    TEXT_FIELDS, TO_FIELDS,
};
use model::email::invitations::{Invitation, InvitationAnswer};
use model::email::{MailFile, MailMessage};
use model::ids::{ConversationId, MessageId};
use model::messages::{AnswerPlace, DeliveryStatus, Direction, Message, MessageAgent, MessageMarks, Sender};
use model::text::{SafeText, is_plain};
use model::time::Timestamp;

type Fields = Map<String, Value>;

const MAX_FILES: usize = 200;
const MAX_ADDRESSES: usize = 500;

/// Returns the mails of a single thread, oldest first; empty if no list of them is found.
pub fn mails_of_thread(thread: &RawValue) -> Vec<Box<RawValue>> {
    let Ok(fields) = serde_json::from_str::<std::collections::HashMap<String, Box<RawValue>>>(thread.get())
    else {
        return Vec::new();
    };
    let list = MESSAGE_LIST_FIELDS.iter().find_map(|name| {
        let raw = fields.get(*name)?;
        serde_json::from_str::<Vec<Box<RawValue>>>(raw.get()).ok()
    });
    // Some APIs wrap the thread in an object.
    list.or_else(|| fields.get("thread").map(|field| mails_of_thread(field))).unwrap_or_default()
}

/// Reads a mail as a message with its mail-specific fields. A mail from `own`, the account's
/// address, is outbound unless the server says otherwise.
pub fn read_mail(
    raw: &RawValue,
    thread: &ConversationId,
    own: Option<&str>,
    place: usize,
) -> (Message, MailMessage) {
    let fields: Fields = serde_json::from_str(raw.get()).unwrap_or_default();
    let letter = parse_mail(&fields);
    let outbound = direction(&fields, &letter, own) == Direction::Outbound;
    let status = find_text(&fields, &STATUS_FIELDS).unwrap_or_default();
    let known = !letter.from.is_empty() || letter.plain.is_some() || html_of(&fields).is_some();
    let message = Message {
        platform_id: letter.header_id.clone(),
        direction: if outbound { Direction::Outbound } else { Direction::Inbound },
        sender: if outbound { sender(&fields) } else { Sender::Customer },
        agent: if outbound { agent(&fields) } else { None },
        marks: MessageMarks { sent_from: answer_place(&fields), ..MessageMarks::default() },
        content: match (&letter.plain, known) {
            (Some(plain), _) => plain.clone(),
            (None, true) => SafeText::default(),
            (None, false) => SafeText::line("This mail could not be read; see its raw data (=)."),
        },
        content_type: "email".to_owned(),
        delivery: match status.as_str() {
            "opened" => DeliveryStatus::Read,
            word => DeliveryStatus::from_word(word),
        },
        created_at: date(&fields),
        read_at: find_text(&fields, &OPENED_FIELDS).and_then(|text| Timestamp::parse_any(&text)),
        raw: raw.get().to_owned(),
        ..Message::stand_in(
            MessageId::new(
                find_text(&fields, &ID_FIELDS)
                    .filter(|text| is_plain(text))
                    .unwrap_or_else(|| format!("{thread}#{place}")),
            ),
            thread.clone(),
        )
    };
    (message, letter)
}

/// True if the mail was in the mailbox before it was connected, so that it is not news.
pub fn is_imported(raw: &str) -> bool {
    let fields: Fields = serde_json::from_str(raw).unwrap_or_default();
    fields.get("imported") == Some(&Value::Bool(true))
}

/// The result is not sanitized.
pub fn html(raw: &str) -> Option<String> {
    html_of(&serde_json::from_str(raw).ok()?)
}

pub fn attachment_bytes(raw: &str, place: usize) -> Option<Vec<u8>> {
    let fields: Fields = serde_json::from_str(raw).ok()?;
    let file = files(&fields).get(place)?.as_object()?;
    let text = FILE_CONTENT_FIELDS.iter().find_map(|file_byte| file.get(*file_byte)?.as_str())?;
    // In a data URL the content follows the comma.
    let text = text.split_once("base64,").map_or(text, |(_, rest)| rest);
    STANDARD.decode(text.split_whitespace().collect::<String>()).ok()
}

fn parse_mail(fields: &Fields) -> MailMessage {
    let line = |text: Option<String>| SafeText::optional_line(text.as_deref());
    let (from, name) = first(fields, &FROM_FIELDS).map_or((None, None), correspondent);
    let header_id = find_text(fields, &HEADER_ID_FIELDS).or_else(|| {
        // A value with angle brackets is a header and not an id of the service.
        find_text(fields, &["messageId"]).filter(|text| text.starts_with('<'))
    });
    MailMessage {
        from_name: line(find_text(fields, &FROM_NAME_FIELDS)).or_else(|| line(name)),
        to: addresses(fields, &TO_FIELDS),
        cc: addresses(fields, &CC_FIELDS),
        reply_to: addresses(fields, &REPLY_TO_FIELDS),
        sender: addresses(fields, &["sender"]).into_iter().next().filter(|sender| {
            fields.contains_key("from")
                && from.as_ref().is_none_or(|from| !from.eq_ignore_ascii_case(sender.as_str()))
        }),
        from: SafeText::line(&from.unwrap_or_default()),
        is_unanswerable: fields.get("canBeAnswered").and_then(Value::as_bool) == Some(false),
        subject: line(find_text(fields, &SUBJECT_FIELDS)),
        header_id,
        sent_at: time(fields, "sentAt").filter(|_| fields.contains_key("createdAt")),
        dated_at: time(fields, SENDER_DATE_FIELD),
        plain: plain_text(fields).map(|plain| SafeText::block(&plain)),
        rich: None,
        links: Vec::new(),
        files: files(fields).iter().take(MAX_FILES).map(file).collect(),
        delivered_to: addresses(fields, &["deliveredTo"]).into_iter().next(),
        invitation: fields.get("invitation").and_then(invitation),
        invitation_response: find_text(fields, &["invitationResponse"])
            .and_then(|word| InvitationAnswer::from_word(&word)),
    }
}

fn invitation(value: &Value) -> Option<Invitation> {
    let body: InvitationBody = serde_json::from_value(value.clone()).ok()?;
    let line = |text: Option<String>| SafeText::optional_line(text.as_deref());
    Some(Invitation {
        summary: line(body.summary).unwrap_or_default(),
        when: line(body.when),
        ends_at: body.ends_at.as_deref().and_then(Timestamp::parse_any),
        organizer: line(body.organizer),
        guest: line(body.guest),
        is_cancelled: body.cancelled,
        response: body.response,
    })
}

/// Returns a text under one of `names`; from an object, its part under one of `inner`.
fn body(fields: &Fields, names: &[&str], inner: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match fields.get(*name)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Object(parts) => find_text(parts, inner),
        _ => None,
    })
}

fn looks_like_html(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(200).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || start.starts_with("<div")
        || start.starts_with("<p>")
        || start.starts_with("<table")
}

fn plain_text(fields: &Fields) -> Option<String> {
    body(fields, &TEXT_FIELDS, &["text", "plain", "textPlain"]).filter(|body| !looks_like_html(body))
}

fn html_of(fields: &Fields) -> Option<String> {
    let named = body(fields, &HTML_FIELDS, &["html", "content"])
        .or_else(|| body(fields, &["body"], &["html", "textHtml", "content"]));
    named
        .filter(|text| text.contains('<'))
        .or_else(|| body(fields, &TEXT_FIELDS, &[]).filter(|body| looks_like_html(body)))
}

fn direction(fields: &Fields, letter: &MailMessage, own: Option<&str>) -> Direction {
    let word = find_text(fields, &DIRECTION_FIELDS).unwrap_or_default().to_ascii_lowercase();
    match word.as_str() {
        "inbound" | "incoming" | "received" | "inbox" => return Direction::Inbound,
        "outbound" | "outgoing" | "sent" => return Direction::Outbound,
        _ => (),
    }
    let flag = OUTBOUND_FIELDS.iter().find_map(|text| fields.get(*text)?.as_bool());
    let flag = flag
        .or_else(|| INBOUND_FIELDS.iter().find_map(|text| fields.get(*text)?.as_bool()).map(|flag| !flag));
    let own = own.is_some_and(|text| letter.from.as_str().eq_ignore_ascii_case(text));
    if flag.unwrap_or(own) { Direction::Outbound } else { Direction::Inbound }
}

fn sender(fields: &Fields) -> Sender {
    if let Some(true) = AI_FIELDS.iter().find_map(|text| fields.get(*text)?.as_bool()) {
        return Sender::Ai;
    }
    match find_text(fields, &SENDER_FIELDS) {
        Some(word) => Sender::from_words(Direction::Outbound, &word),
        None => Sender::Api,
    }
}

fn agent(fields: &Fields) -> Option<MessageAgent> {
    MessageAgent::named(fields.get("agent")?.get("name")?.as_str()?)
}

fn answer_place(fields: &Fields) -> Option<AnswerPlace> {
    AnswerPlace::from_word(fields.get("sentFrom")?.as_str()?)
}

fn date(fields: &Fields) -> Option<Timestamp> {
    DATE_FIELDS.iter().find_map(|name| time(fields, name))
}

fn time(fields: &Fields, name: &str) -> Option<Timestamp> {
    match fields.get(name)? {
        Value::String(text) => Timestamp::parse_any(text),
        Value::Number(number) => Timestamp::parse_any(&number.to_string()),
        _ => None,
    }
}

fn first<'a>(fields: &'a Fields, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| fields.get(*name).filter(|field| !field.is_null()))
}

fn addresses(fields: &Fields, names: &[&str]) -> Vec<SafeText> {
    let Some(found) = first(fields, names) else { return Vec::new() };
    let one = |value: &Value| correspondent(value).0;
    let all: Vec<String> = match found {
        Value::Array(items) => items.iter().take(MAX_ADDRESSES).filter_map(one).collect(),
        Value::String(line) => split(line),
        other => one(other).into_iter().collect(),
    };
    all.iter().map(|text| SafeText::line(text)).collect()
}

fn split(line: &str) -> Vec<String> {
    use model::email::addresses::{TypedAddress, parse_list};
    let text = |typed_address| match typed_address {
        TypedAddress::Address(typed_address) | TypedAddress::Invalid(typed_address) => typed_address,
    };
    parse_list(line).into_iter().take(MAX_ADDRESSES).map(text).collect()
}

/// Reads address and name from `Ana <ana@x.example>` or an object.
fn correspondent(value: &Value) -> (Option<String>, Option<String>) {
    match value {
        Value::String(text) => match text.rsplit_once('<') {
            Some((name, rest)) => {
                let name = name.trim().trim_matches('"').trim();
                let named = (!name.is_empty()).then(|| name.to_owned());
                (Some(rest.trim_end_matches('>').trim().to_owned()), named)
            }
            None => (Some(text.trim().to_owned()), None),
        },
        Value::Object(parts) => {
            let inner = parts.get("emailAddress").and_then(Value::as_object).unwrap_or(parts);
            (
                find_text(inner, &["email", "address", "emailAddress", "mail"]),
                find_text(inner, &["name", "displayName"]),
            )
        }
        Value::Array(items) => items.first().map_or((None, None), correspondent),
        _ => (None, None),
    }
}

fn files(fields: &Fields) -> &[Value] {
    let list = FILE_LIST_FIELDS.iter().find_map(|file_list| fields.get(*file_list)?.as_array());
    list.map_or(&[], Vec::as_slice)
}

fn file(value: &Value) -> MailFile {
    let nothing = Fields::new();
    let fields = value.as_object().unwrap_or(&nothing);
    let name = find_text(fields, &FILE_NAME_FIELDS).or_else(|| value.as_str().map(str::to_owned));
    let size = FILE_SIZE_FIELDS.iter().find_map(|file_size| match fields.get(*file_size)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    });
    MailFile {
        name: SafeText::line(name.as_deref().unwrap_or("unnamed")),
        kind: SafeText::optional_line(find_text(fields, &FILE_TYPE_FIELDS).as_deref()),
        size,
        url: find_text(fields, &FILE_URL_FIELDS),
        enclosed: FILE_CONTENT_FIELDS
            .iter()
            .any(|file_byte| fields.get(*file_byte).is_some_and(Value::is_string)),
    }
}

#[cfg(test)]
mod tests;
