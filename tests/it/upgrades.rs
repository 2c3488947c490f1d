//! Data of released versions, kept in `tests/upgrades`: each is opened and used by this version.
//!
//! `FRONTDESK_MAKE_UPGRADE=0.1.0` makes the files of a version with the binary under test; see docs/CONTRIBUTING.md.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use frontdesk::inbox::event::{FileWrite, Intent};
use frontdesk::model::account::Platform;
use frontdesk::model::outbox::Operation;
use frontdesk::model::time::Clock;
use frontdesk::shell::clock::SystemClock;
use frontdesk::shell::effects;
use frontdesk::store::Store;
use serde_json::{Value, json};

use crate::binary::{Binary, signal};
use crate::postgres::cluster;
use crate::postgres::together::Process;

const ANA: &str = "+34600111222";
const QUESTION: &str = "Is my bicycle ready?";
const ANSWER: &str = "It is ready at five.";
const UNSENT: &str = "Written before the upgrade";
const NOTE: &str = "Noted before the upgrade";
/// Files of the service, and of a desk.
const SERVICE: &str = "service.db";
const SEALING_KEY: &str = "service.key";
const KEYS: &str = "keys.json";
const DUMP: &str = "postgres.sql";
const DESK: [&str; 2] = ["outbox.db", "cache.db"];

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrades")
}

fn versions() -> Vec<PathBuf> {
    let listed = fs::read_dir(kept()).expect("a folder").map(|entry| entry.expect("read").path());
    let versions: Vec<PathBuf> = listed.filter(|path| path.is_dir()).collect();
    assert!(!versions.is_empty());
    versions
}

fn pack(from: &Path, to: &Path) {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(from).expect("read")).expect("packed");
    fs::write(to, packed.finish().expect("packed")).expect("written");
}

/// Copies a file of a version into a folder of a test.
fn unpack(version: &Path, name: &str, to: &Path) -> PathBuf {
    let packed = fs::File::open(version.join(format!("{name}.gz"))).expect("kept");
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("unpacked");
    fs::create_dir_all(to).expect("a folder");
    let path = to.join(name);
    fs::write(&path, bytes).expect("written");
    path
}

/// The sealing key, readable by its owner alone, as a checkout does not keep it.
fn copy_sealing_key(version: &Path, binary: &Binary) {
    let path = binary.folder().join(SEALING_KEY);
    fs::copy(version.join(SEALING_KEY), &path).expect("copied");
    fs::set_permissions(path, Permissions::from_mode(0o600)).expect("owned");
}

fn keys(version: &Path, binary: &Binary) -> BTreeMap<String, String> {
    let text = fs::read_to_string(unpack(version, KEYS, binary.folder())).expect("kept");
    serde_json::from_str(&text).expect("keys")
}

fn serve(binary: &Binary, place: &str) -> Process {
    frontdesk::client::install_tls();
    Process::reached_with_log(Process::begin(binary, "served", &["--db", place, "--dev"]), binary, "served")
}

fn end(mut process: Process) {
    signal(process.child.id(), "TERM");
    assert!(process.child.wait().expect("it ends").success());
}

/// Checks that everything is there, and that the service goes on with it.
async fn is_whole(process: &Process, keys: &BTreeMap<String, String>) {
    let key = &keys["whatsapp"];
    let (status, listed) = process.ask("/v1/conversations", key, None, None).await;
    assert_eq!(status, 200, "{listed}");
    assert_eq!(listed["data"][0]["customerPhone"], ANA, "{listed}");
    let id = listed["data"][0]["id"].as_str().expect("an id");
    let (_, messages) = process.ask(&format!("/v1/conversations/{id}/messages"), key, None, None).await;
    let texts: Vec<&str> = messages["data"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|one| one["content"].as_str())
        .collect();
    assert_eq!(texts, [ANSWER, QUESTION]);
    let (_, found) = process.ask("/v1/contacts?search=600111222", key, None, None).await;
    assert_eq!(found["data"][0]["name"], "Ana Wells", "{found}");
    process.inbound(ANA, "After the upgrade").await;
    let (_, newest) = process.ask("/v1/triggers/new-message", key, None, None).await;
    assert_eq!(newest["data"][0]["content"], "After the upgrade");
}

#[tokio::test]
async fn file_of_every_version_is_opened() {
    for version in versions() {
        let binary = Binary::new();
        let place = unpack(&version, SERVICE, binary.folder());
        copy_sealing_key(&version, &binary);
        let keys = keys(&version, &binary);
        let process = serve(&binary, place.to_str().expect("words"));
        is_whole(&process, &keys).await;
        end(process);
    }
}

#[tokio::test]
async fn database_of_every_version_is_opened() {
    let Some(server) = cluster::server() else { return };
    let psql = cluster::programs().expect("a server is installed").join("psql");
    for version in versions() {
        let (binary, url) = (Binary::new(), cluster::database(server).await);
        let dump = unpack(&version, DUMP, binary.folder());
        copy_sealing_key(&version, &binary);
        let restored = Command::new(&psql)
            .args(["--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--dbname", &url, "--file"])
            .arg(&dump)
            .output()
            .expect("it runs");
        assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
        let keys = keys(&version, &binary);
        let process = serve(&binary, &cluster::served(&url));
        is_whole(&process, &keys).await;
        end(process);
    }
}

#[tokio::test]
async fn folder_of_a_desk_of_every_version_is_opened() {
    for version in versions() {
        let mut binary = Binary::new();
        for name in DESK {
            unpack(&version, name, &binary.data());
        }
        let keys = keys(&version, &binary);
        binary.set("KEY", &keys["whatsapp"]);
        configure(&binary, "127.0.0.1:9");
        let outbox: Value =
            serde_json::from_str(&binary.ok(&["outbox", "list", "--json"], "")).expect("JSON");
        assert!(outbox.to_string().contains(UNSENT), "{outbox}");
        let found = binary.ok(&["search", "bicycle", "--json"], "");
        assert!(found.contains(QUESTION), "{found}");
        let noted = binary.ok(&["search", "Noted", "--json"], "");
        assert!(noted.contains(NOTE), "{noted}");
    }
}

fn configure(binary: &Binary, address: &str) {
    binary.configure(&format!(
        "[[channel]]\nname = \"Shop\"\nbase_url = \"http://{address}/v1\"\nkey_env = \"KEY\"\n"
    ));
}

/// Makes the files of a version. The desk is called Ana; its text stays in the outbox as no service runs.
#[tokio::test]
async fn files_of_a_version_are_made() {
    let Ok(version) = std::env::var("FRONTDESK_MAKE_UPGRADE") else { return };
    let server = cluster::server().expect("a server");
    let folder = kept().join(version);
    fs::create_dir_all(&folder).expect("a folder");
    let mut binary = Binary::new();
    let place = binary.folder().join(SERVICE);
    let process = serve(&binary, place.to_str().expect("words"));
    let ready = fs::read_to_string(binary.folder().join("served.json")).expect("ready");
    let ready: Value = serde_json::from_str(&ready).expect("JSON");
    let live = ready["keys"].as_array().expect("keys").iter().filter(|key| key["environment"] == "live");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let keys: BTreeMap<String, String> = live.map(|key| (text(&key["channel"]), text(&key["key"]))).collect();
    let key = &keys["whatsapp"];
    process.inbound(ANA, QUESTION).await;
    let answer = json!({"to": ANA, "type": "text", "text": {"body": ANSWER}});
    let (status, sent) = process.ask("/v1/messages/send", key, Some("kept"), Some(answer)).await;
    assert_eq!(status, 200, "{sent}");
    let contact = json!({"phone": ANA, "name": "Ana Wells", "tags": ["vip"]});
    let (status, made) = process.ask("/v1/contacts", key, None, Some(contact)).await;
    assert!(status < 300, "{made}");
    binary.ok(&["admin", "--db", place.to_str().expect("words"), "person", "add", "Ana", "--json"], "");

    binary.set("KEY", key);
    configure(&binary, &process.address);
    let (_, listed) = process.ask("/v1/conversations", key, None, None).await;
    let id = listed["data"][0]["id"].as_str().expect("an id");
    binary.ok(&["list", "--json"], "");
    binary.ok(&["show", ANA, "--json"], "");
    end(process);
    let store = Store::open(&binary.data()).expect("it opens");
    let operation = Operation::SendText { to: ANA.to_owned(), text: UNSENT.to_owned(), reply_to: None };
    let intent = Intent {
        channel: "shop".into(),
        platform: Platform::Whatsapp,
        conversation: id.into(),
        operation,
        hold: 0,
        seen: None,
        planned_at: None,
    };
    let write = FileWrite::Enqueue { intents: vec![intent], clears_draft: false };
    effects::write(&store, write, SystemClock.now());
    store.insert_note(&"shop".into(), &id.into(), NOTE, SystemClock.now()).expect("stored");
    drop(store);

    let url = cluster::database(server).await;
    let place_text = place.to_str().expect("words").to_owned();
    pack(&place, &folder.join(format!("{SERVICE}.gz")));
    let key_file = binary.folder().join(SEALING_KEY);
    let moved = ["admin", "move", "--from", &place_text, "--to", &url, "--key-file"];
    binary.ok(&[&moved[..], &[key_file.to_str().expect("words")]].concat(), "");
    let dump = binary.folder().join(DUMP);
    let pg_dump = cluster::programs().expect("a server is installed").join("pg_dump");
    let made = Command::new(pg_dump)
        .args(["--format=plain", "--no-owner", "--no-privileges", "--file"])
        .arg(&dump)
        .arg(&url)
        .output()
        .expect("it runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    pack(&dump, &folder.join(format!("{DUMP}.gz")));
    fs::copy(key_file, folder.join(SEALING_KEY)).expect("copied");
    let kept_keys = binary.folder().join(KEYS);
    fs::write(&kept_keys, json!(keys).to_string()).expect("written");
    pack(&kept_keys, &folder.join(format!("{KEYS}.gz")));
    for name in DESK {
        let file = rusqlite::Connection::open(binary.data().join(name)).expect("it opens");
        file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("checked");
        drop(file);
        pack(&binary.data().join(name), &folder.join(format!("{name}.gz")));
    }
}
