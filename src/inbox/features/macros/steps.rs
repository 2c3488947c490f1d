//! The steps of a macro: what was pressed, as commands where keys called one,
//! so that a macro outlives other keys. And the lines they are kept as.

use crate::command;
use crate::command::{Command, CommandScope};
use crate::keys::KeyPress;
use crate::wrap;
use model::nearest::nearest_word;

/// Columns of a text in the words of a macro.
const TEXT: usize = 24;

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedStep {
    /// A command, and the key that called it: some ask which it was.
    Command(Command, KeyPress),
    /// A key in a menu, a form or a text.
    Key(KeyPress),
    /// A text that was pasted.
    Paste(String),
    Line(String),
}

impl RecordedStep {
    /// As it is kept.
    fn line(&self) -> String {
        match self {
            Self::Command(command, key) => format!("command {} {key}", command::name(*command)),
            Self::Key(key) => format!("key {key}"),
            Self::Paste(text) => {
                format!("paste {}", text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r"))
            }
            Self::Line(text) => format!("line {text}"),
        }
    }

    fn read(line: &str) -> Option<Self> {
        match line.split_once(' ')? {
            ("command", rest) => {
                let (name, key) = rest.split_once(' ')?;
                Some(Self::Command(command::named(name)?, KeyPress::parse(key)?))
            }
            ("key", name) => Some(Self::Key(KeyPress::parse(name)?)),
            ("paste", text) => Some(Self::Paste(unescaped(text))),
            ("line", text) => Some(Self::Line(text.to_owned())),
            _ => None,
        }
    }

    /// Whether it is part of a text.
    fn types(&self) -> bool {
        match self {
            Self::Key(key) => key.typed().is_some(),
            Self::Paste(_) => true,
            Self::Command(..) | Self::Line(_) => false,
        }
    }

    /// What it is called where a macro stops.
    pub fn name(&self) -> String {
        match self {
            Self::Command(command, _) => command::row(*command).word.to_owned(),
            Self::Key(key) => key.to_string(),
            Self::Paste(_) => "pasted text".to_owned(),
            Self::Line(text) => format!(":{}", wrap::cut(text, TEXT)),
        }
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(it) = characters.next() {
        match (it, if it == '\\' { characters.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some(other)) => out.push(other),
            (other, _) => out.push(other),
        }
    }
    out
}

/// All steps as they are kept, a line each.
pub fn kept(steps: &[RecordedStep]) -> String {
    steps.iter().map(RecordedStep::line).collect::<Vec<_>>().join("\n")
}

/// Reads kept steps; `None` if one of them is not known.
pub fn read(kept: &str) -> Option<Vec<RecordedStep>> {
    kept.lines().map(RecordedStep::read).collect()
}

/// Reads a step as a person writes it into the configuration: a command's name,
/// `:` and a command line, `type` and a text, `press` and a key.
pub fn written(words: &str) -> Result<RecordedStep, String> {
    let words = words.trim();
    if let Some(line) = words.strip_prefix(':') {
        return Ok(RecordedStep::Line(line.to_owned()));
    }
    match words.split_once(' ') {
        Some(("type", text)) => return Ok(RecordedStep::Paste(text.to_owned())),
        Some(("press", key)) => {
            return KeyPress::parse(key).map(RecordedStep::Key).ok_or_else(|| format!("{key:?} is no key"));
        }
        _ => (),
    }
    let Some(command) = command::named(words) else {
        let names: Vec<String> =
            command::TABLE.iter().map(|command_row| command::name(command_row.command)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let hint = match nearest_word(words, &names) {
            Some(near) => format!("did you mean {near:?}?"),
            None => "write a command's name, \":line\", \"type text\" or \"press key\"".to_owned(),
        };
        return Err(format!("{words:?} is no step; {hint}"));
    };
    if !can_be_recorded(command) {
        return Err(format!("{words:?} cannot be a step of a macro"));
    }
    let key =
        command::row(command).keys.iter().find_map(|key| KeyPress::parse_sequence(key)?.last().copied());
    Ok(RecordedStep::Command(command, key.unwrap_or(KeyPress::plain(crate::keys::KeyCode::Enter))))
}

/// How many steps a person would count: a text that is typed is one.
pub fn count<'a>(steps: impl IntoIterator<Item = &'a RecordedStep>) -> usize {
    let mut typing = false;
    let mut count = 0;
    for step in steps {
        let types = step.types();
        count += usize::from(!(types && typing));
        typing = types;
    }
    count
}

/// What a macro does, in words: commands by their words, what was typed in
/// quotes.
pub fn words(steps: &[RecordedStep]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut typed = String::new();
    let flush = |typed: &mut String, parts: &mut Vec<String>| {
        if !typed.is_empty() {
            parts.push(format!("\"{}\"", wrap::cut(&std::mem::take(typed).replace('\n', " "), TEXT)));
        }
    };
    for step in steps {
        match step {
            RecordedStep::Key(key) if key.typed().is_some() => typed.extend(key.typed()),
            RecordedStep::Paste(text) => typed.push_str(text),
            other => {
                flush(&mut typed, &mut parts);
                parts.push(other.name());
            }
        }
    }
    flush(&mut typed, &mut parts);
    parts.join(", ")
}

/// Whether a command can be part of a macro: those that end, stop or leave the
/// program, and those that are about macros themselves, cannot.
pub fn can_be_recorded(command: Command) -> bool {
    use Command as C;
    !matches!(
        command,
        C::Quit
            | C::Interrupt
            | C::Suspend
            | C::EditOutside
            | C::PlayMacro
            | C::RecordMacro
            | C::Repeat
            | C::SearchAll
            | C::OpenPalette
            | C::ShowActions
            | C::PaletteInText
            | C::CommandLine
            | C::Help
            | C::HelpInText
            // What its line says is the step.
            | C::Pipe
    )
}

/// Whether `.` does a command again: what changes a conversation and says
/// nothing to the customer.
pub fn can_be_repeated(command: Command) -> bool {
    use Command as C;
    matches!(
        command,
        C::PauseAi
            | C::HandBack
            | C::Close
            | C::CloseAndNext
            | C::Snooze
            | C::Tags
            | C::Claim
            | C::Unseen
            | C::DeleteThread
            | C::MarkSpam
            | C::React
            | C::RemoveReaction
    )
}

/// Whether a command goes to another conversation: after others the one at
/// hand must be the same.
pub fn goes_elsewhere(command: Command) -> bool {
    use Command as C;
    let place = command::row(command).place;
    let stays = matches!(
        command,
        C::MarkRange | C::MarkAll | C::MarkInverted | C::MarkNone | C::MarkAgain | C::Undo | C::Open
    );
    let goes = matches!(
        command,
        C::CloseAndNext
            | C::Elsewhere
            | C::NextConversation
            | C::PreviousConversation
            | C::WriteNumber
            | C::Call
    );
    goes || (matches!(place, CommandScope::List | CommandScope::Desk | CommandScope::Rows) && !stays)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyCode;

    #[test]
    fn steps_read_back() {
        let typed = |character| RecordedStep::Key(KeyPress::plain(KeyCode::Char(character)));
        let steps = vec![
            RecordedStep::Command(Command::PauseAi, KeyPress::plain(KeyCode::Char('p'))),
            RecordedStep::Command(Command::GoToTab, KeyPress::plain(KeyCode::Char('3'))),
            typed(' '),
            typed('\\'),
            typed('é'),
            RecordedStep::Key(KeyPress::plain(KeyCode::BackTab)),
            RecordedStep::Key(KeyPress::ctrl('j')),
            RecordedStep::Paste("two\nlines \\n and a \\ \r".to_owned()),
            RecordedStep::Paste(String::new()),
            RecordedStep::Command(Command::Send, KeyPress::plain(KeyCode::Enter)),
            RecordedStep::Line("filter is:waiting".to_owned()),
        ];
        assert_eq!(read(&kept(&steps)), Some(steps.clone()));
        assert_eq!((count(&steps), count(&steps[2..5]), count(&[])), (8, 1, 0));
        assert_eq!(read("command no-such-thing p"), None);
        assert_eq!(read("key Strg-X"), None);
        let told = words(&steps);
        assert_eq!(
            told,
            "pause AI, tab, \" \\é\", Shift-Tab, Ctrl-J, \"two lines \\n and a \\ \r\", send, :filter is:waiting"
        );
    }

    #[test]
    fn what_is_repeated_can_be_recorded() {
        for row in command::TABLE.iter().filter(|entry| can_be_repeated(entry.command)) {
            assert!(can_be_recorded(row.command), "{:?}", row.command);
        }
    }
}
