//! The menu of available actions: filtered by letters, with reasons for unavailable ones.

use crate::desk::{Desk, direct};

#[test]
fn what_is_selected_is_acted_on_from_a_menu() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = Desk::with(columns, rows, direct);
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
        desk.settle().keys("x").shows("Actions").shows("reply").shows("pause-ai");
        photograph!(desk, "menu", Overlay);
        desk.keys("<Esc>").hides("Actions");
        desk.keys("x").types("pause-ai").keys("<Enter>").settle().has_paused(1);
        // Unavailable by now, with the reason.
        desk.keys("x").types("pause-ai").shows("(off: ").keys("<Enter>").shows("pause-ai: ");
    }
}

#[test]
fn the_menu_of_a_mail_tab_lists_the_commands_that_only_mail_has() {
    let mut desk = Desk::with_all_tabs(80, 24);
    desk.settle().keys("3").settle().keys("x").types("folders").shows("mail-folders").keys("<Enter>");
    desk.shows("inbox").shows("spam").keys("<Esc>");
    desk.keys("1").settle().keys("x").types("folders").hides("mail-folders");
}

#[test]
fn where_nothing_is_selected_it_says_so() {
    let mut desk = Desk::with(80, 24, direct);
    desk.settle().keys("x").shows("reply (off: ").keys("<Esc>");
    desk.keys("go").settle().keys("x").shows("Actions").keys("<Esc>").shows("Outbox");
}
