//! Scrolling of the focused part: card, page of rows, list or history.

use crate::Inbox;
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::tab::Focus;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScrollCommand {
    LineDown,
    LineUp,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    Top,
    Bottom,
}

pub(crate) fn scroll(inbox: &mut Inbox, travel: ScrollCommand) {
    if inbox.connections.scroll_card(travel, &mut inbox.desk, &inbox.context) {
        return;
    }
    let visible = inbox.desk.list_rows(&inbox.desk.areas(&inbox.context));
    let signed = |number: usize| isize::try_from(number).unwrap_or(isize::MAX);
    if inbox.desk.page != PageKind::Inbox {
        let page = signed(pages::visible_rows(inbox));
        return pages::move_row_selection(
            inbox,
            match travel {
                ScrollCommand::LineDown => 1,
                ScrollCommand::LineUp => -1,
                ScrollCommand::HalfDown => page / 2,
                ScrollCommand::HalfUp => -page / 2,
                ScrollCommand::PageDown => page,
                ScrollCommand::PageUp => -page,
                ScrollCommand::Top => isize::MIN,
                ScrollCommand::Bottom => isize::MAX,
            },
        );
    }
    if inbox.desk.tab().focus == Focus::List {
        let list = inbox.desk.list_mut();
        match travel {
            ScrollCommand::LineDown => list.step(1, visible),
            ScrollCommand::LineUp => list.step(-1, visible),
            ScrollCommand::HalfDown => list.step(signed(visible / 2), visible),
            ScrollCommand::HalfUp => list.step(-signed(visible / 2), visible),
            ScrollCommand::PageDown => list.step(signed(visible), visible),
            ScrollCommand::PageUp => list.step(-signed(visible), visible),
            ScrollCommand::Top => list.top(visible),
            ScrollCommand::Bottom => list.bottom(visible),
        }
    } else if let Some(history) = &mut inbox.desk.tab_mut().history {
        let rows = signed(history.visible_rows());
        match travel {
            ScrollCommand::LineDown => history.scroll(1),
            ScrollCommand::LineUp => history.scroll(-1),
            ScrollCommand::HalfDown => history.scroll(rows / 2),
            ScrollCommand::HalfUp => history.scroll(-rows / 2),
            ScrollCommand::PageDown => history.scroll(rows),
            ScrollCommand::PageUp => history.scroll(-rows),
            ScrollCommand::Top => history.top(),
            ScrollCommand::Bottom => history.follow_newest(),
        }
    }
}
