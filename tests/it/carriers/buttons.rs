//! Buttons below messages of a bot that customers press.

use frontdesk::service::AssistantChoice;
use serde_json::{Value, json};

use super::bot_server::BotServer;
use super::stand_in::{self, Wrong};
use super::{Served, text_to, texts};

const ANA: i64 = 77;

/// A press on the second of two buttons below message 9.
fn press(id: &str) -> Value {
    let chat = json!({"id": ANA, "type": "private", "first_name": "Ana", "username": "ana77"});
    let rows = json!([
        [{"text": "Tuesday", "callback_data": "day:tue"}],
        [{"text": "Friday at 9", "callback_data": "day:fri"}, {"text": "Map", "url": "https://example.com"}],
    ]);
    let message = json!({
        "message_id": 9, "date": 1, "chat": chat, "text": "Which day?",
        "from": {"id": 7_000_001, "is_bot": true, "first_name": "Harbour"},
        "reply_markup": {"inline_keyboard": rows},
    });
    json!({"callback_query": {
        "id": id, "from": {"id": ANA, "is_bot": false, "first_name": "Ana"}, "message": message,
        "chat_instance": "1", "data": "day:fri",
    }})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn polled_press_reads_as_its_label_and_is_answered() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.update(press("4400"));
    let history = served.waits(ANA, "a press", |entry| entry.len() == 1).await;
    assert_eq!(texts(&history), ["Friday at 9"]);
    assert_eq!(history[0]["senderType"], "customer");
    assert_eq!(history[0]["structure"]["callback_query"], json!({"data": "day:fri"}), "{}", history[0]);
    bot.waits_for_answered_press("4400");
    let (_, sent) = served.send(text_to(ANA, "See you on Friday"), None).await;
    assert_eq!((&sent["status"], bot.waits_for("See you").chat.as_str()), (&json!("sent"), "77"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_press_is_stored_once_however_often_it_is_reported() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.plan(|method| (method == "getUpdates").then_some(Wrong::Repeated));
    bot.update(press("4401"));
    served.waits(ANA, "a press", |entry| entry.len() == 1).await;
    bot.update(press("4402"));
    let history = served.waits(ANA, "both presses", |entry| entry.len() >= 2).await;
    assert_eq!(texts(&history), ["Friday at 9"; 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unanswerable_press_delays_no_message() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.plan(|method| (method == "answerCallbackQuery").then_some(Wrong::Failed));
    bot.update(press("4403"));
    served.waits(ANA, "a press", |entry| entry.len() == 1).await;
    bot.says(ANA, "or Tuesday?");
    let history = served.waits(ANA, "a message", |entry| entry.len() == 2).await;
    assert_eq!(texts(&history), ["Friday at 9", "or Tuesday?"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn press_in_a_webhook_call_is_answered_with_it() {
    let bot = BotServer::start();
    let served = Served::with(&bot, true, AssistantChoice::Off).await;
    let (url, secret) = bot.waits_for_webhook();
    let call = |secret: &str, update: &Value| {
        let header = ("x-telegram-bot-api-secret-token", secret);
        let (status, body) = stand_in::call("POST", &url, header, &update.to_string()).expect("it listens");
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    };
    let mut update = press("4404");
    update["update_id"] = json!(3);
    let (status, answer) = call("guessed", &update);
    assert_eq!((status, &answer["method"]), (401, &Value::Null), "a forged press is not answered");
    let (status, answer) = call(&secret, &update);
    let wanted = json!({"method": "answerCallbackQuery", "callback_query_id": "4404"});
    assert_eq!((status, answer), (200, wanted));
    let history = served.waits(ANA, "a press", |entry| entry.len() == 1).await;
    assert_eq!(texts(&history), ["Friday at 9"]);
}
