//! Restores from `admin backup` on both engines, and from a dump by the server's tools.

use std::path::Path;
use std::process::{Command, Stdio};

use super::cluster;
use super::moving::{Service, contents, end, file, moved};
use crate::binary::Binary;

fn copied(service: &Service, from: &str, name: &str) -> String {
    let to = service.binary.folder().join(name).to_str().expect("words").to_owned();
    let told = service.binary.ok(&["admin", "--db", from, "backup", "--to", &to], "");
    assert!(told.contains("uploaded file") && told.contains(&format!("{to}.media")), "{told}");
    to
}

#[tokio::test]
async fn a_file_is_restored_from_a_backup() {
    let binary = Binary::new();
    let place = file(&binary);
    let (service, process) = Service::filled(binary, &place).await;
    let backup = copied(&service, &place, "backup.db");
    let copies = || {
        let entries = std::fs::read_dir(service.binary.folder()).expect("a folder").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.starts_with("backup.db")).collect();
        names.sort();
        names
    };
    assert_eq!(copies(), ["backup.db", "backup.db.media"]);
    let before = contents(&backup);
    process.inbound("+34600111229", "after the backup").await;
    let beside = copies();
    let refused = service.binary.fails(1, &["admin", "--db", &place, "backup", "--to", &backup], "");
    assert!(refused.contains("already contains the data of a service"), "{refused}");
    assert_eq!(copies(), beside, "the refused copy leaves nothing");
    drop(process);
    // The folder is lost; the key is stored elsewhere.
    for name in [place.clone(), format!("{place}-wal"), format!("{place}-shm")] {
        // A killed service leaves its WAL.
        let _ = std::fs::remove_file(name);
    }
    std::fs::remove_dir_all(format!("{place}.media")).expect("removed");
    for suffix in ["", ".media"] {
        std::fs::rename(format!("{backup}{suffix}"), format!("{place}{suffix}")).expect("brought back");
    }
    assert_eq!(contents(&place), before);
    service.is_whole_on(&place).await;
}

#[tokio::test]
async fn a_server_is_restored_from_a_backup_and_from_a_dump() {
    let Some(server) = cluster::server() else { return };
    let (binary, url) = (Binary::new(), cluster::database(server).await);
    let (service, process) = Service::filled(binary, &url).await;
    let backup = copied(&service, &url, "backup.db");
    let before = contents(&backup);
    let dump = service.binary.folder().join("service.dump");
    let programs = cluster::programs().expect("a server is installed");
    run(Command::new(programs.join("pg_dump")).args(["--format=custom", "--file"]).arg(&dump).arg(&url));
    process.inbound("+34600111229", "after the backup").await;
    end(process);
    let (one, other) = (cluster::database(server).await, cluster::database(server).await);
    moved(&service.binary, &backup, &one);
    restore(&programs, &dump, &other);
    assert_eq!(contents(&one), before);
    for url in [&one, &other] {
        service.is_whole_on(url).await;
        let after = "SELECT count(*) FROM messages WHERE content = 'after the backup'";
        assert_eq!(cluster::count(&url.parse().expect("an address"), after), 0);
    }
}

fn restore(programs: &Path, dump: &Path, url: &str) {
    let restore = ["--no-owner", "--exit-on-error", "--single-transaction", "--dbname", url];
    run(Command::new(programs.join("pg_restore")).args(restore).arg(dump));
}

fn run(command: &mut Command) {
    let ended = command.stdin(Stdio::null()).output().expect("it runs");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}
