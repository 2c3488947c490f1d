//! Checks of the terminal: size, colours, character set. Sends no query.
//!
//! Skipped without a terminal.

use std::io::IsTerminal;

use crate::cli::desk;
use crate::cli::doctor::CheckResult;
use crate::shell::clipboard::Clipboard;
use crate::shell::{children, terminal};

/// Smallest fully usable size.
const MIN_SIZE: (u16, u16) = (80, 24);
/// Maximum escape delay of tmux, in milliseconds.
const MAX_ESCAPE_TIME_MS: u32 = 50;

pub fn check_terminal(copy_command: &[String]) -> Vec<CheckResult> {
    if !std::io::stdout().is_terminal() {
        return vec![CheckResult::ok("terminal", "none on stdout, so it was not looked at")];
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
        Ok((columns, rows)) if columns < MIN_SIZE.0 || rows < MIN_SIZE.1 => CheckResult::warn(
            "terminal",
            format!("{columns}x{rows}"),
            "80x24 is the smallest that shows everything",
        ),
        Ok((columns, rows)) => CheckResult::ok("terminal", format!("{columns}x{rows}")),
        Err(error) => CheckResult::fail("terminal", format!("its size: {error}"), "use another terminal"),
    }
}

fn kind() -> CheckResult {
    let Some(term) = variable("TERM") else {
        return CheckResult::fail(
            "terminal",
            "TERM is not set",
            "set it to what your terminal is, such as xterm-256color",
        );
    };
    if term == "dumb" {
        return CheckResult::fail("terminal", "TERM is dumb", "use a terminal that can place the cursor");
    }
    let colours = match variable("COLORTERM") {
        _ if desk::is_colour_disabled(variable) => "no colours (NO_COLOR or CLICOLOR)".to_owned(),
        Some(word) => format!("colours: {word}"),
        None if term.contains("256color") => "256 colours".to_owned(),
        None => "16 colours".to_owned(),
    };
    CheckResult::ok("terminal", format!("TERM {term}, {colours}"))
}

fn charset() -> CheckResult {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default();
    let flat = locale.to_ascii_lowercase().replace('-', "");
    if flat.contains("utf8") || cfg!(windows) {
        return CheckResult::ok("terminal", format!("locale {locale}"));
    }
    let shown = if locale.is_empty() { "none" } else { &locale };
    let advice = "set LANG to a UTF-8 one such as C.UTF-8, or ascii = true in [ui]";
    CheckResult::warn("terminal", format!("locale {shown} is not UTF-8"), advice)
}

/// Checks the destination of copies.
fn clipboard(own: &[String]) -> CheckResult {
    let name = "clipboard";
    if let [program, ..] = own {
        return CheckResult::ok(name, format!("copies are given to {program}"));
    }
    if desk::clipboard(Vec::new()) == Clipboard::Nowhere {
        return CheckResult::warn(
            name,
            "this terminal takes no copies",
            "name a program in [ui] copy_command",
        );
    }
    if variable("TMUX").is_none() {
        return CheckResult::ok(
            name,
            "copies are sent to the terminal (OSC 52), which never says whether it took them",
        );
    }
    match tmux_option("set-clipboard").as_deref() {
        Some("on" | "external") => CheckResult::ok(name, "tmux takes copies and hands them to its terminal"),
        Some(set) => CheckResult::warn(
            name,
            format!("tmux takes copies, but its set-clipboard is {set}: they may stay in tmux"),
            "paste with prefix ], or add to ~/.tmux.conf: set -s set-clipboard external",
        ),
        None => CheckResult::warn(name, "tmux does not answer", "name a program in [ui] copy_command"),
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
        CheckResult::warn("tmux", format!("holds Esc back for {wait} ms"), advice)
    } else {
        CheckResult::ok("tmux", format!("holds Esc back for {wait} ms"))
    })
}
