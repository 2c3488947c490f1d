//! From a customer's first message on the platform to a person's answer, with the inbox on screen.

use std::time::Duration;

use frontdesk::inbox::plain::pages::place_lines;
use frontdesk::model::conversations::Automation;
use frontdesk::service::AssistantChoice;
use serde_json::json;

use super::Served;
use super::bot_server::BotServer;
use super::number_server::NumberServer;
use super::phone_server::PhoneServer;
use super::stand_in::Wrong;
use crate::desk::Desk;
use crate::regions::Region;
use crate::waiting::until;

const ANA: i64 = 77;
/// Time between two readings by a desk, whose own clock runs ahead: the service limits the calls of a key by the
/// real time.
const BETWEEN_READINGS: Duration = Duration::from_millis(500);

pub fn shows(desk: &mut Desk, text: &str) {
    until(text, || {
        desk.settle().wait(1_000_000);
        let picture = desk.picture();
        if picture.contains(text) {
            return Ok(());
        }
        std::thread::sleep(BETWEEN_READINGS);
        Err(picture)
    });
}

/// Waits until the desk knows that the open customer takes messages.
pub fn takes_messages(desk: &mut Desk) {
    until("the return", || {
        desk.settle().wait(1_000_000);
        match desk.app.desk.current_conversation() {
            Some(row) if row.conversation.takes_no_messages.is_none() => Ok(()),
            row => Err(format!("{row:?}")),
        }
    });
}

#[test]
fn a_customer_the_assistant_and_a_person_on_a_real_platform() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let bot = BotServer::start();
    let served = runtime.block_on(Served::with(&bot, false, AssistantChoice::Scripted));
    let key = served.keys["telegram live"].clone();
    let mut desk = Desk::with_tab("Harbor bot", &served.running.base_url, &key);
    desk.resize((120, 40));

    bot.says(ANA, "zzz qqq");
    shows(&mut desk, "Ana 77");
    desk.keys("<Enter>");
    shows(&mut desk, "zzz qqq");
    let answer = bot.waits_for("").text;
    let words: String = answer.chars().take(24).collect();
    shows(&mut desk, &words);

    // The customer asks for a person, and the AI escalates.
    bot.says(ANA, "I want a human please");
    shows(&mut desk, "asked for a person");
    desk.keys("p");
    shows(&mut desk, "AI paused");
    desk.keys("r").types("Ana here, a person.").keys("<Enter><Ctrl-X>");
    shows(&mut desk, "Ana here, a person.");
    let reached = bot.waits_for("Ana here, a person.");
    assert_eq!(reached.chat, ANA.to_string());
    shows(&mut desk, "sent");
    assert_eq!(bot.reached().iter().filter(|reached| reached.text.contains("Ana here")).count(), 1);

    bot.plan(|method| (method == "sendMessage").then_some(Wrong::CutAfter));
    desk.types("Did this arrive?").keys("<Enter>").keys("<Enter>");
    shows(&mut desk, "unknown");
    bot.nothing_goes_wrong();
    desk.wait(60_000_000);
    desk.settle();
    assert_eq!(bot.reached().iter().filter(|reached| reached.text == "Did this arrive?").count(), 1);
}

fn reaches<T>(desk: &mut Desk, text: &str, find: impl Fn() -> Option<T>) -> T {
    until(text, || {
        desk.settle().wait(1_000_000);
        find().ok_or_else(|| desk.picture())
    })
}

#[test]
fn a_customer_the_assistant_and_a_person_on_a_real_number() {
    const MARIA: &str = "+34600111222";
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let number = NumberServer::start();
    let served = runtime.block_on(Served::number(&number, AssistantChoice::Scripted));
    let key = served.keys["whatsapp live"].clone();
    let mut desk = Desk::with_tab("Harbor chat", &served.running.base_url, &key);
    desk.resize((120, 40));

    number.says(MARIA, "zzz qqq");
    shows(&mut desk, "Ana 34600111222");
    desk.keys("<Enter>");
    shows(&mut desk, "zzz qqq");
    let answer = number.waits_for("").text;
    let words: String = answer.chars().take(24).collect();
    shows(&mut desk, &words);

    number.says(MARIA, "I want a human please");
    shows(&mut desk, "asked for a person");
    desk.keys("r").types("Ana here, a person.").keys("<Enter>").shows("pause the AI and send").keys("y");
    let found = || number.reached().into_iter().find(|reached| reached.text == "Ana here, a person.");
    let reached = reaches(&mut desk, "the person's answer", found);
    number.reports(&reached, "read");
    shows(&mut desk, "you have it");
    shows(&mut desk, "read");
    number.says(MARIA, "thank you");
    shows(&mut desk, "thank you");
    assert_eq!(number.reached().len(), 2, "the assistant is silent");

    // The outcome is unknown until the platform reports it.
    number.plan(|method| (method == "messages").then_some(Wrong::CutAfter));
    desk.types("Did this arrive?").keys("<Enter>");
    let found = || number.reached().into_iter().find(|reached| reached.text == "Did this arrive?");
    let reached = reaches(&mut desk, "what was cut off", found);
    shows(&mut desk, "unknown");
    number.nothing_goes_wrong();
    number.reports(&reached, "delivered");
    shows(&mut desk, "delivered");
    assert_eq!(number.reached().iter().filter(|reached| reached.text == "Did this arrive?").count(), 1);
}

#[test]
fn a_template_with_named_variables_is_filled_on_screen_and_sent_by_name() {
    const MARIA: &str = "+34600111222";
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let number = NumberServer::start();
    number.set_templates(&[json!({
        "name": "bicycle_ready", "language": "en_US", "category": "UTILITY", "status": "APPROVED",
        "parameter_format": "NAMED", "components": [
            {"type": "HEADER", "format": "TEXT", "text": "Order {{order_id}}"},
            {"type": "BODY", "text": "Hi {{first_name}}, order {{order_id}} is ready. See you soon, {{first_name}}!"},
            {"type": "FOOTER", "text": "Harbor Bicycles"},
        ],
    })]);
    let served = runtime.block_on(Served::number(&number, AssistantChoice::Off));
    let key = served.keys["whatsapp live"].clone();
    let mut desk = Desk::with_tab("Harbor chat", &served.running.base_url, &key);
    desk.resize((120, 40));
    number.says(MARIA, "Is my bicycle ready?");
    shows(&mut desk, "Ana 34600111222");
    desk.keys("<Enter>");
    shows(&mut desk, "Is my bicycle ready?");

    // Variables are requested by name, each once per part.
    desk.keys("T");
    shows(&mut desk, "bicycle_ready");
    desk.keys("<Enter>").shows("Template bicycle_ready · en_US · utility");
    desk.shows("header {{order_id}}").shows("body {{first_name}} Ana").shows("body {{order_id}}");
    desk.shows("Hi Ana, order {{order_id}} is ready. See you soon, Ana!").shows("2 fields are empty");
    desk.types("1041").shows("Order 1041").shows("1 field is empty").keys("<Tab><Tab>");
    desk.types("1041").shows("Hi Ana, order 1041 is ready. See you soon, Ana!").keys("<Enter>");
    desk.shows("pause the AI and send").keys("y");
    let found = || number.reached().into_iter().find(|reached| reached.text == "bicycle_ready");
    let reached = reaches(&mut desk, "the template", found);
    let named = |name: &str, text: &str| json!({"type": "text", "parameter_name": name, "text": text});
    assert_eq!(
        reached.body["template"]["components"],
        json!([
            {"type": "header", "parameters": [named("order_id", "1041")]},
            {"type": "body", "parameters": [named("first_name", "Ana"), named("order_id", "1041")]},
        ])
    );
    shows(&mut desk, "Hi Ana, order 1041 is ready. See you soon, Ana!");
    number.reports(&reached, "read");
    shows(&mut desk, "read");
    assert_eq!(number.reached().len(), 1);

    // Numbered variables are refused, and nothing is sent.
    let by_number = json!({"to": MARIA, "type": "template", "template": {"name": "bicycle_ready",
    "language": {"code": "en_US"}, "components": [
        {"type": "header", "parameters": [{"type": "text", "text": "1041"}]},
        {"type": "body", "parameters": [{"type": "text", "text": "Ana"}, {"type": "text", "text": "1041"}]},
    ]}});
    let (status, told) = runtime.block_on(served.send(by_number, None));
    assert_eq!((status, &told["code"]), (400, &json!("TEMPLATE_ERROR")), "{told}");
    assert!(told.to_string().contains("order_id, each once with its parameter_name"), "{told}");
    assert_eq!(number.reached().len(), 1);
}

#[test]
fn a_customer_the_assistant_and_a_person_on_a_real_phone() {
    const MARIA: &str = "+34600111222";
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let phone = PhoneServer::start();
    let served = runtime.block_on(Served::phone(&phone, AssistantChoice::Scripted));
    let key = served.keys["voip live"].clone();
    let mut desk = Desk::with_tab("Harbor phone", &served.running.base_url, &key);
    desk.resize((120, 40));

    phone.says(MARIA, "zzz qqq");
    shows(&mut desk, MARIA);
    let answer = phone.waits_for("").text;
    let words: String = answer.chars().take(24).collect();
    shows(&mut desk, &words);

    // The customer asks for a person; the price is on the key.
    phone.says(MARIA, "I want a human please");
    shows(&mut desk, "asked for a person");
    desk.keys("<Enter>i").types("Ana here, a person.").shows("1 SMS").keys("<Enter><Ctrl-X>");
    let found = || phone.texts().into_iter().find(|text| text.text == "Ana here, a person.");
    let reached = reaches(&mut desk, "the person's answer", found);
    assert_eq!(reached.to, MARIA);
    shows(&mut desk, "Ana here, a person.");
    assert_eq!(phone.texts().iter().filter(|text| text.text == "Ana here, a person.").count(), 1);

    // After STOP the desk says why nothing can be sent, and sends nothing.
    phone.says(MARIA, "STOP");
    shows(&mut desk, "wrote STOP: a text would not arrive");
    let asked = phone.asked_to_send();
    desk.types("One more thing").keys("<Enter>").shows("the draft is kept");
    phone.says(MARIA, "START");
    takes_messages(&mut desk);
    assert_eq!(phone.asked_to_send(), asked, "nothing was tried");
    desk.keys("<Enter><Ctrl-X>");
    let found = || phone.texts().into_iter().find(|text| text.text == "One more thing");
    reaches(&mut desk, "the draft", found);
}

/// Somebody of the business answers with the app of the platform.
#[test]
fn answer_from_the_phone_of_the_business_says_so_at_the_desk() {
    const MARIA: &str = "+34600111222";
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let number = NumberServer::start();
    let served = runtime.block_on(Served::number(&number, AssistantChoice::Off));
    let key = served.keys["whatsapp live"].clone();
    let mut desk = Desk::with_tab("Harbor chat", &served.running.base_url, &key);
    desk.resize((200, 50));
    number.says(MARIA, "Is my bicycle ready?");
    shows(&mut desk, "Ana 34600111222");
    desk.keys("<Enter>");
    shows(&mut desk, "Is my bicycle ready?");
    until("the state of the AI", || {
        desk.settle().wait(1_000_000);
        let row = desk.app.desk.current_conversation();
        let is_on = row.is_some_and(|row| row.conversation.automation == Automation::On);
        is_on.then_some(()).ok_or_else(|| desk.picture())
    });
    number.echoes(MARIA, "It is, from my phone");
    shows(&mut desk, "AI paused on the phone");
    shows(&mut desk, "It is, from my phone");
    let history = desk.photograph(&[Region::History]);
    let line = history.lines().find(|line| line.contains("It is, from my phone")).expect("a line");
    assert!(line.contains("Phone "), "{history}");
    let spoken = place_lines(&desk.app).join("\n");
    assert!(spoken.contains("AI off, paused on the phone"), "{spoken}");
    shows(&mut desk, "somebody on the phone took over");
    desk.keys("=").shows("a person of your side, on the phone");
}
