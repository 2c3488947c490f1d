//! The rows of a list that have room in its popup, and where each of them lies:
//! what draws them and what is clicked go by the same places.

use crate::layout::Area;

/// The rows on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownRows {
    /// Where they lie.
    area: Area,
    /// Lines of each.
    lines: u16,
    /// The first one.
    first: usize,
    /// How many there are, on screen or not.
    count: usize,
    /// The chosen one.
    pub(crate) chosen: usize,
}

impl ShownRows {
    /// Of so many rows, those that fit, with the chosen one among them.
    pub(crate) fn around(area: Area, count: usize, chosen: usize) -> Self {
        let room = usize::from(area.height).max(1);
        let chosen = chosen.min(count.saturating_sub(1));
        Self { area, lines: 1, first: (chosen + 1).saturating_sub(room), count, chosen }
    }

    /// Rows of several lines, scrolled to this one.
    pub(crate) fn scrolled(area: Area, lines: u16, first: usize, (count, chosen): (usize, usize)) -> Self {
        Self { area, lines, first, count, chosen }
    }

    /// The index and the place of each.
    pub(crate) fn places(self) -> impl Iterator<Item = (usize, Area)> {
        let fitting = self.area.height / self.lines;
        (0..fitting).zip(self.first..self.count).map(move |(row, index)| {
            (index, Area { y: self.area.y + row * self.lines, height: self.lines, ..self.area })
        })
    }

    /// The row at a cell.
    pub(crate) fn at(self, cell: (u16, u16)) -> Option<usize> {
        self.places().find(|(_, place)| place.contains(cell)).map(|place| place.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { x: 10, y: 5, width: 20, height: 4 };

    #[test]
    fn the_row_at_a_cell_is_the_one_that_is_drawn_there() {
        // (rows, of how many, the chosen one, cell, what lies there)
        let one_line = |count, chosen| ShownRows::around(AREA, count, chosen);
        let two_lines = |count, first| ShownRows::scrolled(AREA, 2, first, (count, 0));
        let cases = [
            (one_line(9, 0), (10, 5), Some(0)),
            (one_line(9, 0), (29, 8), Some(3)),
            (one_line(9, 0), (30, 8), None),
            (one_line(9, 0), (15, 9), None),
            (one_line(9, 0), (15, 4), None),
            (one_line(9, 6), (15, 5), Some(3)),
            (one_line(9, 99), (15, 8), Some(8)),
            (one_line(2, 1), (15, 6), Some(1)),
            (one_line(2, 1), (15, 7), None),
            (one_line(0, 0), (15, 5), None),
            (two_lines(9, 3), (15, 6), Some(3)),
            (two_lines(9, 3), (15, 7), Some(4)),
            (two_lines(4, 3), (15, 7), None),
        ];
        for (rows, cell, wanted) in cases {
            assert_eq!(rows.at(cell), wanted, "{rows:?} at {cell:?}");
        }
    }
}
