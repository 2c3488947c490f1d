//! Shell completions of channels and conversations from the local files, without a request.

mod bash;
mod zsh;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{self, CompleteEnv, Shells};
use model::text::SafeText;
use store::inspect::{self, ConversationName};

use crate::cli::folders::{self, DeskFolders};
use crate::cli::{Cli, desk};
use crate::config::Config;
use net::connections::file;

/// Set by the shell scripts when they request completions.
const COMPLETE_VARIABLE: &str = "FRONTDESK_COMPLETE";
const PROGRAM: &str = "frontdesk";
/// Maximum conversations offered, newest first.
const MAX_CANDIDATES: usize = 200;
const SHELLS: Shells<'static> =
    Shells(&[&bash::BashCompleter, &env::Elvish, &env::Fish, &env::Powershell, &zsh::ZshCompleter]);

/// Replaces words of a registration script, in the given order.
fn fill_in(script: &str, words: [(&str, &str); 4]) -> String {
    words.into_iter().fold(script.to_owned(), |filled, (word, value)| filled.replace(word, value))
}

/// Answers a completion request and exits; returns if there is none.
pub fn answer_shell() {
    let is_switch = |name: OsString| name.to_string_lossy().split_whitespace().any(|word| word == "--name");
    CompleteEnv::with_factory(|| completion_command(std::env::args_os().any(is_switch)))
        .var(COMPLETE_VARIABLE)
        .shells(SHELLS)
        .complete();
}

/// Command tree with completions of conversations by address, or by name.
fn completion_command(by_name: bool) -> Command {
    let offering = move |command: Command, of_mail: bool| {
        command.mut_args(|command| match (command.get_id() == "conversation", by_name, of_mail) {
            (false, _, _) | (true, false, false) => command,
            (true, true, _) => command.add(ArgValueCandidates::new(move || names(of_mail))),
            (true, false, true) => command.add(ArgValueCandidates::new(mails)),
        })
    };
    Cli::command().mut_subcommands(|entry| {
        let is_mail = entry.get_name() == "mail";
        offering(entry, false).mut_subcommands(|command| offering(command, is_mail))
    })
}

/// Writes the registration script of a shell.
pub fn script(shell: Shell, page: &mut Vec<u8>) -> std::io::Result<()> {
    match SHELLS.completer(&shell.to_string()) {
        Some(completer) => {
            completer.write_registration(COMPLETE_VARIABLE, PROGRAM, PROGRAM, PROGRAM, page)?;
        }
        None => return Err(std::io::Error::other(format!("no completions for {shell}"))),
    }
    Ok(())
}

pub fn channels() -> Vec<CompletionCandidate> {
    let config = folders::config().map(|config| Config::examine_file(&config.join("config.toml")));
    let channels = config.map(|config| config.channels).unwrap_or_default();
    channels.into_iter().map(|channel| CompletionCandidate::new(channel.name)).collect()
}

pub fn connections() -> Vec<CompletionCandidate> {
    let folder = folders::config();
    let read = folder.map(|folder| file::read(&folder.join(desk::CONNECTIONS_FILE)).0).unwrap_or_default();
    read.into_iter().map(|connection| CompletionCandidate::new(connection.name)).collect()
}

/// Newest open conversations by address, with the customer's name.
pub fn conversations() -> Vec<CompletionCandidate> {
    offered(false, address_or_id)
}

/// Newest mail threads by address.
fn mails() -> Vec<CompletionCandidate> {
    offered(true, address_or_id)
}

/// Newest mail threads by id.
pub fn threads() -> Vec<CompletionCandidate> {
    offered(true, |conversation_name, _| Some(conversation_name.id.clone()).filter(|text| is_plain(text)))
}

fn names(threads: bool) -> Vec<CompletionCandidate> {
    offered(threads, |conversation_name, _| {
        conversation_name.name.clone().filter(|name| name.split(' ').all(is_plain_name))
    })
}

/// Number of conversations for each address.
type AddressCounts = HashMap<String, usize>;

/// Address if it identifies one conversation, else the id.
fn address_or_id(name: &ConversationName, counts: &AddressCounts) -> Option<String> {
    let address = name.address.clone().filter(|address| counts.get(address) == Some(&1));
    [address, Some(name.id.clone())].into_iter().flatten().find(|text| is_plain(text))
}

fn offered(
    threads: bool,
    word: impl Fn(&ConversationName, &AddressCounts) -> Option<String>,
) -> Vec<CompletionCandidate> {
    let Ok(files) = DeskFolders::find() else { return Vec::new() };
    let cache = Some(files.cache.as_path());
    let found =
        inspect::newest_conversations(&files.data, cache, threads, MAX_CANDIDATES).unwrap_or_default();
    let mut counts = AddressCounts::new();
    for address in found.iter().filter_map(|conversation_name| conversation_name.address.clone()) {
        *counts.entry(address).or_default() += 1;
    }
    let mut told = HashSet::new();
    let fresh = found
        .iter()
        .filter_map(|conversation_name| Some((word(conversation_name, &counts)?, conversation_name)));
    let fresh = fresh.filter(|(word, _)| told.insert(word.clone())).enumerate();
    let candidate = |(at, (word, conversation_name)): (usize, (String, &ConversationName))| {
        let known = [&conversation_name.name, &conversation_name.subject]
            .into_iter()
            .flatten()
            .filter(|text| **text != word);
        let help: Vec<String> = known.map(|text| SafeText::line(text).to_string()).collect();
        let help = (!help.is_empty()).then(|| help.join(" · ").into());
        CompletionCandidate::new(word).help(help).display_order(Some(at))
    };
    fresh.map(candidate).collect()
}

/// True if a shell reads the word verbatim: words from the server are put on a command line.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word.chars().all(|character| character.is_ascii_alphanumeric() || "+@._-".contains(character))
}

/// Like [`is_plain`] for a part of a name, in any script.
fn is_plain_name(word: &str) -> bool {
    !word.starts_with('-')
        && !word.is_empty()
        && word.chars().all(|character| character.is_alphanumeric() || "._-".contains(character))
}

#[cfg(test)]
mod tests {
    use super::{is_plain, is_plain_name};

    #[test]
    fn only_what_means_nothing_to_a_shell_is_offered() {
        for word in ["+34600111222", "ana@mail.example", "conv_1", "123456789"] {
            assert!(is_plain(word), "{word}");
        }
        for word in ["", "-rf", "$(reboot)", "a b", "a;b", "`x`", "a\nb", "*", "~", "a'b", "\u{1b}[2J"] {
            assert!(!is_plain(word) && !is_plain_name(word), "{word}");
        }
        assert!(is_plain_name("João") && is_plain_name("山田"));
    }
}
