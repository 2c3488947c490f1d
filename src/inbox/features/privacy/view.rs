//! Hides who the customers are while others look at the screen: names that
//! are loaded, numbers long enough to be a phone's, and email addresses.
//!
//! Works on the finished frame, so that no screen can be forgotten. Knows
//! nothing of what a screen shows. Every hidden cell keeps its width.

use ratatui::buffer::Buffer;

use crate::Inbox;
use crate::features::privacy::known_names;
use crate::features::privacy::names::{NameIndex, is_letter};
use crate::theme_view::Theme;

/// Digits from which a number may be a phone's.
const DIGITS: usize = 6;
/// A date as machines write it: digits where zeros stand.
const DATE: &str = "0000-00-00";
/// What may follow it: a blank or a sign, and a time.
const TIME: &str = "00:00:00";

/// Hides what tells who someone is.
pub fn blur(inbox: &Inbox, theme: Theme, buffer: &mut Buffer) {
    let names = known_names::all(inbox);
    let dot = if theme.ascii { "*" } else { "•" };
    let area = buffer.area;
    for y in area.y..area.y + area.height {
        let cells: Vec<(u16, String)> = (area.x..area.x + area.width)
            .filter_map(|x| buffer.cell((x, y)).map(|cell| (x, cell.symbol().to_owned())))
            .collect();
        let symbols: Vec<&str> = cells.iter().map(|(_, cell)| cell.as_str()).collect();
        let hidden = hidden(&symbols, &names);
        for ((x, _), _) in cells.iter().zip(hidden).filter(|(_, hidden)| *hidden) {
            if let Some(cell) = buffer.cell_mut((*x, y)) {
                cell.set_symbol(dot);
            }
        }
    }
}

/// Which cells of a line are hidden.
fn hidden(symbols: &[&str], names: &NameIndex) -> Vec<bool> {
    let mut hidden = vec![false; symbols.len()];
    let mut at = 0;
    while at < symbols.len() {
        let starts = at == 0 || !is_letter(symbols[at - 1]);
        let rest = &symbols[at..];
        if !starts {
            at += 1;
            continue;
        }
        if let Some(length) = date(rest) {
            at += length;
            continue;
        }
        let found = names.find(rest).or_else(|| number(rest)).or_else(|| address(rest));
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

/// Cells a date takes as machines write it, with its time of the day: it has
/// the digits of a number and is none.
fn date(symbols: &[&str]) -> Option<usize> {
    let length = shaped(symbols, DATE)?;
    let follows = |at: usize| symbols.get(at).copied().unwrap_or(" ");
    let time = match follows(length) {
        "T" | " " => symbols
            .get(length + 1..)
            .and_then(|symbol| shaped(symbol, TIME))
            .map(|number| length + 1 + number),
        _ => None,
    };
    let mut end = time.unwrap_or(length);
    if time.is_some() && follows(end) == "." {
        let parts = symbols[end + 1..].iter().take_while(|symbol| is_digit(symbol)).count();
        end += 1 + parts;
    }
    let goes_on = is_digit(follows(end)) || (time.is_none() && follows(end) == "-");
    (!goes_on).then_some(end)
}

fn is_digit(symbol: &str) -> bool {
    symbol.len() == 1 && symbol.bytes().all(|byte| byte.is_ascii_digit())
}

/// The length of a shape in which zeros stand for digits, if it stands here.
fn shaped(symbols: &[&str], shape: &str) -> Option<usize> {
    let fits = |symbol: &str, part: char| match part {
        '0' => is_digit(symbol),
        sign => symbol.starts_with(sign),
    };
    let stands =
        symbols.len() >= shape.len() && shape.chars().zip(symbols).all(|(part, symbol)| fits(symbol, part));
    stands.then_some(shape.len())
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
    let part = |text: &&str| {
        text.chars().all(|character| character.is_alphanumeric() || "._+-@".contains(character))
            && !text.is_empty()
    };
    let length = symbols.iter().take_while(|symbol| part(symbol)).count();
    let text = symbols[..length].concat();
    let (user, host) = text.split_once('@')?;
    (!user.is_empty() && host.contains('.')).then_some(length)
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;
    use crate::wrap;

    fn blurred(line: &str) -> String {
        let mut names = NameIndex::default();
        ["Maria Lopez", "张伟"].iter().for_each(|text| names.add(text));
        // As a frame holds them: a blank cell after each wide letter.
        let cells = |text| if wrap::cells(text) == 2 { vec![text, " "] } else { vec![text] };
        let symbols: Vec<&str> = line.graphemes(true).flat_map(cells).collect();
        let hidden = hidden(&symbols, &names);
        symbols.iter().zip(hidden).map(|(text, hidden)| if hidden { "•" } else { *text }).collect()
    }

    #[test]
    fn names_numbers_and_addresses_are_hidden_and_nothing_else() {
        let cases = [
            ("│Maria Lopez  waits 6m│", "│•••••••••••  waits 6m│"),
            ("│Lopez, Maria│", "│•••••, •••••│"),
            ("Maria Lop…", "•••••••••…"),
            ("Marianne", "Marianne"),
            ("call +34 600 111 222 now", "call ••••••••••••••• now"),
            ("order 1041, 09:20", "order 1041, 09:20"),
            ("write to a.b@c.example!", "write to •••••••••••••!"),
            ("张伟 写", "•••• 写 "),
            ("me@ work", "me@ work"),
            ("\"at\": \"2026-11-20T03:01:02.123456Z\"", "\"at\": \"2026-11-20T03:01:02.123456Z\""),
            ("on 2026-11-20 03:01", "on 2026-11-20 03:01"),
            ("on 2026-11-20, 600111222", "on 2026-11-20, •••••••••"),
            ("2026-11-20-33", "•••••••••••••"),
            ("2026-11-2033", "••••••••••••"),
        ];
        for (line, expected) in cases {
            assert_eq!(blurred(line), expected);
        }
    }
}
