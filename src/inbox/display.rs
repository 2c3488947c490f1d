//! How the desk is looked at: one pane or all, the list's width, the mouse,
//! and what others must not see.

use crate::Inbox;
use crate::commands::Command;
use crate::event::Effect;
use crate::layout::SIDE_BY_SIDE;

/// Columns a key moves the divider.
const STEP: u16 = 4;

impl Inbox {
    pub(crate) fn view_command(&mut self, command: Command) -> bool {
        match command {
            Command::Zoom if self.context.size.0 < SIDE_BY_SIDE => {
                self.say("this pane fills the screen already")
            }
            Command::Zoom => self.zoomed = !self.zoomed,
            Command::Mouse => {
                self.mouse = !self.mouse;
                self.context.push(Effect::ReadMouse(self.mouse));
                self.say(self.keyed(if self.mouse {
                    "the mouse is read: click selects, wheel scrolls"
                } else {
                    "the mouse is the terminal's: drag selects text; {mouse} takes it back"
                }));
            }
            Command::Blur => {
                self.blurred = !self.blurred;
                let word = if self.blurred { "hidden; {blur} shows them again" } else { "shown again" };
                self.say(self.keyed(&format!("names, numbers and addresses are {word}")));
            }
            Command::Narrower | Command::Wider => self.move_divider(command == Command::Wider),
            _ => return false,
        }
        true
    }

    fn move_divider(&mut self, wider: bool) {
        let areas = self.areas();
        let (Some(list), Some(_)) = (areas.list, areas.history) else {
            return self.say("there is one pane: its width is the screen's");
        };
        let end = list.x + list.width - 1;
        self.divide_at(if wider { end + STEP } else { end.saturating_sub(STEP) });
    }
}
