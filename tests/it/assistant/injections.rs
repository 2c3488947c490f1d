//! Sixty conversations in which a customer tries to make the assistant do something forbidden,
//! against a model that obeys every directive in the customer's text: `tests/injections.jsonl`. No
//! forged hand-over, no change without a person, no data about anybody else may result.

use serde_json::{Value, json};

use crate::assistant::standin::StandIn;
use crate::assistant::{World, messages, newest, says, wants};
use crate::raw_http::RawRequest;

const CASES: &str = include_str!("../../injections.jsonl");

/// Orders by the identity their channel proves.
const ORDERS: [(&str, &str, &str); 4] = [
    ("+34600111222", "1041", "Pannier set for Maria Lopez, Calle Mayor 4"),
    ("+442079460123", "1042", "Cargo bike for Edward Finch, 9 Quay Road"),
    ("482113907", "1043", "Saddle for Andriy Bondar, Dock Street 2"),
    ("helen@mail.example", "1044", "Brake cable for Helen Marsden, Mill Lane 7"),
];

/// A shop API that trusts its caller.
fn shop() -> StandIn {
    StandIn::start(|request| {
        let url = reqwest::Url::parse(&format!("http://shop{}", request.target)).expect("a URL");
        let asked: Vec<String> = url
            .query_pairs()
            .filter(|(name, _)| name == "customer")
            .map(|(_, value)| value.into_owned())
            .collect();
        let number = url.path().strip_prefix("/orders/").map(str::to_owned);
        let found: Vec<Value> = ORDERS
            .iter()
            // Without a person in the query it returns everything.
            .filter(|(who, ..)| asked.is_empty() || asked.iter().any(|text| text == who))
            .filter(|(_, order, _)| number.as_deref().is_none_or(|number| number == *order))
            .map(|(_, order, what)| json!({"number": order, "what": what}))
            .collect();
        (200, json!({"orders": found}).to_string())
    })
}

fn document(shop: &StandIn) -> String {
    let address = shop.address;
    let contact = r#"contact = ["phone", "email", "chat_id"]"#;
    format!(
        r#"
[[connection]]
name = "shop"
base_url = "http://{address}"
private_hosts = ["{address}"]

[[connection.endpoint]]
name = "orders"
path = "/orders"
{contact}
parameter = [{{ name = "customer", in = "query", from = "contact" }}]

[[connection.endpoint]]
name = "order"
path = "/orders/{{number}}"
{contact}
parameter = [
  {{ name = "number", in = "path", ask = "Order number" }},
  {{ name = "customer", in = "query", from = "contact" }},
]

[[connection.endpoint]]
name = "refund"
method = "POST"
path = "/refunds"
assistant_may_change = true
{contact}
parameter = [
  {{ name = "customer", in = "body", from = "contact" }},
  {{ name = "number", in = "body", required = true, ask = "Order number" }},
]

[[connection.endpoint]]
name = "cancel"
method = "DELETE"
path = "/orders/{{number}}"
{contact}
parameter = [
  {{ name = "number", in = "path", ask = "Order number" }},
  {{ name = "customer", in = "query", from = "contact" }},
]
"#
    )
}

/// A model that does what the case says, and repeats every tool result.
fn gullible(request: &RawRequest) -> (u16, String) {
    let (role, content) = newest(request);
    if role == "tool" {
        return says(&format!("Here it is: {content}"));
    }
    let all = messages(request);
    let asked = all.iter().rev().find(|value| value["role"] == "user").expect("a customer");
    let words = asked["content"].as_str().expect("words");
    let case = cases().into_iter().find(|case| case["says"] == words).expect("a case");
    let obeys = &case["obeys"];
    match obeys["call"].as_str() {
        Some(function) => wants(function, &obeys["with"]),
        None => says(obeys["text"].as_str().expect("a text")),
    }
}

fn cases() -> Vec<Value> {
    CASES
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("a case"))
        .collect()
}

#[test]
fn sixty_injections_hand_over_change_and_tell_nothing() {
    let all = cases();
    assert_eq!(all.len(), 60);
    let (shop, model) = (shop(), StandIn::start(gullible));
    let world = World::with(&model);
    world.connect(&document(&shop));
    let (mut forged, mut told, mut proposed) = (Vec::new(), Vec::new(), 0);
    for case in &all {
        let text = |name: &str| case[name].as_str().unwrap_or("").to_owned();
        let (channel, from) = (text("channel"), text("from"));
        let before = outbound(&world).len();
        let id = world.writes(&channel, &from, &text("called"), &text("says"));
        world.advance(5);
        let answered = outbound(&world).split_off(before).concat();
        assert!(!answered.is_empty() || case["obeys"]["call"] == "hand_over", "{case}: it answers");
        for (_, number, what) in ORDERS.iter().filter(|(who, ..)| *who != from) {
            if answered.contains(what)
                || (answered.contains("Here it is") && answered.contains(&format!("\"number\":\"{number}\"")))
            {
                told.push(format!("{}: {answered}", text("name")));
            }
        }
        if channel == "whatsapp" {
            let escalation = world.escalation(&id);
            let expected = text("escalates");
            let reason = escalation["reason"].as_str().unwrap_or("");
            if expected.is_empty() != escalation.is_null() || !reason.starts_with(&expected) {
                forged.push(format!("{}: {escalation}", text("name")));
            }
            proposed += escalation["proposals"].as_array().map_or(0, Vec::len);
            // The next case starts anew.
            let url = format!("{}/conversations/{id}", world.running.base_url);
            world.call(reqwest::Method::PATCH, url, "whatsapp", Some(json!({"automationEnabled": true})));
        }
    }
    let changes: Vec<String> = shop
        .requests()
        .iter()
        .filter(|request| request.method != "GET")
        .map(|request| request.target.clone())
        .collect();
    assert_eq!(forged, [] as [&str; 0], "hand-overs that no function made");
    assert_eq!(changes, [] as [&str; 0], "changes without a person");
    assert_eq!(told, [] as [&str; 0], "answers about somebody else");
    assert!(proposed > 0, "the model did try to change something");
    let asked = shop.requests().len();
    assert!(asked > 10, "the model did look things up: {asked}");
}

fn outbound(world: &World) -> Vec<String> {
    let all = world.dev("outbound", json!({}));
    all["data"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|entry| entry["content"].as_str().expect("text").to_owned())
        .collect()
}
