//! The platform's time orders the history and sets the service window; events go by arrival.

use frontdesk::model::time::{Clock, HOUR, MINUTE, SECOND};
use frontdesk::service::AssistantChoice;
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::number_server::NumberServer;
use super::numbers::text_to;
use super::{Served, texts};

const ANA: &str = "+34600111222";

/// Sends a message with a time this many microseconds ago.
fn says(number: &NumberServer, ago: i64, text: &str) {
    let sent_at = SystemClock.now().plus(-ago).micros() / SECOND;
    number.sends(ANA, "text", json!({ "body": text }), json!({ "timestamp": sent_at.to_string() }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_that_comes_a_day_late_opens_no_window() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    says(&number, 25 * HOUR, "yesterday");
    served.waits(ANA, "the late one", |history| history.len() == 1).await;
    assert_eq!(served.conversations().await[0]["serviceWindowOpen"], false);
    let (status, refused) = served.send(text_to(ANA, "Hello"), None).await;
    assert_eq!((status, &refused["code"]), (400, &json!("SESSION_EXPIRED")), "{refused}");
    // A message of today opens the window, and a later arriving older one does not close it.
    says(&number, 23 * HOUR, "today");
    says(&number, 30 * HOUR, "earlier");
    let history = served.waits(ANA, "all", |history| history.len() == 3).await;
    assert_eq!(texts(&history), ["earlier", "yesterday", "today"], "as they were sent");
    assert_eq!(served.conversations().await[0]["serviceWindowOpen"], true);
    assert_eq!(served.send(text_to(ANA, "Hello"), None).await.0, 200);
    // The trigger is ordered by arrival.
    let told = served.get("/triggers/new-message").await;
    let newest: Vec<&Value> =
        told["data"].as_array().expect("a list").iter().map(|one| &one["content"]).collect();
    assert_eq!(newest, ["earlier", "today", "yesterday"]);
    assert!(told["data"][0]["sentAt"].as_str() < told["data"][0]["createdAt"].as_str(), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_in_pages_goes_by_the_platforms_time() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    for ago in [5, 1, 4, 2, 3] {
        says(&number, ago * MINUTE, &format!("{ago} minutes ago"));
    }
    served.waits(ANA, "all", |history| history.len() == 5).await;
    let id = served.conversations().await[0]["id"].as_str().expect("an id").to_owned();
    let (mut seen, mut next) = (Vec::new(), format!("/conversations/{id}/messages?limit=2"));
    loop {
        let told = served.get(&next).await;
        seen.extend(told["data"].as_array().expect("a list").iter().map(|one| one["content"].clone()));
        let Some(cursor) = told["nextCursor"].as_str() else { break };
        next = format!("/conversations/{id}/messages?limit=2&cursor={cursor}");
    }
    assert_eq!(seen, [1, 2, 3, 4, 5].map(|ago| json!(format!("{ago} minutes ago"))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_that_lies_ahead_is_the_time_of_arrival() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    says(&number, -48 * HOUR, "from the day after tomorrow");
    let history = served.waits(ANA, "a message", |history| history.len() == 1).await;
    assert_eq!(history[0]["sentAt"], Value::Null);
    assert_eq!(served.send(text_to(ANA, "Hello"), None).await.0, 200);
    let history = served.waits(ANA, "the answer", |history| history.len() == 2).await;
    assert_eq!(texts(&history)[1], "Hello", "it stands behind what it answers");
}
