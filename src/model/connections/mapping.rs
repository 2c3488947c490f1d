//! Mapping of a JSON answer to labelled values and tables.

use crate::connections::path::Path;
use crate::text::SafeText;
use crate::time::Timestamp;

pub const MAX_FIELDS: usize = 30;
pub const MAX_COLUMNS: usize = 6;
/// Maximum per table; the rest is dropped.
pub const MAX_ROWS: usize = 20;
/// Maximum per value; the rest is dropped.
pub const MAX_VALUE_CHARS: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ValueFormat {
    #[default]
    Text,
    Money {
        /// Currency, if not part of the answer.
        currency: Option<String>,
        /// True if the answer counts hundredths.
        minor: bool,
    },
    Date,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    pub label: String,
    pub path: Path,
    pub format: ValueFormat,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// One value; several are joined.
    Value(ValueFormat),
    /// One row per item of a list.
    Table(Vec<TableColumn>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedField {
    /// Name in `{connection.name}`.
    pub name: String,
    pub label: String,
    pub path: Path,
    pub kind: FieldKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DisplayValue {
    Line(SafeText),
    /// Column headers, rows, and the number of rows dropped.
    Table(Vec<SafeText>, Vec<Vec<SafeText>>, usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedValue {
    /// Name in `{connection.name}`.
    pub name: String,
    pub label: SafeText,
    pub value: DisplayValue,
}

impl MappedValue {
    /// Formats as one line; for a table, its first row.
    pub fn to_line(&self) -> String {
        match &self.value {
            DisplayValue::Line(text) => text.to_string(),
            DisplayValue::Table(_, rows, _) => {
                rows.first().map(|row| join_cells(row, " · ")).unwrap_or_default()
            }
        }
    }
}

fn join_cells(cells: &[SafeText], between: &str) -> String {
    let full: Vec<&str> = cells.iter().map(SafeText::as_str).filter(|text| !text.is_empty()).collect();
    full.join(between)
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MappedAnswer {
    pub fields: Vec<MappedValue>,
    pub at: Timestamp,
}

impl MappedAnswer {
    /// Returns the value of the variable `{connection.name}`.
    pub fn value(&self, name: &str) -> Option<String> {
        self.fields
            .iter()
            .find(|field| field.name == name)
            .map(MappedValue::to_line)
            .filter(|text| !text.is_empty())
    }

    /// Formats all fields as at most `most` lines, for assistants and commands.
    pub fn to_lines(&self, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for field in &self.fields {
            match &field.value {
                DisplayValue::Line(text) => lines.push(format!("{}: {text}", field.label)),
                DisplayValue::Table(_, rows, more) => {
                    lines.extend(
                        rows.iter().map(|row| format!("{}: {}", field.label, join_cells(row, " · "))),
                    );
                    lines.extend((*more > 0).then(|| format!("{}: {more} more", field.label)));
                }
            }
        }
        lines.truncate(most);
        lines
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingCandidate {
    pub path: Path,
    pub sample: SafeText,
    /// Guessed format.
    pub format: ValueFormat,
    /// Columns if the value is a list of objects, else empty.
    pub columns: Vec<TableColumn>,
}

impl MappingCandidate {
    /// Creates a field with a name not used in `taken`.
    pub fn to_field(&self, taken: &[MappedField]) -> MappedField {
        let word = self.path.0.iter().rev().find_map(|path_segment| match path_segment {
            crate::connections::path::PathSegment::Name(name) => Some(name.as_str()),
            _ => None,
        });
        let word = word.unwrap_or("value");
        let name = to_identifier(word);
        let count = taken
            .iter()
            .filter(|mapped_field| {
                mapped_field.name == name || mapped_field.name.starts_with(&format!("{name}_"))
            })
            .count();
        let name = if count == 0 { name } else { format!("{name}_{}", count + 1) };
        let kind = match self.columns.is_empty() {
            true => FieldKind::Value(self.format.clone()),
            false => FieldKind::Table(self.columns.clone()),
        };
        MappedField { name, label: to_label(word), path: self.path.clone(), kind }
    }
}

/// Name for `{connection.name}`: letters, digits, `_`.
fn to_identifier(word: &str) -> String {
    let word: String = word
        .chars()
        .map(|character| if character.is_alphanumeric() { character } else { '_' })
        .take(40)
        .collect();
    word.to_lowercase()
}

/// Derives a label from a JSON name: `shipped_at` and `shippedAt` become `shipped at`.
pub fn to_label(word: &str) -> String {
    let mut label = String::new();
    let mut before = ' ';
    for character in word.chars().take(40) {
        if character.is_uppercase() && before.is_lowercase() {
            label.push(' ');
        }
        let plain = if matches!(character, '_' | '-') { ' ' } else { character };
        label.extend(plain.to_lowercase());
        before = character;
    }
    label.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pick_becomes_a_field_of_its_own_name() {
        let pick = |path: &str| MappingCandidate {
            path: Path::parse(path).expect("a path"),
            sample: SafeText::line("x"),
            format: ValueFormat::Date,
            columns: Vec::new(),
        };
        let first = pick("$.order.shippedAt").to_field(&[]);
        assert_eq!((first.name.as_str(), first.label.as_str()), ("shippedat", "shipped at"));
        let second = pick("$.parcel.shippedAt").to_field(std::slice::from_ref(&first));
        assert_eq!(second.name, "shippedat_2");
        assert_eq!(pick("$[0]").to_field(&[]).name, "value");
    }

    #[test]
    fn an_answer_in_words() {
        let line = |name: &str, text: &str| MappedValue {
            name: name.to_owned(),
            label: SafeText::line(name),
            value: DisplayValue::Line(SafeText::line(text)),
        };
        let cell = SafeText::line;
        let table = MappedValue {
            name: "orders".to_owned(),
            label: SafeText::line("Orders"),
            value: DisplayValue::Table(
                vec![cell("no"), cell("state")],
                vec![vec![cell("1041"), cell("shipped")], vec![cell("1017"), cell("")]],
                3,
            ),
        };
        let mapped = MappedAnswer { fields: vec![line("plan", "Gold"), table], at: Timestamp::default() };
        assert_eq!(mapped.value("plan").as_deref(), Some("Gold"));
        assert_eq!(mapped.value("orders").as_deref(), Some("1041 · shipped"));
        assert_eq!(mapped.value("none"), None);
        let lines = ["plan: Gold", "Orders: 1041 · shipped", "Orders: 1017", "Orders: 3 more"];
        assert_eq!(mapped.to_lines(9), lines);
        assert_eq!(mapped.to_lines(2), lines[..2]);
    }
}
