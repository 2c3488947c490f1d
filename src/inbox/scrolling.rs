//! Half a page, a page, and to either end: of the card, the page of rows, the
//! list or the history, whichever is looked at.

use crate::Inbox;
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::tab::Focus;

/// How far a command travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Travel {
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    Top,
    Bottom,
}

pub(crate) fn travel(inbox: &mut Inbox, travel: Travel) {
    if inbox.connections.scroll_card(travel, &mut inbox.desk, &inbox.context) {
        return;
    }
    let visible = inbox.desk.list_rows(&inbox.desk.areas(&inbox.context));
    let signed = |number: usize| isize::try_from(number).unwrap_or(isize::MAX);
    if inbox.desk.page != PageKind::Inbox {
        let page = signed(pages::rows_shown(inbox));
        return pages::step_rows(
            inbox,
            match travel {
                Travel::HalfDown => page / 2,
                Travel::HalfUp => -page / 2,
                Travel::PageDown => page,
                Travel::PageUp => -page,
                Travel::Top => isize::MIN,
                Travel::Bottom => isize::MAX,
            },
        );
    }
    if inbox.desk.tab().focus == Focus::List {
        let list = inbox.desk.list_mut();
        match travel {
            Travel::HalfDown => list.step(signed(visible / 2), visible),
            Travel::HalfUp => list.step(-signed(visible / 2), visible),
            Travel::PageDown => list.step(signed(visible), visible),
            Travel::PageUp => list.step(-signed(visible), visible),
            Travel::Top => list.top(visible),
            Travel::Bottom => list.bottom(visible),
        }
    } else if let Some(history) = &mut inbox.desk.tab_mut().history {
        let rows = signed(history.visible_rows());
        match travel {
            Travel::HalfDown => history.scroll(rows / 2),
            Travel::HalfUp => history.scroll(-rows / 2),
            Travel::PageDown => history.scroll(rows),
            Travel::PageUp => history.scroll(-rows),
            Travel::Top => history.top(),
            Travel::Bottom => history.follow(),
        }
    }
}
