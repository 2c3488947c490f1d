//! Rows of a history's lines. A history shorter than its pane is aligned to the bottom.

use crate::layout::Area;
use crate::screens::history::History;
use crate::screens::history::lines::{self, HistoryLine};

impl History {
    fn blank_rows_above(&self) -> usize {
        self.visible.saturating_sub(self.lines.len())
    }

    pub(crate) fn lines_in(&self, inner: Area) -> impl Iterator<Item = (Area, &HistoryLine)> {
        let lead = u16::try_from(self.blank_rows_above()).unwrap_or(u16::MAX);
        let rows = inner.y.saturating_add(lead)..inner.y + inner.height;
        rows.zip(self.visible_lines()).map(move |(y, line)| (Area { y, height: 1, ..inner }, line))
    }

    pub(crate) fn select_row(&mut self, row: usize) {
        let line =
            row.checked_sub(self.blank_rows_above()).and_then(|number| self.visible_lines().get(number));
        let item = line.and_then(lines::item_index);
        if let Some(index) = item {
            self.select_index(index);
        }
    }
}
