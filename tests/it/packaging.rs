//! What packagers ask for, and help that names every command.

use clap::{Command, CommandFactory};
use frontdesk::inbox::command::{TABLE, VERBS};
use frontdesk::inbox::keymap::KeyMap;

use crate::binary::Binary;

#[test]
fn completions_and_the_manual_name_every_command() {
    let binary = Binary::new();
    let manual = binary.ok(&["man"], "");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let completions = binary.ok(&["completions", shell], "");
        for command in ["channel", "doctor", "search", "export", "serve", "demo"] {
            assert!(completions.contains(command), "{shell} lacks {command}");
            assert!(manual.contains(command), "the manual lacks {command}");
        }
    }
    assert!(manual.contains("Exit codes") && binary.ok(&["--help"], "").contains("Exit codes"));
    assert_eq!(binary.run(&["completions", "tcsh"], "").code, Some(2));
}

#[test]
fn the_manual_tells_every_command_with_its_options() {
    let manual = Binary::new().ok(&["man"], "").replace('\\', "");
    let mut root = frontdesk::cli::Cli::command();
    root.build();
    let mut rest: Vec<Command> = root.get_subcommands().cloned().collect();
    let mut told = 0;
    while let Some(command) = rest.pop() {
        if command.get_name() == "help" {
            continue;
        }
        let name = command.get_bin_name().expect("a built command").to_owned();
        let section = manual.split(&format!(".SS \"{name}\"\n")).nth(1);
        let section = section.unwrap_or_else(|| panic!("the manual lacks {name}"));
        let section = section.split("\n.S").next().unwrap_or("");
        for option in command.get_arguments().filter_map(|it| it.get_long()).filter(|it| *it != "help") {
            assert!(section.contains(&format!("--{option}")), "{name} lacks {option}: {section}");
        }
        told += 1;
        rest.extend(command.get_subcommands().cloned());
    }
    assert!(told > 40, "{told}");
    for heading in
        [".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH COMMANDS", ".SH KEYS", ".SH \"EXIT STATUS\""]
    {
        assert_eq!(manual.lines().filter(|it| *it == heading).count(), 1, "{heading}");
    }
}

#[test]
fn the_manual_tells_every_key() {
    let manual = Binary::new().ok(&["man"], "").replace("\\*(Aq", "'").replace('\\', "");
    for row in TABLE {
        let doc = KeyMap::default().doc(row.command).replace('\\', "");
        assert!(manual.contains(&doc), "{doc}");
    }
    for verb in VERBS {
        assert!(manual.contains(&verb.typed()) && manual.contains(verb.doc), "{}", verb.name);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let binary = Binary::new();
    for arguments in [&["man"][..], &["completions", "bash"], &["doctor", "--offline"], &["channel", "list"]]
    {
        binary.unread(arguments);
    }
}

#[test]
fn without_a_terminal_the_inbox_names_what_scripts_use() {
    let said = Binary::new().fails(2, &[], "");
    for command in
        ["list", "show", "search", "export", "send", "react", "pause", "resume", "close", "broadcast"]
    {
        assert!(said.contains(command), "{said}");
    }
    let said = Binary::new().fails(2, &["wall"], "");
    assert!(said.contains("the wall needs a terminal") && !said.contains("inbox"), "{said}");
}
