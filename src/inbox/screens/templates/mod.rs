//! The templates of a channel as cards: how each looks and what is to be
//! filled in.

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

impl Desk {
    pub(crate) fn no_templates(&self) -> String {
        let tab = self.tab();
        match tab.platform() {
            Some(Platform::Whatsapp) if tab.templates.fetched_at.is_none() => match &tab.note {
                Some(note) => note.why().to_string(),
                None => "Reading…".to_owned(),
            },
            Some(Platform::Whatsapp) | None => {
                "No template is approved for this channel yet. They are made in the dashboard.".to_owned()
            }
            Some(other) => format!("{} needs no templates.", other.label()),
        }
    }

    pub(crate) fn template_cards(&self) -> Vec<PageCard> {
        self.tab().found_templates("").into_iter().map(template_card).collect()
    }
}

impl ConnectionAnswers {
    /// Fills the chosen template in for the current conversation.
    pub(crate) fn fill_chosen_template(&mut self, id: &str, desk: &mut Desk, context: &mut Context) {
        let found = desk
            .tab()
            .templates
            .all
            .iter()
            .find(|approved_template| name_of(approved_template) == id)
            .cloned();
        let (Some(template), Some(row)) = (found, desk.current_conversation()) else {
            return context.warn("open a conversation first: a template is sent to someone");
        };
        let key = row.key();
        desk.page = PageKind::Inbox;
        desk.visit(&key.channel, &key.conversation, crate::tab::Focus::History, context);
        self.fill_template(template, true, desk, context);
    }
}

fn name_of(template: &ApprovedTemplate) -> String {
    format!("{} {}", template.name, template.language)
}

fn template_card(it: &ApprovedTemplate) -> PageCard {
    let mut card = PageCard {
        id: name_of(it),
        kind: it.language.clone(),
        title: SafeText::line(&it.name),
        words: SafeText::line(&body(it)),
        right: it.category.to_lowercase(),
        ..PageCard::default()
    };
    // Only approved ones are told.
    card.line("status", "APPROVED");
    card.line("category", &it.category.to_lowercase());
    card.line("language", &it.language);
    let Some(parts) = &it.parts else {
        card.line("parts", "of a shape this version does not know; they are filled in as JSON");
        card.line("raw", &it.raw);
        return card;
    };
    for part in parts {
        match part {
            TemplatePart::Header(text) => card.line("header", text),
            TemplatePart::HeaderMedia(kind, _) => card.line("header", &format!("[{kind}]")),
            TemplatePart::Body(text) => card.line("body", text),
            TemplatePart::Footer(text) => card.line("footer", text),
            TemplatePart::Button(_, label, Some(url)) => card.line("button", &format!("{label} → {url}")),
            TemplatePart::Button(_, label, None) => card.line("button", label),
        }
    }
    let slots: Vec<String> = it.slots().into_iter().map(|slot| slot.label).collect();
    let slots = if slots.is_empty() { "nothing".to_owned() } else { slots.join(", ") };
    card.line("fill in", &slots);
    card
}

/// What it says, in a line.
fn body(it: &ApprovedTemplate) -> String {
    let text = it.parts.iter().flatten().find_map(|part| match part {
        TemplatePart::Body(text) => Some(text.replace('\n', " ")),
        _ => None,
    });
    text.unwrap_or_default()
}
