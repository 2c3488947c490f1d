//! Rows that moved as a whole between two frames, so that the terminal can
//! move them itself.

use ratatui::buffer::{Buffer, Cell};

use inbox::screens::history::links_view::LinkedCells;

/// Rows that are moved at once at most.
const FURTHEST: i32 = 12;
/// Parts of a row that are looked at one by one: panes lie beside one another
/// and mostly one of them moves.
const PARTS: usize = 4;
/// Cells that have to be saved before rows are moved.
const WORTH: i32 = 80;

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
        let changed = before.content.iter().zip(&after.content).filter(|(old, new)| old != new).count();
        if i32::try_from(changed).unwrap_or(i32::MAX) < WORTH {
            return None;
        }
        let by = likely(before, after)?;
        let region = best(before, after, by)?;
        (region.saved(before, after) >= WORTH).then_some(region)
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
    fn saved(self, before: &Buffer, after: &Buffer) -> i32 {
        let blank = [Cell::EMPTY];
        (self.top..=self.bottom)
            .map(|row| {
                let new = row_of(after, row);
                let stays = same(new, row_of(before, row).iter());
                match self.source(row) {
                    Some(source) => same(new, row_of(before, source).iter()) - stays,
                    None => same(new, blank.iter().cycle()) - stays,
                }
            })
            .sum()
    }
}

fn row_of(frame: &Buffer, row: u16) -> &[Cell] {
    let width = usize::from(frame.area.width);
    &frame.content[usize::from(row) * width..][..width]
}

fn same<'a>(new: &[Cell], old: impl Iterator<Item = &'a Cell>) -> i32 {
    let count = new.iter().zip(old).filter(|(new, old)| new == old).count();
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// By how many rows most parts of rows seem to have moved.
fn likely(before: &Buffer, after: &Buffer) -> Option<i32> {
    let (old, new) = (parts(before), parts(after));
    let rows = i32::from(after.area.height);
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

fn parts(frame: &Buffer) -> Vec<Parts> {
    let width = usize::from(frame.area.width);
    let part = width.div_ceil(PARTS).max(1);
    // Letters alone, and no hash that resists anybody: what it tells is looked at
    // cell by cell before it is believed.
    let hash = |cells: &[Cell]| {
        let bytes = cells.iter().flat_map(|it| it.symbol().bytes());
        let hash = bytes.fold(0, |hash: u64, it| (hash ^ u64::from(it)).wrapping_mul(0x0100_0000_01b3));
        cells.iter().any(|it| it.symbol() != " ").then_some(hash)
    };
    frame
        .content
        .chunks(width.max(1))
        .map(|row| {
            let mut parts = row.chunks(part).map(hash);
            std::array::from_fn(|_| parts.next().flatten())
        })
        .collect()
}

/// The rows that are best moved by so many: neighbours that together save most.
fn best(before: &Buffer, after: &Buffer, by: i32) -> Option<ScrollRegion> {
    let height = after.area.height;
    let mut best: Option<(i32, u16, u16)> = None;
    let (mut sum, mut first) = (0, 0);
    for row in 0..height {
        let source = u16::try_from(i32::from(row) + by).ok().filter(|it| *it < height);
        let saved = source.map_or(-i32::from(after.area.width), |source| {
            let new = row_of(after, row);
            same(new, row_of(before, source).iter()) - same(new, row_of(before, row).iter())
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
