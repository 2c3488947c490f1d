//! Pipes the current item as JSON to a command of the user, such as `jq`. Each command is confirmed
//! once per run of frontdesk.

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
use crate::overlays::line::{LinePrompt, LinePromptKind};
use crate::screens::history::raw;
use model::text::SafeText;

const PIPE_VERB_PREFIX: &str = "pipe ";
const MAX_OUTPUT_LINES: usize = 2_000;

impl Keyboard {
    /// Opens the command line, filled with the last command.
    pub(crate) fn open_pipe(&mut self, context: &mut Context) {
        let last = self.pipe_history.last().map_or("", String::as_str);
        let kind = LinePromptKind::Command { back: 0, completing: None };
        let text = TextLine::with_replaceable(format!("{PIPE_VERB_PREFIX}{last}"), PIPE_VERB_PREFIX.len());
        context.open(LinePrompt { kind, text });
    }

    fn run_pipe(&mut self, command: String, json: String, context: &mut Context) {
        self.pipe_history.retain(|text| *text != command);
        self.pipe_history.push(command.clone());
        context.show_notice(format!("running {}", SafeText::line(&command)));
        context.push(Effect::Request(OutsideRequest::Pipe { command, json }));
    }
}

/// Pipes the current item to a command, after a confirmation if it is new.
pub(crate) fn pipe(inbox: &mut Inbox, command: &str) -> Result<(), String> {
    let Some((what, json, _)) = raw::current_item(&inbox.desk) else {
        return Err("no conversation to pipe".to_owned());
    };
    let what = what.split(' ').next().unwrap_or_default().to_owned();
    let json = json.to_owned();
    let command = command.to_owned();
    if inbox.keyboard.pipe_history.contains(&command) {
        inbox.keyboard.run_pipe(command, json, &mut inbox.context);
    } else {
        let lines = vec![
            DialogLine::strong(SafeText::line(&command).to_string()),
            DialogLine::plain(format!(
                "It gets the {} as JSON, as the server sent it.",
                SafeText::line(&what)
            )),
            DialogLine::plain(
                "It runs in your shell with your rights, for at most 10 s. No further question for this \
                 command.",
            ),
        ];
        let run = move |inbox: &mut Inbox| inbox.keyboard.run_pipe(command, json, &mut inbox.context);
        inbox.context.open(Confirm::new("Run this command?", lines).answer('y', "RUN it", run).no("not"));
    }
    Ok(())
}

pub(crate) fn show_pipe_output(
    desk: &mut Desk,
    command: &str,
    told: Result<String, String>,
    context: &mut Context,
) {
    let command = SafeText::line(command);
    match told {
        Ok(text) if text.trim().is_empty() => context.show_notice(format!("{command}: done, no output")),
        // Do not cover a text being written; the output is dropped.
        Ok(_) if desk.is_typing() || !context.overlays.is_empty() => {
            context.show_notice(format!("{command}: done"))
        }
        Ok(text) => {
            let lines: Vec<SafeText> = text.lines().take(MAX_OUTPUT_LINES).map(SafeText::block).collect();
            context.notice = None;
            context.open(TextView::new(command.to_string(), lines));
        }
        Err(why) => context.show_warning(format!("{command}: {why}")),
    }
}
