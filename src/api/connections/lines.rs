//! Finds the line of a mistake in a document of connections.

use toml::de::{DeTable, DeValue};

use model::connections::mistake::ConnectionMistake;

const LIST: &str = "connection";

/// Returns the line of a mistake in the connection at `index`; if the key is missing, the line of
/// the nearest table above it.
pub fn line_of(text: &str, index: usize, mistake: &ConnectionMistake) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut at = 0;
    for (list, index) in [(LIST, index)].iter().chain(&mistake.below) {
        let Some((start, entry)) = entry(table, list, *index) else { return Some(line(text, at)) };
        (at, table) = (start, entry);
    }
    let key = table.keys().find(|key| key.get_ref() == mistake.key);
    Some(line(text, key.map_or(at, |key| key.span().start)))
}

/// Returns the line of a mistake in the connection called `name`.
pub fn line_in(text: &str, name: &str, mistake: &ConnectionMistake) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let DeValue::Array(all) = document.get_ref().get(LIST)?.get_ref() else { return None };
    let is_called = |value: &DeValue<'_>| match value {
        DeValue::Table(table) => {
            matches!(table.get("name").map(|de_value| de_value.get_ref()), Some(DeValue::String(value)) if value == name)
        }
        _ => false,
    };
    line_of(text, all.iter().position(|de_value| is_called(de_value.get_ref()))?, mistake)
}

fn entry<'a>(table: &'a DeTable<'a>, list: &str, index: usize) -> Option<(usize, &'a DeTable<'a>)> {
    let DeValue::Array(all) = table.get(list)?.get_ref() else { return None };
    let entry = all.get(index)?;
    match entry.get_ref() {
        DeValue::Table(table) => Some((entry.span().start, table)),
        _ => None,
    }
}

/// Returns the line of a byte offset, from 1.
pub fn line(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).bytes().filter(|byte| *byte == b'\n').count() + 1
}
