use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::list::ListLine;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::features::attention::lines as attention_lines;
use crate::layout::Area;
use crate::overlays::listing;
use crate::overlays::listing::{ListKind, ListOverlay};
use crate::overlays::view::{OverlayView, centered};
use crate::theme_view::Theme;
use crate::wrap;

impl ListOverlay {
    fn list_area(inbox: &Inbox) -> Area {
        let (columns, rows) = inbox.context.size;
        centered(
            inbox,
            columns.saturating_sub(listing::MARGIN).min(listing::MAX_WIDTH),
            rows.saturating_sub(4),
        )
    }
}

impl OverlayView for ListOverlay {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let (title, keys) = listing::list_title_and_keys(inbox, self.kind);
        let lines = listing::list_lines(inbox, self.kind);
        let chosen = self.chosen.min(lines.len().saturating_sub(1));
        let empty = if lines.is_empty() { listing::empty_list_text(inbox, self.kind) } else { "" };
        let (rows, chosen) = spoken_rows(lines, chosen);
        SpokenPage::new([title]).text(empty).rows(rows, Some(chosen)).keys(&keys)
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        let count = listing::list_lines(inbox, self.kind).len();
        Some(ShownRows::centered(Self::list_area(inbox).inner(), count, self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let (kind, chosen) = (self.kind, self.chosen);
        let area = Self::list_area(inbox);
        let (title, mut hint) = listing::list_title_and_keys(inbox, kind);
        if kind == ListKind::NeedsYou {
            // Corners, and a space on both sides of each title.
            let room = usize::from(area.width).saturating_sub(wrap::cells(&title) + 7);
            hint = attention_lines::key_words(&inbox.context, room);
        }
        let titles = ([(title.as_str(), theme.strong())], [(hint.as_str(), theme.dim())]);
        paint_view::popup(buffer, area, theme, (&titles.0, &titles.1));
        let inner = area.inner();
        let lines = listing::list_lines(inbox, kind);
        if lines.is_empty() {
            let place = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
            paint_view::paragraph(buffer, place, listing::empty_list_text(inbox, kind), theme.dim());
            return None;
        }
        let rows = ShownRows::centered(inner, lines.len(), chosen);
        let widest = lines.iter().map(|line| wrap::cells(line.name.as_str())).max().unwrap_or(0);
        let name = listing::name_columns(inner.width, widest);
        for (index, place) in rows.areas() {
            draw_line(theme, &lines[index], name, place, buffer);
            if index == rows.chosen {
                paint_view::stripe(buffer, place, theme.selected());
                paint_view::text(buffer, place.x, place.y, 1, theme.selection_mark(), theme.strong());
            }
        }
        None
    }
}

/// Returns a row for each line with a name, and the index of the chosen one.
fn spoken_rows(lines: Vec<ListLine>, chosen: usize) -> (Vec<SpokenRow>, usize) {
    let (mut rows, mut chosen_row) = (Vec::<SpokenRow>::new(), 0);
    for (index, line) in lines.into_iter().enumerate() {
        match rows.last_mut().filter(|_| line.name.is_empty()) {
            Some(row) => {
                row.facts.push_str(" · ");
                row.facts.push_str(line.text.as_str());
            }
            None => {
                rows.push(SpokenRow::new([line.name.as_str(), line.text.as_str()]).with_times(line.trailing))
            }
        }
        if index == chosen {
            chosen_row = rows.len() - 1;
        }
    }
    (rows, chosen_row)
}

fn draw_line(theme: Theme, line: &ListLine, name: u16, area: Area, buffer: &mut Buffer) {
    let (x, width) = (area.x + 1, area.width.saturating_sub(2));
    let right = paint_view::runs_right(buffer, x, area.y, width, &[(&line.trailing, theme.dim())]);
    let plain = if line.dim { theme.dim() } else { Style::new() };
    paint_view::text(buffer, x, area.y, name, line.name.as_str(), plain);
    let room = width.saturating_sub(name + 2 + right + u16::from(right > 0));
    let text = line.text.as_str();
    let runs = match line.is_urgent {
        true => {
            let (reason, details) = text.split_at(reason_end(text));
            [(reason, theme.urgent()), (details, Style::new())]
        }
        false => [(text, theme.dim()), ("", Style::new())],
    };
    paint_view::runs(buffer, x + name + 2, area.y, room, &runs);
}

/// End of the reason that a line begins with; only the reason has a colour.
fn reason_end(text: &str) -> usize {
    [": ", " (", ", "].into_iter().filter_map(|separator| text.find(separator)).min().unwrap_or(text.len())
}
