//! Hides who the customers are while others look at the screen: names that
//! are at hand, numbers long enough to be a phone's, and email addresses.
//!
//! Works on the finished frame, so that no screen can be forgotten. Knows
//! nothing of what a screen shows. Every hidden cell keeps its width.

use ratatui::buffer::Buffer;
use unicode_segmentation::UnicodeSegmentation;

use crate::app::App;
use crate::ui::theme::Theme;

/// Digits from which a number may be a phone's.
const DIGITS: usize = 6;
/// Names looked for at most.
const NAMES: usize = 2_000;

/// Hides what tells who someone is.
pub fn blur(app: &App, theme: Theme, buffer: &mut Buffer) {
    let names = names(app);
    let dot = if theme.ascii { "*" } else { "•" };
    let area = buffer.area;
    for y in area.y..area.y + area.height {
        let cells: Vec<(u16, String)> = (area.x..area.x + area.width)
            .filter_map(|x| buffer.cell((x, y)).map(|it| (x, it.symbol().to_owned())))
            .collect();
        let symbols: Vec<&str> = cells.iter().map(|(_, it)| it.as_str()).collect();
        let hidden = hidden(&symbols, &names);
        for ((x, _), _) in cells.iter().zip(hidden).filter(|(_, hidden)| *hidden) {
            if let Some(cell) = buffer.cell_mut((*x, y)) {
                cell.set_symbol(dot);
            }
        }
    }
}

/// The words of the names at hand, each as its letters.
fn names(app: &App) -> Vec<Vec<String>> {
    let mut words: Vec<Vec<String>> = Vec::new();
    let lists = app.tabs.iter().map(|it| &it.list).chain([&app.all]);
    let listed = lists.flat_map(|it| &it.page.rows);
    let second = app.second().and_then(|it| it.history.row.as_ref());
    let open = app.tabs.iter().filter_map(|it| it.history.as_ref()?.row.as_ref()).chain(second);
    for row in listed.chain(open) {
        {
            let title = row.conversation.title();
            let email = row.conversation.username.as_ref().map(ToString::to_string);
            let both = format!("{title} {}", email.unwrap_or_default());
            for word in both.split_whitespace().filter(|it| it.chars().count() > 1) {
                words.push(word.graphemes(true).map(str::to_owned).collect());
            }
        }
    }
    words.sort_unstable();
    words.dedup();
    words.truncate(NAMES);
    // The longest first, so that no rest of a name is left.
    words.sort_by_key(|it| std::cmp::Reverse(it.len()));
    words
}

/// Which cells of a line are hidden.
fn hidden(symbols: &[&str], names: &[Vec<String>]) -> Vec<bool> {
    let mut hidden = vec![false; symbols.len()];
    let mut at = 0;
    while at < symbols.len() {
        let starts = at == 0 || !is_letter(symbols[at - 1]);
        let name = if starts { names.iter().find_map(|name| named(&symbols[at..], name)) } else { None };
        let found = name.or_else(|| if starts { number(&symbols[at..]) } else { None });
        let found = found.or_else(|| if starts { address(&symbols[at..]) } else { None });
        match found {
            Some(length) => {
                hidden[at..at + length].fill(true);
                at += length;
            }
            None => at += 1,
        }
    }
    hidden
}

fn is_letter(symbol: &str) -> bool {
    symbol.chars().any(|it| it.is_alphanumeric() || it == '@' || it == '_')
}

/// Cells a name takes here, whole or cut with an ellipsis.
fn named(symbols: &[&str], name: &[String]) -> Option<usize> {
    let (mut at, mut matched) = (0, 0);
    for letter in name {
        if symbols.get(at) != Some(&letter.as_str()) {
            break;
        }
        matched += 1;
        at += 1;
        // The cell after a wide letter is empty.
        while symbols.get(at).is_some_and(|it| it.is_empty()) {
            at += 1;
        }
    }
    let next = symbols.get(at).copied().unwrap_or(" ");
    let whole = matched == name.len() && !is_letter(next);
    let cut = matched > 0 && matched < name.len() && matches!(next, "…" | ".");
    (whole || cut).then_some(at)
}

/// Cells a long number takes, with the signs people write between its digits.
fn number(symbols: &[&str]) -> Option<usize> {
    let (mut end, mut digits) = (0, 0);
    for (at, symbol) in symbols.iter().enumerate() {
        match symbol.chars().next() {
            Some(it) if it.is_ascii_digit() => {
                digits += 1;
                end = at + 1;
            }
            Some('+' | '(') if digits == 0 => (),
            Some(' ' | '-' | '(' | ')' | '.') if digits > 0 && at < end + 2 => (),
            _ => break,
        }
    }
    (digits >= DIGITS).then_some(end)
}

/// Cells an email address takes.
fn address(symbols: &[&str]) -> Option<usize> {
    let part =
        |it: &&str| it.chars().all(|it| it.is_alphanumeric() || "._+-@".contains(it)) && !it.is_empty();
    let length = symbols.iter().take_while(|it| part(it)).count();
    let text = symbols[..length].concat();
    let (user, host) = text.split_once('@')?;
    (!user.is_empty() && host.contains('.')).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blurred(line: &str) -> String {
        let names: Vec<Vec<String>> = ["Lopez", "Maria", "张伟"]
            .iter()
            .map(|it| it.graphemes(true).map(str::to_owned).collect())
            .collect();
        let symbols: Vec<&str> = line.graphemes(true).collect();
        let hidden = hidden(&symbols, &names);
        symbols.iter().zip(hidden).map(|(it, hidden)| if hidden { "•" } else { *it }).collect()
    }

    #[test]
    fn names_numbers_and_addresses_are_hidden_and_nothing_else() {
        let cases = [
            ("│Maria Lopez  waits 6m│", "│••••• •••••  waits 6m│"),
            ("Maria Lop…", "••••• •••…"),
            ("Marianne", "Marianne"),
            ("call +34 600 111 222 now", "call ••••••••••••••• now"),
            ("order 1041, 09:20", "order 1041, 09:20"),
            ("write to a.b@c.example!", "write to •••••••••••••!"),
            ("张伟 写", "•• 写"),
            ("me@ work", "me@ work"),
        ];
        for (line, expected) in cases {
            assert_eq!(blurred(line), expected);
        }
    }
}
