//! The form of a broadcast, and the flight check.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::field_view;
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::broadcasts::flight::{CheckWeight, Flight};
use crate::screens::broadcasts::form::{BroadcastField, BroadcastForm};
use crate::tabs_view;
use crate::theme_view::Theme;
use model::prices;
use model::text::SafeText;
use model::waves::audience::AudienceSource;
use model::waves::{content_title, recipient_price};

/// Columns of a label.
const LABEL: u16 = 12;

impl OverlayView for BroadcastForm {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        let fields = form.fields();
        let wanted = u16::try_from(fields.len() + 9).unwrap_or(u16::MAX);
        let area = centered(inbox, columns.min(92), wanted.min(rows.saturating_sub(3)));
        let (label, style) = tabs_view::environment(inbox.desk.tab(), theme);
        let title = format!("New broadcast · {}", inbox.desk.tab().channel.name);
        let titles = (&[(title.as_str(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        bottom(inbox, theme, form, area, buffer);
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let end = inner.y + inner.height;
        let mut y = inner.y;
        y += paint_view::paragraph(buffer, Area { x, y, width, height: 3 }, &audience(form), theme.own());
        y += 1;
        let room = usize::from(end.saturating_sub(y)).max(1);
        let at = form.focus.min(fields.len() - 1);
        let first = (at + 1).saturating_sub(room);
        for (place, field) in fields.iter().enumerate().skip(first).take(room) {
            draw_field(theme, form, (*field, place == at), Area { x, y, width, height: 1 }, buffer);
            y += 1;
        }
        preview(theme, form, Area { x, y: y + 1, width, height: end.saturating_sub(y + 1) }, buffer);
        None
    }
}

/// Its recipients, as far as is known.
fn audience(form: &BroadcastForm) -> String {
    let whom = SafeText::line(&form.query.source.describe()).to_string();
    let Some(found) = &form.found else { return format!("To {whom}: being looked up…") };
    let mut words = match form.query.source {
        AudienceSource::Everyone => format!("To {whom}: {} contacts", form.count()),
        _ => format!("To {whom}: {} with an id", form.count()),
    };
    if form.walking {
        words.push_str(" so far, the server is being asked…");
    }
    for (count, what) in [
        (found.duplicates, "named twice"),
        (found.without_phone, "without a phone number"),
        (found.not_read.len(), "no contacts here"),
    ] {
        if count > 0 {
            words.push_str(&format!(", {count} {what}"));
        }
    }
    for wrong in &found.invalid {
        words.push_str(&format!(" · {}", SafeText::line(wrong)));
    }
    words
}

fn draw_field(
    theme: Theme,
    form: &BroadcastForm,
    (field, focused): (BroadcastField, bool),
    area: Area,
    buffer: &mut Buffer,
) {
    let style = if focused { theme.selected() } else { theme.quiet() };
    let label = match field {
        BroadcastField::Slot(place) => {
            form.slots.get(place).map_or(String::new(), |slot| SafeText::line(&slot.label).to_string())
        }
        other => other.label().to_owned(),
    };
    paint_view::text(buffer, area.x, area.y, LABEL - 1, &label, style);
    let place = Area { x: area.x + LABEL, width: area.width.saturating_sub(LABEL), ..area };
    let Some(value) = form.line(field) else {
        let words = format!("{} · Space turns: text, image, template", form.kind.word());
        paint_view::text(buffer, place.x, place.y, place.width, &words, Style::new());
        return;
    };
    let after = match field {
        BroadcastField::Canary => "people first; 0 for none",
        BroadcastField::Wave => "people at a time, at most 1000",
        BroadcastField::Wait => "seconds between two waves",
        BroadcastField::StopAbove => "percent failed: then it pauses",
        BroadcastField::Keep => "credits at least; empty: no floor",
        BroadcastField::Text => "",
        BroadcastField::Template => form.chosen.as_ref().map_or("no approved template is called so", |_| ""),
        _ => "",
    };
    let found = match (field, &form.chosen) {
        (BroadcastField::Template, Some(it)) => {
            SafeText::line(&format!("{} / {}", it.name, it.language)).to_string()
        }
        _ => after.to_owned(),
    };
    let right = paint_view::runs_right(buffer, place.x, place.y, place.width, &[(&found, theme.quiet())]);
    let room = place.width.saturating_sub(right + 1);
    field_view::draw(theme, value, (focused, Style::new()), Area { width: room, ..place }, buffer);
}

/// What the people will see, where it is a template.
fn preview(theme: Theme, form: &BroadcastForm, area: Area, buffer: &mut Buffer) {
    let Some(template) = form
        .chosen
        .as_ref()
        .filter(|_| form.kind == crate::screens::broadcasts::form::BroadcastKind::Template)
    else {
        return;
    };
    let mut y = area.y;
    let note = "The same values for all: values of each person are not documented for broadcasts.";
    let parts = template.preview(&form.slots, &form.texts());
    let lines = std::iter::once((note.to_owned(), theme.quiet()))
        .chain(parts.into_iter().map(|(_, words)| (SafeText::block(&words).to_string(), Style::new())));
    for (words, style) in lines {
        let height = (area.y + area.height).saturating_sub(y);
        if height == 0 {
            return;
        }
        y += paint_view::paragraph(buffer, Area { y, height, ..area }, &words, style);
    }
}

fn bottom(inbox: &Inbox, theme: Theme, form: &BroadcastForm, area: Area, buffer: &mut Buffer) {
    let (words, style) = match form.missing() {
        Some(why) => (format!(" {why} · Tab next · Esc keeps it "), theme.needs_a_person()),
        None => {
            let charged = inbox.desk.tab().templates.charged;
            let count = i64::try_from(form.count()).unwrap_or(i64::MAX);
            let price =
                form.content().map(|content| recipient_price(&content, charged).times(count).describe());
            (
                format!(" Ctrl-X flight check · {} · Tab next · Esc keeps it ", price.unwrap_or_default()),
                theme.quiet(),
            )
        }
    };
    let y = area.y + area.height.saturating_sub(1);
    paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, style);
}

impl OverlayView for Flight {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let flight = self;
        let (columns, rows) = inbox.context.size;
        let area = centered(inbox, columns.min(92), rows.min(20).saturating_sub(2));
        let (label, style) = tabs_view::environment(inbox.desk.tab(), theme);
        let count = flight.new.audience.count();
        let heading = format!("Flight check · {}", prices::format_people(count));
        let titles = (&[(heading.as_str(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let end = inner.y + inner.height;
        let mut y = inner.y;
        paint_view::text(buffer, x, y, width, content_title(&flight.new.content).as_str(), theme.own());
        y += 2;
        for point in inbox.broadcasts.flight_points(flight, &inbox.desk, &inbox.context) {
            let (mark, style) = match point.weight {
                CheckWeight::Fine => ("  ", Style::new()),
                CheckWeight::Look => ("! ", theme.needs_a_person()),
                CheckWeight::Blocks => ("X ", theme.error()),
            };
            paint_view::text(buffer, x, y, 2, mark, style);
            paint_view::text(buffer, x + 2, y, LABEL - 2, point.label, theme.quiet());
            let height = end.saturating_sub(y + 3).min(2);
            let place = Area { x: x + LABEL, y, width: width.saturating_sub(LABEL), height };
            y +=
                paint_view::paragraph(buffer, place, &SafeText::line(&point.words).to_string(), style).max(1);
        }
        y = (y + 1).min(end.saturating_sub(2));
        let held = match flight.new.hold / 1_000_000 {
            0 => "leaves at once".to_owned(),
            seconds => inbox.context.keyed(&format!("held {seconds} s, {{undo}} takes it back")),
        };
        match flight.new.audience.confirmation_phrase() {
            Some(phrase) => {
                let runs = [
                    ("Type ", Style::new()),
                    (phrase.as_str(), theme.strong()),
                    (" and Enter: ", Style::new()),
                    (flight.typed.text(), theme.strong()),
                    ("_", theme.strong()),
                    (if flight.wrong { "  that is not it" } else { "" }, theme.error()),
                ];
                paint_view::runs(buffer, x, y, width, &runs);
            }
            None => {
                paint_view::text(buffer, x, y, width, "[y] SEND   [n] back to the form", theme.strong());
            }
        }
        let words = format!(" {held} · Ctrl-T rehearse · Esc back ");
        let y = area.y + area.height.saturating_sub(1);
        paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, theme.quiet());
        None
    }
}
