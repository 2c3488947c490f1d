//! Reading: files opened after a question, quotes, details, the same person in another tab.

use frontdesk::model::time::Zone;

use crate::desk::{Desk, zone};

const MARIA: &str = "+34600111222";

#[test]
fn a_link_opens_outside_only_after_its_host_was_shown() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Look: https://bank.example@evil.example/x?y=1 please");
    desk.settle().keys("<Enter>o").shows("Link to evil.example");
    photographs!(desk, "a_link_opens_outside_only_after_its_host_was_shown", Overlay);
    desk.keys("<Enter>").shows("Link to").keys("n");
    assert!(desk.opened.is_empty(), "neither Enter nor n opens");
    desk.keys("oy");
    assert_eq!(desk.opened, ["https://bank.example@evil.example/x?y=1"]);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "no link, but file:///etc/passwd");
    desk.settle().keys("o").shows("no file or link in this message");
}

#[test]
fn enter_goes_to_what_a_message_quotes() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Is 1041 ready?");
    desk.settle().keys("<Enter>p").settle().keys("kr").types("Yes, it is").keys("<Enter>").pass(6).settle();
    desk.keys("<Esc>k<Enter>").keys("ym").shows("copied the text");
    assert_eq!(desk.copied, ["Is 1041 ready?"]);
    desk.keys("<Enter>").shows("no quoted message");
    desk.keys("Gk=").shows("who").shows("this desk").shows("\"replyTo\"");
    // The service derives its ids from its time.
    if zone() == Zone::UTC {
        photographs!(desk, "enter_goes_to_what_a_message_quotes", Overlay);
    }
}

#[test]
fn the_same_person_is_found_on_another_tab() {
    let mut desk = Desk::demo(80, 24);
    desk.customer("whatsapp", "+447700900633", "Wojtek", "And by chat?");
    desk.settle().keys("4").settle().shows("Wojtek & Sons Couriers").run_command("elsewhere");
    desk.shows("the same person on Harbor chat").shows("And by chat?");
    photographs!(desk, "the_same_person_is_found_on_another_tab", Tabs, History, Status);
    desk.run_command("elsewhere").shows("the same person on Harbor phone");
    desk.keys("2<Enter>").run_command("elsewhere").shows("no conversation with this number or address");
}
