//! Writes frames to the terminal with ratatui's diff and crossterm backend, plus OSC 8 sequences around the
//! cells of links.

use std::io::{self, Write};

use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell, CellDiffOption};

use crate::shell::links;
use inbox::screens::history::links_view::LinkedCells;
use inbox::wrap;

pub type LinkedFrame<'a> = (&'a Buffer, &'a [LinkedCells]);

/// Writes the cells in which `after` differs from `before`. `before` is reset.
///
/// # Errors
/// When `out` fails.
pub fn write_changes(
    out: &mut impl Write,
    (before, old_links): (&mut Buffer, &[LinkedCells]),
    (after, links): LinkedFrame<'_>,
) -> io::Result<()> {
    links::mark_changed_links(before, old_links, links);
    mark_trailing_cells(before, after);
    let cells: Vec<(u16, u16, &Cell)> = before.diff_iter(after).collect();
    let link_at = |x: u16, y: u16| {
        links.iter().find(|link| link.at.1 == y && (link.at.0..link.at.0 + link.cells).contains(&x))
    };
    let is_one_run = |left: &(u16, u16, &Cell), right: &(u16, u16, &Cell)| {
        has_sure_width(left.2.symbol()) && link_at(left.0, left.1) == link_at(right.0, right.1)
    };
    let mut backend = CrosstermBackend::new(out);
    // Each run starts with a cursor move.
    for run in cells.chunk_by(is_one_run) {
        let link = run.first().and_then(|(x, y, _)| link_at(*x, *y));
        if let Some(link) = link {
            write!(backend, "\x1b]8;id={:x};{}\x1b\\", link.id, link.target)?;
        }
        backend.draw(run.iter().copied())?;
        if link.is_some() {
            write!(backend, "\x1b]8;;\x1b\\")?;
        }
    }
    Ok(())
}

/// Forces the second cells of changed wide characters to be drawn: terminals differ in what they leave there.
fn mark_trailing_cells(before: &mut Buffer, after: &Buffer) {
    for index in 1..before.content.len().min(after.content.len()) {
        let (old, new) = (&before.content[index - 1], &after.content[index - 1]);
        if old.symbol().len() > 1 && old != new && wrap::cells(old.symbol()) > 1 {
            before.content[index].diff_option = CellDiffOption::AlwaysUpdate;
        }
    }
}

/// True if all terminals agree on the symbol's width: a letter or an East Asian character.
fn has_sure_width(symbol: &str) -> bool {
    let mut characters = symbol.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => {
            wrap::is_single(character)
                || matches!(character, '\u{370}'..='\u{373}' | '\u{388}'..='\u{482}' | '\u{48a}'..='\u{52f}')
                || matches!(character, 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '가'..='힣')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
