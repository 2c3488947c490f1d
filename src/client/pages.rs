//! Parses lists and single items from responses, and reduces the page size after too large a response, so
//! that one huge item does not block others.

use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::errors::ReadError;
use crate::request::ReadResponse;
use crate::words;
use api::lists::ListPage;
use model::text::SafeText;

pub(crate) fn query<'a>(limit: &'a str, cursor: Option<&'a str>) -> Vec<(&'static str, &'a str)> {
    let mut query = vec![("limit", limit)];
    query.extend(cursor.map(|cursor| ("cursor", cursor)));
    query
}

/// Reads a page; items for which `read` returns `None` are kept as unreadable.
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

/// Reads a single item, also if it is wrapped in `data`.
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

pub(crate) fn wrong_shape(answer: &ReadResponse) -> ReadError {
    ReadError::Trouble(SafeText::line(&words::describe_not_json(&answer.facts, &answer.body, answer.status)))
}

/// Fallback page sizes, in rows.
const REDUCED_SIZES: [u32; 2] = [10, 1];
/// Number of pages read before the full size is requested again.
const PAGES_BEFORE_RESET: u32 = 20;

#[derive(Debug, Default)]
pub(crate) struct PageSize {
    /// Maximum rows, and the number of pages it still applies to.
    bound: Option<(u32, u32)>,
}

impl PageSize {
    /// Returns the number of rows to request instead of `wanted`.
    pub(crate) fn limit(&self, wanted: u32) -> u32 {
        self.bound.map_or(wanted, |(most, _)| wanted.min(most))
    }

    /// Reduces the size after a page of `asked` rows was too large.
    pub(crate) fn record_too_large(&mut self, asked: u32) {
        let smaller = REDUCED_SIZES.into_iter().find(|entry| *entry < asked).unwrap_or(1);
        self.bound = Some((smaller, PAGES_BEFORE_RESET));
    }

    pub(crate) fn record_page(&mut self) {
        self.bound = self.bound.and_then(|(most, left)| Some((most, left.checked_sub(1)?)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_shrink_and_grow_again() {
        let mut size = PageSize::default();
        assert_eq!(size.limit(50), 50);
        size.record_too_large(50);
        assert_eq!((size.limit(50), size.limit(5)), (10, 5));
        size.record_too_large(10);
        assert_eq!(size.limit(50), 1);
        size.record_too_large(1);
        assert_eq!(size.limit(50), 1, "there is nothing smaller");
        (0..PAGES_BEFORE_RESET).for_each(|_| size.record_page());
        assert_eq!(size.limit(50), 1);
        size.record_page();
        assert_eq!(size.limit(50), 50);
    }
}
