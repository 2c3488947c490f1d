//! File information in a raw message. The interface documents no such fields, so common spellings
//! are tried.

use serde_json::{Map, Value};

use model::messages::MessageFileInfo;
use model::text::SafeText;

/// Objects that may contain the fields, besides the message itself.
const CONTAINER_FIELDS: [&str; 4] = ["media", "attachment", "file", "document"];
const MIME_FIELDS: [&str; 4] = ["mimeType", "mime_type", "mimetype", "contentMimeType"];
const NAME_FIELDS: [&str; 4] = ["filename", "fileName", "file_name", "originalName"];
const SIZE_FIELDS: [&str; 4] = ["size", "fileSize", "file_size", "sizeBytes"];

pub(crate) fn read_file_info(raw: &str) -> MessageFileInfo {
    let Ok(item) = serde_json::from_str::<Map<String, Value>>(raw) else { return MessageFileInfo::default() };
    let inner = CONTAINER_FIELDS.iter().filter_map(|place| item.get(*place)?.as_object());
    let objects: Vec<&Map<String, Value>> = inner.chain([&item]).collect();
    let told =
        |names: &[&str]| objects.iter().find_map(|object| names.iter().find_map(|name| object.get(*name)));
    let text = |names: &[&str]| {
        let short: String = told(names)?.as_str()?.chars().take(200).collect();
        SafeText::optional_line(Some(short.as_str()))
    };
    MessageFileInfo {
        mime: text(&MIME_FIELDS),
        name: text(&NAME_FIELDS),
        size: told(&SIZE_FIELDS).and_then(Value::as_u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_under_their_usual_names() {
        let cases = [
            (r#"{"media":{"mimeType":"image/png","size":2048,"filename":"a.png"}}"#, "image/png a.png 2048"),
            (r#"{"attachment":{"file_name":"b.pdf"},"fileSize":7}"#, "- b.pdf 7"),
            (r#"{"media":null,"mime_type":"audio/ogg"}"#, "audio/ogg - -"),
            (r#"{"media":{"size":-1,"filename":3}}"#, "- - -"),
            (r#"{"filename":""}"#, "- - -"),
            ("[]", "- - -"),
            ("", "- - -"),
        ];
        for (raw, told) in cases {
            let facts = read_file_info(raw);
            let word = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            let found = [
                word(facts.mime.map(|mime| mime.to_string())),
                word(facts.name.map(|name| name.to_string())),
                word(facts.size.map(|size| size.to_string())),
            ];
            assert_eq!(found.join(" "), told, "{raw}");
        }
    }
}
