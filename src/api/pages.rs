use serde::Serialize;

use crate::body::Body;

/// Initial capacity; most pages fit.
const USUAL_PAGE_BYTES: usize = 24 * 1024;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{T}Page"))]
pub struct Page<T> {
    pub data: Vec<T>,
    /// True if another page follows.
    pub has_more: bool,
    /// Opaque cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Writes a [`Page`] item by item.
#[derive(Debug)]
pub struct PageWriter {
    bytes: Vec<u8>,
    items: usize,
}

impl PageWriter {
    pub fn new() -> Self {
        let mut bytes = Vec::with_capacity(USUAL_PAGE_BYTES);
        bytes.extend_from_slice(br#"{"data":["#);
        Self { bytes, items: 0 }
    }

    pub fn items(&self) -> usize {
        self.items
    }

    pub fn push(&mut self, item: &impl Body) -> Result<(), serde_json::Error> {
        if self.items > 0 {
            self.bytes.push(b',');
        }
        self.items += 1;
        item.write_json(&mut self.bytes)
    }

    /// Returns the whole page; there is a next page if a cursor is given.
    pub fn finish(mut self, next_cursor: Option<&str>) -> Result<Vec<u8>, serde_json::Error> {
        self.bytes.extend_from_slice(br#"],"hasMore":"#);
        next_cursor.is_some().write_json(&mut self.bytes)?;
        self.bytes.extend_from_slice(br#","nextCursor":"#);
        next_cursor.write_json(&mut self.bytes)?;
        self.bytes.push(b'}');
        Ok(self.bytes)
    }

    /// Returns a list without pagination.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_item_by_item_what_a_page_writes_at_once() {
        for (data, next_cursor) in
            [(vec![], None), (vec!["a", "\"é"], None), (vec!["a"], Some("c\"".to_owned()))]
        {
            let mut writer = PageWriter::new();
            data.iter().for_each(|text| writer.push(text).expect("written"));
            assert_eq!(writer.items(), data.len());
            let written = writer.finish(next_cursor.as_deref()).expect("written");
            let page = Page { data, has_more: next_cursor.is_some(), next_cursor };
            assert_eq!(written, page.to_json().expect("written"));
        }
        let mut writer = PageWriter::new();
        writer.push(&1).expect("written");
        assert_eq!(writer.finish_list(), br#"{"data":[1]}"#);
    }
}
