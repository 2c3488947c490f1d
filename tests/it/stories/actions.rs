//! The menu of what can be done here: found by letters, and
//! what cannot be done says why.

use crate::desk::{Desk, direct};

#[test]
fn what_is_selected_is_acted_on_from_a_menu() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = Desk::with(columns, rows, direct);
        desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
        desk.settle().keys("x").shows("What can be done here").shows("reply").shows("pause-ai");
        photograph!(desk, "menu", Overlay);
        desk.keys("<Esc>").hides("What can be done here");
        desk.keys("x").types("pause-ai").keys("<Enter>").settle().shows("AI OFF");
        // It is off by now, and the menu says so.
        desk.keys("x").types("pause-ai").shows("(off: ").keys("<Enter>").shows("pause-ai: ");
    }
}

#[test]
fn where_nothing_is_selected_it_says_so() {
    let mut desk = Desk::with(80, 24, direct);
    desk.settle().keys("x").shows("reply (off: ").keys("<Esc>");
    desk.keys("go").settle().keys("x").shows("What can be done here").keys("<Esc>").shows("Outbox");
}
