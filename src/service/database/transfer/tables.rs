//! Tables and columns of a service, in an order in which rows can be inserted.

use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use crate::database::transfer::note;
use crate::database::{DatabaseError, erasing};

/// Tables that exist only on a server: coordination of processes, and uploaded files.
const SERVER_TABLES: [&str; 5] = ["commit_order", "leases", "media_parts", "processes", "shared_state"];

/// Columns of `workspaces` that exist only on a server.
const SERVER_COLUMNS: [&str; 2] = ["revision", "stamp"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferTable {
    pub name: String,
    pub columns: Vec<String>,
    /// Tables referenced by foreign keys; known only for a file.
    parents: Vec<String>,
}

impl TransferTable {
    /// SQL that reads all rows, without the metadata of the database itself.
    pub fn select(&self) -> String {
        let kept = if self.name == "meta" {
            format!(" WHERE name NOT IN ('format', '{}')", note::META_NAME)
        } else {
            String::new()
        };
        format!("SELECT {} FROM \"{}\"{kept}", self.column_names(), self.name)
    }

    /// [`select`](Self::select) for a file, in which `meta` holds numbers or bytes: converts all to
    /// bytes, as on a server.
    pub fn select_from_file(&self) -> String {
        let value = r#""value""#;
        let bytes = r#"CASE typeof("value") WHEN 'integer' THEN CAST(CAST("value" AS TEXT) AS BLOB) ELSE "value" END"#;
        let select = self.select();
        if self.name == "meta" { select.replacen(value, bytes, 1) } else { select }
    }

    pub fn insert(&self) -> String {
        let values: Vec<_> = (1..=self.columns.len()).map(|number| format!("?{number}")).collect();
        format!("INSERT INTO \"{}\" ({}) VALUES ({})", self.name, self.column_names(), values.join(", "))
    }

    fn column_names(&self) -> String {
        let quoted: Vec<_> = self.columns.iter().map(|column| format!("\"{column}\"")).collect();
        quoted.join(", ")
    }
}

pub fn file_tables(db: &dyn DbSession) -> Result<Vec<TransferTable>, DatabaseError> {
    let names: Vec<String> = db.fetch_all(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
        &[],
        single_cell,
    )?;
    let table = |name: String| {
        let columns = db.fetch_all("SELECT name FROM pragma_table_info(?1)", bound![name], single_cell)?;
        let parents = "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?1)";
        let parents = db.fetch_all(parents, bound![name], single_cell)?;
        Ok(TransferTable { name, columns, parents })
    };
    names.into_iter().map(table).collect()
}

pub fn server_tables(db: &dyn DbSession) -> Result<Vec<TransferTable>, DatabaseError> {
    let sql = "SELECT CAST(table_name AS TEXT) AS name, CAST(column_name AS TEXT) AS of FROM information_schema.columns
               WHERE table_schema = current_schema()";
    let found: Vec<(String, String)> =
        db.fetch_all(sql, &[], |row| Ok((row.get("name")?, row.get("of")?)))?;
    let mut tables: Vec<TransferTable> = Vec::new();
    for (name, column) in found {
        let is_counter = name == "workspaces" && SERVER_COLUMNS.contains(&column.as_str());
        // Skips views and the tables of other programs.
        if is_counter || !erasing::is_own_table(&name) || SERVER_TABLES.contains(&name.as_str()) {
            continue;
        }
        match tables.iter_mut().find(|table| table.name == name) {
            Some(table) => table.columns.push(column),
            None => tables.push(TransferTable { name, columns: vec![column], parents: Vec::new() }),
        }
    }
    Ok(tables)
}

/// Returns the tables of both sides, which must be equal, in an order in which rows can be
/// inserted.
pub fn common_tables(
    one: Vec<TransferTable>,
    other: Vec<TransferTable>,
) -> Result<Vec<TransferTable>, DatabaseError> {
    let missing = |tables: &[TransferTable], others: &[TransferTable]| {
        let differs = |table: &&TransferTable| {
            let same = others.iter().find(|transfer_table| transfer_table.name == table.name);
            same.is_none_or(|transfer_table| sorted(&transfer_table.columns) != sorted(&table.columns))
        };
        tables.iter().find(differs).map(|table| table.name.clone())
    };
    if let Some(name) = missing(&one, &other).or_else(|| missing(&other, &one)) {
        return Err(DatabaseError::Differs(name));
    }
    let is_file = one.iter().any(|transfer_table| !transfer_table.parents.is_empty());
    sort_by_parents(if is_file { one } else { other })
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut names: Vec<_> = names.iter().collect();
    names.sort_unstable();
    names
}

fn sort_by_parents(mut tables: Vec<TransferTable>) -> Result<Vec<TransferTable>, DatabaseError> {
    let mut done: Vec<TransferTable> = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let is_ready = |table: &TransferTable| {
            let known = |parent: &String| {
                *parent == table.name || done.iter().any(|transfer_table| transfer_table.name == *parent)
            };
            table.parents.iter().all(known)
        };
        let place = tables.iter().position(is_ready);
        let place = place.ok_or_else(|| DatabaseError::Differs("what belongs to what".to_owned()))?;
        done.push(tables.remove(place));
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, parents: &[&str]) -> TransferTable {
        let owned = |text: &&str| (*text).to_owned();
        TransferTable {
            name: name.to_owned(),
            columns: vec!["id".to_owned(), "at".to_owned()],
            parents: parents.iter().map(owned).collect(),
        }
    }

    #[test]
    fn rows_come_behind_what_they_belong_to() {
        let file = vec![table("a", &["c"]), table("b", &["a", "b"]), table("c", &[])];
        let mut server = vec![table("c", &[]), table("a", &[]), table("b", &[])];
        server[0].columns.reverse();
        let names =
            |tables: Vec<TransferTable>| tables.into_iter().map(|table| table.name).collect::<Vec<_>>();
        for (one, other) in [(file.clone(), server.clone()), (server.clone(), file.clone())] {
            assert_eq!(names(common_tables(one, other).expect("the same")), ["c", "a", "b"]);
        }
        server[2].columns.push("more".to_owned());
        let more = [&file[..], &[table("d", &[])]].concat();
        for (one, other, differs) in [(&file, &server, "b"), (&server, &file, "b"), (&more, &file, "d")] {
            let refused = common_tables(one.clone(), other.clone()).expect_err("they differ");
            assert!(matches!(&refused, DatabaseError::Differs(name) if name == differs), "{refused}");
        }
        assert!(common_tables(vec![table("a", &["b"]), table("b", &["a"])], file).is_err());
        assert_eq!(table("a", &[]).insert(), r#"INSERT INTO "a" ("id", "at") VALUES (?1, ?2)"#);
    }
}
