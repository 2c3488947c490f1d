//! Fields and words that the interface does not name, counted as they come in.

use rusqlite::{Connection, params};

use crate::{Reader, StoreError};
use model::lens::{JsonKind, LensField, LensReport, LensShape, LensWord, unknown_fields, unknown_words};
use model::text::SafeText;
use sqlite::{Queries, read_row};

/// Fields kept of one shape.
const FIELDS: i64 = 200;
/// Words kept of one field.
const WORDS: i64 = 50;

/// Counts what is not named in an item as it came, of a conversation with this
/// number. Tells in words which fields were something else until now.
pub(crate) fn observe(
    connection: &Connection,
    shape: LensShape,
    raw: &str,
    number: i64,
) -> Result<Vec<SafeText>, StoreError> {
    let mut reshaped = Vec::new();
    for seen in unknown_fields(shape, raw) {
        let kinds: Vec<JsonKind> = connection.all(
            "SELECT kind FROM lens_field WHERE shape = ?1 AND path = ?2",
            params![shape.word(), seen.path],
            |row| row.word("kind", |row| JsonKind::from_word(row).unwrap_or(JsonKind::Null)),
        )?;
        let written = connection
            .prepare_cached(
                "INSERT INTO lens_field (shape, path, kind, count, example, example_of, first_at)
                     SELECT ?1, ?2, ?3, 1, ?4, ?5, desk_now() WHERE EXISTS (
                         SELECT 1 FROM lens_field WHERE shape = ?1 AND path = ?2 AND kind = ?3)
                     OR (SELECT count(*) FROM lens_field WHERE shape = ?1) < ?6
                 ON CONFLICT DO UPDATE SET count = count + 1,
                     example = iif(example_of IS NULL, excluded.example, example),
                     example_of = coalesce(example_of, excluded.example_of)",
            )?
            .execute(params![shape.word(), seen.path, seen.kind.word(), seen.example, number, FIELDS])?;
        let was = kinds.iter().find(|kind| **kind != JsonKind::Null);
        let is_new = written > 0 && seen.kind != JsonKind::Null && !kinds.contains(&seen.kind);
        if let Some(was) = was.filter(|_| is_new) {
            let (word, path) = (shape.word(), &seen.path);
            let words = format!("{word}.{path} was a {}, now also a {}", was.word(), seen.kind.word());
            tracing::warn!(field = %path, shape = word, was = was.word(), now = seen.kind.word(), "a field changed");
            reshaped.push(SafeText::line(&words));
        }
    }
    for (field, word) in unknown_words(shape, raw) {
        connection
            .prepare_cached(
                "INSERT INTO lens_word (shape, field, word, count) SELECT ?1, ?2, ?3, 1 WHERE EXISTS (
                     SELECT 1 FROM lens_word WHERE shape = ?1 AND field = ?2 AND word = ?3)
                 OR (SELECT count(*) FROM lens_word WHERE shape = ?1 AND field = ?2) < ?4
                 ON CONFLICT DO UPDATE SET count = count + 1",
            )?
            .execute(params![shape.word(), field, word, WORDS])?;
    }
    Ok(reshaped)
}

impl Reader {
    /// What was seen so far that the interface does not name.
    ///
    /// # Errors
    /// When the database fails.
    pub fn lens(&self) -> Result<LensReport, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let shape = |word: &str| LensShape::from_word(word).unwrap_or(LensShape::Message);
        let rows: Vec<LensField> = moment.all(
            "SELECT shape, path, kind, count, example, first_at FROM lens_field
             ORDER BY shape, path, count DESC, kind",
            [],
            |row| {
                let kind = row.word("kind", |row| JsonKind::from_word(row).unwrap_or(JsonKind::Null))?;
                Ok(read_row!(row, LensField {
                    path, example: line, first_at;
                    shape: row.word("shape", shape)?,
                    kinds: vec![(kind, row.number("count")?)]
                }))
            },
        )?;
        let mut fields: Vec<LensField> = Vec::new();
        for row in rows {
            match fields.last_mut().filter(|field| (field.shape, &field.path) == (row.shape, &row.path)) {
                Some(field) => field.kinds.extend(row.kinds),
                None => fields.push(row),
            }
        }
        let words = moment.all(
            "SELECT shape, field, word, count FROM lens_word ORDER BY shape, field, count DESC, word",
            [],
            |row| Ok(read_row!(row, LensWord { field, word: line, count: number; shape: row.word("shape", shape)? })),
        )?;
        Ok(LensReport { fields, words })
    }
}
