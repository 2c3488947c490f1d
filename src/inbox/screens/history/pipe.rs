//! The item at hand as JSON for a command of the person's own: `jq`, a script,
//! a ticket system. It asks once for each command.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::event::Effect;
use crate::outside::OutsideRequest;
use crate::overlays::Layer;
use crate::overlays::line::{LineKind, LinePrompt};
use model::text::SafeText;

/// What stands before the command.
const PIPE: &str = "pipe ";
/// Lines of a command's answer that are shown.
const LINES: usize = 2_000;

impl Inbox {
    /// Opens the command line for a command to pipe to; the last one stands
    /// there.
    pub(crate) fn open_pipe(&mut self) {
        let last = self.piped.last().map_or("", String::as_str);
        let kind = LineKind::Command { back: 0, completing: None };
        let text = TextLine::given(format!("{PIPE}{last}"), PIPE.len());
        self.open_layer(Layer::Line(LinePrompt { kind, text }));
    }

    /// Pipes the item at hand to a command, after asking where it is new.
    pub(crate) fn pipe(&mut self, command: &str) -> Result<(), String> {
        let Some((what, json, _)) = self.item_at_hand() else {
            return Err("there is no conversation to pipe".to_owned());
        };
        let what = what.split(' ').next().unwrap_or_default().to_owned();
        let json = json.to_owned();
        let command = command.to_owned();
        if self.piped.contains(&command) {
            self.run_pipe(command, json);
        } else {
            self.open_layer(Layer::AskPipe { command, what, json });
        }
        Ok(())
    }

    /// Runs it; it is not asked about again until frontdesk ends.
    pub(crate) fn run_pipe(&mut self, command: String, json: String) {
        self.piped.retain(|it| *it != command);
        self.piped.push(command.clone());
        self.say(format!("running {}", SafeText::line(&command)));
        self.context.push(Effect::Ask(OutsideRequest::Pipe { command, json }));
    }

    /// The command has ended.
    pub(crate) fn piped(&mut self, command: &str, told: Result<String, String>) {
        let command = SafeText::line(command);
        match told {
            Ok(text) if text.trim().is_empty() => self.say(format!("{command}: done, it said nothing")),
            // A text being written is not covered; what it said is gone then.
            Ok(_) if self.is_typing() || !self.layers.is_empty() => self.say(format!("{command}: done")),
            Ok(text) => {
                let lines: Vec<SafeText> = text.lines().take(LINES).map(SafeText::block).collect();
                self.notice = None;
                self.open_layer(Layer::Raw { title: command.to_string(), lines, first: 0 });
            }
            Err(why) => self.warn(format!("{command}: {why}")),
        }
    }
}
