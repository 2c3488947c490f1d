//! Mistakes of the first day, each with its cause and its remedy in the words of the real binary.

mod causes;
#[cfg(unix)]
mod folders;
mod keys;
mod problems;

use std::net::TcpListener;

use serde_json::Value;

use crate::binary::{Binary, RunningProcess, free_port};
use crate::desk::Desk;

/// A channel with its key from this line of config.toml.
fn channel(base_url: &str, key_line: &str) -> String {
    format!("[[channel]]\nname = \"Shop\"\nbase_url = \"{base_url}\"\n{key_line}\n")
}

/// Lines of the doctor about one subject.
fn doctor_lines(binary: &Binary, subject: &str, arguments: &[&str]) -> Vec<String> {
    let ended = binary.run(&[&["doctor"], arguments].concat(), "");
    let is_about = |line: &&str| line.get(6..).is_some_and(|rest| rest.starts_with(subject));
    let found: Vec<String> = ended.out.lines().filter(is_about).map(str::to_owned).collect();
    assert!(!found.is_empty(), "nothing about {subject}: {}{}", ended.out, ended.err);
    found
}

#[test]
fn mistakes_of_the_configuration_are_told_by_line() {
    let binary = Binary::new();
    let bytes = b"[ui]\nascii = true\n[writing]\nagent = \"An\xe1\"\n";
    std::fs::write(binary.config(), bytes).expect("written");
    let line = doctor_lines(&binary, "configuration", &["--offline"]).remove(0);
    assert!(line.contains("config.toml, line 4: this line is not UTF-8"), "{line}");
    assert!(binary.fails(1, &["list"], "").contains("config.toml, line 4: this line is not UTF-8"));
    binary.configure("[writing]\nagent = \"Ana\"\n[ui\nascii = true\n");
    let line = doctor_lines(&binary, "configuration", &["--offline"]).remove(0);
    assert!(line.contains("config.toml, line 3"), "{line}");
    binary.configure("[ui]\nasci = true\n[behaviour]\nundo = 1\n[polling]\nvisible_seconds = 0\n");
    let lines = doctor_lines(&binary, "configuration", &["--offline"]);
    let places: Vec<bool> =
        [2, 4, 6].iter().zip(&lines).map(|(line, text)| text.contains(&format!("line {line}:"))).collect();
    assert_eq!(places, [true, true, true], "{lines:?}");
}

#[test]
fn receiver_without_its_port_is_told_on_the_screen_and_by_the_doctor() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    binary.set("CHAT_KEY", &desk.key_of("whatsapp"));
    binary.configure(&format!(
        "{}[receiver]\nlisten = \"127.0.0.1:{port}\"\npublic_url = \"http://127.0.0.1:{port}\"\n",
        channel(&desk.base_url, "key_env = \"CHAT_KEY\"")
    ));
    let line = doctor_lines(&binary, "receiver", &["--offline"]).remove(0);
    assert!(line.starts_with("fail") && line.contains("another program uses 127.0.0.1"), "{line}");
    let mut engine = RunningProcess(binary.command(&["engine"]).spawn().expect("it runs"));
    let mut out = std::io::BufReader::new(engine.0.stdout.take().expect("its output"));
    let mut text = String::new();
    while !text.contains("no webhooks: could not listen") {
        let count = std::io::BufRead::read_line(&mut out, &mut text).expect("readable");
        assert_ne!(count, 0, "{text}");
    }
    let line = doctor_lines(&binary, "receiver", &["--offline"]).remove(0);
    assert!(line.starts_with("ok") && line.contains("this desk runs"), "{line}");
    drop(engine);
    assert_eq!(text.matches("could not listen").count(), 1, "{text}");
}

#[test]
fn database_in_a_mistyped_folder_is_refused() {
    let binary = Binary::new();
    let folder = binary.folder().join("other-place");
    let database = folder.join("service.db").display().to_string();
    let listen = format!("127.0.0.1:{}", free_port());
    let said = binary.fails(1, &["serve", "--listen", &listen, "--db", &database], "");
    assert!(said.contains(&format!("run: mkdir -p {}", folder.display())), "{said}");
    assert!(!folder.exists());
}

#[test]
fn empty_lists_are_said_on_standard_error_only() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    binary.set("CHAT_KEY", &desk.key_of("whatsapp"));
    binary.configure(&channel(&desk.base_url, "key_env = \"CHAT_KEY\""));
    let cases: [(&[&str], &str); 3] = [
        (&["list"], "no conversations\n"),
        (&["outbox", "list"], "no messages in the outbox\n"),
        (&["search", "nothing"], "no matches\n"),
    ];
    for (arguments, words) in cases {
        let ended = binary.run(arguments, "");
        assert_eq!(
            (ended.code, ended.out.as_str(), ended.err.as_str()),
            (Some(0), "", words),
            "{arguments:?}"
        );
        let ended = binary.run(&[arguments, &["--json"]].concat(), "");
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{arguments:?}");
        let value: Result<Value, _> = serde_json::from_str(&ended.out);
        assert!(value.is_ok(), "{}", ended.out);
    }
}

#[test]
fn both_verbs_of_a_pair_are_understood() {
    let binary = Binary::new();
    let cases: [&[&str]; 11] = [
        &["channel", "create"],
        &["channel", "delete"],
        &["webhooks", "add"],
        &["webhooks", "remove"],
        &["connection", "create"],
        &["connection", "delete"],
        &["admin", "key", "add"],
        &["admin", "key", "delete"],
        &["admin", "key", "remove"],
        &["admin", "connection", "create"],
        &["admin", "person", "delete"],
    ];
    for arguments in cases {
        let ended = binary.run(&[arguments, &["--help"]].concat(), "");
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn first_tab_of_zsh_completes() {
    let script = Binary::new().ok(&["completions", "zsh"], "");
    assert!(script.starts_with("#compdef frontdesk"), "{script}");
    let end = "if [[ \"${funcstack[1]}\" == _frontdesk ]]; then\n    _clap_dynamic_completer_frontdesk \"$@\"\nfi\n";
    assert!(script.ends_with(end), "{script}");
}
