//! Query parameters and pages of lists.

use axum::extract::Query as Pairs;
use axum::http::Uri;

use crate::cursors::{Cursors, ListName, PagePosition};
use crate::errors::ApiError;
use crate::reply::Reply;
use api::body::Body;
use api::pages::PageWriter;
use model::bounds;
use model::time::Timestamp;

#[derive(Debug, Clone, Default)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    pub limit: usize,
    pub after: PagePosition,
    list: ListName,
}

impl Query {
    /// Parses the query of a URL; unknown names are ignored.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` if it cannot be decoded or repeats a name.
    pub fn of(uri: &Uri) -> Result<Self, ApiError> {
        let decoded = Pairs::<Vec<(String, String)>>::try_from_uri(uri);
        let Pairs(pairs) =
            decoded.map_err(|_| ApiError::validation("the query string could not be decoded"))?;
        for (index, (name, _)) in pairs.iter().enumerate() {
            if pairs[..index].iter().any(|(earlier, _)| earlier == name) {
                return Err(ApiError::validation(format!("{name} appears twice")));
            }
        }
        Ok(Self { pairs })
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(text, _)| text == name).map(|(_, text)| text.as_str())
    }

    /// Returns a parameter that must be one of `words`.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for another value.
    pub fn word(&self, name: &str, words: &[&'static str]) -> Result<Option<&'static str>, ApiError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => Err(ApiError::validation(format!("{name} must be one of {}", words.join(", ")))),
        }
    }

    /// Returns a parameter that must be a time.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for another value.
    pub fn time(&self, name: &str) -> Result<Option<Timestamp>, ApiError> {
        self.text(name).map(|text| parse_time(name, text)).transpose()
    }

    /// Returns the requested page. `list` names the list by everything that decides its rows.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a limit out of range or the cursor of another list.
    pub fn page(&self, cursors: &Cursors, list: &[&str]) -> Result<PageRequest, ApiError> {
        let list = ListName::new(list);
        let limit = match self.text("limit") {
            None => bounds::DEFAULT_PAGE_ROWS,
            Some(text) => digits(text)
                .and_then(|text| text.parse::<u32>().ok())
                .filter(|limit| (1..=bounds::MAX_PAGE_ROWS).contains(limit))
                .ok_or_else(|| {
                    ApiError::validation(format!(
                        "limit must be a whole number from 1 to {}",
                        bounds::MAX_PAGE_ROWS
                    ))
                })?,
        };
        let after = match self.text("cursor") {
            None => PagePosition::top(),
            Some(text) => cursors.open(&list, text)?,
        };
        Ok(PageRequest { limit: usize::try_from(limit).unwrap_or(1), after, list })
    }
}

/// Page that is written row by row.
pub struct PageLines<'a> {
    page: &'a PageRequest,
    writer: PageWriter,
    last: Option<PagePosition>,
    more: bool,
}

impl PageLines<'_> {
    /// Adds a row. The row after the last of the page is not written; it shows that the list continues.
    pub fn push(&mut self, line: &impl Body, place: impl FnOnce() -> PagePosition) -> Result<(), ApiError> {
        if self.writer.items() == self.page.limit {
            self.more = true;
            return Ok(());
        }
        if self.writer.items() + 1 == self.page.limit {
            self.last = Some(place());
        }
        self.writer.push(line).map_err(|cause| ApiError::internal(&cause))
    }

    /// Returns the page, with a cursor if the list continues.
    pub fn reply(self, cursors: &Cursors) -> Result<Reply, ApiError> {
        let last = self.last.filter(|_| self.more);
        let next_cursor = last.map(|place| cursors.seal(&self.page.list, &place));
        let body = self.writer.finish(next_cursor.as_deref()).map_err(|cause| ApiError::internal(&cause))?;
        Ok(Reply::from_json(body))
    }
}

impl PageRequest {
    pub fn lines(&self) -> PageLines<'_> {
        PageLines { page: self, writer: PageWriter::new(), last: None, more: false }
    }

    /// Number of rows to read: one more than the page, which shows whether the list continues.
    pub fn rows_to_read(&self) -> i64 {
        i64::try_from(self.limit).unwrap_or(i64::MAX - 1).saturating_add(1)
    }

    /// Writes up to [`Self::rows_to_read`] rows as the page, with a cursor if the list continues.
    pub fn reply<T, B: Body>(
        &self,
        cursors: &Cursors,
        rows: Vec<T>,
        place: impl Fn(&T) -> PagePosition,
        body: impl Fn(T) -> B,
    ) -> Result<Reply, ApiError> {
        let mut lines = self.lines();
        for row in rows {
            let place = place(&row);
            lines.push(&body(row), || place)?;
        }
        lines.reply(cursors)
    }
}

fn digits(text: &str) -> Option<&str> {
    Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Parses the time of a parameter.
///
/// # Errors
/// `VALIDATION_ERROR` for another text.
pub fn parse_time(name: &str, text: &str) -> Result<Timestamp, ApiError> {
    let problem = || ApiError::validation(format!("{name} must be a time such as 2026-11-20T09:17:04Z"));
    Timestamp::parse(text).ok_or_else(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<Query, ApiError> {
        Query::of(&format!("/messages?{text}").parse().expect("an address"))
    }

    #[test]
    fn limits_are_whole_and_bounded() {
        let cursors = Cursors::new(&[1; 32]).expect("a key");
        let cases = [
            ("", Some(50)),
            ("limit=1", Some(1)),
            ("limit=100&other=x", Some(100)),
            ("limit=0", None),
            ("limit=101", None),
            ("limit=-1", None),
            ("limit=1.5", None),
            ("limit=%2B5", None),
            ("limit=", None),
            ("limit=x", None),
            ("cursor=forged", None),
        ];
        for (text, limit) in cases {
            let page = query(text).expect(text).page(&cursors, &["list"]);
            assert_eq!(page.ok().map(|page| page.limit), limit, "{text}");
        }
        assert!(query("limit=1&limit=2").is_err());
        let read = query("search=%2B34+6").expect("valid");
        assert_eq!(read.text("search"), Some("+34 6"));
        assert!(query("status=x").expect("valid").word("status", &["open", "closed"]).is_err());
    }
}
