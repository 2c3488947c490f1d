//! `admin move`: moves everything from a file to a server and back, or nothing.

use std::path::Path;

use frontdesk::service::DatabaseLocation;
use serde_json::{Value, json};

use super::cluster;
use super::together::{Process, UNLIMITED};
use crate::binary::{Binary, signal};
use crate::service::receiver::{Receiver, hex_hmac};
use crate::serving::public::{FILE, FORM};

/// Data of a service that must be intact after a move.
pub struct Service {
    pub binary: Binary,
    key: String,
    receiver: Receiver,
    sent: Value,
    media: String,
    page: (String, Value),
}

impl Service {
    /// A file with data that is hard to move, not served.
    pub async fn on_a_file() -> Self {
        let binary = Binary::new();
        let place = file(&binary);
        let (service, process) = Self::filled(binary, &place).await;
        end(process);
        service
    }

    /// Fills a place with data that is hard to move.
    pub async fn filled(binary: Binary, place: &str) -> (Self, Process) {
        frontdesk::client::install_tls();
        let receiver = Receiver::start().await;
        let process = serve(&binary, place);
        let ready = std::fs::read_to_string(binary.folder().join("served.json")).expect("ready");
        let ready: Value = serde_json::from_str(&ready).expect("JSON");
        let is_key = |value: &&Value| value["channel"] == "whatsapp" && value["environment"] == "live";
        let key = ready["keys"].as_array().expect("keys").iter().find(is_key).expect("a key");
        let key = key["key"].as_str().expect("text").to_owned();
        for number in 0..3 {
            process.inbound(&format!("+3460011122{number}"), &format!("zero \0 and {number}")).await;
        }
        let hook = json!({"url": receiver.url, "secret": "s3cret"});
        let (status, told) = process.ask("/v1/webhooks", &key, None, Some(hook)).await;
        assert!(status == 200 || status == 201, "{told}");
        let (status, sent) = process.ask(SEND, &key, Some("kept"), Some(text())).await;
        assert_eq!(status, 200, "{sent}");
        let media = upload(&process, &key).await;
        let (_, first) = process.ask("/v1/messages?limit=1", &key, None, None).await;
        let page = format!("/v1/messages?limit=1&cursor={}", first["nextCursor"].as_str().expect("more"));
        let (status, second) = process.ask(&page, &key, None, None).await;
        assert_eq!(status, 200, "{second}");
        let page = (page, second["data"][0]["id"].clone());
        (Self { binary, key, receiver, sent, media, page }, process)
    }

    /// Serves a place and checks the data; a second process is refused.
    pub async fn is_whole_on(&self, place: &str) {
        let process = serve(&self.binary, place);
        let (status, told) = process.ask(&self.page.0, &self.key, None, None).await;
        assert_eq!((status, &told["data"][0]["id"]), (200, &self.page.1), "{told}");
        let (status, again) = process.ask(SEND, &self.key, Some("kept"), Some(text())).await;
        assert_eq!((status, &again["messageId"]), (200, &self.sent["messageId"]), "{again}");
        let url = format!("http://{}{}", process.address, self.media);
        let bytes = process.http.get(url).send().await.expect("an answer").bytes().await.expect("bytes");
        assert_eq!(&bytes[..], b"hello");
        self.receiver.take();
        process.inbound("+34600111220", "one more").await;
        let told = crate::waiting::until_found("a delivery", async || {
            self.receiver.deliveries().pop().ok_or("nothing came")
        })
        .await;
        let signature = hex_hmac("s3cret", &told.body);
        assert!(told.headers.get("x-service-signature") == Some(&signature), "{told:?}");
        let elsewhere =
            if place.starts_with("postgres") { file(&self.binary) } else { "postgres:///x".to_owned() };
        let refused = self.binary.fails(1, &moving(&self.binary, place, &elsewhere), "");
        assert!(refused.contains("serves this"), "{refused}");
        end(process);
    }
}

const SEND: &str = "/v1/messages/send";

fn text() -> Value {
    json!({"to": "+34600111220", "type": "text", "text": {"body": "an answer"}})
}

pub fn file(binary: &Binary) -> String {
    binary.folder().join("service.db").to_str().expect("words").to_owned()
}

pub fn serve(binary: &Binary, place: &str) -> Process {
    let place = if place.starts_with("postgres") { cluster::served(place) } else { place.to_owned() };
    Process::reached(Process::begin(binary, "served", &[&["--db", place.as_str()], &UNLIMITED[..]].concat()))
}

pub fn end(mut process: Process) {
    signal(process.child.id(), "TERM");
    assert!(process.child.wait().expect("it ends").success());
}

pub async fn upload(process: &Process, key: &str) -> String {
    let request = process.http.post(format!("http://{}/v1/media", process.address)).bearer_auth(key);
    let (_, kind) = FORM.split_once(": ").expect("a header");
    let answer = request.header("content-type", kind).body(FILE).send().await.expect("an answer");
    let told: Value = serde_json::from_str(&answer.text().await.expect("a body")).expect("JSON");
    let url = told["url"].as_str().expect("a link").to_owned();
    url.split_once("/v1/").map(|pair| format!("/v1/{}", pair.1)).expect("a path")
}

/// Arguments of a move; leaked.
pub fn moving<'a>(binary: &Binary, from: &'a str, to: &'a str) -> Vec<&'a str> {
    let key: &str = Box::leak(binary.folder().join("service.key").display().to_string().into_boxed_str());
    vec!["admin", "move", "--from", from, "--to", to, "--key-file", key, "--json"]
}

pub fn moved(binary: &Binary, from: &str, to: &str) -> Value {
    serde_json::from_str(&binary.ok(&moving(binary, from, to), "")).expect("JSON")
}

/// Database content in a form common to both engines.
pub fn contents(place: &str) -> Vec<String> {
    let place: DatabaseLocation = place.parse().expect("a place");
    let questions = [
        "SELECT id || ' ' || conversation || ' ' || status FROM messages ORDER BY id",
        "SELECT content FROM messages WHERE content NOT LIKE 'zero%' ORDER BY id",
        "SELECT reason || ' ' || reference || ' ' || amount FROM ledger ORDER BY seq",
        "SELECT id || ' ' || balance FROM workspaces ORDER BY id",
        "SELECT id || ' ' || peer || ' ' || message_count FROM conversations ORDER BY id",
        "SELECT id || ' ' || tail FROM keys ORDER BY id",
        "SELECT event || ' ' || attempts FROM deliveries ORDER BY id",
    ];
    questions.iter().flat_map(|sql| cluster::column(&place, sql)).collect()
}

#[tokio::test]
async fn everything_moves_to_a_server_and_back() {
    let Some(server) = cluster::server() else { return };
    let service = Service::on_a_file().await;
    let (binary, file, url) = (&service.binary, file(&service.binary), cluster::database(server).await);
    let left = contents(&file);
    let told = moved(binary, &file, &url);
    assert_eq!(
        (&told["media"], &told["missingMedia"], &told["tables"]["media"]),
        (&json!(1), &json!(0), &json!(1))
    );
    assert_eq!(contents(&url), left);
    let refused = binary.fails(1, &["serve", "--db", &file, "--listen", "127.0.0.1:0"], "");
    assert!(refused.contains("this database was moved to postgres:///t_"), "{refused}");
    let refused = binary.fails(1, &["admin", "--db", &file, "credits"], "");
    assert!(refused.contains("serve that database"), "{refused}");
    let again = moved(binary, &file, &url);
    assert_eq!(again["tables"], json!({}), "done already: {again}");
    service.is_whole_on(&url).await;
    // Back to the original file, whose old data is replaced.
    let left = contents(&url);
    assert_eq!(moved(binary, &url, &file)["media"], json!(1));
    assert_eq!(contents(&file), left);
    let refused = binary.fails(1, &["admin", "--db", &url, "credits"], "");
    assert!(refused.contains("this database was moved to"), "{refused}");
    service.is_whole_on(&file).await;
    let left = contents(&file);
    moved(binary, &file, &url);
    assert_eq!(contents(&url), left);
    service.is_whole_on(&url).await;
}

#[tokio::test]
async fn refused_move_leaves_the_source_unchanged() {
    let Some(server) = cluster::server() else { return };
    let service = Service::on_a_file().await;
    let (binary, file) = (&service.binary, file(&service.binary));
    let (url, other) = (cluster::database(server).await, cluster::database(server).await);
    let refused = |from: &str, to: &str| binary.fails(1, &moving(binary, from, to), "");
    let left = contents(&file);
    let two_files = refused(&file, "other.db");
    assert!(two_files.contains("one of --from and --to must be a file"), "{two_files}");
    let missing = refused(&format!("{file}.gone"), &url);
    assert!(missing.contains("there is no service database"), "{missing}");
    let usage = binary.fails(2, &["admin", "--db", &file, "move", "--from", &file, "--to", &url], "");
    assert!(usage.contains("--from and --to"), "{usage}");
    // Another key cannot open the data.
    let key = binary.folder().join("other.key");
    std::fs::write(&key, "0f".repeat(32)).expect("written");
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&key, private).expect("set");
    let key = key.to_str().expect("words");
    let sealed = binary.fails(1, &["admin", "move", "--from", &file, "--to", &url, "--key-file", key], "");
    assert!(sealed.contains("encrypted with another key"), "{sealed}");
    // Existing tables are not overwritten.
    cluster::run(&other, "CREATE TABLE messages (a INT)").await.expect("made");
    let foreign = refused(&file, &other);
    assert!(foreign.contains("belongs to another program"), "{foreign}");
    let second = Service::on_a_file().await;
    moved(&second.binary, &self::file(&second.binary), &url);
    let occupied = refused(&file, &url);
    assert!(occupied.contains("already contains the data of a service"), "{occupied}");
    let occupied = second.binary.fails(1, &moving(&second.binary, &url, &file), "");
    assert!(occupied.contains("already contains the data of a service"), "{occupied}");
    // A ledger that does not explain the balance must not be moved.
    let change = |sql: &str| {
        rusqlite::Connection::open(&file).expect("it opens").execute(sql, []).expect("changed");
    };
    let url = cluster::database(server).await;
    change("UPDATE workspaces SET balance = balance + 1");
    let unexplained = refused(&file, &url);
    assert!(unexplained.contains("the ledger does not add up to the balance"), "{unexplained}");
    change("UPDATE workspaces SET balance = balance - 1");
    assert_eq!(contents(&file), left);
    service.is_whole_on(&file).await;
}

/// A difference after the copy is detected, and nothing is moved.
#[tokio::test]
async fn moved_data_is_compared() {
    let Some(server) = cluster::server() else { return };
    let service = Service::on_a_file().await;
    let (binary, file, url) = (&service.binary, file(&service.binary), cluster::database(server).await);
    moved(binary, &file, &url);
    moved(binary, &url, &file);
    let left = contents(&file);
    for (table, change) in [
        ("messages", "NEW.content := NEW.content || '.'; RETURN NEW"),
        ("ledger", "RETURN NULL"),
        ("media_parts", "NEW.bytes := 'jello'; RETURN NEW"),
    ] {
        let spoil = format!(
            "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {change}; END';
             CREATE TRIGGER spoil BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION spoil()",
            change = change.replace('\'', "''"),
        );
        cluster::run(&url, &spoil).await.expect("made");
        let noticed = binary.fails(1, &moving(binary, &file, &url), "");
        assert!(
            noticed.contains("the copied rows differ from the original rows; nothing was moved"),
            "{table}: {noticed}"
        );
        cluster::run(&url, "DROP FUNCTION spoil CASCADE").await.expect("dropped");
        assert_eq!(contents(&file), left);
    }
    moved(binary, &file, &url);
    assert_eq!(contents(&url), left);
    assert!(Path::new(&file).exists());
}
