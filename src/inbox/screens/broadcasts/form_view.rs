//! The form of a broadcast, and its review before it is sent.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::field_view;
use crate::components::paint_view;
use crate::components::spoken::{SpokenPage, SpokenRow, join_facts};
use crate::layout::Area;
use crate::overlays::view::{Lines, OverlayView, centered};
use crate::screens::broadcasts::form::{BroadcastField, BroadcastForm};
use crate::screens::broadcasts::preflight::{CheckSeverity, Preflight};
use crate::tabs_view;
use crate::theme_view::Theme;
use model::prices;
use model::text::SafeText;
use model::waves::audience::AudienceSource;
use model::waves::{content_title, recipient_price};

const LABEL_WIDTH: u16 = 12;

impl OverlayView for BroadcastForm {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let (label, _) = tabs_view::environment_label(inbox.desk.tab(), Theme::PLAIN);
        let page = SpokenPage::new([form_title(inbox).as_str(), label]).text(describe_audience(self));
        let row = |field: &BroadcastField| {
            let value = match self.line(*field) {
                Some(value) => SafeText::line(value.text()).to_string(),
                None => kind_text(self),
            };
            SpokenRow::new([format!("{} {value}", field_label(self, *field)), field_help(self, *field)])
        };
        let fields = self.fields();
        let page = page.rows(fields.iter().map(row), Some(self.focus.min(fields.len() - 1)));
        let preview = preview_lines(Theme::PLAIN, self);
        let page = preview.into_iter().fold(page, |page, (words, _)| page.text(words));
        page.keys(&footer_text(inbox, Theme::PLAIN, self).0)
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        let fields = form.fields();
        let wanted = u16::try_from(fields.len() + 9).unwrap_or(u16::MAX);
        let area = centered(inbox, columns.min(92), wanted.min(rows.saturating_sub(3)));
        let (label, style) = tabs_view::environment_label(inbox.desk.tab(), theme);
        let title = form_title(inbox);
        let titles = (&[(title.as_str(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        paint_view::footer(buffer, area, &footer_text(inbox, theme, form));
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let end = inner.y + inner.height;
        let mut y = inner.y;
        y += paint_view::paragraph(
            buffer,
            Area { x, y, width, height: 3 },
            &describe_audience(form),
            theme.strong(),
        );
        y += 1;
        let room = usize::from(end.saturating_sub(y)).max(1);
        let at = form.focus.min(fields.len() - 1);
        let first = (at + 1).saturating_sub(room);
        for (place, field) in fields.iter().enumerate().skip(first).take(room) {
            draw_field(theme, form, (*field, place == at), Area { x, y, width, height: 1 }, buffer);
            y += 1;
        }
        draw_preview(theme, form, Area { x, y: y + 1, width, height: end.saturating_sub(y + 1) }, buffer);
        None
    }
}

fn form_title(inbox: &Inbox) -> String {
    format!("New broadcast · {}", inbox.desk.tab().channel.name)
}

/// Describes the recipients, as far as known.
fn describe_audience(form: &BroadcastForm) -> String {
    let whom = SafeText::line(&form.query.source.describe()).to_string();
    let Some(found) = &form.audience else { return format!("To {whom}: looking up…") };
    let mut words = match form.query.source {
        AudienceSource::Everyone => format!("To {whom}: {} contacts", form.recipient_count()),
        _ => format!("To {whom}: {} in all", form.recipient_count()),
    };
    if form.is_reading_contacts {
        words.push_str(" so far, still reading…");
    }
    for (count, what) in [
        (found.duplicates, "named twice"),
        (found.without_phone, "without a phone number"),
        (found.not_read.len(), "not in the contacts"),
        (found.no_marketing, "opted out of marketing"),
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
    let style = if focused { theme.selected() } else { theme.dim() };
    paint_view::text(buffer, area.x, area.y, LABEL_WIDTH - 1, &field_label(form, field), style);
    let place = Area { x: area.x + LABEL_WIDTH, width: area.width.saturating_sub(LABEL_WIDTH), ..area };
    let Some(value) = form.line(field) else {
        paint_view::text(buffer, place.x, place.y, place.width, &kind_text(form), Style::new());
        return;
    };
    let found = field_help(form, field);
    let right = paint_view::runs_right(buffer, place.x, place.y, place.width, &[(&found, theme.dim())]);
    let room = place.width.saturating_sub(right + 1);
    field_view::draw(theme, value, (focused, Style::new()), Area { width: room, ..place }, buffer);
}

fn field_label(form: &BroadcastForm, field: BroadcastField) -> String {
    match field {
        BroadcastField::Variable(place) => {
            form.slots.get(place).map_or(String::new(), |slot| SafeText::line(&slot.label).to_string())
        }
        other => other.label().to_owned(),
    }
}

fn kind_text(form: &BroadcastForm) -> String {
    format!("{} · Space changes it: text, image, template", form.kind.word())
}

/// Text after the value of a field; for the template the one that was found.
fn field_help(form: &BroadcastForm, field: BroadcastField) -> String {
    let after = match field {
        BroadcastField::Canary => "people in the first wave, 0 for none",
        BroadcastField::Wave => "people in each wave, at most 1000",
        BroadcastField::Wait => "seconds between two waves",
        BroadcastField::StopAbove => "percent failed, then it pauses",
        BroadcastField::MinBalance => "credits at least, empty for no limit",
        BroadcastField::Text => "",
        BroadcastField::Template => form.chosen.as_ref().map_or("No match", |_| ""),
        _ => "",
    };
    match (field, &form.chosen) {
        (BroadcastField::Template, Some(template)) => {
            SafeText::line(&format!("{} / {}", template.name, template.language)).to_string()
        }
        _ => after.to_owned(),
    }
}

/// Text of the template that is sent; empty for other messages.
fn preview_lines(theme: Theme, form: &BroadcastForm) -> Lines {
    let Some(template) = form
        .chosen
        .as_ref()
        .filter(|_| form.kind == crate::screens::broadcasts::form::BroadcastKind::Template)
    else {
        return Lines::new();
    };
    let note = "Everyone gets the same values.";
    let parts = template.preview(&form.slots, &form.variable_texts());
    std::iter::once((note.to_owned(), theme.dim()))
        .chain(parts.into_iter().map(|(_, words)| (SafeText::block(&words).to_string(), Style::new())))
        .collect()
}

fn draw_preview(theme: Theme, form: &BroadcastForm, area: Area, buffer: &mut Buffer) {
    let mut y = area.y;
    for (words, style) in preview_lines(theme, form) {
        let height = (area.y + area.height).saturating_sub(y);
        if height == 0 {
            return;
        }
        y += paint_view::paragraph(buffer, Area { y, height, ..area }, &words, style);
    }
}

/// The keys, or the first error.
fn footer_text(inbox: &Inbox, theme: Theme, form: &BroadcastForm) -> (String, Style) {
    match form.first_error() {
        Some(why) => (format!("{why} · Tab next · Esc back, kept"), theme.soon()),
        None => {
            let charged = inbox.desk.tab().templates.charged;
            let count = i64::try_from(form.recipient_count()).unwrap_or(i64::MAX);
            let price =
                form.content().map(|content| recipient_price(&content, charged).times(count).describe());
            (
                format!("Ctrl-X review · {} · Tab next · Esc back, kept", price.unwrap_or_default()),
                theme.dim(),
            )
        }
    }
}

/// Maximum rows of a check of the review.
const MAX_CHECK_ROWS: u16 = 4;
const SEND_KEYS: &str = "[y] Send   [n] Back to the form";

fn review_title(flight: &Preflight) -> String {
    format!("Review broadcast · {}", prices::format_people(flight.campaign.audience.count()))
}

/// How long sending can be undone.
fn describe_hold(inbox: &Inbox, flight: &Preflight) -> String {
    match flight.campaign.hold / 1_000_000 {
        0 => "sent at once".to_owned(),
        seconds => inbox.context.fill_in_keys(&format!("sending starts after {seconds} s · {{undo}} undo")),
    }
}

impl OverlayView for Preflight {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let (label, _) = tabs_view::environment_label(inbox.desk.tab(), Theme::PLAIN);
        let page = SpokenPage::new([review_title(self).as_str(), label]);
        let page = page.text(content_title(&self.campaign.content).as_str());
        let page = self.list_checks(&inbox.desk).into_iter().fold(page, |page, point| {
            let severity = match point.severity {
                CheckSeverity::Passed => "",
                CheckSeverity::Warning => "warning",
                CheckSeverity::Blocking => "blocks sending",
            };
            page.text(join_facts([point.label, SafeText::line(&point.text).as_str(), severity]))
        });
        let page = match self.campaign.audience.confirmation_phrase() {
            Some(phrase) => {
                let mistake = if self.is_mistyped { "Doesn't match" } else { "" };
                let typed = SafeText::line(self.typed.text());
                page.text(mistake).chosen_row(&format!("Type {phrase} and Enter: {typed}"))
            }
            None => page.key_line(SEND_KEYS.replace("   ", ", ")),
        };
        page.keys(&format!("{} · Esc back", describe_hold(inbox, self)))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let flight = self;
        let (columns, rows) = inbox.context.size;
        let area = centered(inbox, columns.min(92), rows.min(20).saturating_sub(2));
        let (label, style) = tabs_view::environment_label(inbox.desk.tab(), theme);
        let heading = review_title(flight);
        let titles = (&[(heading.as_str(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let end = inner.y + inner.height;
        let mut y = inner.y;
        paint_view::text(
            buffer,
            x,
            y,
            width,
            content_title(&flight.campaign.content).as_str(),
            theme.strong(),
        );
        y += 2;
        for point in flight.list_checks(&inbox.desk) {
            let (mark, style) = match point.severity {
                CheckSeverity::Passed => ("  ", Style::new()),
                CheckSeverity::Warning => ("! ", theme.soon()),
                CheckSeverity::Blocking => ("X ", theme.urgent()),
            };
            paint_view::text(buffer, x, y, 2, mark, style);
            paint_view::text(buffer, x + 2, y, LABEL_WIDTH - 2, point.label, theme.dim());
            let height = end.saturating_sub(y + 3).min(MAX_CHECK_ROWS);
            let place = Area { x: x + LABEL_WIDTH, y, width: width.saturating_sub(LABEL_WIDTH), height };
            y += paint_view::paragraph(buffer, place, &SafeText::line(&point.text).to_string(), style).max(1);
        }
        y = (y + 1).min(end.saturating_sub(2));
        let held = describe_hold(inbox, flight);
        match flight.campaign.audience.confirmation_phrase() {
            Some(phrase) => {
                let runs = [
                    ("Type ", Style::new()),
                    (phrase.as_str(), theme.strong()),
                    (" and Enter: ", Style::new()),
                    (flight.typed.text(), theme.strong()),
                    ("_", theme.strong()),
                    (if flight.is_mistyped { "  Doesn't match" } else { "" }, theme.urgent()),
                ];
                paint_view::runs(buffer, x, y, width, &runs);
            }
            None => {
                paint_view::text(buffer, x, y, width, SEND_KEYS, theme.strong());
            }
        }
        let words = format!(" {held} · Esc back ");
        let y = area.y + area.height.saturating_sub(1);
        paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, theme.dim());
        None
    }
}
