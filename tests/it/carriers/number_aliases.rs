//! Numbers the platform knows by another number: a customer has one conversation under both.

use frontdesk::service::AssistantChoice;
use serde_json::{Value, json};

use super::number_server::NumberServer;
use super::numbers::{filled, template, text_to};
use super::stand_in::Wrong;
use super::{Served, texts};

/// As dialled, and as the platform knows it.
const ASKED: &str = "+5215512345678";
const KNOWN: &str = "+525512345678";

async fn served(number: &NumberServer) -> Served {
    number.set_templates(&[template("order_ready", "APPROVED")]);
    number.knows(&ASKED[1..], &KNOWN[1..]);
    Served::number(number, AssistantChoice::Off).await
}

fn opening() -> Value {
    let mut body = filled("order_ready");
    body["to"] = ASKED.into();
    body
}

async fn is_one(served: &Served, peer: &str) {
    let all = served.conversations().await;
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0]["customerPhone"], peer);
    let contacts = served.get("/contacts").await;
    let phones: Vec<&Value> =
        contacts["data"].as_array().expect("a list").iter().map(|value| &value["phone"]).collect();
    assert_eq!(phones, [peer]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn customer_written_to_first_answers_in_the_same_conversation() {
    let number = NumberServer::start();
    let served = served(&number).await;
    let (status, told) = served.send(opening(), None).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    number.says(KNOWN, "thanks");
    served.waits(ASKED, "their answer", |entry| entry.len() == 2).await;
    for (to, text) in [(KNOWN, "you are welcome"), (ASKED, "see you")] {
        let (status, told) = served.send(text_to(to, text), None).await;
        assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
        number.waits_for(text);
    }
    let history = served.history(ASKED).await;
    assert_eq!(texts(&history)[1..], ["thanks", "you are welcome", "see you"]);
    is_one(&served, ASKED).await;
    // An erasure removes both.
    let contact = served.get("/contacts").await["data"][0]["id"].as_str().expect("an id").to_owned();
    let path = format!("/contacts/{contact}");
    let (status, told) = served.call("whatsapp live", "DELETE", &path, None, None).await;
    assert!(status < 300, "{told}");
    assert!(served.conversations().await.is_empty());
    number.says(KNOWN, "hello again");
    served.waits(KNOWN, "a new one", |entry| entry.len() == 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn customer_who_wrote_first_is_answered_in_the_same_conversation() {
    let number = NumberServer::start();
    let served = served(&number).await;
    number.says(KNOWN, "hi");
    served.waits(KNOWN, "a message", |entry| entry.len() == 1).await;
    let (status, told) = served.send(opening(), Some("once")).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    assert_eq!(
        served.send(opening(), Some("once")).await,
        (200, told),
        "the same answer to the same request"
    );
    assert_eq!(served.send(text_to(ASKED, "it is here"), None).await.1["status"], "sent");
    assert_eq!(number.waits_for("it is here").to, KNOWN[1..]);
    let history = served.history(KNOWN).await;
    assert_eq!((history.len(), texts(&history)[2]), (3, "it is here"));
    is_one(&served, KNOWN).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_report_replaces_a_lost_answer() {
    let number = NumberServer::start();
    let served = served(&number).await;
    let mut first = true;
    number
        .plan(move |method| (method == "messages" && std::mem::take(&mut first)).then_some(Wrong::CutAfter));
    let (_, told) = served.send(opening(), None).await;
    assert_eq!(told["status"], "unknown", "{told}");
    let reached = number.waits_for("order_ready");
    number.reports(&reached, "delivered");
    served.waits(ASKED, "it has arrived", |entry| entry[0]["status"] == "delivered").await;
    number.says(KNOWN, "thanks");
    served.waits(ASKED, "their answer", |entry| entry.len() == 2).await;
    is_one(&served, ASKED).await;
}
