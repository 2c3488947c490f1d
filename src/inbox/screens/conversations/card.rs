//! What the card at hand shows beside the conversation: its contact, and the
//! same person in other tabs. Read only while a card is on screen.

use crate::Inbox;
use crate::event::{Effect, Load};
use crate::pages::PageKind;
use crate::scrolling::Travel;
use model::contacts::ContactCard;
use model::queries::ConversationKey;

/// Lines a card without contact and other tabs has at most, about.
const LINES: usize = 24;

/// What a card shows, and of whom.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownCard {
    key: Option<ConversationKey>,
    card: Option<ContactCard>,
    stale: bool,
    /// First line on screen, where it fills the pane.
    first: usize,
}

impl ShownCard {
    /// Something behind it may have changed.
    pub(crate) fn mark_stale(&mut self) {
        self.stale = true;
    }
}

impl Inbox {
    /// What is known beside the conversation at hand, once it was loaded.
    pub fn card_at_hand(&self) -> Option<&ContactCard> {
        let row = self.at_hand()?;
        self.contact.card.as_ref().filter(|_| self.contact.key.as_ref().is_some_and(|it| row.is(it)))
    }

    /// Asks for what the card on screen shows, if it is another person's or
    /// something has changed.
    pub(crate) fn load_card(&mut self) {
        if self.areas().card.is_none() || !self.is_inbox_shown() {
            return;
        }
        let key = self.at_hand().map(|it| it.key());
        if self.contact.key != key {
            self.contact = ShownCard { key, card: None, stale: true, first: 0 };
        }
        if let Some(key) = self.contact.key.clone()
            && std::mem::take(&mut self.contact.stale)
        {
            self.context.push(Effect::Load(Load::Card(key)));
        }
    }

    /// The line of the card that is its first on screen, unless it is shorter.
    pub fn card_scroll(&self) -> usize {
        self.contact.first
    }

    /// Scrolls the card where it fills the pane of the history; tells whether
    /// it does.
    pub(crate) fn scroll_card(&mut self, travel: Travel) -> bool {
        let areas = self.areas();
        let Some(area) = areas.card.filter(|_| areas.history.is_none() && self.page == PageKind::Inbox)
        else {
            return false;
        };
        let page = usize::from(area.inner().height);
        let more = self.card_at_hand().map_or(0, |it| {
            it.elsewhere.len() * 2 + it.contact.as_ref().map_or(0, |it| it.metadata.len() * 2)
        });
        let connected = self.at_hand().map_or(0, |row| {
            let all = self.connected(row);
            all.iter().map(|(_, _, it)| 3 + it.mapped.as_ref().map_or(0, |it| it.lines(LINES).len())).sum()
        });
        let last = (LINES + more + connected).saturating_sub(page);
        let first = self.contact.first.min(last);
        self.contact.first = match travel {
            Travel::HalfDown => (first + page / 2).min(last),
            Travel::PageDown => (first + page).min(last),
            Travel::HalfUp => first.saturating_sub(page / 2),
            Travel::PageUp => first.saturating_sub(page),
            Travel::Top => 0,
            Travel::Bottom => last,
        };
        true
    }

    /// What a card shows has come.
    pub(crate) fn card_loaded(&mut self, key: &ConversationKey, card: ContactCard) {
        if self.contact.key.as_ref() == Some(key) {
            self.contact.card = Some(card);
        }
    }
}
