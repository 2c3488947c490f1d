//! The templates of a channel as cards: appearance and variables.

pub mod form;
pub(crate) mod form_view;
pub(crate) mod submitting;

use crate::context::Context;
use crate::desk::Desk;
use crate::pages::PageKind;
use crate::screens::cards::{CardEmphasis, PageCard};
use crate::screens::connections::ConnectionAnswers;
use model::account::Platform;
use model::templates::{MessageTemplate, TemplatePart, UnapprovedTemplate, explain_rejection};
use model::text::SafeText;

pub(crate) fn no_templates_text(desk: &Desk) -> String {
    let tab = desk.tab();
    match tab.platform() {
        Some(Platform::Whatsapp) if tab.templates.fetched_at.is_none() => match &tab.empty_reason {
            Some(note) => note.server_reason().to_string(),
            None => "Reading…".to_owned(),
        },
        Some(Platform::Whatsapp) | None => {
            "No template is approved for this channel yet. :new-template submits one.".to_owned()
        }
        Some(_) => "Templates are for business chat only.".to_owned(),
    }
}

/// Cards of the approved templates, followed by those that cannot be sent.
pub(crate) fn template_cards(desk: &Desk) -> Vec<PageCard> {
    let mut others: Vec<&UnapprovedTemplate> = desk.tab().templates.not_approved.iter().collect();
    others.sort_by_key(|other| display_name(&other.template));
    let approved = desk.tab().search_templates("").into_iter().map(approved_card);
    approved.chain(others.into_iter().map(unapproved_card)).collect()
}

impl ConnectionAnswers {
    pub(crate) fn fill_chosen_template(&mut self, id: &str, desk: &mut Desk, context: &mut Context) {
        let others = &desk.tab().templates.not_approved;
        if let Some(other) = others.iter().find(|other| display_name(&other.template) == id) {
            let status = status_words(&other.status);
            return context.show_warning(format!("cannot be sent: the template is {status}"));
        }
        let found = desk.tab().templates.all.iter().find(|template| display_name(template) == id).cloned();
        let (Some(template), Some(row)) = (found, desk.current_conversation()) else {
            return context.show_warning("open a conversation first: a template is sent to someone");
        };
        let key = row.key();
        desk.page = PageKind::Inbox;
        desk.open_conversation(&key.channel, &key.conversation, crate::tab::Focus::History, context);
        self.fill_template(template, true, desk, context);
    }
}

fn display_name(template: &MessageTemplate) -> String {
    format!("{} {}", template.name, template.language)
}

/// Status in words: `in appeal` for `IN_APPEAL`, `in review` for `PENDING`.
fn status_words(status: &str) -> String {
    match status {
        "PENDING" => "in review".to_owned(),
        other => other.to_lowercase().replace('_', " "),
    }
}

fn approved_card(template: &MessageTemplate) -> PageCard {
    let mut card = empty_card(template, template.category.to_lowercase());
    card.push_line("status", "approved");
    push_content(&mut card, template);
    card
}

fn unapproved_card(other: &UnapprovedTemplate) -> PageCard {
    let mut card = empty_card(&other.template, status_words(&other.status));
    card.emphasis = CardEmphasis::Dim;
    card.push_line("status", &status_words(&other.status));
    if let Some(reason) = &other.reason {
        card.push_line("reason", &explain_rejection(reason));
    }
    push_content(&mut card, &other.template);
    card
}

fn empty_card(template: &MessageTemplate, trailing: String) -> PageCard {
    PageCard {
        id: display_name(template),
        kind: template.language.clone(),
        title: SafeText::line(&template.name),
        text: SafeText::line(&body_text(template)),
        trailing,
        ..PageCard::default()
    }
}

fn push_content(card: &mut PageCard, template: &MessageTemplate) {
    card.push_line("category", &template.category.to_lowercase());
    card.push_line("language", &template.language);
    let Some(parts) = &template.parts else {
        card.push_line("parts", "of an unknown format; filled in as JSON");
        card.push_line("raw", &template.raw);
        return;
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
    let slots: Vec<String> = template.slots().into_iter().map(|slot| slot.label).collect();
    let slots = if slots.is_empty() { "nothing".to_owned() } else { slots.join(", ") };
    card.push_line("fill in", &slots);
}

fn body_text(template: &MessageTemplate) -> String {
    let text = template.parts.iter().flatten().find_map(|part| match part {
        TemplatePart::Body(text) => Some(text.replace('\n', " ")),
        _ => None,
    });
    text.unwrap_or_default()
}
