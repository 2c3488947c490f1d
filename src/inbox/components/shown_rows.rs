//! Visible rows of a list in a popup, with their areas; drawing and clicks share them.

use crate::layout::Area;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownRows {
    area: Area,
    lines_per_row: u16,
    first: usize,
    /// Total number of rows.
    count: usize,
    pub(crate) chosen: usize,
}

impl ShownRows {
    /// As many rows as fit, including the selected one.
    pub(crate) fn centered(area: Area, count: usize, chosen: usize) -> Self {
        let room = usize::from(area.height).max(1);
        let chosen = chosen.min(count.saturating_sub(1));
        Self { area, lines_per_row: 1, first: (chosen + 1).saturating_sub(room), count, chosen }
    }

    /// Rows of several lines, scrolled to `first`.
    pub(crate) fn scrolled_to(
        area: Area,
        lines_per_row: u16,
        first: usize,
        (count, chosen): (usize, usize),
    ) -> Self {
        Self { area, lines_per_row, first, count, chosen }
    }

    pub(crate) fn areas(self) -> impl Iterator<Item = (usize, Area)> {
        let fitting = self.area.height / self.lines_per_row;
        (0..fitting).zip(self.first..self.count).map(move |(row, index)| {
            (
                index,
                Area { y: self.area.y + row * self.lines_per_row, height: self.lines_per_row, ..self.area },
            )
        })
    }

    pub(crate) fn row_at(self, cell: (u16, u16)) -> Option<usize> {
        self.areas().find(|(_, place)| place.contains(cell)).map(|place| place.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { x: 10, y: 5, width: 20, height: 4 };

    #[test]
    fn the_row_at_a_cell_is_the_one_that_is_drawn_there() {
        // (rows, count, selected, cell, row at the cell)
        let one_line = |count, chosen| ShownRows::centered(AREA, count, chosen);
        let two_lines = |count, first| ShownRows::scrolled_to(AREA, 2, first, (count, 0));
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
            assert_eq!(rows.row_at(cell), wanted, "{rows:?} at {cell:?}");
        }
    }
}
