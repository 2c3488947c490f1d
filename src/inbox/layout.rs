//! Layout of the screen, computed from the size of the terminal alone.
//!
//! From 100 columns list and history are side by side, from 150 the card joins them. Below 100 only
//! the focused one of list and history is shown. Panes side by side share the column of the border
//! between them.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    pub fn contains(self, (x, y): (u16, u16)) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }

    /// The area inside a border of one cell.
    #[must_use]
    pub fn inner(self) -> Self {
        Self {
            x: self.x + 1.min(self.width),
            y: self.y + 1.min(self.height),
            width: self.width.saturating_sub(2),
            height: self.height.saturating_sub(2),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    pub tabs: Area,
    /// `None` if hidden.
    pub list: Option<Area>,
    /// `None` if hidden.
    pub history: Option<Area>,
    /// Line about the mail account, below the tabs.
    pub header: Option<Area>,
    /// Suggestion, between history and composer.
    pub suggestion: Option<Area>,
    pub composer: Option<Area>,
    pub card: Option<Area>,
    /// Everything between tabs and status, for pages other than the inbox.
    pub body: Area,
    /// Last line.
    pub status: Area,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutInput {
    pub width: u16,
    pub height: u16,
    /// True if the list has the focus; decides what is shown in a narrow terminal.
    pub list_focused: bool,
    /// True while a text is written: nothing may cover it.
    pub is_writing: bool,
    /// True if a conversation is open or selected.
    pub has_conversation: bool,
    /// `None` shows the card if the width allows.
    pub card: Option<bool>,
    /// Lines of text in the composer; 0 hides it.
    pub composer_lines: u16,
    /// Rows of the suggestion with its frame; 0 hides it.
    pub suggestion_rows: u16,
    /// True if the composer may take most of the pane.
    pub tall_composer: bool,
    pub header: bool,
    /// Columns of the list chosen by the person.
    pub list_width: Option<u16>,
    /// Shows only the focused pane.
    pub zoomed: bool,
}

/// Minimum columns; below, nothing is drawn.
pub const MIN_WIDTH: u16 = 40;
/// Minimum rows; below, nothing is drawn.
pub const MIN_HEIGHT: u16 = 10;
/// Rows of the history that a suggestion must leave.
const MIN_HISTORY_ROWS: u16 = 6;
const MIN_SUGGESTION_ROWS: u16 = 3;
/// Columns from which list and history are side by side.
pub const SIDE_BY_SIDE_MIN_WIDTH: u16 = 100;
/// Columns from which the card is shown by default.
pub const CARD_MIN_WIDTH: u16 = 150;

/// Columns that two panes side by side have in common: the border between them.
const SHARED_COLUMNS: u16 = 1;

pub fn is_too_small((width, height): (u16, u16)) -> bool {
    width < MIN_WIDTH || height < MIN_HEIGHT
}

pub fn compute_areas(wanted: LayoutInput) -> Areas {
    let LayoutInput { width, height, .. } = wanted;
    let line = |y| Area { x: 0, y, width, height: 1 };
    let above = u16::from(wanted.header);
    let body = Area { x: 0, y: 1 + above, width, height: height.saturating_sub(2 + above) };
    let (list, conversation, card) = split_columns(wanted, body);
    let (history, suggestion, composer) = match conversation {
        None => (None, None, None),
        Some(area) if wanted.composer_lines == 0 => (Some(area), None, None),
        Some(area) => {
            let most = if wanted.tall_composer {
                area.height.saturating_sub(5).max(3)
            } else {
                (area.height / 2).clamp(3, 12)
            };
            let rows = (wanted.composer_lines + 2).clamp(3, most);
            let above = area.height.saturating_sub(rows);
            let composer = Area { y: area.y + above, height: rows, ..area };
            let (history, suggestion) = split_suggestion(wanted, Area { height: above, ..area });
            (Some(history), suggestion, Some(composer))
        }
    };
    Areas {
        tabs: line(0),
        header: wanted.header.then(|| line(1)),
        list,
        history,
        suggestion,
        composer,
        card,
        body,
        status: line(height.saturating_sub(1)),
    }
}

/// Splits the area between the history and a suggestion below it.
fn split_suggestion(wanted: LayoutInput, area: Area) -> (Area, Option<Area>) {
    let rows = wanted.suggestion_rows.min(area.height.saturating_sub(MIN_HISTORY_ROWS));
    if rows < MIN_SUGGESTION_ROWS {
        return (area, None);
    }
    let above = area.height - rows;
    (Area { height: above, ..area }, Some(Area { y: area.y + above, height: rows, ..area }))
}

fn split_columns(wanted: LayoutInput, body: Area) -> (Option<Area>, Option<Area>, Option<Area>) {
    if wanted.width < SIDE_BY_SIDE_MIN_WIDTH || wanted.zoomed {
        if wanted.list_focused || !wanted.has_conversation {
            return (Some(body), None, None);
        }
        if wanted.card == Some(true) && !wanted.is_writing {
            return (None, None, Some(body));
        }
        return (None, Some(body), None);
    }
    let list_width = wanted.list_width.unwrap_or((body.width / 3).clamp(38, 56));
    let show_card = wanted.has_conversation && wanted.card.unwrap_or(wanted.width >= CARD_MIN_WIDTH);
    let card_width = if show_card { 34.min(body.width / 4).max(28) } else { 0 };
    let list = Area { width: list_width, ..body };
    let conversation = Area {
        x: list_width.saturating_sub(SHARED_COLUMNS),
        width: body.width - list_width - card_width + SHARED_COLUMNS,
        ..body
    };
    let card = Area {
        x: body.width.saturating_sub(card_width + SHARED_COLUMNS),
        width: card_width + SHARED_COLUMNS,
        ..body
    };
    (Some(list), Some(conversation), show_card.then_some(card))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout_input(width: u16, height: u16) -> LayoutInput {
        LayoutInput {
            width,
            height,
            list_focused: true,
            is_writing: false,
            has_conversation: true,
            card: None,
            composer_lines: 1,
            suggestion_rows: 0,
            tall_composer: false,
            header: false,
            list_width: None,
            zoomed: false,
        }
    }

    #[test]
    fn thresholds() {
        // (columns, list focused) -> (list, history, card)
        let cases = [
            (80, true, (true, false, false)),
            (80, false, (false, true, false)),
            (99, true, (true, false, false)),
            (100, true, (true, true, false)),
            (149, true, (true, true, false)),
            (150, true, (true, true, true)),
            (300, false, (true, true, true)),
        ];
        for (width, list_focused, seen) in cases {
            let areas = compute_areas(LayoutInput { list_focused, ..layout_input(width, 24) });
            assert_eq!(
                (areas.list.is_some(), areas.history.is_some(), areas.card.is_some()),
                seen,
                "{width}"
            );
        }
    }

    #[test]
    fn panes_side_by_side_share_the_border_between_them() {
        for width in SIDE_BY_SIDE_MIN_WIDTH..320 {
            let areas = compute_areas(layout_input(width, 24));
            let (list, history) = (areas.list.expect("a list"), areas.history.expect("a history"));
            assert_eq!(history.x, list.x + list.width - 1, "{width}");
            let end = history.x + history.width;
            match areas.card {
                Some(card) => assert_eq!((card.x, card.x + card.width), (end - 1, width), "{width}"),
                None => assert_eq!(end, width),
            }
        }
    }

    #[test]
    fn only_shared_borders_overlap_and_nothing_leaves_the_screen() {
        for width in MIN_WIDTH..320 {
            for height in MIN_HEIGHT..60 {
                for (composer_lines, suggestion_rows) in [(1, 0), (3, 7), (40, 60), (1, 2)] {
                    let areas = compute_areas(LayoutInput {
                        composer_lines,
                        suggestion_rows,
                        list_focused: false,
                        ..layout_input(width, height)
                    });
                    let body = height - 2;
                    let below = [areas.suggestion, areas.composer];
                    let all = [areas.list, areas.history, areas.card];
                    let mut cells = 0_u32;
                    for area in all.into_iter().chain(below).flatten() {
                        assert!(area.x + area.width <= width && area.y + area.height <= body + 1, "{area:?}");
                        cells += u32::from(area.width) * u32::from(area.height);
                    }
                    let panes = all.iter().flatten().count();
                    let shared = u16::try_from(panes.saturating_sub(1)).expect("few panes");
                    assert_eq!(cells, u32::from(width + shared) * u32::from(body), "{width}x{height}");
                }
            }
        }
    }
}
