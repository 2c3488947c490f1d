//! Parses responses within limits and extracts the values that a mapping shows. No other module
//! traverses response JSON.

use serde_json::Value;

use api::repair::repaired;
use model::connections::formats;
use model::connections::mapping::{
    MAX_COLUMNS, MAX_ROWS, MAX_VALUE_CHARS, MappingCandidate, TableColumn, to_label,
};
use model::connections::path::{Path, PathSegment};
use model::connections::{DisplayValue, FieldKind, MappedAnswer, MappedField, MappedValue, ValueFormat};
use model::text::SafeText;
use model::time::{Timestamp, Zone};

pub const MAX_BODY_BYTES: usize = 1024 * 1024;
pub const MAX_DEPTH: usize = 64;
/// Maximum number of values that a path finds.
const MAX_VALUES: usize = 200;
const MAX_CANDIDATES: usize = 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResponseError {
    #[error("the answer is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("the answer is not JSON")]
    NotJson,
}

/// Parses a response body, after repairing it; null for an empty one.
pub fn read(body: &[u8]) -> Result<Value, ResponseError> {
    let body = repaired(body.to_vec(), None);
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Null);
    }
    if nesting_depth(&body) > MAX_DEPTH {
        return Err(ResponseError::TooDeep);
    }
    serde_json::from_slice(&body).map_err(|_| ResponseError::NotJson)
}

/// Returns how deep brackets nest outside of strings.
fn nesting_depth(body: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in body {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true, b'"') => in_text = false,
            (true, _) => {}
            (false, b'"') => in_text = true,
            (false, b'[' | b'{') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (false, _) => {}
        }
    }
    deepest
}

pub fn find<'a>(value: &'a Value, path: &Path) -> Vec<&'a Value> {
    let mut found = vec![value];
    for step in &path.0 {
        let mut next = Vec::new();
        for value in found {
            match (step, value) {
                (PathSegment::Name(name), Value::Object(members)) => next.extend(members.get(name)),
                (PathSegment::Index(index), Value::Array(items)) => {
                    let at = match usize::try_from(*index) {
                        Ok(at) => Some(at),
                        Err(_) => items
                            .len()
                            .checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX)),
                    };
                    next.extend(at.and_then(|number| items.get(number)));
                }
                (PathSegment::All, Value::Array(items)) => next.extend(items.iter().take(MAX_VALUES)),
                (PathSegment::All, Value::Object(members)) => next.extend(members.values().take(MAX_VALUES)),
                _ => {}
            }
            if next.len() >= MAX_VALUES {
                break;
            }
        }
        next.truncate(MAX_VALUES);
        found = next;
    }
    found
}

/// Extracts the values that `fields` select.
pub fn map(value: &Value, fields: &[MappedField], at: Timestamp, zone: &Zone) -> MappedAnswer {
    let shown = |field: &MappedField| {
        let found = find(value, &field.path);
        let shown = match &field.kind {
            FieldKind::Value(format) => {
                let texts: Vec<String> = found
                    .iter()
                    .filter_map(|entry| scalar_text(entry, value, format, zone))
                    .take(MAX_ROWS)
                    .collect();
                DisplayValue::Line(line(&texts.join(", ")))
            }
            FieldKind::Table(columns) => table(&found, columns, zone),
        };
        let empty = match &shown {
            DisplayValue::Line(text) => text.is_empty(),
            DisplayValue::Table(_, rows, _) => rows.is_empty(),
        };
        (!empty).then(|| MappedValue {
            name: field.name.clone(),
            label: SafeText::line(&field.label),
            value: shown,
        })
    };
    MappedAnswer { fields: fields.iter().filter_map(shown).collect(), at }
}

fn table(found: &[&Value], columns: &[TableColumn], zone: &Zone) -> DisplayValue {
    // A path to a list and a path to its items give the same table.
    let rows: Vec<&Value> = match found {
        [Value::Array(items)] => items.iter().collect(),
        other => other.to_vec(),
    };
    let cell = |row: &Value, column: &TableColumn| {
        let found = find(row, &column.path);
        let text = found.first().and_then(|value| scalar_text(value, row, &column.format, zone));
        line(&text.unwrap_or_default())
    };
    let shown =
        rows.iter().take(MAX_ROWS).map(|row| columns.iter().map(|column| cell(row, column)).collect());
    let heads = columns.iter().map(|column| SafeText::line(&column.label)).collect();
    DisplayValue::Table(heads, shown.collect(), rows.len().saturating_sub(MAX_ROWS))
}

/// Formats a scalar or a list of scalars; `None` for anything else. The currency of an amount may
/// be in `beside`.
fn scalar_text(value: &Value, beside: &Value, format: &ValueFormat, zone: &Zone) -> Option<String> {
    let text = match value {
        Value::String(text) => text.chars().take(MAX_VALUE_CHARS).collect(),
        Value::Number(number) => number.to_string(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object()) => {
            let texts =
                items.iter().take(MAX_ROWS).filter_map(|item| scalar_text(item, beside, format, zone));
            return Some(texts.collect::<Vec<_>>().join(", "));
        }
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(match format {
        ValueFormat::Text => text,
        ValueFormat::Date => formats::format_date(&text, zone),
        ValueFormat::Money { currency, minor } => {
            let currency = currency.as_deref().or_else(|| beside["currency"].as_str());
            formats::format_money(&text, currency, *minor)
        }
    })
}

fn line(text: &str) -> SafeText {
    SafeText::line(&text.chars().take(MAX_VALUE_CHARS).collect::<String>())
}

/// Returns what a mapping can select: every scalar, and every list of objects as a table.
pub fn picks(value: &Value) -> Vec<MappingCandidate> {
    let mut picks = Vec::new();
    collect(value, &mut Path::default(), &mut picks);
    picks
}

fn collect(value: &Value, path: &mut Path, picks: &mut Vec<MappingCandidate>) {
    if picks.len() >= MAX_CANDIDATES {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                path.0.push(PathSegment::Name(name.chars().take(80).collect()));
                collect(inner, path, picks);
                path.0.pop();
            }
        }
        Value::Array(items) => match items.first() {
            Some(Value::Object(first)) => {
                let columns = columns(first);
                let words =
                    if items.len() == 1 { "1 row".to_owned() } else { format!("{} rows", items.len()) };
                if !columns.is_empty() {
                    let sample = SafeText::line(&words);
                    picks.push(MappingCandidate {
                        path: path.clone(),
                        sample,
                        format: ValueFormat::Text,
                        columns,
                    });
                }
            }
            _ => {
                if let Some(text) = scalar_text(value, &Value::Null, &ValueFormat::Text, &Zone::UTC) {
                    let path = path.clone();
                    picks.push(MappingCandidate {
                        path,
                        sample: line(&text),
                        format: ValueFormat::Text,
                        columns: Vec::new(),
                    });
                }
            }
        },
        other => {
            if let Some((text, format)) = sample(other) {
                let name = match path.0.last() {
                    Some(PathSegment::Name(name)) => name.as_str(),
                    _ => "",
                };
                let format = named_format(name, other, format);
                picks.push(MappingCandidate {
                    path: path.clone(),
                    sample: line(&text),
                    format,
                    columns: Vec::new(),
                });
            }
        }
    }
}

/// Returns the columns for a list of objects like `first`, identifying fields first. A currency
/// column is dropped if there is an amount.
fn columns(first: &serde_json::Map<String, Value>) -> Vec<TableColumn> {
    const NAME_KEYS: [&str; 6] = ["number", "no", "id", "code", "name", "title"];
    let column = |(name, inner): (&String, &Value)| {
        let (_, format) = sample(inner)?;
        let path = Path(vec![PathSegment::Name(name.clone())]);
        Some((
            name.clone(),
            TableColumn { label: to_label(name), path, format: named_format(name, inner, format) },
        ))
    };
    let mut all: Vec<(String, TableColumn)> = first.iter().filter_map(column).collect();
    if all.iter().any(|(_, table_column)| matches!(table_column.format, ValueFormat::Money { .. })) {
        all.retain(|(name, _)| name != "currency");
    }
    all.sort_by_key(|(name, _)| NAME_KEYS.iter().position(|text| text == name).unwrap_or(NAME_KEYS.len()));
    all.into_iter().map(|(_, table_column)| table_column).take(MAX_COLUMNS).collect()
}

fn sample(value: &Value) -> Option<(String, ValueFormat)> {
    let text = match value {
        Value::Array(_) | Value::Object(_) => return None,
        Value::Null => return Some((String::new(), ValueFormat::Text)),
        other => scalar_text(other, &Value::Null, &ValueFormat::Text, &Zone::UTC)?,
    };
    let format = if formats::is_like_date(&text) { ValueFormat::Date } else { ValueFormat::Text };
    Some((text, format))
}

/// Treats a number as an amount if its name suggests one.
fn named_format(name: &str, value: &Value, guess: ValueFormat) -> ValueFormat {
    const AMOUNT_WORDS: [&str; 8] = ["total", "amount", "price", "balance", "sum", "cost", "paid", "due"];
    let name = name.to_lowercase();
    let minor = name.ends_with("cents") || name.ends_with("minor");
    if value.is_number() && (minor || AMOUNT_WORDS.iter().any(|amount| name.contains(amount))) {
        return ValueFormat::Money { currency: None, minor };
    }
    guess
}
