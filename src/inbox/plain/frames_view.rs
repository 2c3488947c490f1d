//! What has no words of its own in plain mode, read from its frame, so that no
//! screen is left out.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use crate::Inbox;
use crate::overlays;
use crate::pages::PageKind;
use crate::plain::THEME;
use crate::screens::cards;
use crate::screens::cards::is_deck;
use crate::screens::outbox;
use crate::screens::people;
use crate::wrap;

/// The topmost layer, read from its frame.
pub(crate) fn layer_lines(inbox: &Inbox) -> Vec<String> {
    if !inbox.context.layers.last().is_some_and(|layer| layer.is_read_out()) {
        return Vec::new();
    }
    framed(inbox, |buffer| {
        overlays::view::draw(inbox, THEME, buffer);
    })
}

/// A page that is not the inbox, read from its frame.
pub(crate) fn page_lines(inbox: &Inbox) -> Vec<String> {
    let body = inbox.desk.areas(&inbox.context).body;
    framed(inbox, |buffer| match inbox.desk.page {
        PageKind::Outbox => outbox::view::outbox(inbox, THEME, body, buffer),
        PageKind::Drafts => outbox::view::drafts(inbox, THEME, body, buffer),
        PageKind::Proposals => crate::screens::proposals::view::draw(inbox, THEME, body, buffer),
        PageKind::Reviews => crate::screens::reviews::view::draw(inbox, THEME, body, buffer),
        PageKind::Broadcasts => crate::screens::broadcasts::view::draw(inbox, THEME, body, buffer),
        PageKind::Wall => crate::screens::overview::view::draw(inbox, THEME, body, buffer),
        page if is_deck(page) => cards::view::draw(inbox, THEME, body, buffer),
        PageKind::People => people::view::draw(inbox, THEME, body, buffer),
        _ => crate::pages_view::draw(inbox, THEME, body, buffer),
    })
}

/// What stands in a row of cells: behind a wide symbol lie cells that are part
/// of it.
fn symbols(row: &[Cell]) -> String {
    let (mut text, mut at) = (String::new(), 0);
    while let Some(cell) = row.get(at) {
        text.push_str(cell.symbol());
        at += wrap::cells(cell.symbol()).max(1);
    }
    text
}

/// The words of a frame, without its lines.
fn framed(inbox: &Inbox, draw: impl FnOnce(&mut Buffer)) -> Vec<String> {
    let (width, height) = inbox.context.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw(&mut buffer);
    let mut lines = Vec::new();
    for row in buffer.content.chunks(usize::from(width.max(1))) {
        let text = symbols(row);
        let text = text.trim().trim_matches(['|', '+', '-', ' ']).trim();
        if !text.is_empty() {
            lines.push(
                text.split("   ")
                    .filter(|part| !part.trim().is_empty())
                    .map(str::trim)
                    .collect::<Vec<_>>()
                    .join(", "),
            );
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    #[test]
    fn names_of_wide_and_composed_letters_are_read_as_they_are_written() {
        for name in ["山本 健太", "박지훈", "प्रिया शर्मा", "Zoë Müller", "👩‍👩‍👧 Ana"]
        {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 1));
            crate::components::paint_view::text(&mut buffer, 0, 0, 40, name, Style::new());
            assert_eq!(symbols(&buffer.content).trim_end(), name);
        }
    }
}
