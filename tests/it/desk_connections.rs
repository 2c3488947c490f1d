//! `frontdesk connection`: the real binary, and a shop on loopback that wants a key.

use serde_json::{Value, json};
use wiremock::matchers::{header, method};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::binary::Binary;
use crate::connections::{KEY, shop};
use crate::pty::Terminal;

const MARIA: &str = "+34600111222";
/// Lower than that of the mocks that answer.
const LAST: u8 = 10;

/// The binary and a shop that refuses other keys with 401.
struct Shop {
    runtime: tokio::runtime::Runtime,
    server: MockServer,
    binary: Binary,
}

impl Shop {
    fn open() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let server = runtime.block_on(async {
            let server = shop().await;
            let known = Mock::given(method("GET")).and(header("x-api-key", KEY));
            known.respond_with(ResponseTemplate::new(404)).with_priority(LAST - 1).mount(&server).await;
            let others = Mock::given(method("GET"));
            others.respond_with(ResponseTemplate::new(401)).with_priority(LAST).mount(&server).await;
            server
        });
        Self { runtime, server, binary: Binary::new() }
    }

    /// The switches of a connection that works, with these beside them.
    fn add<'a>(&'a self, more: &[&'a str]) -> Vec<String> {
        let address = self.server.address().to_string();
        let base_url = format!("http://{address}");
        let name =
            ["connection", "add", "--name", "shop", "--base-url", &base_url, "--private-host", &address];
        let auth = ["--auth", "api_key_header", "--header", "X-Api-Key"];
        let endpoint = ["--path", "/orders", "--query", "phone={phone}", "--phone", MARIA];
        [&name[..], &auth, &endpoint, more].concat().into_iter().map(str::to_owned).collect()
    }

    fn added() -> Self {
        let shop = Self::open();
        let added = shop.ok(&shop.add(&["--field", "$.orders"]), &format!("{KEY}\n"));
        assert!(added.contains("shop: orders answered with status 200"), "{added}");
        shop
    }

    #[track_caller]
    fn ok(&self, arguments: &[impl AsRef<str>], input: &str) -> String {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        self.binary.ok(&arguments, input)
    }

    /// Error of a command, in one line that holds the text.
    #[track_caller]
    fn fails(&self, code: i32, arguments: &[impl AsRef<str>], input: &str, text: &str) {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let said = self.binary.fails(code, &arguments, input);
        assert!(said.contains(text), "{said}");
    }

    fn calls(&self) -> usize {
        self.runtime.block_on(self.server.received_requests()).expect("kept").len()
    }

    /// Text of a file beside the configuration; empty if there is none.
    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.binary.folder().join(name)).unwrap_or_default()
    }
}

/// Every file below a folder.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[track_caller]
fn assert_no_file_holds(binary: &Binary, secret: &str) {
    let all = files(binary.folder());
    assert!(all.len() > 2, "{all:?}");
    for path in all {
        let bytes = std::fs::read(&path).expect("readable");
        assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{} holds it", path.display());
    }
}

#[cfg(unix)]
#[test]
fn connection_is_added_listed_tested_and_removed() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Shop::added();
    let file = shop.file("connections.toml");
    assert!(file.contains("automatic = true") && file.contains("from = \"contact.phone\""), "{file}");
    for name in ["connections.toml", "connections.sealed", "keys/connections.key"] {
        let mode = std::fs::metadata(shop.binary.folder().join(name)).expect(name).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let listed = shop.ok(&["connection", "list"], "");
    assert!(listed.contains("\tapi_key_header\t") && listed.ends_with("\t60/min\torders\n"), "{listed}");
    let json = shop.ok(&["connection", "list", "--json"], "");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json[0]["name"], &json[0]["hasCredential"]), (&json!("shop"), &json!(true)), "{json}");
    let tested = shop.ok(&["connection", "test", "shop", "--phone", MARIA], "");
    assert!(tested.contains("\tshop\torders\ta test\t200\t"), "{tested}");
    assert!(tested.contains("1041\t18 Nov 2026\tshipped\t129.50 EUR"), "{tested}");
    shop.fails(1, &["connection", "test", "shop", "--phone", "+34600999888"], "", "(status 404)");
    shop.fails(2, &["connection", "test", "shop"], "", "give --phone");
    shop.fails(1, &["connection", "test", "shop", "--endpoint", "stock"], "", ": orders");
    shop.fails(1, &["connection", "test", "depot"], "", "\"depot\"");
    shop.fails(2, &["connection", "remove", "shop"], "", "add --yes");
    let log = std::fs::read_to_string(shop.binary.data().join("connection-calls.log")).expect("the log");
    assert_eq!(log.lines().count(), 3, "{log}");
    assert_no_file_holds(&shop.binary, KEY);
    assert!(![listed, tested, json.to_string(), log].concat().contains(KEY));
    let removed = shop.ok(&["connection", "remove", "shop", "--yes"], "");
    assert!(removed.contains("\"shop\"") && removed.contains("removed"), "{removed}");
    assert_eq!(shop.file("connections.toml") + &shop.file("connections.sealed"), "");
    assert_eq!(shop.ok(&["connection", "list"], ""), "");
}

#[test]
fn nothing_is_kept_of_a_connection_that_does_not_work() {
    let shop = Shop::open();
    let field = ["--field", "$.orders"];
    let refused = "it does not accept the credential";
    shop.fails(1, &shop.add(&field), "wrong-key-of-mine\n", refused);
    shop.fails(1, &shop.add(&[]), &format!("{KEY}\n"), "give --field");
    shop.fails(1, &shop.add(&["--field", "$.plan"]), &format!("{KEY}\n"), "$.orders");
    assert_eq!(shop.calls(), 3);
    // What is wrong with the switches is said before the shop is called.
    shop.fails(1, &shop.add(&field), "", "or use --credential-env; nothing was changed");
    shop.fails(2, &shop.add(&field), "\n", "the API key is empty");
    shop.fails(2, &shop.add(&["--user", "ana"]), "", "api_key_header");
    shop.fails(2, &shop.add(&["--credential-env", "NO_SUCH_KEY"]), "", "NO_SUCH_KEY is not set");
    shop.fails(2, &shop.add(&["--field", "$..x"]), "", "--field: \"$..x\" is not a path");
    let switches = |base_url: &str, host: &str| {
        let all = ["connection", "add", "--name", "a", "--base-url", base_url, "--private-host", host];
        all.map(str::to_owned)
    };
    let address = shop.server.address().to_string();
    shop.fails(2, &switches(&format!("http://{address}"), ""), "", "must start with https://");
    shop.fails(2, &switches("https://10.0.0.1", ""), "", "must be listed in private_hosts");
    shop.fails(2, &switches("https://169.254.169.254", "169.254.169.254"), "", "base_url");
    shop.fails(2, &["connection", "add"], "", "give --name");
    assert_eq!(shop.calls(), 3);
    for name in ["connections.toml", "connections.sealed"] {
        assert!(!shop.binary.folder().join(name).exists(), "{name} is there");
    }
    let error = shop.binary.run(
        &shop.add(&["--field", "$.orders", "--json"]).iter().map(String::as_str).collect::<Vec<_>>(),
        "wrong-key-of-mine\n",
    );
    let error: Value = serde_json::from_str(&error.err).expect("JSON");
    assert_eq!((&error["error"]["code"], &error["exit"]), (&json!("REFUSED"), &json!(1)), "{error}");
    let error = error.to_string();
    assert!(!error.contains("wrong-key-of-mine"), "{error}");
}

#[test]
fn a_name_is_taken_once() {
    let shop = Shop::added();
    let (file, sealed) = (shop.file("connections.toml"), shop.file("connections.sealed"));
    shop.fails(1, &shop.add(&["--field", "$.orders"]), &format!("{KEY}\n"), "\"shop\"");
    assert_eq!((shop.file("connections.toml"), shop.file("connections.sealed")), (file, sealed));
}

#[test]
fn another_credential_is_kept_only_once_it_was_taken() {
    let mut shop = Shop::added();
    let before = shop.file("connections.sealed");
    let replace = ["connection", "credential", "shop", "--phone", MARIA];
    shop.fails(1, &replace, "wrong-key-of-mine\n", "the credential of shop is");
    shop.fails(2, &replace[..3], "", "give --phone");
    shop.fails(1, &replace, "", "nothing was changed");
    shop.fails(1, &["connection", "credential", "depot"], "", "\"depot\"");
    assert_eq!(shop.file("connections.sealed"), before);
    shop.binary.set("SHOP_KEY", KEY);
    let from_environment = [&replace[..], &["--credential-env", "SHOP_KEY"]].concat();
    let taken = shop.ok(&from_environment, "");
    assert!(taken.starts_with("shop ") && taken.contains("(status 200)"), "{taken}");
    assert_ne!(shop.file("connections.sealed"), before, "it is sealed anew");
    assert_no_file_holds(&shop.binary, KEY);
    std::fs::remove_file(shop.binary.folder().join("connections.sealed")).expect("removed");
    let test = ["connection", "test", "shop", "--phone", MARIA];
    shop.fails(1, &test, "", "`frontdesk connection credential shop`");
    shop.ok(&replace, &format!("{KEY}\n"));
    shop.ok(&test, "");
}

#[test]
fn a_terminal_asks_for_everything_and_again_for_what_is_refused() {
    let shop = Shop::open();
    let address = shop.server.address().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let mut terminal = Terminal::start_in(folder, &["connection", "add"], 100, 60);
    let answers = [
        ("Name: letters, digits, _ and -:", "shop".to_owned()),
        ("Address (https://api.example.com/v1):", format!("http://{address}")),
        ("orders.internal:8080", String::new()),
        ("must start with https://", String::new()),
    ];
    for (question, answer) in &answers[..3] {
        terminal.wait_for_text(question);
        terminal.keys(&format!("{answer}\r"));
    }
    terminal.wait_for_text(answers[3].0);
    terminal.keys(&format!("http://{address}\r{address}\r"));
    terminal.wait_for_text("[bearer]:");
    terminal.keys("api_key_header\r");
    terminal.wait_for_text("Header:");
    terminal.keys("X-Api-Key\r");
    terminal.wait_for_text("[orders]:");
    terminal.keys("\r/nowhere\rphone={phone}\r");
    terminal.wait_for_text("of a customer");
    terminal.keys(&format!("{MARIA}\r"));
    terminal.wait_for_text("API key of shop (not shown):");
    terminal.keys("wrong-key-of-mine\r");
    terminal
        .wait_for("a second question", |screen| screen.matches("API key of shop (not shown):").count() == 2);
    terminal.keys(&format!("{KEY}\r"));
    terminal.wait_for_text("it found nothing at this address (status 404)");
    terminal.wait_for("the endpoint again", |screen| screen.matches("[orders]:").count() == 2);
    terminal.keys("\r/orders\r");
    terminal.wait_for_text("[phone={phone}]:");
    terminal.keys("\r");
    terminal.wait_for("the customer again", |screen| screen.matches("of a customer").count() == 2);
    terminal.keys(&format!("{MARIA}\r"));
    terminal.wait_for_text("1  $.orders: 2 rows of id, placed, state, total");
    terminal.wait_for_text("such as 1,3:");
    terminal.keys("2\r");
    terminal.wait_for_text("numbers from 1 to 1");
    terminal.keys("1\r");
    terminal.wait_for_text("y/n [y]:");
    terminal.keys("n\r");
    terminal.wait_for_text("\"shop\" is in ");
    let config = terminal.folder().join("connections.toml");
    let file = std::fs::read_to_string(config).expect("the file");
    assert!(file.contains("path = \"/orders\"") && !file.contains("automatic = true"), "{file}");
    assert!(!terminal.written().contains(KEY) && !terminal.written().contains("wrong-key-of-mine"));
    assert_eq!(terminal.wait_for_end(), 0);
}
