//! Somebody was away: what happened meanwhile is said once and listed, never in the way.

use serde_json::json;

use crate::desk::{Desk, direct};
use crate::stories::broadcasts::go_on;

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";
const MINUTE: i64 = 60_000_000;

/// A desk with a present person who has read Maria's message.
fn seated() -> Desk {
    seated_with(|_| ())
}

fn seated_with(change: fn(&mut frontdesk::inbox::settings::Settings)) -> Desk {
    let mut desk = Desk::with(120, 40, |settings| {
        direct(settings);
        settings.absence_after = 30 * MINUTE;
        change(settings);
    });
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter><Esc>");
    desk
}

/// Lets minutes pass without a key.
fn alone(desk: &mut Desk, minutes: i64) {
    desk.wait(MINUTE);
    desk.wait((minutes - 1) * MINUTE);
}

#[test]
fn who_comes_back_is_told_that_something_happened_and_finds_it_by_urgency() {
    let mut desk = seated();
    // A planned text whose time passes while the desk cannot send.
    desk.keys("<Enter>i").types("It is ready now").keys("<Ctrl-L>").types("in 2h").keys("<Enter>");
    desk.shows("scheduled for 12:00").keys("<Esc>");
    alone(&mut desk, 90);
    desk.customer("whatsapp", JOAO, "João Pereira", "I want to talk to a human!!");
    desk.customer("telegram", "7001", "Ann Lee", "hello?");
    desk.settle();
    alone(&mut desk, 35);
    desk.settle().settle().hides("you were away");
    alone(&mut desk, 60);
    desk.settle().hides("you were away").keys("j");
    desk.shows("you were away 3h: g n shows what happened").hides("since you left");
    // Nothing is offered behind the notice.
    desk.wait(9_000_000);
    desk.hides("you were away").keys("Y").shows("no messages waiting for credits");
    desk.keys("gn").shows("Needs you · 3").shows("since you left at 10:0").shows("away 3h");
    desk.shows("needs a decision: ").shows("João Pereira").shows("Ann Lee");
    photographs!(desk, "page", Overlay);
    // Each line leads there, and the page comes back on the line that was left.
    desk.keys("jj<Enter>").shows("hello?").hides("since you left");
    desk.keys("gn").shows("since you left").keys("kk<Enter>").shows("It is ready now");
}

#[test]
fn what_was_told_is_not_told_again() {
    let mut desk = seated();
    alone(&mut desk, 60);
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá?");
    desk.settle().keys("j").shows("you were away").keys("gn").shows("waiting: Olá?").hides("waiting: Where");
    desk.keys("<Esc>");
    alone(&mut desk, 45);
    desk.settle().keys("k").hides("you were away");
    desk.keys("gn").shows("away 44m").shows("Nothing needs you").keys("<Esc>");
    // A pause that is short is none.
    alone(&mut desk, 29);
    desk.customer("whatsapp", JOAO, "João Pereira", "Alguém?");
    desk.settle().keys("j").hides("you were away");
}

#[test]
fn who_goes_on_typing_is_not_disturbed() {
    let mut desk = seated();
    desk.keys("<Enter>i").types("Just a mom");
    alone(&mut desk, 60);
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá?");
    desk.settle().types("ent, please").shows("Just a moment, please").hides("since you left");
    desk.shows("you were away 59m: g n shows what happened");
    desk.keys("<Esc>gn").shows("since you left").shows("waiting: Olá?");
}

#[test]
fn a_desk_that_is_opened_after_an_absence_tells_what_it_reads_then() {
    let mut desk = seated();
    desk.keys("gn").shows("Nothing needs you").hides("since you left").keys("<Esc>");
    alone(&mut desk, 600);
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá?");
    let mut desk = desk.crash_and_reopen();
    // Nothing is known yet; then it comes from the server.
    desk.hides("you were away").settle().shows("you were away 9h");
    desk.keys("gn").shows("waiting: Olá?");
    // It is told once, in whatever window.
    let mut desk = desk.crash_and_reopen();
    desk.settle().hides("you were away").keys("gn").shows("waiting: Olá?");
}

#[test]
fn who_answers_while_somebody_else_is_away_leaves_less_to_tell() {
    let mut desk = seated();
    alone(&mut desk, 60);
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá?");
    desk.settle().colleague("whatsapp", JOAO, "Bom dia!");
    desk.settle().keys("j").hides("you were away").keys("gn").hides("waiting: ");
}

#[test]
fn nobody_is_away_where_it_is_switched_off() {
    let mut desk = seated_with(|entry| entry.absence_after = 0);
    alone(&mut desk, 600);
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá?");
    desk.settle().keys("j").hides("you were away").keys("gn").hides("since you left");
}

#[test]
fn whom_the_ai_fails_is_told_though_nobody_waits() {
    let mut desk = Desk::demo(120, 40);
    desk.app.context.settings.absence_after = 30 * MINUTE;
    desk.settle().keys("j");
    alone(&mut desk, 60);
    for _ in 0..3 {
        desk.customer(
            "whatsapp",
            "+34600999888",
            "Nora Vidal",
            "This is ridiculous!! Where is my order 1041?",
        );
        desk.pass(20);
    }
    desk.settle().settle().keys("k").keys("gn").shows("asked for a person");
}

#[test]
fn what_did_not_arrive_and_broadcasts_that_stopped_are_told() {
    let mut desk = seated();
    // The number's ending makes the platform report a failed delivery.
    desk.customer("whatsapp", "+34600110009", "Nora Vidal", "Is it ready?");
    desk.settle().keys("gg").keys("f").types("nora").keys("<Enter>").settle().keys("<Enter>i");
    desk.types("It is ready now").keys("<Enter>").settle().keys("<Esc><Esc>");
    // A failed recipient comes first: the broadcast pauses itself.
    for (phone, name) in [("+34100000001", "Ann Brown"), (MARIA, "Maria Lopez")] {
        desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": phone, "name": name}));
    }
    desk.keys("gp").settle().shows("Ann Brown");
    desk.keys("ggVab").types("We open at 9.").keys("<Tab><Ctrl-U>").types("1").keys("<Ctrl-X>");
    desk.shows("Review broadcast").keys("y").shows("HELD 15s").keys("gi");
    alone(&mut desk, 60);
    go_on(&mut desk, 120);
    desk.keys("j").shows("you were away").keys("gn");
    desk.shows("broadcast paused: ").shows("Nora Vidal").shows("not delivered: It is ready now");
    // Once more away: neither is announced again; the broadcast is listed until somebody decides.
    desk.keys("<Esc>");
    alone(&mut desk, 60);
    desk.settle().keys("k").hides("you were away");
    desk.keys("gn").hides("was not delivered").shows("broadcast paused: ");
}
