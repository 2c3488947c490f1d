use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::field_view;
use crate::components::paint_view;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::components::text_line::TextLine;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::people::form::{PersonField, PersonForm};
use crate::tabs_view;
use crate::theme_view::Theme;
use model::text::SafeText;

const LABEL_WIDTH: u16 = 10;

impl OverlayView for PersonForm {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let (label, _) = tabs_view::environment_label(inbox.desk.tab(), Theme::PLAIN);
        let refused = self.server_error.as_ref().map(|(_, why)| refusal_text(why)).unwrap_or_default();
        let row = |(place, value): (usize, &TextLine)| {
            let label = PersonField::from_index(place).label();
            let text = format!("{label} {}", SafeText::line(value.text()));
            SpokenRow::new([text, field_error_text(self, place)])
        };
        let page = SpokenPage::new([form_title(self).as_str(), label]).text(refused);
        let page = page.rows(self.values.iter().enumerate().map(row), Some(self.focus));
        page.keys(&footer_text(Theme::PLAIN, self).0)
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        let told = form.server_error.as_ref().map_or(0, |_| 2);
        let wanted = u16::try_from(form.values.len() + 2).unwrap_or(u16::MAX).saturating_add(told);
        let area = centered(inbox, columns.min(84), wanted.min(rows.saturating_sub(3)));
        let (label, style) = tabs_view::environment_label(inbox.desk.tab(), theme);
        let title = form_title(form);
        let titles = (&[(title.as_str(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        paint_view::footer(buffer, area, &footer_text(theme, form));
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let mut y = inner.y;
        if let Some((_, why)) = &form.server_error {
            let place = Area { x, y, width, height: 2 };
            paint_view::paragraph(buffer, place, &refusal_text(why), theme.urgent());
            y += 2;
        }
        let room = usize::from((inner.y + inner.height).saturating_sub(y)).max(1);
        let first = (form.focus + 1).saturating_sub(room);
        for place in (first..form.values.len()).take(room) {
            draw_field(theme, form, place, Area { x, y, width, height: 1 }, buffer);
            y += 1;
        }
        None
    }
}

fn form_title(form: &PersonForm) -> String {
    match form.is_new {
        true => "New person".to_owned(),
        false => SafeText::line(&format!("{} {}", form.before.phone, form.before.name)).to_string(),
    }
}

fn refusal_text(why: &str) -> String {
    format!("The server refused it: {why}")
}

/// Error of a field; none for an empty field before an attempt to save.
fn field_error_text(form: &PersonForm, place: usize) -> String {
    let shown = form.shows_all_errors || !form.values[place].is_empty();
    let is_fixed = place == 0 && !form.is_new;
    let refused = form.server_error.as_ref().filter(|pair| pair.0 == place).map(|_| " ← refused".to_owned());
    let error = form.field_error(place).filter(|_| shown && !is_fixed).map(|wrong| format!(" {wrong}"));
    refused.or(error).unwrap_or_default()
}

fn draw_field(theme: Theme, form: &PersonForm, place: usize, area: Area, buffer: &mut Buffer) {
    let focused = place == form.focus;
    let style = if focused { theme.selected() } else { theme.dim() };
    let label = match PersonField::from_index(place) {
        PersonField::Metadata if place > PersonField::Metadata.index() && !focused => "",
        field => field.label(),
    };
    paint_view::text(buffer, area.x, area.y, LABEL_WIDTH, label, style);
    let value = &form.values[place];
    let fixed = place == 0 && !form.is_new;
    let wrong = field_error_text(form, place);
    let (x, width) = (area.x + LABEL_WIDTH, area.width.saturating_sub(LABEL_WIDTH));
    let taken = paint_view::runs_right(buffer, x, area.y, width, &[(&wrong, theme.urgent())]);
    let style = if fixed { theme.dim() } else { Style::new() };
    let place = Area { x, width: width.saturating_sub(taken + 1), ..area };
    field_view::draw(theme, value, (focused, style), place, buffer);
}

/// The keys, or which field is wrong.
fn footer_text(theme: Theme, form: &PersonForm) -> (String, Style) {
    let help = match PersonField::from_index(form.focus) {
        PersonField::Metadata => "name = value · Ctrl-G edits it as JSON",
        PersonField::Tags => "separated by commas",
        _ => "Tab next",
    };
    match form.first_error() {
        Some((place, _)) if form.shows_all_errors => (
            format!("{} is missing or wrong · {help} · Esc back", PersonField::from_index(place).label()),
            theme.soon(),
        ),
        _ => (format!("Enter saves · free · {help} · Esc back"), theme.dim()),
    }
}
