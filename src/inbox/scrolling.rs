//! Half a page, a page, and to either end: of the card, the page of rows, the
//! list or the history, whichever is looked at.

use crate::Inbox;
use crate::commands::Command;
use crate::pages::PageKind;
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

impl Travel {
    fn of(command: Command) -> Option<Self> {
        Some(match command {
            Command::HalfDown => Self::HalfDown,
            Command::HalfUp => Self::HalfUp,
            Command::PageDown => Self::PageDown,
            Command::PageUp => Self::PageUp,
            Command::Top => Self::Top,
            Command::Bottom => Self::Bottom,
            _ => return None,
        })
    }
}

impl Inbox {
    /// A command that travels; false if it is about something else.
    pub(crate) fn travel_command(&mut self, command: Command) -> bool {
        let Some(travel) = Travel::of(command) else { return false };
        if !self.scroll_card(travel) {
            self.travel(travel);
        }
        true
    }

    fn travel(&mut self, travel: Travel) {
        let visible = self.list_rows(&self.areas());
        let signed = |it: usize| isize::try_from(it).unwrap_or(isize::MAX);
        if self.page != PageKind::Inbox {
            let page = signed(self.rows_shown());
            return self.step_rows(match travel {
                Travel::HalfDown => page / 2,
                Travel::HalfUp => -page / 2,
                Travel::PageDown => page,
                Travel::PageUp => -page,
                Travel::Top => isize::MIN,
                Travel::Bottom => isize::MAX,
            });
        }
        if self.tab().focus == Focus::List {
            let list = self.list_mut();
            match travel {
                Travel::HalfDown => list.step(signed(visible / 2), visible),
                Travel::HalfUp => list.step(-signed(visible / 2), visible),
                Travel::PageDown => list.step(signed(visible), visible),
                Travel::PageUp => list.step(-signed(visible), visible),
                Travel::Top => list.top(visible),
                Travel::Bottom => list.bottom(visible),
            }
        } else if let Some(history) = &mut self.tab_mut().history {
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
}
