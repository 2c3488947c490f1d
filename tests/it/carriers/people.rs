//! People on business chat without a number or with another form of it have one conversation.

use frontdesk::service::AssistantChoice;
use serde_json::{Value, json};

use super::number_server::NumberServer;
use super::numbers::text_to;
use super::{Served, texts};
use crate::waiting::until_found;

const ID: &str = "BR.1502576394655843";
const NUMBER: &str = "+34600111222";
/// The number as people write it, and as the platform stores it.
const LONG: &str = "+5531988887777";
const SHORT: &str = "+553188887777";

fn says(number: &NumberServer, phone: Option<&str>, id: &str, wamid: &str, text: &str) {
    let mut contact = json!({"user_id": id, "profile": {"name": "Rui", "username": "rui.mar"}});
    let mut message = json!({
        "id": wamid, "from_user_id": id, "timestamp": "1", "type": "text", "text": {"body": text},
    });
    if let Some(phone) = phone {
        contact["wa_id"] = phone[1..].into();
        message["from"] = phone[1..].into();
    }
    number.report_messages(json!([contact]), json!([message]));
}

/// The only conversation, once it has this many messages.
async fn only(served: &Served, count: i64) -> Value {
    until_found("one conversation", async || {
        let all = served.conversations().await;
        let is_it = all.len() == 1 && all[0]["messageCount"] == count;
        if is_it { Ok(all[0].clone()) } else { Err(format!("{all:?}")) }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn person_without_a_number_is_heard_and_answered() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    says(&number, None, ID, "wamid.P1", "Hello");
    let found = only(&served, 1).await;
    assert_eq!((&found["customerPhone"], &found["customerAddress"]), (&Value::Null, &json!(ID)));
    assert_eq!((&found["customerName"], &found["serviceWindowOpen"]), (&json!("Rui"), &json!(true)));
    let (status, sent) = served.send(text_to(ID, "Good morning"), None).await;
    assert_eq!((status, &sent["status"]), (200, &json!("sent")), "{sent}");
    let reached = number.waits_for("Good morning");
    assert_eq!((&reached.body["recipient"], &reached.body["to"]), (&json!(ID), &Value::Null));
    // A number shown later belongs to the same person.
    says(&number, Some(NUMBER), ID, "wamid.P2", "This is my number");
    let found = only(&served, 3).await;
    assert_eq!((&found["customerPhone"], &found["customerAddress"]), (&json!(NUMBER), &Value::Null));
    for to in [NUMBER, ID] {
        assert_eq!(served.send(text_to(to, "Thank you"), None).await.0, 200);
        assert_eq!(number.reached().pop().expect("an answer").to, NUMBER[1..]);
    }
    only(&served, 5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn customer_who_hides_the_number_stays_one_person() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    says(&number, Some(NUMBER), ID, "wamid.P1", "Hello");
    served.waits(NUMBER, "a message", |history| history.len() == 1).await;
    says(&number, None, ID, "wamid.P2", "It is me");
    let history = served.waits(NUMBER, "another", |history| history.len() == 2).await;
    assert_eq!(texts(&history), ["Hello", "It is me"]);
    assert_eq!(served.send(text_to(NUMBER, "I see"), None).await.0, 200);
    let reached = number.waits_for("I see");
    assert_eq!((&reached.body["recipient"], &reached.body["to"]), (&json!(ID), &Value::Null));
    // The id is replaced, and replaced again with the number.
    number.report_messages(
        json!([]),
        json!([{"id": "wamid.P3", "type": "system", "timestamp": "1", "from_user_id": "BR.2",
            "system": {"type": "user_changed_user_id", "user_id": "BR.2", "previous_user_id": ID}}]),
    );
    says(&number, None, "BR.2", "wamid.P4", "Another id");
    served.waits(NUMBER, "what follows", |history| history.len() == 4).await;
    only(&served, 4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn number_with_and_without_the_ninth_digit_is_one_customer() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let contact = json!({"phone": LONG, "name": "Bia"});
    let (status, made) = served.call("whatsapp live", "POST", "/contacts", Some(contact), None).await;
    assert_eq!(status, 201, "{made}");
    number.says(SHORT, "Oi");
    let found = only(&served, 1).await;
    assert_eq!((&found["customerPhone"], &found["customerName"]), (&json!(SHORT), &json!("Bia")));
    // Free text is accepted in both forms, and sent in the platform's.
    for (to, text) in [(LONG, "bom dia"), (SHORT, "boa tarde")] {
        let (status, sent) = served.send(text_to(to, text), None).await;
        assert_eq!((status, &sent["status"]), (200, &json!("sent")), "{sent}");
        assert_eq!(number.waits_for(text).to, SHORT[1..]);
    }
    only(&served, 3).await;
    // A contact is found and changed by either, and exists once.
    let again = json!({"phone": SHORT, "email": "bia@mail.example"});
    let (status, changed) = served.call("whatsapp live", "POST", "/contacts", Some(again), None).await;
    assert_eq!((status, &changed["id"]), (200, &made["id"]), "{changed}");
    for search in [LONG, SHORT] {
        let told = served.get(&format!("/contacts?search=%2B{}", &search[1..])).await;
        assert_eq!(told["data"].as_array().expect("a list").len(), 1, "{search}: {told}");
    }
    let message = json!({"message": {"type": "text", "text": {"body": "Aberto hoje"}}});
    let (status, told) = served.call("whatsapp live", "POST", "/broadcast", Some(message), None).await;
    assert_eq!((status, &told["totalRecipients"]), (202, &json!(1)), "{told}");
    assert_eq!(number.waits_for("Aberto hoje").to, SHORT[1..]);
    only(&served, 4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_from_a_phone_finds_the_person_by_number_or_id() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    says(&number, None, ID, "wamid.P1", "Hello");
    only(&served, 1).await;
    let echo = |wamid: &str, fields: Value| {
        let mut echo = json!({
            "id": wamid, "from": "15550783881", "timestamp": "1", "type": "text", "text": {"body": wamid},
        });
        for (name, value) in fields.as_object().expect("fields") {
            echo[name] = value.clone();
        }
        number.report("smb_message_echoes", json!({ "message_echoes": [echo] }));
    };
    // The echo names only the id of a customer who hides their number.
    echo("wamid.E1", json!({"to_user_id": ID, "to_parent_user_id": "BR.ENT.7"}));
    only(&served, 2).await;
    // The platform knows a number that this conversation does not have yet.
    echo("wamid.E2", json!({"to": &SHORT[1..], "to_user_id": ID}));
    only(&served, 3).await;
    says(&number, Some(LONG), ID, "wamid.P2", "This is my number");
    only(&served, 4).await;
    // Both forms of the number, repeated: the conversation is one and has each message once.
    echo("wamid.E3", json!({"to": &SHORT[1..]}));
    echo("wamid.E4", json!({"to": &LONG[1..], "to_user_id": ID}));
    echo("wamid.E4", json!({"to": &SHORT[1..], "to_user_id": ID}));
    let found = only(&served, 6).await;
    number.waits_until_told();
    let path = format!("/conversations/{}/messages", found["id"].as_str().expect("an id"));
    let mut history = served.get(&path).await["data"].as_array().expect("a list").clone();
    history.reverse();
    let senders: Vec<_> =
        history.iter().map(|message| message["senderType"].as_str().expect("one")).collect();
    assert_eq!(senders, ["customer", "agent", "agent", "customer", "agent", "agent"], "{history:?}");
}
