//! Reads paged lists in every form of the API, item by item, so that one bad item neither hides the
//! others nor is lost.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::lenient;
use model::ids::STAND_IN_PREFIX;

/// Characters kept of an unreadable item.
const MAX_RAW_CHARS: usize = 4096;

/// A page of a list. `items` and `unreadable` together contain every item of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPage<T> {
    /// In the server's order.
    pub items: Vec<T>,
    pub unreadable: Vec<Unreadable>,
    /// Cursor of the next page; `None` at the end of the list, also if the server announces more
    /// without a cursor.
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Number of readable items before it.
    pub position: usize,
    /// Original JSON, truncated.
    pub raw: String,
}

impl<T> ListPage<T> {
    /// Reads an object with `data` and pagination beside it or inside `pagination`, or a bare
    /// array. `read` returns `None` for an unreadable item.
    pub fn read(
        body: &[u8],
        mut read: impl FnMut(&RawValue) -> Option<T>,
    ) -> Result<Self, serde_json::Error> {
        let (raw, next_cursor) = split(body)?;
        let (mut items, mut unreadable) = (Vec::with_capacity(raw.len()), Vec::new());
        for item in raw {
            match read_item(&item, &mut read) {
                Some(item) => items.push(item),
                None => {
                    let raw = item.get().chars().take(MAX_RAW_CHARS).collect();
                    unreadable.push(Unreadable { position: items.len(), raw });
                }
            }
        }
        Ok(Self { items, unreadable, next_cursor })
    }

    /// Returns all items in the server's order, with a placeholder for each unreadable one, made
    /// from the item before it.
    #[must_use]
    pub fn with_placeholders(mut self, mut make: impl FnMut(&str, Option<&T>) -> T) -> Self {
        for (before, item) in std::mem::take(&mut self.unreadable).into_iter().enumerate() {
            let at = (item.position + before).min(self.items.len());
            let near = at.checked_sub(1).or(Some(0)).and_then(|near| self.items.get(near));
            let stand_in = make(&item.raw, near);
            self.items.insert(at, stand_in);
        }
        self
    }

    pub fn filter_map<U>(self, turn: impl FnMut(T) -> Option<U>) -> ListPage<U> {
        let items = self.items.into_iter().filter_map(turn).collect();
        ListPage { items, unreadable: self.unreadable, next_cursor: self.next_cursor }
    }
}

/// Reads an item; if that fails, reads it again with the last value of each repeated key.
fn read_item<T>(item: &RawValue, read: &mut impl FnMut(&RawValue) -> Option<T>) -> Option<T> {
    read(item).or_else(|| {
        let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(item.get()).ok()?;
        read(&serde_json::value::to_raw_value(&fields).ok()?)
    })
}

fn split(body: &[u8]) -> Result<(Vec<Box<RawValue>>, Option<String>), serde_json::Error> {
    if body.trim_ascii_start().starts_with(b"[") {
        return Ok((serde_json::from_slice(body)?, None));
    }
    let fields: HashMap<String, Box<RawValue>> = serde_json::from_slice(body)?;
    let missing = || serde::de::Error::missing_field("data");
    let items = items(fields.get("data").ok_or_else(missing)?, &fields)?;
    let inner = fields.get("pagination").and_then(|field| serde_json::from_str(field.get()).ok());
    let inner: HashMap<String, Box<RawValue>> = inner.unwrap_or_default();
    let value = |fields: &HashMap<String, Box<RawValue>>, name| -> Option<Value> {
        serde_json::from_str(fields.get(name)?.get()).ok()
    };
    let more = |fields| value(fields, "hasMore").and_then(|value| lenient::as_boolean(&value));
    let cursor = |fields| value(fields, "nextCursor").and_then(cursor);
    // If the two places differ, continue while one announces more and there is a cursor.
    let ended = more(&fields).or(more(&inner)) == Some(false) && more(&inner) != Some(true);
    let cursor = cursor(&fields).or_else(|| cursor(&inner));
    Ok((items, cursor.filter(|_| !ended)))
}

/// Returns the undecoded items of `data`. An empty list may be `null` (Go) or `{}` (Lua), and a
/// list with gaps an object with indexes as keys (PHP).
///
/// # Errors
/// Fails for other types, and for an empty list beside an error, which is a failure with a success
/// status.
fn items(
    data: &RawValue,
    beside: &HashMap<String, Box<RawValue>>,
) -> Result<Vec<Box<RawValue>>, serde_json::Error> {
    let wrong = |what: &str| Err(serde::de::Error::custom(what.to_owned()));
    let first = data.get().trim_start().as_bytes().first().copied();
    if first != Some(b'n') && first != Some(b'{') {
        return serde_json::from_str(data.get());
    }
    let fields: Option<HashMap<String, Box<RawValue>>> = serde_json::from_str(data.get())?;
    let mut indexed = BTreeMap::new();
    for (name, item) in fields.unwrap_or_default() {
        let Ok(index) = name.parse::<u64>() else { return wrong("`data` is an object, not a list") };
        indexed.insert(index, item);
    }
    if indexed.is_empty() && is_failure(beside) {
        return wrong("`data` is empty and there is an error");
    }
    Ok(indexed.into_values().collect())
}

/// True if a body reports an error, whatever its status.
fn is_failure(fields: &HashMap<String, Box<RawValue>>) -> bool {
    const SUCCESS_WORDS: [&str; 11] =
        ["null", "false", "", "[]", "{}", "0", "200", "ok", "OK", "success", "SUCCESS"];
    let value = |name: &str| fields.get(name).map_or("null", |raw| raw.get().trim_matches('"'));
    let fails = |name: &str| !SUCCESS_WORDS.contains(&value(name));
    ["error", "errors", "code"].into_iter().any(fails) || matches!(value("success"), "false" | "0")
}

fn cursor(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the id of a placeholder: an FNV-1a hash of the item, equal for equal bytes.
pub fn placeholder_id(raw: &str) -> String {
    let print = raw.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{STAND_IN_PREFIX}{print:x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<ListPage<String>, serde_json::Error> {
        ListPage::read(body.as_bytes(), |raw| Some(raw.get().to_owned()).filter(|text| text != "null"))
    }

    #[test]
    fn reads_both_placements() {
        let cases = [
            (r#"{"data":[1,2],"hasMore":true,"nextCursor":"c"}"#, 2, Some("c")),
            (r#"{"data":[1],"pagination":{"hasMore":true,"nextCursor":"c"}}"#, 1, Some("c")),
            (r#"{"data":[],"hasMore":false,"nextCursor":null}"#, 0, None),
            (r#"{"data":[],"hasMore":false,"nextCursor":"c"}"#, 0, None),
            (r#"{"data":[],"hasMore":true,"nextCursor":null}"#, 0, None),
            (r#"{"data":[1],"hasMore":"true","nextCursor":17}"#, 1, Some("17")),
            (r#"{"data":[1],"hasMore":1,"nextCursor":"c"}"#, 1, Some("c")),
            (r#"{"data":[1],"hasMore":0,"nextCursor":"c"}"#, 1, None),
            (r#"{"data":[1],"hasMore":{},"nextCursor":"c"}"#, 1, Some("c")),
            (r#"{"data":[1],"hasMore":true,"nextCursor":false}"#, 1, None),
            (r#"{"data":[1],"pagination":{"hasMore":"yes","nextCursor":5}}"#, 1, Some("5")),
            (r#"{"data":[1],"pagination":[7],"nextCursor":"c"}"#, 1, Some("c")),
            (r#"{"data":[1],"hasMore":false,"pagination":{"hasMore":1,"nextCursor":"c"}}"#, 1, Some("c")),
            (r#"{"data":[{}]}"#, 1, None),
            (r#" [1,2,3]"#, 3, None),
        ];
        for (body, items, cursor) in cases {
            let page = read(body).expect(body);
            assert_eq!((page.items.len(), page.next_cursor.as_deref()), (items, cursor), "{body}");
        }
        let bad = [
            "",
            "<html>",
            r#"{"data":[1"#,
            r#"{"error":[]}"#,
            r#"{"data":7}"#,
            r#"{"data":{"id":"a"}}"#,
            r#"{"data":null,"error":"out of memory"}"#,
            r#"{"data":null,"errors":[{"message":"no"}]}"#,
            r#"{"data":null,"code":"INTERNAL_ERROR","message":"boom"}"#,
            r#"{"data":{},"success":false}"#,
        ];
        for bad in bad {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn empty_and_indexed_lists_of_other_languages_are_lists() {
        let cases = [
            (r#"{"data":null}"#, "", None),
            (r#"{"data": null, "hasMore": false, "nextCursor": null, "error": null}"#, "", None),
            (r#"{"data":null,"success":true,"code":200}"#, "", None),
            (r#"{"data":null,"hasMore":true,"nextCursor":"c"}"#, "", Some("c")),
            (r#"{"data":{}}"#, "", None),
            (r#"{"data":{"10":3,"2":2,"0":1}}"#, "1 2 3", None),
        ];
        for (body, items, cursor) in cases {
            let page = read(body).expect(body);
            assert_eq!(
                (page.items.join(" ").as_str(), page.next_cursor.as_deref()),
                (items, cursor),
                "{body}"
            );
        }
    }

    #[test]
    fn item_that_repeats_a_key_keeps_its_digits() {
        let body = r#"[{"id":1,"id":12345678901234567890,"price":0.10}]"#;
        let page = ListPage::read(body.as_bytes(), |raw| {
            Some(raw.get().to_owned()).filter(|text| text.matches("\"id\"").count() == 1)
        });
        let items = page.expect("a list").items;
        assert_eq!(items, [r#"{"id":12345678901234567890,"price":0.10}"#]);
    }

    #[test]
    fn what_cannot_be_read_keeps_its_place() {
        let page = read("[null,1,null,null,2,null]").expect("a list");
        let places: Vec<usize> = page.unreadable.iter().map(|unreadable| unreadable.position).collect();
        assert_eq!((page.items.join(" "), places), ("1 2".to_owned(), vec![0, 1, 1, 2]));
        let page =
            page.with_placeholders(|raw, near| format!("{raw}/{}", near.map_or("-", |near| &near[..1])));
        assert_eq!(page.items.join(" "), "null/1 1 null/1 null/n 2 null/2");
    }
}
