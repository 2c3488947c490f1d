//! Macros: in the outbox's file, because they are nowhere else.

use rusqlite::params;

use crate::{Reader, Store, StoreError};
use model::macros::Macro;
use sqlite::Queries;

/// Macros read at most: there are not more letters.
const MOST: u32 = 200;

impl Store {
    /// Keeps the steps of a letter instead of those before, or with `None`
    /// forgets them; blocks.
    pub fn keep_macro(&self, letter: char, steps: Option<String>) -> Result<(), StoreError> {
        self.outbox().call(move |connection| {
            let letter = letter.to_string();
            match steps {
                Some(steps) => connection.execute(
                    "INSERT INTO macro (letter, steps) VALUES (?1, ?2)
                     ON CONFLICT (letter) DO UPDATE SET steps = excluded.steps",
                    params![letter, steps],
                ),
                None => connection.execute("DELETE FROM macro WHERE letter = ?1", [letter]),
            }?;
            Ok(())
        })
    }
}

impl Reader {
    /// All macros, by their letters.
    pub fn macros(&self) -> Result<Vec<Macro>, StoreError> {
        let sql = "SELECT letter, steps FROM desk.macro ORDER BY letter LIMIT ?1";
        let found: Vec<(Option<char>, _)> = self.connection.all(sql, [MOST], |row| {
            Ok((row.parse_word("letter", |row| row.chars().next())?, row.get("steps")?))
        })?;
        Ok(found.into_iter().filter_map(|(letter, steps)| Some(Macro { letter: letter?, steps })).collect())
    }
}
