//! Space for pictures among the lines of a history.

use std::collections::BTreeMap;

use crate::screens::history::History;
use crate::screens::history::lines;
use crate::screens::history::lines::HistoryItem;

impl History {
    pub fn set_heights(&mut self, heights: BTreeMap<String, usize>) {
        if self.heights != heights {
            self.heights = heights;
            self.rebuild();
        }
    }

    /// Items at least partly on screen, oldest first.
    pub fn visible_items(&self) -> Vec<&HistoryItem> {
        let mut places: Vec<usize> = self.visible_lines().iter().filter_map(lines::item_index).collect();
        places.dedup();
        places.into_iter().filter_map(|place| self.items.get(place)).collect()
    }
}
