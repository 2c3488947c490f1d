//! Id of a request, which its log records and its answer carry: the caller's `X-Request-Id`, or one made here.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use rand::RngExt;

pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum length of a caller's id, in bytes.
const MAX_BYTES: usize = 128;

/// Returns the caller's id if it can be logged as it is: letters, digits, `-`, `_`, `.` and `:`, of bounded
/// length. Otherwise makes one.
pub fn of(headers: &HeaderMap) -> String {
    let mut given = headers.get_all(&HEADER).iter();
    let only = given.next().filter(|_| given.next().is_none());
    let text = only.and_then(|value| value.to_str().ok()).filter(|text| is_plain(text));
    text.map_or_else(make, str::to_owned)
}

/// Adds the id to the headers of an answer.
pub fn write(id: &str, headers: &mut HeaderMap) {
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(HEADER, value);
    }
}

fn is_plain(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (1..=MAX_BYTES).contains(&text.len()) && text.bytes().all(is_allowed)
}

fn make() -> String {
    let random: u64 = rand::rng().random();
    format!("req_{random:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_id_of_the_caller_is_used() {
        let long = "x".repeat(MAX_BYTES + 1);
        let cases: [(&[&str], bool); 7] = [
            (&["trace-1:a_b.C"], true),
            (&[&long[1..]], true),
            (&[&long], false),
            (&[""], false),
            (&["a b"], false),
            (&["a\"b"], false),
            (&["a", "b"], false),
        ];
        for (values, is_used) in cases {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(HEADER, HeaderValue::from_str(value).expect("a value"));
            }
            let id = of(&headers);
            assert_eq!(id == values[0], is_used, "{values:?}");
            assert!(is_used || id.starts_with("req_"), "{id}");
        }
        assert_ne!(of(&HeaderMap::new()), of(&HeaderMap::new()));
    }
}
