//! The most likely failures of the first day, made on purpose: the doctor names each of them, says what to do, and
//! where the book explains it.

use std::process::{Command, Output, Stdio};

use frontdesk::cli::doctor::problem::Problem;
use portable_pty::CommandBuilder;
use serde_json::{Value, json};

use super::channel;
use crate::assistant::standin::StandIn;
use crate::binary::{Binary, Ended, RunningProcess};
use crate::book::page;
use crate::desk::Desk;
use crate::pty::Terminal;
use crate::skipping::skip;
use crate::waiting::until;

const KEY: &str = "svc_live_0123456789abcdef0123";

/// Failures with their problem, and the test that makes each of them: file and function.
const FAILURES: [(&str, Problem, &str, &str); 25] = [
    ("a variable that is not set", Problem::MissingKey, "first_day/problems", "missing_key_is_named"),
    ("a text that is no key", Problem::MissingKey, "first_day/keys", "text_that_is_no_key_is_not_sent"),
    ("a wrong key", Problem::RefusedKey, "first_day/problems", "wrong_key_is_named"),
    ("a key of another tab", Problem::OtherAccount, "first_day/problems", "key_of_another_tab_is_named"),
    ("a wrong scope", Problem::Scope, "first_day/problems", "key_without_the_permission_to_read_is_named"),
    ("a key that may only read", Problem::Scope, "first_day/problems", "key_that_may_only_read_is_named"),
    ("a wrong clock", Problem::Clock, "first_day/problems", "clocks_that_differ_are_named"),
    ("a dead proxy", Problem::Connection, "first_day/causes", "proxy_is_named_with_its_variable"),
    ("an unknown certificate", Problem::Connection, "first_day/causes", "fault_of_a_certificate_is_named"),
    ("a wrong scheme", Problem::Connection, "first_day/causes", "wrong_scheme_is_named"),
    ("an address without /v1", Problem::Connection, "first_day/causes", "address_without_version_is_named"),
    ("a server that fails", Problem::ServerFailure, "first_day/problems", "failing_server_is_named"),
    ("an old server", Problem::OldServer, "first_day/problems", "older_server_is_named"),
    ("a locale without UTF-8", Problem::Charset, "first_day/problems", "locale_without_utf8_is_named"),
    ("a small terminal", Problem::SmallTerminal, "first_day/problems", "small_terminal_is_named"),
    ("a full disk", Problem::FullDisk, "first_day/problems", "full_disk_is_named"),
    ("two processes", Problem::OtherProcess, "first_day/problems", "two_processes_on_one_folder_are_named"),
    (
        "a folder of root",
        Problem::ForeignFile,
        "first_day/folders",
        "folder_of_another_user_is_named_with_its_owner",
    ),
    (
        "a mistake in config.toml",
        Problem::Configuration,
        "first_day/problems",
        "mistake_in_the_configuration_is_named",
    ),
    ("a damaged outbox", Problem::DamagedFile, "channel", "the_doctor_tells_what_does_not_work"),
    (
        "a port that another program has",
        Problem::Receiver,
        "first_day/mod",
        "receiver_without_its_port_is_told_on_the_screen_and_by_the_doctor",
    ),
    (
        "a webhook that is not reached",
        Problem::Webhook,
        "serving/doctor",
        "doctor_names_failing_webhooks_and_a_newer_version",
    ),
    (
        "a public_url that leads nowhere",
        Problem::Webhook,
        "first_day/problems",
        "webhook_that_does_not_reach_the_desk_is_named",
    ),
    (
        "a mailbox that refuses",
        Problem::Platform,
        "carriers/connecting",
        "a_mailbox_is_connected_after_a_live_test_and_its_password_is_sealed",
    ),
    (
        "a database server that is down",
        Problem::Database,
        "serving/doctor",
        "doctor_says_what_to_do_about_a_database_server_that_is_down",
    ),
];

#[test]
fn every_failure_has_a_test_that_makes_it() {
    for (failure, _, file, test) in FAILURES {
        let source = page(&format!("tests/it/{file}.rs"));
        assert!(source.contains(&format!("fn {test}()")), "{failure}: {test} is not in {file}.rs");
    }
}

#[test]
fn every_problem_has_a_heading_in_the_book() {
    let page = page("docs/troubleshooting.md");
    let (_, part) = page.split_once("\n## What the doctor finds\n").expect("the section");
    let (part, _) = part.split_once("\n## ").expect("a section after it");
    let headings: Vec<&str> = part.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    assert_eq!(headings, Problem::ALL.map(Problem::heading));
    for section in part.split("\n### ").skip(1) {
        let (heading, text) = section.split_once('\n').expect("a text");
        assert!(text.trim().len() > 40, "{heading} has no remedy");
    }
}

/// Findings of the doctor about a problem: verdict, text and advice of each in a line.
fn findings(out: &str, problem: Problem) -> Vec<String> {
    let told: Value = serde_json::from_str(out).unwrap_or_else(|_| panic!("no JSON: {out}"));
    let field = |finding: &Value, name: &str| finding[name].as_str().expect("text").to_owned();
    let all = told["findings"].as_array().expect("findings").iter();
    let about = all.filter(|finding| finding["help"] == problem.place());
    about
        .map(|finding| {
            let [verdict, seen, advice] = ["verdict", "seen", "advice"].map(|name| field(finding, name));
            format!("{verdict} {seen}: {advice}")
        })
        .collect()
}

#[track_caller]
fn is_named(out: &str, problem: Problem, words: &[&str]) {
    let found = findings(out, problem);
    let fits = |line: &String| words.iter().all(|word| line.contains(word));
    assert!(found.iter().any(fits), "{words:?} are not in {found:#?} of {out}");
}

fn examine(binary: &Binary, arguments: &[&str]) -> String {
    let Ended { out, .. } = binary.run(&[&["doctor", "--json"], arguments].concat(), "");
    out
}

fn shop(base_url: &str, key: &str) -> Binary {
    let mut binary = Binary::new();
    binary.set("SHOP_KEY", key);
    binary.configure(&channel(base_url, "key_env = \"SHOP_KEY\""));
    binary
}

/// A business chat whose answers to `GET` are made from the path. Returns its base URL.
fn server(answer: impl Fn(&str) -> Option<(u16, Value)> + Send + Sync + 'static) -> String {
    let account = json!({
        "id": "acc", "assistantId": "as", "keyId": "key", "workspace": {"id": "ws", "name": "Harbor"},
        "assistant": {"id": "as", "name": "Ada", "platform": "WHATSAPP"}, "whatsappNumber": "+34600000000",
        "creditsBalance": 412.0, "environment": "live"
    });
    let server = StandIn::start(move |request| {
        let path = request.target.as_str();
        let usual = match path {
            "/v1/account" => account.clone(),
            _ => json!({"data": [], "hasMore": false, "nextCursor": null}),
        };
        let (status, body) = answer(path).unwrap_or((200, usual));
        (status, body.to_string())
    });
    server.url()
}

fn is_desk_service(path: &str) -> bool {
    path.ends_with("/desk/v1")
}

#[test]
fn missing_key_is_named() {
    let binary = Binary::new();
    binary.configure(&channel("http://127.0.0.1:9/v1", "key_env = \"FRONTDESK_TEST_UNSET_KEY\""));
    let words = ["fail", "FRONTDESK_TEST_UNSET_KEY is not set; set it"];
    is_named(&examine(&binary, &[]), Problem::MissingKey, &words);
}

#[test]
fn wrong_key_is_named() {
    let desk = Desk::new(80, 24);
    let words = ["fail", "the server refuses this key", "put another key into the variable SHOP_KEY"];
    is_named(&examine(&shop(&desk.base_url, KEY), &[]), Problem::RefusedKey, &words);
}

#[test]
fn key_of_another_tab_is_named() {
    let desk = Desk::new(80, 24);
    let mut binary = shop(&desk.base_url, &desk.key_of("whatsapp"));
    binary.ok(&["list"], "");
    binary.set("SHOP_KEY", &desk.key_of("telegram"));
    let words = ["fail", "this tab was business chat", "use another tab"];
    is_named(&examine(&binary, &[]), Problem::OtherAccount, &words);
}

#[test]
fn key_without_the_permission_to_read_is_named() {
    let base_url = server(|path| {
        let refusal = json!({"code": "FORBIDDEN", "message": "this key may not read conversations"});
        path.starts_with("/v1/conversations").then_some((403, refusal))
    });
    let words =
        ["fail", "not allowed for this key: conversations", "give the key this permission, or put another"];
    is_named(&examine(&shop(&base_url, KEY), &[]), Problem::Scope, &words);
}

#[test]
fn key_that_may_only_read_is_named() {
    let why = "a viewer cannot change anything; the operator of the service gives another role";
    let base_url = server(move |path| {
        let body = json!({"version": "99.0.0", "features": ["automation"], "writesRefused": why});
        is_desk_service(path).then_some((200, body))
    });
    let binary = shop(&base_url, KEY);
    is_named(&examine(&binary, &[]), Problem::Scope, &["warn", "this key may only read", why]);
    // As the tab wants it.
    let read_only = format!("{}read_only = true\n", channel(&base_url, "key_env = \"SHOP_KEY\""));
    binary.configure(&read_only);
    assert_eq!(findings(&examine(&binary, &[]), Problem::Scope), Vec::<String>::new());
}

#[test]
fn clocks_that_differ_are_named() {
    let desk = Desk::new(80, 24);
    let words = ["warn", "the server's clock is", "set the clock of this machine"];
    is_named(&examine(&shop(&desk.base_url, &desk.key_of("whatsapp")), &[]), Problem::Clock, &words);
}

#[test]
fn failing_server_is_named() {
    let failure = json!({"code": "INTERNAL_ERROR", "message": "boom"});
    let base_url = server(move |path| (path == "/v1/account").then(|| (503, failure.clone())));
    let words = ["fail", "the server is there but fails"];
    is_named(&examine(&shop(&base_url, KEY), &[]), Problem::ServerFailure, &words);
}

#[test]
fn older_server_is_named() {
    let base_url = server(|path| {
        let body = json!({"version": "0.0.9", "features": ["automation"]});
        is_desk_service(path).then_some((200, body))
    });
    let words = ["warn", "frontdesk 0.0.9 with automation", "update the service first, then the desks"];
    is_named(&examine(&shop(&base_url, KEY), &[]), Problem::OldServer, &words);
    let base_url = server(|path| {
        let body = json!({"code": "NOT_FOUND", "message": "no such path"});
        is_desk_service(path).then_some((404, body))
    });
    let words = ["ok", "a service without extensions for desks", "kept on this desk only"];
    is_named(&examine(&shop(&base_url, KEY), &[]), Problem::OldServer, &words);
}

#[test]
fn webhook_that_does_not_reach_the_desk_is_named() {
    let base_url = server(|path| {
        let webhook = |id: &str, host: &str| {
            json!({
                "id": id, "url": format!("https://{host}/hooks/{id}"), "events": [], "isActive": true,
                "failingSince": "2026-11-30T00:00:00.000Z"
            })
        };
        let all = [webhook("wh_1", "desk.example"), webhook("wh_2", "other.example")];
        (path == "/v1/webhooks").then(|| (200, json!({"data": all})))
    });
    let binary = shop(&base_url, KEY);
    let receiver = "[receiver]\nlisten = \"127.0.0.1:0\"\npublic_url = \"https://desk.example\"\n";
    binary.configure(&format!("{}{receiver}", channel(&base_url, "key_env = \"SHOP_KEY\"")));
    let found = findings(&examine(&binary, &[]), Problem::Webhook);
    let [line] = found.as_slice() else { panic!("{found:?}") };
    let told = "warn the service could not deliver to https://desk.example/hooks/wh_1 since 2026-11-30";
    assert!(line.starts_with(told) && line.contains("check that public_url leads to this machine"), "{line}");
}

/// Output of the doctor in a terminal of this size.
fn examine_in_terminal((columns, rows): (u16, u16), variables: &[&str]) -> String {
    let mut command = CommandBuilder::new("env");
    command.args(variables);
    command.args([env!("CARGO_BIN_EXE_frontdesk"), "doctor", "--offline"]);
    let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, columns, rows);
    terminal.wait_for_end();
    terminal.written()
}

#[test]
fn locale_without_utf8_is_named() {
    let told = examine_in_terminal((80, 24), &["LC_ALL=POSIX"]);
    let words = "locale POSIX is not UTF-8: set LANG to a UTF-8 locale such as C.UTF-8";
    assert!(told.contains("warn  terminal") && told.contains(words), "{told}");
    let told = examine_in_terminal((80, 24), &["LC_ALL=C.UTF-8"]);
    assert!(told.contains("ok    terminal       locale C.UTF-8"), "{told}");
}

#[test]
fn small_terminal_is_named() {
    let told = examine_in_terminal((39, 9), &[]);
    let words = "39x9, but the inbox needs 40x10: enlarge it";
    assert!(told.contains("fail  terminal") && told.contains(words), "{told}");
    let told = examine_in_terminal((59, 19), &[]);
    assert!(told.contains("warn  terminal       59x19: make it at least 80x24"), "{told}");
    let told = examine_in_terminal((80, 24), &[]);
    assert!(told.contains("ok    terminal       80x24"), "{told}");
}

/// Fills a small disk of its own, and runs the program (`$0`) with its data (`$1`) there.
const ON_A_FULL_DISK: &str = r#"
    mount -t tmpfs -o size=64k,mode=700 none "$1" || exit
    echo mounted >&2
    head -c 200000 /dev/zero >"$1/filled" 2>/dev/null
    exec "$0" doctor --offline --json
"#;

#[test]
fn full_disk_is_named() {
    let binary = Binary::new();
    std::fs::create_dir_all(binary.data()).expect("made");
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-current-user", "--keep-caps", "--mount", "sh", "-c", ON_A_FULL_DISK]);
    command.arg(env!("CARGO_BIN_EXE_frontdesk")).arg(binary.data()).stdin(Stdio::null());
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    binary.variables(|name, value| {
        command.env(name, value);
    });
    let is_mounted = |output: &Output| String::from_utf8_lossy(&output.stderr).contains("mounted\n");
    let Some(output) = command.output().ok().filter(is_mounted) else {
        skip("a full disk, since no small one can be mounted");
        return;
    };
    let words = ["fail", "the disk of", "is full", "free some space"];
    is_named(&String::from_utf8_lossy(&output.stdout), Problem::FullDisk, &words);
}

#[test]
fn two_processes_on_one_folder_are_named() {
    let desk = Desk::new(80, 24);
    let binary = shop(&desk.base_url, &desk.key_of("whatsapp"));
    let engine = RunningProcess(binary.command(&["engine"]).stdout(Stdio::null()).spawn().expect("it runs"));
    let process = format!("engine (process {}) polls and sends", engine.0.id());
    until("the engine", || {
        let out = examine(&binary, &["--offline"]);
        let found = findings(&out, Problem::OtherProcess);
        if found.iter().any(|line| line.contains(&process)) { Ok(()) } else { Err(out) }
    });
    drop(engine);
    let ended = examine(&binary, &["--offline"]);
    assert_eq!(findings(&ended, Problem::OtherProcess), Vec::<String>::new());
}

#[test]
fn mistake_in_the_configuration_is_named() {
    let binary = Binary::new();
    binary.configure("[ui]\nasci = true\n");
    let words = ["fail", "config.toml, line 2", "did you mean ascii?"];
    is_named(&examine(&binary, &["--offline"]), Problem::Configuration, &words);
}
