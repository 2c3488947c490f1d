//! Where everything lies, from the size of the terminal alone.
//!
//! Thresholds: from 100 columns list and history lie side by side, from 150 the
//! card joins them, below 100 they stack and the focus decides which one is
//! seen. From 220 there is room for a second conversation beside the first.

/// A rectangle in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    /// Whether a cell lies in it.
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

/// The areas of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// Line 1.
    pub tabs: Area,
    /// The conversation list, if it is seen.
    pub list: Option<Area>,
    /// The history, if it is seen.
    pub history: Option<Area>,
    /// The line about a mail account, below the tabs.
    pub header: Option<Area>,
    /// What is suggested, between history and composer.
    pub suggestion: Option<Area>,
    /// The composer, below the history.
    pub composer: Option<Area>,
    /// A second conversation, which is only read.
    pub beside: Option<Area>,
    pub card: Option<Area>,
    /// All between tabs and status: for pages that are not an inbox.
    pub body: Area,
    /// The line below the panes.
    pub status: Area,
    /// The last line; without a row where it is hidden.
    pub hints: Area,
}

/// What the layout needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutInput {
    pub width: u16,
    pub height: u16,
    /// Whether the focus lies on the list: stacked, it decides what is seen.
    pub list_focused: bool,
    /// Whether a text is being written: nothing lies over it.
    pub writes: bool,
    /// Whether a conversation is open or selected.
    pub conversation: bool,
    /// Whether the card is wanted: `None` leaves it to the width.
    pub card: Option<bool>,
    /// Lines of text in the composer; 0 for none at all.
    pub composer_lines: u16,
    /// Rows of what is suggested above it, with its frame; 0 for none at all.
    pub suggestion_rows: u16,
    /// Whether the composer may take most of the pane.
    pub tall: bool,
    /// Whether a line about the mail account stands below the tabs.
    pub header: bool,
    /// Whether the line of keys is seen.
    pub hints: bool,
    /// Columns of the list, where a person chose them.
    pub list_width: Option<u16>,
    /// Whether the focused pane alone is wanted.
    pub zoomed: bool,
    /// Whether a second conversation is wanted beside the first.
    pub beside: bool,
}

/// Least columns for anything useful.
pub const LEAST_WIDTH: u16 = 40;
/// Least rows for anything useful.
pub const LEAST_HEIGHT: u16 = 10;
/// Rows of a history that a suggestion leaves it.
const LEAST_HISTORY: u16 = 6;
/// Rows a suggestion needs.
const LEAST_SUGGESTION: u16 = 3;
/// From here list and history lie side by side.
pub const SIDE_BY_SIDE: u16 = 100;
/// From here the card joins them by itself.
pub const WITH_CARD: u16 = 150;
/// From here there is room for a second conversation.
pub const WITH_SECOND: u16 = 220;

/// Whether the terminal is too small to show anything.
pub fn is_too_small((width, height): (u16, u16)) -> bool {
    width < LEAST_WIDTH || height < LEAST_HEIGHT
}

/// Lays everything out.
pub fn arrange(wanted: LayoutInput) -> Areas {
    let LayoutInput { width, height, .. } = wanted;
    let line = |y| Area { x: 0, y, width, height: 1 };
    let above = u16::from(wanted.header);
    let hints = u16::from(wanted.hints);
    let below = 1 + hints;
    let body = Area { x: 0, y: 1 + above, width, height: height.saturating_sub(1 + above + below) };
    let (list, both, card) = columns(wanted, body);
    let (conversation, beside) = halves(wanted, both);
    let (history, suggestion, composer) = match conversation {
        None => (None, None, None),
        Some(area) if wanted.composer_lines == 0 => (Some(area), None, None),
        Some(area) => {
            let most = if wanted.tall {
                area.height.saturating_sub(5).max(3)
            } else {
                (area.height / 2).clamp(3, 12)
            };
            let rows = (wanted.composer_lines + 2).clamp(3, most);
            let above = area.height.saturating_sub(rows);
            let composer = Area { y: area.y + above, height: rows, ..area };
            let (history, suggestion) = beside_suggestion(wanted, Area { height: above, ..area });
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
        beside,
        card,
        body,
        status: line(height.saturating_sub(below)),
        hints: Area { height: hints, ..line(height.saturating_sub(hints)) },
    }
}

/// The history and the suggestion below it, which takes its last rows.
fn beside_suggestion(wanted: LayoutInput, area: Area) -> (Area, Option<Area>) {
    let rows = wanted.suggestion_rows.min(area.height.saturating_sub(LEAST_HISTORY));
    if rows < LEAST_SUGGESTION {
        return (area, None);
    }
    let above = area.height - rows;
    (Area { height: above, ..area }, Some(Area { y: area.y + above, height: rows, ..area }))
}

/// The first conversation and the second, where there is room for both.
fn halves(wanted: LayoutInput, both: Option<Area>) -> (Option<Area>, Option<Area>) {
    match both.filter(|_| wanted.beside && wanted.width >= WITH_SECOND && !wanted.zoomed) {
        None => (both, None),
        Some(area) => {
            let right = area.width / 2;
            let left = area.width - right;
            (Some(Area { width: left, ..area }), Some(Area { x: area.x + left, width: right, ..area }))
        }
    }
}

/// The columns of the body: list, conversation, card.
fn columns(wanted: LayoutInput, body: Area) -> (Option<Area>, Option<Area>, Option<Area>) {
    if wanted.width < SIDE_BY_SIDE || wanted.zoomed {
        if wanted.list_focused || !wanted.conversation {
            return (Some(body), None, None);
        }
        if wanted.card == Some(true) && !wanted.writes {
            return (None, None, Some(body));
        }
        return (None, Some(body), None);
    }
    let list_width = wanted.list_width.unwrap_or((body.width / 3).clamp(38, 56));
    let show_card = wanted.conversation && wanted.card.unwrap_or(wanted.width >= WITH_CARD);
    let card_width = if show_card { 34.min(body.width / 4).max(28) } else { 0 };
    let middle = body.width - list_width - card_width;
    let list = Area { width: list_width, ..body };
    let conversation = Area { x: list_width, width: middle, ..body };
    let card = Area { x: list_width + middle, width: card_width, ..body };
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
            writes: false,
            conversation: true,
            card: None,
            composer_lines: 1,
            suggestion_rows: 0,
            tall: false,
            header: false,
            hints: true,
            list_width: None,
            zoomed: false,
            beside: true,
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
            let areas = arrange(LayoutInput { list_focused, ..layout_input(width, 24) });
            assert_eq!(
                (areas.list.is_some(), areas.history.is_some(), areas.card.is_some()),
                seen,
                "{width}"
            );
        }
    }

    #[test]
    fn nothing_overlaps_or_leaves_the_screen() {
        for width in LEAST_WIDTH..320 {
            for height in LEAST_HEIGHT..60 {
                for (composer_lines, suggestion_rows, hints) in
                    [(1, 0, true), (3, 7, true), (40, 60, true), (1, 2, false)]
                {
                    let areas = arrange(LayoutInput {
                        composer_lines,
                        suggestion_rows,
                        hints,
                        list_focused: false,
                        ..layout_input(width, height)
                    });
                    let body = height - 2 - u16::from(hints);
                    let below = [areas.suggestion, areas.composer];
                    let all = [areas.list, areas.history, areas.beside, areas.card];
                    let mut cells = 0_u32;
                    for area in all.into_iter().chain(below).flatten() {
                        assert!(area.x + area.width <= width && area.y + area.height <= body + 1, "{area:?}");
                        cells += u32::from(area.width) * u32::from(area.height);
                    }
                    assert_eq!(cells, u32::from(width) * u32::from(body), "{width}x{height}");
                }
            }
        }
    }
}
