//! What the completions of a shell offer beside commands and switches: channels
//! and conversations, from this desk's own files. No server is asked.

use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{CompleteEnv, Shells};
use model::text::SafeText;
use store::inspect;

use crate::cli::Cli;
use crate::cli::folders::{self, DeskFolders};
use crate::config::Config;

/// Set by the scripts of the shells when they ask for what fits.
const VARIABLE: &str = "FRONTDESK_COMPLETE";
const PROGRAM: &str = "frontdesk";
/// Conversations that are offered, newest first.
const OFFERED: usize = 200;

/// Answers a shell that asks, and ends; does nothing where none does.
pub fn answer() {
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

/// The script by which a shell asks.
pub fn script(shell: Shell, page: &mut Vec<u8>) -> std::io::Result<()> {
    match Shells::builtins().completer(&shell.to_string()) {
        Some(it) => it.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, page),
        None => Err(std::io::Error::other(format!("{shell} cannot be completed"))),
    }
}

/// The configured channels.
pub fn channels() -> Vec<CompletionCandidate> {
    let config = folders::config().map(|it| Config::examine_file(&it.join("config.toml")));
    let channels = config.map(|it| it.channels).unwrap_or_default();
    channels.into_iter().map(|it| CompletionCandidate::new(it.name)).collect()
}

/// The newest open conversations, by what names them, with the customer's name.
pub fn conversations() -> Vec<CompletionCandidate> {
    let Ok(files) = DeskFolders::find() else { return Vec::new() };
    let found = inspect::newest_conversations(&files.data, Some(&files.cache), OFFERED).unwrap_or_default();
    let candidate = |it: inspect::ConversationName| {
        let word = [it.address, Some(it.id)].into_iter().flatten().find(|it| is_plain(it))?;
        let name = it.name.map(|it| SafeText::line(&it).to_string().into());
        Some(CompletionCandidate::new(word).help(name))
    };
    found.into_iter().filter_map(candidate).enumerate().map(|(at, it)| it.display_order(Some(at))).collect()
}

/// Whether a shell takes it as one word that means nothing to it: what a server
/// told is put on a command line.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word.chars().all(|it| it.is_ascii_alphanumeric() || "+@._-".contains(it))
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn only_what_means_nothing_to_a_shell_is_offered() {
        for word in ["+34600111222", "ana@mail.example", "conv_1", "123456789"] {
            assert!(is_plain(word), "{word}");
        }
        for word in ["", "-rf", "$(reboot)", "a b", "a;b", "`x`", "a\nb", "*", "~", "a'b", "\u{1b}[2J"] {
            assert!(!is_plain(word), "{word}");
        }
    }
}
