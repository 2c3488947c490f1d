//! The `[[views]]` tables: saved views.

use crate::config::Mistakes;
use crate::config::reading::Section;
use inbox::screens::conversations::saved_views;
use inbox::screens::conversations::saved_views::SavedView;
use model::filter::{self, Sort};

/// Reads one table; a mistaken view counts as absent.
pub(crate) fn read(
    section: &Section<'_>,
    before: &[SavedView],
    mistakes: &mut Mistakes,
) -> Option<SavedView> {
    mistakes.all(section.unknown());
    let name = mistakes.collect(section.required("name"));
    let text = mistakes.collect(section.required("filter"));
    let sort = mistakes.value(section.word("sort")).and_then(|text| Sort::from_word(&text));
    let key = mistakes.value(section.string("key"));
    let (name, text) = (name?, text?);
    let mut wrong = |key: &str, problem: String| {
        mistakes.collect::<()>(Err(section.error(key, &problem)));
    };
    if before.iter().any(|entry| entry.name.to_lowercase() == name.to_lowercase()) {
        wrong("name", format!("two views have the name {name:?}; give each its own name"));
        return None;
    }
    if let Some(mistake) = filter::parse(&text).mistakes.into_iter().next() {
        wrong("filter", format!("view {name:?}: {}", mistake.message));
        return None;
    }
    let key = match key {
        None => None,
        Some(key) => match read_menu_key(&key, before) {
            Ok(key) => Some(key),
            Err(problem) => {
                wrong("key", format!("view {name:?}: {problem}"));
                return None;
            }
        },
    };
    Some(SavedView::new(&name, &text, sort.unwrap_or_default(), key))
}

/// Parses the menu key, which must be free.
fn read_menu_key(key: &str, before: &[SavedView]) -> Result<char, String> {
    let mut characters = key.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else {
        return Err(format!("key = {key:?} must be one character"));
    };
    if character.is_whitespace() || character.is_control() || saved_views::RESERVED_KEYS.contains(&character)
    {
        return Err(format!("key = {key:?} is used by the menu; choose another"));
    }
    match before.iter().find(|view| view.key == Some(character)) {
        Some(view) => Err(format!("key = {key:?} is used by {:?}; choose another", view.name)),
        None => Ok(character),
    }
}
