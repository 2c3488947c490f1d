//! Words of messages whose kind the service does not know: they are shown with
//! the kind in brackets before them.

use serde_json::Value;

use model::time::Timestamp;

/// Fields that hold words in the objects of platforms, in the order in which
/// they are shown.
const WORDS: [&str; 13] = [
    "title",
    "name",
    "subject",
    "question",
    "header",
    "body",
    "text",
    "caption",
    "description",
    "message",
    "note",
    "emoji",
    "footer",
];
/// Characters that are shown of an unknown message at most.
const LENGTH: usize = 4096;
/// 1 January 2009, before which neither platform existed: an earlier time is
/// none.
const EARLIEST: i64 = 1_230_768_000;

/// Returns a text without the NUL that no database keeps; `None` where it is
/// empty or no text.
pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(|text| text.replace('\0', "")).filter(|text| !text.is_empty())
}

/// Returns a kind in brackets, with its words behind it where there are any.
pub(super) fn in_brackets(kind: &str, words: &str) -> String {
    let kind = kind.replace('_', " ");
    if words.is_empty() { format!("[{kind}]") } else { format!("[{kind}] {words}") }
}

/// Returns the words of an object whose form is not known.
pub(super) fn of_unknown(object: &Value) -> String {
    let mut found: Vec<String> = Vec::new();
    if let Some(words) = text(object) {
        found.push(words);
    }
    for field in WORDS {
        let value = &object[field];
        let words = text(value).or_else(|| text(&value["text"])).or_else(|| text(&value["body"]));
        if let Some(words) = words.filter(|words| !found.contains(words)) {
            found.push(words);
        }
    }
    found.join(" · ").chars().take(LENGTH).collect()
}

/// Reads a time in seconds since 1970, as a number or as digits.
pub(super) fn time(value: &Value) -> Option<Timestamp> {
    let seconds = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())?;
    let is_time = (EARLIEST..EARLIEST * 100).contains(&seconds);
    is_time.then(|| Timestamp::from_micros(seconds * model::time::SECOND))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_of_unknown_objects_are_found() {
        let cases = [
            (json!({"caption": "look"}), "look"),
            (json!({"body": {"text": "Choose"}, "footer": {"text": "by Friday"}}), "Choose · by Friday"),
            (json!({"title": "A", "name": "A", "text": "b"}), "A · b"),
            (json!("plain"), "plain"),
            (json!({"id": "9", "size": 3}), ""),
            (json!(null), ""),
        ];
        for (object, words) in cases {
            assert_eq!(of_unknown(&object), words, "{object}");
        }
        assert_eq!(in_brackets("paid_media", "look"), "[paid media] look");
        assert_eq!(in_brackets("gift", ""), "[gift]");
    }

    #[test]
    fn times_are_read_in_both_forms() {
        let at = Timestamp::from_micros(1_790_000_000_000_000);
        assert_eq!(time(&json!("1790000000")), Some(at));
        assert_eq!(time(&json!(1_790_000_000)), Some(at));
        for none in [json!("1"), json!(1), json!(null), json!("soon"), json!(i64::MAX)] {
            assert_eq!(time(&none), None, "{none}");
        }
    }
}
