//! Changes of messages after they were read, from a listed conversation and from the message
//! itself. The fields are not part of the documented interface; a service without them reports no
//! changes. So are the album, the form and the forwarding mark of a message.

use serde::Deserialize;
use serde_json::{Map, Value};

use model::messages::{AnswerPlace, ContentChange, FormerContent, MessageForm, MessageMarks};
use model::text::SafeText;
use model::time::Timestamp;

const MAX_FORMER_CONTENTS: usize = 20;

/// Time of a conversation's last message change, and time of the oldest recently changed message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastChange {
    pub at: Timestamp,
    pub message_at: Timestamp,
}

/// Parses the change times of a raw conversation; `None` if the service reports none.
pub(crate) fn parse_last_change(raw: &str) -> Option<LastChange> {
    if !raw.contains("\"lastChange\"") {
        return None;
    }
    let told: Value = serde_json::from_str(raw).ok()?;
    let time = |name: &str| Timestamp::parse_any(told["lastChange"][name].as_str()?);
    Some(LastChange { at: time("at")?, message_at: time("messageAt")? })
}

pub(crate) fn parse_message_change(raw: &str) -> ContentChange {
    if !["\"editedAt\"", "\"withdrawnAt\""].iter().any(|name| raw.contains(name)) {
        return ContentChange::default();
    }
    let Ok(item) = serde_json::from_str::<Map<String, Value>>(raw) else { return ContentChange::default() };
    let time = |value: &Value| value.as_str().and_then(Timestamp::parse_any);
    let former = item.get("formerContents").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let one = |told: &Value| {
        let content = SafeText::block(told["content"].as_str()?);
        Some(FormerContent { content, until: time(&told["until"]) })
    };
    ContentChange {
        edited_at: item.get("editedAt").and_then(time),
        withdrawn_at: item.get("withdrawnAt").and_then(time),
        former: former.iter().rev().take(MAX_FORMER_CONTENTS).filter_map(one).collect(),
    }
}

/// Parses the album of a raw message.
pub(crate) fn parse_album(raw: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Item {
        #[serde(default)]
        album: Value,
    }
    if !raw.contains("\"album\"") {
        return None;
    }
    let album = serde_json::from_str::<Item>(raw).ok()?.album;
    album.as_str().filter(|album| !album.is_empty()).map(str::to_owned)
}

/// Parses the form of a raw message, which its content type may imply, that it was forwarded, and where it was
/// sent.
pub(crate) fn parse_marks(raw: &str, content_type: &str) -> MessageMarks {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Item {
        voice: Value,
        sticker: Value,
        forwarded: Value,
        sent_from: Value,
        structure: Value,
    }
    let implied = MessageForm::from_content_type(content_type);
    let names = ["\"voice\"", "\"sticker\"", "\"forwarded\"", "\"contact", "\"sentFrom\""];
    // A mail has only the last of the fields, and its raw form may be large.
    let names = if content_type == "email" { &names[names.len() - 1..] } else { &names[..] };
    if !names.iter().any(|name| raw.contains(name)) {
        return MessageMarks { form: implied, ..MessageMarks::default() };
    }
    let item: Item = serde_json::from_str(raw).unwrap_or_default();
    let forms = [
        (item.voice == true, MessageForm::VoiceNote),
        (item.sticker == true, MessageForm::Sticker),
        (holds_contact(&item.structure), MessageForm::ContactCard),
    ];
    let found = forms.into_iter().find(|(is_set, _)| *is_set).map(|(_, form)| form);
    MessageMarks {
        form: found.or(implied),
        is_forwarded: item.forwarded == true,
        sent_from: item.sent_from.as_str().and_then(AnswerPlace::from_word),
    }
}

fn holds_contact(structure: &Value) -> bool {
    structure["contact"].is_object() || structure["contacts"].as_array().is_some_and(|list| !list.is_empty())
}

/// Returns true if a raw message is from before the channel was connected.
pub(crate) fn parse_imported(raw: &str) -> bool {
    #[derive(Deserialize)]
    struct Item {
        #[serde(default)]
        imported: Value,
    }
    raw.contains("\"imported\"")
        && serde_json::from_str::<Item>(raw).is_ok_and(|item| item.imported == Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_where_they_are_told() {
        let raw = r#"{"editedAt":"2026-11-20T09:17:04.000Z","formerContents":[
            {"content":"first","until":"2026-11-20T09:15:00.000Z"},{"content":"second"},{"until":7}]}"#;
        let change = parse_message_change(raw);
        let former: Vec<&str> = change.former.iter().map(|former| former.content.as_str()).collect();
        assert_eq!(former, ["second", "first"], "the latest first");
        assert!(change.edited_at.is_some() && change.withdrawn_at.is_none());
        for raw in ["", "[]", r#"{"id":"1"}"#, r#"{"editedAt":7}"#] {
            assert_eq!(parse_message_change(raw), ContentChange::default(), "{raw}");
        }
        assert_eq!(parse_album(r#"{"id":"1","album":"a7"}"#).as_deref(), Some("a7"));
        for raw in ["", r#"{"album":7}"#, r#"{"album":""}"#, r#"{"content":"\"album\""}"#] {
            assert_eq!(parse_album(raw), None, "{raw}");
        }
        let marks = |raw: &str, content_type: &str| {
            let marks = parse_marks(raw, content_type);
            (marks.form.map(MessageForm::label), marks.is_forwarded)
        };
        assert_eq!(marks(r#"{"voice":true,"forwarded":true}"#, "audio"), (Some("voice note"), true));
        assert_eq!(marks(r#"{"sticker":true}"#, "video"), (Some("sticker"), false));
        for structure in [r#"{"contact":{"name":"Bo"}}"#, r#"{"contacts":[{}]}"#] {
            let raw = format!(r#"{{"structure":{structure}}}"#);
            assert_eq!(marks(&raw, "text"), (Some("contact"), false), "{raw}");
        }
        let place = |raw: &str, content_type: &str| parse_marks(raw, content_type).sent_from;
        assert_eq!(place(r#"{"sentFrom":"phone"}"#, "text"), Some(AnswerPlace::Phone));
        assert_eq!(place(r#"{"sentFrom":"mail program"}"#, "email"), Some(AnswerPlace::MailProgram));
        for raw in [r#"{"sentFrom":7}"#, r#"{"sentFrom":"moon"}"#, r#"{"content":"\"sentFrom\""}"#] {
            assert_eq!(place(raw, "text"), None, "{raw}");
        }
        assert_eq!(marks("", "voice"), (Some("voice note"), false), "implied");
        for raw in ["", "[]", r#"{"voice":"yes","structure":{"contacts":[]}}"#, r#"{"content":"\"voice\""}"#]
        {
            assert_eq!(marks(raw, "text"), (None, false), "{raw}");
        }
        let told =
            r#"{"lastChange":{"at":"2026-11-20T09:17:04.000Z","messageAt":"2026-11-20T09:00:00.000Z"}}"#;
        assert!(parse_last_change(told).is_some_and(|change| change.message_at < change.at));
        for raw in ["", r#"{"lastChange":null}"#, r#"{"lastChange":{"at":"soon"}}"#] {
            assert_eq!(parse_last_change(raw), None, "{raw}");
        }
    }
}
