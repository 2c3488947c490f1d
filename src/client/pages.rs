//! Lists, read item by item: one bad item never hides the others.
//!
//! Knows nothing of what the items are.

use serde_json::value::RawValue;

use crate::client::errors::ReadError;
use crate::client::request::Answer;
use crate::client::words;
use crate::model::text::SafeText;
use crate::wire::pages::RawPage;

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// What could be read, in the server's order.
    pub items: Vec<T>,
    /// Items that could not be read and have no stand-in.
    pub skipped: usize,
    /// Where the next page starts; `None` on the last one.
    pub next_cursor: Option<String>,
}

/// The query of a list.
pub(crate) fn query<'a>(limit: &'a str, cursor: Option<&'a str>) -> Vec<(&'static str, &'a str)> {
    let mut query = vec![("limit", limit)];
    query.extend(cursor.map(|it| ("cursor", it)));
    query
}

/// Reads a page; an item `read` has nothing for is counted.
pub(crate) fn read_page<T>(
    answer: &Answer,
    mut read: impl FnMut(&RawValue) -> Option<T>,
) -> Result<Listed<T>, ReadError> {
    let page = RawPage::read(&answer.body).map_err(|_| wrong_shape(answer))?;
    let all = page.items.len();
    let items: Vec<T> = page.items.iter().filter_map(|raw| read(raw)).collect();
    let skipped = all - items.len();
    if skipped > 0 {
        tracing::warn!(skipped, "items of a list could not be read");
    }
    Ok(Listed { items, skipped, next_cursor: page.next_cursor })
}

/// Reads an answer that is one item.
pub(crate) fn read_one<T>(
    answer: &Answer,
    read: impl FnOnce(&RawValue) -> Option<T>,
) -> Result<T, ReadError> {
    let raw: &RawValue = serde_json::from_slice(&answer.body).map_err(|_| wrong_shape(answer))?;
    read(raw).ok_or_else(|| wrong_shape(answer))
}

/// An answer that is not what was asked for, in words.
pub(crate) fn wrong_shape(answer: &Answer) -> ReadError {
    ReadError::Trouble(SafeText::line(&words::not_json(&answer.facts, &answer.body, answer.status)))
}
