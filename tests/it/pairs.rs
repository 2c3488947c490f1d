//! Pairs of processes on one folder: texts are sent once, and messages reach every screen.
//!
//! The first of a pair is stopped and killed. A plain run tries each kind as the first and as the second of
//! another; `FRONTDESK_PAIRS=all` tries all pairs in both orders, and `FRONTDESK_PAIR=Inbox-Engine` one pair.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Child;
use std::sync::Mutex;

use frontdesk::model::time::{Clock, SECOND};
use frontdesk::shell::clock::SystemClock;
use portable_pty::CommandBuilder;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use crate::background;
use crate::binary::{Binary, free_port};
use crate::desk::Desk;
use crate::pty::Terminal;
use crate::waiting::until_so;

const ANA: &str = "+34600111222";
const BO: &str = "+34600111333";
const CLEO: &str = "+34600111444";
/// Concurrent pairs; most of their time is waiting for a lease to expire.
const AT_ONCE: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Inbox,
    ReadOnly,
    Wall,
    Script,
    Import,
    Watch,
    Receiver,
    Engine,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Inbox,
        Self::ReadOnly,
        Self::Wall,
        Self::Script,
        Self::Import,
        Self::Watch,
        Self::Receiver,
        Self::Engine,
    ];

    /// True if its screen shows customers' messages.
    fn shows(self) -> bool {
        matches!(self, Self::Inbox | Self::ReadOnly | Self::Receiver)
    }
}

enum Process {
    Screen(Box<Terminal>),
    Command(Child),
}

impl Process {
    fn signal(&self, name: &str) {
        match self {
            Self::Screen(terminal) => terminal.signal(name),
            Self::Command(child) => {
                // The process may have ended.
                let id = child.id().to_string();
                let _ = std::process::Command::new("kill").args(["-s", name, &id]).status();
            }
        }
    }

    fn id(&self) -> u32 {
        match self {
            Self::Screen(terminal) => terminal.id(),
            Self::Command(child) => child.id(),
        }
    }

    fn kill(self) {
        match self {
            Self::Screen(terminal) => terminal.kill(),
            Self::Command(mut child) => {
                // The process may have ended.
                let _ = child.kill();
                child.wait().expect("it ends");
            }
        }
    }
}

/// A service, and a folder with two processes.
struct Scene {
    desk: Desk,
    binary: Binary,
    name: String,
    sent: Vec<String>,
}

impl Scene {
    fn new(name: String, receives: bool) -> Self {
        let desk = Desk::new(80, 24);
        let behind = SystemClock.now().since(desk.clock.now()) / SECOND;
        desk.dev("clock", json!({"advance_seconds": behind}));
        for (phone, name) in [(ANA, "Ana"), (BO, "Bo"), (CLEO, "Cleo")] {
            desk.customer("whatsapp", phone, name, "Hello?");
        }
        let mut binary = Binary::new();
        binary.set("CHAT_KEY", &desk.key_of("whatsapp"));
        let receiver = if receives {
            let port = free_port();
            format!("[receiver]\nlisten = \"127.0.0.1:{port}\"\npublic_url = \"http://127.0.0.1:{port}\"\n")
        } else {
            String::new()
        };
        binary.configure(&format!(
            "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n{receiver}",
            desk.base_url
        ));
        Self { desk, binary, name, sent: Vec::new() }
    }

    fn screen(&self, arguments: &[&str]) -> Process {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
        command.args(arguments);
        command.env("FRONTDESK_CONFIG_DIR", self.binary.folder());
        command.env("FRONTDESK_DATA_DIR", self.binary.data());
        command.env("CHAT_KEY", self.desk.key_of("whatsapp"));
        let folder = tempfile::tempdir().expect("a folder");
        let mut terminal = Terminal::run(folder, command, 120, 40);
        terminal.wait_for_text(if arguments.contains(&"wall") { "Wall" } else { "Cleo" });
        Process::Screen(Box::new(terminal))
    }

    fn command(&self, arguments: &[&str], is_up: &str) -> Process {
        let before = self.number(is_up);
        let mut child = self.binary.command(arguments).spawn().expect("it runs");
        drop(child.stdin.take());
        for mut output in [
            Box::new(child.stdout.take().expect("its output")) as Box<dyn std::io::Read + Send>,
            Box::new(child.stderr.take().expect("its errors")),
        ] {
            std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        }
        self.until(&format!("{arguments:?} at work"), || self.number(is_up) > before);
        Process::Command(child)
    }

    fn start(&self, kind: Kind, which: &str) -> Process {
        match kind {
            Kind::Inbox | Kind::Receiver => self.screen(&[]),
            Kind::ReadOnly => self.screen(&["--read-only"]),
            Kind::Wall => self.screen(&["wall"]),
            Kind::Engine => Process::Command(background::start(&self.binary).0),
            Kind::Script => {
                // A slow answer, so that the process is stopped while it waits.
                let slow = json!({"path_prefix": "/messages/send", "count": 1, "delay_ms": 6_000});
                self.desk.dev("fault", slow);
                // Beside another script it may have to wait for the lease.
                let is_up = match which {
                    // Also true after the answer.
                    "first" => {
                        "SELECT (SELECT count(*) FROM outbox WHERE state = 'sending' AND operation = 'send')
                              + (SELECT count(*) FROM audit WHERE event = 'done' AND operation = 'send')"
                    }
                    _ => "SELECT count(*) FROM audit WHERE event = 'queued'",
                };
                self.command(&["send", CLEO, &format!("{which} script"), "--beside-ai"], is_up)
            }
            Kind::Import => {
                let slow =
                    json!({"path_prefix": "/contacts", "method": "POST", "count": 100_000, "delay_ms": 300});
                self.desk.dev("fault", slow);
                let path = self.binary.folder().join(format!("{which}.csv"));
                let start = if which == "first" { 0 } else { 5_000 };
                let rows =
                    (start..start + 1_000).map(|number| format!("+3460020{number:04},Person {number}\n"));
                let text: String = std::iter::once("phone,name\n".to_owned()).chain(rows).collect();
                std::fs::write(&path, text).expect("written");
                let is_up = "SELECT count(*) FROM audit WHERE lane = 'contact' AND event = 'queued'";
                self.command(&["contacts", "import", &path.to_string_lossy()], is_up)
            }
            Kind::Watch => {
                let path = self.binary.folder().join(format!("{which}.txt"));
                std::fs::write(&path, format!("{ANA}\n{BO}\n")).expect("written");
                let is_up = "SELECT count(*) FROM audit WHERE lane = 'broadcasts' AND event = 'done'";
                let text = format!("{which} broadcast");
                let path = path.to_string_lossy().into_owned();
                let mut all = vec!["broadcast", "send", &text, "--to", &path, "--waves", "1,1"];
                all.extend(["--wait", "3600", "--confirm", "2", "--timeout", "3600"]);
                self.command(&all, is_up)
            }
        }
    }

    fn number(&self, sql: &str) -> i64 {
        number(&self.binary.data().join("outbox.db"), sql)
    }

    fn until(&self, what: &str, holds: impl FnMut() -> bool) {
        until_so(&format!("{}: {what}", self.name), holds);
    }

    /// Stops a process between two writes: within one it would keep the files locked.
    fn stop(&self, process: &Process) {
        let files = ["outbox.db", "cache.db"].map(|text| self.binary.data().join(text));
        self.until("a moment without a write", || {
            process.signal("STOP");
            self.until("the stop", || stands_still(process.id()));
            let free = files.iter().all(|file| {
                let open = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE);
                open.is_ok_and(|connection| {
                    connection.execute_batch("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK").is_ok()
                })
            });
            if !free {
                process.signal("CONT");
            }
            free
        });
    }

    /// Sends a text, and checks that a message arrives on all screens.
    fn both_ways(&mut self, when: &str, watching: &mut [(Kind, &mut Process)]) {
        let text = format!("to Bo, {when}");
        let ended = self.binary.run(&["send", BO, &text, "--beside-ai", "--timeout", "240"], "");
        assert_eq!(ended.code, Some(0), "{} {when}: {}", self.name, ended.err);
        self.sent.push(text);
        let text = format!("Ana {}", self.sent.len());
        self.desk.customer("whatsapp", ANA, "Ana", &text);
        self.desk.dev("clock", json!({"advance_seconds": 0}));
        for (kind, process) in watching.iter_mut() {
            if let (true, Process::Screen(terminal)) = (kind.shows(), process) {
                terminal.wait_for_text(&text);
            }
        }
    }
}

fn number(path: &Path, sql: &str) -> i64 {
    let open = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    open.and_then(|connection| connection.query_row(sql, [], |row| row.get(0))).unwrap_or(0)
}

/// True if no thread of a process runs, or it has ended.
fn stands_still(process: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    threads.into_iter().flatten().flatten().all(|thread| {
        let told = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        let state = told.rsplit(") ").next().and_then(|part| part.chars().next());
        !matches!(state, Some('R' | 'S' | 'D'))
    })
}

fn pair(first: Kind, second: Kind) {
    let receives = [first, second].contains(&Kind::Receiver);
    let mut scene = Scene::new(format!("{first:?} and {second:?}"), receives);
    let mut one = scene.start(first, "first");
    let mut other = scene.start(second, "second");
    scene.both_ways("both run", &mut [(first, &mut one), (second, &mut other)]);
    scene.stop(&one);
    scene.both_ways("the first is stopped", &mut [(second, &mut other)]);
    one.signal("CONT");
    scene.both_ways("it goes on", &mut [(first, &mut one), (second, &mut other)]);
    one.kill();
    scene.both_ways("it is killed", &mut [(second, &mut other)]);
    let arrived: Vec<String> = scene
        .desk
        .outbound()
        .iter()
        .map(|value| value["content"].as_str().unwrap_or("").to_owned())
        .collect();
    for text in &scene.sent {
        let count = arrived.iter().filter(|entry| *entry == text).count();
        assert_eq!(count, 1, "{}: {text:?} of {arrived:?}", scene.name);
    }
    for text in ["first script", "second script"] {
        let count = arrived.iter().filter(|entry| *entry == text).count();
        assert!(count <= 1, "{}: {text:?} of {arrived:?}", scene.name);
    }
    other.kill();
}

/// True for the pairs of a plain run: the second is the kind three further on.
fn is_tried_plainly(first: Kind, second: Kind) -> bool {
    (first as usize + 3) % Kind::ALL.len() == second as usize
}

#[test]
fn two_processes_send_once_and_hear() {
    let only = std::env::var("FRONTDESK_PAIR").ok();
    let all = std::env::var("FRONTDESK_PAIRS").is_ok_and(|pairs| pairs == "all");
    let wanted = |first: Kind, second: Kind| match &only {
        Some(only) => format!("{first:?}-{second:?}") == *only,
        None => all || is_tried_plainly(first, second),
    };
    let pairs = Kind::ALL.into_iter().flat_map(|one| Kind::ALL.map(|other| (one, other)));
    let left = Mutex::new(pairs.filter(|(one, other)| wanted(*one, *other)).collect::<VecDeque<_>>());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((first, second)) = { left.lock().expect("no one failed").pop_front() } {
                    if let Err(why) = std::panic::catch_unwind(|| pair(first, second)) {
                        let why = why.downcast_ref::<String>().cloned();
                        failures.lock().expect("no one failed").push((first, second, why));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no one failed");
    assert!(failures.is_empty(), "{failures:#?}");
}
