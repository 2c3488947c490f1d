//! Webhooks as cards, registered and pending ones; registering and removing them.

pub(crate) mod commands;
pub mod form;
pub(crate) mod form_view;

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent};
use crate::outside::OutsideRequest;
use crate::screens::cards::CardsScreen;
use crate::screens::cards::{CardEmphasis, PageCard};
use crate::screens::webhooks::form::WebhookForm;
use model::account::Platform;
use model::ids::ConversationId;
use model::outbox::{Operation, OutboxRow, RowState};
use model::text::SafeText;
use model::time::format_ago;
use model::webhook_status::{DeliveryCounts, WebhookDeliveryState, WebhookStatus};
use model::webhooks::{self, EndReason, Webhook};

pub(crate) fn webhook_cards(inbox: &Inbox) -> Vec<PageCard> {
    let channel = &inbox.desk.tab().channel.id;
    let rows =
        inbox.outbox.rows.rows.iter().map(|row| &row.row).filter(|outbox_row| outbox_row.channel == *channel);
    let told =
        inbox.cards.webhooks.get(channel).and_then(|webhook| webhook.data.as_deref()).unwrap_or_default();
    let own = inbox.desk.tab().webhook_status.as_ref().map(own_webhook_card);
    let there = told.iter().map(|webhook| webhook_card(&inbox.desk, webhook, &inbox.context));
    own.into_iter().chain(rows.filter_map(pending_change_card)).chain(there).collect()
}

fn webhook_card(desk: &Desk, webhook: &Webhook, context: &Context) -> PageCard {
    let events: Vec<&str> = webhook.events.iter().map(SafeText::as_str).collect();
    let made = webhook.created_at.map(|at| format_ago(context.now.since(at))).unwrap_or_default();
    let failing = webhook.failing_since.map(|at| format_ago(context.now.since(at)));
    let (kind, state) = match (webhook.is_active, webhook.ended_why, &failing) {
        (true, _, None) => ("active", "active: deliveries go there".to_owned()),
        (true, _, Some(since)) => ("FAILING", format!("FAILING: no delivery arrives, since {since}")),
        (false, Some(EndReason::Operator), _) => {
            ("OFF", "OFF: switched off by the operator of the service".to_owned())
        }
        (false, Some(EndReason::Gone), _) => {
            ("OFF", "OFF: its server has answered that it is gone".to_owned())
        }
        (false, _, Some(since)) => ("OFF", format!("OFF: given up, failing since {since}")),
        (false, _, None) => ("OFF", "OFF: nothing is delivered".to_owned()),
    };
    let lost =
        (webhook.dead_letters > 0).then(|| format!("{} not delivered", count_events(webhook.dead_letters)));
    let subscribed = format!("{} events", events.len());
    let mut card = PageCard {
        id: webhook.id.to_string(),
        kind: kind.to_owned(),
        title: SafeText::line(&webhook.url),
        text: SafeText::line(lost.as_deref().unwrap_or(&subscribed)),
        trailing: made.clone(),
        emphasis: match kind == "active" && lost.is_none() {
            true => CardEmphasis::Plain,
            false => CardEmphasis::Loud,
        },
        ..PageCard::default()
    };
    card.push_line("address", &webhook.url);
    card.push_line("state", &state);
    if webhook.waiting > 0 {
        card.push_line("waiting", &format!("{} for the next try", count_events(webhook.waiting)));
    }
    if let Some(lost) = &lost {
        card.push_line("given up", &format!("{lost}; the operator can send them again"));
    }
    card.push_line("made", &made);
    card.push_line("secret", "never shown again; if it is lost, register again");
    let known = webhooks::events_of(desk.tab().platform().unwrap_or(&Platform::Whatsapp));
    for name in events {
        let what = known.iter().find(|pair| pair.0 == name).map_or("unknown to this version", |pair| pair.1);
        card.push_line(name, what);
    }
    card
}

fn count_events(count: u64) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

pub(crate) fn new_webhook(desk: &mut Desk, context: &mut Context) {
    let platform = desk.tab().platform().cloned().unwrap_or(Platform::Whatsapp);
    context.open(WebhookForm::new(&platform));
    context.push(Effect::Request(OutsideRequest::Secret));
}

fn remove_webhook(desk: &mut Desk, webhook: &Webhook, context: &mut Context) {
    let operation = Operation::RemoveWebhook { webhook: webhook.id.clone(), url: webhook.url.clone() };
    if let Some(intent) = webhook_intent(desk, operation) {
        context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
        context.show_notice("removing it");
    }
}

pub(crate) fn webhook_intent(desk: &Desk, operation: Operation) -> Option<Intent> {
    let tab = desk.tab();
    Some(Intent {
        channel: tab.channel.id.clone(),
        platform: tab.platform()?.clone(),
        conversation: ConversationId::new("webhooks"),
        operation,
        hold: 0,
        seen: None,
        planned_at: None,
    })
}

impl CardsScreen {
    pub(crate) fn ask_remove_webhook(&mut self, desk: &Desk, context: &mut Context) {
        let Some(id) = self.cards.chosen().map(|chosen| chosen.id.clone()) else { return };
        let told = self.webhooks.get(&desk.tab().channel.id).and_then(|webhook| webhook.data.as_deref());
        if let Some(webhook) =
            told.and_then(|entry| entry.iter().find(|webhook| webhook.id.as_str() == id)).cloned()
        {
            let lines = vec![
                DialogLine::strong(SafeText::line(&webhook.url).to_string()),
                DialogLine::plain("Deliveries stop. Registering it again makes another secret."),
            ];
            let remove =
                move |inbox: &mut Inbox| remove_webhook(&mut inbox.desk, &webhook, &mut inbox.context);
            context
                .open(Confirm::new("REMOVE this webhook?", lines).answer('y', "REMOVE", remove).no("keep"));
        }
    }

    pub fn is_webhook_chosen(&self, desk: &Desk) -> bool {
        let told = self.webhooks.get(&desk.tab().channel.id).and_then(|webhook| webhook.data.as_deref());
        let chosen = self.cards.chosen();
        told.zip(chosen).is_some_and(|(all, card)| all.iter().any(|webhook| webhook.id.as_str() == card.id))
    }

    pub(crate) fn mark_webhooks_stale(&mut self, channel: &model::ids::ChannelId) {
        if let Some(seen) = self.webhooks.get_mut(channel) {
            seen.requested_at = None;
        }
    }
}

fn own_webhook_card(reception: &WebhookStatus) -> PageCard {
    let (kind, words, weight) = match &reception.state {
        WebhookDeliveryState::Closed(why) => {
            ("CLOSED", format!("polled as usual: {why}"), CardEmphasis::Loud)
        }
        WebhookDeliveryState::Registering => {
            ("registering", "polled as usual until it is done".to_owned(), CardEmphasis::Dim)
        }
        WebhookDeliveryState::Refused(why) => {
            ("REFUSED", format!("polled as usual: {why}"), CardEmphasis::Loud)
        }
        WebhookDeliveryState::Quiet => {
            ("quiet", "registered; polled as usual until a delivery comes".to_owned(), CardEmphasis::Plain)
        }
        WebhookDeliveryState::Instant => {
            ("instant", "deliveries come through: polling is slow".to_owned(), CardEmphasis::Plain)
        }
        WebhookDeliveryState::Doubted => {
            ("DOUBTED", "a delivery was missed: polled as usual".to_owned(), CardEmphasis::Loud)
        }
    };
    let mut card = PageCard {
        id: "this desk".to_owned(),
        kind: kind.to_owned(),
        title: SafeText::line("this desk"),
        text: SafeText::line(&words),
        emphasis: weight,
        ..PageCard::default()
    };
    let DeliveryCounts { accepted: taken, repeated, unknown, refused } = reception.counts;
    card.push_line("state", &words);
    card.push_line("address", reception.url.as_str());
    card.push_line("taken", &format!("{taken} deliveries accepted"));
    card.push_line("repeated", &format!("{repeated} deliveries repeated"));
    card.push_line("unknown", &format!("{unknown} with an unknown event"));
    card.push_line("refused", &format!("{refused} with a wrong signature, no JSON or too large"));
    card
}

fn pending_change_card(row: &OutboxRow) -> Option<PageCard> {
    let (url, adds) = match &row.operation {
        Operation::AddWebhook { url, .. } => (url, true),
        Operation::RemoveWebhook { url, .. } => (url, false),
        _ => return None,
    };
    let mut card = PageCard { id: row.id.to_string(), title: SafeText::line(url), ..PageCard::default() };
    match &row.state {
        RowState::Stopped(_, why) => {
            card.kind = if adds { "NOT MADE" } else { "NOT REMOVED" }.to_owned();
            (card.text, card.emphasis) = (why.clone(), CardEmphasis::Loud);
            card.push_line("why", why.as_str());
            if webhooks::is_challenge_failure(why.as_str()) {
                for (place, what) in webhooks::CHALLENGE_CHECKLIST.iter().enumerate() {
                    card.push_line(&format!("look {}", place + 1), what);
                }
            }
            card.push_line("then", "in the outbox: try again, or drop it");
        }
        _ => {
            card.kind = if adds { "making" } else { "removing" }.to_owned();
            card.text = SafeText::line("sending");
            card.emphasis = CardEmphasis::Dim;
        }
    }
    Some(card)
}
