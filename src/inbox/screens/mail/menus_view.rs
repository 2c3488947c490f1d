//! The menus and questions of mail.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::mail::menus::{MailMenuKind, Menu};
use crate::theme_view::Theme;

impl Menu {
    /// The whole popup.
    fn area(&self, inbox: &Inbox) -> Area {
        let rows = u16::try_from(self.fitting().len().clamp(1, 16)).unwrap_or(16).saturating_add(4);
        centered(inbox, 76, rows)
    }
}

/// What is written in.
fn inner(area: Area) -> Area {
    Area { x: area.x + 2, width: area.width.saturating_sub(4), ..area.inner() }
}

impl OverlayView for Menu {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        // Its first line is what was typed, its last the keys.
        let inner = inner(self.area(inbox));
        let area = Area { y: inner.y + 1, height: inner.height.saturating_sub(2), ..inner };
        Some(ShownRows::around(area, self.fitting().len(), self.chosen))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let menu = self;
        let fitting = menu.fitting();
        let area = self.area(inbox);
        let (title, hint) = menu_title_and_hint(&menu.kind);
        paint_view::popup(buffer, area, theme, (&[(title, theme.strong())], &[(hint, theme.quiet())]));
        let inner = inner(area);
        let mark = if theme.ascii { "_" } else { "▏" };
        let typed = format!("/{}{mark}", menu.typed);
        paint_view::text(buffer, inner.x, inner.y, inner.width, &typed, theme.strong());
        for (at, place) in self.rows(inbox).into_iter().flat_map(ShownRows::places) {
            let chosen = at == menu.chosen;
            let style = if chosen { theme.selected() } else { Style::new() };
            if chosen {
                paint_view::stripe(buffer, place, theme.selected());
            }
            paint_view::text(buffer, place.x, place.y, place.width, fitting[at].words.as_str(), style);
        }
        if fitting.is_empty() {
            paint_view::text(buffer, inner.x, inner.y + 1, inner.width, empty(menu), theme.quiet());
        }
        let y = inner.y + inner.height.saturating_sub(1);
        paint_view::text(buffer, inner.x, y, inner.width, foot(&menu.kind), theme.quiet());
        None
    }
}

fn menu_title_and_hint(kind: &MailMenuKind) -> (&'static str, &'static str) {
    match kind {
        MailMenuKind::Show => ("Show which threads", "type a folder's name"),
        MailMenuKind::Category => ("What is it about", "type any word"),
        MailMenuKind::Destination => ("Move into which folder", "type any name"),
        MailMenuKind::Rule => ("Always do what with this sender", "looked over before it acts"),
        MailMenuKind::Link => ("Open which link", "asks before it opens"),
        MailMenuKind::File => ("Save which file", "never over another"),
        MailMenuKind::Contact => ("Addresses", "this desk and the server"),
    }
}

fn foot(kind: &MailMenuKind) -> &'static str {
    match kind {
        MailMenuKind::Contact => "Enter their threads · Right their chat · Esc back",
        _ => "Enter takes the chosen line · Esc back",
    }
}

fn empty(menu: &Menu) -> &'static str {
    match menu.kind {
        MailMenuKind::Show | MailMenuKind::Category | MailMenuKind::Destination => {
            "Enter takes what was typed"
        }
        MailMenuKind::Contact => "nobody of this name yet",
        _ => "nothing fits",
    }
}
