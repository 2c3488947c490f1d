//! Loads the cards of a page, and opens the chosen one.

use crate::Inbox;
use crate::components::paged_rows::PagedRows;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::screens::cards::{CardEmphasis, CardsScreen, PageCard, fits};
use crate::screens::webhooks;
use model::fetches::{Fetch, FetchOutcome, FetchResult};
use model::ids::{ChannelId, STAND_IN_PREFIX};
use model::text::SafeText;
use model::trigger_events::TriggerEvents;
use model::unreadable::UnreadableList;

impl CardsScreen {
    /// Goes to a page of cards.
    pub(crate) fn go_to_deck(&mut self, page: PageKind, desk: &mut Desk, context: &mut Context) {
        desk.page = page;
        self.cards = PagedRows::default();
        self.search.clear();
        let channel = desk.tab().channel.id.clone();
        match page {
            PageKind::Templates => context.push(Effect::Load(Load::Templates(channel))),
            PageKind::Account => {
                context.effects.extend([Effect::Load(Load::Spent), SyncOrder::Refresh(channel).into()])
            }
            _ => (),
        }
    }

    /// What the title of the page says: its name, and whether the server is
    /// being asked.
    pub fn deck_head(&self, desk: &Desk) -> (&'static str, bool) {
        let channel = &desk.tab().channel.id;
        match desk.page {
            PageKind::Events => {
                ("Events", self.events.get(channel).is_some_and(|event| event.page.is_asked()))
            }
            PageKind::Webhooks => {
                ("Webhooks", self.webhooks.get(channel).is_some_and(|webhook| webhook.page.is_asked()))
            }
            PageKind::Templates => ("Templates", desk.tab().templates_page.is_asked()),
            _ => ("Account", false),
        }
    }

    /// What an empty page says.
    pub fn deck_empty(&self, desk: &Desk, context: &Context) -> String {
        let (_, asking) = self.deck_head(desk);
        let reads = desk.tab().account.is_none() || asking;
        match desk.page {
            _ if !self.search.is_empty() => "Nothing here fits.".to_owned(),
            _ if reads => "Reading…".to_owned(),
            PageKind::Events => {
                "Nothing has happened yet: no messages, contacts, orders, appointments or campaigns."
                    .to_owned()
            }
            PageKind::Webhooks => context
                .keyed("No webhooks: nobody else is told of what happens here. {new-webhook} registers one."),
            PageKind::Templates => desk.no_templates(),
            _ => "Reading…".to_owned(),
        }
    }

    /// A fetch for one of the pages has ended.
    pub(crate) fn deck_fetched(
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

/// Makes the cards anew, and asks for what is old.
pub(crate) fn load_deck(inbox: &mut Inbox) {
    let (now, channel) = (inbox.context.moment, inbox.desk.tab().channel.id.clone());
    let known = inbox.desk.tab().account.is_some();
    inbox.desk.retry_templates(&mut inbox.context);
    let fetch = match inbox.desk.page {
        PageKind::Events if known => inbox.cards.events_due(&channel, now).then_some(Fetch::Events),
        PageKind::Webhooks if known => {
            inbox.context.effects.extend(
                inbox.outbox.rows.take_query(&channel, now).map(|query| Effect::Load(Load::Outbox(query))),
            );
            inbox.cards.webhooks.entry(channel.clone()).or_default().due(now).then_some(Fetch::Webhooks)
        }
        _ => None,
    };
    inbox.context.push_all(fetch.map(|fetch| SyncOrder::Fetch(channel.clone(), fetch)));
    let query = inbox.cards.search.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut cards = match inbox.desk.page {
        PageKind::Events => inbox.cards.event_cards(&inbox.desk, &inbox.context),
        PageKind::Webhooks => webhooks::webhook_cards(inbox),
        PageKind::Templates => inbox.desk.template_cards(),
        _ => inbox.features.credits.account_cards(&inbox.desk, &inbox.context),
    };
    cards.extend(inbox.desk.unreadable_cards());
    cards.retain(|card| fits(card, &words));
    let visible = pages::rows_shown(inbox);
    let rows = &mut inbox.cards.cards;
    // Cards of another tab are never those of this one.
    rows.want(channel, |_, _| false);
    rows.put(cards, false);
    rows.reveal(visible);
}

/// Enter on a card.
pub(crate) fn go_to_card(inbox: &mut Inbox) {
    let Some(id) = inbox.cards.cards.chosen().map(|chosen| chosen.id.clone()) else { return };
    match inbox.desk.page {
        PageKind::Events => inbox.cards.go_to_event(&id, &mut inbox.desk, &mut inbox.context),
        PageKind::Templates => {
            inbox.connections.fill_chosen_template(&id, &mut inbox.desk, &mut inbox.context)
        }
        _ => inbox.context.say("all of it stands here"),
    }
}

impl Desk {
    /// A card for each item of the page's list that could not be read.
    fn unreadable_cards(&self) -> Vec<PageCard> {
        let list = match self.page {
            PageKind::Events => UnreadableList::Events,
            PageKind::Webhooks => UnreadableList::Webhooks,
            PageKind::Templates => UnreadableList::Templates,
            _ => return Vec::new(),
        };
        let rows = self.tab().unreadable.get(&list).map_or(&[][..], Vec::as_slice);
        let card = |(place, raw): (usize, &String)| {
            let mut card = PageCard {
                id: format!("{STAND_IN_PREFIX}{place}"),
                kind: "unreadable".to_owned(),
                title: SafeText::line("This row could not be read"),
                words: SafeText::line(raw),
                weight: CardEmphasis::Dim,
                ..PageCard::default()
            };
            card.line("raw", raw);
            card
        };
        rows.iter().enumerate().map(card).collect()
    }
}
