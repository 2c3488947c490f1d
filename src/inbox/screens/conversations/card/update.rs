use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keys::KeyPress;
use crate::pages::PageKind;
use crate::screens::connections::ConnectionAnswers;
use crate::screens::conversations::card::{ShownCard, USUAL_MAX_LINES};
use crate::scrolling::ScrollCommand;
use crate::tab::Focus;
use model::contacts::{ContactCard, OtherConversation};
use model::queries::ConversationKey;

/// The contact card of the current conversation, once loaded.
pub fn current_card(desk: &Desk) -> Option<&ContactCard> {
    let row = desk.current_conversation()?;
    desk.shown_card.card.as_ref().filter(|_| desk.shown_card.key.as_ref().is_some_and(|key| row.has_key(key)))
}

/// Loads the card on screen if it belongs to another conversation or is outdated, and gives it the
/// focus if it fills the pane.
pub(crate) fn load_card(desk: &mut Desk, context: &mut Context) {
    let areas = desk.areas(context);
    if areas.card.is_none() || desk.tab().focus != Focus::History {
        desk.shown_card.selected = None;
    }
    if areas.card.is_none() || !desk.is_inbox_shown() {
        return;
    }
    let key = desk.current_conversation().map(|current_conversation| current_conversation.key());
    if desk.shown_card.key != key {
        desk.shown_card = ShownCard { key, stale: true, ..ShownCard::default() };
    }
    if areas.history.is_none() && desk.shown_card.selected.is_none() {
        desk.shown_card.selected = Some(0);
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

/// True if the selection of the card has to be on screen.
pub fn follows_selection(desk: &Desk) -> bool {
    desk.shown_card.follows_selection
}

/// True if keys act on the card.
pub fn has_focus(desk: &Desk) -> bool {
    desk.tab().focus == Focus::History && desk.is_inbox_shown() && desk.shown_card.selected.is_some()
}

/// The selected conversation of another channel with its index, if the card has the focus.
pub fn selected_conversation(desk: &Desk) -> Option<(usize, &OtherConversation)> {
    let index = desk.shown_card.selected.filter(|_| has_focus(desk))?;
    Some((index, current_card(desk)?.elsewhere.get(index)?))
}

/// True if the card beside the history has conversations to go to.
pub(crate) fn can_take_focus(desk: &Desk, context: &Context) -> bool {
    desk.areas(context).card.is_some() && current_card(desk).is_some_and(|card| !card.elsewhere.is_empty())
}

/// Gives the focus to the card, or back to the history.
pub(crate) fn set_focus(desk: &mut Desk, is_focused: bool) {
    desk.shown_card.selected = is_focused.then_some(0);
    desk.shown_card.follows_selection = is_focused;
}

pub(crate) fn card_down(inbox: &mut Inbox, _: KeyPress) {
    step_selection(inbox, 1);
}

pub(crate) fn card_up(inbox: &mut Inbox, _: KeyPress) {
    step_selection(inbox, -1);
}

/// Moves the selection; scrolls by a line where there is nothing to select that way.
fn step_selection(inbox: &mut Inbox, by: isize) {
    let others = current_card(&inbox.desk).map_or(0, |card| card.elsewhere.len());
    let card = &mut inbox.desk.shown_card;
    let next = card.selected.and_then(|index| index.checked_add_signed(by)).filter(|next| *next < others);
    if let Some(next) = next {
        card.selected = Some(next);
        card.follows_selection = true;
        return;
    }
    let travel = if by > 0 { ScrollCommand::LineDown } else { ScrollCommand::LineUp };
    inbox.connections.scroll_card(travel, &mut inbox.desk, &inbox.context);
}

pub(crate) fn open_selected(inbox: &mut Inbox, _: KeyPress) {
    if let Some((_, other)) = selected_conversation(&inbox.desk) {
        let key = other.key.clone();
        open_other(inbox, &key);
    }
}

pub(crate) fn open_other(inbox: &mut Inbox, key: &ConversationKey) {
    inbox.desk.open_conversation(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
}

/// Returns to the history; hides a card that fills the pane.
pub(crate) fn leave_card(inbox: &mut Inbox, _: KeyPress) {
    if inbox.desk.areas(&inbox.context).history.is_none() {
        inbox.desk.panes.card = Some(false);
    }
    set_focus(&mut inbox.desk, false);
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
        desk.shown_card.follows_selection = false;
        desk.shown_card.first = match travel {
            ScrollCommand::LineDown => (first + 1).min(last),
            ScrollCommand::LineUp => first.saturating_sub(1),
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
