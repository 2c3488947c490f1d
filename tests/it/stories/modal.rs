//! Text edited by modes, for who asked for it in the configuration.

use crate::desk::Desk;

fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::with(columns, rows, |settings| settings.vim = true);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("<Enter>p").settle();
    desk
}

#[test]
fn letters_move_and_change_and_the_border_says_so() {
    let mut desk = desk(80, 24);
    desk.keys("i").shows("INSERT · Reply").types("it will leves today").keys("<Esc>").shows("NORMAL · Reply");
    desk.keys("b2bciw").types("left").keys("<Esc>").shows("it left leves today");
    desk.keys("wdwbbC").shows("INSERT").types("it left today").keys("<Esc>2d").shows("NORMAL 2d · Reply");
    photographs!(desk, "half_typed", Composer);
    desk.keys("<Esc>").shows("NORMAL · Reply").keys("<Esc>").hides("NORMAL");
    desk.keys("r").shows("INSERT · Reply").keys("<Esc><Enter>").settle().pass(6).settle();
    assert_eq!(desk.outbound().len(), 1, "Enter sends from either mode");
    assert_eq!(desk.outbound()[0]["content"], "it left today");
}

#[test]
fn what_is_chosen_is_seen() {
    let mut desk = desk(80, 24);
    desk.keys("i").types("one two three").keys("<Esc>0wve").shows("VISUAL · Reply");
    photographs!(desk, "chosen", Composer);
    desk.keys("d").shows("│one  three").shows("NORMAL").keys("u").shows("│one two three");
    desk.keys("<Ctrl-R>").shows("│one  three");
}

#[test]
fn a_note_and_a_mail_are_edited_by_modes_too() {
    let mut desk = desk(80, 24);
    desk.keys(";").shows("INSERT · NOTE").types("ask the depot").keys("<Esc>dd").hides("depot");
    desk.keys("iring them<Enter>").settle().shows("ring them");
    assert_eq!(desk.outbound().len(), 0);
}
