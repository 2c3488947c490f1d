//! How the desk is looked at: one pane or all, the list's width, the mouse,
//! and what others must not see.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::TerminalOrder;
use crate::layout::SIDE_BY_SIDE;

/// Columns a key moves the divider.
const STEP: u16 = 4;

impl Desk {
    pub(crate) fn zoom(&mut self, context: &mut Context) {
        if context.size.0 < SIDE_BY_SIDE {
            return context.say("this pane fills the screen already");
        }
        self.panes.zoomed = !self.panes.zoomed;
    }

    pub(crate) fn turn_mouse(&mut self, context: &mut Context) {
        self.panes.mouse = !self.panes.mouse;
        context.push(TerminalOrder::ReadMouse(self.panes.mouse));
        context.say(context.keyed(if self.panes.mouse {
            "the mouse is read: click selects, wheel scrolls"
        } else {
            "the mouse is the terminal's: drag selects text; {mouse} takes it back"
        }));
    }

    pub(crate) fn turn_blur(&mut self, context: &mut Context) {
        self.panes.blurred = !self.panes.blurred;
        let word = if self.panes.blurred { "hidden; {blur} shows them again" } else { "shown again" };
        context.say(context.keyed(&format!("names, numbers and addresses are {word}")));
    }

    pub(crate) fn move_divider(&mut self, wider: bool, context: &mut Context) {
        let areas = self.areas(context);
        let (Some(list), Some(_)) = (areas.list, areas.history) else {
            return context.say("there is one pane: its width is the screen's");
        };
        let end = list.x + list.width - 1;
        self.divide_at(if wider { end + STEP } else { end.saturating_sub(STEP) }, context);
    }
}
