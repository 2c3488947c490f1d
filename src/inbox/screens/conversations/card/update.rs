use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::pages::PageKind;
use crate::screens::connections::ConnectionAnswers;
use crate::screens::conversations::card::{ShownCard, USUAL_MAX_LINES};
use crate::scrolling::ScrollCommand;
use model::contacts::ContactCard;
use model::queries::ConversationKey;

/// The contact card of the current conversation, once loaded.
pub fn current_card(desk: &Desk) -> Option<&ContactCard> {
    let row = desk.current_conversation()?;
    desk.shown_card.card.as_ref().filter(|_| desk.shown_card.key.as_ref().is_some_and(|key| row.has_key(key)))
}

/// Loads the card on screen if it belongs to another conversation or is outdated.
pub(crate) fn load_card(desk: &mut Desk, context: &mut Context) {
    if desk.areas(context).card.is_none() || !desk.is_inbox_shown() {
        return;
    }
    let key = desk.current_conversation().map(|current_conversation| current_conversation.key());
    if desk.shown_card.key != key {
        desk.shown_card = ShownCard { key, card: None, stale: true, first: 0 };
    }
    if let Some(key) = desk.shown_card.key.clone()
        && std::mem::take(&mut desk.shown_card.stale)
    {
        context.push(Effect::Load(Load::Card(key)));
    }
}

/// First line of the card on screen; the view clamps it.
pub fn card_scroll(desk: &Desk) -> usize {
    desk.shown_card.first
}

pub(crate) fn card_loaded(desk: &mut Desk, key: &ConversationKey, card: ContactCard) {
    if desk.shown_card.key.as_ref() == Some(key) {
        desk.shown_card.card = Some(card);
    }
}

impl ConnectionAnswers {
    /// Scrolls the card if it fills the history pane. Returns false if it does not.
    pub(crate) fn scroll_card(&mut self, travel: ScrollCommand, desk: &mut Desk, context: &Context) -> bool {
        let areas = desk.areas(context);
        let Some(area) = areas.card.filter(|_| areas.history.is_none() && desk.page == PageKind::Inbox)
        else {
            return false;
        };
        let page = usize::from(area.inner().height);
        let more = current_card(desk).map_or(0, |current_card| {
            current_card.elsewhere.len() * 2
                + current_card.contact.as_ref().map_or(0, |contact| contact.metadata.len() * 2)
        });
        let connected = desk.current_conversation().map_or(0, |row| {
            let all = self.answers_about(row, context);
            all.iter()
                .map(|(_, _, endpoint_answer)| {
                    3 + endpoint_answer
                        .mapped
                        .as_ref()
                        .map_or(0, |mapped| mapped.to_lines(USUAL_MAX_LINES).len())
                })
                .sum()
        });
        let last = (USUAL_MAX_LINES + more + connected).saturating_sub(page);
        let first = desk.shown_card.first.min(last);
        desk.shown_card.first = match travel {
            ScrollCommand::HalfDown => (first + page / 2).min(last),
            ScrollCommand::PageDown => (first + page).min(last),
            ScrollCommand::HalfUp => first.saturating_sub(page / 2),
            ScrollCommand::PageUp => first.saturating_sub(page),
            ScrollCommand::Top => 0,
            ScrollCommand::Bottom => last,
        };
        true
    }
}
