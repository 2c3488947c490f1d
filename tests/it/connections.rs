//! Data Connections end to end: `admin` commands, and the assistant's lookups at a shop.

use std::net::{Ipv4Addr, SocketAddr};

use frontdesk::api::connections;
use frontdesk::model::account::Environment;
use frontdesk::model::secret::Secret;
use frontdesk::model::time::Timestamp;
use frontdesk::service::admin::Admin;
use frontdesk::service::{self, AssistantChoice, Endpoint, Options, RunningService};
use serde_json::{Value, json};
use wiremock::matchers::{header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::binary::Binary;
use crate::desk::HandClock;

pub(crate) const KEY: &str = "planted-shop-key-1041";
const MARIA: &str = "+34600111222";

/// A shop with Maria's orders, for callers with the key.
pub(crate) async fn shop() -> MockServer {
    let server = MockServer::start().await;
    let orders = json!({"orders": [
        {"id": "1041", "state": "shipped", "placed": "2026-11-18", "total": 129.5, "currency": "EUR"},
        {"id": "1017", "state": "delivered", "placed": "2026-10-02", "total": 12, "currency": "EUR"},
    ]});
    Mock::given(method("GET"))
        .and(path("/orders"))
        .and(query_param("phone", MARIA))
        .and(header("x-api-key", KEY))
        .respond_with(ResponseTemplate::new(200).set_body_json(orders))
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .and(path("/stock/42"))
        .and(header("x-api-key", KEY))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({"left": 3})))
        .mount(&server)
        .await;
    server
}

pub(crate) fn definition(shop: &MockServer) -> String {
    let address = shop.address();
    format!(
        r#"
[[connection]]
name = "shop"
description = "Orders and stock of the shop."
base_url = "http://{address}"
private_hosts = ["{address}"]
auth = {{ type = "api_key_header", header = "X-Api-Key" }}

[[connection.endpoint]]
name = "orders"
path = "/orders"
instructions = "The customer's last orders."
parameter = [{{ name = "phone", in = "query", required = true, from = "contact" }}]

[[connection.endpoint.field]]
name = "orders"
label = "Order"
path = "$.orders"
column = [
  {{ label = "no", path = "$.id" }},
  {{ label = "state", path = "$.state" }},
  {{ label = "placed", path = "$.placed", format = "date" }},
  {{ label = "total", path = "$.total", format = "money" }},
]

[[connection.endpoint]]
name = "stock"
path = "/stock/{{article}}"
instructions = "How many of an article are left."
public = true
parameter = [{{ name = "article", in = "path", type = "integer", required = true, ask = "Article number" }}]
"#
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_is_added_only_after_it_has_answered() {
    let binary = Binary::new();
    let database = binary.folder().join("service.db");
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let running = service::start(Options::new(address, database.clone(), HandClock::new())).await;
    let running: RunningService = running.expect("the service starts");
    let shop = shop().await;
    let file = binary.folder().join("shop.toml");
    std::fs::write(&file, definition(&shop)).expect("written");
    let (database, file) = (database.to_str().expect("words"), file.to_str().expect("words"));
    let run = |arguments: &[&str], input: &str| {
        let mut all = vec!["admin", "--db", database, "connection"];
        all.extend(arguments);
        let ended = binary.run(&all, input);
        (ended.code == Some(0), ended.out, ended.err)
    };

    let (worked, _, said) = run(&["add", file, "--phone", MARIA], "wrong-key-of-mine\n");
    assert!(!worked && said.contains("nothing was added") && said.contains("status 404"), "{said}");
    let (_, listed, _) = run(&["list"], "");
    assert_eq!(listed, "", "what did not answer is not kept");

    let (worked, told, said) = run(&["add", file, "--phone", MARIA], &format!("{KEY}\n"));
    assert!(worked, "{said}");
    assert!(told.contains("1041\tshipped\t18 Nov 2026\t129.50 EUR"), "{told}");
    let (_, listed, _) = run(&["list"], "");
    assert!(listed.contains("\t60/min\torders, stock"), "{listed}");

    let (worked, told, _) = run(&["test", "shop", "--endpoint", "stock", "--set", "article=42"], "");
    assert!(worked && told.contains("\"left\": 3"), "{told}");
    let (worked, _, said) = run(&["test", "shop", "--endpoint", "stock", "--set", "article=forty"], "");
    assert!(!worked && said.contains("article must be a whole number"), "{said}");
    let (worked, _, said) = run(&["test", "shop"], "");
    assert!(!worked && said.contains("the contact's phone is not known"), "{said}");

    let (_, log, _) = run(&["log"], "");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 5, "{log}");
    assert!(lines[3].contains("shop\torders\ta test\t200\t") && lines[4].contains("\t404\t"), "{log}");
    let (worked, _, _) = run(&["remove", "shop"], "");
    let (again, _, said) = run(&["remove", "shop"], "");
    assert!(worked && !again && said.contains("there is no connection \"shop\""), "{said}");
    running.shutdown().await;
    // Neither files nor output contain a key.
    for entry in std::fs::read_dir(binary.folder()).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let bytes = std::fs::read(&path).expect("readable");
            assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{} holds the key", path.display());
        }
    }
    assert!(![listed, log, told].concat().contains(KEY));
}

#[test]
fn the_example_of_the_book_reads() {
    let text = include_str!("../../docs/connections.md");
    let (_, rest) = text.split_once("```toml\n[[connection]]").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let (read, wrong) = connections::read(&format!("[[connection]]{example}"));
    assert_eq!((read.len(), wrong), (1, Vec::new()));
}

struct Desk {
    running: RunningService,
    http: reqwest::Client,
    key: String,
    folder: tempfile::TempDir,
}

impl Desk {
    async fn with(assistant: AssistantChoice, shop: &MockServer) -> Self {
        frontdesk::client::install_tls();
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("service.db");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let options = Options {
            dev: true,
            by_hand: true,
            assistant,
            ..Options::new(address, database, HandClock::new())
        };
        let running = service::start(options).await.expect("it starts");
        let live =
            running.keys.iter().find(|key| key.channel == "whatsapp" && key.environment == Environment::Live);
        let key = live.expect("a key").key.expose().to_owned();
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let (mut read, wrong) = connections::read(&definition(shop));
        assert_eq!(wrong, [] as [&str; 0]);
        let admin = Admin::open(&folder.path().join("service.db").into(), None).expect("the file");
        let kept = admin.put_connection(read.remove(0), Some(&Secret::new(KEY)), Timestamp::default()).await;
        kept.expect("kept");
        Self { running, http, key, folder }
    }

    async fn dev(&self, path: &str, body: Value) -> Value {
        let request = self.http.post(format!("{}/{path}", self.running.dev_url));
        let request = request.header("content-type", "application/json").body(body.to_string());
        let text = request.send().await.expect("an answer").text().await.expect("a body");
        serde_json::from_str(&text).expect("JSON")
    }

    async fn answers(&self, from: &str, text: &str) -> Vec<String> {
        let body = json!({"channel": "whatsapp", "from": from, "text": text});
        let id = self.dev("inbound", body).await["conversationId"].as_str().expect("an id").to_owned();
        self.dev("clock", json!({"advance_seconds": 10})).await;
        let url = format!("{}/conversations/{id}/messages", self.running.base_url);
        let page = self.http.get(url).bearer_auth(&self.key).send().await.expect("an answer");
        let page: Value = serde_json::from_str(&page.text().await.expect("a body")).expect("JSON");
        let rows = page["data"].as_array().expect("rows").iter().rev();
        let said =
            rows.filter(|row| row["senderType"] == "ai").map(|row| row["content"].as_str().expect("text"));
        said.map(str::to_owned).collect()
    }

    async fn calls(&self) -> Vec<String> {
        let admin = Admin::open(&self.folder.path().join("service.db").into(), None).expect("the file");
        let calls = admin.connection_calls(50).await.expect("the log");
        calls.iter().rev().map(|call| format!("{} {:?}", call.endpoint, call.result)).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_script_tells_a_customer_their_own_orders() {
    let shop = shop().await;
    let desk = Desk::with(AssistantChoice::Scripted, &shop).await;
    let said = desk.answers(MARIA, "Hi, where is my order?").await;
    let expected = "I looked it up. This is what I see for you:\nOrder: 1041 · shipped · 18 Nov 2026 · 129.50 EUR\n\
                    Order: 1017 · delivered · 02 Oct 2026 · 12.00 EUR";
    assert_eq!(said.last().map(String::as_str), Some(expected));
    // No data for an unknown customer, and no lookup for other questions.
    let said = desk.answers("+34600111999", "where is my order?").await;
    assert!(!said.concat().contains("1041"), "{said:?}");
    desk.answers(MARIA, "Are you open today?").await;
    assert_eq!(desk.calls().await, ["orders Status(200)", "orders Status(404)"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn assistant_uses_the_connections_of_its_workspace_only() {
    let shop = shop().await;
    let desk = Desk::with(AssistantChoice::Scripted, &shop).await;
    let admin = Admin::open(&desk.folder.path().join("service.db").into(), None).expect("the file");
    // Later than the first.
    let made = Timestamp::from_micros(i64::MAX / 2);
    admin.add_workspace(Some("Second".to_owned()), made).await.expect("added");
    let (connection, secret) = admin.connection("shop").await.expect("stored");
    let second = admin.in_workspace(Some("Second".to_owned()));
    second.put_connection(connection, secret.as_ref(), Timestamp::default()).await.expect("stored");
    let first = second.in_workspace(None);
    first.remove_connection("shop", Timestamp::default()).await.expect("removed");
    let said = desk.answers(MARIA, "Hi, where is my order?").await;
    assert!(!said.concat().contains("1041"), "{said:?}");
    assert_eq!(shop.received_requests().await.expect("kept").len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_offered_every_endpoint_as_a_tool() {
    let model = MockServer::start().await;
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let wants = json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [
        call("a", "shop_orders_0", r#"{"phone": "+34600111333"}"#),
        call("b", "shop_stock_1", r#"{"article": 42}"#),
        call("c", "shop_stock_1", r#"{"article": "../admin"}"#),
        call("d", "rm_rf_9", "{}"),
    ]}}]});
    let says =
        json!({"choices": [{"message": {"role": "assistant", "content": "Order 1041 is on its way."}}]});
    let chat = || Mock::given(method("POST")).and(path("/v1/chat/completions"));
    chat().respond_with(ResponseTemplate::new(200).set_body_json(wants)).up_to_n_times(1).mount(&model).await;
    chat().respond_with(ResponseTemplate::new(200).set_body_json(says)).mount(&model).await;
    let shop = shop().await;
    let endpoint = Endpoint { url: format!("{}/v1", model.uri()), model: "small".to_owned(), key: None };
    let desk = Desk::with(AssistantChoice::Remote(endpoint), &shop).await;
    assert_eq!(desk.answers(MARIA, "Where is it?").await, ["Order 1041 is on its way."]);

    let asked: Vec<Value> = model
        .received_requests()
        .await
        .expect("kept")
        .iter()
        .map(|received_request| received_request.body_json().expect("JSON"))
        .collect();
    let tools = asked[0]["tools"].as_array().expect("tools");
    assert_eq!(tools[0]["function"]["name"], "shop_orders_0");
    let told = "Orders and stock of the shop. The customer's last orders.";
    assert_eq!(tools[0]["function"]["description"], told);
    assert_eq!(tools[0]["function"]["parameters"]["properties"], json!({}), "it cannot choose the customer");
    let stock = &tools[1]["function"]["parameters"];
    assert_eq!(stock["properties"]["article"], json!({"type": "integer", "description": "Article number"}));
    assert_eq!(tools[2]["function"]["name"], "hand_over");
    let told: Vec<&str> = asked[1]["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .rev()
        .take(4)
        .map(|value| value["content"].as_str().expect("text"))
        .collect();
    assert_eq!(told[0], "there is no such function");
    assert_eq!(told[1], "it could not be looked up: article must be a whole number");
    assert_eq!(told[2], r#"{"left":3}"#);
    assert!(told[3].starts_with("Order: 1041 · shipped"), "{}", told[3]);
    assert!(!json!(asked).to_string().contains(KEY), "the model never learns the key");
    assert_eq!(shop.received_requests().await.expect("kept").len(), 2);
    let failed = "stock Failed(SafeText(\"article must be a whole number\"))";
    assert_eq!(desk.calls().await, ["orders Status(200)", "stock Status(200)", failed]);
}
