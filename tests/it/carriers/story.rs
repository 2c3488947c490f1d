//! From a customer's first word on the platform to a person's answer, with the
//! inbox on screen.

use frontdesk::service::AssistantChoice;

use super::Served;
use super::bot_server::BotServer;
use super::stand_in::Wrong;
use crate::desk::Desk;
use crate::waiting::until;

const ANA: i64 = 77;
/// Lets the desk read until it shows something.
pub fn shows(desk: &mut Desk, text: &str) {
    until(text, || {
        desk.settle().wait(1_000_000);
        let picture = desk.picture();
        if picture.contains(text) { Ok(()) } else { Err(picture) }
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

    // The customer asks for a person, and the assistant steps aside.
    bot.says(ANA, "I want a human please");
    shows(&mut desk, "AI failing");
    desk.keys("r").types("Ana here, a person.").keys("<Enter>").keys("<Enter>");
    shows(&mut desk, "Ana here, a person.");
    let reached = bot.waits_for("Ana here, a person.");
    assert_eq!(reached.chat, ANA.to_string());
    shows(&mut desk, "sent");
    assert_eq!(bot.reached().iter().filter(|it| it.text.contains("Ana here")).count(), 1);

    // What nobody can know is shown as that, and not sent again.
    bot.plan(|method| (method == "sendMessage").then_some(Wrong::CutAfter));
    desk.types("Did this arrive?").keys("<Enter>").keys("<Enter>");
    shows(&mut desk, "unknown");
    bot.nothing_goes_wrong();
    desk.wait(60_000_000);
    desk.settle();
    assert_eq!(bot.reached().iter().filter(|it| it.text == "Did this arrive?").count(), 1);
}
