//! `frontdesk serve` with the real binary: what it prints, and that a file is
//! served by one of them.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout};

use crate::binary::Binary;

/// A service that runs until it is dropped.
struct Serving(Child, BufReader<ChildStdout>);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts one and waits until it says where it is; that line.
fn serve(binary: &Binary, arguments: &[&str]) -> (Serving, String) {
    let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
    let mut child = binary.command(&all).spawn().expect("it runs");
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    out.read_line(&mut line).expect("it says where it is");
    (Serving(child, out), line)
}

fn words(path: &Path) -> &str {
    path.to_str().expect("a path in words")
}

#[test]
fn a_second_service_on_a_file_says_so_and_ends() {
    let binary = Binary::new();
    let database = binary.folder().join("service.db");
    let (first, line) = serve(&binary, &["--db", words(&database)]);
    assert!(line.starts_with("listening on http://127.0.0.1:"), "{line}");
    // The same file by another name.
    let link = binary.folder().join("link.db");
    std::os::unix::fs::symlink(&database, &link).expect("a link");
    for path in [&database, &link] {
        let said = binary.fails(1, &["serve", "--listen", "127.0.0.1:0", "--db", words(path)], "");
        let holder = format!("another frontdesk (process {}) serves this file already", first.0.id());
        assert_eq!(said.matches(&holder).count(), 1, "{said}");
    }
    // Nor is the address blamed, which both would listen on.
    let (_, address) = line.trim().split_once("http://").expect("where it is");
    let address = address.trim_end_matches("/v1");
    let said = binary.fails(1, &["serve", "--listen", address, "--db", words(&database)], "");
    assert!(said.contains("serves this file already") && !said.contains("--listen"), "{said}");
    binary.ok(&["admin", "--db", words(&database), "credits"], "");
    // Killed, it leaves nothing behind that would keep the next one out.
    drop(first);
    let (_next, line) = serve(&binary, &["--db", words(&database)]);
    assert!(line.starts_with("listening on "), "{line}");
}

#[test]
fn keys_are_printed_only_where_no_ready_file_takes_them() {
    let binary = Binary::new();
    let (ready, database) = (binary.folder().join("ready.json"), binary.folder().join("service.db"));
    let all = ["--simulate", "--db", words(&database), "--ready-file", words(&ready)];
    let (mut serving, _) = serve(&binary, &all);
    assert!(std::fs::read_to_string(&ready).expect("ready").contains("svc_live_"));
    serving.0.kill().expect("it ends");
    let mut rest = String::new();
    serving.1.read_to_string(&mut rest).expect("read");
    assert!(!rest.contains("svc_"), "{rest}");
}
