//! Drawing primitives. Foreign text comes from a `SafeText`; the sweep after a frame checks again.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::merge::MergeStrategy;

use crate::borders_view::BorderSet;
use crate::layout::Area;
use crate::theme_view::Theme;
use crate::wrap;

/// Minimum cells of a frame's left title.
const MIN_TITLE_CELLS: u16 = 12;

pub type Run<'a> = (&'a str, Style);

pub fn rect(area: Area) -> Rect {
    Rect { x: area.x, y: area.y, width: area.width, height: area.height }
}

/// Writes a text cut to a width; returns the cells used.
pub fn text(buffer: &mut Buffer, x: u16, y: u16, width: u16, words: &str, style: Style) -> u16 {
    if !buffer.area.contains((x, y).into()) || width == 0 {
        return 0;
    }
    let cut = wrap::cut_borrowed(words, usize::from(width));
    if !wrap::is_simple(&cut) {
        let (end, _) = buffer.set_stringn(x, y, &cut, usize::from(width), style);
        return end.saturating_sub(x);
    }
    let first = buffer.index_of(x, y);
    let room = usize::from(buffer.area.right() - x);
    let mut used = 0;
    for ((at, character), cell) in cut.char_indices().zip(&mut buffer.content[first..first + room]) {
        cell.set_symbol(&cut[at..at + character.len_utf8()]).set_style(style);
        used += 1;
    }
    used
}

/// Writes runs one after the other; returns the cells used.
pub fn runs(buffer: &mut Buffer, x: u16, y: u16, width: u16, runs: &[Run<'_>]) -> u16 {
    let mut used = 0;
    for (words, style) in runs {
        used += text(buffer, x + used, y, width.saturating_sub(used), words, *style);
    }
    used
}

pub fn runs_right(buffer: &mut Buffer, x: u16, y: u16, width: u16, list: &[Run<'_>]) -> u16 {
    let wide: usize = list.iter().map(|(words, _)| wrap::cells(words)).sum();
    let wide = u16::try_from(wide).unwrap_or(u16::MAX).min(width);
    runs(buffer, x + width - wide, y, wide, list);
    wide
}

pub fn run_cells(list: &[Run<'_>]) -> u16 {
    let wide: usize = list.iter().map(|(words, _)| wrap::cells(words)).sum();
    u16::try_from(wide).unwrap_or(u16::MAX)
}

/// Writes a text into the bottom row of a frame.
pub fn footer(buffer: &mut Buffer, area: Area, (words, style): &(String, Style)) {
    let y = area.y + area.height.saturating_sub(1);
    text(buffer, area.x + 1, y, area.width.saturating_sub(2), &format!(" {words} "), *style);
}

pub fn stripe(buffer: &mut Buffer, area: Area, style: Style) {
    buffer.set_style(rect(area), style);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    All,
    /// Without the bottom: the next frame closes it.
    NoBottom,
    /// All four, joined to the open frame above.
    Joined,
}

/// Draws a frame with a left and a right title in its top row.
pub fn frame(
    buffer: &mut Buffer,
    area: Area,
    theme: Theme,
    focused: bool,
    sides: Sides,
    titles: (&[Run<'_>], &[Run<'_>]),
) {
    let line = ((theme.border_set(), theme.border_joints()), theme.border(focused));
    draw_frame(buffer, area, line, sides, titles);
}

/// Draws the frame of a popup and clears its area.
pub fn popup(buffer: &mut Buffer, area: Area, theme: Theme, titles: (&[Run<'_>], &[Run<'_>])) {
    blank(buffer, area);
    frame(buffer, area, theme, true, Sides::All, titles);
}

pub fn draw_frame(
    buffer: &mut Buffer,
    area: Area,
    line: ((BorderSet, [&str; 2]), Style),
    sides: Sides,
    titles: (&[Run<'_>], &[Run<'_>]),
) {
    if area.width < 2 || area.height < 1 {
        return;
    }
    let (([top_left, top_right, bottom_left, bottom_right, across, down], joints), style) = line;
    let (right, bottom) = (area.x + area.width - 1, area.y + area.height - 1);
    for x in area.x + 1..right {
        text(buffer, x, area.y, 1, across, style);
    }
    let closed = sides != Sides::NoBottom;
    let side_end = if closed { bottom } else { bottom + 1 };
    for y in area.y + 1..side_end {
        border(buffer, (area.x, y), down, style);
        border(buffer, (right, y), down, style);
    }
    let [join_left, join_right] = joints;
    let (left_corner, right_corner) =
        if sides == Sides::Joined { (join_left, join_right) } else { (top_left, top_right) };
    border(buffer, (area.x, area.y), left_corner, style);
    border(buffer, (right, area.y), right_corner, style);
    if closed && area.height > 1 {
        for x in area.x + 1..right {
            text(buffer, x, bottom, 1, across, style);
        }
        border(buffer, (area.x, bottom), bottom_left, style);
        border(buffer, (right, bottom), bottom_right, style);
    }
    title_row(buffer, area, titles);
}

/// Draws one character of a frame's side, joined with the side of a neighbour that shares the cell.
/// The later style wins.
fn border(buffer: &mut Buffer, at: (u16, u16), symbol: &str, style: Style) {
    let Some(cell) = buffer.cell_mut(at) else { return };
    let joined = join_borders(cell.symbol(), symbol).to_owned();
    cell.reset();
    cell.set_symbol(&joined).set_style(style);
}

/// Returns the character that has the lines of both; `below` is drawn already.
fn join_borders<'a>(below: &'a str, symbol: &'a str) -> &'a str {
    match below {
        // An ASCII corner or joint has every line.
        "+" => "+",
        _ if below.starts_with(|character| ('\u{2500}'..='\u{257f}').contains(&character)) => {
            MergeStrategy::Fuzzy.merge(below, symbol)
        }
        _ => symbol,
    }
}

/// Draws a line across a frame at the top row of `area`, joined to its sides, with a title at the
/// left.
pub fn divider(buffer: &mut Buffer, area: Area, line: ((BorderSet, [&str; 2]), Style), title: &[Run<'_>]) {
    if area.width < 2 {
        return;
    }
    let (([_, _, _, _, across, _], [join_left, join_right]), style) = line;
    let right = area.x + area.width - 1;
    border(buffer, (area.x, area.y), join_left, style);
    for x in area.x + 1..right {
        text(buffer, x, area.y, 1, across, style);
    }
    border(buffer, (right, area.y), join_right, style);
    title_row(buffer, area, (title, &[]));
}

/// Draws both titles of a frame. The left one keeps room for a name before all but the first run of
/// the right one; beyond that the right one is cut last.
fn title_row(buffer: &mut Buffer, area: Area, titles: (&[Run<'_>], &[Run<'_>])) {
    let room = area.width.saturating_sub(4);
    let (left, mut right) = (reset_border_style(titles.0), reset_border_style(titles.1));
    let kept = if left.is_empty() { 0 } else { run_cells(&left).min(MIN_TITLE_CELLS) + 1 };
    let most = room.saturating_sub(kept);
    while right.len() > 1 && run_cells(&right) + 2 > most {
        right.pop();
        right.pop_if(|right| right.0.trim() == "·");
    }
    let right_wide = if right.is_empty() { 0 } else { (run_cells(&right) + 2).min(room) };
    if !right.is_empty() {
        let x = area.x + area.width - 1 - right_wide;
        let used = runs(buffer, x + 1, area.y, right_wide.saturating_sub(2), &right);
        pad_title(buffer, x, area.y, used);
    }
    if !left.is_empty() {
        let used = runs(buffer, area.x + 2, area.y, room.saturating_sub(right_wide + 1), &left);
        pad_title(buffer, area.x + 1, area.y, used);
    }
}

/// Resets the style of the border under the words; leaves out empty runs.
fn reset_border_style<'a>(list: &[Run<'a>]) -> Vec<Run<'a>> {
    let written = list.iter().filter(|(words, _)| !words.is_empty());
    written.map(|(words, style)| (*words, Style::reset().patch(*style))).collect()
}

/// A space before and after a title.
fn pad_title(buffer: &mut Buffer, x: u16, y: u16, used: u16) {
    text(buffer, x, y, 1, " ", Style::new());
    text(buffer, x + used + 1, y, 1, " ", Style::new());
}

/// Writes wrapped text; returns the rows used.
pub fn paragraph(buffer: &mut Buffer, area: Area, words: &str, style: Style) -> u16 {
    let mut row = 0;
    for line in wrap::wrap(words, usize::from(area.width)) {
        if row == area.height {
            break;
        }
        text(buffer, area.x, area.y + row, area.width, words[line].trim_end(), style);
        row += 1;
    }
    row
}

/// Clears an area. A wide character that reaches into the area from the left is cleared as a whole.
pub fn blank(buffer: &mut Buffer, area: Area) {
    for y in area.y..area.y + area.height {
        if let Some(cell) = area.x.checked_sub(1).and_then(|x| buffer.cell_mut((x, y)))
            && wrap::cells(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
        for x in area.x..area.x + area.width {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_at_the_right_leaves_room_for_a_name_at_the_left() {
        let area = Area { x: 0, y: 0, width: 78, height: 3 };
        let mut buffer = Buffer::empty(rect(area));
        let left = [("Maria Lopez · +34600111222", Style::new())];
        let right = ["AI: pausing…", " · ", "Reply window 1h", " · ", "Closing · z undo"];
        let right = [right.as_slice(), &[" · draft ready, i Ctrl-D"]].concat();
        let right: Vec<Run<'_>> = right.iter().map(|text| (*text, Style::new())).collect();
        title_row(&mut buffer, area, (&left, &right));
        let row: String = buffer.content[..78].iter().map(|cell| cell.symbol()).collect();
        assert!(row.trim_start().starts_with("Maria Lopez"), "{row}");
        assert!(row.trim_end().ends_with("AI: pausing… · Reply window 1h · Closing · z undo"), "{row}");
    }

    #[test]
    fn frames_side_by_side_share_one_line_with_its_joints() {
        let row = |buffer: &Buffer, y: u16| -> String { (0..9).map(|x| buffer[(x, y)].symbol()).collect() };
        for (ascii, rows) in [
            (false, ["┌───┬───┐", "│   │   │", "├───┤   │", "│   ├───┤", "├───┼───┤", "└───┴───┘"]),
            (true, ["+---+---+", "|   |   |", "+---+   |", "|   +---+", "+---+---+", "+---+---+"]),
        ] {
            let theme = Theme::new(crate::theme_table_view::ThemeName::Dark, ascii);
            let line = ((theme.border_set(), theme.border_joints()), theme.border(false));
            let left = Area { x: 0, y: 0, width: 5, height: 6 };
            let right = Area { x: 4, ..left };
            let mut buffer = Buffer::empty(rect(Area { width: 9, ..left }));
            draw_frame(&mut buffer, right, line, Sides::All, (&[], &[]));
            divider(&mut buffer, Area { y: 3, ..right }, line, &[]);
            divider(&mut buffer, Area { y: 4, ..right }, line, &[]);
            draw_frame(&mut buffer, left, line, Sides::All, (&[], &[]));
            divider(&mut buffer, Area { y: 2, ..left }, line, &[]);
            divider(&mut buffer, Area { y: 4, ..left }, line, &[]);
            for (y, expected) in (0..).zip(rows) {
                assert_eq!(row(&buffer, y), expected, "line {y}");
            }
        }
    }

    #[test]
    fn a_wide_character_gives_way_to_the_left_edge_of_what_lies_over_it() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        text(&mut buffer, 0, 0, 12, "自行車店自行", Style::new());
        let area = Area { x: 3, y: 0, width: 4, height: 1 };
        blank(&mut buffer, area);
        text(&mut buffer, 3, 0, 1, "│", Style::new());
        let cells: Vec<&str> = buffer.content.iter().map(|cell| cell.symbol()).collect();
        // 行 was in columns 2 and 3, 店 in 6 and 7.
        assert_eq!(cells, ["自", " ", " ", "│", " ", " ", " ", " ", "自", " ", "行", " "]);
    }
}
