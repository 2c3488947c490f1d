//! `doctor --db`: the database of a service and its key.

use super::*;

fn said(binary: &Binary, database: &Path, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let all = [&["doctor", "--offline", "--db", path_text(database)], arguments].concat();
    let ended = binary.run(&all, "");
    let about = |text: &&str| text.contains(" service ") || text.contains(" sealing key ");
    (ended.code, ended.out.lines().filter(about).map(str::to_owned).collect())
}

#[test]
fn the_doctor_looks_at_a_service() {
    let binary = Binary::new();
    let (database, key) = (binary.folder().join("service.db"), binary.folder().join("seal"));
    let (_, lines) = said(&binary, &database, &[]);
    assert!(lines[0].starts_with("warn") && lines[0].contains("frontdesk serve --db"), "{lines:?}");
    assert!(!database.exists(), "it changes nothing");
    let serving = Serving::start(&binary, &["--key-file", path_text(&key)]);
    let (_, lines) = said(&binary, &database, &["--key-file", path_text(&key)]);
    let process = format!("served by process {}", serving.child.id());
    assert!(lines[0].starts_with("ok") && lines[0].contains(&process), "{lines:?}");
    assert!(lines[1].starts_with("ok") && lines[1].contains(path_text(&key)), "{lines:?}");
    drop(serving);
    let (code, lines) = said(&binary, &database, &[]);
    assert!(lines[0].starts_with("warn") && lines[0].contains("frontdesk serve --db"), "{lines:?}");
    assert!(lines[1].starts_with("fail") && lines[1].contains("service.db.key does not exist"), "{lines:?}");
    assert_eq!(code, Some(1));
    let other = binary.folder().join("other");
    std::fs::write(&other, "7f".repeat(32)).expect("written");
    let asked = |arguments: &[&str]| said(&binary, &database, arguments).1[1].clone();
    let shared = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&other, shared).expect("set");
    assert!(asked(&["--key-file", path_text(&other)]).contains("run: chmod 600"));
    std::fs::set_permissions(&other, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
    assert!(asked(&["--key-file", path_text(&other)]).contains("encrypted with another key"));
    let notes = binary.folder().join("notes.txt");
    std::fs::write(&notes, "Buy milk.\n").expect("written");
    let (code, lines) = said(&binary, &notes, &[]);
    assert!(code == Some(1) && lines.iter().any(|line| line.contains("not a database")), "{lines:?}");
    assert_eq!(std::fs::read_to_string(&notes).expect("kept"), "Buy milk.\n");
    // `--key-file` requires `--db`.
    assert_eq!(binary.run(&["doctor", "--key-file", path_text(&key)], "").code, Some(2));
}

#[test]
fn doctor_names_failing_webhooks_and_a_newer_version() {
    let binary = Binary::new();
    let database = binary.folder().join("service.db");
    drop(Serving::start(&binary, &[]));
    let change = |sql: &str| {
        let connection = rusqlite::Connection::open(&database).expect("opens");
        connection.execute_batch(sql).expect(sql);
    };
    change(
        "INSERT INTO webhooks (id, channel, url, events, active, failing_since, created_at)
         SELECT 'wh_1', id, 'https://hooks.example/a', '[]', 1, 1764460800000000, 1764460800000000
         FROM channels LIMIT 1",
    );
    let found = binary.run(&["doctor", "--offline", "--db", path_text(&database)], "").out;
    let line = found.lines().find(|line| line.contains("wh_1")).unwrap_or_else(|| panic!("{found}"));
    assert!(line.starts_with("warn  webhook"), "{line}");
    assert!(line.contains("failing since 2025-11-30") && line.contains("deliveries wh_1 --failed"), "{line}");
    change("PRAGMA user_version = 99");
    let (code, lines) = said(&binary, &database, &[]);
    assert!(code == Some(1) && lines[0].contains("newer version"), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("not served")), "{lines:?}");
}

#[test]
fn doctor_says_what_to_do_about_a_database_server_that_is_down() {
    let binary = Binary::new();
    let url = format!("postgres://frontdesk@127.0.0.1:{}/frontdesk", crate::binary::free_port());
    let (code, lines) = said(&binary, Path::new(&url), &[]);
    assert!(code == Some(1) && lines[0].contains("start the database server"), "{lines:?}");
}
