//! Pages of a list, written one way and read in all ways the interface shows.
//!
//! Knows nothing of what the items are. Interface: Resources, Shared shapes.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A page as the service writes it: pagination beside `data`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The rows.
    pub data: Vec<T>,
    /// Whether another page follows.
    pub has_more: bool,
    /// Opaque; null on the last page.
    pub next_cursor: Option<String>,
}

/// A page as read: each item still in its own bytes.
#[derive(Debug)]
pub struct RawPage {
    /// The items, undecoded.
    pub items: Vec<Box<RawValue>>,
    /// Where the next page starts; `None` when the list ends here. A server
    /// that says more follows but gives no cursor ends the list too.
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct AnyPage {
    data: Vec<Box<RawValue>>,
    #[serde(default, rename = "hasMore")]
    has_more: Option<bool>,
    #[serde(default, rename = "nextCursor")]
    next_cursor: Option<String>,
    #[serde(default)]
    pagination: Option<Inner>,
}

#[derive(Deserialize)]
struct Inner {
    #[serde(default, rename = "hasMore")]
    has_more: Option<bool>,
    #[serde(default, rename = "nextCursor")]
    next_cursor: Option<String>,
}

impl RawPage {
    /// Reads a list body: an object with `data` and pagination in either
    /// place, or a bare array.
    ///
    /// # Errors
    /// When the body is neither.
    pub fn read(body: &[u8]) -> Result<Self, serde_json::Error> {
        if body.trim_ascii_start().starts_with(b"[") {
            let items = serde_json::from_slice(body)?;
            return Ok(Self { items, next_cursor: None });
        }
        let page: AnyPage = serde_json::from_slice(body)?;
        let inner = page.pagination.unwrap_or(Inner { has_more: None, next_cursor: None });
        let says_more = page.has_more.or(inner.has_more);
        let cursor = page.next_cursor.or(inner.next_cursor).filter(|it| !it.is_empty());
        // When the two places differ, go on while either says so and there
        // is somewhere to go.
        let ended = says_more == Some(false) && inner.has_more != Some(true);
        Ok(Self { items: page.data, next_cursor: if ended { None } else { cursor } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_placements() {
        let cases = [
            (r#"{"data":[1,2],"hasMore":true,"nextCursor":"c"}"#, 2, Some("c")),
            (r#"{"data":[1],"pagination":{"hasMore":true,"nextCursor":"c"}}"#, 1, Some("c")),
            (r#"{"data":[],"hasMore":false,"nextCursor":null}"#, 0, None),
            (r#"{"data":[],"hasMore":false,"nextCursor":"c"}"#, 0, None),
            (r#"{"data":[],"hasMore":true,"nextCursor":null}"#, 0, None),
            (r#"{"data":[{}]}"#, 1, None),
            (r#" [1,2,3]"#, 3, None),
        ];
        for (body, items, cursor) in cases {
            let page = RawPage::read(body.as_bytes()).expect(body);
            assert_eq!((page.items.len(), page.next_cursor.as_deref()), (items, cursor), "{body}");
        }
        for bad in ["", "<html>", r#"{"data":{}}"#, r#"{"data":[1"#] {
            assert!(RawPage::read(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
