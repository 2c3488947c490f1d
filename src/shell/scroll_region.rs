//! Rows that moved as a whole between two frames, so that the terminal can
//! move them itself.

use std::hash::{Hash, Hasher};

use ratatui::buffer::{Buffer, Cell};

use inbox::screens::history::links_view::LinkedCells;

/// Rows that are moved at once at most.
const FURTHEST: i32 = 12;
/// Parts of a row that are looked at one by one: panes lie beside one another
/// and mostly one of them moves.
const PARTS: usize = 4;
/// Cells that have to be saved before rows are moved.
const WORTH: usize = 80;

/// Rows that move: up where `by` is positive. What they leave is blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScrollRegion {
    /// The first row.
    pub top: u16,
    /// The last row.
    pub bottom: u16,
    /// By how many.
    pub by: i32,
}

impl ScrollRegion {
    /// What moving makes cheaper between two frames, if anything does.
    pub fn between(before: &Buffer, after: &Buffer) -> Option<Self> {
        let changes = before.content.iter().zip(&after.content).filter(|(old, new)| old != new);
        if changes.take(WORTH).count() < WORTH {
            return None;
        }
        let (before, after) = (MarkedFrame::of(before), MarkedFrame::of(after));
        let by = likely(&before, &after)?;
        let region = best(&before, &after, by)?;
        (region.saved(&before, &after) >= i32::try_from(WORTH).unwrap_or(i32::MAX)).then_some(region)
    }

    /// The row that lies in this one once they have moved: blank where none does.
    fn source(self, row: u16) -> Option<u16> {
        if !(self.top..=self.bottom).contains(&row) {
            return Some(row);
        }
        let source = u16::try_from(i32::from(row) + self.by).ok()?;
        (self.top..=self.bottom).contains(&source).then_some(source)
    }

    /// Moves the rows of a frame, and the links in them.
    pub fn apply(self, frame: &mut Buffer, links: &mut Vec<LinkedCells>) {
        let width = usize::from(frame.area.width);
        let rows = usize::from(self.top) * width..(usize::from(self.bottom) + 1) * width;
        let cells = self.by.unsigned_abs() as usize * width;
        let moved = &mut frame.content[rows];
        if self.by > 0 {
            moved.rotate_left(cells);
            let left = moved.len() - cells;
            moved[left..].fill(Cell::EMPTY);
        } else {
            moved.rotate_right(cells);
            moved[..cells].fill(Cell::EMPTY);
        }
        links.retain_mut(|link| {
            if !(self.top..=self.bottom).contains(&link.at.1) {
                return true;
            }
            let row = u16::try_from(i32::from(link.at.1) - self.by).ok();
            let row = row.filter(|it| (self.top..=self.bottom).contains(it));
            link.at.1 = row.unwrap_or(link.at.1);
            row.is_some()
        });
    }

    /// Cells that need not be written once the rows have moved.
    fn saved(self, before: &MarkedFrame, after: &MarkedFrame) -> i32 {
        let blank = vec![mark(&Cell::EMPTY); before.width];
        (self.top..=self.bottom)
            .map(|row| {
                let new = after.row(row);
                let lies = self.source(row).map_or(blank.as_slice(), |source| before.row(source));
                same(new, lies) - same(new, before.row(row))
            })
            .sum()
    }
}

/// A frame as numbers that are the same for cells that look the same, so that it
/// is compared many times for the price of once. What they tell only chooses the
/// region: what is written is found cell by cell.
struct MarkedFrame {
    width: usize,
    marks: Vec<u64>,
    parts: Vec<Parts>,
}

impl MarkedFrame {
    fn of(frame: &Buffer) -> Self {
        let width = usize::from(frame.area.width).max(1);
        let part = width.div_ceil(PARTS);
        let letters = |cells: &[Cell]| {
            let is_blank = cells.iter().all(|it| it.symbol() == " ");
            let hash = |hash: CellHash, it: &Cell| hash.with(it.symbol().as_bytes());
            (!is_blank).then(|| cells.iter().fold(CellHash::default(), hash).0)
        };
        let parts_of = |row: &[Cell]| {
            let mut parts = row.chunks(part).map(letters);
            std::array::from_fn(|_| parts.next().flatten())
        };
        Self {
            width,
            marks: frame.content.iter().map(mark).collect(),
            parts: frame.content.chunks(width).map(parts_of).collect(),
        }
    }

    fn row(&self, row: u16) -> &[u64] {
        &self.marks[usize::from(row) * self.width..][..self.width]
    }
}

/// A hash that resists nobody, and costs little.
#[derive(Debug, Clone, Copy, Default)]
struct CellHash(u64);

impl CellHash {
    fn with(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |hash, it| hash.and(u64::from(*it)))
    }

    fn and(self, number: u64) -> Self {
        Self((self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95))
    }
}

impl Hasher for CellHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        *self = self.with(bytes);
    }

    fn write_isize(&mut self, number: isize) {
        *self = self.and(number as u64);
    }

    fn write_u16(&mut self, number: u16) {
        *self = self.and(u64::from(number));
    }
}

fn mark(cell: &Cell) -> u64 {
    let mut hash = CellHash::default().with(cell.symbol().as_bytes());
    (cell.fg, cell.bg, cell.underline_color, cell.modifier).hash(&mut hash);
    hash.0
}

fn same(new: &[u64], old: &[u64]) -> i32 {
    let count = new.iter().zip(old).filter(|(new, old)| new == old).count();
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// By how many rows most parts of rows seem to have moved.
fn likely(before: &MarkedFrame, after: &MarkedFrame) -> Option<i32> {
    let (old, new) = (&before.parts, &after.parts);
    let rows = i32::try_from(new.len()).ok()?;
    let moved = |by: i32| {
        let pair = |row: i32| {
            Some((new.get(usize::try_from(row).ok()?)?, old.get(usize::try_from(row + by).ok()?)?))
        };
        let matches = |(new, old): (&Parts, &Parts)| {
            new.iter().zip(old).filter(|(new, old)| new.is_some() && new == old).count()
        };
        (0..rows).filter_map(pair).map(matches).sum::<usize>()
    };
    let stays = moved(0);
    let shifts = (1..=FURTHEST).flat_map(|it| [it, -it]);
    let (by, parts) = shifts.map(|by| (by, moved(by))).max_by_key(|(by, parts)| (*parts, -by.abs()))?;
    // What lies still is not moved for the sake of a few that look alike.
    (parts > stays / 2 && parts > 1).then_some(by)
}

/// What the parts of a row hold; nothing for a part that is blank.
type Parts = [Option<u64>; PARTS];

/// The rows that are best moved by so many: neighbours that together save most.
fn best(before: &MarkedFrame, after: &MarkedFrame, by: i32) -> Option<ScrollRegion> {
    let height = u16::try_from(after.parts.len()).ok()?;
    let mut best: Option<(i32, u16, u16)> = None;
    let (mut sum, mut first) = (0, 0);
    for row in 0..height {
        let source = u16::try_from(i32::from(row) + by).ok().filter(|it| *it < height);
        let saved = source.map_or(-i32::try_from(after.width).unwrap_or(i32::MAX), |source| {
            let new = after.row(row);
            same(new, before.row(source)) - same(new, before.row(row))
        });
        if sum <= 0 {
            (sum, first) = (0, row);
        }
        sum += saved;
        if best.is_none_or(|it| sum > it.0) {
            best = Some((sum, first, row));
        }
    }
    let (_, first, last) = best?;
    let reach = u16::try_from(by.unsigned_abs()).ok()?;
    let (top, bottom) = if by > 0 { (first, last + reach) } else { (first.checked_sub(reach)?, last) };
    (bottom < height && top < bottom && i32::from(bottom - top) >= by.abs()).then_some(ScrollRegion {
        top,
        bottom,
        by,
    })
}
