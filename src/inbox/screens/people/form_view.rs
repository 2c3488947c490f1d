//! The form of a person, and the question before one is deleted.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::field_view;
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::people::form::{PersonField, PersonForm};
use crate::tabs_view;
use crate::theme_view::Theme;
use model::text::SafeText;

/// Columns of a label.
const LABEL: u16 = 10;

impl OverlayView for PersonForm {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        let told = form.told.as_ref().map_or(0, |_| 2);
        let wanted = u16::try_from(form.values.len() + 2).unwrap_or(u16::MAX).saturating_add(told);
        let area = centered(inbox, columns.min(84), wanted.min(rows.saturating_sub(3)));
        let (label, style) = tabs_view::environment(inbox.desk.tab(), theme);
        let title = if form.is_new {
            "New person".to_owned()
        } else {
            SafeText::line(&format!("{} {}", form.before.phone, form.before.name)).to_string()
        };
        let titles = (&[(title.as_str(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        bottom(theme, form, area, buffer);
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let mut y = inner.y;
        if let Some((_, why)) = &form.told {
            let place = Area { x, y, width, height: 2 };
            paint_view::paragraph(buffer, place, &format!("The server refused it: {why}"), theme.error());
            y += 2;
        }
        let room = usize::from((inner.y + inner.height).saturating_sub(y)).max(1);
        let first = (form.focus + 1).saturating_sub(room);
        for place in (first..form.values.len()).take(room) {
            field(theme, form, place, Area { x, y, width, height: 1 }, buffer);
            y += 1;
        }
        None
    }
}

fn field(theme: Theme, form: &PersonForm, place: usize, area: Area, buffer: &mut Buffer) {
    let focused = place == form.focus;
    let style = if focused { theme.selected() } else { theme.quiet() };
    let label = match PersonField::at(place) {
        PersonField::Metadata if place > PersonField::Metadata.place() && !focused => "",
        it => it.label(),
    };
    paint_view::text(buffer, area.x, area.y, LABEL, label, style);
    let value = &form.values[place];
    let fixed = place == 0 && !form.is_new;
    // An empty field is not scolded before anyone tried to save it.
    let shown = form.tried || !value.is_empty();
    let told = form.told.as_ref().filter(|pair| pair.0 == place).map(|_| " ← refused".to_owned());
    let wrong = form.wrong(place).filter(|_| shown && !fixed).map(|wrong| format!(" {wrong}"));
    let wrong = told.or(wrong).unwrap_or_default();
    let (x, width) = (area.x + LABEL, area.width.saturating_sub(LABEL));
    let taken = paint_view::runs_right(buffer, x, area.y, width, &[(&wrong, theme.error())]);
    let style = if fixed { theme.quiet() } else { Style::new() };
    let place = Area { x, width: width.saturating_sub(taken + 1), ..area };
    field_view::draw(theme, value, (focused, style), place, buffer);
}

fn bottom(theme: Theme, form: &PersonForm, area: Area, buffer: &mut Buffer) {
    let help = match PersonField::at(form.focus) {
        PersonField::Metadata => "name = value · Ctrl-G edits it as JSON",
        PersonField::Tags => "parted by commas",
        _ => "Tab next",
    };
    let (words, style) = match form.first_wrong() {
        Some((place, _)) if form.tried => (
            format!(" {} is missing or wrong · {help} · Esc back ", PersonField::at(place).label()),
            theme.needs_a_person(),
        ),
        _ => (format!(" Enter saves · free · {help} · Esc back "), theme.quiet()),
    };
    let y = area.y + area.height.saturating_sub(1);
    paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, style);
}
