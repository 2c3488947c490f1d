use crate::Inbox;
use crate::components::paged_rows::PagedRows;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::screens::cards::{CardEmphasis, CardsScreen, PageCard, matches_words};
use crate::screens::templates;
use crate::screens::templates::form;
use crate::screens::webhooks;
use model::fetches::{Fetch, FetchOutcome, FetchResult};
use model::ids::{ChannelId, STAND_IN_PREFIX};
use model::text::SafeText;
use model::trigger_events::TriggerEvents;
use model::unreadable::UnreadableList;

impl CardsScreen {
    pub(crate) fn go_to_card_page(&mut self, page: PageKind, desk: &mut Desk, context: &mut Context) {
        desk.page = page;
        self.cards = PagedRows::default();
        self.search.clear();
        let channel = desk.tab().channel.id.clone();
        match page {
            PageKind::Templates => context.push(Effect::Load(Load::Templates(channel))),
            PageKind::Account => {
                context.effects.extend([Effect::Load(Load::Spending), SyncOrder::Refresh(channel).into()])
            }
            _ => (),
        }
    }

    /// Title of the page, and true while a request is in flight.
    pub fn page_title(&self, desk: &Desk) -> (&'static str, bool) {
        let channel = &desk.tab().channel.id;
        match desk.page {
            PageKind::Events => {
                ("Events", self.events.get(channel).is_some_and(|event| event.resource.is_in_flight()))
            }
            PageKind::Webhooks => (
                "Webhooks",
                self.webhooks.get(channel).is_some_and(|webhook| webhook.resource.is_in_flight()),
            ),
            PageKind::Templates => ("Templates", desk.tab().templates_page.is_in_flight()),
            _ => ("Account", false),
        }
    }

    pub fn empty_text(&self, desk: &Desk, context: &Context) -> String {
        let (_, asking) = self.page_title(desk);
        let reads = desk.tab().account.is_none() || asking;
        match desk.page {
            _ if !self.search.is_empty() => "No match".to_owned(),
            _ if reads => "Reading…".to_owned(),
            PageKind::Events => {
                "No events yet: messages, contacts, orders, appointments and campaigns appear here."
                    .to_owned()
            }
            PageKind::Webhooks => context.fill_in_keys("No webhooks yet. {new-webhook} registers one."),
            PageKind::Templates => templates::no_templates_text(desk),
            _ => "Reading…".to_owned(),
        }
    }

    pub(crate) fn receive_fetched(
        &mut self,
        channel: &ChannelId,
        fetched: &Fetch,
        told: FetchOutcome,
        context: &Context,
    ) {
        let now = context.moment;
        match (fetched, told) {
            (Fetch::Events, told) => {
                let events = told.map(|fetch_result| {
                    if let FetchResult::Events(events) = fetch_result {
                        *events
                    } else {
                        TriggerEvents::default()
                    }
                });
                self.events.entry(channel.clone()).or_default().receive(events, now);
            }
            (Fetch::Webhooks, told) => {
                let all =
                    told.map(
                        |fetch_result| {
                            if let FetchResult::Webhooks(all) = fetch_result { all } else { Vec::new() }
                        },
                    );
                self.webhooks.entry(channel.clone()).or_default().receive(all, now);
            }
            _ => (),
        }
    }
}

/// Rebuilds the cards, and requests outdated data.
pub(crate) fn load_cards(inbox: &mut Inbox) {
    let (now, channel) = (inbox.context.moment, inbox.desk.tab().channel.id.clone());
    let known = inbox.desk.tab().account.is_some();
    form::retry_templates(&mut inbox.desk, &mut inbox.context);
    let fetch = match inbox.desk.page {
        PageKind::Events if known => inbox.cards.take_events_due(&channel, now).then_some(Fetch::Events),
        PageKind::Webhooks if known => {
            inbox.context.effects.extend(
                inbox.outbox.rows.take_query(&channel, now).map(|query| Effect::Load(Load::Outbox(query))),
            );
            inbox.cards.webhooks.entry(channel.clone()).or_default().take_due(now).then_some(Fetch::Webhooks)
        }
        _ => None,
    };
    inbox.context.push_all(fetch.map(|fetch| SyncOrder::Fetch(channel.clone(), fetch)));
    let query = inbox.cards.search.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut cards = match inbox.desk.page {
        PageKind::Events => inbox.cards.event_cards(&inbox.desk, &inbox.context),
        PageKind::Webhooks => webhooks::webhook_cards(inbox),
        PageKind::Templates => templates::template_cards(&inbox.desk),
        _ => inbox.features.credits.account_cards(&inbox.desk, &inbox.context),
    };
    cards.extend(unreadable_cards(&inbox.desk));
    cards.retain(|card| matches_words(card, &words));
    let visible = pages::visible_rows(inbox);
    let rows = &mut inbox.cards.cards;
    // Cards are not kept when the tab changes.
    rows.set_query(channel, |_, _| false);
    rows.set_rows(cards, false);
    rows.reveal(visible);
}

pub(crate) fn open_card(inbox: &mut Inbox) {
    let Some(id) = inbox.cards.cards.chosen().map(|chosen| chosen.id.clone()) else { return };
    match inbox.desk.page {
        PageKind::Events => inbox.cards.go_to_event(&id, &mut inbox.desk, &mut inbox.context),
        PageKind::Templates => {
            inbox.connections.fill_chosen_template(&id, &mut inbox.desk, &mut inbox.context)
        }
        _ => inbox.context.show_notice("everything is shown here"),
    }
}

/// One card for each item of the page's list that could not be parsed.
fn unreadable_cards(desk: &Desk) -> Vec<PageCard> {
    let list = match desk.page {
        PageKind::Events => UnreadableList::Events,
        PageKind::Webhooks => UnreadableList::Webhooks,
        PageKind::Templates => UnreadableList::Templates,
        _ => return Vec::new(),
    };
    let rows = desk.tab().unreadable.get(&list).map_or(&[][..], Vec::as_slice);
    let card = |(place, raw): (usize, &String)| {
        let mut card = PageCard {
            id: format!("{STAND_IN_PREFIX}{place}"),
            kind: "unreadable".to_owned(),
            title: SafeText::line("This entry could not be read"),
            text: SafeText::line(raw),
            emphasis: CardEmphasis::Dim,
            ..PageCard::default()
        };
        card.push_line("raw", raw);
        card
    };
    rows.iter().enumerate().map(card).collect()
}
