//! Groups, topics and channels: each is its own conversation that names the senders.

use frontdesk::service::AssistantChoice;
use serde_json::{Value, json};

use super::bot_server::BotServer;
use super::number_server::NumberServer;
use super::{Served, texts};

const ANA: &str = "+34600111222";
const GROUP: &str = "Y2FwaV9ncm91cDoxNTU1";
const FORUM: i64 = -1_001_234_567_890;

fn text_to(to: &str, text: &str) -> Value {
    json!({"to": to, "type": "text", "text": {"body": text}})
}

async fn history_of(served: &Served, conversation: &Value) -> Vec<Value> {
    let path = format!("/conversations/{}/messages", conversation["id"].as_str().expect("an id"));
    let told = served.get(&path).await;
    let mut all = told["data"].as_array().expect("a list").clone();
    all.reverse();
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn group_is_a_conversation_of_its_own_and_answered_there() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    let private = number.says(ANA, "only to you");
    let group = json!({ "group_id": GROUP });
    let asked = number.sends(ANA, "text", json!({"body": "Is the boat ready?"}), group.clone());
    number.sends("+34600333444", "image", json!({"id": "gone"}), group);
    number.waits_until_told();
    served.waits(ANA, "the private one", |history| history.len() == 1).await;
    let found = crate::waiting::until_found("the group", async || {
        let all = served.conversations().await;
        let group = all.iter().find(|one| one["customerPhone"].is_null()).cloned();
        group.filter(|one| one["messageCount"] == 2).ok_or_else(|| format!("{all:?}"))
    })
    .await;
    assert_eq!(found["customerAddress"], format!("group:{GROUP}"));
    assert_eq!(served.conversations().await.len(), 2);
    let history = history_of(&served, &found).await;
    assert_eq!(history[0]["content"], "Ana 34600111222: Is the boat ready?");
    assert!(history[1]["content"].as_str().expect("words").starts_with("Ana 34600333444: ["), "{history:?}");
    // An answer goes to the group, and quotes only its messages.
    let address = found["customerAddress"].as_str().expect("an address");
    let mut answer = text_to(address, "It is ready");
    answer["replyTo"] = asked.clone().into();
    let (status, sent) = served.send(answer.clone(), None).await;
    assert_eq!((status, &sent["status"]), (200, &json!("sent")), "{sent}");
    let reached = number.waits_for("It is ready");
    assert_eq!((reached.to.as_str(), &reached.body["recipient_type"]), (GROUP, &json!("group")));
    assert_eq!(reached.body["context"]["message_id"], asked);
    answer["replyTo"] = private.into();
    let (status, refused) = served.send(answer, None).await;
    assert_eq!((status, &refused["code"]), (400, &json!("VALIDATION_ERROR")), "{refused}");
    assert_eq!(number.reached().len(), 1);
    // A group that cannot be answered returns an error.
    number.answer(|_| {
        Some((400, json!({"error": {"code": 131_051, "message": "(#) no", "error_data": {"details": "not for groups"}}})))
    });
    let (status, refused) = served.send(text_to(address, "Hello?"), None).await;
    assert_eq!((status, &refused["code"]), (400, &json!("UNSUPPORTED_TYPE")), "{refused}");
    let words = refused["message"].as_str().expect("words");
    assert!(words.contains("the group cannot be answered") && words.contains("not for groups"), "{words}");
    // Members of a group are no contacts.
    let contacts = served.get("/contacts").await;
    let phones: Vec<_> =
        contacts["data"].as_array().expect("a list").iter().map(|one| &one["phone"]).collect();
    assert_eq!(phones, [ANA]);
}

/// A message in a topic of the forum; in General without one.
fn in_topic(number: i64, topic: Option<i64>, text: &str) -> Value {
    let chat = json!({"id": FORUM, "type": "supergroup", "title": "Harbour", "is_forum": true});
    let mut message = json!({
        "message_id": number, "date": 1, "chat": chat, "from": {"id": 77, "first_name": "Ana"}, "text": text,
    });
    if let Some(topic) = topic {
        message["message_thread_id"] = topic.into();
        message["is_topic_message"] = true.into();
        message["reply_to_message"] =
            json!({"message_id": topic, "chat": chat, "forum_topic_created": {"name": "Refunds"}});
    }
    json!({ "message": message })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn topic_is_a_conversation_of_its_own_and_answered_there() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.update(in_topic(101, Some(45), "My money?"));
    bot.update(in_topic(102, None, "Hello all"));
    let topic = format!("{FORUM}/45");
    let history = served.waits(&topic, "the topic", |history| history.len() == 1).await;
    assert_eq!(texts(&history), ["Ana: My money?"]);
    served.waits(FORUM, "General", |history| history.len() == 1).await;
    let all = served.conversations().await;
    let names: Vec<_> = all.iter().map(|one| one["customerName"].as_str().expect("a name")).collect();
    assert_eq!(names, ["Harbour", "Harbour · Refunds"]);
    // An answer goes to the topic; one to General has no number.
    let answer = json!({"chatId": topic, "type": "text", "text": "On its way", "replyTo": "101"});
    let (status, sent) = served.send(answer, None).await;
    assert_eq!((status, &sent["status"]), (200, &json!("sent")), "{sent}");
    let reached = bot.waits_for("On its way");
    assert_eq!(
        (reached.chat.as_str(), &reached.body["message_thread_id"]),
        (&*FORUM.to_string(), &json!(45))
    );
    assert_eq!(reached.body["reply_parameters"]["message_id"], 101);
    for general in [json!(FORUM), json!(format!("{FORUM}/1"))] {
        let answer = json!({"chatId": general, "type": "text", "text": "Hello you"});
        assert_eq!(served.send(answer, None).await.0, 200);
        assert_eq!(bot.waits_for("Hello you").body["message_thread_id"], Value::Null);
    }
    // A message of another topic cannot be quoted.
    let answer = json!({"chatId": topic, "type": "text", "text": "no", "replyTo": "102"});
    assert_eq!(served.send(answer, None).await.1["code"], "VALIDATION_ERROR");
    // The platform does not report the topic of a reaction.
    bot.update(json!({"message_reaction": {
        "chat": {"id": FORUM, "type": "supergroup", "title": "Harbour"}, "message_id": 101, "date": 1,
        "user": {"id": 77, "first_name": "Ana"}, "old_reaction": [], "new_reaction": [{"type": "emoji", "emoji": "👍"}],
    }}));
    let history = served.waits(&topic, "a reaction", |history| history.len() == 3).await;
    assert_eq!((&history[2]["content"], &history[2]["replyTo"]), (&json!("Ana: 👍"), &history[0]["id"]));
    assert_eq!(served.conversations().await.len(), 2, "{:?}", served.conversations().await);
    // Our own reaction needs no topic.
    let path = format!("/telegram/messages/{}/react", history[0]["id"].as_str().expect("an id"));
    let told = served.call("telegram live", "POST", &path, Some(json!({"emoji": "👍"})), None).await;
    assert_eq!(told.0, 200, "{told:?}");
    let set = bot.reached().pop().expect("a reaction");
    assert_eq!(
        (set.method.as_str(), &set.body["message_id"], &set.body["chat_id"]),
        ("setMessageReaction", &json!(101), &json!(FORUM))
    );
    // Another topic of the group is allowed, a stranger is not.
    let other = json!({"chatId": format!("{FORUM}/46"), "type": "text", "text": "A new topic"});
    assert_eq!(served.send(other, None).await.0, 200);
    assert_eq!(bot.waits_for("A new topic").body["message_thread_id"], 46);
    let stranger = json!({"chatId": "-100999/46", "type": "text", "text": "no"});
    assert_eq!(served.send(stranger, None).await.1["code"], "INVALID_RECIPIENT");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn topic_that_is_gone_is_refused_in_words() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    bot.update(in_topic(101, Some(45), "My money?"));
    let topic = format!("{FORUM}/45");
    served.waits(&topic, "the topic", |history| history.len() == 1).await;
    bot.answer(|_| {
        Some((
            400,
            json!({"ok": false, "error_code": 400, "description": "Bad Request: message thread not found"}),
        ))
    });
    let answer = json!({"chatId": topic, "type": "text", "text": "Hello"});
    let (status, refused) = served.send(answer, None).await;
    assert_eq!((status, &refused["code"]), (400, &json!("INVALID_RECIPIENT")), "{refused}");
    assert!(refused["message"].as_str().expect("words").contains("the topic no longer exists"), "{refused}");
    assert!(bot.reached().is_empty(), "nothing goes to General instead");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn channel_posts_and_groups_that_move_keep_their_conversation() {
    let bot = BotServer::start();
    let served = Served::quiet(&bot).await;
    let channel = json!({"id": -1_009_876_543_210_i64, "type": "channel", "title": "News"});
    bot.update(json!({"channel_post": {"message_id": 7, "date": 1, "chat": channel, "sender_chat": channel, "text": "Open"}}));
    let history = served.waits(-1_009_876_543_210_i64, "a post", |history| history.len() == 1).await;
    assert_eq!(texts(&history), ["Open"]);
    let group = json!({"id": -4100, "type": "group", "title": "Crew"});
    let person = json!({"id": 77, "first_name": "Ana"});
    let said = |chat: &Value, number: i64, text: &str| json!({"message": {"message_id": number, "date": 1, "chat": chat, "from": person, "text": text}});
    bot.update(said(&group, 1, "before"));
    served.waits(-4100, "the group", |history| history.len() == 1).await;
    bot.update(json!({"message": {"message_id": 2, "date": 1, "chat": group, "migrate_to_chat_id": FORUM}}));
    let larger = json!({"id": FORUM, "type": "supergroup", "title": "Crew"});
    served.waits(FORUM, "the new id", |history| history.len() == 1).await;
    bot.update(said(&larger, 1, "after"));
    let history = served.waits(FORUM, "what follows", |history| history.len() == 2).await;
    assert_eq!(texts(&history), ["Ana: before", "Ana: after"]);
    let (status, sent) = served.send(json!({"chatId": -4100, "type": "text", "text": "Hello"}), None).await;
    assert_eq!(status, 200, "{sent}");
    assert_eq!(bot.waits_for("Hello").chat, FORUM.to_string(), "the old id leads to the new one");
}
