//! Lists and single items as the answers to reads.

use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::errors::ReadError;
use crate::request::ReadResponse;
use crate::words;
use model::text::SafeText;
use wire::lists::ListPage;

/// The query of a list.
pub(crate) fn query<'a>(limit: &'a str, cursor: Option<&'a str>) -> Vec<(&'static str, &'a str)> {
    let mut query = vec![("limit", limit)];
    query.extend(cursor.map(|cursor| ("cursor", cursor)));
    query
}

/// Reads a page; an item `read` has nothing for is kept as it came.
pub(crate) fn read_page<T>(
    answer: &ReadResponse,
    read: impl FnMut(&RawValue) -> Option<T>,
) -> Result<ListPage<T>, ReadError> {
    let page = ListPage::read(&answer.body, read).map_err(|_| wrong_shape(answer))?;
    if !page.unreadable.is_empty() {
        tracing::warn!(unreadable = page.unreadable.len(), "items of a list could not be read");
    }
    Ok(page)
}

/// Reads an answer that is one item, also one that stands alone in `data` as
/// items of lists do.
pub(crate) fn read_one<T>(
    answer: &ReadResponse,
    read: impl Fn(&RawValue) -> Option<T>,
) -> Result<T, ReadError> {
    let raw: &RawValue = serde_json::from_slice(&answer.body).map_err(|_| wrong_shape(answer))?;
    let wrapped = || -> Option<T> {
        let fields: HashMap<String, &RawValue> = serde_json::from_str(raw.get()).ok()?;
        read(fields.get("data")?)
    };
    read(raw).or_else(wrapped).ok_or_else(|| wrong_shape(answer))
}

/// An answer that is not what was asked for, in words.
pub(crate) fn wrong_shape(answer: &ReadResponse) -> ReadError {
    ReadError::Trouble(SafeText::line(&words::describe_not_json(&answer.facts, &answer.body, answer.status)))
}
