//! Reaching a person who looks elsewhere: the terminal's own notifications,
//! and a command of theirs.
//!
//! Knows nothing of why someone is told.

use std::process::{Command, Stdio};

use crate::model::text::SafeText;

/// How a terminal is asked to notify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// As this terminal is known to take it, if it is.
    #[default]
    Auto,
    /// The sequence most terminals take: OSC 9.
    Osc9,
    /// The sequence with a title: OSC 777.
    Osc777,
    /// Not at all.
    Off,
}

impl Way {
    /// The words of the configuration, and what each stands for.
    pub const WORDS: [(&'static str, Self); 4] =
        [("auto", Self::Auto), ("osc9", Self::Osc9), ("osc777", Self::Osc777), ("off", Self::Off)];

    /// What a word of the configuration stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(it, _)| *it == word).map(|(_, way)| *way)
    }

    /// The way for this terminal, by the names it gives itself.
    pub fn settled(self, variable: impl Fn(&str) -> Option<String>) -> Self {
        if self != Self::Auto {
            return self;
        }
        let term = variable("TERM").unwrap_or_default();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let with_title = ["foot", "rxvt", "contour"].iter().any(|it| term.contains(it));
        let known = ["iTerm.app", "WezTerm", "ghostty"].contains(&program.as_str())
            || ["kitty", "ghostty"].iter().any(|it| term.contains(it))
            || variable("WT_SESSION").is_some();
        match (with_title, known) {
            (true, _) => Self::Osc777,
            (false, true) => Self::Osc9,
            (false, false) => Self::Off,
        }
    }
}

/// How this desk notifies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notifier {
    /// Through the terminal.
    pub way: Way,
    /// A program and its arguments; `{title}` and `{body}` stand for the
    /// words. Empty runs nothing.
    pub command: Vec<String>,
}

impl Notifier {
    /// Runs the person's command, and gives the bytes for the terminal.
    pub fn notify(&self, title: &SafeText, body: &SafeText) -> Vec<u8> {
        self.run(title, body);
        sequence(self.way, title.as_str(), body.as_str()).into_bytes()
    }

    fn run(&self, title: &SafeText, body: &SafeText) {
        let fill = |it: &String| it.replace("{title}", title.as_str()).replace("{body}", body.as_str());
        let Some((program, arguments)) = self.command.split_first() else { return };
        let mut command = Command::new(program);
        command.args(arguments.iter().map(fill));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(mut child) => {
                let waits = std::thread::Builder::new().name("notice".to_owned());
                // Without a thread to wait for it, it is waited for at the end.
                let _ = waits.spawn(move || child.wait());
            }
            Err(error) => tracing::warn!(%error, "the command for notifications could not be run"),
        }
    }
}

/// What a terminal takes as a notification. The words are safe text: nothing
/// in them can end the sequence.
fn sequence(way: Way, title: &str, body: &str) -> String {
    match way {
        Way::Osc9 => format!("\x1b]9;{title}: {body}\x07"),
        Way::Osc777 => {
            let field = |it: &str| it.replace(';', ",");
            format!("\x1b]777;notify;{};{}\x07", field(title), field(body))
        }
        Way::Auto | Way::Off => String::new(),
    }
}

/// What puts a text into the clipboard (OSC 52); `None` for one longer than
/// terminals take.
pub fn clipboard(text: &str) -> Option<String> {
    use base64::Engine;
    const MOST: usize = 74_000;
    let coded = base64::engine::general_purpose::STANDARD.encode(text);
    (coded.len() <= MOST).then(|| format!("\x1b]52;c;{coded}\x07"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_known_by_the_names_they_give_themselves() {
        let cases = [
            ("TERM", "xterm-kitty", Way::Osc9),
            ("TERM", "foot", Way::Osc777),
            ("TERM", "rxvt-unicode-256color", Way::Osc777),
            ("TERM_PROGRAM", "WezTerm", Way::Osc9),
            ("TERM", "xterm-256color", Way::Off),
        ];
        for (name, value, way) in cases {
            let variable = |it: &str| (it == name).then(|| value.to_owned());
            assert_eq!(Way::Auto.settled(variable), way, "{name}={value}");
        }
        assert_eq!(Way::Osc9.settled(|_| None), Way::Osc9);
    }

    #[test]
    fn words_cannot_end_a_sequence() {
        let title = SafeText::line("Harbor\x1b]0;x\x07");
        for way in [Way::Osc9, Way::Osc777] {
            let bytes = sequence(way, title.as_str(), SafeText::line("a;b\u{9c}").as_str());
            assert_eq!(bytes.matches('\x1b').count(), 1, "{bytes:?}");
            assert_eq!(bytes.matches('\x07').count(), 1, "{bytes:?}");
        }
        assert_eq!(clipboard("hi").as_deref(), Some("\x1b]52;c;aGk=\x07"));
        assert_eq!(clipboard(&"x".repeat(100_000)), None);
    }
}
