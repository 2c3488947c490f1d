//! Which row of its pane each line of a history stands on: one that is shorter
//! than its pane stands at the bottom, the newest message just above the
//! composer.

use crate::layout::Area;
use crate::screens::history::History;
use crate::screens::history::lines::{self, HistoryLine};

impl History {
    /// Empty rows above it.
    fn lead(&self) -> usize {
        self.visible.saturating_sub(self.lines.len())
    }

    /// The lines on screen, each with its row of the pane.
    pub(crate) fn lines_in(&self, inner: Area) -> impl Iterator<Item = (Area, &HistoryLine)> {
        let lead = u16::try_from(self.lead()).unwrap_or(u16::MAX);
        let rows = inner.y.saturating_add(lead)..inner.y + inner.height;
        rows.zip(self.window()).map(move |(y, line)| (Area { y, height: 1, ..inner }, line))
    }

    /// Selects the item of a row of the pane, if it has one.
    pub(crate) fn select_row(&mut self, row: usize) {
        let line = row.checked_sub(self.lead()).and_then(|number| self.window().get(number));
        let item = line.and_then(lines::item_of);
        if let Some(index) = item {
            self.select_index(index);
        }
    }
}
