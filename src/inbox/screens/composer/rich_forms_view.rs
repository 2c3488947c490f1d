//! Draws the forms for locations, contacts, buttons and lists with field errors and a preview.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::field_view;
use crate::components::paint_view;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::components::text_line::TextLine;
use crate::layout::Area;
use crate::overlays::view::{Lines, OverlayView, centered};
use crate::screens::composer::rich_forms::update as rich_forms;
use crate::screens::composer::rich_forms::{RichForm, RichFormKind};
use crate::tabs_view;
use crate::theme_view::Theme;
use model::text::SafeText;

const PREVIEW_TITLE: &str = "What the customer sees:";
const LABEL_WIDTH: u16 = 12;

impl OverlayView for RichForm {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let form = self;
        let (label, _) = tabs_view::environment_label(inbox.desk.tab(), Theme::PLAIN);
        let row = |(field, value): (usize, &TextLine)| {
            let text = format!("{} {}", form.kind.label(field), SafeText::line(value.text()));
            SpokenRow::new([text, shown_error(form, field).unwrap_or_default()])
        };
        let page = SpokenPage::new([form.kind.title(), label]);
        let page = page.rows(form.values.iter().enumerate().map(row), Some(form.focus)).text(PREVIEW_TITLE);
        let preview = preview_lines(Theme::PLAIN, form);
        let page = preview.into_iter().fold(page, |page, (words, _)| page.text(words));
        page.keys(&footer_text(inbox, Theme::PLAIN, form).0)
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        // Twice the fields, for the preview below them.
        let wanted = u16::try_from(form.values.len() * 2 + 6).unwrap_or(u16::MAX);
        let area = centered(inbox, columns.min(92), wanted.min(rows.saturating_sub(3)));
        let (label, style) = tabs_view::environment_label(inbox.desk.tab(), theme);
        let titles = (&[(form.kind.title(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        paint_view::footer(buffer, area, &footer_text(inbox, theme, form));
        let inner = area.inner();
        let (x, width, end) = (inner.x + 1, inner.width.saturating_sub(2), inner.y + inner.height);
        // Keep the focused field visible.
        let room = usize::from(inner.height.saturating_sub(3)).max(1);
        let first = (form.focus + 1).saturating_sub(room);
        let mut y = inner.y;
        for field in (first..form.values.len()).take(room) {
            draw_field(theme, form, field, Area { x, y, width, height: 1 }, buffer);
            y += 1;
        }
        if y + 1 < end {
            paint_view::text(buffer, x, y + 1, width, PREVIEW_TITLE, theme.dim());
            draw_preview(theme, form, Area { x, y: y + 2, width, height: end.saturating_sub(y + 2) }, buffer);
        }
        None
    }
}

fn draw_field(theme: Theme, form: &RichForm, field: usize, area: Area, buffer: &mut Buffer) {
    let focused = field == form.focus;
    let style = if focused { theme.selected() } else { theme.dim() };
    paint_view::text(buffer, area.x, area.y, LABEL_WIDTH, &form.kind.label(field), style);
    let value = &form.values[field];
    let wrong = shown_error(form, field).map(|wrong| format!(" {wrong}")).unwrap_or_default();
    let taken = paint_view::runs_right(
        buffer,
        area.x + LABEL_WIDTH,
        area.y,
        area.width - LABEL_WIDTH,
        &[(&wrong, theme.urgent())],
    );
    let room = area.width.saturating_sub(LABEL_WIDTH + 1 + taken);
    let place = Area { x: area.x + LABEL_WIDTH, width: room, ..area };
    field_view::draw(theme, value, (focused, Style::new()), place, buffer);
}

/// Error of a field; none for an empty field before an attempt to send.
fn shown_error(form: &RichForm, field: usize) -> Option<String> {
    let shown = form.shows_all_errors || !form.values[field].is_empty();
    form.field_error(field).filter(|_| shown).map(|error| error.to_string())
}

fn preview_lines(theme: Theme, form: &RichForm) -> Lines {
    let mut lines: Vec<(String, Style)> = Vec::new();
    let mut add = |text: &str, style| {
        if !text.is_empty() {
            lines.push((SafeText::line(text).to_string(), style));
        }
    };
    match form.kind {
        RichFormKind::Location => {
            add(form.text(2), theme.strong());
            add(form.text(3), Style::new());
            add(&format!("map at {}, {}", form.text(0), form.text(1)), theme.dim());
        }
        RichFormKind::Contact => {
            add(form.text(0), theme.strong());
            add(form.text(2), Style::new());
            add(form.text(1), theme.dim());
        }
        RichFormKind::Buttons | RichFormKind::List => {
            add(form.text(0), theme.strong());
            add(form.text(1), Style::new());
            add(form.text(2), theme.dim());
            if form.kind == RichFormKind::List {
                add(&format!("[ {} ]", form.text(3)), theme.strong());
            }
            for (title, below) in form.choices() {
                match (form.kind, below) {
                    (RichFormKind::Buttons, _) => add(&format!("[ {title} ]"), theme.strong()),
                    (_, "") => add(&format!("  {title}"), theme.strong()),
                    (_, below) => add(&format!("  {title} · {below}"), theme.strong()),
                }
            }
        }
    }
    lines
}

fn draw_preview(theme: Theme, form: &RichForm, area: Area, buffer: &mut Buffer) {
    let mut y = area.y;
    for (words, style) in preview_lines(theme, form) {
        let height = (area.y + area.height).saturating_sub(y);
        let place = Area { x: area.x + 2, y, width: area.width.saturating_sub(2), height };
        let rows = paint_view::paragraph(buffer, place, &words, style);
        for row in 0..rows {
            paint_view::text(buffer, area.x, y + row, 1, theme.border_set()[5], theme.dim());
        }
        y += rows;
    }
}

/// The keys, or why it cannot be sent.
fn footer_text(inbox: &Inbox, theme: Theme, form: &RichForm) -> (String, Style) {
    let tab = inbox.desk.tab();
    let price = rich_forms::form_price(inbox);
    let help = match (form.kind, form.focus) {
        (RichFormKind::Location, _) => "paste 51.5,-0.12 or a map link",
        (RichFormKind::Contact, 0) => "paste a name with its number",
        (RichFormKind::List, 4..) => "title | description",
        _ => "Tab next",
    };
    match (tab.payment_error(price), form.first_error()) {
        (Some(why), _) => (format!("cannot send: {why} · Esc back, kept"), theme.urgent()),
        (None, Some((field, _))) => {
            let label = form.kind.label(field);
            (format!("{label} is missing or wrong · {help} · Esc back"), theme.soon())
        }
        (None, None) => {
            (format!("Enter send · {} · {help} · Esc back", tab.describe_price(price)), theme.dim())
        }
    }
}
