//! Pages of cards: events, webhooks, templates, the account. The data is kept in memory only and
//! read again while the page is shown.

pub(crate) mod events;
pub(crate) mod update;
pub mod view;

use std::collections::HashMap;

use crate::components::paged_rows::{PageRow, PagedRows};
use crate::pages::PageKind;
use crate::resource::{LoadTimeouts, Resource};
use model::ids::ChannelId;
use model::text::SafeText;
use model::time::{MINUTE, Moment};
use model::trigger_events::{TriggerEvent, TriggerEvents};
use model::webhooks::Webhook;

/// Age at which data is read again while it is shown.
const REFRESH_INTERVAL: i64 = MINUTE;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CardEmphasis {
    #[default]
    Plain,
    Loud,
    /// Needs no attention.
    Dim,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageCard {
    pub id: String,
    /// One word.
    pub kind: String,
    pub title: SafeText,
    pub text: SafeText,
    /// Text at the end of the card's line.
    pub trailing: String,
    pub emphasis: CardEmphasis,
    pub lines: Vec<(SafeText, SafeText)>,
    pub bars: Vec<ChartBar>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartBar {
    pub label: SafeText,
    /// Length relative to the other bars.
    pub value: f64,
    pub caption: String,
}

impl PageCard {
    pub(crate) fn push_line(&mut self, label: &str, words: &str) {
        self.lines.push((SafeText::line(label), SafeText::line(words)));
    }
}

impl PageRow for PageCard {
    type Name = String;

    fn name(&self) -> String {
        self.id.clone()
    }
}

#[derive(Debug)]
pub struct FetchedData<T> {
    pub data: Option<T>,
    pub resource: Resource<()>,
    pub(crate) requested_at: Option<Moment>,
}

impl<T> Default for FetchedData<T> {
    fn default() -> Self {
        Self { data: None, resource: Resource::with_query(LoadTimeouts::SERVER, ()), requested_at: None }
    }
}

impl<T> FetchedData<T> {
    /// Returns true if the data is to be requested now, and records the request.
    pub(crate) fn take_due(&mut self, now: Moment) -> bool {
        if self.requested_at.is_none_or(|at| now.since(at) >= REFRESH_INTERVAL) {
            self.resource.mark_stale();
        }
        let due = self.resource.take_due_query(now).is_some();
        if due {
            self.requested_at = Some(now);
        }
        due
    }

    pub(crate) fn receive(&mut self, told: Result<T, SafeText>, now: Moment) {
        match told {
            Ok(told) => {
                self.resource.receive(&());
                self.data = Some(told);
            }
            Err(why) => self.resource.fail(&(), &why, now),
        }
    }
}

#[derive(Debug, Default)]
pub struct CardsScreen {
    pub cards: PagedRows<PageCard, ChannelId>,
    pub search: String,
    pub(crate) events: HashMap<ChannelId, FetchedData<TriggerEvents>>,
    pub(crate) webhooks: HashMap<ChannelId, FetchedData<Vec<Webhook>>>,
}

impl CardsScreen {
    pub(crate) fn take_events_due(&mut self, channel: &ChannelId, now: Moment) -> bool {
        self.events.entry(channel.clone()).or_default().take_due(now)
    }

    /// Trigger events of a tab as last loaded.
    pub(crate) fn trigger_events(&self, channel: &ChannelId) -> &[TriggerEvent] {
        self.events.get(channel).and_then(|event| event.data.as_ref()).map_or(&[], |events| &events.items)
    }
}

pub fn is_card_page(page: PageKind) -> bool {
    matches!(page, PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account)
}

/// True if each word occurs somewhere on the card.
fn matches_words(card: &PageCard, words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut text = format!("{} {} {}", card.kind, card.title, card.text);
    for bar in &card.bars {
        text.push_str(&format!(" {} {}", bar.label, bar.caption));
    }
    for (label, words) in &card.lines {
        text.push_str(&format!(" {label} {words}"));
    }
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}
