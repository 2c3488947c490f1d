//! The `[[macros]]` tables: steps under a letter, optionally on a key.

use crate::config::Mistakes;
use crate::config::reading::Section;
use inbox::command;
use inbox::command::CommandScope;
use inbox::features::macros::{Macro, steps};
use inbox::keymap::KeyMap;
use inbox::keys::KeyPress;

/// Reads one table and records every mistake; a mistaken macro counts as absent.
pub(crate) fn read(
    section: &Section<'_>,
    before: &[Macro],
    keymap: &KeyMap,
    mistakes: &mut Mistakes,
) -> Option<Macro> {
    mistakes.all(section.unknown());
    let letter = mistakes.collect(section.required("letter"));
    let steps = mistakes.value(section.strings("steps")).unwrap_or_default();
    let key = mistakes.value(section.string("key"));
    let mut fine = true;
    let mut wrong = |key: &str, problem: String| {
        mistakes.collect::<()>(Err(section.error(key, &problem)));
        fine = false;
    };
    let letter = letter.map(|letter| (letter.chars().next().unwrap_or(' '), letter));
    if let Some((first, whole)) = &letter {
        if whole.chars().count() != 1 || !first.is_alphanumeric() {
            wrong("letter", format!("letter = {whole:?} must be one letter or digit"));
        } else if before.iter().any(|other| other.letter == *first) {
            wrong("letter", format!("two macros have the letter {whole:?}; give each its own letter"));
        }
    }
    if steps.is_empty() {
        wrong("steps", "[macros] needs steps = [\"pause-ai\", …]".to_owned());
    }
    let mut read = Vec::new();
    for step in &steps {
        match steps::parse(step) {
            Ok(step) => read.push(step),
            Err(problem) => wrong("steps", problem),
        }
    }
    let key = key.and_then(|name| match free_key(&name, before, keymap) {
        Ok(key) => Some(key),
        Err(problem) => {
            wrong("key", problem);
            None
        }
    });
    let (letter, _) = letter.filter(|_| fine)?;
    Some(Macro { letter, steps: read, key })
}

/// Parses a key that nothing else uses outside text fields.
fn free_key(name: &str, before: &[Macro], keymap: &KeyMap) -> Result<KeyPress, String> {
    let key = KeyPress::parse(name).ok_or_else(|| format!("key = {name:?} is not a key"))?;
    if before.iter().any(|other| other.key == Some(key)) {
        return Err(format!("key = {name:?} already plays another macro; choose another"));
    }
    let desk = command::TABLE.iter().filter(|command_row| command_row.place != CommandScope::Composer);
    let mut begun =
        desk.filter(|row| keymap.keys(row.command).iter().any(|entry| entry.first() == Some(&key)));
    match begun.next() {
        Some(row) => {
            Err(format!("key = {name:?} is a key of {}; choose another", command::name(row.command)))
        }
        None => Ok(key),
    }
}
