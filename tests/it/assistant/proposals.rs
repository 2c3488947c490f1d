//! Changes of connections: an assistant only proposes them, a person carries each out.

use frontdesk::model::time::Timestamp;
use std::sync::{Arc, Mutex};

use frontdesk::service::database::proposals::ProposalState;
use serde_json::{Value, json};

use crate::assistant::standin::StandIn;
use crate::assistant::{MARIA, World, newest, says, wants};
use crate::desk::HandClock;

/// A shop API with refunds, at an address.
fn document(shop: &StandIn) -> String {
    let address = shop.address;
    format!(
        r#"
[[connection]]
name = "shop"
base_url = "http://{address}"
private_hosts = ["{address}"]

[[connection.endpoint]]
name = "orders"
path = "/orders"
parameter = [{{ name = "customer", in = "query", from = "contact" }}]

[[connection.endpoint]]
name = "refund"
method = "POST"
path = "/refunds"
assistant_may_change = true
parameter = [
  {{ name = "customer", in = "body", from = "contact" }},
  {{ name = "order", in = "body", required = true, ask = "Order number" }},
]

[[connection.endpoint]]
name = "cancel"
method = "DELETE"
path = "/orders/{{order}}"
parameter = [
  {{ name = "customer", in = "query", from = "contact" }},
  {{ name = "order", in = "path", ask = "Order number" }},
]
"#
    )
}

#[test]
fn a_change_is_proposed_and_only_a_person_makes_it() {
    let failing = Arc::new(Mutex::new(true));
    let shop = {
        let failing = Arc::clone(&failing);
        StandIn::start(move |_| {
            let status = if *failing.lock().expect("a word") { 500 } else { 200 };
            (status, "{}".to_owned())
        })
    };
    let model = StandIn::start(|request| match newest(request).0.as_str() {
        "tool" => says("I have asked a colleague to look at it."),
        // The model names another customer.
        _ => wants("shop_refund_1", &json!({"order": "1041", "customer": "+442079460123"})),
    });
    let world = World::with(&model);
    world.connect(&document(&shop));
    let id = world.customer("Refund order 1041!");
    world.advance(5);

    let offered = model.requests()[0].json()["tools"].clone();
    let names: Vec<&str> = offered
        .as_array()
        .expect("tools")
        .iter()
        .map(|value| value["function"]["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(
        names,
        ["shop_orders_0", "shop_refund_1", "hand_over"],
        "what may not be proposed is not offered"
    );
    assert!(shop.requests().is_empty(), "nothing was asked of the shop");
    assert_eq!(world.messages(&id).last().expect("said").1, "I have asked a colleague to look at it.");
    let escalation = world.escalation(&id);
    assert_eq!(escalation["reason"], "the assistant proposes shop · refund");
    assert_eq!(escalation["summary"], "the customer wrote: Refund order 1041!");
    let shown = &escalation["proposals"][0];
    assert_eq!((&shown["endpoint"], &shown["values"]), (&json!("refund"), &json!({"order": "1041"})));
    let proposal = shown["id"].as_str().expect("an id").to_owned();

    let admin = world.admin();
    let called = world.runtime.block_on(admin.execute_proposal(&proposal, HandClock::new())).expect("called");
    assert!(called.answer.is_err(), "the shop fails");
    *failing.lock().expect("a word") = false;
    let called = world.runtime.block_on(admin.execute_proposal(&proposal, HandClock::new())).expect("called");
    assert!(called.answer.is_ok());
    let asked = shop.requests();
    assert_eq!(asked.len(), 2);
    for request in &asked {
        assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/refunds"));
        assert_eq!(
            request.json(),
            json!({"customer": MARIA, "order": "1041"}),
            "for who wrote, whoever is named"
        );
        assert_eq!(request.headers["idempotency-key"], proposal, "the same call has the same key");
    }
    let again = world.runtime.block_on(admin.execute_proposal(&proposal, HandClock::new()));
    assert!(again.expect_err("done").to_string().contains("is already done"));
    assert_eq!(shop.requests().len(), 2);
    assert_eq!(world.escalation(&id)["proposals"], json!([]));
}

#[test]
fn a_dropped_proposal_is_never_made() {
    let shop = StandIn::start(|_| (200, "{}".to_owned()));
    let model = StandIn::start(|request| match newest(request).0.as_str() {
        "tool" => says("I have asked a colleague."),
        _ => wants("shop_refund_1", &json!({"order": "1041"})),
    });
    let world = World::with(&model);
    world.connect(&document(&shop));
    let id = world.customer("Refund order 1041!");
    world.advance(5);
    let admin = world.admin();
    let all = world.runtime.block_on(admin.proposals()).expect("listed");
    assert_eq!(
        (all.len(), all[0].state, all[0].conversation.as_str()),
        (1, ProposalState::Proposed, id.as_str())
    );
    world.runtime.block_on(admin.drop_proposal(&all[0].id, Timestamp::default())).expect("dropped");
    let late = world.runtime.block_on(admin.execute_proposal(&all[0].id, HandClock::new()));
    assert!(late.expect_err("dropped").to_string().contains("is already dropped"));
    let unknown = world.runtime.block_on(admin.execute_proposal("prop_0", HandClock::new()));
    assert!(unknown.expect_err("unknown").to_string().contains("there is no proposal"));
    assert!(shop.requests().is_empty());
}

#[test]
fn what_the_channel_does_not_prove_is_not_offered() {
    let shop = StandIn::start(|_| (200, "{}".to_owned()));
    let model = StandIn::start(|_| says("Hello."));
    let world = World::with(&model);
    world.connect(&document(&shop));
    // A bot chat proves no number, whatever its customer's name.
    world.writes("telegram", "482113907", MARIA, "Refund order 1041!");
    world.advance(5);
    let offered: Vec<Value> = model.requests()[0].json()["tools"].as_array().expect("tools").clone();
    assert_eq!(offered.len(), 1, "{offered:?}");
    assert_eq!(offered[0]["function"]["name"], "hand_over");
}
