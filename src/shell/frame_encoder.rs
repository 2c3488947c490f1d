//! A frame as the bytes that make it of the frame before: only cells that
//! differ, styles set once a run, blanks erased, moves as short as they can be.

use std::io::Write;

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::style::{Color, Modifier};

use crate::shell::links;
use crate::shell::scroll_region::ScrollRegion;
use inbox::screens::history::links_view::LinkedCells;
use inbox::wrap;

/// Blanks that are cheaper to erase than to write, where something follows them
/// in their row and where nothing does.
const ERASED: (usize, usize) = (10, 5);
/// Unchanged cells that are cheaper to write again than to pass over.
const BRIDGED: usize = 3;
/// What is seen of a blank cell besides its ground.
const SEEN_ON_BLANK: Modifier = Modifier::REVERSED
    .union(Modifier::UNDERLINED)
    .union(Modifier::SLOW_BLINK)
    .union(Modifier::RAPID_BLINK)
    .union(Modifier::CROSSED_OUT);

/// Modifiers with the codes that set and unset them.
const MODIFIERS: [(Modifier, &str, &str); 9] = [
    (Modifier::BOLD, "1", "22"),
    (Modifier::DIM, "2", "22"),
    (Modifier::ITALIC, "3", "23"),
    (Modifier::UNDERLINED, "4", "24"),
    (Modifier::SLOW_BLINK, "5", "25"),
    (Modifier::RAPID_BLINK, "6", "25"),
    (Modifier::REVERSED, "7", "27"),
    (Modifier::HIDDEN, "8", "28"),
    (Modifier::CROSSED_OUT, "9", "29"),
];

/// A frame: its cells, and which of them are links.
pub type LinkedFrame<'a> = (&'a Buffer, &'a [LinkedCells]);

/// Writes what makes one frame of the frame before, which is no frame any more
/// then. Where pictures lie over cells (`covered`), no cell that did not change is
/// touched.
pub fn change(
    out: &mut Vec<u8>,
    before: (&mut Buffer, Vec<LinkedCells>),
    after: LinkedFrame<'_>,
    covered: bool,
) {
    let (old, mut old_links) = before;
    if let Some(region) = ScrollRegion::between(old, after.0).filter(|_| !covered) {
        scroll(out, region);
        region.apply(old, &mut old_links);
    }
    encode(out, (old, &old_links), after, covered);
}

/// The same without moving rows.
pub fn encode(
    out: &mut Vec<u8>,
    before: (&mut Buffer, &[LinkedCells]),
    after: LinkedFrame<'_>,
    covered: bool,
) {
    let ((before, old_links), (after, links)) = (before, after);
    links::mark_changed(before, old_links, links);
    mark_halves(before, after);
    let cells: Vec<Changed<'_>> = before.diff_iter(after).collect();
    let mut encoder = Encoder { out, at: None, pen: Pen::default(), link: None, links };
    let mut index = 0;
    while let Some(&(x, y, cell)) = cells.get(index) {
        let blanks = encoder.blanks(&cells[index..]);
        let ends_row = cells.get(index + blanks).is_none_or(|it| it.1 != y);
        let erased = if ends_row { ERASED.1 } else { ERASED.0 };
        if covered || !encoder.bridge(after, x, y) {
            encoder.move_to(x, y);
        }
        if blanks >= erased {
            encoder.erase(cell, blanks);
            index += blanks;
        } else {
            encoder.print(x, y, cell, after.area.right());
            index += 1;
        }
    }
    encoder.end();
}

/// Marks the second halves of wide characters that go: what a terminal leaves
/// there, and in which style, differs from one to the next.
fn mark_halves(before: &mut Buffer, after: &Buffer) {
    for index in 1..before.content.len().min(after.content.len()) {
        let (old, new) = (&before.content[index - 1], &after.content[index - 1]);
        if old.symbol().len() > 1 && old != new && wrap::cells(old.symbol()) > 1 {
            // No cell that is drawn has it, so the two differ.
            before.content[index].diff_option = CellDiffOption::AlwaysUpdate;
        }
    }
}

/// Moves rows as a scroll region does. The pen is plain before and after.
fn scroll(out: &mut Vec<u8>, region: ScrollRegion) {
    let ScrollRegion { top, bottom, by } = region;
    put(out, format_args!("\x1b[{};{}r", top + 1, bottom + 1));
    // A line feed at the bottom and a reverse one at the top are known to
    // every terminal that knows regions.
    let (row, step) = if by > 0 { (bottom, "\n") } else { (top, "\x1bM") };
    put(out, format_args!("\x1b[{}H", row + 1));
    (0..by.unsigned_abs()).for_each(|_| out.extend_from_slice(step.as_bytes()));
    out.extend_from_slice(b"\x1b[r");
}

/// A cell that differs, and where.
type Changed<'a> = (u16, u16, &'a Cell);

/// What cells are written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pen {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl Default for Pen {
    fn default() -> Self {
        Self { fg: Color::Reset, bg: Color::Reset, underline: Color::Reset, modifier: Modifier::empty() }
    }
}

impl Pen {
    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier: cell.modifier }
    }

    /// Whether a cell looks the same when it is written with this one.
    fn writes(self, cell: &Cell) -> bool {
        let wanted = Self::of(cell);
        if cell.symbol() != " " || (wanted.modifier | self.modifier).intersects(SEEN_ON_BLANK) {
            return self == wanted;
        }
        self.bg == wanted.bg
    }

    /// The codes that change it.
    fn codes_to(self, to: Self) -> Vec<u8> {
        let mut codes = Vec::new();
        let gone = self.modifier - to.modifier;
        let mut kept = self.modifier;
        for (modifier, _, unset) in MODIFIERS.iter().filter(|it| gone.contains(it.0)) {
            // Two share a code: what else it unset is set again below.
            let shared = MODIFIERS.iter().filter(|it| it.2 == *unset).fold(*modifier, |all, it| all | it.0);
            if kept.intersects(shared) {
                code(&mut codes, format_args!("{unset}"));
                kept -= shared;
            }
        }
        for (_, set, _) in MODIFIERS.iter().filter(|it| (to.modifier - kept).contains(it.0)) {
            code(&mut codes, format_args!("{set}"));
        }
        if self.fg != to.fg {
            color(&mut codes, to.fg, (38, 39, Some(90)));
        }
        if self.bg != to.bg {
            color(&mut codes, to.bg, (48, 49, Some(100)));
        }
        if self.underline != to.underline {
            color(&mut codes, to.underline, (58, 59, None));
        }
        codes
    }
}

struct Encoder<'a> {
    out: &'a mut Vec<u8>,
    /// Where the terminal's cursor is, if that is sure.
    at: Option<(u16, u16)>,
    pen: Pen,
    link: Option<&'a LinkedCells>,
    links: &'a [LinkedCells],
}

impl<'a> Encoder<'a> {
    fn link_at(&self, x: u16, y: u16) -> Option<&'a LinkedCells> {
        self.links.iter().find(|it| it.at.1 == y && (it.at.0..it.at.0 + it.cells).contains(&x))
    }

    /// How many cells from the first on are a run of one row that erasing makes.
    fn blanks(&self, cells: &[Changed<'_>]) -> usize {
        let Some(&(first, row, _)) = cells.first() else { return 0 };
        let run = (first..).zip(cells).take_while(|(place, (x, y, cell))| {
            // Erased cells take the ground of the pen only in some terminals.
            let blank = cell.symbol() == " "
                && cell.bg == Color::Reset
                && !cell.modifier.intersects(SEEN_ON_BLANK)
                && cell.diff_option == CellDiffOption::None;
            blank && x == place && *y == row && self.link_at(*x, *y).is_none()
        });
        run.count()
    }

    /// Gets to a cell by writing the few before it again; false where that costs
    /// more or changes something.
    fn bridge(&mut self, after: &Buffer, x: u16, y: u16) -> bool {
        let Some((at, _)) = self.at.filter(|it| it.1 == y && it.0 < x) else {
            return self.at == Some((x, y));
        };
        let between: Vec<&Cell> = (at..x).filter_map(|it| after.cell((it, y))).collect();
        let bytes: usize = between.iter().map(|it| it.symbol().len()).sum();
        let same = (at..x).zip(&between).all(|(x, it)| {
            wrap::is_simple(it.symbol()) && self.pen.writes(it) && self.link_at(x, y) == self.link
        });
        if bytes > BRIDGED || !same {
            return false;
        }
        between.iter().for_each(|it| self.out.extend_from_slice(it.symbol().as_bytes()));
        self.at = Some((x, y));
        true
    }

    fn move_to(&mut self, x: u16, y: u16) {
        match self.at {
            Some(at) if at == (x, y) => return,
            Some((at, row)) if row == y && at < x => match x - at {
                1 => self.out.extend_from_slice(b"\x1b[C"),
                cells => put(self.out, format_args!("\x1b[{cells}C")),
            },
            Some((_, row)) if x == 0 && y == row + 1 => self.out.extend_from_slice(b"\r\n"),
            _ if (x, y) == (0, 0) => self.out.extend_from_slice(b"\x1b[H"),
            _ if x == 0 => put(self.out, format_args!("\x1b[{}H", y + 1)),
            _ => put(self.out, format_args!("\x1b[{};{}H", y + 1, x + 1)),
        }
        self.at = Some((x, y));
    }

    /// Erases cells from where the cursor is, which stays there.
    fn erase(&mut self, cell: &Cell, cells: usize) {
        self.follow(None);
        self.take(cell);
        put(self.out, format_args!("\x1b[{cells}X"));
    }

    fn print(&mut self, x: u16, y: u16, cell: &Cell, right: u16) {
        self.follow(self.link_at(x, y));
        self.take(cell);
        self.out.extend_from_slice(cell.symbol().as_bytes());
        // After the last column the cursor hangs.
        let end = sure_cells(cell.symbol()).map(|it| x + it).filter(|it| *it < right);
        self.at = end.map(|it| (it, y));
    }

    /// Takes the pen that a cell is written with.
    fn take(&mut self, cell: &Cell) {
        if self.pen.writes(cell) {
            return;
        }
        let to = Pen::of(cell);
        let (mut codes, anew) = (self.pen.codes_to(to), Pen::default().codes_to(to));
        if anew.is_empty() || anew.len() + 2 < codes.len() {
            codes = if anew.is_empty() { anew } else { [b"0;".as_slice(), &anew].concat() };
        }
        self.out.extend_from_slice(b"\x1b[");
        self.out.extend_from_slice(&codes);
        self.out.push(b'm');
        self.pen = to;
    }

    /// Begins or ends a link.
    fn follow(&mut self, link: Option<&'a LinkedCells>) {
        if link == self.link {
            return;
        }
        match link {
            Some(LinkedCells { target, id, .. }) => {
                put(self.out, format_args!("\x1b]8;id={id:x};{target}\x1b\\"));
            }
            None => self.out.extend_from_slice(b"\x1b]8;;\x1b\\"),
        }
        self.link = link;
    }

    fn end(&mut self) {
        self.follow(None);
        if self.pen != Pen::default() {
            self.out.extend_from_slice(b"\x1b[m");
        }
    }
}

/// Cells of a symbol about which all terminals agree: a letter, or a character of
/// the East.
fn sure_cells(symbol: &str) -> Option<u16> {
    let mut characters = symbol.chars();
    match (characters.next()?, characters.next()) {
        (_, Some(_)) => None,
        (it, None) if wrap::is_single(it) => Some(1),
        ('\u{370}'..='\u{373}' | '\u{388}'..='\u{482}' | '\u{48a}'..='\u{52f}', None) => Some(1),
        (
            'ぁ'..='ゖ' | 'ァ'..='ヺ' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '가'..='힣',
            None,
        ) => Some(2),
        _ => None,
    }
}

fn put(out: &mut Vec<u8>, words: std::fmt::Arguments<'_>) {
    // A vector takes every byte.
    let _ = out.write_fmt(words);
}

/// Adds a code to others.
fn code(codes: &mut Vec<u8>, words: std::fmt::Arguments<'_>) {
    if !codes.is_empty() {
        codes.push(b';');
    }
    put(codes, words);
}

/// Adds the code of a colour: of one chosen by number, of none, and of the first
/// bright one where those have codes of their own. The eight dark ones are always chosen
/// by number: some terminals show them brighter where they are bold.
fn color(codes: &mut Vec<u8>, color: Color, (chosen, none, bright): (u8, u8, Option<u8>)) {
    let number = match color {
        Color::Reset => return code(codes, format_args!("{none}")),
        Color::Rgb(red, green, blue) => {
            return code(codes, format_args!("{chosen};2;{red};{green};{blue}"));
        }
        Color::Indexed(number) => number,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    match bright {
        Some(bright) if (8..16).contains(&number) => code(codes, format_args!("{}", bright + number - 8)),
        _ => code(codes, format_args!("{chosen};5;{number}")),
    }
}

#[cfg(test)]
mod tests;
