//! Connections on screen: their answers on the card, the picker of endpoints,
//! the form of one, and the wizard of a new one.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::shown_rows::ShownRows;
use crate::overlays::view::OverlayView;
use crate::screens::composer::pickers_view;
use crate::screens::composer::pickers_view::Words;
use crate::screens::connections::asking;
use crate::screens::connections::asking::EndpointPicker;
use crate::theme_view::Theme;
use crate::wrap;
use model::connections::{DisplayValue, mapping::MappedAnswer};
use model::conversations::ConversationRow;
use model::text::SafeText;
use model::time::format_ago;

/// Cells of a label on the card.
const LABEL: usize = 9;

/// Label, words and style of a line of the card; no words makes a heading.
type Fact = (String, String, Style);

/// What connections told about a conversation's contact.
pub fn facts(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (connection, endpoint, answer) in inbox.connections.connected(row, &inbox.context) {
        let age = match (&answer.mapped, answer.waits) {
            (_, true) => "asking…".to_owned(),
            (Some(mapped), _) => format_ago(inbox.context.now.since(mapped.at)),
            (None, _) => String::new(),
        };
        let name = SafeText::line(&format!("{connection} · {endpoint}"));
        facts.push((format!("{name}  {age}").trim_end().to_owned(), String::new(), Style::new()));
        facts.extend(answer.mapped.iter().flat_map(|mapped| mapped_facts(theme, mapped)));
        if let Some(why) = answer.failed.as_ref().filter(|_| !answer.waits) {
            facts.push(("not now".to_owned(), why.to_string(), theme.error()));
        }
    }
    facts
}

fn mapped_facts(theme: Theme, mapped: &MappedAnswer) -> Vec<Fact> {
    let cut = |text: &str| wrap::cut(text, LABEL);
    let mut facts = Vec::new();
    if mapped.fields.is_empty() {
        facts.push((String::new(), "nothing is known there".to_owned(), theme.quiet()));
    }
    for it in &mapped.fields {
        match &it.value {
            DisplayValue::Line(text) => facts.push((cut(it.label.as_str()), text.to_string(), Style::new())),
            DisplayValue::Table(_, rows, more) => {
                for row in rows {
                    let mut cells = row.iter().map(SafeText::as_str).filter(|text| !text.is_empty());
                    let first = cells.next().unwrap_or("");
                    let rest: Vec<&str> = cells.collect();
                    let rest = if rest.is_empty() { it.label.to_string() } else { rest.join(" · ") };
                    facts.push((cut(first), rest, Style::new()));
                }
                if *more > 0 {
                    facts.push((String::new(), format!("and {more} more"), theme.quiet()));
                }
            }
        }
    }
    facts
}

impl OverlayView for EndpointPicker {
    fn rows(&self, inbox: &Inbox) -> Option<ShownRows> {
        let found = asking::endpoints(&inbox.context, &self.picker.query).len();
        Some(pickers_view::shown_entries(inbox, &self.picker, found))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let found = asking::endpoints(&inbox.context, &self.picker.query);
        let line = |text: &str| SafeText::line(text).to_string();
        let entries: Vec<(String, String)> = found
            .iter()
            .map(|(connection, endpoint)| {
                let words = match endpoint.instructions.trim() {
                    "" => format!("{} {}", endpoint.method.word(), endpoint.path),
                    told => told.to_owned(),
                };
                (line(&format!("{} · {}", connection.name, endpoint.name)), line(&words))
            })
            .collect();
        let none = match inbox.context.settings.connections.is_empty() {
            true => "No connections yet. :connection add makes one.",
            false => "Nothing has all these words.",
        };
        let hint = "Enter asks · type to find · Esc back";
        let words = Words { title: "Ask a connection", hint, none, entries: &entries };
        let place = pickers_view::list(inbox, theme, &self.picker, &words, buffer);
        if let Some((_, endpoint)) = found.get(self.picker.chosen.min(found.len().saturating_sub(1)))
            && place.height > 0
        {
            let words = line(&format!("{} {}", endpoint.method.word(), endpoint.path));
            crate::components::paint_view::paragraph(buffer, place, &words, theme.quiet());
        }
        None
    }
}
