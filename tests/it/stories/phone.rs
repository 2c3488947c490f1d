//! The phone tab: list, SMS to a row and to a typed number, a call with a question, and refusals.

use frontdesk::inbox::plain::PlainOutput;
use frontdesk::inbox::plain::pages::place_lines;
use frontdesk::model::time::Zone;
use serde_json::json;

use crate::desk::Desk;
use crate::regions::Region;

fn phone(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    desk.settle();
    desk.keys("4").settle();
    desk
}

#[test]
fn calls_and_texts_are_listed_and_a_row_is_answered() {
    let mut desk = phone(120, 40);
    desk.shows("Peter Ashdown").shows("call ·").shows("SMS ·");
    photographs!(desk, "calls_and_texts_are_listed_and_a_row_is_answered");
    desk.keys("=").shows("\"customerPhone\"").keys("<Esc>");
    let before = desk.outbound().len();
    desk.keys("<Enter>i").types("Your bike is ready 🚲").shows("1 SMS").shows("price unknown");
    desk.keys("<Enter>").shows("z undo").keys("<Esc>z").shows("undone: back in the composer");
    desk.shows("Your bike is ready");
    desk.keys("<Enter>").pass(6).settle().shows("Your bike is ready");
    photographs!(desk, "an_sms_has_left", History);
    // Colleagues of the demo write, too.
    let sent = desk.outbound().split_off(before);
    let sent: Vec<_> = sent.iter().filter(|sent| sent["content"] == "Your bike is ready 🚲").collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0]["to"], "+447700900633");
}

#[test]
fn an_sms_goes_to_a_number_that_is_typed() {
    let mut desk = phone(80, 24);
    desk.keys("<Ctrl-N>").types("0600 111 999").keys("<Enter>").shows("a number needs +");
    photographs!(desk, "an_sms_goes_to_a_number_that_is_typed", Overlay);
    desk.keys("<Ctrl-U>").types("+34 600 111 999").keys("<Enter>");
    desk.types(&"a".repeat(161)).shows("161/1600 · 2 SMS");
    desk.keys("<Enter>").pass(6).settle();
    assert_eq!(desk.outbound().last().map(|value| value["to"].clone()), Some("+34600111999".into()));
    desk.shows("+34600111999");
}

#[test]
fn a_call_asks_first_and_warns_at_night() {
    // Daytime in London, too.
    let mut desk = Desk::demo_in(80, 24, Zone::UTC);
    desk.settle().keys("4").settle();
    desk.keys("C").types("His \"repair\" is ready").keys("<Enter>");
    desk.shows("An AI voice will CALL +447700900633")
        .shows("Local time there is about 10:00")
        .hides("OUTSIDE");
    desk.shows("The price per minute is not published");
    desk.keys("n").shows("Tell the AI").keys("<Esc>").shows("C reopens the form");
    desk.keys("C").shows("His \"repair\" is ready");
    desk.pass(13 * 3600).keys("<Enter>").shows("OUTSIDE 08–20");
    photographs!(desk, "a_call_asks_first_and_warns_at_night", Overlay);
    let before = desk.outbound().len();
    desk.keys("y").shows("z undo").keys("z").shows("undone");
    assert_eq!(desk.outbound().len(), before, "nothing rang");
    desk.keys("C").types("Ready").keys("<Enter>y").pass(6).settle().shows("queued");
    photographs!(desk, "a_call_was_placed", History, Status);
}

#[test]
fn the_phone_says_what_it_cannot_do() {
    let mut desk = phone(80, 24);
    desk.keys("p").shows("cannot be paused").keys("<Esc>");
    desk.keys("<Enter>+").shows("SMS has no reactions");
    desk.keys("1C").shows("call: only available on a phone channel");
}

#[test]
fn what_cannot_be_paid_is_kept_and_said() {
    let mut desk = phone(80, 24);
    desk.dev("credits", json!({"balance": 0}));
    let before = desk.outbound().len();
    desk.settle().keys("<Enter>i").types("Your bike is ready").keys("<Enter>").pass(6);
    desk.settle().shows("Your bike is ready").shows("credits");
    photographs!(desk, "what_cannot_be_paid_is_kept_and_said", History, Status);
    let sent = desk.outbound().split_off(before);
    assert!(sent.iter().all(|sent| sent["content"] != "Your bike is ready"), "nothing left: {sent:?}");
}

#[test]
fn a_key_that_may_not_text_or_list_says_so() {
    let mut desk = phone(80, 24);
    let fault = json!({"path_prefix": "/voip/sms", "count": 1, "status": 403, "code": "FORBIDDEN"});
    desk.dev("fault", fault);
    desk.keys("<Enter>i").types("Your bike is ready").keys("<Enter>").pass(6);
    desk.settle().shows("Your bike is ready").shows("FORBIDDEN");
    photographs!(desk, "a_key_that_may_not_text_says_so", History, Status);
    let fault = json!({"path_prefix": "/voip/conversations", "count": 9, "status": 403, "code": "FORBIDDEN"});
    desk.dev("fault", fault);
    desk.wait(60_000_000);
    desk.settle().keys("<Esc><Esc>").shows("NOT FOR THIS KEY").shows("Peter Ashdown");
    photographs!(desk, "a_key_that_may_not_list_calls_says_so", List, Status);
}

#[test]
fn a_read_only_phone_changes_nothing_and_says_why() {
    let mut desk = phone(80, 24);
    desk.app.desk.tabs[3].channel.read_only = true;
    for keys in ["i", "C", "<Ctrl-N>", "r", "c"] {
        desk.keys(keys).shows("Harbor phone is read-only: nothing can be changed here").keys("<Esc>");
        desk.wait(10_000_000);
        desk.hides("nothing can be changed here");
    }
    desk.keys("C");
}

#[test]
fn what_is_answered_is_read_in_the_history() {
    let mut desk = phone(120, 40);
    desk.keys("gg<Enter>").settle();
    desk.shows("Earlier calls and texts may be missing").hides("Only messages sent");
    let row = desk.app.desk.current_conversation().expect("a row");
    let preview = row.conversation.preview.as_str();
    let said: String = preview.split_once(" · ").map_or(preview, |(_, text)| text).chars().take(20).collect();
    let history = desk.photograph(&[crate::regions::Region::History]);
    assert!(!said.is_empty() && history.contains(&said), "{said:?}:\n{history}");
}

#[test]
fn a_phone_conversation_shows_calls_and_texts_both_ways() {
    let mut desk = phone(120, 40);
    let number = "+447700900633";
    desk.customer("voip", number, "Peter Ashdown", "Is my bike ready?");
    desk.pass(11).settle().keys(&format!(":open {number}<Enter>")).settle().shows("Is my bike ready?");
    desk.keys("i").types("Yes, since noon").keys("<Enter>").pass(6).settle();
    desk.customer("voip", number, "Peter Ashdown", "Great, I come at five");
    desk.pass(11).settle();
    let history = desk.photograph(&[Region::History]);
    let texts = ["Is my bike ready?", "Yes, since noon", "Great, I come at five"];
    let places: Vec<Option<usize>> = texts.iter().map(|text| history.find(text)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}:\n{history}");
    for text in texts {
        assert_eq!(history.matches(text).count(), 1, "{text}:\n{history}");
    }
    assert!(!history.contains("Only messages sent from this desk"), "{history}");
    photographs!(desk, "calls_and_texts_both_ways", History);
    // A call that was placed tells its length once it has ended.
    desk.keys("<Esc>C").types("Ready").keys("<Enter>y").pass(6).settle();
    desk.pass(120).settle();
    desk.shows("Outgoing call");
}

#[test]
fn a_number_of_which_nothing_is_told_shows_what_this_desk_sends() {
    let mut desk = phone(80, 24);
    desk.keys("<Ctrl-N>").types("+34 600 111 999").keys("<Enter>");
    desk.shows("Only messages sent from this desk are shown");
}

#[test]
fn text_to_a_customer_who_wrote_stop_is_refused_before_enter() {
    let mut desk = phone(120, 40);
    let number = "+447700900633";
    desk.customer("voip", number, "Peter Ashdown", "STOP");
    desk.pass(11).settle().keys(&format!(":open {number}<Enter>")).settle();
    desk.shows("Peter Ashdown wrote STOP: a text would not arrive").keys("i");
    let spoken = PlainOutput::default().collect_new_lines(&desk.app).join("\n");
    let before_the_text = "wrote STOP: a text would not arrive\nWrite to Peter Ashdown";
    assert!(spoken.contains(before_the_text), "{spoken}");
    desk.types("Your bike is ready").keys("<Enter>").shows("the draft is kept");
    desk.pass(6).settle();
    let is_sent = |desk: &Desk| desk.outbound().iter().any(|sent| sent["content"] == "Your bike is ready");
    assert!(!is_sent(&desk));
    desk.customer("voip", number, "Peter Ashdown", "START");
    desk.pass(11).settle();
    let row = desk.app.desk.current_conversation().expect("a row");
    assert_eq!(row.conversation.takes_no_messages, None);
    desk.keys("<Enter>").pass(6).settle();
    assert!(is_sent(&desk));
}

#[test]
fn card_and_plain_mode_name_who_paused_the_ai_of_a_phone_conversation() {
    let mut desk = phone(160, 40);
    let number = "+447700900633";
    let (_, zoe) = desk.sign_in("Zoe Quick");
    desk.customer("voip", number, "Peter Ashdown", "Is my bike ready?");
    desk.person_texts(&zoe, number, "On my way");
    desk.pass(11).settle().keys(&format!(":open {number}<Enter>")).settle();
    let card = desk.photograph(&[Region::Card]);
    assert!(card.contains("AI paused by Zoe"), "{card}");
    let spoken = place_lines(&desk.app).join("\n");
    assert!(spoken.contains("AI off, paused by Zoe Quick"), "{spoken}");
}
