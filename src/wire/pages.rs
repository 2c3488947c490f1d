//! Pages of a list, written one way and read in all ways the interface shows.
//!
//! Knows nothing of what the items are. Interface: Resources, Shared shapes.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::wire::body::Body;

/// Bytes most pages fit into.
const PAGE_BYTES: usize = 24 * 1024;

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

/// A page being written, item by item, as [`Page`] would write it.
#[derive(Debug)]
pub struct PageWriter {
    bytes: Vec<u8>,
    items: usize,
}

impl PageWriter {
    /// A page without items.
    pub fn new() -> Self {
        let mut bytes = Vec::with_capacity(PAGE_BYTES);
        bytes.extend_from_slice(br#"{"data":["#);
        Self { bytes, items: 0 }
    }

    /// Items so far.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Adds an item.
    ///
    /// # Errors
    /// When the item cannot be JSON.
    pub fn push(&mut self, item: &impl Body) -> Result<(), serde_json::Error> {
        if self.items > 0 {
            self.bytes.push(b',');
        }
        self.items += 1;
        item.write_json(&mut self.bytes)
    }

    /// The whole page; another follows when there is a cursor.
    ///
    /// # Errors
    /// As [`PageWriter::push`].
    pub fn finish(mut self, next_cursor: Option<&str>) -> Result<Vec<u8>, serde_json::Error> {
        self.bytes.extend_from_slice(br#"],"hasMore":"#);
        next_cursor.is_some().write_json(&mut self.bytes)?;
        self.bytes.extend_from_slice(br#","nextCursor":"#);
        next_cursor.write_json(&mut self.bytes)?;
        self.bytes.push(b'}');
        Ok(self.bytes)
    }

    /// A list that has no pages.
    pub fn finish_list(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(b"]}");
        self.bytes
    }
}

impl Default for PageWriter {
    fn default() -> Self {
        Self::new()
    }
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
    fn writes_item_by_item_what_a_page_writes_at_once() {
        for (data, next_cursor) in
            [(vec![], None), (vec!["a", "\"é"], None), (vec!["a"], Some("c\"".to_owned()))]
        {
            let mut writer = PageWriter::new();
            data.iter().for_each(|it| writer.push(it).expect("written"));
            assert_eq!(writer.items(), data.len());
            let written = writer.finish(next_cursor.as_deref()).expect("written");
            let page = Page { data, has_more: next_cursor.is_some(), next_cursor };
            assert_eq!(written, page.to_json().expect("written"));
        }
        let mut writer = PageWriter::new();
        writer.push(&1).expect("written");
        assert_eq!(writer.finish_list(), br#"{"data":[1]}"#);
    }

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
