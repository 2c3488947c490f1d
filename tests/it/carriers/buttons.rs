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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buttons_of_a_message_are_sent_and_their_presses_read_as_labels() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "When?");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let mut asked = text_to(ANA, "Which day?");
    asked["buttons"] = json!([
        [{"text": "Tuesday"}, {"text": "Friday at 9", "data": "day:fri"}],
        [{"text": "Map", "url": "https://shop.example/map"}],
    ]);
    let (status, sent) = served.send(asked, None).await;
    assert_eq!((status, &sent["status"]), (200, &json!("sent")), "{sent}");
    let reached = bot.waits_for("Which day?");
    let keyboard = json!([
        [{"text": "Tuesday", "callback_data": "Tuesday"}, {"text": "Friday at 9", "callback_data": "day:fri"}],
        [{"text": "Map", "url": "https://shop.example/map"}],
    ]);
    assert_eq!(reached.body["reply_markup"], json!({ "inline_keyboard": keyboard }));
    let mut pressed = press("4405");
    pressed["callback_query"]["message"]["message_id"] = reached.id.into();
    pressed["callback_query"]["message"]["reply_markup"] = reached.body["reply_markup"].clone();
    bot.update(pressed);
    let history = served.waits(ANA, "the press", |entry| entry.len() == 3).await;
    assert_eq!(texts(&history), ["When?", "Which day?", "Friday at 9"]);
    assert_eq!(history[2]["replyTo"], history[1]["id"]);
    bot.waits_for_answered_press("4405");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buttons_that_the_platform_would_refuse_are_named() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "When?");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let row = |count: usize| -> Vec<Value> {
        (0..count).map(|number| json!({ "text": format!("{number}") })).collect()
    };
    let many: Vec<Vec<Value>> = (0..51)
        .map(|number| vec![json!({ "text": format!("a{number}") }), json!({ "text": format!("b{number}") })])
        .collect();
    let cases = [
        (json!([[]]), "buttons[0] must have 1 to 8 buttons"),
        (json!([row(9)]), "buttons[0] must have 1 to 8 buttons"),
        (json!(many), "buttons must have at most 100 buttons"),
        (
            json!([[{"text": "A", "data": "x"}], [{"text": "B", "data": "x"}]]),
            "buttons[1][0].data is also the data of",
        ),
        (
            json!([[{"text": "A", "data": "x", "url": "https://a.example"}]]),
            "data must be absent if url is present",
        ),
        (json!([[{"text": "A", "url": "http://a.example"}]]), "url must begin with https://"),
        (json!([[{"text": "é".repeat(40)}]]), "buttons[0][0].text must have at most 64 bytes"),
        (json!([[{"data": "x"}]]), "buttons[0][0].text is required"),
        (json!("none"), "buttons"),
    ];
    for (buttons, problem) in cases {
        let mut asked = text_to(ANA, "Which day?");
        asked["buttons"] = buttons;
        let (status, told) = served.send(asked, None).await;
        assert_eq!((status, &told["code"]), (400, &json!("VALIDATION_ERROR")), "{problem}: {told}");
        assert!(told["message"].as_str().is_some_and(|text| text.contains(problem)), "{problem}: {told}");
    }
    let mut asked = text_to(ANA, "No buttons");
    asked["buttons"] = json!([]);
    assert_eq!(served.send(asked, None).await.0, 200);
    assert_eq!(bot.waits_for("No buttons").body.get("reply_markup"), None);
    assert_eq!(bot.reached().len(), 1, "what was refused reached nobody");
}
