//! The real binary with locked files or a stopped server; and two windows on one folder.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Command;

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use portable_pty::CommandBuilder;

use crate::binary::{RunningProcess, signal};
use crate::pty::Terminal;
use crate::waiting::until;

/// Byte range of the WAL index locks, without the one every connection holds.
const LOCKS: (i64, i64) = (120, 8);

/// Takes all locks needed to read the cache; dropping the file releases them.
fn hold(cache: &Path) -> File {
    let path = cache.with_extension("db-shm");
    let file = OpenOptions::new().read(true).write(true).open(path).expect("the index of the cache");
    let lock = libc::flock {
        l_type: i16::try_from(libc::F_WRLCK).expect("small"),
        l_whence: i16::try_from(libc::SEEK_SET).expect("small"),
        l_start: LOCKS.0,
        l_len: LOCKS.1,
        l_pid: 0,
    };
    fcntl(file.as_raw_fd(), FcntlArg::F_SETLKW(&lock)).expect("the locks");
    file
}

/// The last line.
fn status(contents: &str) -> &str {
    contents.lines().last().unwrap_or_default()
}

#[test]
fn a_cache_held_by_another_process_is_named_and_read_as_soon_as_it_is_free() {
    let mut terminal = Terminal::start(&["demo"], 120, 40);
    terminal.wait_for_text("Maria Lopez");
    terminal.wait_for("the second tab", |terminal| terminal.contains("2 Harbor bot"));
    let cache = terminal.folder().join("demo/desk/cache.db");
    let held = hold(&cache);
    // The test may not name a customer: the demo answers them one after the other.
    terminal.keys("2");
    terminal.wait_for("that it is not read", |terminal| {
        let said = status(terminal).contains("being read") || status(terminal).contains("could not be read");
        said && !terminal.contains("WITH THE AI")
    });
    drop(held);
    terminal.wait_for("the list of the second tab", |terminal| {
        terminal.contains("WITH THE AI") && !terminal.contains("being read")
    });
    terminal.keys("gg");
    terminal.wait_for("the status", |terminal| !status(terminal).contains("read"));
}

#[test]
fn a_server_that_stops_answering_is_named_before_its_reads_are_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let ready = folder.path().join("ready.json");
    let serve = Command::new(env!("CARGO_BIN_EXE_frontdesk"))
        .args(["serve", "--dev", "--listen", "127.0.0.1:0", "--db"])
        .arg(folder.path().join("service.db"))
        .arg("--ready-file")
        .arg(&ready)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the service starts");
    let service = RunningProcess(serve);
    let told = until("the service", || {
        let read = std::fs::read_to_string(&ready).map_err(|error| error.to_string())?;
        serde_json::from_str::<serde_json::Value>(&read).map_err(|error| error.to_string())
    });
    let word = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    configure(folder.path(), &word(&told["base_url"]));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    command.env("HARBOR_CHAT_KEY", word(&told["keys"][0]["key"]));
    let mut terminal = Terminal::run(folder, command, 120, 40);
    terminal.wait_for("the connection", |terminal| status(terminal).contains("? help"));
    signal(service.0.id(), "STOP");
    terminal.wait_for("the silence", |terminal| status(terminal).contains("No answer for "));
    assert!(!status(&terminal.contents()).contains("Offline"), "{}", terminal.contents());
    signal(service.0.id(), "CONT");
    terminal.wait_for("the connection again", |terminal| !status(terminal).contains("No answer"));
}

fn configure(folder: &Path, base_url: &str) {
    let configuration = format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{base_url}\"\nkey_env = \"HARBOR_CHAT_KEY\"\n"
    );
    std::fs::write(folder.join("config.toml"), configuration).expect("written");
}

#[test]
fn a_draft_in_two_windows_is_the_newest_text_and_goes_when_it_is_sent() {
    let desk = crate::desk::Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    let folder = tempfile::tempdir().expect("a folder");
    configure(folder.path(), &desk.base_url);
    let config = folder.path().join("config.toml");
    let channel = std::fs::read_to_string(&config).expect("readable");
    let behaviour = "\n[behaviour]\npause_on_reply = \"never\"\n";
    std::fs::write(&config, channel + behaviour).expect("written");
    let open = || {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
        command.env("HARBOR_CHAT_KEY", desk.key_of("whatsapp"));
        command.env("FRONTDESK_CONFIG_DIR", folder.path());
        command.env("FRONTDESK_DATA_DIR", folder.path());
        let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, 120, 40);
        terminal.wait_for_text("Maria Lopez");
        terminal.keys("i");
        terminal.wait_for_text("Enter send");
        terminal
    };
    let mut one = open();
    one.keys("from one");
    one.wait_for_text("from one");
    let mut other = open();
    // In the list and in the composer.
    other.wait_for("the draft", |other| other.matches("from one").count() >= 2);
    other.keys(" and the other");
    one.wait_for_text("also open in another window");
    one.wait_for_text("from one and the other");
    // Typing in this window is shown in the other.
    one.keys("!");
    other.wait_for("the newest text", |other| other.matches("from one and the other!").count() >= 2);
    // Sent in one window, it is no draft in the other.
    one.keys("\x18");
    other.wait_for_text("sent or emptied in another window");
}
