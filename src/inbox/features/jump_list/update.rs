//! Notes where the person is, and goes back to where they were.

use crate::Inbox;
use crate::desk::Desk;
use crate::features::jump_list::{JumpList, JumpPlace};
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::tab::Focus;

impl JumpList {
    /// After each event: notes where the person has gone.
    pub(crate) fn note_place(&mut self, desk: &Desk) {
        let tab = desk.tab();
        let focus = tab.focus;
        let reads = focus != Focus::List && desk.page == PageKind::Inbox;
        let reading = tab.history.as_ref().filter(|_| reads).map(|history| history.conversation.clone());
        let same_tab = |pair: &&(JumpPlace, Focus)| pair.0.channel == tab.channel.id;
        let opened = || self.here.as_ref().filter(same_tab).and_then(|pair| pair.0.open.clone());
        let spot = JumpPlace {
            channel: tab.channel.id.clone(),
            everywhere: desk.everywhere,
            page: desk.page,
            open: reading.or_else(opened),
        };
        match &mut self.here {
            Some((here, was)) if *here == spot => *was = focus,
            // The first conversation opened in a tab is no other place.
            Some((here, was)) if here.open.is_none() && JumpPlace { open: None, ..spot.clone() } == *here => {
                (*here, *was) = (spot, focus);
            }
            _ => self.before = self.here.replace((spot, focus)).or(self.before.take()),
        }
    }
}

/// Goes to the place before this one.
pub(crate) fn go_back(inbox: &mut Inbox) {
    let Some((spot, focus)) = inbox.features.jump_list.before.clone() else { return };
    let Some(index) = inbox.desk.tabs.iter().position(|tab| tab.channel.id == spot.channel) else { return };
    inbox.desk.active = index;
    inbox.desk.everywhere = spot.everywhere;
    pages::go_to_page(inbox, spot.page);
    if spot.page != PageKind::Inbox {
        return;
    }
    let here = inbox.features.jump_list.here.as_ref().map(|pair| &pair.0);
    let only_another = here.is_some_and(|entry| {
        (&entry.channel, entry.everywhere, entry.page) == (&spot.channel, spot.everywhere, spot.page)
    });
    match &spot.open {
        // Nothing is written by coming back.
        Some(open) if only_another || focus != Focus::List => {
            inbox.desk.visit(&spot.channel, open, Focus::History, &mut inbox.context);
        }
        _ => inbox.desk.tab_mut().focus = Focus::List,
    }
}
