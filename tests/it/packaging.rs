//! Requirements of packagers, and help that names every command.

use clap::{Command, CommandFactory};
use frontdesk::cli::EXIT_CODES;
use frontdesk::cli::manual::ENVIRONMENT;
use frontdesk::config::settings::TABLES;
use frontdesk::inbox::command::{TABLE, VERBS};
use frontdesk::inbox::keymap::KeyMap;
use frontdesk::model::conversations::Automation;
use portable_pty::CommandBuilder;
use serde_json::json;

use crate::binary::Binary;
use crate::desk::Desk;
use crate::pty::Terminal;

/// Completions of a shell for these words, the last of which is incomplete.
fn offered(binary: &Binary, shell: &str, words: &[&str]) -> String {
    let mut command = binary.command(&[&["--", "frontdesk"], words].concat());
    command.env("FRONTDESK_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let output = command.env("_CLAP_IFS", "\n").output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn completions_and_the_manual_name_every_command() {
    let binary = Binary::new();
    let manual = binary.ok(&["man"], "");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(binary.ok(&["completions", shell], "").contains("FRONTDESK_COMPLETE"), "{shell}");
        let completions = offered(&binary, shell, &[""]);
        for command in ["channel", "doctor", "search", "export", "serve", "demo"] {
            assert!(completions.contains(command), "{shell} lacks {command}: {completions}");
            assert!(manual.contains(command), "the manual lacks {command}");
        }
    }
    let help = binary.ok(&["--help"], "");
    let (_, status) = manual.split_once(".SH \"EXIT STATUS\"").expect("the section");
    for (code, words) in EXIT_CODES {
        let paragraph = format!(".TP\n\\fB{code}\\fR\n{words}\n");
        assert!(status.contains(&paragraph), "{paragraph} is not in {status}");
        assert!(help.contains(&format!("  {code}  {}", &words[..20])), "{help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    assert_eq!(binary.run(&["completions", "tcsh"], "").code, Some(2));
}

#[test]
fn completions_know_channels_and_conversations() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.set("CHAT_KEY", &desk.key_of("whatsapp"));
    binary.configure(&format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n",
        desk.base_url
    ));
    assert_eq!(offered(&binary, "bash", &["show", ""]).matches('+').count(), 0, "nothing was read yet");
    desk.customer("whatsapp", "+34600111222", "Ana \u{1b}[31m$(reboot)", "Is it ready?");
    desk.customer("whatsapp", "+34600111333", "Bo", "And mine?");
    binary.ok(&["list"], "");
    for command in ["show", "send", "close", "export"] {
        let told = offered(&binary, "fish", &[command, ""]);
        assert!(told.contains("+34600111222") && told.contains("+34600111333\tBo"), "{command}: {told}");
        assert!(!told.contains('\u{1b}'), "{told:?}");
    }
    let begun = offered(&binary, "fish", &["pause", "+346001113"]);
    assert_eq!(begun.lines().filter(|line| line.starts_with('+')).count(), 1, "{begun}");
    assert!(offered(&binary, "fish", &["list", "--channel", ""]).contains("Harbor chat"));
    assert!(offered(&binary, "fish", &["channel", "test", "Har"]).contains("Harbor chat"));
}

#[test]
fn completions_offer_files() {
    let binary = Binary::new();
    let begun = concat!(env!("CARGO_MANIFEST_DIR"), "/READ");
    let cases: [&[&str]; 9] = [
        &["upload"],
        &["send", "conv_1", "--file"],
        &["mail", "send", "--file"],
        &["broadcast", "send", "--to"],
        &["serve", "--db"],
        &["doctor", "--db"],
        &["admin", "--db"],
        &["admin", "key", "list", "--key-file"],
        &["admin", "move", "--from"],
    ];
    for words in cases {
        let told = offered(&binary, "fish", &[words, &[begun]].concat());
        assert!(told.contains("/README.md"), "{words:?}: {told}");
    }
    let told = offered(&binary, "fish", &["demo", "--data-dir", begun]);
    assert!(!told.contains("README.md"), "a file is no folder: {told}");
}

/// Completions of a real bash for a line, with or without `COMP_LINE`.
fn put_in(binary: &Binary, line: &str, tells_line: bool) -> Vec<String> {
    let script = "source <(\"$1\" completions bash); PATH=\"${1%/*}:$PATH\"; COMP_TYPE=9; \
                  read -ra COMP_WORDS <<<\"$2\"; [[ $2 != *' ' ]] || COMP_WORDS+=(''); \
                  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
                  [[ $3 == words ]] || { COMP_LINE=$2; COMP_POINT=${#2}; }; \
                  _clap_complete_frontdesk frontdesk \"${COMP_WORDS[COMP_CWORD]}\" ''; \
                  printf '%s\n' \"${COMPREPLY[@]}\"";
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", script, "bash", env!("CARGO_BIN_EXE_frontdesk"), line]);
    bash.arg(if tells_line { "line" } else { "words" });
    binary.variables(|name, value| {
        bash.env(name, value);
    });
    let output = bash.output().expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Two channels with names of several words.
const TWO_CHANNELS: &str = "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_env = \"A\"\n\
                            [[channel]]\nname = \"Shop $(reboot) & co\"\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_env = \"B\"\n";

#[test]
fn a_real_bash_completes_commands_and_quotes_what_it_must() {
    let binary = Binary::new();
    binary.configure(TWO_CHANNELS);
    for (line, wanted) in [
        ("frontdesk chan", "channel"),
        ("frontdesk list --channel Har", r"Harbor\ chat"),
        ("frontdesk list --channel Sh", r"Shop\ \$\(reboot\)\ \&\ co"),
        ("frontdesk list --ch", "--channel"),
    ] {
        assert_eq!(put_in(&binary, line, true), [wanted], "{line}");
        assert_eq!(put_in(&binary, line, false), [wanted], "{line}");
    }
    for (line, wanted) in [
        ("frontdesk list --channel \"Har", "Harbor chat"),
        ("frontdesk list --channel 'Har", "Harbor chat"),
        ("frontdesk list --channel Harbor\\ c", r"Harbor\ chat"),
        ("frontdesk list --channel=Har", r"Harbor\ chat"),
        ("frontdesk list --channel \"Harbor chat\" --js", "--json"),
    ] {
        assert_eq!(put_in(&binary, line, true), [wanted], "{line}");
    }
    assert_eq!(put_in(&binary, "frontdesk channel test ", true).len(), 2 + 3, "two channels, three switches");
}

#[test]
fn a_command_that_a_real_bash_completed_runs() {
    let binary = Binary::new();
    binary.configure(TWO_CHANNELS);
    let mut bash = CommandBuilder::new("bash");
    bash.args(["--norc", "--noprofile", "-i"]);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_frontdesk"));
    let path = std::env::var("PATH").unwrap_or_default();
    bash.env("PATH", format!("{}:{path}", program.parent().expect("a folder").display()));
    bash.env("PS1", "> ");
    binary.variables(|name, value| bash.env(name, value));
    let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), bash, 100, 24);
    terminal.wait_for_text("> ");
    terminal.keys("source <(frontdesk completions bash); echo rea''dy\r");
    terminal.wait_for_text("\nready");
    terminal.keys("frontdesk channel remove Har\t");
    terminal.wait_for_text(r"remove Harbor\ chat ");
    terminal.keys("--yes\r");
    terminal.wait_for_text("\"Harbor chat\" is removed");
    terminal.keys("frontdesk channel remove \"Sh\t");
    terminal.wait_for_text("remove \"Shop ");
    terminal.keys("\x15exit\r");
    assert_eq!(terminal.wait_for_end(), 0);
}

#[test]
fn completions_offer_what_a_command_takes() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.configure_channels(&desk, &[("whatsapp", "Harbor chat"), ("email", "Harbor mail")]);
    desk.customer("whatsapp", "+34600111222", "Ana Cruz", "Is it ready?");
    let mail = |from: &str, subject: &str| {
        let mail =
            json!({"channel": "email", "from": from, "name": "Bo", "subject": subject, "text": "See."});
        desk.dev("inbound", mail)["threadId"].as_str().expect("a thread").to_owned()
    };
    let threads = [
        mail("bo@mail.example", "A wheel"),
        mail("bo@mail.example", "A frame"),
        mail("cy@mail.example", "Hi"),
    ];
    binary.ok(&["list"], "");
    let offered = |words: &[&str]| offered(&binary, "fish", words);
    for command in ["show", "reply", "forward"] {
        let told = offered(&["mail", command, ""]);
        assert!(
            !told.contains("+34600111222") && told.contains("cy@mail.example\tBo · Hi"),
            "{command}: {told}"
        );
        assert!(told.contains(&format!("{}\tBo · A wheel", threads[0])), "{command}: {told}");
        assert!(!told.contains("bo@mail.example"), "it has two threads: {told}");
    }
    for command in ["change", "move", "spam", "delete"] {
        let told = offered(&["mail", command, ""]);
        assert!(
            threads.iter().all(|thread| told.contains(thread)) && !told.contains("mail.example"),
            "{command}: {told}"
        );
    }
    assert!(offered(&["mail", "send", "Hi", "--thread", ""]).contains(&threads[2]));
    let named = offered(&["show", "--name", ""]);
    assert!(named.contains("Ana Cruz") && !named.contains("+34600111222") && !named.contains('@'), "{named}");
    let named = offered(&["mail", "show", "--name", ""]);
    assert!(named.contains("Bo") && !named.contains("Ana Cruz"), "{named}");
    assert_eq!(put_in(&binary, "frontdesk show --name A", true), [r"Ana\ Cruz"]);
}

#[test]
fn the_manual_tells_every_command_with_its_options() {
    let manual = Binary::new().ok(&["man"], "").replace('\\', "");
    let mut root = frontdesk::cli::Cli::command();
    root.build();
    let mut rest: Vec<Command> = root.get_subcommands().cloned().collect();
    let mut told = 0;
    while let Some(command) = rest.pop() {
        if command.get_name() == "help" || command.is_hide_set() {
            continue;
        }
        let name = command.get_bin_name().expect("a built command").to_owned();
        let section = manual.split(&format!(".SS \"{name}\"\n")).nth(1);
        let section = section.unwrap_or_else(|| panic!("the manual lacks {name}"));
        let section = section.split("\n.S").next().unwrap_or("");
        for option in
            command.get_arguments().filter_map(|argument| argument.get_long()).filter(|text| *text != "help")
        {
            assert!(section.contains(&format!("--{option}")), "{name} lacks {option}: {section}");
        }
        told += 1;
        rest.extend(command.get_subcommands().cloned());
    }
    assert!(told > 40, "{told}");
    for heading in [
        ".SH NAME",
        ".SH SYNOPSIS",
        ".SH OPTIONS",
        ".SH COMMANDS",
        ".SH KEYS",
        ".SH \"EXIT STATUS\"",
        ".SH ENVIRONMENT",
        ".SH FILES",
        ".SH EXAMPLES",
    ] {
        assert_eq!(manual.lines().filter(|line| *line == heading).count(), 1, "{heading}");
    }
}

fn abouts(command: &Command, found: &mut Vec<String>) {
    found.extend(command.get_about().map(ToString::to_string));
    command.get_subcommands().for_each(|subcommand| abouts(subcommand, found));
}

#[test]
fn commands_and_keys_are_told_in_words_of_those_who_use_them() {
    let mut told: Vec<String> = TABLE.iter().map(|command_row| command_row.doc.to_owned()).collect();
    told.extend(VERBS.iter().map(|verb| verb.doc.to_owned()));
    abouts(&frontdesk::cli::Cli::command(), &mut told);
    told.push(Automation::Unknown.label().to_owned());
    assert!(told.len() > 300, "{}", told.len());
    for words in ["passed by", "pass by", "dashboard side", "embedded", "whom the AI", "unknown"] {
        let found: Vec<&String> = told.iter().filter(|text| text.contains(words)).collect();
        assert!(found.is_empty(), "{words}: {found:?}");
    }
}

#[test]
fn the_manual_tells_every_key() {
    let manual = Binary::new().ok(&["man"], "").replace("\\*(Aq", "'").replace('\\', "");
    for row in TABLE {
        let doc = KeyMap::default().doc_with_keys(row.command).replace('\\', "");
        assert!(manual.contains(&doc), "{doc}");
    }
    for verb in VERBS {
        assert!(manual.contains(&verb.usage()) && manual.contains(verb.doc), "{}", verb.name);
    }
}

#[test]
fn the_manual_of_the_configuration_tells_every_key() {
    let manual = Binary::new().ok(&["man", "config"], "").replace("\\*(Aq", "'").replace('\\', "");
    for table in TABLES {
        assert!(manual.contains(&table.heading()), "{}", table.name);
        for setting in table.settings {
            assert!(manual.contains(&setting.doc.replace('`', "")), "{}", setting.key);
        }
    }
    assert!(manual.starts_with(".TH frontdesk-config 5") || manual.contains("\n.TH frontdesk-config 5"));
}

#[test]
fn what_is_for_those_who_work_on_it_is_no_part_of_the_help() {
    let binary = Binary::new();
    let lists_dev = |text: &str| text.lines().any(|line| line.trim_start().starts_with("dev "));
    assert!(!lists_dev(&binary.ok(&["--help"], "")));
    assert!(!binary.ok(&["man"], "").contains("frontdesk dev"));
    assert!(binary.ok(&["dev", "--help"], "").contains("fuzz-html"));
}

#[test]
fn the_schema_is_printed_for_editors() {
    let schema: serde_json::Value =
        serde_json::from_str(&Binary::new().ok(&["config", "schema"], "")).expect("JSON");
    assert_eq!(schema["properties"]["ui"]["properties"]["ascii"]["type"], "boolean");
}

/// Environment variables a source file reads.
fn read_variables(source: &str) -> impl Iterator<Item = &str> {
    let calls = ["var(\"", "var_os(\"", "variable(\"", "is(\""];
    calls
        .into_iter()
        .flat_map(move |call| source.split(call).skip(1))
        .filter_map(|text| text.split_once('"'))
        .map(|pair| pair.0)
}

#[test]
fn every_variable_that_is_read_is_in_the_manual() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let (mut missing, mut checked) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                // Read only by random tests.
                if !path.ends_with("randomized") {
                    folders.push(path);
                }
                continue;
            }
            if path.components().any(|component| component.as_os_str() == "tests")
                || path.ends_with("tests.rs")
            {
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap_or_default();
            let (source, _) = source.split_once("#[cfg(test)]").unwrap_or((&source, ""));
            let is_variable = |text: &&str| {
                text.chars().all(|character| character.is_ascii_uppercase() || character == '_')
                    && text.len() > 1
            };
            for name in read_variables(source).filter(is_variable) {
                checked += 1;
                if !ENVIRONMENT.iter().any(|(names, _)| names.split(", ").any(|part| part == name)) {
                    missing.push(format!("{name} in {}", path.display()));
                }
            }
        }
    }
    assert!(checked >= 12, "{checked}");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn closed_standard_output_is_no_failure() {
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
