//! Trigger events as cards that lead to the person.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::screens::cards::CardsScreen;
use crate::screens::cards::{CardEmphasis, PageCard};
use crate::tab::Focus;
use model::selector::Selector;
use model::text::SafeText;
use model::time::format_short_span;
use model::trigger_events::TriggerEvent;

/// Fields shown in the list.
const MAX_SHOWN_FIELDS: usize = 4;

impl CardsScreen {
    pub(crate) fn event_cards(&self, desk: &Desk, context: &Context) -> Vec<PageCard> {
        let Some(events) = self.events.get(&desk.tab().channel.id).and_then(|event| event.data.as_ref())
        else {
            return Vec::new();
        };
        let note = |(trigger, why): &(model::trigger_events::TriggerKind, SafeText)| PageCard {
            id: format!("note {}", trigger.label()),
            kind: trigger.label().to_owned(),
            title: SafeText::line("unknown"),
            text: why.clone(),
            emphasis: CardEmphasis::Dim,
            lines: vec![(SafeText::line("why"), why.clone())],
            ..PageCard::default()
        };
        events
            .items
            .iter()
            .map(|item| event_card(desk, item, context))
            .chain(events.errors.iter().map(note))
            .collect()
    }

    pub(crate) fn go_to_event(&mut self, id: &str, desk: &mut Desk, context: &mut Context) {
        let channel = desk.tab().channel.id.clone();
        let events = self.events.get(&channel).and_then(|event| event.data.as_ref());
        let found = events.and_then(|event| {
            event.items.iter().find(|item| id == format!("{} {}", item.trigger.label(), item.id))
        });
        match found.map(|happening| (happening.conversation.clone(), happening.phone.clone())) {
            Some((Some(conversation), _)) => {
                desk.open_conversation(&channel, &conversation, Focus::History, context)
            }
            Some((None, Some(phone))) => context.push(Effect::Load(Load::Lookup(Selector::Phone(phone)))),
            _ => context.show_warning("this event has no number or conversation"),
        }
    }
}

fn event_card(desk: &Desk, event: &TriggerEvent, context: &Context) -> PageCard {
    let person = contact_name(desk, event);
    let known = [person.as_ref().map(SafeText::as_str), event.phone.as_deref(), Some(event.title.as_str())];
    let said = |(name, value): &&(SafeText, SafeText)| {
        !known.contains(&Some(value.as_str()))
            && !value.as_str().is_empty()
            && !name.as_str().to_lowercase().ends_with("id")
            && !name.as_str().ends_with("At")
    };
    let words: Vec<String> = event
        .fields
        .iter()
        .filter(said)
        .take(MAX_SHOWN_FIELDS)
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let who = person.clone().or_else(|| event.phone.as_deref().map(SafeText::line));
    let mut lines = Vec::new();
    if let Some(who) = &who {
        let phone = event.phone.as_deref().filter(|_| person.is_some()).unwrap_or("");
        let leads = context.fill_in_keys("{go-to-row} opens the conversation");
        lines.push((
            SafeText::line("person"),
            SafeText::line(&format!("{} · {leads}", format!("{who} {phone}").trim_end())),
        ));
    }
    let zone = &context.settings.zone;
    if let Some(at) = event.at {
        let when = format!("{} {}", at.day_name(zone), at.hour_and_minute(zone));
        lines.push((SafeText::line("when"), SafeText::line(&when)));
    }
    lines.extend(event.fields.iter().cloned());
    let words: Vec<String> = who.iter().map(ToString::to_string).chain(words).collect();
    let words = words.join(" · ");
    PageCard {
        id: format!("{} {}", event.trigger.label(), event.id),
        kind: event.trigger.label().to_owned(),
        title: event.title.clone(),
        text: SafeText::line(&words),
        trailing: event.at.map(|at| format_short_span(context.now.since(at))).unwrap_or_default(),
        lines,
        ..PageCard::default()
    }
}

fn contact_name(desk: &Desk, event: &TriggerEvent) -> Option<SafeText> {
    let rows = desk
        .tabs
        .iter()
        .flat_map(|tab| &tab.list.page.rows)
        .map(|conversation_row| &conversation_row.conversation);
    let mut known = rows.filter(|row| {
        event.conversation.as_ref() == Some(&row.id) || (event.phone.is_some() && row.address == event.phone)
    });
    known.find_map(|entry| entry.name.clone())
}
