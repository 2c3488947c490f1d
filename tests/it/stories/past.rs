//! The time machine: list and history as they were, only to be read.

use frontdesk::model::proposals::ProposedChange;

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";

/// At 10:00 Maria writes and is taken over, at 10:20 she is answered and the
/// conversation closed, at 10:40 João writes. It is 11:00.
fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().settle();
    desk.pass(300).settle();
    desk.keys("gg").keys("p").settle();
    desk.pass(900).settle();
    desk.colleague("whatsapp", MARIA, "It left this morning.");
    desk.pass(30).settle();
    desk.keys("gg").keys("e").settle();
    desk.wait(10_000_000);
    desk.settle().settle();
    desk.pass(1_200).settle();
    desk.customer("whatsapp", JOAO, "João Pereira", "Is the shop open?");
    desk.pass(1_170).settle().settle();
    desk
}

#[test]
fn list_and_history_are_shown_as_they_were() {
    let mut desk = desk(120, 40);
    desk.shows("João Pereira").hides("Where is my order 1041?");
    desk.keys(":at 10:10<Enter>").settle().shows("PAST").shows("10:10").shows("THE PAST");
    desk.shows("Maria Lopez").shows("waits 10m").shows("OFF you 4m").hides("João Pereira");
    desk.keys("<Enter>").settle().shows("Where is my order 1041?").hides("It left this morning.");
    photographs!(desk, "ten_past_ten", List, History, Composer, Status);
    // Five minutes on, up to when it was answered; then an hour back and on.
    desk.keys(")").settle().shows("10:15").hides("It left this morning.");
    desk.keys("))").settle().shows("10:25").shows("It left this morning.");
    desk.keys("{").settle().shows("09:25").keys("}").settle().shows("10:25");
    desk.keys("<Esc>").settle().shows("back in the present").hides("THE PAST").shows("João Pereira");
}

#[test]
fn nothing_can_be_changed_and_each_key_says_why() {
    let mut desk = desk(120, 40);
    desk.keys("(").settle().shows("PAST");
    for key in ["r", "p", "e", "s", "@", "#", ";", "u", "b", "z", "go"] {
        desk.keys(key).settle().shows("this is the past");
    }
    desk.keys(":import people.csv<Enter>").settle().shows("this is the past");
    assert_eq!(desk.outbound().len(), 1, "only what the colleague said");
    desk.keys(":at now<Enter>").settle().shows("back in the present").keys("r").shows("Reply");
}

#[test]
fn what_is_proposed_now_is_not_in_the_title_of_the_past() {
    let mut desk = Desk::new(120, 40);
    let maria = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().settle();
    desk.pass(1_800).settle();
    desk.propose("whatsapp", &maria, ProposedChange::Pause);
    desk.settle().keys("gg<Enter>").settle().shows("proposal, g A");
    desk.keys(":at 10:10<Enter>")
        .settle()
        .shows("THE PAST")
        .shows("Where is my order")
        .hides("proposal, g A");
    desk.keys("<Esc>").settle().hides("THE PAST").shows("proposal, g A");
}

#[test]
fn times_are_those_of_the_desks_zone_and_what_is_no_time_is_said() {
    let mut desk = Desk::in_zone(120, 40, "Asia/Tokyo", "2026-11-20T10:00:00");
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().settle();
    desk.pass(3_600).settle();
    desk.keys(":at 10:30<Enter>").settle().shows("Fri 20 Nov 10:30").shows("waits 30m");
    desk.keys(":at yesterday 14:05<Enter>").settle().shows("Thu 19 Nov 14:05").hides("Maria Lopez");
    desk.keys(":at 2026-11-20 10:05<Enter>").settle().shows("Fri 20 Nov 10:05").shows("Maria Lopez");
    desk.keys(":at today 23:00<Enter>").shows("still to come");
    desk.keys(":at soon<Enter>").shows("is no time");
    desk.keys(":at<Enter>").shows("Not recorded, and so not shown").shows("Recorded since");
    desk.keys("<Esc><Esc>").settle().shows("back in the present");
}

#[test]
fn the_past_on_a_small_screen_and_in_words() {
    let mut desk = desk(80, 24);
    desk.keys(":at 10:10<Enter>").settle().shows("PAST").shows("Maria Lopez");
    photographs!(desk, "small", List, Status);
    desk.keys("<Enter>").settle().shows("Where is my order 1041?").shows("THE PAST");
    // A refusal fits beside the time, and no line of the explanation is cut.
    desk.keys("r").shows("reply: this is the past; Esc returns");
    desk.keys(":at<Enter>")
        .settle()
        .shows("as they were then, on")
        .shows("as this desk knew them.")
        .keys("<Esc>");
    desk.says("at now");
    desk.settle().hides("THE PAST");
}
