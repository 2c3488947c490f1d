//! What packagers ask for, and help that names every command.

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
