//! Notifications outside the screen: through the terminal and a configured command.

use std::process::Stdio;

use crate::shell::children;
use model::text::SafeText;

model::words! {
    /// How a terminal is asked to notify.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum NotifyMethod {
        /// As this terminal is known to take it, if it is.
        #[default]
        Auto = "auto",
        /// The sequence most terminals take: OSC 9.
        Osc9 = "osc9",
        /// The sequence with a title: OSC 777.
        Osc777 = "osc777",
        Off = "off",
    }
}

impl NotifyMethod {
    /// Resolves `Auto` for this terminal from its environment variables.
    pub fn resolve(self, variable: impl Fn(&str) -> Option<String>) -> Self {
        if self != Self::Auto {
            return self;
        }
        let term = variable("TERM").unwrap_or_default();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let with_title = ["foot", "rxvt", "contour"].iter().any(|text| term.contains(text));
        let known = ["iTerm.app", "WezTerm", "ghostty"].contains(&program.as_str())
            || ["kitty", "ghostty"].iter().any(|text| term.contains(text))
            || variable("WT_SESSION").is_some();
        match (with_title, known) {
            (true, _) => Self::Osc777,
            (false, true) => Self::Osc9,
            (false, false) => Self::Off,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notifier {
    pub way: NotifyMethod,
    /// Program and arguments; `{title}` and `{body}` are replaced. Empty runs nothing.
    pub command: Vec<String>,
}

impl Notifier {
    /// Runs the command and returns bytes for the terminal.
    pub fn notify(&self, title: &SafeText, body: &SafeText) -> Vec<u8> {
        self.run(title, body);
        sequence(self.way, title.as_str(), body.as_str()).into_bytes()
    }

    fn run(&self, title: &SafeText, body: &SafeText) {
        let Some((program, arguments)) = self.command.split_first() else { return };
        let mut command = children::command(program);
        command.args(fill_arguments(arguments, title.as_str(), body.as_str()));
        command.env("FRONTDESK_TITLE", title.as_str()).env("FRONTDESK_BODY", body.as_str());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(mut child) => {
                let waits = std::thread::Builder::new().name("notice".to_owned());
                // If no thread starts, the process is reaped at exit.
                let _ = waits.spawn(move || child.wait());
            }
            Err(error) => tracing::warn!(%error, "the command for notifications could not be run"),
        }
    }
}

/// Fills in the arguments. Before `--`, values that look like options are escaped.
fn fill_arguments(arguments: &[String], title: &str, body: &str) -> Vec<String> {
    let ends = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let fill = |(place, text): (usize, &String)| {
        // In one pass: placeholders inside a value are not replaced.
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('{') {
            let (before, here) = rest.split_at(at);
            let known =
                [("{title}", title), ("{body}", body)].into_iter().find(|(name, _)| here.starts_with(name));
            let (name, words) = known.unwrap_or(("{", "{"));
            out.push_str(before);
            out.push_str(words);
            rest = &here[name.len()..];
        }
        out.push_str(rest);
        if place < ends && out.starts_with('-') && !text.starts_with('-') {
            out.insert(0, ' ');
        }
        out
    };
    arguments.iter().enumerate().map(fill).collect()
}

/// Reason a command must not be run: a shell would interpret a customer's text.
pub fn refusal(command: &[String]) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_shell = ["sh", "bash", "dash", "zsh", "ksh", "fish", "ash"].contains(&name);
    let at = arguments.iter().position(|argument| {
        argument.starts_with('-') && !argument.starts_with("--") && argument.ends_with('c')
    })?;
    let script = arguments.get(at + 1)?;
    let fills = script.contains("{title}") || script.contains("{body}");
    (is_shell && fills).then(|| {
        format!(
            "{name} would execute text that customers write: use \"$FRONTDESK_TITLE\" and \"$FRONTDESK_BODY\" instead"
        )
    })
}

/// Notification sequence. The words are safe text and cannot end it.
fn sequence(way: NotifyMethod, title: &str, body: &str) -> String {
    match way {
        NotifyMethod::Osc9 => format!("\x1b]9;{title}: {body}\x07"),
        NotifyMethod::Osc777 => {
            let field = |text: &str| text.replace(';', ",");
            format!("\x1b]777;notify;{};{}\x07", field(title), field(body))
        }
        NotifyMethod::Auto | NotifyMethod::Off => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_known_by_the_names_they_give_themselves() {
        let cases = [
            ("TERM", "xterm-kitty", NotifyMethod::Osc9),
            ("TERM", "foot", NotifyMethod::Osc777),
            ("TERM", "rxvt-unicode-256color", NotifyMethod::Osc777),
            ("TERM_PROGRAM", "WezTerm", NotifyMethod::Osc9),
            ("TERM", "xterm-256color", NotifyMethod::Off),
        ];
        for (name, value, way) in cases {
            let variable = |text: &str| (text == name).then(|| value.to_owned());
            assert_eq!(NotifyMethod::Auto.resolve(variable), way, "{name}={value}");
        }
        assert_eq!(NotifyMethod::Osc9.resolve(|_| None), NotifyMethod::Osc9);
    }

    #[test]
    fn what_a_customer_writes_is_no_option_and_no_script() {
        let words = |entry: &[&str]| entry.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let cases: [(&[&str], &str, &str, &[&str]); 5] = [
            (&["--", "{title}", "{body}"], "-x", "--icon=a", &["--", "-x", "--icon=a"]),
            (&["{title}", "-u", "low", "{body}"], "-x", "--icon=a", &[" -x", "-u", "low", " --icon=a"]),
            (&["--text={title}: {body}"], "a", "b", &["--text=a: b"]),
            (&["{title}"], "{body}", "secret", &["{body}"]),
            (&["{x}{title}{"], "a", "b", &["{x}a{"]),
        ];
        for (arguments, title, body, given) in cases {
            assert_eq!(fill_arguments(&words(arguments), title, body), given, "{arguments:?}");
        }
        for (outside, _) in model::text::HOSTILE_TEXTS {
            let given = fill_arguments(&words(&["{title}"]), SafeText::line(outside).as_str(), "");
            assert!(
                !given[0].chars().any(|character| character.is_control() || "\u{202e}\u{200b}\u{2028}".contains(character)),
                "{given:?}"
            );
        }
        let refused: [(&[&str], bool); 5] = [
            (&["sh", "-c", "say {title}"], true),
            (&["/bin/bash", "-lc", "say '{body}'"], true),
            (&["sh", "-c", "say \"$FRONTDESK_TITLE\""], false),
            (&["sh", "-c", "say \"$1\"", "sh", "{title}"], false),
            (&["notify-send", "--", "{title}", "{body}"], false),
        ];
        for (command, is_refused) in refused {
            assert_eq!(refusal(&words(command)).is_some(), is_refused, "{command:?}");
        }
    }

    #[test]
    fn words_cannot_end_a_sequence() {
        let title = SafeText::line("Harbor\x1b]0;x\x07");
        for way in [NotifyMethod::Osc9, NotifyMethod::Osc777] {
            let bytes = sequence(way, title.as_str(), SafeText::line("a;b\u{9c}").as_str());
            assert_eq!(bytes.matches('\x1b').count(), 1, "{bytes:?}");
            assert_eq!(bytes.matches('\x07').count(), 1, "{bytes:?}");
        }
    }
}
