//! Draws the template picker, and the form with a box per variable and a preview.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::{Modifier, Style};

use crate::Inbox;
use crate::command::Command;
use crate::components::field_view;
use crate::components::paint_view;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::composer::pickers_view;
use crate::screens::composer::pickers_view::PickerTexts;
use crate::screens::templates::form::{TemplateForm, TemplatePicker};
use crate::theme_view::Theme;
use model::bounds::NO_MARKETING_TAG;
use model::templates::TemplatePart;
use model::text::SafeText;
use model::time::{MINUTE, format_short_span};

const PREVIEW_TITLE: &str = "What the customer sees:";
const UNKNOWN_PARTS: &str = "This template has an unknown format: give its components as JSON, with a value \
                             for every variable.";

impl TemplatePicker {
    fn texts(&self, inbox: &Inbox) -> PickerTexts {
        let tab = inbox.desk.tab();
        let line = |text: &str| SafeText::line(text).to_string();
        let entries = tab.search_templates(&self.picker.query).into_iter().map(|entry| {
            (line(&entry.name), line(&format!("{}  {}", entry.language, entry.category.to_lowercase())))
        });
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
        let again = inbox.context.settings.keymap.key_name_in_text(Command::Refresh);
        let empty = match tab.templates.all.is_empty() {
            true => "No template is approved for this channel yet.",
            false => "No match",
        };
        PickerTexts {
            title: format!("Templates · {fetched}"),
            hint: format!("Enter fills it in · {again} refresh · Esc back"),
            empty: empty.to_owned(),
            entries: entries.collect(),
        }
    }

    /// Parts of the chosen template.
    fn preview(&self, inbox: &Inbox) -> Option<Vec<(TemplatePart, String)>> {
        let found = inbox.desk.tab().search_templates(&self.picker.query);
        let chosen = found.get(self.picker.chosen.min(found.len().saturating_sub(1)))?;
        Some(match chosen.parts.is_some() {
            true => chosen.preview(&[], &[]),
            false => vec![(TemplatePart::Body(String::new()), chosen.raw.clone())],
        })
    }
}

impl OverlayView for TemplatePicker {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let page = self.texts(inbox).describe(&self.picker);
        let preview = self.preview(inbox).unwrap_or_default();
        preview.iter().fold(page, |page, (_, words)| page.detail(SafeText::block(words).as_str()))
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        let found = inbox.desk.tab().search_templates(&self.picker.query).len();
        Some(pickers_view::shown_entries(inbox, &self.picker, found))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let place = pickers_view::draw_picker(inbox, theme, &self.picker, &self.texts(inbox), buffer);
        if let Some(preview) = self.preview(inbox) {
            draw_preview(theme, &preview, place, buffer);
        }
        None
    }
}

impl TemplateForm {
    fn title(&self) -> SafeText {
        let template = &self.template;
        SafeText::line(&format!(
            "Template {} · {} · {}",
            template.name,
            template.language,
            template.category.to_lowercase()
        ))
    }
}

impl OverlayView for TemplateForm {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let (label, _) = crate::tabs_view::environment_label(inbox.desk.tab(), Theme::PLAIN);
        let page = SpokenPage::new([self.title().as_str(), label]);
        let page = unsent_texts(inbox)
            .into_iter()
            .fold(page, |page, (struck, words)| page.text(format!("{struck}{words}")));
        let rows = self.slots.iter().zip(&self.values).map(|(slot, value)| {
            SpokenRow::new([format!("{} {}", SafeText::line(&slot.label), SafeText::line(value.text()))])
        });
        let page = page.rows(rows, Some(self.focus));
        let page = match self.template.parts.is_none() {
            true => page.text(UNKNOWN_PARTS),
            false => {
                let preview = self.template.preview(&self.slots, &self.variable_texts());
                let page = page.text(PREVIEW_TITLE);
                preview.iter().fold(page, |page, (_, words)| page.text(SafeText::block(words).as_str()))
            }
        };
        page.keys(&footer_text(inbox, Theme::PLAIN, self).0)
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let form = self;
        let (columns, rows) = inbox.context.size;
        let area = centered(inbox, columns.min(92), rows.min(30).saturating_sub(3));
        let template = &form.template;
        let title = form.title();
        let (label, style) = crate::tabs_view::environment_label(inbox.desk.tab(), theme);
        let titles = (&[(title.as_str(), theme.strong())][..], &[(label, style)][..]);
        paint_view::popup(buffer, area, theme, titles);
        paint_view::footer(buffer, area, &footer_text(inbox, theme, form));
        let inner = area.inner();
        let (x, width) = (inner.x + 1, inner.width.saturating_sub(2));
        let end = inner.y + inner.height;
        let mut y = draw_unsent_draft(inbox, theme, Area { x, width, ..inner }, buffer);
        for (index, (slot, value)) in form.slots.iter().zip(&form.values).enumerate() {
            if y >= end {
                return None;
            }
            let focused = index == form.focus;
            let label = SafeText::line(&format!("{}  ", slot.label));
            let style = if focused { theme.selected() } else { theme.dim() };
            let used = paint_view::text(buffer, x, y, width / 2, label.as_str(), style) + 1;
            let room = width.saturating_sub(used);
            let place = Area { x: x + used, y, width: room, height: 1 };
            field_view::draw(theme, value, (focused, Style::new()), place, buffer);
            y += 1;
        }
        if template.parts.is_none() {
            let place = Area { x, y: y + 1, width, height: end.saturating_sub(y + 1) };
            paint_view::paragraph(buffer, place, UNKNOWN_PARTS, theme.dim());
            return None;
        }
        if y + 1 < end {
            paint_view::text(buffer, x, y + 1, width, PREVIEW_TITLE, theme.dim());
            let preview = template.preview(&form.slots, &form.variable_texts());
            draw_preview(
                theme,
                &preview,
                Area { x, y: y + 2, width, height: end.saturating_sub(y + 2) },
                buffer,
            );
        }
        None
    }
}

/// Draws the kept draft, and a quote that is not sent; returns the next row.
fn draw_unsent_draft(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) -> u16 {
    let mut y = area.y;
    for (struck, words) in unsent_texts(inbox) {
        let style = theme.dim().add_modifier(Modifier::CROSSED_OUT);
        paint_view::runs(buffer, area.x, y, area.width, &[(struck, style), (&words, theme.dim())]);
        y += 1;
    }
    y
}

/// Lines about the kept draft and a quote that is not sent, each with its part that is struck out.
fn unsent_texts(inbox: &Inbox) -> Vec<(&'static str, String)> {
    let Some(composer) = &inbox.desk.tab().composer else { return Vec::new() };
    let draft =
        composer.has_reply().then(|| ("", format!("Draft kept: {}", SafeText::line(&composer.reply_text()))));
    let quote = composer.reply_to.is_some().then(|| ("↪ quote", " a template cannot quote".to_owned()));
    draft.into_iter().chain(quote).collect()
}

fn draw_preview(theme: Theme, preview: &[(TemplatePart, String)], area: Area, buffer: &mut Buffer) {
    let mut y = area.y;
    for (part, words) in preview {
        let style = match part {
            TemplatePart::Header(_) | TemplatePart::HeaderMedia(..) => theme.strong(),
            TemplatePart::Body(_) => Style::new(),
            TemplatePart::Footer(_) => theme.dim(),
            TemplatePart::Button(..) => theme.strong(),
        };
        let height = (area.y + area.height).saturating_sub(y);
        let place = Area { x: area.x + 2, y, width: area.width.saturating_sub(2), height };
        let words = SafeText::block(words);
        let rows = paint_view::paragraph(buffer, place, words.as_str(), style);
        for row in 0..rows {
            paint_view::text(buffer, area.x, y + row, 1, theme.border_set()[5], theme.dim());
        }
        y += rows;
    }
}

/// The keys, or why it cannot be sent.
fn footer_text(inbox: &Inbox, theme: Theme, form: &TemplateForm) -> (String, Style) {
    let tab = inbox.desk.tab();
    let price = tab.template_price();
    let charged = if tab.templates.charged.is_some() { "last charged " } else { "" };
    match (form.missing_value_error(), tab.payment_error(price)) {
        (_, Some(why)) => (format!("cannot send: {why} · Esc back"), theme.urgent()),
        (Some(why), None) => {
            (format!("{why} · Tab next · {charged}{} · Esc back", price.describe()), theme.soon())
        }
        (None, None) => match marketing_warning(inbox, form) {
            Some(words) => (format!("{words} · Enter send anyway · Esc back"), theme.soon()),
            None => (
                format!("Enter send · {charged}{} · Tab next · Esc back", tab.describe_price(price)),
                theme.dim(),
            ),
        },
    }
}

/// Says that a marketing template would not reach a customer who opted out of them.
fn marketing_warning(inbox: &Inbox, form: &TemplateForm) -> Option<String> {
    let row = inbox.desk.tab().history.as_ref()?.row.as_ref()?;
    let has_opted_out = row.local.tags.iter().any(|tag| tag.word.as_str() == NO_MARKETING_TAG);
    let warns = has_opted_out && form.template.category.eq_ignore_ascii_case("marketing");
    warns.then(|| format!("{} opted out of marketing: it would not arrive", row.conversation.title()))
}
