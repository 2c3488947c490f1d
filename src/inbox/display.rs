//! How the desk is looked at: one pane or all, the list's width, the mouse,
//! and what others must not see.

use crate::Inbox;
use crate::event::Effect;
use crate::layout::SIDE_BY_SIDE;

/// Columns a key moves the divider.
const STEP: u16 = 4;

impl Inbox {
    pub(crate) fn zoom(&mut self) {
        if self.context.size.0 < SIDE_BY_SIDE {
            return self.context.say("this pane fills the screen already");
        }
        self.desk.panes.zoomed = !self.desk.panes.zoomed;
    }

    pub(crate) fn turn_mouse(&mut self) {
        self.desk.panes.mouse = !self.desk.panes.mouse;
        self.context.push(Effect::ReadMouse(self.desk.panes.mouse));
        self.context.say(self.keyed(if self.desk.panes.mouse {
            "the mouse is read: click selects, wheel scrolls"
        } else {
            "the mouse is the terminal's: drag selects text; {mouse} takes it back"
        }));
    }

    pub(crate) fn turn_blur(&mut self) {
        self.desk.panes.blurred = !self.desk.panes.blurred;
        let word = if self.desk.panes.blurred { "hidden; {blur} shows them again" } else { "shown again" };
        self.context.say(self.keyed(&format!("names, numbers and addresses are {word}")));
    }

    pub(crate) fn move_divider(&mut self, wider: bool) {
        let areas = self.areas();
        let (Some(list), Some(_)) = (areas.list, areas.history) else {
            return self.context.say("there is one pane: its width is the screen's");
        };
        let end = list.x + list.width - 1;
        self.divide_at(if wider { end + STEP } else { end.saturating_sub(STEP) });
    }
}
