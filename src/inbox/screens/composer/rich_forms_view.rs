//! The forms for a place, buttons and lists: every field with what is wrong
//! with it, and what the customer will see.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::field_view;
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::composer::rich_forms::update as rich_forms;
use crate::screens::composer::rich_forms::{Form, FormKind};
use crate::tabs_view;
use crate::theme_view::Theme;
use model::text::SafeText;

/// Columns of a label.
const LABEL: u16 = 12;

impl OverlayView for Form {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        // The fields, and what the customer sees of each.
        let wanted = u16::try_from(form.values.len() * 2 + 6).unwrap_or(u16::MAX);
        let area = centered(inbox, columns.min(92), wanted.min(rows.saturating_sub(3)));
        let (label, style) = tabs_view::environment(inbox.desk.tab(), theme);
        let titles = (&[(form.kind.title(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        bottom(inbox, theme, form, area, buffer);
        let inner = area.inner();
        let (x, width, end) = (inner.x + 1, inner.width.saturating_sub(2), inner.y + inner.height);
        // What has the keyboard is always seen.
        let room = usize::from(inner.height.saturating_sub(3)).max(1);
        let first = (form.focus + 1).saturating_sub(room);
        let mut y = inner.y;
        for field in (first..form.values.len()).take(room) {
            draw_field(theme, form, field, Area { x, y, width, height: 1 }, buffer);
            y += 1;
        }
        if y + 1 < end {
            paint_view::text(buffer, x, y + 1, width, "What the customer sees:", theme.quiet());
            seen(theme, form, Area { x, y: y + 2, width, height: end.saturating_sub(y + 2) }, buffer);
        }
        None
    }
}

fn draw_field(theme: Theme, form: &Form, field: usize, area: Area, buffer: &mut Buffer) {
    let focused = field == form.focus;
    let style = if focused { theme.selected() } else { theme.quiet() };
    paint_view::text(buffer, area.x, area.y, LABEL, &form.kind.label(field), style);
    let value = &form.values[field];
    // An empty field is not scolded before anyone tried to send it.
    let shown = form.tried || !value.is_empty();
    let wrong = form.wrong(field).filter(|_| shown).map(|wrong| format!(" {wrong}")).unwrap_or_default();
    let taken = paint_view::runs_right(
        buffer,
        area.x + LABEL,
        area.y,
        area.width - LABEL,
        &[(&wrong, theme.error())],
    );
    let room = area.width.saturating_sub(LABEL + 1 + taken);
    let place = Area { x: area.x + LABEL, width: room, ..area };
    field_view::draw(theme, value, (focused, Style::new()), place, buffer);
}

fn seen(theme: Theme, form: &Form, area: Area, buffer: &mut Buffer) {
    let mut lines: Vec<(String, Style)> = Vec::new();
    let mut add = |text: &str, style| {
        if !text.is_empty() {
            lines.push((SafeText::line(text).to_string(), style));
        }
    };
    match form.kind {
        FormKind::Place => {
            add(form.text(2), theme.strong());
            add(form.text(3), Style::new());
            add(&format!("map at {}, {}", form.text(0), form.text(1)), theme.quiet());
        }
        FormKind::Buttons | FormKind::List => {
            add(form.text(0), theme.strong());
            add(form.text(1), Style::new());
            add(form.text(2), theme.quiet());
            if form.kind == FormKind::List {
                add(&format!("[ {} ]", form.text(3)), theme.own());
            }
            for (title, below) in form.choices() {
                match (form.kind, below) {
                    (FormKind::Buttons, _) => add(&format!("[ {title} ]"), theme.own()),
                    (_, "") => add(&format!("  {title}"), theme.own()),
                    (_, below) => add(&format!("  {title} · {below}"), theme.own()),
                }
            }
        }
    }
    let mut y = area.y;
    for (words, style) in lines {
        let height = (area.y + area.height).saturating_sub(y);
        let place = Area { x: area.x + 2, y, width: area.width.saturating_sub(2), height };
        let rows = paint_view::paragraph(buffer, place, &words, style);
        for row in 0..rows {
            paint_view::text(buffer, area.x, y + row, 1, theme.border_set()[5], theme.quiet());
        }
        y += rows;
    }
}

fn bottom(inbox: &Inbox, theme: Theme, form: &Form, area: Area, buffer: &mut Buffer) {
    let tab = inbox.desk.tab();
    let price = rich_forms::form_price(inbox);
    let help = match (form.kind, form.focus) {
        (FormKind::Place, _) => "paste 51.5,-0.12 or a map link",
        (FormKind::List, 4..) => "title | what is below",
        _ => "Tab next",
    };
    let (words, style) = match (tab.cannot_pay(price), form.first_wrong()) {
        (Some(why), _) => (format!(" cannot send: {why} · Esc back, kept "), theme.error()),
        (None, Some((field, _))) => {
            let label = form.kind.label(field);
            (format!(" {label} is missing or wrong · {help} · Esc back "), theme.needs_a_person())
        }
        (None, None) => {
            (format!(" Enter send · {} · {help} · Esc back ", tab.price_words(price)), theme.quiet())
        }
    };
    let y = area.y + area.height.saturating_sub(1);
    paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, style);
}
