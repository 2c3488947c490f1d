//! `admin` commands of the real binary on the database of a running service.

use std::net::{Ipv4Addr, SocketAddr};

use frontdesk::service::{self, Options, RunningService};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::desk::HandClock;

struct Scene {
    binary: Binary,
    running: RunningService,
    http: reqwest::Client,
}

impl Scene {
    async fn new() -> Self {
        let binary = Binary::new();
        let mut options = Options::new(
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            binary.folder().join("service.db"),
            HandClock::new(),
        );
        options.unlimited = true;
        let running = service::start(options).await.expect("the service starts");
        frontdesk::client::install_tls();
        // The service may close a kept connection just as it is used.
        let http = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build().expect("a client");
        Self { binary, running, http }
    }

    fn arguments<'a>(&self, database: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
        let mut all = vec!["admin", "--db", database];
        all.extend(arguments);
        all
    }

    fn admin(&self, arguments: &[&str], input: &str) -> Value {
        let database = self.binary.folder().join("service.db");
        let database = database.to_str().expect("a path in words");
        let mut all = self.arguments(database, arguments);
        all.push("--json");
        serde_json::from_str(&self.binary.ok(&all, input)).unwrap_or(Value::Null)
    }

    async fn get(&self, path: &str, key: &str) -> (StatusCode, Value) {
        let request = self.http.get(format!("{}{path}", self.running.base_url)).bearer_auth(key);
        let answer = request.send().await.expect("an answer");
        let status = answer.status();
        (status, serde_json::from_slice(&answer.bytes().await.expect("a body")).expect("JSON"))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_service_sees_what_the_dashboard_changes() {
    let scene = Scene::new().await;
    let made = scene.admin(&["key", "create", "--channel", "telegram", "--environment", "test"], "");
    let key = made["key"].as_str().expect("a key").to_owned();
    assert!(key.starts_with("svc_test_"), "{key}");
    let database = scene.binary.folder().join("service.db");
    let database = database.to_str().expect("a path in words");
    scene.binary.unread(&["admin", "--db", database, "key", "list"]);
    let (status, account) = scene.get("/account", &key).await;
    assert_eq!((status, &account["assistant"]["platform"]), (StatusCode::OK, &json!("TELEGRAM")));
    assert_eq!(scene.admin(&["credits", "--set", "7"], ""), json!({"balance": 7}));
    assert_eq!(scene.admin(&["credits", "--add", "-2"], ""), json!({"balance": 5}));
    assert_eq!(scene.get("/account", &key).await.1["creditsBalance"], json!(5));

    let live = scene.running.keys[0].key.expose().to_owned();
    let components = r#"[{"type":"BODY","text":"See you at {{1}}"}]"#;
    scene.admin(&["template", "put", "see_you", "en", "-"], components);
    let (_, listed) = scene.get("/templates", &live).await;
    let names: Vec<&str> = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|value| value["name"].as_str())
        .collect();
    assert!(names.contains(&"see_you"), "{names:?}");
    scene.admin(&["template", "remove", "see_you", "en"], "");
    assert!(!scene.get("/templates", &live).await.1.to_string().contains("see_you"));

    let keys = scene.admin(&["key", "list"], "");
    let keys = keys.as_array().expect("a list");
    assert_eq!(keys.len(), 9);
    assert!(!keys.iter().any(|value| value.to_string().contains(&key)), "a list never shows a key");
    assert_eq!(scene.get("/account", &key).await.0, StatusCode::OK, "looked up just before");
    scene.admin(&["key", "revoke", made["id"].as_str().expect("an id")], "");
    let (status, refused) = scene.get("/account", &key).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_eq!(refused["code"], "REVOKED_KEY");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workspace_is_selected_by_its_name() {
    let scene = Scene::new().await;
    let added = scene.admin(&["workspace", "add", "--name", "Second shop"], "");
    let id = added["id"].as_str().expect("an id").to_owned();
    let second = ["--workspace", "Second shop"];
    let in_second = |arguments: &[&str]| scene.admin(&[&second[..], arguments].concat(), "");
    let made = in_second(&["key", "create", "--channel", "whatsapp"]);
    let key = made["key"].as_str().expect("a key");
    let (status, account) = scene.get("/account", key).await;
    assert_eq!((status, &account["workspace"]["id"]), (StatusCode::OK, &json!(id)));
    assert_eq!(in_second(&["credits", "--add", "5"]), json!({"balance": 1_005}));
    assert_eq!(scene.admin(&["credits"], ""), json!({"balance": 1_000}), "the first has its own");
    assert_eq!(scene.admin(&["--workspace", &id, "credits"], ""), json!({"balance": 1_005}));
    let keys = in_second(&["key", "list"]);
    let keys = keys.as_array().expect("a list");
    assert!(keys.len() == 9 && keys.iter().all(|line| line["workspace"] == json!(id)), "{keys:?}");
    let (_, told) = scene.get("/account", key).await;
    assert_eq!(told["creditsBalance"], json!(1_005));
    let components = r#"[{"type":"BODY","text":"Bye"}]"#;
    scene.admin(&["--workspace", &id, "template", "put", "bye", "en", "-"], components);
    assert!(in_second(&["template", "list"]).to_string().contains("bye"));
    assert!(!scene.admin(&["template", "list"], "").to_string().contains("\"bye\""));
    assert_eq!(in_second(&["webhook", "list"]), json!([]));
    let database = scene.binary.folder().join("service.db");
    let database = database.to_str().expect("words");
    let said = scene.binary.fails(1, &["admin", "--db", database, "--workspace", "Third", "credits"], "");
    assert!(said.contains("Second shop") && said.contains("Third"), "{said}");
    let listed = in_second(&["channel", "list"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(4), "{listed}");
    assert_eq!(in_second(&["connection", "list"]), json!([]));
    let said = scene.binary.fails(
        2,
        &["admin", "--db", database, "--workspace", "Second shop", "retention", "plan"],
        "",
    );
    assert!(said.contains("whole service"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workspace_is_renamed() {
    let scene = Scene::new().await;
    let renamed = scene.admin(&["workspace", "rename", " First shop "], "");
    assert_eq!(renamed, json!({"id": "ws_1", "name": "First shop"}));
    let added = scene.admin(&["workspace", "add", "--name", "Second shop"], "");
    let renamed = scene.admin(&["--workspace", "Second shop", "workspace", "rename", "Third shop"], "");
    assert_eq!(renamed, json!({"id": added["id"], "name": "Third shop"}));
    let listed = scene.admin(&["workspace", "list"], "");
    let names = listed.as_array().expect("a list").iter().filter_map(|row| row["name"].as_str());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    assert_eq!(names, ["First shop", "Third shop"]);
    let (_, account) = scene.get("/account", scene.running.keys[0].key.expose()).await;
    assert_eq!(account["workspace"]["name"], "First shop");
    let database = scene.binary.folder().join("service.db");
    let database = database.to_str().expect("a path in words");
    let said = scene.binary.fails(1, &["admin", "--db", database, "workspace", "rename", " "], "");
    assert!(said.contains("the name must not be empty"), "{said}");
}

#[test]
fn invalid_admin_requests_are_explained() {
    let binary = Binary::new();
    let said = binary.fails(1, &["admin", "key", "list"], "");
    assert!(said.contains("service.db") && said.contains("frontdesk serve --db"), "{said}");
    let made = binary.folder().join("none.db");
    let path = made.to_str().expect("a path in words");
    binary.fails(1, &["admin", "--db", path, "credits", "--add", "5"], "");
    assert!(!made.exists(), "a change made the file");
}

#[test]
fn keys_are_not_made_for_a_ready_file_that_cannot_be_written() {
    let binary = Binary::new();
    let (database, ready) = (binary.folder().join("new.db"), binary.folder().join("no folder/ready.json"));
    let (database_word, ready) = (database.to_str().expect("words"), ready.to_str().expect("words"));
    let serve = ["serve", "--listen", "127.0.0.1:0", "--db", database_word, "--ready-file", ready];
    let said = binary.fails(1, &serve, "");
    assert!(said.contains("ready file") && said.contains("no folder"), "{said}");
    assert!(!database.exists(), "keys were made and told to nobody");
}

#[test]
fn foreign_database_is_left_unchanged() {
    let binary = Binary::new();
    let foreign = binary.folder().join("theirs.db");
    rusqlite::Connection::open(&foreign).expect("opens").execute_batch("CREATE TABLE a (b)").expect("made");
    let damaged = [b"SQLite format 3\0".as_slice(), &[7; 4096]].concat();
    let cases = [
        ("notes.txt", b"Buy milk.\n".to_vec(), "is not a service database; nothing was changed"),
        ("empty.db", Vec::new(), "is not a service database; nothing was changed"),
        ("theirs.db", std::fs::read(&foreign).expect("readable"), "is not a service database"),
        ("damaged.db", damaged, "is damaged; nothing was changed"),
    ];
    for (name, bytes, words) in cases {
        let path = binary.folder().join(name);
        std::fs::write(&path, &bytes).expect("written");
        let before = std::fs::read_dir(binary.folder()).expect("a folder").count();
        let shown = path.to_str().expect("a path in words");
        for command in [&["key", "list"][..], &["credits", "--add", "5"]] {
            let said = binary.fails(1, &[&["admin", "--db", shown], command].concat(), "");
            assert!(said.contains(&format!("{name} {words}")), "{said}");
        }
        assert_eq!(std::fs::read(&path).expect("still there"), bytes, "{name}");
        assert_eq!(std::fs::read_dir(binary.folder()).expect("a folder").count(), before, "{name}");
    }
    // A text file is not taken for a damaged database.
    let notes = binary.folder().join("notes.txt");
    let notes = notes.to_str().expect("a path in words");
    let said = binary.fails(1, &["serve", "--listen", "127.0.0.1:0", "--db", notes], "");
    assert!(said.contains("notes.txt: the file is not a database"), "{said}");
    assert_eq!(std::fs::read(notes).expect("still there"), b"Buy milk.\n");
}
