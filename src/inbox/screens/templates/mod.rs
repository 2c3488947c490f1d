//! The templates of a channel as cards: appearance and variables.

pub mod form;
pub(crate) mod form_view;

use crate::context::Context;
use crate::desk::Desk;
use crate::pages::PageKind;
use crate::screens::cards::PageCard;
use crate::screens::connections::ConnectionAnswers;
use model::account::Platform;
use model::templates::{ApprovedTemplate, TemplatePart};
use model::text::SafeText;

pub(crate) fn no_templates_text(desk: &Desk) -> String {
    let tab = desk.tab();
    match tab.platform() {
        Some(Platform::Whatsapp) if tab.templates.fetched_at.is_none() => match &tab.empty_reason {
            Some(note) => note.server_reason().to_string(),
            None => "Reading…".to_owned(),
        },
        Some(Platform::Whatsapp) | None => {
            "No template is approved for this channel yet. They are made in the dashboard.".to_owned()
        }
        Some(other) => format!("{} needs no templates.", other.label()),
    }
}

pub(crate) fn template_cards(desk: &Desk) -> Vec<PageCard> {
    desk.tab().search_templates("").into_iter().map(template_card).collect()
}

impl ConnectionAnswers {
    pub(crate) fn fill_chosen_template(&mut self, id: &str, desk: &mut Desk, context: &mut Context) {
        let found = desk
            .tab()
            .templates
            .all
            .iter()
            .find(|approved_template| display_name(approved_template) == id)
            .cloned();
        let (Some(template), Some(row)) = (found, desk.current_conversation()) else {
            return context.show_warning("open a conversation first: a template is sent to someone");
        };
        let key = row.key();
        desk.page = PageKind::Inbox;
        desk.open_conversation(&key.channel, &key.conversation, crate::tab::Focus::History, context);
        self.fill_template(template, true, desk, context);
    }
}

fn display_name(template: &ApprovedTemplate) -> String {
    format!("{} {}", template.name, template.language)
}

fn template_card(it: &ApprovedTemplate) -> PageCard {
    let mut card = PageCard {
        id: display_name(it),
        kind: it.language.clone(),
        title: SafeText::line(&it.name),
        text: SafeText::line(&body_text(it)),
        trailing: it.category.to_lowercase(),
        ..PageCard::default()
    };
    // The server lists approved templates only.
    card.push_line("status", "APPROVED");
    card.push_line("category", &it.category.to_lowercase());
    card.push_line("language", &it.language);
    let Some(parts) = &it.parts else {
        card.push_line("parts", "of an unknown format; filled in as JSON");
        card.push_line("raw", &it.raw);
        return card;
    };
    for part in parts {
        match part {
            TemplatePart::Header(text) => card.push_line("header", text),
            TemplatePart::HeaderMedia(kind, _) => card.push_line("header", &format!("[{kind}]")),
            TemplatePart::Body(text) => card.push_line("body", text),
            TemplatePart::Footer(text) => card.push_line("footer", text),
            TemplatePart::Button(_, label, Some(url)) => {
                card.push_line("button", &format!("{label} → {url}"))
            }
            TemplatePart::Button(_, label, None) => card.push_line("button", label),
        }
    }
    let slots: Vec<String> = it.slots().into_iter().map(|slot| slot.label).collect();
    let slots = if slots.is_empty() { "nothing".to_owned() } else { slots.join(", ") };
    card.push_line("fill in", &slots);
    card
}

fn body_text(it: &ApprovedTemplate) -> String {
    let text = it.parts.iter().flatten().find_map(|part| match part {
        TemplatePart::Body(text) => Some(text.replace('\n', " ")),
        _ => None,
    });
    text.unwrap_or_default()
}
