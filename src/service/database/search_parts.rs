//! Index of the parts of names, numbers and addresses, so that a search for a part of a text does not read all rows.
//!
//! Of each text, every third part of three characters is stored: `customer 17` as `cus`, `tom`, `er `. A text that
//! is searched for and has five characters or more contains at least one of these parts whole, beginning at its first,
//! second or third character. So a few parts lead to all rows that may match; the search then compares these rows.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::cursors::PagePosition;
use crate::database::DatabaseError;
use crate::database::rows::{SqlValue, bound, single_cell};
use crate::database::session::DbSession;

const PART_CHARS: usize = 3;
/// Shortest text that contains a stored part whole, in characters.
const MIN_SEARCH_CHARS: usize = 2 * PART_CHARS - 1;
/// Attempts to find parts in few rows: how many parts of each beginning are counted, and up to which number of rows.
/// Most names and numbers differ at their ends. A part that is more frequent than the last number is of no use.
const ATTEMPTS: [(usize, i64); 3] = [(2, 400), (2, 2_000), (8, 2_000)];
/// Maximum number of candidates. With more, the first page is found faster by reading in the order of the
/// list.
const MAX_CANDIDATES: usize = 500;
/// Number of rows that are compared in one query.
pub const CHUNK_ROWS: usize = 100;

/// Replaces the parts of a row, which belongs to a workspace or channel.
pub fn replace(
    db: &dyn DbSession,
    (scope, row): (&str, &str),
    before: &[String],
    after: &[String],
) -> Result<(), DatabaseError> {
    if before == after {
        return Ok(());
    }
    let (before, after) = (stored_parts(before), stored_parts(after));
    let sql = "DELETE FROM search_parts WHERE scope = ?1 AND part = ?2 AND subject = ?3";
    before.difference(&after).try_for_each(|part| db.change_later(sql, bound![scope, part, row]))?;
    let sql = "INSERT INTO search_parts (scope, part, subject) VALUES (?1, ?2, ?3)
               ON CONFLICT (scope, part, subject) DO NOTHING";
    after.difference(&before).try_for_each(|part| db.change_later(sql, bound![scope, part, row]))
}

/// Lists the distinct rows that may contain a text. `None` if it is too short, or too many rows may.
pub fn find_candidates(
    db: &dyn DbSession,
    scope: &str,
    text: &str,
) -> Result<Option<BTreeSet<String>>, DatabaseError> {
    let Some(beginnings) = searched_parts(text) else { return Ok(None) };
    for (count, limit) in ATTEMPTS {
        let beginnings = beginnings.each_ref().map(|parts| &parts[..count.min(parts.len())]);
        let counts = count_rows(db, scope, &beginnings, (count, limit))?;
        let Some(pairs) = rarest_pairs(&beginnings, &counts, limit) else { continue };
        let rows = rows_of_pairs(db, scope, &pairs)?;
        if rows.len() <= MAX_CANDIDATES {
            return Ok(Some(rows.into_iter().collect()));
        }
    }
    Ok(None)
}

/// Returns the two rarest parts of each beginning, the rarest last: a row with the text has both. `None` if a
/// beginning has no part in fewer rows than the limit.
fn rarest_pairs(beginnings: &[&[String]], counts: &HashMap<String, i64>, limit: i64) -> Option<Vec<String>> {
    let count_of = |part: &&String| counts.get(*part).copied().unwrap_or(0);
    let mut pairs = Vec::new();
    for parts in beginnings {
        let mut parts: Vec<_> = parts.iter().collect();
        parts.sort_by_key(count_of);
        let mut parts = parts.into_iter();
        let rarest = parts.next().filter(|part| count_of(part) < limit)?;
        pairs.extend([parts.next().unwrap_or(rarest).clone(), rarest.clone()]);
    }
    Some(pairs)
}

/// Counts the rows with each part, up to a limit; each beginning has at most `max_parts` parts.
fn count_rows(
    db: &dyn DbSession,
    scope: &str,
    beginnings: &[&[String]],
    (max_parts, limit): (usize, i64),
) -> Result<HashMap<String, i64>, DatabaseError> {
    // The text of the query does not depend on the number of parts, as the engines prepare each text once. One
    // subquery for all parts is planned once.
    let places = PART_CHARS * max_parts;
    let parts: Vec<_> =
        (0..places).map(|place| format!("SELECT CAST(?{} AS TEXT) AS part", place + 3)).collect();
    let sql = format!(
        "SELECT parts.part, (SELECT count(*) FROM (SELECT 1 AS one FROM search_parts
             WHERE scope = ?1 AND search_parts.part = parts.part LIMIT ?2) AS found) AS count
         FROM ({}) AS parts",
        parts.join(" UNION ALL ")
    );
    let mut bound = bound![scope, limit].to_vec();
    let parts = beginnings.iter().copied().flatten().map(String::as_str).chain(std::iter::repeat(""));
    bound.extend(parts.take(places).map(SqlValue::Text));
    db.fetch_all(&sql, &bound, |row| Ok((row.get("part")?, row.get("count")?)))
}

/// Lists the rows that have both parts of a pair, a frequent one and then a rare one; one more than the maximum if
/// there are too many.
fn rows_of_pairs(db: &dyn DbSession, scope: &str, pairs: &[String]) -> Result<Vec<String>, DatabaseError> {
    // Counting keeps the planner from beginning with the frequent part.
    let both = |pair: usize| {
        let (frequent, rare) = (2 * pair + 3, 2 * pair + 4);
        format!(
            "SELECT subject FROM search_parts WHERE scope = ?1 AND part = ?{rare}
             AND (SELECT count(*) FROM search_parts AS other WHERE other.scope = ?1 AND other.part = ?{frequent}
                  AND other.subject = search_parts.subject) > 0"
        )
    };
    let rows = (0..PART_CHARS).map(both).collect::<Vec<_>>().join(" UNION ALL ");
    let sql = format!("{rows} LIMIT ?2");
    let limit = i64::try_from(MAX_CANDIDATES + 1).unwrap_or(i64::MAX);
    let mut bound = bound![scope, limit].to_vec();
    bound.extend(pairs.iter().map(|part| SqlValue::Text(part)));
    db.fetch_all(&sql, &bound, single_cell)
}

/// Reads those of the candidates that match, in chunks, and returns the first page of them, newest first.
pub fn page_of<T>(
    candidates: &[String],
    reach: i64,
    position: impl Fn(&T) -> PagePosition,
    mut read_matching: impl FnMut(&[String]) -> Result<Vec<T>, DatabaseError>,
) -> Result<Vec<T>, DatabaseError> {
    let mut found = Vec::new();
    for chunk in candidates.chunks(CHUNK_ROWS) {
        found.extend(read_matching(chunk)?);
    }
    found.sort_by_cached_key(|row| {
        let PagePosition { at, id } = position(row);
        Reverse((at, id))
    });
    found.truncate(usize::try_from(reach).unwrap_or(usize::MAX));
    Ok(found)
}

fn stored_parts(texts: &[String]) -> BTreeSet<String> {
    let of_text = |text: &String| {
        let characters: Vec<char> = text.chars().collect();
        characters.chunks_exact(PART_CHARS).map(String::from_iter).collect::<Vec<_>>()
    };
    texts.iter().flat_map(of_text).collect()
}

/// Returns the parts of a text from its first, second and third character, last first; `None` if it is too
/// short.
fn searched_parts(text: &str) -> Option<[Vec<String>; PART_CHARS]> {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() < MIN_SEARCH_CHARS {
        return None;
    }
    Some(std::array::from_fn(|begin| {
        characters[begin..].chunks_exact(PART_CHARS).rev().map(String::from_iter).collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> rusqlite::Connection {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        for schema in [include_str!("schema.sql"), include_str!("schema_search.sql")] {
            db.execute_batch(schema).expect("made");
        }
        db
    }

    fn index(db: &dyn DbSession, row: &str, before: &[&str], after: &[&str]) {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        replace(db, ("w", row), &owned(before), &owned(after)).expect("stored");
    }

    fn subjects(db: &dyn DbSession, text: &str) -> Option<Vec<String>> {
        let found = find_candidates(db, "w", text).expect("read");
        found.map(|rows| rows.into_iter().collect())
    }

    #[test]
    fn every_part_of_a_text_leads_to_its_row() {
        let db: &dyn DbSession = &database();
        let texts = ["customer 17", "+34600111222", "ana maría lópez", "日本語のお客様", "a@shop.example"];
        for (number, text) in texts.iter().enumerate() {
            index(db, &number.to_string(), &[], &[text]);
        }
        for (number, text) in texts.iter().enumerate() {
            let characters: Vec<char> = text.chars().collect();
            for begin in 0..characters.len() {
                for end in begin + MIN_SEARCH_CHARS..=characters.len() {
                    let part = String::from_iter(&characters[begin..end]);
                    let found = subjects(db, &part).expect("long enough");
                    assert!(found.contains(&number.to_string()), "{part:?} of {text:?}: {found:?}");
                }
            }
        }
        assert_eq!(subjects(db, "nobody at all"), Some(Vec::new()));
        assert_eq!(subjects(db, "ana "), None, "too short");
    }

    #[test]
    fn renamed_row_is_found_by_its_new_name_only() {
        let db: &dyn DbSession = &database();
        index(db, "1", &[], &["maria lopez", "+34600111222"]);
        index(db, "1", &["maria lopez", "+34600111222"], &["ana ruiz", "+34600111222"]);
        assert_eq!(subjects(db, "maria"), Some(Vec::new()));
        assert_eq!(subjects(db, "ana ruiz"), Some(vec!["1".to_owned()]));
        assert_eq!(subjects(db, "600111222"), Some(vec!["1".to_owned()]));
        index(db, "1", &["ana ruiz", "+34600111222"], &[]);
        let count: i64 = db.fetch_scalar("SELECT count(*) FROM search_parts", &[]).expect("read");
        assert_eq!(count, 0);
    }

    #[test]
    fn common_text_is_not_looked_up() {
        let db: &dyn DbSession = &database();
        for number in 0..MAX_CANDIDATES {
            index(db, &number.to_string(), &[], &["customer"]);
        }
        assert_eq!(subjects(db, "customer").expect("few").len(), MAX_CANDIDATES);
        index(db, "another", &[], &["customer"]);
        assert_eq!(subjects(db, "customer"), None);
    }

    #[test]
    fn two_common_parts_together_may_be_rare() {
        let db: &dyn DbSession = &database();
        for number in 0..2 * MAX_CANDIDATES {
            index(db, &number.to_string(), &[], &[if number % 2 == 0 { "600012" } else { "001600" }]);
        }
        index(db, "another", &[], &["600012001"]);
        assert_eq!(subjects(db, "600012001"), Some(vec!["another".to_owned()]));
    }
}
