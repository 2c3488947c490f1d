//! The current item as JSON for a command of the person's own: `jq`, a script,
//! a ticket system. It asks once for each command.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::components::text_line::TextLine;
use crate::components::text_view::TextView;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Effect;
use crate::keyboard::Keyboard;
use crate::outside::OutsideRequest;
use crate::overlays::line::{LineKind, LinePrompt};
use model::text::SafeText;

/// What stands before the command.
const PIPE: &str = "pipe ";
/// Lines of a command's answer that are shown.
const LINES: usize = 2_000;

impl Keyboard {
    /// Opens the command line for a command to pipe to; the last one stands
    /// there.
    pub(crate) fn open_pipe(&mut self, context: &mut Context) {
        let last = self.piped.last().map_or("", String::as_str);
        let kind = LineKind::Command { back: 0, completing: None };
        let text = TextLine::given(format!("{PIPE}{last}"), PIPE.len());
        context.open(LinePrompt { kind, text });
    }

    /// Runs it; it is not asked about again until frontdesk ends.
    fn run_pipe(&mut self, command: String, json: String, context: &mut Context) {
        self.piped.retain(|text| *text != command);
        self.piped.push(command.clone());
        context.say(format!("running {}", SafeText::line(&command)));
        context.push(Effect::Ask(OutsideRequest::Pipe { command, json }));
    }
}

/// Pipes the current item to a command, after asking where it is new.
pub(crate) fn pipe(inbox: &mut Inbox, command: &str) -> Result<(), String> {
    let Some((what, json, _)) = inbox.desk.current_item() else {
        return Err("there is no conversation to pipe".to_owned());
    };
    let what = what.split(' ').next().unwrap_or_default().to_owned();
    let json = json.to_owned();
    let command = command.to_owned();
    if inbox.keyboard.piped.contains(&command) {
        inbox.keyboard.run_pipe(command, json, &mut inbox.context);
    } else {
        let lines = vec![
            DialogLine::strong(SafeText::line(&command).to_string()),
            DialogLine::plain(format!(
                "It gets the {} as JSON, as the server sent it.",
                SafeText::line(&what)
            )),
            DialogLine::plain(
                "It runs in your shell, with your rights, for 10 s at most, and is not asked about again.",
            ),
        ];
        let run = move |inbox: &mut Inbox| inbox.keyboard.run_pipe(command, json, &mut inbox.context);
        inbox.context.open(Confirm::new("Run this command?", lines).answer('y', "RUN it", run).no("not"));
    }
    Ok(())
}

impl Desk {
    /// The command has ended.
    pub(crate) fn piped(&mut self, command: &str, told: Result<String, String>, context: &mut Context) {
        let command = SafeText::line(command);
        match told {
            Ok(text) if text.trim().is_empty() => context.say(format!("{command}: done, it said nothing")),
            // A text being written is not covered; what it said is gone then.
            Ok(_) if self.is_typing() || !context.layers.is_empty() => {
                context.say(format!("{command}: done"))
            }
            Ok(text) => {
                let lines: Vec<SafeText> = text.lines().take(LINES).map(SafeText::block).collect();
                context.notice = None;
                context.open(TextView::new(command.to_string(), lines));
            }
            Err(why) => context.warn(format!("{command}: {why}")),
        }
    }
}
