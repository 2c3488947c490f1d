//! The business chat channel on its platform: messages, status reports, and each error.

use frontdesk::model::time::Clock;
use frontdesk::model::time::Timestamp;
use frontdesk::service::AssistantChoice;
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::bots::webp;
use super::number_server::{NumberServer, SIGNATURE, VERIFY, change, signature};
use super::stand_in::{self, Wrong};
use super::{Served, connect_number, dashboard, texts};
use crate::waiting::until_found;

const ANA: &str = "+34600111222";

pub fn text_to(to: &str, text: &str) -> Value {
    json!({"to": to, "type": "text", "text": {"body": text}})
}

async fn quiet(number: &NumberServer) -> Served {
    Served::number(number, AssistantChoice::Off).await
}

/// A channel with a customer who has written.
async fn channel_with_message(number: &NumberServer) -> Served {
    let served = quiet(number).await;
    number.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    served
}

/// A conversation read alone, which includes its escalation.
async fn whole(served: &Served) -> Value {
    let id = served.conversations().await[0]["id"].as_str().expect("an id").to_owned();
    served.get(&format!("/conversations/{id}")).await
}

fn refusal(status: u16, code: i64) -> (u16, Value) {
    (status, json!({"error": {"message": "(#) no", "code": code, "error_data": {"details": "the reason"}}}))
}

async fn until(served: &Served, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    until_found(path, async || {
        let told = served.get(path).await;
        if wanted(&told) { Ok(told) } else { Err(told) }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_answers_what_a_customer_wrote() {
    let number = NumberServer::start();
    let served = quiet(&number).await;
    let first = number.says(ANA, "Where is my order?");
    let history = served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    assert_eq!(
        (&history[0]["content"], &history[0]["whatsappMessageId"]),
        (&json!("Where is my order?"), &json!(first))
    );
    let listed = &served.conversations().await[0];
    assert_eq!(
        (&listed["customerName"], &listed["serviceWindowOpen"]),
        (&json!("Ana 34600111222"), &json!(true))
    );
    let before = served.balance().await;
    let asked = json!({"to": ANA, "type": "text", "text": {"body": "On its way"}, "replyTo": first});
    let (status, sent) = served.send(asked.clone(), Some("key-1")).await;
    let reached = number.waits_for("On its way");
    assert_eq!(
        (status, &sent["status"], &sent["whatsappMessageId"]),
        (200, &json!("sent"), &json!(reached.id)),
        "{sent}"
    );
    assert_eq!((reached.to.as_str(), &reached.body["context"]["message_id"]), ("34600111222", &json!(first)));
    number.waits_for_read_mark(&first);
    assert_eq!(served.send(asked, Some("key-1")).await, (200, sent), "the same answer to the same request");
    assert_eq!((number.reached().len(), served.balance().await), (1, before - 1));
    number.reports(&reached, "delivered");
    served.waits(ANA, "delivered", |entry| entry[1]["status"] == "delivered").await;
    number.reports(&reached, "read");
    let history = served.waits(ANA, "read", |entry| entry[1]["status"] == "read").await;
    assert_eq!(history[1]["replyTo"], history[0]["id"]);
    assert!(history[1]["deliveredAt"].is_string() && history[1]["readAt"].is_string());
    // Reactions in both directions.
    let id = history[0]["id"].as_str().expect("an id");
    let path = format!("/messages/{id}/react");
    let emoji = Some(json!({"emoji": "👍"}));
    let (status, told) = served.call("whatsapp live", "POST", &path, emoji, None).await;
    assert_eq!((status, &told["success"]), (200, &json!(true)), "{told}");
    let set = number.reached().pop().expect("a reaction");
    assert_eq!(set.body["reaction"], json!({"message_id": first, "emoji": "👍"}));
    number.sends(ANA, "reaction", json!({"message_id": reached.id, "emoji": "🎉"}), json!({}));
    let history = served.waits(ANA, "their reaction", |entry| entry.len() == 3).await;
    assert_eq!((&history[2]["content"], &history[2]["replyTo"]), (&json!("🎉"), &history[1]["id"]));
    assert_eq!(history[0]["reaction"], "👍");
    assert_eq!(number.read_marks(), [first], "what was read is shown once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_refused_by_the_platform_costs_nothing_and_is_not_stored() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let before = served.balance().await;
    let cases = [
        (400, 131_047, 400, "SESSION_EXPIRED"),
        (400, 131_026, 400, "INVALID_RECIPIENT"),
        (400, 131_051, 400, "UNSUPPORTED_TYPE"),
        (400, 132_001, 400, "TEMPLATE_ERROR"),
        (400, 131_053, 502, "MEDIA_UPLOAD_FAILED"),
        (400, 131_009, 400, "VALIDATION_ERROR"),
        (400, 131_049, 502, "WHATSAPP_ERROR"),
        (400, 131_042, 400, "NOT_CONFIGURED"),
        (401, 190, 400, "NOT_CONFIGURED"),
    ];
    for (status, code, wanted, word) in cases {
        number.answer(move |_| Some(refusal(status, code)));
        let key = format!("refused-{code}");
        for _ in 0..2 {
            let told = served.send(text_to(ANA, "no"), Some(&key)).await;
            assert_eq!((told.0, &told.1["code"]), (wanted, &json!(word)), "{told:?}");
            assert!(told.1.to_string().contains("the reason"), "{told:?}");
        }
    }
    assert_eq!((served.balance().await, served.history(ANA).await.len()), (before, 1));
    assert!(number.reached().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_send_is_settled_by_the_platform_report() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    for (wrong, text) in [
        (Wrong::CutBefore, "cut before"),
        (Wrong::CutDuring, "cut during"),
        (Wrong::CutAfter, "cut after"),
        (Wrong::FailedAfter, "failed after"),
        (Wrong::Failed, "failed"),
    ] {
        number.plan(move |method| (method == "messages").then_some(wrong));
        let (status, told) = served.send(text_to(ANA, text), Some(&text.replace(' ', "-"))).await;
        assert_eq!((status, &told["status"]), (200, &json!("unknown")), "{told}");
    }
    number.nothing_goes_wrong();
    let told = whole(&served).await;
    assert!(told["escalation"]["reason"].as_str().is_some_and(|text| text.contains("not known")), "{told}");
    let before = served.balance().await;
    for reached in number.reached() {
        number.reports(&reached, "delivered");
    }
    let settled = |entry: &[Value]| entry.iter().filter(|value| value["status"] == "delivered").count() == 3;
    let history = served.waits(ANA, "three that had left", settled).await;
    let states: Vec<_> = history[1..].iter().map(|value| value["status"].as_str().unwrap_or("")).collect();
    assert_eq!(states, ["unknown", "delivered", "delivered", "delivered", "unknown"]);
    let told = whole(&served).await;
    assert!(!told["escalation"].is_null(), "two are not known yet: {told}");
    assert_eq!((number.reached().len(), served.balance().await), (3, before), "nothing left again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn escalation_ends_once_all_outcomes_are_known() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    number.plan(|method| (method == "messages").then_some(Wrong::CutAfter));
    served.send(text_to(ANA, "Did it?"), None).await;
    number.nothing_goes_wrong();
    assert!(!whole(&served).await["escalation"].is_null());
    let reached = number.waits_for("Did it?");
    number.reports(&reached, "sent");
    let history = served.waits(ANA, "sent", |entry| entry[1]["status"] == "sent").await;
    assert_eq!(history[1]["whatsappMessageId"], json!(reached.id));
    assert_eq!(whole(&served).await["escalation"], Value::Null);
    // A report of the failure settles the message and refunds it.
    number.plan(|method| (method == "messages").then_some(Wrong::CutAfter));
    let before = served.balance().await;
    served.send(text_to(ANA, "And this?"), None).await;
    number.nothing_goes_wrong();
    assert_eq!(served.balance().await, before - 1);
    number.loses(&number.waits_for("And this?"), 131_026, "no such customer");
    served.waits(ANA, "failed", |entry| entry[2]["status"] == "failed").await;
    assert_eq!(served.balance().await, before);
    let told = whole(&served).await.to_string();
    assert!(told.contains("could not be delivered") && told.contains("no such customer"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_may_come_before_the_answer_and_in_any_order() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    number.hold(true);
    let (answer, ()) = tokio::join!(served.send(text_to(ANA, "Early"), Some("early")), async {
        // Not `waits_for`: it would block the send, too.
        let reached = until_found("the text", async || number.reached().pop().ok_or("nothing yet")).await;
        number.reports(&reached, "read");
        served.waits(ANA, "read", |entry| entry.len() == 2 && entry[1]["status"] == "read").await;
        number.reports(&reached, "delivered");
        number.reports(&reached, "sent");
    });
    let reached = number.waits_for("Early");
    assert_eq!(
        (answer.0, &answer.1["status"], &answer.1["whatsappMessageId"]),
        (200, &json!("sent"), &json!(reached.id)),
        "the report is the answer: {answer:?}"
    );
    number.hold(false);
    number.says(ANA, "thanks");
    let history = served.waits(ANA, "what came behind", |entry| entry.len() == 3).await;
    number.waits_until_told();
    assert_eq!((history[1]["status"].as_str(), number.reached().len()), (Some("read"), 1));
    assert_eq!(served.send(text_to(ANA, "Early"), Some("early")).await, answer);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undelivered_message_is_refunded_and_asks_for_a_person() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let before = served.balance().await;
    let (_, told) = served.send(text_to(ANA, "Still there?"), None).await;
    assert_eq!((&told["status"], served.balance().await), (&json!("sent"), before - 1));
    let reached = number.waits_for("Still there?");
    for _ in 0..2 {
        number.loses(&reached, 131_047, "more than 24 hours have passed");
    }
    served.waits(ANA, "failed", |entry| entry[1]["status"] == "failed").await;
    number.waits_until_told();
    assert_eq!(served.balance().await, before, "once");
    let told = whole(&served).await.to_string();
    assert!(told.contains("could not be delivered") && told.contains("24 hours"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_that_is_lost_without_a_reason_is_no_trouble_of_the_number() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    assert_eq!(served.send(text_to(ANA, "Still there?"), None).await.1["status"], "sent");
    let reached = number.waits_for("Still there?");
    number.reports(&reached, "failed");
    served.waits(ANA, "failed", |entry| entry[1]["status"] == "failed").await;
    let admin = dashboard(&served.options).await;
    let all = admin.channels(SystemClock.now()).await.expect("a list");
    admin.close();
    assert!(all.iter().all(|channel| channel.trouble.is_none()), "{all:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn newest_ad_that_led_a_customer_here_is_shown() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let ad = |headline: &str| json!({"referral": {"source_type": "ad", "source_id": "120", "headline": headline, "ctwa_clid": headline}});
    let shown = async |headline: &str| {
        until_found(headline, async || {
            let all = served.conversations().await;
            let told = all[0]["referral"]["headline"].clone();
            if all.len() == 1 && told == headline {
                Ok(all[0]["referral"].clone())
            } else {
                Err(format!("{all:?}"))
            }
        })
        .await
    };
    number.sends(ANA, "text", json!({"body": "Is this still on?"}), ad("Rope for less"));
    shown("Rope for less").await;
    // A form of the platform opens the chat before the customer writes.
    number.sends(ANA, "request_welcome", json!({}), ad("Buoys"));
    assert_eq!(shown("Buoys").await["ctwa_clid"], "Buoys");
    number.says(ANA, "Yes, the buoys");
    served.waits(ANA, "a message without an ad", |entry| entry.len() == 4).await;
    shown("Buoys").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn customer_with_all_tags_can_still_refuse_advertisements() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let store = async |tags: &Value| {
        let contact = json!({"phone": ANA, "tags": tags});
        served.call("whatsapp live", "POST", "/contacts", Some(contact), None).await.0
    };
    let mut tags: Vec<String> = (1..=50).map(|at| format!("tag {at}")).collect();
    assert!(store(&json!(tags)).await < 300);
    let told = json!({"wa_id": &ANA[1..], "category": "marketing_messages", "value": "stop", "timestamp": 1});
    number.report("user_preferences", json!({ "user_preferences": [told] }));
    served.waits(ANA, "a choice", |entry| entry.len() == 2).await;
    tags.push("no-marketing".to_owned());
    let listed = served.get(&format!("/contacts?search={}", &ANA[1..])).await;
    assert_eq!(listed["data"][0]["tags"], json!(tags));
    // A desk that changes one tag sends them all.
    tags[0] = "vip".to_owned();
    assert!(store(&json!(tags)).await < 300);
    tags.push("one more".to_owned());
    assert_eq!(store(&json!(tags)).await, 400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn customer_who_wants_no_advertisements_is_seen_and_still_answered() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let preference = |value: &str| {
        let told = json!({
            "wa_id": &ANA[1..], "category": "marketing_messages", "value": value, "timestamp": 1,
            "detail": "in the platform's words",
        });
        number.report("user_preferences", json!({ "user_preferences": [told] }));
    };
    let tags = async || {
        let listed = served.get(&format!("/contacts?search={}", &ANA[1..])).await;
        listed["data"][0]["tags"].clone()
    };
    let contact = json!({"phone": ANA, "tags": ["vip"]});
    let (status, stored) = served.call("whatsapp live", "POST", "/contacts", Some(contact), None).await;
    assert!(status < 300, "{stored}");
    preference("stop");
    let history = served.waits(ANA, "a choice", |entry| entry.len() == 2).await;
    assert_eq!(tags().await, json!(["vip", "no-marketing"]));
    assert_eq!(texts(&history)[1], "[stopped marketing messages]");
    assert_eq!(served.send(text_to(ANA, "Your order is here"), None).await.1["status"], "sent");
    preference("resume");
    preference("resume");
    let history = served.waits(ANA, "another choice", |entry| entry.len() == 4).await;
    assert_eq!(texts(&history)[3], "[allows marketing messages again]");
    assert_eq!(tags().await, json!(["vip"]));
    // A choice opens no reply window, as only messages of the customer do.
    let bo = "+34600333444";
    let told = json!({"wa_id": &bo[1..], "category": "marketing_messages", "value": "stop", "timestamp": 1});
    number.report("user_preferences", json!({ "user_preferences": [told] }));
    served.waits(bo, "a choice", |entry| entry.len() == 1).await;
    let all = served.conversations().await;
    let open =
        |peer: &str| all.iter().find(|one| one["customerPhone"] == peer).map(|one| &one["serviceWindowOpen"]);
    assert_eq!((open(ANA), open(bo)), (Some(&json!(true)), Some(&json!(false))), "{all:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_is_kept_to_and_the_order_with_it() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let mut first = true;
    number.plan(move |method| (method == "messages" && std::mem::take(&mut first)).then_some(Wrong::TooMany));
    let seen = number.requests();
    let (one, two) = tokio::join!(served.send(text_to(ANA, "one"), None), async {
        let is_asked = async || if number.requests() > seen { Ok(()) } else { Err("not asked yet") };
        until_found("the first", is_asked).await;
        served.send(text_to(ANA, "two"), None).await
    });
    // Answered `queued` if the platform is slow.
    assert_eq!((one.0, two.0), (200, 200));
    let is_sent = |value: &Value| value["status"] != "queued";
    let history =
        served.waits(ANA, "both have left", |entry| entry.len() == 3 && entry.iter().all(is_sent)).await;
    let reached: Vec<String> = number.reached().into_iter().map(|reached| reached.text).collect();
    assert_eq!(reached.len(), 2);
    assert_eq!(texts(&history)[1..], reached);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sound_is_sent_as_a_voice_note_in_its_format_and_as_audio_otherwise() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    for (id, bytes) in [("1", b"OggS\0\x02......OpusHead".as_slice()), ("2", b"ID3\x04 an mp3")] {
        number.put_file(id, bytes);
        number.sends(ANA, "audio", json!({"id": id, "voice": true}), json!({}));
    }
    let history = served.waits(ANA, "both", |history| history.len() == 2).await;
    for (heard, wants_voice, is_voice) in [("1", true, true), ("1", false, false), ("2", true, false)] {
        let link = &history[heard.parse::<usize>().expect("a number") - 1]["mediaUrl"];
        let asked = json!({"to": ANA, "type": "audio", "audio": {"link": link, "voice": wants_voice}});
        let (status, told) = served.send(asked, None).await;
        assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
        let reached = number.reached().pop().expect("a message");
        let voice = if is_voice { json!(true) } else { Value::Null };
        assert_eq!(
            (&reached.body["type"], &reached.body["audio"]["voice"]),
            (&json!("audio"), &voice),
            "{heard}"
        );
        assert!(reached.body["audio"]["id"].is_string(), "{reached:?}");
    }
    let history = served.history(ANA).await;
    let marks: Vec<_> = history.iter().map(|message| message["voice"] == true).collect();
    assert_eq!(marks, [true, true, true, false, true], "as received, and as asked for: {history:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stickers_and_forwarded_messages_are_marked() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Off).await;
    number.put_file("1", b"RIFF\0\0\0\0WEBPVP8 ");
    number.sends(ANA, "sticker", json!({"id": "1"}), json!({}));
    served.waits(ANA, "a sticker", |history| history.len() == 1).await;
    for (count, context) in [(2, json!({"forwarded": true})), (3, json!({"frequently_forwarded": true}))] {
        number.sends(ANA, "text", json!({"body": "Open again"}), json!({ "context": context }));
        served.waits(ANA, "a forwarded text", |history| history.len() == count).await;
    }
    number.sends(ANA, "text", json!({"body": "Is it?"}), json!({"context": {"id": "wamid.IN2"}}));
    let history = served.waits(ANA, "a text", |history| history.len() == 4).await;
    let is_set = |message: &Value, name: &str| message[name] == true;
    let marks: Vec<_> =
        history.iter().map(|message| (is_set(message, "sticker"), is_set(message, "forwarded"))).collect();
    assert_eq!(marks, [(true, false), (false, true), (false, true), (false, false)], "{history:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stickers_contacts_and_previews_are_sent_as_such() {
    let number = NumberServer::start();
    let served = quiet(&number).await;
    for (id, bytes) in [("1", webp(512)), ("2", webp(300)), ("3", b"\x89PNG\r\n\x1a\n".to_vec())] {
        number.put_file(id, &bytes);
        number.sends(ANA, "sticker", json!({"id": id}), json!({}));
    }
    let history = served.waits(ANA, "the stickers", |history| history.len() == 3).await;
    let sticker = |number: usize| {
        let link = &history[number]["mediaUrl"];
        json!({"to": ANA, "type": "image", "image": {"link": link, "sticker": true}})
    };
    let before = served.balance().await;
    let (status, told) = served.send(sticker(0), Some("one-sticker")).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    assert_eq!(served.send(sticker(0), Some("one-sticker")).await.1, told);
    let reached = number.reached();
    assert_eq!((reached.len(), reached[0].kind.as_str()), (1, "sticker"));
    assert!(reached[0].body["sticker"]["id"].is_string(), "{reached:?}");
    assert_eq!(reached[0].body["sticker"]["caption"], Value::Null);
    for (number, why) in
        [(1, "512x512 pixels, this has 300x300"), (2, "image/png cannot be sent as a sticker")]
    {
        let (status, told) = served.send(sticker(number), None).await;
        assert!(status == 400 && told.to_string().contains(why), "{told}");
    }
    let mut captioned = sticker(0);
    captioned["image"]["caption"] = "See?".into();
    assert_eq!(served.send(captioned, None).await.0, 400);
    let card = json!({"name": "Bo Ruiz", "phone": "+34600111333", "company": "Harbor"});
    let contact =
        json!({"to": ANA, "type": "text", "text": {"body": "Bo Ruiz +34600111333", "contact": card}});
    let (status, told) = served.send(contact.clone(), None).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    let reached = number.reached().pop().expect("a contact");
    let told = &reached.body["contacts"][0];
    assert_eq!(
        (reached.kind.as_str(), &told["phones"][0]["phone"], &told["org"]["company"]),
        ("contacts", &json!("+34600111333"), &json!("Harbor"))
    );
    let mut unreachable = contact;
    unreachable["text"]["contact"]["phone"] = "600".into();
    assert_eq!(served.send(unreachable, None).await.0, 400);
    for (text, preview, is_shown) in
        [("as ever", None, false), ("shown", Some(true), true), ("hidden", Some(false), false)]
    {
        let mut body = text_to(ANA, text);
        if let Some(preview) = preview {
            body["text"]["linkPreview"] = preview.into();
        }
        assert_eq!(served.send(body, None).await.0, 200);
        assert_eq!(number.waits_for(text).body["text"]["preview_url"], is_shown, "{text}");
    }
    let history = served.history(ANA).await;
    let sent: Vec<&Value> = history.iter().filter(|value| value["direction"] == "outbound").collect();
    assert_eq!((sent.len(), &sent[0]["contentType"]), (5, &json!("image")));
    assert_eq!(sent[1]["content"], "Bo Ruiz · Harbor · +34600111333");
    assert_eq!(sent[1]["structure"]["contact"]["phone"], "+34600111333");
    assert_eq!(served.balance().await, before - 2 - 4, "what was refused is given back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn media_come_by_their_id_and_are_brought_once() {
    let number = NumberServer::start();
    let served = quiet(&number).await;
    let png = b"\x89PNG\r\n\x1a\nsmall";
    number.put_file("880011", png);
    number.sends(ANA, "image", json!({"id": "880011", "caption": "broken"}), json!({}));
    let history = served.waits(ANA, "a picture", |entry| entry.len() == 1).await;
    let link = history[0]["mediaUrl"].as_str().expect("a link").to_owned();
    let bytes = served.http.get(&link).send().await.expect("an answer").bytes().await.expect("bytes");
    assert_eq!((&bytes[..], &history[0]["contentType"]), (&png[..], &json!("image")));
    for caption in ["whole", "again"] {
        let asked = json!({"to": ANA, "type": "image", "image": {"link": link, "caption": caption}});
        let (status, told) = served.send(asked, None).await;
        assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
        let reached = number.waits_for(caption);
        assert_eq!(reached.body["image"], json!({"id": "91", "caption": caption}));
    }
    let brought = number.brought();
    assert_eq!((brought.len(), &brought[0]["type"]), (1, &json!("image/png")), "{brought:?}");
    number.sends(ANA, "sticker", json!({"id": "none"}), json!({}));
    let history = served.waits(ANA, "one without its file", |entry| entry.len() == 4).await;
    assert_eq!((&history[3]["contentType"], &history[3]["mediaUrl"]), (&json!("image"), &Value::Null));
}

pub fn template(name: &str, status: &str) -> Value {
    let body = json!({"type": "BODY", "text": "Hi {{1}}, your order is ready."});
    json!({"name": name, "language": "en_US", "category": "UTILITY", "status": status, "components": [body]})
}

pub fn filled(name: &str) -> Value {
    let parameters = json!([{"type": "text", "text": "Ana"}]);
    json!({"to": "+34600333444", "type": "template", "template": {"name": name, "language": {"code": "en_US"},
        "components": [{"type": "body", "parameters": parameters}]}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn templates_are_the_platforms_own_with_their_status() {
    let number = NumberServer::start();
    number.set_templates(&[
        template("order_ready", "APPROVED"),
        template("order_late", "REJECTED"),
        template("order_sent", "APPROVED"),
    ]);
    let served = quiet(&number).await;
    let rated = |told: &Value| (told["qualityRating"].clone(), told["messagingTier"].clone());
    assert_eq!(rated(&served.get("/account").await), (json!("GREEN"), json!("TIER_1K")));
    let names = |told: &Value| -> Vec<String> {
        let all = told["data"].as_array().expect("a list").iter();
        all.map(|value| value["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&served.get("/templates").await), ["order_ready", "order_sent"]);
    // A template opens a conversation with a new contact.
    let (status, told) = served.send(filled("order_ready"), None).await;
    assert_eq!((status, &told["status"]), (200, &json!("sent")), "{told}");
    let reached = number.waits_for("order_ready");
    assert_eq!(reached.body["template"], filled("order_ready")["template"]);
    let history = served.history("+34600333444").await;
    assert_eq!(texts(&history), ["Hi Ana, your order is ready."]);
    let refused = served.send(filled("order_late"), None).await;
    assert_eq!((refused.0, &refused.1["code"]), (400, &json!("TEMPLATE_ERROR")));

    // Changes at the platform are picked up here.
    number.set_templates(&[template("order_late", "APPROVED")]);
    number.rate("RED");
    number.changes("message_template_status_update");
    until(&served, "/templates", |told| names(told) == ["order_late"]).await;
    // And when a send is refused for it.
    number.set_templates(&[template("order_ready", "APPROVED")]);
    number.answer(|_| Some(refusal(400, 132_001)));
    assert_eq!(served.send(filled("order_late"), None).await.1["code"], "TEMPLATE_ERROR");
    until(&served, "/templates", |told| names(told) == ["order_ready"]).await;
    let admin = dashboard(&served.options).await;
    let all = admin.channels(SystemClock.now()).await.expect("listed");
    let one = all
        .iter()
        .find(|channel_standing| channel_standing.kind == frontdesk::platforms::Channel::Whatsapp)
        .expect("there");
    assert_eq!((one.quality.as_deref(), one.tier.as_deref()), (Some("RED"), Some("TIER_1K")));
    assert_eq!(rated(&served.get("/account").await), (json!("RED"), json!("TIER_1K")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buttons_and_places_go_as_they_are() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let interactive = json!({"type": "button", "body": {"text": "Keep it?"}, "action": {"buttons": [
        {"type": "reply", "reply": {"id": "yes", "title": "Yes"}}]}});
    let asked = json!({"to": ANA, "type": "interactive", "interactive": interactive});
    assert_eq!(served.send(asked, None).await.1["status"], "sent");
    assert_eq!(number.reached()[0].body["interactive"], interactive);
    let reply = json!({"type": "button_reply", "button_reply": {"id": "yes", "title": "Yes"}});
    let context = json!({"context": {"id": number.reached()[0].id}});
    number.sends(ANA, "interactive", reply.clone(), context);
    let history = served.waits(ANA, "the choice", |entry| entry.len() == 3).await;
    assert_eq!((&history[2]["content"], &history[2]["replyTo"]), (&json!("Yes"), &history[1]["id"]));
    assert_eq!(history[2]["structure"], json!({ "interactive": reply }), "the id is kept");
    let rows = json!([{"id": "day:tue", "title": "Tuesday", "description": "9 to 12"},
        {"id": "day:fri", "title": "Friday"}]);
    let interactive = json!({"type": "list", "body": {"text": "Which day?"}, "action": {
        "button": "Days", "sections": [{"title": "This week", "rows": rows}]}});
    let asked = json!({"to": ANA, "type": "interactive", "interactive": interactive});
    assert_eq!(served.send(asked, None).await.1["status"], "sent");
    assert_eq!(number.reached()[1].body["interactive"], interactive);
    let reply = json!({"type": "list_reply", "list_reply": rows[0]});
    number.sends(ANA, "interactive", reply.clone(), json!({"context": {"id": number.reached()[1].id}}));
    let history = served.waits(ANA, "the chosen row", |entry| entry.len() == 5).await;
    assert_eq!(
        (&history[4]["content"], &history[4]["replyTo"]),
        (&json!("Tuesday · 9 to 12"), &history[3]["id"])
    );
    assert_eq!(history[4]["structure"], json!({ "interactive": reply }), "the id is kept");
    let place = json!({"latitude": 41.5, "longitude": 2.0, "name": "Pier"});
    assert_eq!(
        served.send(json!({"to": ANA, "type": "location", "location": place}), None).await.1["status"],
        "sent"
    );
    assert_eq!(number.reached()[2].body["location"], place);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_customer_with_another_number_stays_the_same() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let system = json!({"body": "changed", "wa_id": "34600999888", "type": "user_changed_number"});
    number.sends(ANA, "system", system, json!({}));
    served.waits("+34600999888", "the same conversation", |entry| entry.len() == 1).await;
    let contacts = served.get("/contacts").await;
    assert_eq!(contacts["data"][0]["phone"], "+34600999888", "{contacts}");
    assert_eq!(served.conversations().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unsigned_hook_requests_are_refused() {
    let number = NumberServer::start();
    let served = quiet(&number).await;
    number.waits_until_followed();
    let url = format!("{}/hooks/whatsapp", served.running.base_url.trim_end_matches("/v1"));
    let text = json!({"id": "wamid.F", "from": "34600111222", "type": "text", "text": {"body": "forged"}});
    let body = change("messages", json!({ "messages": [text] }));
    let call = |header: &str, body: &str| {
        stand_in::call("POST", &url, (SIGNATURE, header), body).expect("it listens").0
    };
    let good = signature(&body);
    for wrong in ["", "sha256=", &good[..good.len() - 2], &good.replace("sha256=", "sha1="), &signature("{}")]
    {
        assert_eq!(call(wrong, &body), 401, "{wrong}");
    }
    assert_eq!(call(&good, &body.replace("forged", "f0rged")), 401, "the bytes that were signed");
    assert!(served.conversations().await.is_empty());
    for _ in 0..2 {
        assert_eq!(call(&good, &body), 200);
    }
    assert_eq!(call(&signature("no JSON"), "no JSON"), 200, "what cannot be read is not told for ever");
    number.says(ANA, "behind it");
    let history = served.waits(ANA, "both", |entry| entry.len() == 2).await;
    assert_eq!(texts(&history), ["forged", "behind it"], "a repeat is nothing new");

    let ask = |token: &str| {
        let url = format!("{url}?hub.mode=subscribe&hub.verify_token={token}&hub.challenge=4711");
        stand_in::call("GET", &url, ("accept", "*/*"), "").expect("it listens")
    };
    assert_eq!(ask(VERIFY), (200, "4711".to_owned()));
    assert_eq!(ask("guessed").0, 401);
    let other = url.replace("whatsapp", "telegram");
    assert_eq!(stand_in::call("GET", &other, ("accept", "*/*"), "").expect("it listens").0, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broadcast_leaves_in_its_lanes_and_counts_what_became_of_each() {
    let number = NumberServer::start();
    number.set_templates(&[template("order_ready", "APPROVED")]);
    let served = quiet(&number).await;
    let phones = ["+34600000001", "+34600000002", "+34600000003", "+34600000004"];
    let mut ids = Vec::new();
    for phone in phones {
        number.says(phone, "hi");
        served.waits(phone, "a message", |entry| entry.len() == 1).await;
    }
    for contact in served.get("/contacts").await["data"].as_array().expect("a list") {
        ids.push(contact["id"].as_str().expect("an id").to_owned());
    }
    let before = served.balance().await;
    let hurried = std::sync::atomic::AtomicBool::new(false);
    number.answer(move |body| match body["to"].as_str() {
        Some("34600000002") => Some(refusal(400, 131_026)),
        // Pair rate limit: the message is sent a moment later.
        Some("34600000003") if !hurried.swap(true, std::sync::atomic::Ordering::SeqCst) => {
            Some(refusal(400, 131_056))
        }
        _ => None,
    });
    // By number: messages are sent one after another and may arrive in any order.
    number.cuts_after("34600000001");
    let message = filled("order_ready");
    let message = json!({"type": "template", "template": message["template"]});
    let asked = json!({"contactIds": ids, "message": message});
    let (status, told) = served.call("whatsapp live", "POST", "/broadcast", Some(asked), None).await;
    assert_eq!((status, &told["totalRecipients"]), (202, &json!(4)), "{told}");
    let price = told["creditsUsed"].as_f64().expect("a price") as i64 / 4;
    let path = format!("/broadcast/{}", told["broadcastId"].as_str().expect("an id"));
    let told = until(&served, &path, |value| value["status"] == "completed").await;
    assert_eq!(
        (&told["failed"], &told["sentCount"], &told["pending"]),
        (&json!(1), &json!(2), &json!(3)),
        "{told}"
    );
    assert_eq!(served.balance().await, before - 3 * price, "what was refused is given back");
    let reached = number.reached();
    assert_eq!(reached.len(), 3);
    for message in &reached {
        match message.to.as_str() {
            "34600000003" => number.loses(message, 131_049, "not delivered to keep a healthy ecosystem"),
            _ => number.reports(message, "delivered"),
        }
    }
    let told = until(&served, &path, |value| value["pending"] == 0).await;
    assert_eq!((&told["delivered"], &told["failed"]), (&json!(2), &json!(2)), "{told}");
    assert_eq!(served.balance().await, before - 2 * price);
    for conversation in served.conversations().await {
        let told =
            served.get(&format!("/conversations/{}", conversation["id"].as_str().expect("an id"))).await;
        assert_eq!(told["escalation"], Value::Null, "a broadcast asks for nobody");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_key_reaches_nobody_and_a_disconnected_channel_says_so() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let tried = served.call("whatsapp test", "POST", "/messages/send", Some(text_to(ANA, "try")), None).await;
    assert_eq!(
        (tried.0, &tried.1["test"], &tried.1["status"]),
        (200, &json!(true), &json!("sent")),
        "{tried:?}"
    );
    number.waits_until_followed();
    let admin = dashboard(&served.options).await;
    admin
        .disconnect(frontdesk::platforms::Channel::Whatsapp, Timestamp::default())
        .await
        .expect("disconnected");
    assert!(!number.is_followed(), "it calls nobody for this account any more");
    let told = loop {
        let (status, told) = served.send(text_to(ANA, "still there?"), None).await;
        if status != 200 {
            break told;
        }
    };
    assert_eq!(told["code"], "NOT_CONFIGURED");
    let sent = number.reached().len();
    connect_number(&served.options, &number).await;
    number.waits_until_followed();
    number.says(ANA, "again");
    served.waits(ANA, "what came then", |entry| texts(entry).last() == Some(&"again")).await;
    assert_eq!(number.reached().len(), sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_assistant_answers_through_the_platform() {
    let number = NumberServer::start();
    let served = Served::number(&number, AssistantChoice::Scripted).await;
    let first = number.says(ANA, "zzz qqq");
    let history = served.waits(ANA, "an answer", |entry| entry.len() == 2).await;
    assert_eq!((&history[1]["senderType"], &history[1]["status"]), (&json!("ai"), &json!("sent")));
    assert_eq!(number.reached()[0].text, texts(&history)[1]);
    number.waits_for_read_mark(&first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missed_call_is_one_line_that_asks_for_a_person() {
    let number = NumberServer::start();
    let served = channel_with_message(&number).await;
    let call = |id: &str, event: &str, more: Value| {
        let mut call = json!({"id": id, "from": "34600111222", "to": "15550783881", "event": event,
            "direction": "USER_INITIATED", "timestamp": "1790000000"});
        for (name, value) in more.as_object().expect("fields") {
            call[name] = value.clone();
        }
        let contact = json!({"wa_id": "34600111222", "profile": {"name": "Ana"}});
        number.report("calls", json!({"contacts": [contact], "calls": [call]}));
    };
    // The end before the beginning, and each of them twice.
    call("wacid.1", "terminate", json!({"status": "FAILED"}));
    call("wacid.1", "connect", json!({}));
    call("wacid.1", "terminate", json!({"status": "FAILED"}));
    call("wacid.1", "connect", json!({}));
    call("wacid.2", "connect", json!({}));
    call("wacid.2", "terminate", json!({"status": "COMPLETED", "duration": 33, "start_time": "1790000003"}));
    let behind = number.says(ANA, "Call me");
    let history = served.waits(ANA, "a text", |entry| texts(entry).contains(&"Call me")).await;
    let mut lines = texts(&history);
    lines.sort_unstable();
    assert_eq!(lines, ["Call me", "[missed call]", "hi"]);
    assert_eq!(whole(&served).await["escalation"]["reason"], "a call was missed");
    // The platform knows no message for a missed call, so none is quoted or marked as read.
    let missed = history.iter().find(|value| value["content"] == "[missed call]").expect("the call");
    let quoting = json!({"to": ANA, "type": "text", "text": {"body": "Sorry"}, "replyTo": missed["id"]});
    let (status, told) = served.send(quoting, None).await;
    assert_eq!((status, &told["code"]), (400, &json!("VALIDATION_ERROR")), "{told}");
    let (status, told) = served.send(text_to(ANA, "We call you at five"), None).await;
    assert_eq!(status, 200, "{told}");
    number.waits_for_read_mark(&behind);
    assert_eq!(number.read_marks(), [behind]);
    assert!(whole(&served).await["escalation"].is_null());
}
