//! The bot-chat channel, `POST /telegram/send`.

use super::*;

/// A world with one started chat, 77.
async fn started() -> (World, String, String) {
    let world = World::new().await;
    let (conversation, message) = world.inbound("telegram", "77", "/start").await;
    (world, conversation, message)
}

impl World {
    fn bot(&self, method: &str, path: &str) -> Call {
        self.call(method, &format!("/telegram{path}")).key(self.live("telegram"))
    }

    async fn bot_sends(&self, body: Value) -> Answer {
        self.bot("POST", "/send").json(&body).send().await
    }
}

#[tokio::test]
async fn texts_go_to_chats_that_were_started() {
    let (world, conversation, _) = started().await;
    for (number, chat) in [json!("77"), json!(77)].into_iter().enumerate() {
        let sent = world.bot_sends(json!({"chatId": chat, "type": "text", "text": "hi"})).await.ok();
        assert_eq!(sent["telegramMessageId"], number + 2);
        assert_eq!((&sent["status"], &sent["creditsUsed"]), (&json!("sent"), &json!(1)));
        assert_eq!(sent["creditsRemaining"], 999 - number);
        assert!(sent["messageId"].is_string() && sent.get("whatsappMessageId").is_none(), "{sent}");
    }
    // The type's default is text.
    world.bot_sends(json!({"chatId": 77, "text": "hi"})).await.ok();
    // There is no window.
    world.advance(48 * 3600).await;
    world.bot_sends(json!({"chatId": 77, "text": "still"})).await.ok();
    for chat in [json!("78"), json!("@somewhere"), json!(-5)] {
        let answer = world.bot_sends(json!({"chatId": chat, "text": "hi"})).await;
        answer.refused(400, "INVALID_RECIPIENT");
    }
    let listed = world.bot("GET", "/conversations").send().await.ok();
    let row = &listed["data"][0];
    assert_eq!((&row["id"], &row["telegramChatId"]), (&json!(conversation), &json!("77")));
    assert_eq!((&row["messageCount"], &row["lastMessagePreview"]), (&json!(5), &json!("still")));
    assert_eq!(row["status"], "active");
    let path = format!("/conversations/{conversation}/messages");
    let listed = world.bot("GET", &path).send().await.ok();
    assert_eq!(listed["data"][0]["telegramMessageId"], 5);
    assert_eq!(listed["data"][4]["content"], "/start");
    assert!(ids(&world.bot("GET", "/conversations?status=closed").send().await.ok()).is_empty());
    world.bot("GET", "/conversations/nowhere/messages").send().await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn parse_modes() {
    let (world, _, _) = started().await;
    let cases = [
        (None, "<b>a</b> &lt; b", Ok("a < b")),
        (None, "a < b", Err("text is not valid HTML")),
        (Some("HTML"), "<i>x</b>", Err("text is not valid HTML")),
        (Some("MarkdownV2"), "*a* 1\\.", Ok("a 1.")),
        (Some("MarkdownV2"), "a.", Err("text is not valid MarkdownV2")),
        (Some("Markdown"), "a", Err("parseMode must be one of HTML, MarkdownV2")),
        (Some("html"), "a", Err("parseMode must be one of")),
    ];
    for (mode, text, outcome) in cases {
        let mut body = json!({"chatId": 77, "type": "text", "text": text});
        if let Some(mode) = mode {
            body["parseMode"] = json!(mode);
        }
        let answer = world.bot_sends(body).await;
        match outcome {
            Ok(shown) => {
                answer.ok();
                assert_eq!(world.outbound().await.pop().expect("one").1, shown);
            }
            Err(words) => {
                assert!(answer.refused(400, "VALIDATION_ERROR").message().starts_with(words), "{answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let (world, _, _) = started().await;
    let long = |count: usize| "x".repeat(count);
    let link = "https://shop.example/a";
    let cases = [
        (json!({"text": "x"}), "chatId "),
        (json!({"chatId": "", "text": "x"}), "chatId "),
        (json!({"chatId": 7.5, "text": "x"}), "chatId "),
        (json!({"chatId": "7a", "text": "x"}), "chatId "),
        (json!({"chatId": true, "text": "x"}), "chatId "),
        (json!({"chatId": 77, "type": "image", "url": link}), "type "),
        (json!({"chatId": 77}), "text "),
        (json!({"chatId": 77, "text": long(4097)}), "text "),
        (json!({"chatId": 77, "type": "photo"}), "url "),
        (json!({"chatId": 77, "type": "photo", "url": link, "caption": long(1025)}), "caption "),
        (json!({"chatId": 77, "type": "document", "url": link, "filename": long(257)}), "filename "),
        (json!({"chatId": 77, "type": "photo", "url": link, "caption": "<x>"}), "caption is not valid HTML"),
        (json!({"chatId": 77, "text": "x", "replyTo": "99"}), "replyTo "),
    ];
    for (body, words) in cases {
        let answer = world.bot_sends(body.clone()).await;
        assert!(answer.refused(400, "VALIDATION_ERROR").message().starts_with(words), "{body}: {answer:?}");
    }
    let photo = json!({"chatId": 77, "type": "photo", "url": "http://shop.example/a.png"});
    world.bot_sends(photo).await.refused(400, "MEDIA_FETCH_FAILED");
    assert_eq!((world.balance().await, world.outbound().await.len()), (1000, 0));
}

#[tokio::test]
async fn quotes_and_reactions() {
    let (world, conversation, message) = started().await;
    world.inbound("telegram", "78", "another chat").await;
    // The platform's number 1 exists in both chats; the chat decides.
    for quoted in [json!(message), json!("1"), json!(1)] {
        world.bot_sends(json!({"chatId": 77, "text": "this", "replyTo": quoted})).await.ok();
        let path = format!("/conversations/{conversation}/messages?limit=1");
        assert_eq!(world.bot("GET", &path).send().await.ok()["data"][0]["replyTo"], message);
    }
    let react = |id: &str, emoji: &str| {
        world.bot("POST", &format!("/messages/{id}/react")).json(&json!({"emoji": emoji})).send()
    };
    for emoji in ["👍", "❤️", "❤", "🔥", ""] {
        let done = react(&message, emoji).await.ok();
        let listed = emoji.replace('\u{fe0f}', "");
        assert_eq!((&done["success"], &done["emoji"]), (&json!(true), &json!(listed)));
    }
    for emoji in ["🚲", "x", "👍👍", "👨‍👩‍👧‍👦", "\u{0}"] {
        let answer = react(&message, emoji).await;
        answer.refused(400, "VALIDATION_ERROR");
    }
    react("nowhere", "👍").await.refused(404, "NOT_FOUND");
    assert_eq!(world.balance().await, 997);
}
