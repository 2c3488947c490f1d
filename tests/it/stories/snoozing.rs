//! Snoozing: until a time, until a reply, and one bell on return.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";
const MINUTE: i64 = 60_000_000;

fn desk() -> Desk {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "I will be back tomorrow");
    desk.customer("whatsapp", JOAO, "João Pereira", "Is the shop open?");
    desk.settle();
    desk
}

#[test]
fn a_menu_says_until_when() {
    let mut desk = desk();
    desk.keys("js")
        .shows("Later: Maria Lopez")
        .shows("[t] until tomorrow 09:00")
        .shows("Monday 23 Nov 09:00");
    photographs!(desk, "menu", Overlay);
    desk.keys("t").hides("Maria Lopez").shows("later: until tomorrow 09:00 · z undo").shows("1 snoozed");
    desk.run_command("go-to-snoozed")
        .shows("Inbox · later")
        .shows("Maria Lopez")
        .shows("until tomorrow 09:00");
    photographs!(desk, "snoozed", List, Status);
    desk.keys("z").shows("undone: snoozed · Maria Lopez").shows("Nothing is snoozed");
    desk.keys("v2").shows("Inbox · open").shows("Maria Lopez");
}

#[test]
fn another_time_is_typed_and_understood_while_it_is_typed() {
    let mut desk = desk();
    desk.keys("jsc")
        .shows("2h, 45m")
        .types("fri 9")
        .shows("not a time yet")
        .keys("<Enter>")
        .shows("not a time yet");
    desk.types(":30").shows("comes back Fri 27 Nov 09:30");
    photographs!(desk, "custom", Overlay);
    desk.keys("<Esc>").shows("[r] until the customer writes").keys("<Esc>").shows("Maria Lopez");
    desk.keys("sc").types("90m").keys("<Enter>").shows("later: until 11:30").hides("Maria Lopez");
}

#[test]
fn it_comes_back_at_its_time_with_one_bell_also_after_a_crash() {
    let mut desk = desk();
    desk.keys("jsh").hides("Maria Lopez");
    let mut desk = desk.crash_and_reopen();
    desk.settle().hides("Maria Lopez").shows("1 snoozed");
    let bells = desk.bells;
    desk.wait(59 * MINUTE);
    desk.settle().hides("Maria Lopez");
    desk.wait(MINUTE);
    desk.shows("back from later").shows("[back] I will be back");
    photographs!(desk, "back", List, Status);
    desk.wait(MINUTE);
    desk.settle();
    assert_eq!(desk.bells, bells + 1);
    desk.keys("j<Enter>").settle().keys("<Esc>").hides("[back]").shows("Maria Lopez");
}

#[test]
fn a_message_of_the_customer_brings_it_back() {
    let mut desk = desk();
    desk.keys("jsr").shows("later: until a reply").hides("Maria Lopez");
    desk.wait(500 * MINUTE);
    desk.settle().hides("Maria Lopez");
    let bells = desk.bells;
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Here I am");
    desk.settle().shows("Maria Lopez").shows("[back] Here I am").hides("1 snoozed");
    assert_eq!(desk.bells, bells + 1);
}

#[test]
fn x_wakes_it_and_closed_ones_are_not_put_aside() {
    let mut desk = desk();
    desk.keys("jst").run_command("go-to-snoozed");
    desk.wait(1_000_000);
    desk.keys("sx").shows("woke").shows("Nothing is snoozed");
    desk.keys("v2").keys("jdd");
    desk.wait(5_000_000);
    desk.settle().keys("<Esc>v4").shows("closed");
    desk.wait(1_000_000);
    desk.keys("st").shows("snooze: already closed");
}

#[test]
fn what_stays_away_is_brought_back_by_its_time_only_and_rings_no_bell() {
    let mut desk = desk();
    desk.keys("jsk").shows("if the customer writes: NO");
    photographs!(desk, "stays", Overlay);
    desk.keys("h").hides("Maria Lopez").shows("later: until 11:00; replies do not wake it");
    let bells = desk.bells;
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    desk.wait(MINUTE);
    desk.settle().hides("Maria Lopez").shows("1 snoozed");
    assert_eq!(desk.bells, bells, "no bell for what stays away");
    desk.run_command("go-to-snoozed").shows("until 11:00; replies do not wake it").keys("v2");
    desk.wait(60 * MINUTE);
    desk.settle().shows("[back] Hello?");
    assert_eq!(desk.bells, bells + 1);
}

#[test]
fn the_same_time_is_offered_again_once_it_is_back() {
    let mut desk = desk();
    desk.keys("jst").hides("Maria Lopez").keys("s").hides("the same again").keys("<Esc>");
    // A reply before the time leaves the snooze running.
    desk.customer("whatsapp", MARIA, "Maria Lopez", "One more thing");
    desk.wait(MINUTE);
    desk.settle().keys("gg").shows("[back] One more thing").keys("<Enter>").settle();
    desk.keys("<Esc>s").shows("[s] same as last time, until tomorrow 09:00");
    photographs!(desk, "again", Overlay);
    desk.keys("s").hides("Maria Lopez").shows("later: until tomorrow 09:00");
    desk.wait(24 * 60 * MINUTE);
    desk.settle().keys("gg").shows("[back]").keys("s").shows("[s] same as last time, until tomorrow 09:00");
}

#[test]
fn a_note_is_shown_when_it_comes_back() {
    let mut desk = desk();
    desk.keys("jsn").types("call at 5").keys("<Enter>").shows("[n] note: call at 5");
    photographs!(desk, "note", Overlay);
    desk.keys("h").shows("later: until 11:00: call at 5 · z undo").hides("Maria Lopez");
    let mut desk = desk.crash_and_reopen();
    desk.settle();
    desk.wait(60 * MINUTE);
    desk.settle().shows("[back] call at 5");
    desk.keys(":open maria<Enter>").settle().shows("your note: call at 5");
}
