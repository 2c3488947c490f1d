//! Loads what the card shows, and opens it.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::pages::PageKind;
use crate::screens::connections::ConnectionAnswers;
use crate::screens::conversations::card::{LINES, ShownCard};
use crate::scrolling::Travel;
use model::contacts::ContactCard;
use model::queries::ConversationKey;

impl Desk {
    /// What is known beside the current conversation, once it was loaded.
    pub fn current_card(&self) -> Option<&ContactCard> {
        let row = self.current_conversation()?;
        self.contact.card.as_ref().filter(|_| self.contact.key.as_ref().is_some_and(|key| row.has_key(key)))
    }

    /// Asks for what the card on screen shows, if it is another person's or
    /// something has changed.
    pub(crate) fn load_card(&mut self, context: &mut Context) {
        if self.areas(context).card.is_none() || !self.is_inbox_shown() {
            return;
        }
        let key = self.current_conversation().map(|current_conversation| current_conversation.key());
        if self.contact.key != key {
            self.contact = ShownCard { key, card: None, stale: true, first: 0 };
        }
        if let Some(key) = self.contact.key.clone()
            && std::mem::take(&mut self.contact.stale)
        {
            context.push(Effect::Load(Load::Card(key)));
        }
    }

    /// The line of the card that is its first on screen, unless it is shorter.
    pub fn card_scroll(&self) -> usize {
        self.contact.first
    }

    /// What a card shows has come.
    pub(crate) fn card_loaded(&mut self, key: &ConversationKey, card: ContactCard) {
        if self.contact.key.as_ref() == Some(key) {
            self.contact.card = Some(card);
        }
    }
}

impl ConnectionAnswers {
    /// Scrolls the card where it fills the pane of the history; tells whether
    /// it does.
    pub(crate) fn scroll_card(&mut self, travel: Travel, desk: &mut Desk, context: &Context) -> bool {
        let areas = desk.areas(context);
        let Some(area) = areas.card.filter(|_| areas.history.is_none() && desk.page == PageKind::Inbox)
        else {
            return false;
        };
        let page = usize::from(area.inner().height);
        let more = desk.current_card().map_or(0, |current_card| {
            current_card.elsewhere.len() * 2
                + current_card.contact.as_ref().map_or(0, |contact| contact.metadata.len() * 2)
        });
        let connected = desk.current_conversation().map_or(0, |row| {
            let all = self.connected(row, context);
            all.iter()
                .map(|(_, _, endpoint_answer)| {
                    3 + endpoint_answer.mapped.as_ref().map_or(0, |mapped| mapped.to_lines(LINES).len())
                })
                .sum()
        });
        let last = (LINES + more + connected).saturating_sub(page);
        let first = desk.contact.first.min(last);
        desk.contact.first = match travel {
            Travel::HalfDown => (first + page / 2).min(last),
            Travel::PageDown => (first + page).min(last),
            Travel::HalfUp => first.saturating_sub(page / 2),
            Travel::PageUp => first.saturating_sub(page),
            Travel::Top => 0,
            Travel::Bottom => last,
        };
        true
    }
}
