//! Text for messages of unknown kinds, shown behind their kind in brackets.

use serde_json::Value;

use model::time::Timestamp;

/// Fields of platform objects that contain text, in display order.
const TEXT_FIELDS: [&str; 13] = [
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
const MAX_TEXT_CHARS: usize = 4096;
const MAX_FIELDS: usize = 60;
const MAX_DEPTH: usize = 4;
/// Currencies without a minor unit, and Telegram's stars.
const WHOLE_CURRENCIES: [&str; 8] = ["CLP", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "XTR"];
/// 1 January 2009: both platforms are younger, so earlier times are invalid.
const EARLIEST_TIME_SECONDS: i64 = 1_230_768_000;

/// Returns a text without NUL, which PostgreSQL refuses; `None` if empty or not a text.
pub(super) fn read_text(value: &Value) -> Option<String> {
    value.as_str().map(|text| text.replace('\0', "")).filter(|text| !text.is_empty())
}

/// Returns a kind in brackets, followed by its text if there is any.
pub(super) fn in_brackets(kind: &str, words: &str) -> String {
    let kind = kind.replace('_', " ");
    if words.is_empty() { format!("[{kind}]") } else { format!("[{kind}] {words}") }
}

pub(super) fn describe_unknown(object: &Value) -> String {
    let mut found: Vec<String> = Vec::new();
    if let Some(words) = read_text(object) {
        found.push(words);
    }
    for field in TEXT_FIELDS {
        let value = &object[field];
        let words =
            read_text(value).or_else(|| read_text(&value["text"])).or_else(|| read_text(&value["body"]));
        if let Some(words) = words.filter(|words| !found.contains(words)) {
            found.push(words);
        }
    }
    found.join(" · ").chars().take(MAX_TEXT_CHARS).collect()
}

/// Joins the non-empty parts with dots and truncates to [`MAX_TEXT_CHARS`].
pub(super) fn join_parts(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let all: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    all.join(" · ").chars().take(MAX_TEXT_CHARS).collect()
}

/// Returns each field of an object as `name: value`, nested objects included, up to [`MAX_FIELDS`].
/// Skips tokens of the platform.
pub(super) fn describe_fields(object: &Value) -> Vec<String> {
    let mut found = Vec::new();
    push_fields(object, 0, &mut found);
    found
}

fn push_fields(object: &Value, depth: usize, found: &mut Vec<String>) {
    for (name, value) in object.as_object().into_iter().flatten() {
        if found.len() >= MAX_FIELDS || depth >= MAX_DEPTH {
            return;
        }
        if name.ends_with("_token") {
            continue;
        }
        let shown = match value {
            Value::Object(_) => {
                push_fields(value, depth + 1, found);
                continue;
            }
            Value::Array(list) => join_with(list.iter().filter_map(scalar), ", "),
            scalar_value => scalar(scalar_value).unwrap_or_default(),
        };
        if !shown.is_empty() {
            found.push(format!("{}: {shown}", name.replace('_', " ")));
        }
    }
}

fn join_with(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

/// Returns a text, a number, or a boolean as yes or no.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Bool(is_so) => Some(if *is_so { "yes" } else { "no" }.to_owned()),
        Value::Number(number) => Some(number.to_string()),
        other => read_text(other),
    }
}

/// Formats an amount given in the minor unit of its currency.
pub(super) fn minor_amount(amount: &Value, currency: &Value) -> Option<String> {
    let (amount, currency) = (amount.as_i64()?, read_text(currency)?);
    let whole = WHOLE_CURRENCIES.contains(&currency.as_str());
    let sign = if amount < 0 { "-" } else { "" };
    let units = amount.unsigned_abs();
    Some(if whole {
        format!("{sign}{units} {currency}")
    } else {
        format!("{sign}{}.{:02} {currency}", units / 100, units % 100)
    })
}

/// Parses a time in seconds since 1970, from a number or digits.
pub(super) fn read_time(value: &Value) -> Option<Timestamp> {
    let seconds = value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())?;
    let is_time = (EARLIEST_TIME_SECONDS..EARLIEST_TIME_SECONDS * 100).contains(&seconds);
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
            assert_eq!(describe_unknown(&object), words, "{object}");
        }
        assert_eq!(in_brackets("paid_media", "look"), "[paid media] look");
        assert_eq!(in_brackets("gift", ""), "[gift]");
    }

    #[test]
    fn fields_of_an_object_are_told_in_words() {
        let form = json!({
            "flow_token": "x", "delivery_rating": 4, "extras": ["wax", "rope"], "agreed": true, "empty": "",
            "address": {"city": "Cádiz"},
        });
        let shown = ["address", "agreed: yes", "delivery rating: 4", "extras: wax, rope"];
        let found = describe_fields(&form);
        assert_eq!(found[0], "city: Cádiz", "{shown:?}");
        assert_eq!(found[1..], shown[1..]);
        let deep = (0..50).fold(json!("x"), |inner, _| json!({ "a": inner }));
        assert!(describe_fields(&deep).is_empty());
        assert!(describe_fields(&json!(["no object"])).is_empty());
    }

    #[test]
    fn amounts_have_the_decimals_of_their_currency() {
        let cases = [
            (9_000, "EUR", Some("90.00 EUR")),
            (5, "EUR", Some("0.05 EUR")),
            (-150, "USD", Some("-1.50 USD")),
            (500, "JPY", Some("500 JPY")),
            (25, "XTR", Some("25 XTR")),
            (1, "", None),
        ];
        for (amount, currency, wanted) in cases {
            assert_eq!(minor_amount(&json!(amount), &json!(currency)).as_deref(), wanted);
        }
    }

    #[test]
    fn times_are_read_in_both_forms() {
        let at = Timestamp::from_micros(1_790_000_000_000_000);
        assert_eq!(read_time(&json!("1790000000")), Some(at));
        assert_eq!(read_time(&json!(1_790_000_000)), Some(at));
        for none in [json!("1"), json!(1), json!(null), json!("soon"), json!(i64::MAX)] {
            assert_eq!(read_time(&none), None, "{none}");
        }
    }
}
