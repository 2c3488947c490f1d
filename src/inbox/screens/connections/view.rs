//! Connections on screen: their answers on the card, the picker of endpoints, and its form.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::Inbox;
use crate::components::shown_rows::ShownRows;
use crate::components::spoken::SpokenPage;
use crate::overlays::view::OverlayView;
use crate::screens::composer::pickers_view;
use crate::screens::composer::pickers_view::PickerTexts;
use crate::screens::connections::endpoint_form;
use crate::screens::connections::endpoint_form::EndpointPicker;
use crate::screens::conversations::card_view::CardField;
use crate::theme_view::Theme;
use crate::wrap;
use model::connections::{DisplayValue, mapping::MappedAnswer};
use model::conversations::ConversationRow;
use model::text::SafeText;
use model::time::format_ago;

const LABEL_WIDTH: usize = 9;

/// Answers of the connections about a conversation's contact, as lines of the card.
pub fn card_fields(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> Vec<CardField> {
    let mut facts = Vec::new();
    for (connection, endpoint, answer) in inbox.connections.answers_about(row, &inbox.context) {
        let age = match (&answer.mapped, answer.is_pending) {
            (_, true) => "asking…".to_owned(),
            (Some(mapped), _) => format_ago(inbox.context.now.since(mapped.at)),
            (None, _) => String::new(),
        };
        let name = SafeText::line(&format!("{connection} · {endpoint}"));
        facts.push(CardField::heading(format!("{name}  {age}").trim_end()));
        facts.extend(answer.mapped.iter().flat_map(|mapped| answer_fields(theme, mapped)));
        if let Some(why) = answer.error.as_ref().filter(|_| !answer.is_pending) {
            facts.push(CardField::text("not now", why.to_string()).styled(theme.urgent()));
        }
    }
    facts
}

fn answer_fields(theme: Theme, mapped: &MappedAnswer) -> Vec<CardField> {
    let cut = |text: &str| wrap::cut(text, LABEL_WIDTH);
    let mut facts = Vec::new();
    if mapped.fields.is_empty() {
        facts.push(CardField::text("", "no record").styled(theme.dim()));
    }
    for field in &mapped.fields {
        match &field.value {
            DisplayValue::Line(text) => {
                facts.push(CardField::text(&cut(field.label.as_str()), text.to_string()))
            }
            DisplayValue::Table(_, rows, more) => {
                for row in rows {
                    let mut cells = row.iter().map(SafeText::as_str).filter(|text| !text.is_empty());
                    let first = cells.next().unwrap_or("");
                    let rest: Vec<&str> = cells.collect();
                    let rest = if rest.is_empty() { field.label.to_string() } else { rest.join(" · ") };
                    facts.push(CardField::text(&cut(first), rest));
                }
                if *more > 0 {
                    facts.push(CardField::text("", format!("and {more} more")).styled(theme.dim()));
                }
            }
        }
    }
    facts
}

impl EndpointPicker {
    fn texts(&self, inbox: &Inbox) -> PickerTexts {
        let line = |text: &str| SafeText::line(text).to_string();
        let found = endpoint_form::matching_endpoints(&inbox.context, &self.picker.query);
        let entries = found.iter().map(|(connection, endpoint)| {
            let words = match endpoint.instructions.trim() {
                "" => format!("{} {}", endpoint.method.word(), endpoint.path),
                told => told.to_owned(),
            };
            (line(&format!("{} · {}", connection.name, endpoint.name)), line(&words))
        });
        let empty = match inbox.context.settings.connections.is_empty() {
            true => "No connections yet. `frontdesk connection add` adds one.",
            false => "No match",
        };
        PickerTexts {
            title: "Call a connection".to_owned(),
            hint: "Enter call · type to find · Esc back".to_owned(),
            empty: empty.to_owned(),
            entries: entries.collect(),
        }
    }

    /// Request of the chosen endpoint.
    fn preview(&self, inbox: &Inbox) -> Option<String> {
        let found = endpoint_form::matching_endpoints(&inbox.context, &self.picker.query);
        let (_, endpoint) = found.get(self.picker.chosen.min(found.len().saturating_sub(1)))?;
        Some(SafeText::line(&format!("{} {}", endpoint.method.word(), endpoint.path)).to_string())
    }
}

impl OverlayView for EndpointPicker {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let page = self.texts(inbox).describe(&self.picker);
        page.detail(self.preview(inbox).unwrap_or_default())
    }

    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        let found = endpoint_form::matching_endpoints(&inbox.context, &self.picker.query).len();
        Some(pickers_view::shown_entries(inbox, &self.picker, found))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let place = pickers_view::draw_picker(inbox, theme, &self.picker, &self.texts(inbox), buffer);
        if let Some(words) = self.preview(inbox).filter(|_| place.height > 0) {
            crate::components::paint_view::paragraph(buffer, place, &words, theme.dim());
        }
        None
    }
}
