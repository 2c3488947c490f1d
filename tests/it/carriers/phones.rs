//! The voice and SMS channel on its platform: texts, calls, opt-out words, and each error.

use frontdesk::model::secret::Secret;
use frontdesk::model::time::{Clock, MINUTE, Timestamp};
use frontdesk::platforms::Channel;
use frontdesk::service::AssistantChoice;
use frontdesk::service::carriers::dashboard::PhoneAccess;
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::phone_server::{ACCOUNT, NUMBER, PhoneServer, SERVICE, SIGNATURE, TOKEN, signature};
use super::stand_in::{self, Wrong};
use super::{Served, connect_phone, dashboard, texts};
use crate::postgres::cluster;
use crate::waiting::until_found;

const ANA: &str = "+34600111222";

pub fn text_to(to: &str, text: &str) -> Value {
    json!({"to": to, "body": text})
}

async fn quiet(phone: &PhoneServer) -> Served {
    Served::phone(phone, AssistantChoice::Off).await
}

/// A channel with a customer who has texted.
async fn channel_with_text(phone: &PhoneServer) -> Served {
    let served = quiet(phone).await;
    phone.says(ANA, "hi");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    served
}

async fn escalation(served: &Served) -> String {
    served.conversations().await[0]["escalation"].to_string()
}

async fn call(served: &Served, to: &str, metadata: Value, idem: Option<&str>) -> (u16, Value) {
    let body = json!({"to": to, "metadata": metadata});
    served.call("voip live", "POST", "/voip/calls", Some(body), idem).await
}

fn refusal(status: u16, code: i64) -> (u16, Value) {
    (status, json!({"code": code, "message": "the reason"}))
}

async fn wait_for_request(phone: &PhoneServer) {
    let is_asked = async || if phone.asked_to_send() > 0 { Ok(()) } else { Err("nothing") };
    until_found("a request", is_asked).await;
}

fn last(history: &[Value]) -> &str {
    history.last().and_then(|value| value["status"].as_str()).unwrap_or("")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_answers_what_a_customer_texted() {
    let phone = PhoneServer::start();
    let served = quiet(&phone).await;
    phone.says(ANA, "Where is my order?");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let listed = &served.conversations().await[0];
    assert_eq!(
        (&listed["customerPhone"], &listed["type"], &listed["lastMessagePreview"]),
        (&json!(ANA), &json!("sms"), &json!("Where is my order?"))
    );
    let before = served.balance().await;
    let asked = text_to(ANA, "On its way, it costs 5 €");
    let (status, sent) = served.send(asked.clone(), Some("key-1")).await;
    assert_eq!((status, &sent["status"], &sent["creditsUsed"]), (200, &json!("sent"), &json!(1)), "{sent}");
    let reached = phone.waits_for("On its way");
    assert_eq!((reached.to.as_str(), reached.form["From"].as_str()), (ANA, NUMBER));
    assert_eq!(served.send(asked, Some("key-1")).await, (200, sent), "the same answer to the same request");
    assert_eq!((phone.texts().len(), served.balance().await), (1, before - 1));
    phone.reports(&reached, "sent");
    phone.reports(&reached, "delivered");
    let history = served.waits(ANA, "delivered", |entry| last(entry) == "delivered").await;
    assert_eq!(history[1]["details"], "{\"segments\":1}");
    // Text outside the GSM alphabet takes more segments and costs the same.
    let long = format!("{}ő", "a".repeat(70));
    served.send(text_to(ANA, &long), None).await;
    let history = served.waits(ANA, "a long one", |entry| entry.len() == 3).await;
    assert_eq!((&history[2]["details"], &history[2]["cost"]), (&json!("{\"segments\":2}"), &json!("1")));
    let triggers = served.get("/triggers/new-message").await;
    assert_eq!(triggers["data"][0]["content"], "Where is my order?", "{triggers}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_refused_by_the_platform_costs_nothing_and_is_not_stored() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    let before = served.balance().await;
    let cases = [
        (400, 21_211, 400, "INVALID_RECIPIENT", "the reason"),
        (400, 21_408, 400, "INVALID_RECIPIENT", "the reason"),
        (400, 21_617, 400, "VALIDATION_ERROR", "the reason"),
        (400, 30_007, 502, "WHATSAPP_ERROR", "the reason"),
        (400, 21_606, 400, "NOT_CONFIGURED", "the reason"),
        (401, 20_003, 400, "NOT_CONFIGURED", "the reason"),
        // The last case: afterwards the customer cannot be written to.
        (400, 21_610, 400, "INVALID_RECIPIENT", "has sent STOP"),
    ];
    for (status, code, wanted, word, why) in cases {
        phone.answer(move |_| Some(refusal(status, code)));
        for path in ["/voip/sms", "/voip/calls"] {
            let key = format!("refused-{code}-{path}");
            for _ in 0..2 {
                let told = served.call("voip live", "POST", path, Some(text_to(ANA, "no")), Some(&key)).await;
                assert_eq!((told.0, &told.1["code"]), (wanted, &json!(word)), "{path} {told:?}");
                assert!(told.1.to_string().contains(why), "{told:?}");
            }
        }
    }
    assert_eq!((served.balance().await, served.history(ANA).await.len()), (before, 1));
    assert!(phone.texts().is_empty() && phone.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_send_is_settled_by_the_platform_report() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    phone.calls_nobody(true);
    for (wrong, text) in [
        (Wrong::CutBefore, "cut before"),
        (Wrong::CutDuring, "cut during"),
        (Wrong::CutAfter, "cut after"),
        (Wrong::FailedAfter, "failed after"),
    ] {
        phone.plan(move |what| (what == "send").then_some(wrong));
        let key = text.replace(' ', "-");
        let (status, told) = served.send(text_to(ANA, text), Some(&key)).await;
        assert_eq!((status, &told["status"]), (200, &json!("unknown")), "{text}: {told}");
        phone.nothing_goes_wrong();
        let again = served.send(text_to(ANA, text), Some(&key)).await;
        assert_eq!((again.0, &again.1["status"]), (200, &json!("unknown")), "{text}: not sent again");
    }
    assert!(escalation(&served).await.contains("not known"), "{}", escalation(&served).await);
    // A report settles one message, the platform's lists settle the others.
    phone.calls_nobody(false);
    phone.reports(&phone.waits_for("cut during"), "delivered");
    let settled = |history: &[Value], text: &str, status: &str| {
        history.iter().any(|value| value["content"] == text && value["status"] == status)
    };
    let history = served
        .waits(ANA, "settled", |entry| {
            settled(entry, "cut during", "delivered")
                && settled(entry, "cut after", "sent")
                && settled(entry, "failed after", "sent")
        })
        .await;
    assert!(settled(&history, "cut before", "unknown"), "the platform has never had it: {history:?}");
    assert_eq!(phone.texts().len(), 3, "nothing was sent twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn identical_texts_of_unknown_outcome_are_not_guessed() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    phone.calls_nobody(true);
    let mut first = true;
    phone.plan(move |what| {
        let wrong = if std::mem::take(&mut first) { Wrong::CutBefore } else { Wrong::CutAfter };
        (what == "send").then_some(wrong)
    });
    for key in ["one", "two"] {
        assert_eq!(served.send(text_to(ANA, "twin"), Some(key)).await.1["status"], "unknown");
    }
    phone.nothing_goes_wrong();
    // A later message was read, so the earlier ones had their time.
    phone.says(ANA, "still there?");
    let history = served.waits(ANA, "what came then", |entry| entry.len() == 4).await;
    assert_eq!([&history[1]["status"], &history[2]["status"]], ["unknown", "unknown"]);
    assert_eq!(phone.texts().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_may_come_before_the_answer_and_in_any_order() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    phone.hold(true);
    let (answer, ()) = tokio::join!(served.send(text_to(ANA, "Early"), Some("early")), async {
        let reached =
            until_found("the text", async || phone.texts().pop().ok_or("nothing has reached anybody")).await;
        phone.reports(&reached, "delivered");
        served.waits(ANA, "delivered", |entry| last(entry) == "delivered").await;
        phone.reports(&reached, "sent");
    });
    assert_eq!(
        (answer.0, &answer.1["status"]),
        (200, &json!("sent")),
        "the report is the answer: {answer:?}"
    );
    phone.hold(false);
    phone.says(ANA, "thanks");
    let history = served.waits(ANA, "what came behind", |entry| entry.len() == 3).await;
    phone.waits_until_told();
    assert_eq!((history[1]["status"].as_str(), phone.texts().len()), (Some("delivered"), 1));
    assert_eq!(served.send(text_to(ANA, "Early"), Some("early")).await, answer);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undelivered_message_is_refunded_and_asks_for_a_person() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    let before = served.balance().await;
    let (_, told) = served.send(text_to(ANA, "Still there?"), None).await;
    assert_eq!((&told["status"], served.balance().await), (&json!("sent"), before - 1));
    let reached = phone.waits_for("Still there?");
    for _ in 0..2 {
        phone.loses(&reached, "undelivered", Some(30_006));
    }
    served.waits(ANA, "failed", |entry| last(entry) == "failed").await;
    phone.waits_until_told();
    assert_eq!(served.balance().await, before, "once");
    let why = escalation(&served).await;
    assert!(why.contains("could not be delivered") && why.contains("landline"), "{why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_is_kept_to_and_the_order_with_it() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    let mut first = true;
    phone.plan(move |what| (what == "send" && std::mem::take(&mut first)).then_some(Wrong::TooMany));
    let (one, two) = tokio::join!(served.send(text_to(ANA, "one"), None), async {
        wait_for_request(&phone).await;
        served.send(text_to(ANA, "two"), None).await
    });
    // Answered `queued` if the platform is slow.
    assert_eq!((one.0, two.0), (200, 200));
    let is_sent = |value: &Value| value["status"] != "queued";
    let history =
        served.waits(ANA, "both have left", |entry| entry.len() == 3 && entry.iter().all(is_sent)).await;
    let reached: Vec<String> = phone.texts().into_iter().map(|text| text.text).collect();
    assert_eq!(reached.len(), 2);
    assert_eq!(texts(&history)[1..], reached);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_fetched_from_the_platforms_address() {
    let phone = PhoneServer::start();
    let served = quiet(&phone).await;
    let png = b"\x89PNG\r\n\x1a\nsmall";
    phone.put_file("ME1", png);
    phone.put_file("ME2", b"BEGIN:VCARD\r\nEND:VCARD\r\n");
    phone.sends(ANA, "broken", &[("ME1", "image/png"), ("ME2", "text/x-vcard")]);
    let history = served.waits(ANA, "both", |entry| entry.len() == 2).await;
    assert_eq!(
        (&history[0]["content"], &history[0]["contentType"], &history[1]["contentType"]),
        (&json!("broken"), &json!("image"), &json!("document"))
    );
    let link = history[0]["mediaUrl"].as_str().expect("a link");
    let bytes = served.http.get(link).send().await.expect("an answer").bytes().await.expect("bytes");
    assert_eq!(&bytes[..], png);
    assert!(!phone.has_shown_credentials(), "only the platform itself is told who asks");
    phone.sends(ANA, "", &[("ME9", "image/png")]);
    let history = served.waits(ANA, "one without its file", |entry| entry.len() == 3).await;
    assert_eq!((&history[2]["contentType"], &history[2]["mediaUrl"]), (&json!("image"), &json!("")));
    // A message that arrives only by the platform's lists.
    phone.calls_nobody(true);
    phone.sends(ANA, "and this", &[("ME1", "image/png")]);
    let history = served.waits(ANA, "what was listed", |entry| entry.len() == 4).await;
    assert!(history[3]["mediaUrl"].as_str().is_some_and(|history| history.ends_with(".png")), "{history:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_start_and_help_are_heeded() {
    let phone = PhoneServer::start();
    let served = Served::phone(&phone, AssistantChoice::Scripted).await;
    phone.says(ANA, "Stop");
    served.waits(ANA, "the word", |entry| entry.len() == 1).await;
    let before = served.balance().await;
    let (status, told) = served.send(text_to(ANA, "Our offers"), Some("offers")).await;
    assert_eq!((status, &told["code"]), (400, &json!("INVALID_RECIPIENT")), "{told}");
    assert!(told.to_string().contains("STOP"), "{told}");
    let tried = served.call("voip test", "POST", "/voip/sms", Some(text_to(ANA, "x")), None).await;
    assert_eq!(tried.1["code"], "INVALID_RECIPIENT", "a test key is told the same");
    assert_eq!((served.balance().await, phone.asked_to_send()), (before, 0));
    assert_eq!(served.conversations().await[0]["takesNoMessages"], "stopped");
    let admin = dashboard(&served.options).await;
    let lines = admin.test_channel(Channel::Voip).await.expect("it answers");
    assert!(lines.iter().any(|line| line.contains("1 customer wrote STOP")), "{lines:?}");
    admin.close();

    phone.says(ANA, "START");
    served.waits(ANA, "the other word", |entry| entry.len() == 2).await;
    assert_eq!(served.conversations().await[0]["takesNoMessages"], Value::Null);
    assert_eq!(served.send(text_to(ANA, "Welcome back"), None).await.1["status"], "sent");
    phone.says(ANA, "help");
    served.waits(ANA, "a third", |entry| entry.len() == 4).await;
    let why = escalation(&served).await;
    assert!(why.contains("asks for help"), "{why}");
    // The word within a sentence does not count, nor a yes without an earlier opt-out.
    served.send(text_to(ANA, "Ana here"), None).await;
    let id = served.conversations().await[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(served.automation(&id, Some(true)).await.0, 200, "handed back");
    phone.says(ANA, "yes");
    let history = served.waits(ANA, "the assistant's answer", |entry| entry.len() == 7).await;
    let said: Vec<&str> = history.iter().map(|value| value["senderType"].as_str().unwrap_or("")).collect();
    assert_eq!(said, ["customer", "customer", "api", "customer", "api", "customer", "ai"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_that_is_found_later_does_not_end_a_newer_stop() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    phone.says(ANA, "STOP");
    served.waits(ANA, "the newer word", |entry| entry.len() == 2).await;
    phone.lists_earlier(ANA, "START", MINUTE);
    served.waits(ANA, "the older word", |entry| entry.len() == 3).await;
    let (status, told) = served.send(text_to(ANA, "Our offers"), None).await;
    assert_eq!((status, &told["code"]), (400, &json!("INVALID_RECIPIENT")), "{told}");
    assert!(phone.texts().is_empty());
    // Both words of another customer are found in the list, in their order.
    let ben = "+34600111333";
    phone.lists_earlier(ben, "STOP", 2 * MINUTE);
    phone.lists_earlier(ben, "START", MINUTE);
    served.waits(ben, "both words", |entry| entry.len() == 2).await;
    assert_eq!(served.send(text_to(ben, "Welcome back"), None).await.1["status"], "sent");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_that_is_found_later_does_not_end_a_newer_start() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    phone.says(ANA, "START");
    served.waits(ANA, "the newer word", |entry| entry.len() == 2).await;
    phone.lists_earlier(ANA, "STOP", 3 * MINUTE);
    served.waits(ANA, "the older word", |entry| entry.len() == 3).await;
    assert_eq!(served.send(text_to(ANA, "Welcome back"), None).await.1["status"], "sent");
    // A newer one counts.
    phone.says(ANA, "STOP");
    served.waits(ANA, "a newer word", |entry| entry.len() == 5).await;
    let (status, told) = served.send(text_to(ANA, "Our offers"), None).await;
    assert_eq!((status, &told["code"]), (400, &json!("INVALID_RECIPIENT")), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_waits_does_not_leave_after_a_stop() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    let before = served.balance().await;
    phone.plan(|what| (what == "send").then_some(Wrong::TooMany));
    let (answer, ()) = tokio::join!(served.send(text_to(ANA, "Our offers"), None), async {
        wait_for_request(&phone).await;
        phone.says(ANA, "STOP");
        served.waits(ANA, "the word", |entry| texts(entry).contains(&"STOP")).await;
        phone.nothing_goes_wrong();
    });
    // If it took longer than a request waits, the history has the outcome.
    let is_told = answer.1["code"] == "INVALID_RECIPIENT" || answer.1["status"] == "queued";
    assert!(is_told, "{answer:?}");
    until_found("the price", async || match served.balance().await {
        balance if balance == before => Ok(()),
        other => Err(other),
    })
    .await;
    assert!(phone.texts().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreported_messages_are_read_from_the_lists() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    served.send(text_to(ANA, "Ready"), None).await;
    phone.calls_nobody(true);
    phone.reports(&phone.waits_for("Ready"), "delivered");
    let wanted: Vec<String> = (1..=50).map(|number| format!("missed {number}")).collect();
    for text in &wanted {
        phone.says(ANA, text);
    }
    let history =
        served.waits(ANA, "all of it", |entry| entry.len() == 52 && entry[1]["status"] == "delivered").await;
    assert_eq!(texts(&history)[2..], wanted);
    // A late webhook call adds nothing new.
    phone.calls_nobody(false);
    phone.says(ANA, "behind it");
    served.waits(ANA, "one more", |entry| entry.len() == 53).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_is_placed_followed_and_charged_by_duration() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    let before = served.balance().await;
    let metadata = json!({"message": "Your repair is ready", "language": "en-GB"});
    let (status, told) = call(&served, ANA, metadata.clone(), Some("call-1")).await;
    assert_eq!((status, &told["status"], &told["creditsUsed"]), (200, &json!("queued"), &json!(5)), "{told}");
    assert_eq!(call(&served, ANA, metadata, Some("call-1")).await, (200, told.clone()), "called once");
    let placed = phone.waits_for_call(ANA);
    assert_eq!(placed.text, "<Response><Say language=\"en-GB\">Your repair is ready</Say></Response>");
    phone.call_is(&placed, "ringing", 0);
    served.waits(ANA, "ringing", |entry| last(entry) == "ringing").await;
    phone.call_is(&placed, "in-progress", 0);
    served.waits(ANA, "spoken", |entry| last(entry) == "in_progress").await;
    phone.call_is(&placed, "completed", 130);
    let history = served.waits(ANA, "ended", |entry| last(entry) == "completed").await;
    assert_eq!(history[1]["content"], "Outgoing call, 2:10");
    phone.call_is(&placed, "ringing", 0);
    phone.waits_until_told();
    assert_eq!((phone.calls().len(), served.balance().await), (1, before - 15), "three minutes began");
    assert_eq!(served.conversations().await[0]["type"], "call");
    // An unanswered call is refunded.
    call(&served, "+34600333444", json!({}), None).await;
    phone.call_is(&phone.waits_for_call("+34600333444"), "no-answer", 0);
    served.waits("+34600333444", "not answered", |entry| last(entry) == "failed").await;
    assert_eq!(served.balance().await, before - 15);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_may_ring_is_not_placed_again() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    let before = served.balance().await;
    phone.plan(|what| (what == "send").then_some(Wrong::CutAfter));
    let (_, told) = call(&served, ANA, json!({}), Some("cut")).await;
    assert_eq!(told["status"], "unknown", "{told}");
    phone.nothing_goes_wrong();
    assert_eq!(call(&served, ANA, json!({}), Some("cut")).await.1["status"], "unknown");
    phone.calls_nobody(true);
    phone.call_is(&phone.waits_for_call(ANA), "completed", 30);
    let history = served.waits(ANA, "ended", |entry| last(entry) == "completed").await;
    assert_eq!((&history[1]["content"], phone.calls().len()), (&json!("Outgoing call, 0:30"), 1));
    assert_eq!(served.balance().await, before - 5);
    assert_eq!(escalation(&served).await, "null", "nobody need look any more");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_hung_up_from_the_dashboard() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    let (_, told) = call(&served, ANA, json!({}), None).await;
    let id = told["callId"].as_str().expect("an id").to_owned();
    phone.call_is(&phone.waits_for_call(ANA), "in-progress", 0);
    served.waits(ANA, "spoken", |entry| last(entry) == "in_progress").await;
    let admin = dashboard(&served.options).await;
    let open = admin.open_calls().await.expect("listed");
    assert_eq!((open.len(), open[0].to.as_str(), open[0].status.as_str()), (1, ANA, "in_progress"));
    admin.hang_up(&id).await.expect("ended");
    let history = served.waits(ANA, "ended", |entry| last(entry) == "completed").await;
    assert_eq!(history[1]["content"], "Outgoing call, 1:01");
    assert!(admin.open_calls().await.expect("listed").is_empty());
    let why = admin.hang_up(&id).await.expect_err("it is over").to_string();
    assert!(why.contains("admin call list"), "{why}");
    admin.close();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missed_call_is_one_line_that_asks_for_a_person() {
    let phone = PhoneServer::start();
    let served = quiet(&phone).await;
    let url = format!("{}/hooks/voip", served.running.base_url.trim_end_matches("/v1"));
    assert_eq!(phone.call_hook().as_deref(), Some(url.as_str()), "it was told where to report calls");
    phone.is_called(ANA, "completed");
    let id = phone.is_called(ANA, "no-answer");
    let history = served.waits(ANA, "the call", |entry| !entry.is_empty()).await;
    assert_eq!(
        (&history[0]["content"], &history[0]["contentType"], &history[0]["direction"]),
        (&json!("Missed call"), &json!("call"), &json!("inbound"))
    );
    assert_eq!(served.conversations().await[0]["type"], "call");
    assert!(escalation(&served).await.contains("a call was missed"), "{}", escalation(&served).await);
    // Two requests about one call: the platform asks what to do with it, and reports it.
    let account = ACCOUNT;
    let told =
        format!("AccountSid={account}&CallSid={id}&From=%2B34600111222&To=%2B15550100200&Direction=inbound");
    for (more, wanted) in [
        ("CallStatus=ringing", "<Response><Reject reason=\"busy\"/></Response>"),
        ("CallStatus=busy&SequenceNumber=0", "<Response/>"),
        ("CallStatus=in-progress&DialCallStatus=no-answer", "<Response/>"),
    ] {
        let body = format!("{told}&{more}");
        let answer = stand_in::call("POST", &url, (SIGNATURE, &signature(&url, &body)), &body);
        assert_eq!(answer, Some((200, wanted.to_owned())), "{more}");
    }
    phone.says(ANA, "Call me");
    let history = served.waits(ANA, "a text", |entry| texts(entry).contains(&"Call me")).await;
    assert_eq!(texts(&history), ["Missed call", "Call me"]);
    // The answer of a person ends it.
    let (status, told) = served.send(text_to(ANA, "We call you at five"), None).await;
    assert_eq!(status, 200, "{told}");
    assert_eq!(escalation(&served).await, "null");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_back_that_reaches_the_customer_ends_the_request_for_a_person() {
    let phone = PhoneServer::start();
    let served = quiet(&phone).await;
    phone.is_called(ANA, "no-answer");
    served.waits(ANA, "the call", |entry| entry.len() == 1).await;
    assert!(escalation(&served).await.contains("a call was missed"), "{}", escalation(&served).await);
    call(&served, ANA, json!({}), None).await;
    phone.call_is(&phone.waits_for_call(ANA), "completed", 30);
    served.waits(ANA, "ended", |entry| last(entry) == "completed").await;
    assert_eq!(escalation(&served).await, "null");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_missed_while_the_platform_calls_nobody_is_found_in_its_list() {
    let phone = PhoneServer::start();
    phone.reports_calls_to("https://switchboard.example/calls");
    let served = quiet(&phone).await;
    assert_eq!(phone.call_hook().as_deref(), Some("https://switchboard.example/calls"), "it stays");
    phone.calls_nobody(true);
    phone.is_called("+34600333444", "completed");
    phone.is_called(ANA, "canceled");
    served.waits(ANA, "the call", |entry| texts(entry) == ["Missed call"]).await;
    phone.calls_nobody(false);
    phone.says(ANA, "behind it");
    let history = served.waits(ANA, "a text", |entry| texts(entry).contains(&"behind it")).await;
    assert_eq!(texts(&history), ["Missed call", "behind it"]);
    assert_eq!(served.conversations().await.len(), 1, "a call that was taken is no line");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_leave_and_arrive_through_a_messaging_service() {
    let phone = PhoneServer::start();
    let served = quiet(&phone).await;
    let admin = dashboard(&served.options).await;
    let access = |service: &str| PhoneAccess {
        api: phone.url(),
        account: ACCOUNT.to_owned(),
        number: NUMBER.to_owned(),
        messaging_service: Some(service.to_owned()),
        token: Secret::new(TOKEN),
    };
    for (wrong, why) in [
        ("MG1", "MG and 32 hex digits"),
        ("MG00000000000000000000000000000000", "does not know this messaging service"),
    ] {
        let refused = admin.connect_phone(&access(wrong), Timestamp::default()).await.expect_err("refused");
        assert!(refused.to_string().contains(why), "{refused}");
    }
    let me = admin.connect_phone(&access(SERVICE), SystemClock.now()).await.expect("connected");
    assert_eq!(me.messaging_service.as_deref(), Some("Harbor texts"));
    let lines = admin.test_channel(Channel::Voip).await.expect("well");
    assert!(lines.iter().any(|line| line.contains("messaging service Harbor texts")), "{lines:?}");
    admin.close();
    phone.waits_until_service_followed();
    phone.says_to_service(ANA, "Where is my order?");
    served.waits(ANA, "a message", |entry| entry.len() == 1).await;
    let (status, sent) = served.send(text_to(ANA, "On its way"), None).await;
    assert_eq!((status, &sent["status"]), (200, &json!("sent")), "{sent}");
    let reached = phone.waits_for("On its way");
    assert_eq!((reached.form.get("From"), reached.form["MessagingServiceSid"].as_str()), (None, SERVICE));
    phone.reports(&reached, "delivered");
    served.waits(ANA, "delivered", |entry| last(entry) == "delivered").await;
    // Calls have a number.
    call(&served, ANA, json!({}), None).await;
    assert_eq!(phone.waits_for_call(ANA).form["From"], NUMBER);
    // A text that the platform could not report is in its list.
    phone.calls_nobody(true);
    phone.says_to_service(ANA, "Thank you");
    let history = served.waits(ANA, "a text", |entry| texts(entry).contains(&"Thank you")).await;
    assert_eq!(history.len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unsigned_hook_requests_are_refused() {
    let phone = PhoneServer::start();
    let served = quiet(&phone).await;
    let url = format!("{}/hooks/voip", served.running.base_url.trim_end_matches("/v1"));
    assert_eq!(phone.hook().as_deref(), Some(url.as_str()), "it was told where to call");
    let body = format!(
        "AccountSid={}&MessageSid=SMF&From=%2B34600111222&To=%2B15550100200&Body=forged&NumMedia=0",
        ACCOUNT
    );
    let call = |url: &str, header: &str, body: &str| {
        stand_in::call("POST", url, (SIGNATURE, header), body).expect("it listens").0
    };
    let good = signature(&url, &body);
    let elsewhere = signature(&url.replace("voip", "sms"), &body);
    for wrong in ["", "=", &good[..good.len() - 4], &elsewhere, &signature(&url, "Body=x")] {
        assert_eq!(call(&url, wrong, &body), 401, "{wrong}");
    }
    assert_eq!(call(&url, &good, &body.replace("forged", "f0rged")), 401, "the fields that were signed");
    assert_eq!(call(&format!("{url}?id=msg_1"), &good, &body), 401, "the address that was signed");
    assert!(served.conversations().await.is_empty());
    for _ in 0..2 {
        assert_eq!(call(&url, &good, &body), 200);
    }
    let other = "MessageSid=SM1&From=%2B34600111222&To=%2B15550100200&Body=of+another+account";
    assert_eq!(call(&url, &signature(&url, other), other), 200, "what is not for us is not told for ever");
    phone.says(ANA, "behind it");
    let history = served.waits(ANA, "both", |entry| entry.len() == 2).await;
    assert_eq!(texts(&history), ["forged", "behind it"], "a repeat is nothing new");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_key_reaches_nobody_and_a_disconnected_channel_says_so() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    for path in ["/voip/sms", "/voip/calls"] {
        let tried = served.call("voip test", "POST", path, Some(text_to(ANA, "try")), None).await;
        assert_eq!((tried.0, &tried.1["test"]), (200, &json!(true)), "{tried:?}");
    }
    assert_eq!(phone.asked_to_send(), 0);
    let admin = dashboard(&served.options).await;
    admin.disconnect(Channel::Voip, Timestamp::default()).await.expect("disconnected");
    admin.close();
    assert_eq!(phone.hook(), None, "it calls nobody for this number any more");
    let told = loop {
        let (status, told) = served.send(text_to(ANA, "still there?"), None).await;
        if status != 200 {
            break told;
        }
    };
    assert_eq!(told["code"], "NOT_CONFIGURED");
    let sent = phone.texts().len();
    connect_phone(&served.options, &phone).await;
    phone.waits_until_followed();
    phone.says(ANA, "again");
    served.waits(ANA, "what came then", |entry| texts(entry).last() == Some(&"again")).await;
    assert_eq!(phone.texts().len(), sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_assistant_answers_through_the_platform() {
    let phone = PhoneServer::start();
    let served = Served::phone(&phone, AssistantChoice::Scripted).await;
    phone.says(ANA, "zzz qqq");
    let history = served.waits(ANA, "an answer", |entry| entry.len() == 2).await;
    assert_eq!((&history[1]["senderType"], &history[1]["status"]), (&json!("ai"), &json!("sent")));
    assert_eq!(phone.texts()[0].text, texts(&history)[1]);
    // A code from a machine is no question.
    phone.says("HARBOR", "Your code is 1234");
    served.waits("HARBOR", "the code", |entry| entry.len() == 1).await;
    let due = "SELECT count(*) FROM due WHERE kind = 'answer'";
    assert_eq!(cluster::count(&served.options.database, due), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn number_that_the_platform_says_has_opted_out_is_written_to_after_start_alone() {
    let phone = PhoneServer::start();
    let served = channel_with_text(&phone).await;
    phone.answer(|_| Some(refusal(400, 21_610)));
    let refused = served.send(text_to(ANA, "Our offers"), None).await;
    assert_eq!((refused.0, &refused.1["code"]), (400, &json!("INVALID_RECIPIENT")), "{refused:?}");
    phone.answer(|_| None);
    let asked = phone.asked_to_send();
    let again = served.send(text_to(ANA, "Our other offers"), None).await;
    assert_eq!((again.0, &again.1["code"]), (400, &json!("INVALID_RECIPIENT")), "{again:?}");
    assert_eq!(phone.asked_to_send(), asked, "the platform is not asked again");
    phone.asks(ANA, "ALTA", "START");
    served.waits(ANA, "the word", |history| history.len() == 2).await;
    assert_eq!(served.send(text_to(ANA, "Welcome back"), None).await.1["status"], "sent");
    // STOP in another language counts, too.
    phone.asks(ANA, "ARRET", "STOP");
    served.waits(ANA, "the other word", |history| texts(history).contains(&"ARRET")).await;
    let refused = served.send(text_to(ANA, "Our offers"), None).await;
    assert_eq!(refused.1["code"], "INVALID_RECIPIENT", "{refused:?}");
    assert_eq!(phone.texts().len(), 1);
}
