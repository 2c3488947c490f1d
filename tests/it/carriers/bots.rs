//! The bot-chat channel on its platform: messages, answers, and each error of the platform.

use frontdesk::model::time::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frontdesk::service::AssistantChoice;
use serde_json::{Value, json};

use super::bot_server::{BotServer, call};
use super::stand_in::Wrong;
use super::{Served, StandIn, connect, dashboard, text_to, texts};
use crate::waiting::until_found;

const ANA: i64 = 77;

fn failed(status: u16, words: &str) -> (u16, Value) {
    (status, json!({"ok": false, "error_code": status, "description": words}))
}

/// Delays sends until the flag is set, then accepts them or answers with `then`.
fn put_off(bot: &BotServer, then: Option<(u16, Value)>) -> Arc<AtomicBool> {
    let answered = Arc::new(AtomicBool::new(false));
    let is_answered = Arc::clone(&answered);
    let pause = (429, json!({"ok": false, "parameters": {"retry_after": 1}}));
    bot.answer(move |_| if is_answered.load(Ordering::SeqCst) { then.clone() } else { Some(pause.clone()) });
    answered
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_answers_what_a_customer_wrote() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let first = bot.says(ANA, "Where is my order?");
    let history = served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    assert_eq!(
        (history[0]["content"].as_str(), &history[0]["telegramMessageId"]),
        (Some("Where is my order?"), &json!(first))
    );
    let listed = &served.conversations().await[0];
    assert_eq!((&listed["telegramUsername"], &listed["customerName"]), (&json!("ana77"), &json!("Ana 77")));
    let before = served.balance().await;
    let marked = json!({"chatId": ANA, "type": "text", "text": "On its <b>way</b>", "replyTo": first});
    let (status, sent) = served.send(marked.clone(), Some("key-1")).await;
    let reached = bot.waits_for("On its");
    assert_eq!(
        (status, &sent["status"], &sent["telegramMessageId"]),
        (200, &json!("sent"), &json!(reached.id)),
        "{sent}"
    );
    assert_eq!(
        (&reached.body["parse_mode"], &reached.body["text"]),
        (&json!("HTML"), &json!("On its <b>way</b>"))
    );
    assert_eq!(reached.body["reply_parameters"]["message_id"], first);
    let again = served.send(marked, Some("key-1")).await;
    assert_eq!((again.0, &again.1), (200, &sent), "the same answer to the same request");
    assert_eq!(bot.reached().len(), 1);
    assert_eq!(served.balance().await, before - 1);
    let history = served.history(ANA).await;
    assert_eq!((texts(&history)[1], &history[1]["status"]), ("On its way", &json!("sent")));
    assert_eq!(history[1]["replyTo"], history[0]["id"]);
    let id = history[0]["id"].as_str().expect("an id");
    let path = format!("/telegram/messages/{id}/react");
    let emoji = Some(json!({"emoji": "👍"}));
    let (status, told) = served.call("telegram live", "POST", &path, emoji, None).await;
    assert_eq!((status, &told["success"]), (200, &json!(true)), "{told}");
    let reached = bot.reached().pop().expect("a reaction");
    assert_eq!((reached.method.as_str(), &reached.body["message_id"]), ("setMessageReaction", &json!(first)));
    assert_eq!(served.history(ANA).await[0]["reaction"], "👍");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_refused_by_the_platform_costs_nothing_and_is_not_stored() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let before = served.balance().await;
    let cases = [
        (400, "Bad Request: failed to get HTTP URL content", 400, "MEDIA_FETCH_FAILED"),
        (400, "Bad Request: something nobody knows", 502, "WHATSAPP_ERROR"),
        (401, "Unauthorized", 400, "NOT_CONFIGURED"),
        // The last case: afterwards the customer cannot be written to.
        (403, "Forbidden: bot was blocked by the user", 400, "INVALID_RECIPIENT"),
    ];
    for (status, words, wanted, code) in cases {
        bot.answer(move |_| Some(failed(status, words)));
        let key = format!("refused-{status}-{wanted}-{code}");
        for _ in 0..2 {
            let told = served.send(text_to(ANA, "no"), Some(&key)).await;
            assert_eq!((told.0, &told.1["code"]), (wanted, &json!(code)), "{told:?}");
        }
    }
    assert_eq!((served.balance().await, served.history(ANA).await.len()), (before, 1));
    assert!(bot.reached().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn send_with_unknown_outcome_is_not_repeated_and_is_shown() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    for (wrong, text) in [
        (Wrong::CutBefore, "cut before"),
        (Wrong::CutDuring, "cut during"),
        (Wrong::CutAfter, "cut after"),
        (Wrong::FailedAfter, "failed"),
    ] {
        bot.plan(move |method| (method == "sendMessage").then_some(wrong));
        let key = text.replace(' ', "-");
        let (status, told) = served.send(text_to(ANA, text), Some(&key)).await;
        assert_eq!((status, &told["status"]), (200, &json!("unknown")), "{told}");
        bot.nothing_goes_wrong();
        assert_eq!(served.send(text_to(ANA, text), Some(&key)).await.1, told);
    }
    let history = served.history(ANA).await;
    let states: Vec<_> = history[1..].iter().map(|value| value["status"].as_str().unwrap_or("")).collect();
    assert_eq!(states, ["unknown"; 4]);
    let listed = &served.conversations().await[0];
    assert!(
        listed["escalation"]["reason"].as_str().is_some_and(|text| text.contains("not known")),
        "{listed}"
    );
    // The first never arrived, which the service cannot know.
    let reached: Vec<String> = bot.reached().into_iter().map(|reached| reached.text).collect();
    assert_eq!(reached, ["cut during", "cut after", "failed"]);
    assert_eq!(served.send(text_to(ANA, "next"), None).await.1["status"], "sent");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_is_kept_to_and_the_order_with_it() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let mut first = true;
    bot.plan(move |method| (method == "sendMessage" && std::mem::take(&mut first)).then_some(Wrong::TooMany));
    let (one, two) = tokio::join!(served.send(text_to(ANA, "one"), Some("1")), async {
        let is_asked = async || if bot.requests() >= 3 { Ok(()) } else { Err("not asked yet") };
        until_found("the first", is_asked).await;
        served.send(text_to(ANA, "two"), Some("2")).await
    });
    // Answered `queued` if the platform is slow.
    assert_eq!((one.0, two.0), (200, 200));
    let is_sent = |value: &Value| value["status"] != "queued";
    let history =
        served.waits(ANA, "both have left", |entry| entry.len() == 3 && entry.iter().all(is_sent)).await;
    let reached = bot.reached();
    let mut order: Vec<_> = reached.iter().map(|reached| reached.text.as_str()).collect();
    // The order of requests is the order of sends.
    order.sort_unstable();
    assert_eq!(order, ["one", "two"]);
    assert_eq!(texts(&history)[1..], reached.iter().map(|reached| reached.text.as_str()).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_send_is_queued_and_reported_later() {
    let bot = BotServer::start();
    let served = Served::bounded(StandIn::Bot(&bot)).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let answered = put_off(&bot, None);
    let before = served.balance().await;
    served.keep_events();
    let (status, queued) = served.send(text_to(ANA, "late"), Some("late")).await;
    assert_eq!(
        (status, &queued["status"], &queued["telegramMessageId"]),
        (200, &json!("queued"), &Value::Null),
        "{queued}"
    );
    assert_eq!(served.history(ANA).await[1]["status"], "queued");
    answered.store(true, Ordering::SeqCst);
    let history = served.waits(ANA, "sent", |entry| entry[1]["status"] == "sent").await;
    let reached = bot.waits_for("late");
    assert_eq!(history[1]["telegramMessageId"], reached.id);
    assert_eq!(served.send(text_to(ANA, "late"), Some("late")).await.1, queued, "the answer that was given");
    assert_eq!((bot.reached().len(), served.balance().await), (1, before - 1));
    assert_eq!(served.events(), ["message.sent"]);

    // A refusal after the answer is reported as failed and costs nothing.
    let answered = put_off(&bot, Some(failed(403, "Forbidden: bot was blocked by the user")));
    let (_, queued) = served.send(text_to(ANA, "never"), Some("never")).await;
    assert_eq!(queued["status"], "queued", "{queued}");
    answered.store(true, Ordering::SeqCst);
    let history =
        served.waits(ANA, "failed", |entry| entry.len() == 3 && entry[2]["status"] == "failed").await;
    assert_eq!(history[2]["id"], queued["messageId"]);
    assert_eq!(served.events(), ["message.sent", "message.failed"]);
    assert_eq!(served.balance().await, before - 1);
    let listed = &served.conversations().await[0];
    assert!(listed["escalation"]["reason"].is_string(), "{listed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_of_a_person_counts_as_theirs_unless_the_platform_refuses_it() {
    let bot = BotServer::start();
    let mut served = Served::bounded(StandIn::Bot(&bot)).await;
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let session = served.sign_in("Ben").await;
    let url = format!("{}/desk/v1/stats", served.running.base_url.trim_end_matches("/v1"));
    let answers = async || {
        let answer = served.http.get(&url).bearer_auth(&session).send().await.expect("an answer");
        let text = answer.text().await.expect("a body");
        let stats: Value = serde_json::from_str(&text).expect("JSON");
        let ben = stats["data"][0].clone();
        (ben["answers"].as_i64().expect("a number"), ben["firstAnswer"]["count"].as_i64().expect("a number"))
    };
    let send = async |text: &str| {
        let sent =
            served.call("telegram Ben", "POST", "/telegram/send", Some(text_to(ANA, text)), None).await;
        assert_eq!(sent.0, 200, "{sent:?}");
        sent.1["status"].clone()
    };
    assert_eq!((send("Hello").await, answers().await), (json!("sent"), (1, 1)));
    assert_eq!((send("Anything else?").await, answers().await), (json!("sent"), (2, 1)));
    let refused = failed(403, "Forbidden: bot was blocked by the user");
    let answered = put_off(&bot, Some(refused));
    assert_eq!((send("never").await, answers().await), (json!("queued"), (3, 1)));
    answered.store(true, Ordering::SeqCst);
    served.waits(ANA, "failed", |entry| entry.len() == 4 && entry[3]["status"] == "failed").await;
    assert_eq!(answers().await, (2, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_the_assistant_that_is_refused_asks_for_a_person() {
    let bot = BotServer::start();
    let served = Served::with(&bot, false, AssistantChoice::Scripted).await;
    bot.answer(|_| Some(failed(403, "Forbidden: bot was blocked by the user")));
    bot.says(ANA, "where is my order?");
    let reason = until_found("a person is asked for", async || {
        let all = served.conversations().await;
        let reason = all.first().and_then(|value| value["escalation"]["reason"].as_str()).map(str::to_owned);
        reason.ok_or_else(|| format!("{all:?}"))
    })
    .await;
    assert!(reason.contains("could not be delivered") || reason.contains("refused"), "{reason}");
    assert_eq!(served.history(ANA).await.len(), 1, "nobody was told anything");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn group_that_moves_with_queued_messages_stays_one_conversation() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let group = |id: i64| json!({"id": id, "type": "supergroup", "title": "Crew"});
    bot.sends(-5, json!({"chat": group(-5), "text": "hi all"}));
    served.waits(-5, "a group", |entry| entry.len() == 1).await;
    bot.sends(-5, json!({"chat": group(-5), "photo": [{"file_id": "missing"}], "caption": "look"}));
    bot.sends(-5, json!({"chat": group(-5), "migrate_to_chat_id": -1005}));
    bot.sends(-1005, json!({"chat": group(-1005), "migrate_from_chat_id": -5}));
    bot.sends(-1005, json!({"chat": group(-1005), "text": "here we are"}));
    let history = served.waits(-1005, "all of it", |entry| entry.len() == 3).await;
    let mut said = texts(&history);
    said.sort_unstable();
    assert_eq!(said[..2], ["Ana: here we are", "Ana: hi all"]);
    assert!(said[2].starts_with("Ana: look [photo.jpg: not fetched"), "{said:?}");
    assert_eq!(served.conversations().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn media_are_brought_here_and_sent_from_here() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let png = b"\x89PNG\r\n\x1a\nsmall";
    bot.put_file("photo-1", png);
    bot.sends(ANA, json!({"photo": [{"file_id": "photo-0"}, {"file_id": "photo-1"}], "caption": "broken"}));
    let history = served.waits(ANA, "a photo", |entry| entry.len() == 1).await;
    let link = history[0]["mediaUrl"].as_str().expect("a link");
    let bytes = served.http.get(link).send().await.expect("an answer").bytes().await.expect("bytes");
    assert_eq!((&bytes[..], &history[0]["contentType"]), (&png[..], &json!("photo")));
    let sent = json!({"chatId": ANA, "type": "photo", "url": link, "caption": "whole"});
    let (status, told) = served.send(sent, None).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    let reached = bot.waits_for("whole");
    assert_eq!(reached.method, "sendPhoto");
    assert!(
        reached.body["photo"]["bytes"].as_u64().is_some_and(|u64| u64 > 0),
        "the bytes themselves: {reached:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn voice_note_is_sent_as_one() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.put_file("spoken", b"OggS\0\x02......OpusHead");
    bot.sends(ANA, json!({"voice": {"file_id": "spoken", "mime_type": "audio/ogg"}}));
    let history = served.waits(ANA, "a voice note", |entry| entry.len() == 1).await;
    for (caption, voice, method, field) in
        [("as spoken", true, "sendVoice", "voice"), ("as music", false, "sendAudio", "audio")]
    {
        let sent = json!({"chatId": ANA, "type": "audio", "url": history[0]["mediaUrl"], "caption": caption, "voice": voice});
        let (status, told) = served.send(sent, None).await;
        assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
        let reached = bot.waits_for(caption);
        assert_eq!(reached.method, method);
        assert!(reached.body[field]["bytes"].as_u64().is_some_and(|size| size > 0), "{reached:?}");
    }
    let history = served.waits(ANA, "what was sent", |entry| entry.len() == 3).await;
    let marks: Vec<_> = history.iter().map(|message| message["voice"].as_bool()).collect();
    assert_eq!(marks, [Some(true), Some(true), None], "the customer's, ours, and audio: {history:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stickers_and_forwarded_messages_are_marked() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.put_file("small", &webp(512));
    bot.sends(ANA, json!({"sticker": {"file_id": "small", "emoji": "😀"}}));
    served.waits(ANA, "a sticker", |entry| entry.len() == 1).await;
    let origin = json!({"type": "hidden_user", "date": 1, "sender_user_name": "Bo"});
    bot.sends(ANA, json!({"text": "Open again", "forward_origin": origin}));
    served.waits(ANA, "a forwarded text", |entry| entry.len() == 2).await;
    bot.sends(ANA, json!({"text": "Is it?"}));
    let history = served.waits(ANA, "a text", |entry| entry.len() == 3).await;
    let is_set = |message: &Value, name: &str| message[name] == true;
    let marks: Vec<_> =
        history.iter().map(|message| (is_set(message, "sticker"), is_set(message, "forwarded"))).collect();
    assert_eq!(marks, [(true, false), (false, true), (false, false)], "{history:?}");
}

/// Header of a WebP picture with this width and height.
pub fn webp(side: u16) -> Vec<u8> {
    let side = side.to_le_bytes();
    [b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9D\x01\x2A".as_slice(), &side, &side].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stickers_contacts_and_previews_are_sent_as_such() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    for (id, bytes) in [("small", webp(512)), ("large", webp(900)), ("png", b"\x89PNG\r\n\x1a\n".to_vec())] {
        bot.put_file(id, &bytes);
        bot.sends(ANA, json!({"sticker": {"file_id": id, "emoji": "😀"}}));
    }
    let history = served.waits(ANA, "the stickers", |entry| entry.len() == 3).await;
    let link = |number: usize| history[number]["mediaUrl"].clone();
    let sticker =
        |number: usize| json!({"chatId": ANA, "type": "photo", "url": link(number), "sticker": true});
    let before = served.balance().await;
    let (status, told) = served.send(sticker(0), Some("one-sticker")).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    assert_eq!(served.send(sticker(0), Some("one-sticker")).await.1, told);
    let reached = bot.reached();
    assert_eq!((reached.len(), reached[0].method.as_str()), (1, "sendSticker"));
    assert!(reached[0].body["sticker"]["bytes"].as_u64().is_some_and(|size| size > 0), "{reached:?}");
    assert_eq!(reached[0].body["parse_mode"], Value::Null);
    let (status, told) = served.send(sticker(1), None).await;
    assert!(status == 400 && told.to_string().contains("at most 512x512 pixels, this has 900x900"), "{told}");
    let (status, told) = served.send(sticker(2), None).await;
    assert!(status == 400 && told.to_string().contains("image/png cannot be sent as a sticker"), "{told}");
    let mut captioned = sticker(0);
    captioned["caption"] = "See?".into();
    assert_eq!(served.send(captioned, None).await.0, 400);
    let card = json!({"name": "Bo Ruiz", "phone": "+34600111333", "company": "Harbor"});
    let contact = json!({"chatId": ANA, "text": "Bo Ruiz +34600111333", "contact": card});
    let (status, told) = served.send(contact, None).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    let reached = bot.reached().pop().expect("a contact");
    assert_eq!(
        (reached.method.as_str(), &reached.body["phone_number"]),
        ("sendContact", &json!("+34600111333"))
    );
    for (text, preview, options) in [
        ("as ever", None, Value::Null),
        ("shown", Some(true), json!({"is_disabled": false})),
        ("hidden", Some(false), json!({"is_disabled": true})),
    ] {
        let mut body = text_to(ANA, text);
        if let Some(preview) = preview {
            body["linkPreview"] = preview.into();
        }
        assert_eq!(served.send(body, None).await.0, 200);
        assert_eq!(bot.waits_for(text).body["link_preview_options"], options, "{text}");
    }
    let history = served.history(ANA).await;
    let sent: Vec<&Value> = history.iter().filter(|value| value["status"] == "sent").collect();
    assert_eq!((sent.len(), &sent[0]["contentType"]), (5, &json!("photo")));
    assert_eq!((&sent[0]["sticker"], &sent[1]["sticker"]), (&json!(true), &Value::Null));
    assert_eq!(sent[1]["content"], "Bo Ruiz · Harbor · +34600111333");
    assert_eq!(sent[1]["structure"]["contact"]["phone"], "+34600111333");
    assert_eq!(served.balance().await, before - 2 - 4, "what was refused is given back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_an_album_name_it_and_stay_messages() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    for (file, caption) in [("a", "both sides"), ("b", "")] {
        bot.put_file(file, b"\x89PNG\r\n\x1a\nsmall");
        bot.sends(ANA, json!({"photo": [{"file_id": file}], "caption": caption, "media_group_id": "1357"}));
    }
    bot.sends(ANA, json!({"text": "See?", "media_group_id": "x".repeat(1_000)}));
    let history = served.waits(ANA, "the album and a text", |entry| entry.len() == 3).await;
    let mut albums: Vec<_> = history.iter().map(|message| message["album"].as_str()).collect();
    albums.sort_unstable();
    assert_eq!(albums, [None, Some("1357"), Some("1357")], "{history:?}");
    assert_eq!(history.iter().filter(|message| message["mediaUrl"].is_string()).count(), 2, "{history:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_reactions_and_a_groups_new_id_are_followed() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let number = bot.says(ANA, "Wher is it");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let chat = json!({"id": ANA, "type": "private", "first_name": "Ana"});
    bot.update(json!({"edited_message": {"message_id": number, "chat": chat, "text": "Where is it?"}}));
    served.waits(ANA, "the change", |entry| texts(entry) == ["Where is it?"]).await;
    let group = |id: i64| json!({"id": id, "type": "group", "title": "Crew"});
    bot.sends(-5, json!({"chat": group(-5), "text": "hi all"}));
    served.waits(-5, "a group", |entry| texts(entry) == ["Ana: hi all"]).await;
    bot.sends(-5, json!({"chat": group(-5), "migrate_to_chat_id": -1005}));
    served.waits(-1005, "the same chat", |entry| entry.len() == 1).await;
    // The platform reports the migration to senders, too.
    bot.sends(-6, json!({"chat": group(-6), "text": "hi"}));
    served.waits(-6, "another", |entry| entry.len() == 1).await;
    bot.answer(|body| {
        let told = json!({"ok": false, "parameters": {"migrate_to_chat_id": -1006}});
        (body["chat_id"] == -6).then_some((400, told))
    });
    let (_, told) = served.send(text_to(-6, "hello crew"), None).await;
    assert_eq!((&told["status"], bot.waits_for("hello crew").chat.as_str()), (&json!("sent"), "-1006"));
    assert_eq!(served.history(-1006).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_platform_that_calls_has_to_say_its_secret() {
    let bot = BotServer::start();
    let served = Served::with(&bot, true, AssistantChoice::Off).await;
    let (url, secret) = bot.waits_for_webhook();
    assert!(url.ends_with("/hooks/telegram"), "{url}");
    let message = |id: i64, text: &str| {
        let chat = json!({"id": ANA, "type": "private", "first_name": "Ana"});
        json!({"update_id": id, "message": {"message_id": id, "chat": chat, "text": text}})
    };
    for wrong in ["", "guessed"] {
        assert_eq!(call(&url, wrong, &message(1, "forged")), 401);
    }
    for (id, text) in [(2, "first"), (3, "second"), (2, "first"), (3, "second")] {
        assert_eq!(call(&url, &secret, &message(id, text)), 200);
    }
    assert_eq!(
        call(&url, &secret, &json!({"odd": true})),
        200,
        "what cannot be read is not told again for ever"
    );
    let history = served.waits(ANA, "both", |entry| entry.len() == 2).await;
    assert_eq!(texts(&history), ["first", "second"]);
    assert_eq!(bot.most_readers(), 0, "it is called and not read");
    let missing = url.replace("telegram", "whatsapp");
    assert_eq!(call(&missing, &secret, &message(4, "x")), 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_assistant_answers_through_the_platform() {
    let bot = BotServer::start();
    let served = Served::with(&bot, false, AssistantChoice::Scripted).await;
    bot.says(ANA, "zzz qqq");
    let history = served.waits(ANA, "an answer", |entry| entry.len() == 2).await;
    assert_eq!((&history[1]["senderType"], &history[1]["status"]), (&json!("ai"), &json!("sent")));
    let reached = bot.reached();
    assert_eq!((reached.len(), reached[0].text.as_str()), (1, texts(&history)[1]));
    assert_eq!(reached[0].body["parse_mode"], Value::Null, "what it says is not marked up");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_key_reaches_nobody_and_a_disconnected_channel_says_so() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let tried = served.call("telegram test", "POST", "/telegram/send", Some(text_to(ANA, "try")), None).await;
    assert_eq!(
        (tried.0, &tried.1["test"], &tried.1["status"]),
        (200, &json!(true), &json!("sent")),
        "{tried:?}"
    );
    bot.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let admin = dashboard(&served.options).await;
    let telegram = frontdesk::platforms::Channel::Telegram;
    admin.disconnect(telegram, Timestamp::default()).await.expect("disconnected");
    let before = served.balance().await;
    let told = loop {
        let (status, told) = served.send(text_to(ANA, "still there?"), None).await;
        if status != 200 {
            break told;
        }
    };
    assert_eq!(told["code"], "NOT_CONFIGURED");
    assert!(served.balance().await <= before);
    let sent = bot.reached().len();
    connect(&served.options, &bot, false).await;
    bot.says(ANA, "again");
    served.waits(ANA, "what came meanwhile", |entry| texts(entry).last() == Some(&"again")).await;
    assert_eq!(bot.reached().len(), sent);
}
