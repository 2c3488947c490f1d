//! The one reader of lists: a page in every form the interface shows, item by
//! item, so that one bad item neither hides the others nor vanishes itself.
//! Interface: Resources, Shared shapes.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::lenient;
use model::ids::STAND_IN;

/// Characters kept of an item that cannot be read.
const RAW: usize = 4096;

/// A page of a list as it was read. `items` and `unreadable` together are as
/// many as the server sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// The items that could be read, in the server's order.
    pub items: Vec<T>,
    pub unreadable: Vec<Unreadable>,
    /// Where the next page starts; `None` when the list ends here. A server
    /// that says more follows but gives no cursor ends the list too.
    pub next_cursor: Option<String>,
}

/// An item of a list that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// How many readable items stand before it.
    pub place: usize,
    /// The item as it came, cut.
    pub raw: String,
}

impl<T> Listed<T> {
    /// Reads a list body: an object with `data` and pagination beside it or
    /// inside `pagination`, or a bare array. `read` has nothing for an item it
    /// cannot read.
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
                    let raw = item.get().chars().take(RAW).collect();
                    unreadable.push(Unreadable { place: items.len(), raw });
                }
            }
        }
        Ok(Self { items, unreadable, next_cursor })
    }

    /// The items in the server's order, with a stand-in for each that cannot
    /// be read, made from the item before it.
    #[must_use]
    pub fn with_stand_ins(mut self, mut make: impl FnMut(&str, Option<&T>) -> T) -> Self {
        for (before, it) in std::mem::take(&mut self.unreadable).into_iter().enumerate() {
            let at = (it.place + before).min(self.items.len());
            let near = at.checked_sub(1).or(Some(0)).and_then(|near| self.items.get(near));
            let stand_in = make(&it.raw, near);
            self.items.insert(at, stand_in);
        }
        self
    }

    /// The same with each item turned into something else; what has nothing to
    /// turn into is left out on purpose.
    pub fn filter_map<U>(self, turn: impl FnMut(T) -> Option<U>) -> Listed<U> {
        let items = self.items.into_iter().filter_map(turn).collect();
        Listed { items, unreadable: self.unreadable, next_cursor: self.next_cursor }
    }
}

/// Reads one item; one that repeats a key is read again with the last of each.
fn read_item<T>(item: &RawValue, read: &mut impl FnMut(&RawValue) -> Option<T>) -> Option<T> {
    read(item).or_else(|| {
        let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(item.get()) else { return None };
        read(&serde_json::value::to_raw_value(&value).ok()?)
    })
}

/// The items, undecoded, and where the next page starts.
fn split(body: &[u8]) -> Result<(Vec<Box<RawValue>>, Option<String>), serde_json::Error> {
    if body.trim_ascii_start().starts_with(b"[") {
        return Ok((serde_json::from_slice(body)?, None));
    }
    let fields: HashMap<String, Box<RawValue>> = serde_json::from_slice(body)?;
    let missing = || serde::de::Error::missing_field("data");
    let items = serde_json::from_str(fields.get("data").ok_or_else(missing)?.get())?;
    let inner = fields.get("pagination").and_then(|it| serde_json::from_str(it.get()).ok());
    let inner: HashMap<String, Box<RawValue>> = inner.unwrap_or_default();
    let value = |fields: &HashMap<String, Box<RawValue>>, name| -> Option<Value> {
        serde_json::from_str(fields.get(name)?.get()).ok()
    };
    let more = |fields| value(fields, "hasMore").and_then(|it| lenient::as_boolean(&it));
    let cursor = |fields| value(fields, "nextCursor").and_then(cursor);
    // When the two places differ, go on while either says so and there is
    // somewhere to go.
    let ended = more(&fields).or(more(&inner)) == Some(false) && more(&inner) != Some(true);
    let cursor = cursor(&fields).or_else(|| cursor(&inner));
    Ok((items, cursor.filter(|_| !ended)))
}

/// A text or a number; a boolean leads nowhere.
fn cursor(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text).filter(|it| !it.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The id of a row that stands in for an item whose own id cannot be read: the
/// same for the same bytes (FNV-1a).
pub fn stand_in_id(raw: &str) -> String {
    let print = raw.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{STAND_IN}{print:x}")
}

/// Makes JSON of what is nearly JSON, in place: half of a surrogate pair, as a
/// text cut in an emoji ends with, becomes U+FFFD, a raw control character in
/// a string becomes a space, and bytes that are no UTF-8 are replaced.
pub fn mended(body: Vec<u8>) -> Vec<u8> {
    let mut body = match String::from_utf8(body) {
        Ok(text) => text.into_bytes(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into_bytes(),
    };
    let (mut at, mut quoted) = (0, false);
    while at < body.len() {
        match body[at] {
            b'"' => quoted = !quoted,
            b'\\' if quoted => {
                at += mend_escape(&mut body, at);
                continue;
            }
            0..0x20 if quoted => body[at] = b' ',
            _ => (),
        }
        at += 1;
    }
    body
}

/// Mends the escape that begins here; tells how long it is.
fn mend_escape(body: &mut [u8], at: usize) -> usize {
    match (unit(body, at), unit(body, at + 6)) {
        (None, _) => 2,
        (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
        (Some(0xd800..0xe000), _) => {
            body[at + 2..at + 6].copy_from_slice(b"fffd");
            6
        }
        (Some(_), _) => 6,
    }
}

/// The UTF-16 unit that is escaped here.
fn unit(body: &[u8], at: usize) -> Option<u16> {
    let digits = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Listed<String>, serde_json::Error> {
        Listed::read(body.as_bytes(), |raw| Some(raw.get().to_owned()).filter(|it| it != "null"))
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
        for bad in ["", "<html>", r#"{"data":{}}"#, r#"{"data":[1"#, r#"{"error":[]}"#] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_read_keeps_its_place() {
        let page = read("[null,1,null,null,2,null]").expect("a list");
        let places: Vec<usize> = page.unreadable.iter().map(|it| it.place).collect();
        assert_eq!((page.items.join(" "), places), ("1 2".to_owned(), vec![0, 1, 1, 2]));
        let page = page.with_stand_ins(|raw, near| format!("{raw}/{}", near.map_or("-", |it| &it[..1])));
        assert_eq!(page.items.join(" "), "null/1 1 null/1 null/n 2 null/2");
    }

    #[test]
    fn half_a_pair_is_mended_and_nothing_else() {
        let cases = [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ude00x""#, r#""\ufffdx""#),
            (r#""\uD83Dx\n""#, r#""\ufffdx\n""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#"{"a":"\"\ud800","b":1}"#, r#"{"a":"\"\ufffd","b":1}"#),
            ("{\n\"a\tb\"\n}", "{\n\"a b\"\n}"),
            (r#""\ud8"#, r#""\ud8"#),
            ("\"\\", "\"\\"),
        ];
        for (body, whole) in cases {
            let found = mended(body.as_bytes().to_vec());
            assert_eq!(String::from_utf8_lossy(&found), whole, "{body}");
        }
        assert_eq!(mended(b"\"a\xff\"".to_vec()), "\"a\u{fffd}\"".as_bytes());
    }
}
