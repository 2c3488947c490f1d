//! Steps of a macro: typed text, and commands by name so that a macro outlives a change of keys.

use crate::command;
use crate::command::{Command, CommandScope};
use crate::keys::KeyPress;
use crate::wrap;
use model::nearest::nearest_word;

/// Maximum columns of a text in the description of a macro.
const MAX_SHOWN_TEXT_CELLS: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MacroStep {
    /// A command and the key that called it: some commands depend on the key.
    Command(Command, KeyPress),
    /// A key in a menu, a form or a text.
    Key(KeyPress),
    Paste(String),
    Line(String),
}

impl MacroStep {
    /// True if the step is part of a text.
    fn is_text_input(&self) -> bool {
        match self {
            Self::Key(key) => key.typed().is_some(),
            Self::Paste(_) => true,
            Self::Command(..) | Self::Line(_) => false,
        }
    }

    /// Name of the step, for the message that a macro has stopped at it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Command(command, _) => command::row(*command).word.to_owned(),
            Self::Key(key) => key.to_string(),
            Self::Paste(_) => "pasted text".to_owned(),
            Self::Line(text) => format!(":{}", wrap::cut(text, MAX_SHOWN_TEXT_CELLS)),
        }
    }
}

/// Parses a step as written in the configuration: a command's name, `:` and a command line, `type` and a
/// text, `press` and a key.
pub fn parse(words: &str) -> Result<MacroStep, String> {
    let words = words.trim();
    if let Some(line) = words.strip_prefix(':') {
        return Ok(MacroStep::Line(line.to_owned()));
    }
    match words.split_once(' ') {
        Some(("type", text)) => return Ok(MacroStep::Paste(text.to_owned())),
        Some(("press", key)) => {
            return KeyPress::parse(key).map(MacroStep::Key).ok_or_else(|| format!("{key:?} is not a key"));
        }
        _ => (),
    }
    let Some(command) = command::find_by_name(words) else {
        let names: Vec<String> =
            command::TABLE.iter().map(|command_row| command::name(command_row.command)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let hint = match nearest_word(words, &names) {
            Some(near) => format!("did you mean {near:?}?"),
            None => "write a command's name, \":line\", \"type text\" or \"press key\"".to_owned(),
        };
        return Err(format!("{words:?} is not a step; {hint}"));
    };
    if !is_playable(command) {
        return Err(format!("{words:?} cannot be a step of a macro"));
    }
    let key =
        command::row(command).keys.iter().find_map(|key| KeyPress::parse_sequence(key)?.last().copied());
    Ok(MacroStep::Command(command, key.unwrap_or(KeyPress::plain(crate::keys::KeyCode::Enter))))
}

/// Number of steps as a person counts them: a typed text is one.
pub(crate) fn count_shown_steps<'a>(steps: impl IntoIterator<Item = &'a MacroStep>) -> usize {
    let mut typing = false;
    let mut count = 0;
    for step in steps {
        let types = step.is_text_input();
        count += usize::from(!(types && typing));
        typing = types;
    }
    count
}

pub(crate) fn describe_count(steps: usize) -> String {
    match steps {
        1 => "1 step".to_owned(),
        count => format!("{count} steps"),
    }
}

/// Describes what a macro does: commands by their words, typed text in quotes.
pub(crate) fn describe(steps: &[MacroStep]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut typed = String::new();
    let flush = |typed: &mut String, parts: &mut Vec<String>| {
        if !typed.is_empty() {
            parts.push(format!(
                "\"{}\"",
                wrap::cut(&std::mem::take(typed).replace('\n', " "), MAX_SHOWN_TEXT_CELLS)
            ));
        }
    };
    for step in steps {
        match step {
            MacroStep::Key(key) if key.typed().is_some() => typed.extend(key.typed()),
            MacroStep::Paste(text) => typed.push_str(text),
            other => {
                flush(&mut typed, &mut parts);
                parts.push(other.name());
            }
        }
    }
    flush(&mut typed, &mut parts);
    parts.join(", ")
}

/// True if a command can be part of a macro: those that leave the program or play macros cannot.
fn is_playable(command: Command) -> bool {
    use Command as C;
    !matches!(
        command,
        C::Quit
            | C::Interrupt
            | C::Suspend
            | C::EditOutside
            | C::PlayMacro
            | C::Repeat
            | C::SearchAll
            | C::SearchInTriage
            | C::OpenPalette
            | C::ShowActions
            | C::PaletteInText
            | C::CommandLine
            | C::Help
            | C::HelpInText
            // Its `:` line is the step.
            | C::Pipe
    )
}

/// True if `.` repeats the command: it changes a conversation and writes nothing to the customer.
pub(crate) fn is_repeatable(command: Command) -> bool {
    use Command as C;
    matches!(
        command,
        C::PauseAi
            | C::HandBack
            | C::Take
            | C::Done
            | C::Later
            | C::Tags
            | C::Claim
            | C::Unseen
            | C::DeleteThread
            | C::MarkSpam
            | C::React
            | C::RemoveReaction
    )
}

/// True if a command may go to another conversation; after any other command the conversation must be the
/// same.
pub fn leaves_conversation(command: Command) -> bool {
    use Command as C;
    let place = command::row(command).place;
    let stays = matches!(
        command,
        C::MarkRange | C::MarkAll | C::MarkInverted | C::MarkNone | C::MarkAgain | C::Undo | C::Open
    );
    let goes = matches!(
        command,
        C::Done | C::Elsewhere | C::NextConversation | C::PreviousConversation | C::WriteNumber | C::Call
    );
    goes || (matches!(place, CommandScope::List | CommandScope::Desk | CommandScope::Rows) && !stays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_can_be_played() {
        for row in command::TABLE.iter().filter(|entry| is_repeatable(entry.command)) {
            assert!(is_playable(row.command), "{:?}", row.command);
        }
    }
}
