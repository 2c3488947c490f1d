//! Checks of the terminal: size, colours, character set. Sends no query.
//!
//! Skipped without a terminal.

use std::io::IsTerminal;

use crate::cli::desk;
use crate::cli::doctor::CheckResult;
use crate::cli::doctor::problem::Problem;
use crate::shell::clipboard::Clipboard;
use crate::shell::{children, terminal};
use inbox::color_depth::ColorDepth;
use inbox::layout;

/// Smallest fully usable size.
const MIN_SIZE: (u16, u16) = (80, 24);
/// Maximum escape delay of tmux, in milliseconds.
const MAX_ESCAPE_TIME_MS: u32 = 50;

pub fn check_terminal(copy_command: &[String]) -> Vec<CheckResult> {
    if !std::io::stdout().is_terminal() {
        return vec![CheckResult::ok("terminal", "not checked: standard output is not a terminal")];
    }
    let mut findings = vec![size(), kind(), charset()];
    findings.extend(tmux());
    findings.push(clipboard(copy_command));
    findings
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|var| !var.is_empty())
}

fn size() -> CheckResult {
    match terminal::size() {
        Ok(size) if layout::is_too_small(size) => {
            let (columns, rows) = size;
            let needed = format!("{}x{}", layout::MIN_WIDTH, layout::MIN_HEIGHT);
            CheckResult::fail(
                Problem::SmallTerminal,
                "terminal",
                format!("{columns}x{rows}, but the inbox needs {needed}"),
                "enlarge it, choose a smaller font, or use `frontdesk --plain`",
            )
        }
        Ok((columns, rows)) if columns < MIN_SIZE.0 || rows < MIN_SIZE.1 => CheckResult::warn(
            Problem::SmallTerminal,
            "terminal",
            format!("{columns}x{rows}"),
            "make it at least 80x24 to show everything",
        ),
        Ok((columns, rows)) => CheckResult::ok("terminal", format!("{columns}x{rows}")),
        Err(error) => CheckResult::fail(
            Problem::TerminalType,
            "terminal",
            format!("its size is unknown: {error}"),
            "use another terminal",
        ),
    }
}

fn kind() -> CheckResult {
    let Some(term) = variable("TERM") else {
        return CheckResult::fail(
            Problem::TerminalType,
            "terminal",
            "TERM is not set",
            "set it to the type of your terminal, such as xterm-256color",
        );
    };
    if term == "dumb" {
        return CheckResult::fail(
            Problem::TerminalType,
            "terminal",
            "TERM is dumb",
            "use a terminal that can move the cursor, or `frontdesk --plain`",
        );
    }
    CheckResult::ok("terminal", format!("TERM {term}, {}", describe_colors(variable)))
}

/// Colours that the inbox uses on this terminal.
fn describe_colors(variable: impl Fn(&str) -> Option<String>) -> &'static str {
    if desk::is_colour_disabled(&variable) {
        return "no colours (NO_COLOR)";
    }
    match ColorDepth::of(variable) {
        ColorDepth::Monochrome => "no colours",
        ColorDepth::Sixteen => "16 colours",
        ColorDepth::Indexed => "256 colours",
        ColorDepth::Direct => "16 million colours",
    }
}

fn charset() -> CheckResult {
    let locale = desk::locale(variable);
    if desk::is_utf8(&locale) || cfg!(windows) {
        return CheckResult::ok("terminal", format!("locale {locale}"));
    }
    let shown = if locale.is_empty() { "none" } else { &locale };
    let advice = "set LANG to a UTF-8 locale such as C.UTF-8, or choose the borders with ascii in [ui]";
    CheckResult::warn(Problem::Charset, "terminal", format!("locale {shown} is not UTF-8"), advice)
}

/// Checks the destination of copies.
fn clipboard(own: &[String]) -> CheckResult {
    let name = "clipboard";
    if let [program, ..] = own {
        return CheckResult::ok(name, format!("copies go to {program}"));
    }
    if desk::clipboard(Vec::new()) == Clipboard::Nowhere {
        return CheckResult::warn(
            Problem::Clipboard,
            name,
            "this terminal accepts no copies",
            "set a program in [ui] copy_command",
        );
    }
    if variable("TMUX").is_none() {
        return CheckResult::ok(name, "copies go to the terminal (OSC 52), which does not confirm them");
    }
    match tmux_option("set-clipboard").as_deref() {
        Some("on" | "external") => {
            CheckResult::ok(name, "tmux accepts copies and passes them to its terminal")
        }
        Some(set) => CheckResult::warn(
            Problem::Clipboard,
            name,
            format!("tmux accepts copies, but with set-clipboard {set} they may stay in tmux"),
            "paste with prefix ], or add to ~/.tmux.conf: set -s set-clipboard external",
        ),
        None => CheckResult::warn(
            Problem::Clipboard,
            name,
            "tmux does not answer",
            "set a program in [ui] copy_command",
        ),
    }
}

fn tmux_option(name: &str) -> Option<String> {
    let output = children::command("tmux").args(["show-options", "-sv", name]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn tmux() -> Option<CheckResult> {
    variable("TMUX")?;
    let wait: u32 = tmux_option("escape-time")?.parse().ok()?;
    Some(if wait > MAX_ESCAPE_TIME_MS {
        let advice = "add to ~/.tmux.conf: set -sg escape-time 10";
        CheckResult::warn(Problem::SlowEscape, "tmux", format!("delays Esc by {wait} ms"), advice)
    } else {
        CheckResult::ok("tmux", format!("delays Esc by {wait} ms"))
    })
}

#[cfg(test)]
mod tests {
    use super::describe_colors;

    #[test]
    fn colours_are_those_that_the_inbox_uses() {
        let cases: [(&[(&str, &str)], &str); 5] = [
            (&[("TERM", "xterm")], "256 colours"),
            (&[("TERM", "xterm"), ("COLORTERM", "truecolor")], "16 million colours"),
            (&[("TERM", "linux"), ("COLORTERM", "truecolor")], "16 colours"),
            (&[("TERM", "vt220")], "no colours"),
            (&[("TERM", "xterm"), ("NO_COLOR", "1")], "no colours (NO_COLOR)"),
        ];
        for (variables, colors) in cases {
            let variable =
                |name: &str| variables.iter().find(|entry| entry.0 == name).map(|entry| entry.1.to_owned());
            assert_eq!(describe_colors(variable), colors, "{variables:?}");
        }
    }
}
