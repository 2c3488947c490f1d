//! Contacts from a file: what its columns mean, what is wrong with a row, and
//! the progress of an import.

use crate::bounds;
use crate::contacts::{ContactChange, parse_tags};
use crate::json;
use crate::outbox::Operation;
use crate::outbox::content::{ContactPatch, Json};
use crate::phones;
use crate::text::SafeText;

/// Problems that are kept to be shown.
pub const MAX_SHOWN_PROBLEMS: usize = 10;

/// What is wrong at a place of the file, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportProblem {
    /// The line, counted from 1.
    pub line: u64,
    /// The column by its name; empty: the whole line.
    pub column: SafeText,
    /// What is wrong, and what to do.
    pub what: SafeText,
}

impl ImportProblem {
    fn new(column: &str, what: &str) -> Self {
        Self { line: 0, column: SafeText::line(column), what: SafeText::line(what) }
    }

    /// The same at a line.
    #[must_use]
    pub fn at(self, line: u64) -> Self {
        Self { line, ..self }
    }

    /// In one line.
    pub fn describe(&self) -> String {
        match self.column.is_empty() {
            true => format!("line {}: {}", self.line, self.what),
            false => format!("line {}, {}: {}", self.line, self.column, self.what),
        }
    }
}

/// What was found without asking the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DryRun {
    /// Rows below the names of the columns.
    pub rows: u64,
    /// Rows that would be sent.
    pub valid: u64,
    /// Rows with a number that stands further up.
    pub duplicates: u64,
    /// Rows that cannot be sent.
    pub invalid: u64,
    /// Rows an earlier import of the same file has seen to.
    pub done: u64,
    /// What is wrong, the first few.
    pub problems: Vec<ImportProblem>,
    /// Whether there are tags or metadata, which are merged with what the
    /// server has.
    pub merges: bool,
    /// What becomes of the columns, in words.
    pub columns: String,
}

impl DryRun {
    /// Minutes the rest takes at most of what the interface allows.
    pub fn estimated_minutes(&self) -> u64 {
        self.valid.saturating_sub(self.done).div_ceil(180)
    }
}

/// The progress of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportProgress {
    /// Rows seen to, in this run and before.
    pub done: u64,
    /// Of them, those the server refused or has otherwise.
    pub refused: u64,
    /// Of them, those that were not sent: wrong, or there twice.
    pub skipped: u64,
    pub rows: u64,
    /// Whether all was seen to.
    pub ended: bool,
    /// Why it waits for a person.
    pub stopped: Option<SafeText>,
    pub results: String,
}

impl ImportProgress {
    /// In one line.
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
    /// One piece of metadata of this name.
    Field(String),
}

/// The columns of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportColumns(Vec<ImportColumn>);

impl ImportColumns {
    /// Reads the names of the columns.
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
                    return Err(ImportProblem::new("", "a column has no name; name it, or take it out").at(1));
                }
                _ => ImportColumn::Field(name.to_owned()),
            };
            if columns.contains(&column) {
                return Err(ImportProblem::new(name, "stands there twice; take one out").at(1));
            }
            columns.push(column);
        }
        if !columns.contains(&ImportColumn::Phone) {
            let what = "the first line names the columns, and none is called phone; others are name, email, tags, \
                        metadata, and any else becomes metadata";
            return Err(ImportProblem::new("", what).at(1));
        }
        Ok(Self(columns))
    }

    /// Whether rows have tags or metadata.
    pub fn has_merged_columns(&self) -> bool {
        self.0.iter().any(|import_column| {
            matches!(import_column, ImportColumn::Tags | ImportColumn::Object | ImportColumn::Field(_))
        })
    }

    /// What becomes of them, in words.
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

    /// What a row wishes; empty cells leave as it is what the server has.
    ///
    /// # Errors
    /// What is wrong with it; its line is the caller's to know.
    pub fn parse_row(&self, cells: &[&str]) -> Result<ContactChange, ImportProblem> {
        if cells.len() != self.0.len() {
            let what = format!(
                "has {} cells where {} columns are named; is a quote or a comma missing?",
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

/// Takes a cell into what a row wishes.
fn apply_cell(change: &mut ContactChange, column: &ImportColumn, cell: &str) -> Result<(), ImportProblem> {
    let given = || Some(cell.to_owned());
    match column {
        ImportColumn::Phone => {
            change.phone = phones::strip_separators(cell);
            if !bounds::is_e164(&change.phone) {
                let shown: String = cell.chars().take(40).collect();
                let what =
                    format!("{shown:?} is no number in the form +34600111222; add + and the country code");
                return Err(ImportProblem::new("phone", &what));
            }
        }
        _ if cell.is_empty() => (),
        ImportColumn::Name => {
            let (length, most) = (bounds::count_chars(cell), bounds::MAX_CONTACT_NAME_CHARS);
            if length > most {
                let what = format!("has {length} characters; at most {most} are taken: shorten it");
                return Err(ImportProblem::new("name", &what));
            }
            change.name = given();
        }
        ImportColumn::Email => {
            if !bounds::is_email(cell) {
                let shown: String = cell.chars().take(60).collect();
                return Err(ImportProblem::new(
                    "email",
                    &format!("{shown:?} is no mail address; mend or empty it"),
                ));
            }
            change.email = given();
        }
        ImportColumn::Tags => change.add = parse_tags(&cell.replace([';', '|'], ",")),
        ImportColumn::Object => {
            let members = json::members(cell).map_err(|(_, at, why)| {
                ImportProblem::new("metadata", &format!("is no JSON object: character {at}: {why}"))
            })?;
            change.set.extend(members.into_iter().map(|(name, raw)| (name, Json(raw))));
        }
        ImportColumn::Field(name) => change.set.push((name.clone(), Json(json::quote(cell)))),
    }
    Ok(())
}

/// The wish as what leaves: merged only where there is something to merge.
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
            (vec!["name"], "none is called phone"),
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
            (&["600", "", "", "", "", ""], "phone: \"600\" is no number"),
            (&["", "", "", "", "", ""], "phone: \"\" is no number"),
            (&["+34600111222", &long, "", "", "", ""], "name: has 201 characters"),
            (&["+34600111222", "", "maria", "", "", ""], "email: \"maria\" is no mail address"),
            (&["+34600111222", "", "", "", "{x}", ""], "metadata: is no JSON object"),
            (&["+34600111222", "Maria"], "has 2 cells where 6 columns are named"),
        ];
        for (cells, wanted) in cases {
            let told = columns.parse_row(cells).expect_err(wanted).at(7).describe();
            assert!(told.starts_with("line 7") && told.contains(wanted), "{told}");
        }
        let plain = columns.parse_row(&["+34600111222", "Maria", "", "", "", ""]).expect("a wish");
        assert!(matches!(to_operation(plain), Operation::SaveContact(_)));
    }
}
