//! Import of contacts from a file: columns, validation of rows, and progress.

use crate::bounds;
use crate::contacts::{ContactChange, parse_tags};
use crate::json;
use crate::outbox::Operation;
use crate::outbox::content::{ContactPatch, Json};
use crate::phones;
use crate::text::SafeText;

pub const MAX_SHOWN_PROBLEMS: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProblem {
    /// Line number, from 1.
    pub line: u64,
    /// Name of the column; empty for the whole line.
    pub column: SafeText,
    /// Description and remedy.
    pub what: SafeText,
}

impl ImportProblem {
    fn new(column: &str, what: &str) -> Self {
        Self { line: 0, column: SafeText::line(column), what: SafeText::line(what) }
    }

    #[must_use]
    pub fn at(self, line: u64) -> Self {
        Self { line, ..self }
    }

    pub fn describe(&self) -> String {
        match self.column.is_empty() {
            true => format!("line {}: {}", self.line, self.what),
            false => format!("line {}, {}: {}", self.line, self.column, self.what),
        }
    }
}

/// Result of validating the file without contacting the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DryRun {
    pub rows: u64,
    pub valid: u64,
    /// Rows with a number that occurs earlier in the file.
    pub duplicates: u64,
    pub invalid: u64,
    /// Rows processed by an earlier import of the same file.
    pub done: u64,
    /// The first few problems.
    pub problems: Vec<ImportProblem>,
    /// True if there are tags or metadata, which are merged with the server's.
    pub merges: bool,
    pub columns: String,
}

impl DryRun {
    /// Upper bound in minutes at 180 rows a minute.
    pub fn estimated_minutes(&self) -> u64 {
        self.valid.saturating_sub(self.done).div_ceil(180)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportProgress {
    /// Rows processed, including earlier runs.
    pub done: u64,
    /// Processed rows that the server refused or stored differently.
    pub refused: u64,
    /// Processed rows that were not sent: invalid or duplicate.
    pub skipped: u64,
    pub rows: u64,
    pub ended: bool,
    /// Set while the import waits for a person.
    pub stopped: Option<SafeText>,
    pub results: String,
}

impl ImportProgress {
    pub fn describe(&self) -> String {
        let saved = self.done - self.refused - self.skipped;
        let mut words = format!("{saved} saved");
        for (count, word) in [(self.refused, "refused"), (self.skipped, "left out")] {
            if count > 0 {
                words.push_str(&format!(", {count} {word}"));
            }
        }
        words
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ImportColumn {
    Phone,
    Name,
    Email,
    Tags,
    /// A JSON object of metadata.
    Object,
    /// One metadata entry with this name.
    Field(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportColumns(Vec<ImportColumn>);

impl ImportColumns {
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, ImportProblem> {
        let mut columns: Vec<ImportColumn> = Vec::new();
        for name in names {
            let name = name.trim().trim_start_matches('\u{feff}');
            let column = match name.to_lowercase().as_str() {
                "phone" | "number" | "phone number" | "telephone" | "mobile" => ImportColumn::Phone,
                "name" | "full name" => ImportColumn::Name,
                "email" | "mail" | "e-mail" => ImportColumn::Email,
                "tags" | "labels" => ImportColumn::Tags,
                "metadata" => ImportColumn::Object,
                "" => {
                    return Err(ImportProblem::new("", "a column has no name; name it or remove it").at(1));
                }
                _ => ImportColumn::Field(name.to_owned()),
            };
            if columns.contains(&column) {
                return Err(ImportProblem::new(name, "appears twice; remove one").at(1));
            }
            columns.push(column);
        }
        if !columns.contains(&ImportColumn::Phone) {
            let what = "the first line names the columns and must name phone; name, email, tags and \
                        metadata are optional, and any other column becomes metadata";
            return Err(ImportProblem::new("", what).at(1));
        }
        Ok(Self(columns))
    }

    pub fn has_merged_columns(&self) -> bool {
        self.0.iter().any(|import_column| {
            matches!(import_column, ImportColumn::Tags | ImportColumn::Object | ImportColumn::Field(_))
        })
    }

    pub fn describe(&self) -> String {
        let word = |import_column: &ImportColumn| match import_column {
            ImportColumn::Phone => "phone".to_owned(),
            ImportColumn::Name => "name".to_owned(),
            ImportColumn::Email => "email".to_owned(),
            ImportColumn::Tags => "tags".to_owned(),
            ImportColumn::Object => "metadata".to_owned(),
            ImportColumn::Field(name) => format!("{name} → metadata"),
        };
        self.0.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    /// Parses a row. Empty cells leave the server's values unchanged.
    ///
    /// # Errors
    /// Describes the invalid cell; the caller adds the line number.
    pub fn parse_row(&self, cells: &[&str]) -> Result<ContactChange, ImportProblem> {
        if cells.len() != self.0.len() {
            let what = format!(
                "has {} cells, but there are {} columns; is a quote or a comma missing?",
                cells.len(),
                self.0.len()
            );
            return Err(ImportProblem::new("", &what));
        }
        let mut change = ContactChange::default();
        for (column, cell) in self.0.iter().zip(cells.iter().map(|cell| cell.trim())) {
            apply_cell(&mut change, column, cell)?;
        }
        Ok(change)
    }
}

fn apply_cell(change: &mut ContactChange, column: &ImportColumn, cell: &str) -> Result<(), ImportProblem> {
    let given = || Some(cell.to_owned());
    match column {
        ImportColumn::Phone => {
            change.phone = phones::strip_separators(cell);
            if !bounds::is_e164(&change.phone) {
                let shown: String = cell.chars().take(40).collect();
                let what =
                    format!("{shown:?} is not a number such as +34600111222; add + and the country code");
                return Err(ImportProblem::new("phone", &what));
            }
        }
        _ if cell.is_empty() => (),
        ImportColumn::Name => {
            let (length, most) = (bounds::count_chars(cell), bounds::MAX_CONTACT_NAME_CHARS);
            if length > most {
                let what = format!("has {length} characters; at most {most} are allowed: shorten it");
                return Err(ImportProblem::new("name", &what));
            }
            change.name = given();
        }
        ImportColumn::Email => {
            if !bounds::is_email(cell) {
                let shown: String = cell.chars().take(60).collect();
                return Err(ImportProblem::new(
                    "email",
                    &format!("{shown:?} is not a mail address; correct or remove it"),
                ));
            }
            change.email = given();
        }
        ImportColumn::Tags => change.add = parse_tags(&cell.replace([';', '|'], ",")),
        ImportColumn::Object => {
            let members = json::members(cell).map_err(|(_, at, why)| {
                ImportProblem::new("metadata", &format!("is not a JSON object: character {at}: {why}"))
            })?;
            change.set.extend(members.into_iter().map(|(name, raw)| (name, Json(raw))));
        }
        ImportColumn::Field(name) => change.set.push((name.clone(), Json(json::quote(cell)))),
    }
    Ok(())
}

/// Converts a row to an operation; one that merges only if there are tags or metadata.
pub fn to_operation(change: ContactChange) -> Operation {
    if change.changes_tags() || change.changes_metadata() {
        return Operation::ChangeContact(Box::new(change));
    }
    let ContactChange { phone, name, email, .. } = change;
    Operation::SaveContact(Box::new(ContactPatch { phone, name, email, ..ContactPatch::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_told_by_their_names() {
        let all = ImportColumns::from_names(["\u{feff}Phone", "NAME", "e-mail", "Tags", "metadata", "City"])
            .expect("columns");
        assert_eq!(all.describe(), "phone, name, email, tags, metadata, City → metadata");
        assert!(
            all.has_merged_columns()
                && !ImportColumns::from_names(["phone", "name"]).expect("columns").has_merged_columns()
        );
        for (names, wanted) in [
            (vec!["name"], "must name phone"),
            (vec!["phone", "number"], "twice"),
            (vec!["phone", ""], "has no name"),
        ] {
            let told = ImportColumns::from_names(names).expect_err(wanted);
            assert!(told.describe().contains(wanted), "{}", told.describe());
        }
    }

    #[test]
    fn rows_become_wishes_or_problems() {
        let columns = ImportColumns::from_names(["phone", "name", "email", "tags", "metadata", "city"])
            .expect("columns");
        let change = columns
            .parse_row(&["+34 600-111-222", "Maria", "", "vip; late", "{\"n\": 1}", "Vigo \"x\""])
            .expect("a wish");
        assert_eq!((change.phone.as_str(), change.email.as_deref()), ("+34600111222", None));
        assert_eq!(change.add, ["vip", "late"]);
        let set: Vec<(&str, &str)> = change.set.iter().map(|(name, raw)| (&name[..], &raw.0[..])).collect();
        assert_eq!(set, [("n", "1"), ("city", "\"Vigo \\\"x\\\"\"")]);
        assert!(matches!(to_operation(change), Operation::ChangeContact(_)));
        let long = "x".repeat(201);
        let cases: [(&[&str], &str); 6] = [
            (&["600", "", "", "", "", ""], "phone: \"600\" is not a number"),
            (&["", "", "", "", "", ""], "phone: \"\" is not a number"),
            (&["+34600111222", &long, "", "", "", ""], "name: has 201 characters"),
            (&["+34600111222", "", "maria", "", "", ""], "email: \"maria\" is not a mail address"),
            (&["+34600111222", "", "", "", "{x}", ""], "metadata: is not a JSON object"),
            (&["+34600111222", "Maria"], "has 2 cells, but there are 6 columns"),
        ];
        for (cells, wanted) in cases {
            let told = columns.parse_row(cells).expect_err(wanted).at(7).describe();
            assert!(told.starts_with("line 7") && told.contains(wanted), "{told}");
        }
        let plain = columns.parse_row(&["+34600111222", "Maria", "", "", "", ""]).expect("a wish");
        assert!(matches!(to_operation(plain), Operation::SaveContact(_)));
    }
}
