//! Files and folders: private under any umask, and errors that name the file.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use frontdesk::model::ids::{ChannelId, ConversationId};
use frontdesk::model::queries::Draft;
use frontdesk::service::{self, Options};
use frontdesk::store::{Store, StoreError};
use portable_pty::CommandBuilder;
use serde_json::json;

use crate::binary::Binary;
use crate::desk::{Desk, HandClock};
use crate::pty::Terminal;
use crate::waiting::until_so;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o7777
}

fn everything(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(everything(&path)) } else { found.push(path) }
    }
    found
}

/// The command with umask 0.
fn open_to_all(binary: &Binary, arguments: &[&str]) -> Command {
    let inner = binary.command(arguments);
    let mut command = Command::new("sh");
    command.args(["-c", "umask 000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_frontdesk")]).args(arguments);
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn served(mut command: Command) -> Child {
    let mut child = command.spawn().expect("it runs");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut line).expect("a line");
    if !line.starts_with("listening") {
        let mut why = String::new();
        child.stderr.as_mut().expect("its errors").read_to_string(&mut why).expect("words");
        panic!("it does not listen: {line} {why}");
    }
    child
}

#[test]
fn what_is_made_is_private_whatever_the_umask() {
    let binary = Binary::new();
    let database = binary.folder().join("a/b/x.db");
    for folder in ["a", "a/b"] {
        let folder = binary.folder().join(folder);
        fs::create_dir(&folder).expect("made");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("set");
    }
    let ready = binary.folder().join("ready.json");
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--db", database.to_str().expect("a path")];
    let ready_file = ["--ready-file", ready.to_str().expect("a path")];
    let mut child = served(open_to_all(&binary, &[&arguments[..], &ready_file[..]].concat()));
    let made: serde_json::Value = serde_json::from_slice(&fs::read(&ready).expect("ready")).expect("JSON");
    let key = made["keys"][0]["key"].as_str().expect("a key");
    let url = made["base_url"].as_str().expect("an address");
    binary.configure(&format!("[[channel]]\nname = \"a\"\nbase_url = \"{url}\"\nkey_env = \"TEST_KEY\"\n"));
    let mut list = open_to_all(&binary, &["list"]);
    let listed = list.env("TEST_KEY", key).output().expect("it runs");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    child.kill().and_then(|()| child.wait()).expect("it ends");
    let mut all = everything(&binary.folder().join("a"));
    all.extend(everything(&binary.data()));
    all.push(ready);
    assert!(all.len() > 8, "{all:?}");
    for path in all {
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), wanted, "{}", path.display());
    }
    // A key file others can read is refused.
    let key_file = binary.folder().join("a/b/x.db.key");
    fs::set_permissions(&key_file, fs::Permissions::from_mode(0o666)).expect("set");
    let said = binary.fails(1, &arguments, "");
    assert!(said.contains("; run: chmod 600"), "{said}");
}

#[test]
fn a_data_folder_that_others_can_write_in_is_refused_and_left() {
    let binary = Binary::new();
    fs::create_dir(binary.data()).expect("made");
    fs::set_permissions(binary.data(), fs::Permissions::from_mode(0o1777)).expect("set");
    binary.configure("[[channel]]\nname = \"a\"\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_env = \"K\"\n");
    for arguments in [&["list"][..], &["outbox", "list"], &["search", "x"]] {
        let said = binary.fails(1, arguments, "");
        assert!(said.contains("others can write in this folder"), "{arguments:?}: {said}");
    }
    assert_eq!(mode(&binary.data()), 0o1777, "it is not changed");
    assert_eq!(fs::read_dir(binary.data()).expect("read").count(), 0, "nor written in");
}

#[test]
fn a_pipe_is_no_configuration() {
    let binary = Binary::new();
    let made = Command::new("mkfifo").arg(binary.config()).status().expect("mkfifo runs");
    assert!(made.success());
    for arguments in [&["list"][..], &["channel", "list"]] {
        let said = binary.fails(1, arguments, "");
        assert!(said.contains("config.toml") && said.contains("not a regular file"), "{said}");
        assert_eq!(said.trim().lines().count(), 1, "{said}");
        assert_eq!(said.matches("not a regular file").count(), 1, "{said}");
    }
}

#[test]
fn mistakes_are_one_line() {
    let binary = Binary::new();
    binary.configure("[ui]\ntheme = 5\nasci = true\n[polling]\nvisible_seconds = \"x\"\n");
    let said = binary.fails(1, &["list"], "");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    assert!(said.contains("line 2") && said.contains("line 3") && said.contains("line 5"), "{said}");
}

#[test]
fn an_emptied_outbox_is_no_new_one() {
    let binary = Binary::new();
    drop(Store::open(&binary.data()).expect("opens"));
    let outbox = binary.data().join("outbox.db");
    fs::write(&outbox, "").expect("emptied");
    assert!(matches!(Store::open(&binary.data()), Err(StoreError::OutboxEmptied { .. })));
    binary.configure("[[channel]]\nname = \"a\"\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_env = \"K\"\n");
    let said = binary.fails(1, &["outbox", "list"], "");
    assert!(said.contains("is an empty file (0 bytes)") && said.contains("restore a copy"), "{said}");
    let said = binary.run(&["doctor", "--offline"], "").out;
    assert!(said.contains("an empty file of 0 bytes"), "{said}");
    assert_eq!(fs::metadata(&outbox).expect("there").len(), 0, "it is left as it was");
    // The advice in the error works.
    fs::remove_file(&outbox).expect("moved away");
    drop(Store::open(&binary.data()).expect("opens anew"));
    // An unused empty file counts as new.
    let fresh = tempfile::tempdir().expect("a folder");
    fs::write(fresh.path().join("outbox.db"), "").expect("made");
    drop(Store::open(fresh.path()).expect("opens"));
}

#[test]
fn an_emptied_service_file_is_not_served() {
    let binary = Binary::new();
    let database = binary.folder().join("service.db");
    let shown = database.to_str().expect("a path");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--demo", "--db", shown];
    let mut child = served(binary.command(&serve));
    let mut end = Command::new("kill");
    end.args(["-TERM", &child.id().to_string()]).status().expect("told to end");
    child.wait().expect("it ends");
    fs::write(&database, "").expect("emptied");
    let said = binary.fails(1, &serve[..], "");
    assert!(said.contains("is empty (0 bytes)") && said.contains(shown), "{said}");
    assert_eq!(fs::metadata(&database).expect("there").len(), 0, "it is left as it was");
}

#[test]
fn nothing_is_confirmed_into_a_deleted_outbox() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("opens");
    let (channel, conversation) = (ChannelId::from("a"), ConversationId::from("c1"));
    let draft = Draft { text: "half a thought".to_owned(), ..Draft::default() };
    let save = || store.save_draft(&channel, &conversation, Some(draft.clone()));
    save().expect("kept");
    let outbox = folder.path().join("outbox.db");
    let aside = folder.path().join("aside.db");
    fs::rename(&outbox, &aside).expect("moved");
    let refused = save().expect_err("it is gone");
    assert!(matches!(&refused, StoreError::FileReplaced { path } if *path == outbox), "{refused}");
    assert!(refused.to_string().contains("nothing is kept or sent any more"), "{refused}");
    // Another file with its name is detected.
    fs::write(&outbox, "").expect("written");
    assert!(matches!(save(), Err(StoreError::FileReplaced { .. })));
    fs::rename(&aside, &outbox).expect("moved back");
    save().expect("it is back");
    // Deleting the folder deletes both files, also those that are made meanwhile.
    until_so("the folder is gone", || fs::remove_dir_all(folder.path()).is_ok() || !folder.path().exists());
    assert!(matches!(save(), Err(StoreError::FileReplaced { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_confirmed_into_a_deleted_service_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("service.db");
    let mut options =
        Options::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), database.clone(), HandClock::new());
    options.dev = true;
    let running = service::start(options).await.expect("starts");
    frontdesk::client::install_tls();
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let root = running.base_url.trim_end_matches("/v1").to_owned();
    let write = async || {
        let body = json!({"channel": "whatsapp", "from": "+34600111222", "text": "Hello"});
        http.post(format!("{root}/dev/inbound"))
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await
            .expect("an answer")
            .status()
    };
    assert!(write().await.is_success());
    fs::remove_file(&database).expect("removed");
    assert!(write().await.is_server_error(), "nothing is confirmed");
    running.shutdown().await;
}

#[test]
fn files_lie_in_the_folders_of_xdg_and_none_in_the_home() {
    let desk = Desk::new(80, 24);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("home")).expect("made");
    let variables = || {
        let of = |name: &str, folder: &str| (name.to_owned(), at(folder).display().to_string());
        let mut all = vec![of("HOME", "home")];
        all.extend(["CONFIG", "DATA", "STATE", "CACHE"].map(|text| of(&format!("XDG_{text}_HOME"), text)));
        all.extend(["CONFIG", "DATA"].map(|text| (format!("FRONTDESK_{text}_DIR"), String::new())));
        all
    };
    let binary = Binary::new();
    let add = ["channel", "add", "--name", "Harbor chat", "--base-url", &desk.base_url];
    let mut command = binary.command(&add);
    let mut child = command.envs(variables()).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("its input");
    std::io::Write::write_all(&mut input, desk.key_of("whatsapp").as_bytes()).expect("written");
    drop(input);
    let added = child.wait_with_output().expect("it ends");
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let mut inbox = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    variables().into_iter().for_each(|(name, value)| inbox.env(name, value));
    let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), inbox, 80, 24);
    terminal.wait_for_text("Maria Lopez");
    terminal.keys("q");
    assert_eq!(terminal.wait_for_end(), 0);
    let names = |path: &str| {
        let entries = std::fs::read_dir(at(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("home"), [""; 0], "nothing lies in the home");
    assert_eq!(names(""), ["CACHE", "CONFIG", "DATA", "STATE", "home"]);
    let holds = |folder: &str, wanted: &[&str]| {
        assert_eq!(names(folder), ["frontdesk"], "{folder}");
        let found = names(&format!("{folder}/frontdesk"));
        let base = |text: &String| text.trim_end_matches("-wal").trim_end_matches("-shm").to_owned();
        let found: std::collections::BTreeSet<String> = found.iter().map(base).collect();
        for prefix in wanted {
            assert!(found.iter().any(|name| name.starts_with(prefix)), "{folder} lacks {prefix}: {found:?}");
        }
        found
    };
    holds("CONFIG", &["config.toml", "keys"]);
    let data = holds("DATA", &["outbox.db"]);
    assert!(!data.iter().any(|text| text.starts_with("cache") || text.ends_with(".log")), "{data:?}");
    let cache = holds("CACHE", &["cache.db"]);
    assert!(cache.iter().all(|text| text.starts_with("cache")), "{cache:?}");
    let logs = holds("STATE", &["frontdesk.", "outbox."]);
    assert!(logs.iter().all(|log| log.ends_with(".log") || log.ends_with(".mark")), "{logs:?}");
}
