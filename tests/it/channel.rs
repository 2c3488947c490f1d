//! `frontdesk channel` and `frontdesk doctor`: the real binary against the real service.

use frontdesk::model::queries::Draft;
use frontdesk::store::Store;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::desk::Desk;
use crate::skipping::skip;

const COMMENTED: &str = "# mine\n[ui]\nascii = true  # an old terminal\n";

struct Added {
    desk: Desk,
    binary: Binary,
    key: String,
}

/// The desktop's real keyring on its own D-Bus session.
#[test]
fn a_real_keyring_keeps_hands_out_and_forgets() {
    if ["dbus-run-session", "dbus-send", "gnome-keyring-daemon"].into_iter().any(|text| !is_installed(text)) {
        skip("a real keyring, since dbus-run-session, dbus-send or gnome-keyring-daemon is not installed");
        return;
    }
    let desk = Desk::new(80, 24);
    let binary = Binary::new();
    let (key, url) = (desk.key_of("whatsapp"), desk.base_url.clone());
    let other = desk.key_of("telegram");
    let script = format!(
        "set -e; mkdir -p \"$HOME\"; printf pass | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
         # Before it has its name on the bus, the bus may start another, which is locked.
         has_name() {{ dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
             string:org.freedesktop.secrets | grep -q 'boolean true'; }}
         n=0; until has_name; do sleep 0.05; n=$((n + 1)); [ \"$n\" -lt 4800 ]; done
         add() {{ printf '%s\\n' \"$1\" | \"$program\" channel add --name 'Harbor chat' --base-url {url} $2; }}
         add {key}; \"$program\" list; add {other} --yes; \"$program\" channel test; \"$program\" doctor || true
         \"$program\" channel remove 'Harbor chat' --yes; add {key} | tail -n 1"
    );
    let mut run = std::process::Command::new("dbus-run-session");
    run.args(["--", "sh", "-c", &script]).env("program", env!("CARGO_BIN_EXE_frontdesk"));
    binary.variables(|name, value| {
        run.env(name, value);
    });
    run.env("HOME", binary.folder().join("home")).env_remove("XDG_DATA_HOME").env("TZ", "UTC");
    let output = run.output().expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    assert_eq!(out.matches("in the keyring").count(), 2, "{out}{err}");
    assert!(out.contains("bot-chat") && out.contains("ok    keyring"), "{out}{err}");
    assert!(!binary.folder().join("keys").exists(), "a key is in a file, too");
    assert!(!out.contains(&key[12..]) && !err.contains(&key[12..]));
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|split_path| split_path.join(program).exists())
}

/// A desk whose live chat channel was added from standard input.
fn added() -> Added {
    let desk = Desk::new(80, 24);
    let binary = Binary::new();
    binary.configure(COMMENTED);
    let key = desk.key_of("whatsapp");
    let said = binary.ok(&add(&desk.base_url), &format!("{key}\n"));
    assert!(
        said.contains("business chat") && said.contains("LIVE") && said.contains("1000 credits"),
        "{said}"
    );
    assert!(said.contains("may read: conversations") && said.contains("for this key: bot-chat"), "{said}");
    assert!(said.contains("no keyring"), "{said}");
    secret_in_neither(&binary, &key, &said);
    Added { desk, binary, key }
}

fn add(base_url: &str) -> [&str; 6] {
    ["channel", "add", "--name", "Harbor chat", "--base-url", base_url]
}

/// The key is in its file and nowhere else.
#[track_caller]
fn secret_in_neither(binary: &Binary, key: &str, said: &str) {
    let config = std::fs::read_to_string(binary.config()).expect("readable");
    assert!(!said.contains(key) && !config.contains(key));
    assert!(said.contains(&format!("…{}", &key[key.len() - 4..])), "{said}");
}

#[cfg(unix)]
fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[cfg(unix)]
fn key_file(binary: &Binary) -> std::path::PathBuf {
    let mut keys = std::fs::read_dir(binary.folder().join("keys")).expect("the folder of keys");
    keys.next().expect("a key").expect("readable").path()
}

#[cfg(unix)]
#[test]
fn a_channel_is_added_listed_tested_and_used() {
    let Added { desk, binary, key } = added();
    let config = std::fs::read_to_string(binary.config()).expect("readable");
    assert!(config.starts_with(COMMENTED), "{config}");
    let key_file = key_file(&binary);
    assert_eq!((mode(&binary.config()), mode(&key_file)), (0o600, 0o600));
    assert_eq!(mode(key_file.parent().expect("a folder")), 0o700);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    assert!(binary.ok(&["list"], "").contains("Maria Lopez"));
    let listed = binary.ok(&["channel", "list"], "");
    assert!(listed.contains("Harbor chat\tLIVE\t") && !listed.contains(&key), "{listed}");
    let tested: Value = serde_json::from_str(&binary.ok(&["channel", "test", "--json"], "")).expect("JSON");
    let scope = &tested[0]["scope"];
    assert_eq!((scope["messages"].as_str(), scope["email"].as_str()), (Some("yes"), Some("no")));
    assert!(tested[0]["rateLimit"].is_number() && tested[0]["latencyMs"].is_number(), "{tested}");
    // A key file readable by others is refused.
    std::fs::set_permissions(&key_file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).expect("set");
    assert!(binary.fails(1, &["list"], "").contains("chmod 600"));
}

#[test]
fn a_key_is_for_the_server_it_was_given_for() {
    let Added { desk, binary, key } = added();
    let elsewhere = desk.base_url.replace("127.0.0.1", "localhost");
    let config = std::fs::read_to_string(binary.config()).expect("readable");
    binary.configure(&config.replace(&desk.base_url, &elsewhere));
    let said = binary.fails(1, &["list"], "");
    assert!(said.contains("for http://127.0.0.1") && said.contains("channel add"), "{said}");
    binary.ok(&["channel", "add", "--name", "harbor CHAT"], &format!("{key}\n"));
    binary.ok(&["list"], "");
    let config = std::fs::read_to_string(binary.config()).expect("readable");
    assert_eq!((config.matches("[[channel]]").count(), config.contains("localhost")), (1, true), "{config}");
}

#[test]
fn nothing_is_added_that_does_not_work() {
    let desk = Desk::new(80, 24);
    let mut binary = Binary::new();
    let key = desk.key_of("whatsapp");
    let said = binary.fails(1, &add(&desk.base_url), "svc_live_0123456789abcdef0123\n");
    assert!(said.contains("nothing was added") && said.contains("this key"), "{said}");
    for url in ["http://api.example.com/v1", "x"] {
        let said = binary.fails(2, &add(url), &key);
        assert!(said.contains("must begin with https://, or http:// on this machine"), "{said}");
    }
    let said = binary.fails(1, &add(&desk.base_url), "");
    assert!(said.contains("the input ended") && said.contains("--key-env"), "{said}");
    let said = binary.fails(2, &["channel", "add"], "");
    assert!(said.contains("--name"), "{said}");
    // A key is not accepted as an argument.
    assert_eq!(binary.run(&["channel", "add", "--key", &key], "").code, Some(2));
    assert!(!binary.config().exists() && !binary.folder().join("keys").exists());
    binary.set("CHAT_KEY", &key);
    let mut arguments = add(&desk.base_url).to_vec();
    arguments.extend(["--key-env", "CHAT_KEY", "--read-only", "--json"]);
    let told: Value = serde_json::from_str(&binary.ok(&arguments, "")).expect("JSON");
    assert_eq!(told["keptIn"], "the environment variable CHAT_KEY");
    assert!(!binary.folder().join("keys").exists());
    let said = binary.fails(1, &["close", "nobody"], "");
    assert!(said.contains("no conversation has the id"), "{said}");
}

#[test]
fn a_rate_limit_is_waited_for() {
    let desk = Desk::new(80, 24);
    let binary = Binary::new();
    let key = desk.key_of("whatsapp");
    let full = |path: &str, seconds: u32| {
        let fault = json!({"path_prefix": path, "count": 1, "status": 429, "code": "RATE_LIMIT_EXCEEDED",
            "retry_after": seconds});
        desk.dev("fault", fault);
    };
    // A wait longer than the timeout adds nothing.
    full("/account", 60);
    let said = binary.fails(1, &[&add(&desk.base_url)[..], &["--timeout", "30"]].concat(), &key);
    assert!(said.contains("the server asks to wait 6") && said.contains("nothing was added"), "{said}");
    assert!(!binary.config().exists());
    full("/account", 1);
    full("/templates", 1);
    let said = binary.ok(&add(&desk.base_url), &key);
    assert!(said.contains("1000 credits") && said.contains("templates"), "{said}");
    assert!(!said.contains("wait"), "{said}");
    full("/account", 1);
    assert!(binary.ok(&["channel", "test"], "").contains("Harbor chat"));
}

#[test]
fn removing_keeps_what_was_written() {
    let Added { binary, .. } = added();
    let store = Store::open(&binary.data()).expect("it opens");
    let draft =
        Draft { text: "half a thought".into(), reply_to: None, note: String::new(), attachments: Vec::new() };
    store.save_draft(&"harbor chat".into(), &"c1".into(), Some(draft.clone())).expect("saved");
    drop(store);
    assert!(binary.fails(2, &["channel", "remove", "Harbor chat"], "").contains("--yes"));
    let said = binary.ok(&["channel", "remove", "Harbor chat", "--yes"], "");
    assert!(said.contains("kept: 1 draft and 0 unsent"), "{said}");
    assert_eq!(std::fs::read_dir(binary.folder().join("keys")).expect("the folder").count(), 0);
    assert_eq!(std::fs::read_to_string(binary.config()).expect("readable").trim_end(), COMMENTED.trim_end());
    let store = Store::open(&binary.data()).expect("it opens");
    let kept = store.reader().expect("a reader").draft(&"harbor chat".into(), &"c1".into());
    assert_eq!(kept.expect("read"), Some(draft));
    assert!(binary.fails(1, &["channel", "remove", "Harbor chat", "--yes"], "").contains(": none"));
    assert!(binary.fails(2, &["list"], "").contains("frontdesk channel add"));
}

#[track_caller]
fn verdict(findings: &Value, text: &str) -> String {
    let all = findings["findings"].as_array().expect("findings");
    let found = all.iter().find(|entry| entry["seen"].as_str().is_some_and(|seen| seen.contains(text)));
    found.unwrap_or_else(|| panic!("nothing of {text:?} in {findings:#}"))["verdict"]
        .as_str()
        .expect("a word")
        .into()
}

fn verdict_on(findings: &Value, subject: &str) -> String {
    let all = findings["findings"].as_array().expect("findings");
    let found = all.iter().find(|entry| entry["subject"] == subject);
    found.unwrap_or_else(|| panic!("nothing about {subject:?} in {findings:#}"))["verdict"]
        .as_str()
        .expect("a word")
        .into()
}

fn examined(binary: &Binary, code: i32) -> Value {
    let ended = binary.run(&["doctor", "--json"], "");
    assert_eq!(ended.code, Some(code), "{}{}", ended.out, ended.err);
    serde_json::from_str(&ended.out).expect("JSON")
}

#[cfg(unix)]
#[test]
fn the_doctor_tells_what_does_not_work() {
    use std::os::unix::fs::PermissionsExt;
    let Added { desk, binary, key } = added();
    binary.ok(&["list"], "");
    let well = examined(&binary, 0);
    for text in ["channels: 1", "whole, version", "business chat", "reads a minute"] {
        assert_eq!(verdict(&well, text), "ok", "{text}");
    }
    for subject in ["data folder", "unsent"] {
        assert_eq!(verdict_on(&well, subject), "ok", "{subject}");
    }
    assert_eq!(well["ok"], true);
    assert!(!well.to_string().contains(&key));
    // A rate limit says nothing about the key: it is waited for.
    desk.dev(
        "fault",
        json!({"path_prefix": "/contacts", "count": 1, "status": 429,
            "code": "RATE_LIMIT_EXCEEDED", "retry_after": 1}),
    );
    assert_eq!(verdict(&examined(&binary, 0), "may read"), "ok");
    // One kind of damage at a time.
    let open =
        |mode| std::fs::set_permissions(binary.data(), std::fs::Permissions::from_mode(mode)).expect("set");
    open(0o755);
    assert_eq!(verdict_on(&examined(&binary, 1), "data folder"), "fail");
    open(0o700);
    desk.dev("keys/revoke", serde_json::json!({"key": key}));
    assert_eq!(verdict(&examined(&binary, 1), "REVOKED_KEY"), "fail");
    let outbox = binary.data().join("outbox.db");
    for part in ["outbox.db-wal", "outbox.db-shm"] {
        // Exists only if the last connection to close was a reader's.
        let _ = std::fs::remove_file(binary.data().join(part));
    }
    std::fs::write(&outbox, vec![b'x'; 8192]).expect("written");
    assert_eq!(verdict(&examined(&binary, 1), "outbox.db is damaged"), "fail");
    assert_eq!(std::fs::read(&outbox).expect("readable"), vec![b'x'; 8192]);
    let config = std::fs::read_to_string(binary.config()).expect("readable");
    binary.configure(&format!("{config}[behavior]\n[polling]\nvisible_seconds = 0\n"));
    let ill = examined(&binary, 1);
    assert_eq!(verdict(&ill, "did you mean behaviour?"), "fail");
    assert_eq!(verdict(&ill, "visible_seconds must be"), "fail");
    let ended = binary.run(&["doctor", "--offline"], "");
    assert!(ended.code == Some(1) && ended.out.contains("fail  configuration"), "{}", ended.out);
}

#[cfg(unix)]
#[test]
fn the_doctor_gives_one_advice_and_the_right_one() {
    use std::os::unix::fs::PermissionsExt;
    let binary = Binary::new();
    let file = binary.folder().join("k");
    std::fs::write(&file, "svc_test_x").expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("set");
    let channel = |url: &str, key: &str| {
        format!("[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{url}\"\nkey_file = \"{key}\"\n")
    };
    let path = file.display().to_string();
    binary.configure(&channel("http://127.0.0.1:9/v1", &path));
    let line = format!("; run: chmod 600 {path}\n");
    let ended = binary.run(&["doctor"], "");
    assert!(ended.out.contains(&line), "{}", ended.out);
    binary.configure(&channel("http://127.0.0.1:9/v1", "/nowhere/k"));
    let ended = binary.run(&["doctor"], "");
    assert!(ended.out.contains("/nowhere/k") && ended.out.contains("correct it in "), "{}", ended.out);
    // An invalid URL is reported like other mistakes.
    binary.configure(&channel("http://api.example.com/v1", &path));
    let ended = binary.run(&["doctor", "--offline"], "");
    let mistake = "config.toml, line 3: base_url \"http://api.example.com/v1\" must begin with https://";
    assert!(ended.out.contains(mistake), "{}", ended.out);
}

#[test]
fn the_doctor_looks_before_anything_is_there() {
    let binary = Binary::new();
    let told = examined(&binary, 0);
    assert_eq!(verdict_on(&told, "configuration"), "warn");
    assert!(!binary.data().exists(), "looking made the folder");
}
