//! Pages of cards: events, webhooks, templates, the account. Each is a list of
//! cards made from what was told; one is chosen, and all of it stands beside or
//! below the list.
//!
//! What is shown is kept in memory: it is read again when it is looked at.

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

/// What was read longer ago is read again while it is looked at.
const FRESH: i64 = MINUTE;

/// How much a card asks for attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CardEmphasis {
    /// As most.
    #[default]
    Plain,
    /// It needs a person.
    Loud,
    /// There is nothing to it.
    Dim,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageCard {
    pub id: String,
    /// Its kind, in a word.
    pub kind: String,
    pub title: SafeText,
    pub words: SafeText,
    /// At the end of its line.
    pub right: String,
    /// How much it asks for attention.
    pub weight: CardEmphasis,
    /// All of it: labels and what they say.
    pub lines: Vec<(SafeText, SafeText)>,
    /// What is shown as a chart below the lines.
    pub bars: Vec<Bar>,
}

/// A bar of a chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bar {
    pub label: SafeText,
    /// How long it is beside the others.
    pub value: f64,
    pub words: String,
}

impl PageCard {
    /// Adds a line.
    pub(crate) fn line(&mut self, label: &str, words: &str) {
        self.lines.push((SafeText::line(label), SafeText::line(words)));
    }
}

impl PageRow for PageCard {
    type Name = String;

    fn name(&self) -> String {
        self.id.clone()
    }
}

/// What was told of something, and when.
#[derive(Debug)]
pub struct Seen<T> {
    pub told: Option<T>,
    /// How it is asked for.
    pub page: Resource<()>,
    pub(crate) at: Option<Moment>,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self { told: None, page: Resource::of(LoadTimeouts::SERVER, ()), at: None }
    }
}

impl<T> Seen<T> {
    /// Whether it is to be asked for now; notes that it is.
    pub(crate) fn due(&mut self, now: Moment) -> bool {
        if self.at.is_none_or(|at| now.since(at) >= FRESH) {
            self.page.mark_stale();
        }
        let due = self.page.take_due_query(now).is_some();
        if due {
            self.at = Some(now);
        }
        due
    }

    pub(crate) fn receive(&mut self, told: Result<T, SafeText>, now: Moment) {
        match told {
            Ok(told) => {
                self.page.receive(&());
                self.told = Some(told);
            }
            Err(why) => self.page.fail(&(), &why, now),
        }
    }
}

/// The state of the pages.
#[derive(Debug, Default)]
pub struct CardsScreen {
    pub cards: PagedRows<PageCard, ChannelId>,
    /// What is looked for among them.
    pub search: String,
    pub(crate) events: HashMap<ChannelId, Seen<TriggerEvents>>,
    pub(crate) webhooks: HashMap<ChannelId, Seen<Vec<Webhook>>>,
}

impl CardsScreen {
    /// Whether the events of a tab are to be asked for now; notes that they
    /// are.
    pub(crate) fn events_due(&mut self, channel: &ChannelId, now: Moment) -> bool {
        self.events.entry(channel.clone()).or_default().due(now)
    }

    /// What the triggers of a tab told last.
    pub(crate) fn happenings(&self, channel: &ChannelId) -> &[TriggerEvent] {
        self.events.get(channel).and_then(|event| event.told.as_ref()).map_or(&[], |events| &events.items)
    }
}

/// Whether a page is one of cards.
pub fn is_deck(page: PageKind) -> bool {
    matches!(page, PageKind::Events | PageKind::Webhooks | PageKind::Templates | PageKind::Account)
}

/// Whether all words stand somewhere on a card.
fn fits(card: &PageCard, words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut text = format!("{} {} {}", card.kind, card.title, card.words);
    for it in &card.bars {
        text.push_str(&format!(" {} {}", it.label, it.words));
    }
    for (label, words) in &card.lines {
        text.push_str(&format!(" {label} {words}"));
    }
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}
