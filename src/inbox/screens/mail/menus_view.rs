use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::mail::menus::{MailMenu, MailMenuKind};
use crate::theme_view::Theme;

impl MailMenu {
    fn area(&self, inbox: &Inbox) -> Area {
        let rows = u16::try_from(self.matching_entries().len().clamp(1, 16)).unwrap_or(16).saturating_add(4);
        centered(inbox, 76, rows)
    }
}

fn inner(area: Area) -> Area {
    Area { x: area.x + 2, width: area.width.saturating_sub(4), ..area.inner() }
}

impl OverlayView for MailMenu {
    fn describe(&self, _inbox: &Inbox) -> SpokenPage {
        let entries = self.matching_entries();
        let (title, hint) = menu_title_and_hint(&self.kind);
        let empty = if entries.is_empty() { empty_text(self) } else { "" };
        let page = SpokenPage::new([title, hint, &self.typed.to_string()]).text(empty);
        let rows = entries.iter().map(|entry| SpokenRow::new([entry.label.as_str()]));
        page.rows(rows, Some(self.chosen)).keys(footer_text(&self.kind))
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        // The first line is the query, the last the keys.
        let inner = inner(self.area(inbox));
        let area = Area { y: inner.y + 1, height: inner.height.saturating_sub(2), ..inner };
        Some(ShownRows::centered(area, self.matching_entries().len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let menu = self;
        let fitting = menu.matching_entries();
        let area = self.area(inbox);
        let (title, hint) = menu_title_and_hint(&menu.kind);
        paint_view::popup(buffer, area, theme, (&[(title, theme.strong())], &[(hint, theme.dim())]));
        let inner = inner(area);
        let mark = if theme.ascii { "_" } else { "▏" };
        let typed = format!("/{}{mark}", menu.typed);
        paint_view::text(buffer, inner.x, inner.y, inner.width, &typed, theme.strong());
        for (at, place) in self.rows(inbox).into_iter().flat_map(ShownRows::areas) {
            let chosen = at == menu.chosen;
            let style = if chosen { theme.selected() } else { Style::new() };
            if chosen {
                paint_view::stripe(buffer, place, theme.selected());
            }
            paint_view::text(buffer, place.x, place.y, place.width, fitting[at].label.as_str(), style);
        }
        if fitting.is_empty() {
            paint_view::text(buffer, inner.x, inner.y + 1, inner.width, empty_text(menu), theme.dim());
        }
        let y = inner.y + inner.height.saturating_sub(1);
        paint_view::text(buffer, inner.x, y, inner.width, footer_text(&menu.kind), theme.dim());
        None
    }
}

fn menu_title_and_hint(kind: &MailMenuKind) -> (&'static str, &'static str) {
    match kind {
        MailMenuKind::Show => ("Show threads", "type a folder's name"),
        MailMenuKind::Category => ("Category", "type any word"),
        MailMenuKind::Destination => ("Move to folder", "type any name"),
        MailMenuKind::Rule => ("New rule for this sender", "preview first"),
        MailMenuKind::Link => ("Open link", "asks before it opens"),
        MailMenuKind::File => ("Save file", "never overwrites"),
        MailMenuKind::Contact => ("Addresses", "this desk and the server"),
    }
}

fn footer_text(kind: &MailMenuKind) -> &'static str {
    match kind {
        MailMenuKind::Contact => "Enter their threads · Right their chat · Esc back",
        _ => "Enter choose · Esc back",
    }
}

fn empty_text(menu: &MailMenu) -> &'static str {
    match menu.kind {
        MailMenuKind::Show | MailMenuKind::Category | MailMenuKind::Destination => {
            "Enter uses the typed word"
        }
        MailMenuKind::Contact => "No match",
        _ => "No match",
    }
}
