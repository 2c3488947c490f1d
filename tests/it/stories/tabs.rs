//! Tabs: one per channel key, what each may do, and where the bell rings.

use crate::desk::Desk;

#[test]
fn the_bot_tab_answers_and_says_what_it_cannot_do() {
    let mut desk = Desk::new(80, 24);
    desk.customer("telegram", "48211", "Oksana", "Добрий день! Чи є <дитячі> велосипеди?");
    desk.settle().shows("2 Harbor bot LIVE 1");
    // What was there before the first look does not ring.
    assert_eq!(desk.bells, 0);
    desk.wait(1_000_000);
    desk.customer("telegram", "48211", "Oksana", "Ви тут?");
    desk.settle();
    assert_eq!(desk.bells, 1);
    desk.keys("2").shows("Oksana").keys("<Enter>");
    desk.keys("e").shows("close: this channel's conversations cannot be closed through the interface");
    desk.keys("p").settle().keys("r").types("Так, a < b & c").keys("<Enter><Enter>").settle().shows("sent");
    photographs!(desk, "the_bot_tab_answers_and_says_what_it_cannot_do", Tabs, History);
    assert_eq!(desk.outbound()[0]["to"], "48211");
    desk.shows("Так, a < b & c");
    desk.keys("<Esc>]").shows("Inbox");
    desk.keys("[").shows("Oksana");
}

/// The interface has no pause for bots; the service tells a switch beside it.
#[test]
fn a_bot_conversation_is_paused_and_handed_back() {
    let mut desk = Desk::new(120, 40);
    desk.customer("telegram", "48211", "Oksana", "Чи є дитячі велосипеди?");
    let is_automated = |desk: &Desk| {
        desk.get("telegram", "/telegram/conversations")["data"][0]["automationEnabled"].as_bool()
    };
    desk.settle().keys("2").shows("AI ON").keys("p").settle().shows("AI OFF by you");
    assert_eq!(is_automated(&desk), Some(false));
    desk.keys("P").settle().shows("AI ON");
    assert_eq!(is_automated(&desk), Some(true));
}

#[test]
fn a_tab_is_gone_to_by_its_number_and_an_old_error_is_over() {
    let mut desk = Desk::new(80, 24);
    desk.settle().keys(":").types("tab 9").keys("<Enter>").shows("there is no tab \"9\"");
    desk.keys(":").types("tab 2").keys("<Enter>").hides("there is no tab").settle();
    assert_eq!(desk.app.desk.active, 1);
}
