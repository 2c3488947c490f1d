//! `GET /health` and `GET /ready`: without a key, a host or limits.

use super::*;
use crate::binary::free_port;
use crate::skipping::skip;
use crate::waiting::{self, until_so};

fn status(serving: &Serving, path: &str) -> (u16, Value) {
    let answer = serving.ask("GET", path, &[], b"");
    (answer.status, answer.json()["status"].clone())
}

/// Polls for an answer; the state is cached for a moment.
fn until(serving: &Serving, wanted: (u16, &str)) {
    until_so(wanted.1, || status(serving, "/ready") == (wanted.0, wanted.1.into()));
}

#[test]
fn probes_need_neither_key_nor_host_name() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &[]);
    for (path, said) in [("/health", "alive"), ("/ready", "ready")] {
        // A slow write may make the service unready for a moment.
        let answer = waiting::until(said, || {
            let answer = serving.ask("GET", path, &["host: 10.9.8.7"], b"");
            let is_said = (answer.status, &answer.json()["status"]) == (200, &said.into());
            if is_said { Ok(answer) } else { Err(format!("{answer:?}")) }
        });
        assert!(!answer.head.contains("x-ratelimit"), "{answer:?}");
        assert!(answer.head.contains("cache-control: no-store"), "{answer:?}");
        until_so(said, || serving.ask("HEAD", path, &[], b"").status == 200);
        assert_eq!(serving.ask("POST", path, &[], b"").status, 405);
    }
    // Probes do not count against a key's limits.
    for _ in 0..50 {
        assert_eq!(status(&serving, "/health").0, 200);
    }
    let answer = serving.call("GET", "/v1/account", &[], b"");
    assert!(answer.head.contains("x-ratelimit-remaining: 299"), "{answer:?}");
}

#[test]
fn it_is_not_ready_while_its_file_is_gone() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &[]);
    until(&serving, (200, "ready"));
    let (there, away) = (binary.folder().join("service.db"), binary.folder().join("away.db"));
    std::fs::rename(&there, &away).expect("moved");
    until(&serving, (503, "unwritable"));
    assert_eq!(status(&serving, "/health"), (200, "alive".into()));
    let told = serving.ask("GET", "/ready", &[], b"").body;
    assert!(!told.contains("service.db") && !told.contains('/'), "strangers learn no paths: {told}");
    std::fs::rename(&away, &there).expect("moved back");
    until(&serving, (200, "ready"));
}

#[test]
fn it_is_not_ready_while_another_program_holds_its_file() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &[]);
    until(&serving, (200, "ready"));
    let other = rusqlite::Connection::open(binary.folder().join("service.db")).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("held");
    until(&serving, (503, "unwritable"));
    assert_eq!(serving.call("GET", "/v1/account", &[], b"").status, 200, "it reads");
    other.execute_batch("COMMIT").expect("let go");
    until(&serving, (200, "ready"));
}

#[test]
fn it_is_not_ready_while_it_starts() {
    let binary = Binary::new();
    // A key from a named pipe, as secret stores provide: the start waits for it.
    let pipe = binary.folder().join("key");
    let made = std::process::Command::new("mkfifo").args(["-m", "600", path_text(&pipe)]).status();
    assert!(made.expect("mkfifo runs").success());
    // The address is printed only after the start.
    let (address, database) = (format!("127.0.0.1:{}", free_port()), binary.folder().join("service.db"));
    let all = ["serve", "--listen", &address, "--db", path_text(&database), "--key-file", path_text(&pipe)];
    let mut child = binary.command(&all).spawn().expect("it runs");
    let out = BufReader::new(child.stdout.take().expect("its output"));
    let ready = binary.folder().join("ready.json");
    let line = format!("listening on http://{address}/v1");
    let mut serving = Serving { child, out, line, ready };
    until_so("the listener", || {
        assert!(serving.child.try_wait().expect("known").is_none(), "it ended");
        TcpStream::connect(&address).is_ok()
    });
    assert_eq!(status(&serving, "/health"), (200, "alive".into()));
    assert_eq!(status(&serving, "/ready"), (503, "starting".into()));
    let answer = serving.ask("GET", "/v1/account", &[], b"");
    assert_eq!((answer.status, &answer.json()["code"]), (503, &"INTERNAL_ERROR".into()), "{answer:?}");
    assert!(answer.head.contains("retry-after: 1"), "{answer:?}");
    std::fs::write(&pipe, "7f".repeat(32)).expect("the key comes");
    until(&serving, (200, "ready"));
    assert_eq!(serving.ask("GET", "/v1/account", &[], b"").status, 401);
}

/// A shell with a small disk for a service; each line of its input is run, and its end reported.
const ROOM: &str = r#"
    mount -t tmpfs -o size=6m,mode=700 none "$1" || exit 7
    "$0" serve --listen "$2" --db "$1/service.db" --dev >"$1.log" 2>&1 &
    echo up
    while read -r line; do
        eval "$line" >/dev/null 2>&1
        echo done
    done
    kill $!
"#;

/// A full disk is detected before a message is lost, and recovers.
#[test]
fn it_is_not_ready_while_its_disk_is_full() {
    let binary = Binary::new();
    let (small, address) = (binary.folder().join("small"), format!("127.0.0.1:{}", free_port()));
    std::fs::create_dir(&small).expect("a folder");
    let program = env!("CARGO_BIN_EXE_frontdesk");
    let mut room = std::process::Command::new("unshare")
        .args(["--user", "--map-current-user", "--keep-caps", "--mount", "sh", "-c", ROOM, program])
        .args([path_text(&small), &address])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("a shell");
    let (mut input, mut told) =
        (room.stdin.take().expect("piped"), BufReader::new(room.stdout.take().expect("piped")));
    let mut line = String::new();
    told.read_line(&mut line).expect("read");
    if line != "up\n" {
        skip("a full disk, since no small one can be mounted");
        drop(input);
        room.wait().expect("it ends");
        return;
    }
    let mut run = |command: &str| {
        writeln!(input, "{command}").expect("it listens");
        let mut line = String::new();
        told.read_line(&mut line).expect("read");
        assert_eq!(line, "done\n");
    };
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(&address).ok()?;
        write_request(&mut stream, &address, ("GET", path), &[], b"");
        Some(Answer::read(&mut stream))
    };
    let stands = |status: u16, word: &str| {
        waiting::until(word, || match ask("/ready") {
            Some(answer) if answer.status == status && answer.json()["status"] == word => Ok(()),
            other => Err(format!("{other:?}")),
        });
    };
    stands(200, "ready");
    run(r#"dd if=/dev/zero of="$1/ballast" bs=64k"#);
    stands(503, "full");
    assert_eq!(ask("/health").map(|answer| answer.status), Some(200));
    run(r#"rm "$1/ballast""#);
    stands(200, "ready");
    run(r#"test ! -e "$1/service.db-room" || touch "$1.left""#);
    assert!(!binary.folder().join("small.left").exists(), "what was tried is removed");
    drop(input);
    room.wait().expect("it ends");
}
