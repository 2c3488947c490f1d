//! Folders and files of another user, named with their owner and the command that mends it.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;

use serde_json::Value;

use crate::binary::Binary;

/// A user without an entry in the table of users.
const STRANGER: u32 = 12_345;

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
}

/// Runs the doctor as another user. Returns its findings.
fn findings(binary: &Binary, home: Option<&Path>) -> Vec<(String, String)> {
    let mut command = binary.command(&["doctor", "--offline", "--json"]);
    command.uid(STRANGER).gid(STRANGER);
    match home {
        Some(home) => {
            command.env_remove("FRONTDESK_DATA_DIR").env("HOME", home);
            for name in ["DATA", "CACHE", "STATE", "CONFIG"] {
                command.env_remove(format!("XDG_{name}_HOME"));
            }
        }
        None => {
            command.env_remove("HOME").env_remove("FRONTDESK_DATA_DIR").env_remove("FRONTDESK_CONFIG_DIR");
        }
    }
    let output = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text} {output:?}"));
    let all = told["findings"].as_array().expect("findings");
    let field = |finding: &Value, name: &str| finding[name].as_str().expect("text").to_owned();
    all.iter()
        .map(|finding| {
            let line = format!(
                "{} {}: {}",
                field(finding, "verdict"),
                field(finding, "seen"),
                field(finding, "advice")
            );
            (field(finding, "subject"), line)
        })
        .collect()
}

#[track_caller]
fn has(found: &[(String, String)], subject: &str, words: &[&str]) {
    let fits = |line: &str| words.iter().all(|word| line.contains(word));
    assert!(
        found.iter().any(|(known, line)| known == subject && fits(line)),
        "nothing on {subject} with {words:?} in {found:#?}"
    );
}

/// Only root can be two users; for others these tests show nothing.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A home folder that the stranger may enter, with the folders of the desk in it.
fn home(binary: &Binary) -> std::path::PathBuf {
    set_mode(binary.folder(), 0o755);
    let home = binary.folder().join("home");
    for part in [".local/share/frontdesk", ".cache/frontdesk", ".local/state/frontdesk"] {
        std::fs::create_dir_all(home.join(part)).expect("made");
    }
    let mut open = vec![home.clone()];
    while let Some(folder) = open.pop() {
        set_mode(&folder, 0o700);
        std::os::unix::fs::chown(&folder, Some(STRANGER), Some(STRANGER)).expect("given");
        open.extend(std::fs::read_dir(&folder).expect("read").flatten().map(|entry| entry.path()));
    }
    home
}

#[test]
fn folder_of_another_user_is_named_with_its_owner() {
    if !is_root() {
        return;
    }
    let binary = Binary::new();
    let home = home(&binary);
    let give = |part: &str, uid: u32, mode: u32| {
        std::os::unix::fs::chown(home.join(part), Some(uid), Some(uid)).expect("given");
        set_mode(&home.join(part), mode);
    };
    for subject in ["data folder", "cache folder", "log folder"] {
        has(&findings(&binary, Some(&home)), subject, &["ok "]);
    }
    let cases = [
        ("data folder", ".local/share/frontdesk", 0o700),
        ("cache folder", ".cache/frontdesk", 0o755),
        ("log folder", ".local/state/frontdesk", 0o755),
        // A parent that may not be entered, and one that may not be written to.
        ("data folder", ".local/share", 0o700),
        ("log folder", ".local/state", 0o700),
    ];
    for (subject, part, mode) in cases {
        give(part, 0, mode);
        let shown = home.join(part).display().to_string();
        let owner = format!("{shown} belongs to root (uid 0), you are uid {STRANGER}");
        let remedy = format!("run: sudo chown -R {STRANGER} {shown}");
        has(&findings(&binary, Some(&home)), subject, &["fail ", &owner, &remedy]);
        give(part, STRANGER, 0o700);
    }
    std::fs::remove_dir(home.join(".cache/frontdesk")).expect("removed");
    give(".cache", 0, 0o755);
    has(&findings(&binary, Some(&home)), "cache folder", &["fail ", "cannot be used", "belongs to root"]);
    let data = home.join(".local/share/frontdesk");
    std::fs::remove_dir(&data).expect("removed");
    std::fs::write(&data, "").expect("written");
    has(&findings(&binary, Some(&home)), "data folder", &["fail ", "is a file, not a folder", "move"]);
}

#[test]
fn configuration_of_another_user_is_named_with_its_owner() {
    if !is_root() {
        return;
    }
    let binary = Binary::new();
    let home = home(&binary);
    binary.configure("[ui]\nascii = true\n");
    set_mode(&binary.config(), 0o600);
    has(
        &findings(&binary, Some(&home)),
        "configuration",
        &["fail ", "belongs to root (uid 0)", "sudo chown"],
    );
    std::os::unix::fs::chown(binary.config(), Some(STRANGER + 1), None).expect("given");
    set_mode(&binary.config(), 0o644);
    has(&findings(&binary, Some(&home)), "configuration", &["fail ", "who can change it", "sudo chown"]);
    let ended = {
        set_mode(&home.join(".local/state/frontdesk"), 0o500);
        std::os::unix::fs::chown(home.join(".local/state/frontdesk"), Some(0), None).expect("given");
        set_mode(&home.join(".local/state/frontdesk"), 0o755);
        binary.configure(
            "[[channel]]\nname = \"Shop\"\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_env = \"NONE\"\n",
        );
        let mut command = binary.command(&["list"]);
        command.uid(STRANGER).gid(STRANGER).env_remove("FRONTDESK_DATA_DIR").env("HOME", &home);
        String::from_utf8_lossy(&command.output().expect("it runs").stderr).into_owned()
    };
    assert!(ended.contains("could not use the log folder") && ended.contains("belongs to root"), "{ended}");
    assert!(!ended.contains("Error reading"), "{ended}");
}

#[test]
fn findings_are_listed_without_a_home_folder() {
    if !is_root() {
        return;
    }
    let found = findings(&Binary::new(), None);
    has(&found, "configuration", &["fail ", "there is no home folder", "set FRONTDESK_CONFIG_DIR"]);
    has(&found, "data folder", &["fail ", "there is no home folder", "set FRONTDESK_DATA_DIR"]);
    has(&found, "time zone", &["ok "]);
}

#[test]
fn service_database_of_another_user_exists() {
    if !is_root() {
        return;
    }
    let binary = Binary::new();
    set_mode(binary.folder(), 0o755);
    let folder = binary.folder().join("service");
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("service.db"), "x").expect("written");
    set_mode(&folder, 0o700);
    let database = folder.join("service.db").display().to_string();
    let mut command = binary.command(&["doctor", "--offline", "--db", &database]);
    command.uid(STRANGER).gid(STRANGER);
    let out = String::from_utf8_lossy(&command.output().expect("it runs").stdout).into_owned();
    assert!(
        out.contains("belongs to root (uid 0)") && !out.contains(&format!("{database} does not exist")),
        "{out}"
    );
}
