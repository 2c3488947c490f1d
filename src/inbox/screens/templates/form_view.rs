//! The picker of templates and the form: a box for every variable, and what
//! the customer will see.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::{Modifier, Style};

use crate::Inbox;
use crate::command::Command;
use crate::components::field_view;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::composer::pickers_view;
use crate::screens::composer::pickers_view::Words;
use crate::screens::templates::form::{TemplateForm, TemplatePicker};
use crate::theme_view::Theme;
use model::templates::TemplatePart;
use model::text::SafeText;
use model::time::{MINUTE, format_short_span};

impl OverlayView for TemplatePicker {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        let found = inbox.desk.tab().found_templates(&self.picker.query).len();
        Some(pickers_view::shown_entries(inbox, &self.picker, found))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let tab = inbox.desk.tab();
        let found = tab.found_templates(&self.picker.query);
        let line = |text: &str| SafeText::line(text).to_string();
        let entries: Vec<(String, String)> = found
            .iter()
            .map(|entry| {
                (line(&entry.name), line(&format!("{}  {}", entry.language, entry.category.to_lowercase())))
            })
            .collect();
        let fetched = match tab.templates.fetched_at {
            None => "reading the list…".to_owned(),
            Some(at) if inbox.context.now.since(at) < MINUTE => {
                "list fetched just now; new approvals can lag".to_owned()
            }
            Some(at) => {
                format!(
                    "list fetched {} ago; new approvals can lag",
                    format_short_span(inbox.context.now.since(at))
                )
            }
        };
        let again = inbox.context.settings.keymap.named_in_text(Command::Refresh);
        let words = Words {
            title: &format!("Templates · {fetched}"),
            hint: &format!("Enter fills it in · {again} asks anew · Esc back"),
            none: if tab.templates.all.is_empty() {
                "No template is approved for this channel yet."
            } else {
                "None is called so."
            },
            entries: &entries,
        };
        let place = pickers_view::list(inbox, theme, &self.picker, &words, buffer);
        if let Some(chosen) = found.get(self.picker.chosen.min(found.len().saturating_sub(1))) {
            let preview = chosen.preview(&[], &[]);
            let preview = if chosen.parts.is_some() {
                preview
            } else {
                vec![(TemplatePart::Body(String::new()), chosen.raw.clone())]
            };
            seen(theme, &preview, place, buffer);
        }
        None
    }
}

impl OverlayView for TemplateForm {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        let area = centered(inbox, columns.min(92), rows.min(30).saturating_sub(3));
        let template = &form.template;
        let title = SafeText::line(&format!(
            "Template {} · {} · {}",
            template.name,
            template.language,
            template.category.to_lowercase()
        ));
        let (label, style) = crate::tabs_view::environment(inbox.desk.tab(), theme);
        let titles = (&[(title.as_str(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        bottom(inbox, theme, form, area, buffer);
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let end = inner.y + inner.height;
        let mut y = draw_kept_text(inbox, theme, Area { x, width, ..inner }, buffer);
        for (index, (slot, value)) in form.slots.iter().zip(&form.values).enumerate() {
            if y >= end {
                return None;
            }
            let focused = index == form.focus;
            let label = SafeText::line(&format!("{}  ", slot.label));
            let style = if focused { theme.selected() } else { theme.quiet() };
            let used = paint_view::text(buffer, x, y, width / 2, label.as_str(), style) + 1;
            let room = width.saturating_sub(used);
            let place = Area { x: x + used, y, width: room, height: 1 };
            field_view::draw(theme, value, (focused, Style::new()), place, buffer);
            y += 1;
        }
        if template.parts.is_none() {
            let words = "This template has parts of a shape that is not known here: give its components as JSON, with \
                     a value for every variable.";
            let place = Area { x, y: y + 1, width, height: end.saturating_sub(y + 1) };
            paint_view::paragraph(buffer, place, words, theme.quiet());
            return None;
        }
        if y + 1 < end {
            paint_view::text(buffer, x, y + 1, width, "What the customer sees:", theme.quiet());
            let preview = template.preview(&form.slots, &form.texts());
            seen(theme, &preview, Area { x, y: y + 2, width, height: end.saturating_sub(y + 2) }, buffer);
        }
        None
    }
}

/// The answer that stays in the composer, and a quote that does not go along;
/// the row after them.
fn draw_kept_text(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) -> u16 {
    let mut y = area.y;
    let Some(composer) = &inbox.desk.tab().composer else { return y };
    if composer.has_reply() {
        let text = SafeText::line(&composer.reply_text());
        paint_view::text(buffer, area.x, y, area.width, &format!("Draft kept: {text}"), theme.quiet());
        y += 1;
    }
    if composer.reply_to.is_some() {
        let struck = theme.quiet().add_modifier(Modifier::CROSSED_OUT);
        let runs = [("↪ quote", struck), (" a template cannot quote", theme.quiet())];
        paint_view::runs(buffer, area.x, y, area.width, &runs);
        y += 1;
    }
    y
}

/// The parts as the customer sees them, behind a line at the left.
fn seen(theme: Theme, preview: &[(TemplatePart, String)], area: Area, buffer: &mut Buffer) {
    let mut y = area.y;
    for (part, words) in preview {
        let style = match part {
            TemplatePart::Header(_) | TemplatePart::HeaderMedia(..) => theme.strong(),
            TemplatePart::Body(_) => Style::new(),
            TemplatePart::Footer(_) => theme.quiet(),
            TemplatePart::Button(..) => theme.own(),
        };
        let height = (area.y + area.height).saturating_sub(y);
        let place = Area { x: area.x + 2, y, width: area.width.saturating_sub(2), height };
        let words = SafeText::block(words);
        let rows = paint_view::paragraph(buffer, place, words.as_str(), style);
        for row in 0..rows {
            paint_view::text(buffer, area.x, y + row, 1, theme.border_set()[5], theme.quiet());
        }
        y += rows;
    }
}

fn bottom(inbox: &Inbox, theme: Theme, form: &TemplateForm, area: Area, buffer: &mut Buffer) {
    let tab = inbox.desk.tab();
    let price = tab.template_price();
    let charged = if tab.templates.charged.is_some() { "last charged " } else { "" };
    let (words, style) = match (form.missing(), tab.cannot_pay(price)) {
        (_, Some(why)) => (format!(" cannot send: {why} · Esc back "), theme.error()),
        (Some(why), None) => {
            (format!(" {why} · Tab next · {charged}{} · Esc back ", price.describe()), theme.needs_a_person())
        }
        (None, None) => (
            format!(" Enter send · {charged}{} · Tab next · Esc back ", tab.price_words(price)),
            theme.quiet(),
        ),
    };
    let y = area.y + area.height.saturating_sub(1);
    paint_view::text(buffer, area.x + 1, y, area.width.saturating_sub(2), &words, style);
}
