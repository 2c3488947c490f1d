//! Files the platform does not provide at once: the message is stored, the download retried.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use frontdesk::service::AssistantChoice;
use serde_json::{Value, json};

use super::bot_server::BotServer;
use super::number_server::NumberServer;
use super::stand_in::Wrong;
use super::{Served, texts};

const ANA: i64 = 77;
const PHONE: &str = "+34600111222";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_that_is_refused_is_named_and_asked_for_by_a_person() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    bot.plan(move |method| {
        counted.fetch_add(usize::from(method == "getFile"), Ordering::SeqCst);
        None
    });
    let document = json!({"file_id": "plan", "file_name": "plan.pdf", "file_size": 33_000_000});
    bot.sends(ANA, json!({"document": document, "caption": "the plan"}));
    bot.says(ANA, "did you get it?");
    let history = served.waits(ANA, "both", |history| history.len() == 2).await;
    let words = texts(&history)[0].to_owned();
    assert!(
        words.starts_with("the plan [plan.pdf, 33 MB: not fetched, wrong file_id; try again: http"),
        "{words}"
    );
    assert_eq!((&history[0]["contentType"], &history[0]["mediaUrl"]), (&json!("document"), &Value::Null));
    assert_eq!(asked.load(Ordering::SeqCst), 1, "a final refusal is not asked for again");
    let path = format!("/messages/{}", history[0]["id"].as_str().expect("an id"));
    let (_, whole) = served.call("telegram live", "GET", &path, None, None).await;
    assert!(whole["media"].is_null() || whole["media"]["missing"] == "wrong file_id", "{whole}");
    // Opening the URL retries.
    let address = words.rsplit(' ').next().expect("an address").trim_end_matches(']').to_owned();
    let refused = served.http.get(&address).send().await.expect("an answer");
    assert_eq!(refused.status(), 404);
    assert!(refused.text().await.expect("words").contains("wrong file_id"));
    bot.put_file("plan", b"%PDF-1.7 the plan");
    let bytes = served.http.get(&address).send().await.expect("an answer").bytes().await.expect("bytes");
    assert_eq!(&bytes[..], b"%PDF-1.7 the plan");
    let history = served.waits(ANA, "its words", |history| texts(history)[0] == "the plan").await;
    assert_eq!(history[0]["mediaUrl"], address);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_that_fails_for_a_moment_comes_later() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    number.put_file("880011", b"\x89PNG\r\n\x1a\nsmall");
    let mut times = 0;
    number.plan(move |method| {
        let fails = method == "880011" && times < 2;
        times += usize::from(fails);
        fails.then_some(Wrong::Failed)
    });
    number.sends(PHONE, "image", json!({"id": "880011", "caption": "broken"}), json!({}));
    number.says(PHONE, "see?");
    let history = served.waits(PHONE, "both", |history| history.len() == 2).await;
    assert!(texts(&history)[0].starts_with("broken"), "{history:?}");
    assert_eq!(texts(&history)[1], "see?");
    let history = served.waits(PHONE, "the file", |history| history[0]["mediaUrl"].is_string()).await;
    assert_eq!(texts(&history), ["broken", "see?"]);
    let link = history[0]["mediaUrl"].as_str().expect("a link");
    let bytes = served.http.get(link).send().await.expect("an answer").bytes().await.expect("bytes");
    assert_eq!(&bytes[..], b"\x89PNG\r\n\x1a\nsmall");
}

fn echo_of_image(number: &NumberServer, wamid: &str, file: &str, caption: &str) {
    let echo = json!({"id": wamid, "from": "15550783881", "to": &PHONE[1..], "timestamp": "1", "type": "image",
        "image": {"id": file, "mime_type": "image/png", "caption": caption}});
    number.report("smb_message_echoes", json!({ "message_echoes": [echo] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_sent_from_a_phone_is_kept_or_named() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    number.put_file("880011", b"\x89PNG\r\n\x1a\nsmall");
    echo_of_image(&number, "wamid.E1", "880011", "this one");
    echo_of_image(&number, "wamid.E2", "880012", "that one");
    let history = served.waits(PHONE, "both", |history| history.len() == 2).await;
    assert_eq!(
        (&history[0]["content"], &history[0]["contentType"], &history[0]["senderType"]),
        (&json!("this one"), &json!("image"), &json!("agent"))
    );
    let link = history[0]["mediaUrl"].as_str().expect("a link");
    let bytes = served.http.get(link).send().await.expect("an answer").bytes().await.expect("bytes");
    assert_eq!(&bytes[..], b"\x89PNG\r\n\x1a\nsmall");
    let words = texts(&history)[1];
    assert!(words.starts_with("that one [image.png: not fetched, "), "{words}");
    assert_eq!(history[1]["mediaUrl"], Value::Null);
    // Opening the URL retries.
    number.put_file("880012", b"\x89PNG\r\n\x1a\nother");
    let address = words.rsplit(' ').next().expect("an address").trim_end_matches(']');
    let bytes = served.http.get(address).send().await.expect("an answer").bytes().await.expect("bytes");
    assert_eq!(&bytes[..], b"\x89PNG\r\n\x1a\nother");
    let history = served.waits(PHONE, "the file", |history| history[1]["mediaUrl"].is_string()).await;
    assert_eq!(texts(&history), ["this one", "that one"]);
}
