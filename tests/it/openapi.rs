//! The OpenAPI document against the contract's types and the service. `UPDATE_DOCS=1` rewrites it.

use std::collections::BTreeSet;
use std::path::Path;

use frontdesk::api::errors::ErrorCode;
use frontdesk::api::openapi;
use frontdesk::model::bounds;
use frontdesk::platforms::channels::Channel;
use frontdesk::service::events::events_of_channel;
use serde_json::{Value, json};

const DOCUMENT: &str = "assets/openapi.json";
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn document() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    let text = std::fs::read_to_string(path).expect("the document is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Path, method and content of every operation.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, item): (&String, &'_ Value)| {
        let path = path.clone();
        let methods = METHODS.into_iter().filter(|method| item.get(method).is_some());
        methods.map(|method| (path.clone(), method.to_owned())).collect::<Vec<_>>()
    };
    let found = paths.iter().flat_map(of_path);
    found.map(|(path, method)| (path.clone(), method.clone(), &document["paths"][path][method])).collect()
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        None => value,
        Some(name) => {
            let pointer = name.strip_prefix('#').expect("a reference into the document");
            document.pointer(pointer).unwrap_or_else(|| panic!("{name} leads nowhere"))
        }
    }
}

/// Everything inside a value, itself first.
fn inside(value: &Value) -> Vec<&Value> {
    let mut found = vec![value];
    let mut next = 0;
    while let Some(value) = found.get(next).copied() {
        match value {
            Value::Object(fields) => found.extend(fields.values()),
            Value::Array(items) => found.extend(items),
            _ => {}
        }
        next += 1;
    }
    found
}

/// Paths and methods of the router, without `/dev`.
fn routes() -> BTreeSet<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/service/router.rs");
    let text = std::fs::read_to_string(path).expect("the router is there");
    let functions = text.split("\nfn ").filter(|part| !part.starts_with("dev_routes"));
    let mut found = BTreeSet::new();
    for route in functions.flat_map(|function| function.split(".route(").skip(1)) {
        let route = route.trim_start().strip_prefix('"').expect("a path");
        let (path, handlers) = route.split_once('"').expect("the end of a path");
        for method in METHODS {
            let calls = handlers.match_indices(&format!("{method}(")).any(|(at, _)| {
                let before = handlers[..at].chars().next_back();
                before.is_some_and(|character| character == '.' || character.is_whitespace())
            });
            if calls {
                found.insert((path.to_owned(), method.to_owned()));
            }
        }
    }
    found
}

#[test]
fn the_document_is_made_from_the_types_of_the_contract() {
    let wanted = openapi::document().unwrap_or_else(|problem| panic!("{problem}"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    let found = std::fs::read_to_string(&path).expect("the document is there");
    if found != wanted && std::env::var_os("UPDATE_DOCS").is_some() {
        return std::fs::write(path, wanted).expect("it can be written");
    }
    assert!(found == wanted, "{DOCUMENT} is out of date: run the tests with UPDATE_DOCS=1");
}

#[test]
fn the_router_serves_what_the_document_describes() {
    let document = document();
    let described: BTreeSet<_> =
        operations(&document).into_iter().map(|(path, method, _)| (path, method)).collect();
    let served = routes();
    let missing: Vec<_> = served.difference(&described).collect();
    let unknown: Vec<_> = described.difference(&served).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "not described: {missing:?}; not served: {unknown:?}");
    assert!(served.len() >= 25, "{served:?}");
}

#[test]
fn every_reference_leads_somewhere_and_names_are_unique() {
    let document = document();
    for value in inside(&document) {
        resolved(&document, value);
        if let Some(operation) = value["operationId"].as_str().filter(|_| value.get("parameters").is_some()) {
            let known = inside(&document["paths"]).iter().any(|value| value["operationId"] == operation);
            assert!(known || operation.starts_with("on"), "a link leads to {operation}");
        }
    }
    let names: Vec<_> = operations(&document)
        .iter()
        .map(|(_, _, operation)| operation["operationId"].as_str().expect("a name"))
        .collect();
    let unique: BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
}

#[test]
fn every_operation_tells_its_refusals_and_its_parameters() {
    let document = document();
    let tags: Vec<_> =
        document["tags"].as_array().expect("tags").iter().map(|value| &value["name"]).collect();
    for (path, method, operation) in operations(&document) {
        let place = format!("{method} {path}");
        let responses = operation["responses"].as_object().expect("answers");
        // Takes no key, and a token that counts once.
        let signs_in = operation["operationId"] == "signIn";
        let open = operation["security"].as_array().is_some_and(Vec::is_empty) && !signs_in;
        for status in ["401", "429"] {
            assert_eq!(responses.contains_key(status), !open, "{place} {status}");
        }
        assert!(
            operation["tags"].as_array().expect("tags").iter().all(|value| tags.contains(&value)),
            "{place}"
        );
        let parameters: Vec<_> = operation["parameters"]
            .as_array()
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .map(|value| resolved(&document, value))
            .collect();
        for name in path.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name) {
            let told =
                parameters.iter().any(|parameter| parameter["in"] == "path" && parameter["name"] == name);
            assert!(told, "{place}: {name}");
        }
        let keyed = parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key");
        assert_eq!(keyed, method != "get" && !signs_in, "{place}: every write takes an idempotency key");
        assert_eq!(responses.contains_key("409"), keyed, "{place}");
        for (status, response) in responses {
            check_response(&document, &format!("{place} {status}"), status, resolved(&document, response));
        }
    }
}

/// Refusals have the Error shape and examples; all answers have the rate limit headers.
fn check_response(document: &Value, place: &str, status: &str, response: &Value) {
    for name in ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] {
        assert!(response["headers"].get(name).is_some(), "{place}: {name}");
    }
    assert_eq!(response["headers"].get("Retry-After").is_some(), matches!(status, "429" | "409"), "{place}");
    if !status.starts_with(['4', '5']) {
        return;
    }
    let content = &response["content"]["application/json"];
    assert_eq!(content["schema"]["$ref"], "#/components/schemas/Error", "{place}");
    let told: BTreeSet<_> = content["examples"].as_object().expect("examples").keys().cloned().collect();
    let known = ErrorCode::ALL.iter().filter(|error_code| error_code.status().to_string() == status);
    let known: BTreeSet<_> = known.map(|error_code| error_code.word().to_owned()).collect();
    assert_eq!(told, known, "{place}");
    for (name, example) in content["examples"].as_object().expect("examples") {
        assert_eq!(example["value"]["code"], name.as_str());
        assert!(example["value"]["message"].is_string());
        assert!(document["components"]["schemas"]["Error"].is_object());
    }
}

#[test]
fn bounds_written_by_hand_are_those_of_the_service() {
    let document = document();
    let cases: [(&str, u64); 6] = [
        ("schemas/NewMessages/properties/data/maxItems", bound(bounds::MAX_TRIGGER_ITEMS)),
        ("schemas/Happenings/properties/data/maxItems", bound(bounds::MAX_TRIGGER_ITEMS)),
        ("schemas/NewContacts/properties/data/maxItems", bound(bounds::MAX_TRIGGER_ITEMS)),
        ("parameters/limit/schema/minimum", 1),
        ("parameters/limit/schema/maximum", bounds::MAX_PAGE_ROWS.into()),
        ("parameters/limit/schema/default", bounds::DEFAULT_PAGE_ROWS.into()),
    ];
    for (place, expected) in cases {
        let found = document.pointer(&format!("/components/{place}")).and_then(Value::as_u64);
        assert_eq!(found, Some(expected), "{place}");
    }
}

#[test]
fn events_of_a_subscription_are_those_of_the_service() {
    let document = document();
    for (name, channel) in [("WebhookInput", Channel::Whatsapp), ("EmailWebhookInput", Channel::Email)] {
        let words = &document["components"]["schemas"][name]["properties"]["events"]["items"]["enum"];
        let wanted: Vec<&str> = events_of_channel(channel).iter().map(|event| event.word()).collect();
        assert_eq!(*words, json!(wanted), "{name}");
    }
}

fn bound(count: usize) -> u64 {
    u64::try_from(count).expect("a small number")
}

#[tokio::test]
async fn it_is_served_to_anyone() {
    let desk = crate::service::Desk::start().await;
    let url = format!("{}/openapi.json", desk.running.base_url);
    let answer = desk.send("", "GET", &url, &[], Vec::new()).await;
    assert_eq!(answer.headers["content-type"], "application/json");
    assert!(answer.headers.contains_key("x-ratelimit-limit"));
    assert_eq!(answer.good(200), document());
    let answer = desk.send("", "POST", &url, &[], Vec::new()).await;
    assert_eq!(answer.headers["allow"], "GET,HEAD");
    answer.refused(405, "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn what_the_document_rules_out_is_refused() {
    let desk = crate::service::Desk::start().await;
    let message = json!({"type": "text", "text": {"body": "Hi"}});
    let cases = [
        (
            "telegram test",
            "/telegram/send",
            json!({"chatId": 9_223_372_036_854_775_807_u64, "text": "Hi"}),
            200,
        ),
        (
            "telegram test",
            "/telegram/send",
            json!({"chatId": 9_223_372_036_854_775_808_u64, "text": "Hi"}),
            400,
        ),
        ("telegram test", "/telegram/send", json!({"chatId": 1.5, "text": "Hi"}), 400),
        ("whatsapp test", "/contacts", json!({"phone": "+34600111222", "tags": vec!["a"; 50]}), 201),
        ("whatsapp test", "/contacts", json!({"phone": "+34600111222", "tags": vec!["a"; 51]}), 400),
        ("whatsapp test", "/broadcast", json!({"contactIds": ["é".repeat(257)], "message": message}), 400),
    ];
    for (key, path, body, status) in cases {
        let answer = desk.call(key, "POST", path, body.clone()).await;
        assert_eq!(answer.status, status, "{path} {body} {}", String::from_utf8_lossy(&answer.body));
    }
    // The maximum length the document allows; an unknown id.
    let body = json!({"contactIds": ["é".repeat(256)], "message": message});
    desk.call("whatsapp test", "POST", "/broadcast", body).await.refused(400, "NO_RECIPIENTS");
}
