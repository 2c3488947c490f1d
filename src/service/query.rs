//! Query parameters: read once, refused by name; and pages of lists.
//! Interface: Endpoints, `limit` and `cursor`.

use axum::extract::Query as Pairs;
use axum::http::Uri;

use crate::cursors::{Cursors, ListName, Place};
use crate::errors::ApiError;
use crate::reply::Reply;
use model::bounds;
use wire::body::Body;
use wire::pages::PageWriter;

/// The parameters of one request.
#[derive(Debug, Clone, Default)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

/// One page that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Rows at most.
    pub limit: usize,
    /// The page starts after this place.
    pub after: Place,
    list: ListName,
}

impl Query {
    /// Reads the query of an address. Names nobody asks for are ignored.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` when it cannot be decoded or names one twice.
    pub fn of(uri: &Uri) -> Result<Self, ApiError> {
        let decoded = Pairs::<Vec<(String, String)>>::try_from_uri(uri);
        let Pairs(pairs) =
            decoded.map_err(|_| ApiError::validation("the query string could not be decoded"))?;
        for (index, (name, _)) in pairs.iter().enumerate() {
            if pairs[..index].iter().any(|(earlier, _)| earlier == name) {
                return Err(ApiError::validation(format!("{name} is given twice")));
            }
        }
        Ok(Self { pairs })
    }

    /// A parameter's text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(it, _)| it == name).map(|(_, text)| text.as_str())
    }

    /// A parameter that must be one of some words.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` when it is another.
    pub fn word(&self, name: &str, words: &[&'static str]) -> Result<Option<&'static str>, ApiError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => Err(ApiError::validation(format!("{name} must be one of {}", words.join(", ")))),
        }
    }

    /// The page asked for, of the list named by all that decides its rows.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a limit out of bounds or a foreign cursor.
    pub fn page(&self, cursors: &Cursors, list: &[&str]) -> Result<PageRequest, ApiError> {
        let list = ListName::new(list);
        let limit = match self.text("limit") {
            None => bounds::PAGE_DEFAULT,
            Some(text) => digits(text)
                .and_then(|it| it.parse::<u32>().ok())
                .filter(|limit| (1..=bounds::PAGE_MAX).contains(limit))
                .ok_or_else(|| {
                    ApiError::validation(format!(
                        "limit must be a whole number from 1 to {}",
                        bounds::PAGE_MAX
                    ))
                })?,
        };
        let after = match self.text("cursor") {
            None => Place::top(),
            Some(text) => cursors.open(&list, text)?,
        };
        Ok(PageRequest { limit: usize::try_from(limit).unwrap_or(1), after, list })
    }
}

/// A page being written row by row.
pub struct Lines<'a> {
    page: &'a PageRequest,
    writer: PageWriter,
    last: Option<Place>,
    more: bool,
}

impl Lines<'_> {
    /// Takes the next row; the one beyond the page only tells that others
    /// follow.
    pub fn take(&mut self, line: &impl Body, place: impl FnOnce() -> Place) -> Result<(), ApiError> {
        if self.writer.items() == self.page.limit {
            self.more = true;
            return Ok(());
        }
        if self.writer.items() + 1 == self.page.limit {
            self.last = Some(place());
        }
        self.writer.push(line).map_err(|cause| ApiError::internal(&cause))
    }

    /// The answer, with the cursor after the last row.
    pub fn reply(self, cursors: &Cursors) -> Result<Reply, ApiError> {
        let last = self.last.filter(|_| self.more);
        let next_cursor = last.map(|place| cursors.seal(&self.page.list, &place));
        let body = self.writer.finish(next_cursor.as_deref()).map_err(|cause| ApiError::internal(&cause))?;
        Ok(Reply::of_json(body))
    }
}

impl PageRequest {
    /// Begins to write this page.
    pub fn lines(&self) -> Lines<'_> {
        Lines { page: self, writer: PageWriter::new(), last: None, more: false }
    }

    /// Rows to read: one more than asked for, to see whether others follow.
    pub fn reach(&self) -> i64 {
        i64::try_from(self.limit).unwrap_or(i64::MAX - 1).saturating_add(1)
    }

    /// The answer: rows as bodies, and the cursor after the last one. Of as
    /// many rows as [`Self::reach`] reads, the last only tells that others
    /// follow.
    pub fn reply<T, B: Body>(
        &self,
        cursors: &Cursors,
        rows: Vec<T>,
        place: impl Fn(&T) -> Place,
        body: impl Fn(T) -> B,
    ) -> Result<Reply, ApiError> {
        let mut lines = self.lines();
        for row in rows {
            let place = place(&row);
            lines.take(&body(row), || place)?;
        }
        lines.reply(cursors)
    }
}

/// The text, if it is nothing but digits.
fn digits(text: &str) -> Option<&str> {
    Some(text).filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()))
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
            assert_eq!(page.ok().map(|it| it.limit), limit, "{text}");
        }
        assert!(query("limit=1&limit=2").is_err());
        let read = query("search=%2B34+6").expect("valid");
        assert_eq!(read.text("search"), Some("+34 6"));
        assert!(query("status=x").expect("valid").word("status", &["open", "closed"]).is_err());
    }
}
