//! Keys that arrive together with one that goes elsewhere: they act there, and
//! on nothing if it cannot be gone to.

use crate::desk::Desk;
use frontdesk::inbox::event::Load;
use frontdesk::inbox::keys::Pointer;

const MARIA: &str = "+34600111222";
const DANA: &str = "+14155550100";

/// Maria waits longest and is open, with the AI paused here; Ken comes between
/// her and Dana, who wrote last.
fn three() -> Desk {
    three_at(120, 40)
}

fn three_at(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    for (from, name, text) in [
        (MARIA, "Maria Lopez", "Where is my order?"),
        ("+447700900123", "Ken Tanaka", "Hello?"),
        (DANA, "Dana Whitlock", "Is anybody there?"),
    ] {
        desk.customer("whatsapp", from, name, text);
        desk.clock.advance(60_000_000);
        desk.settle();
    }
    desk.settle().keys("G<Enter>").shows("Maria Lopez · +34").keys("p").settle().shows("AI OFF by you");
    desk
}

/// Nothing of it was written to Maria.
fn spares_maria(desk: &mut Desk) {
    desk.keys("<Esc><Esc>:open maria<Enter>").shows("Maria Lopez · +34").shows("r to reply");
}

/// To whom what left went, and what it said.
fn sent(desk: &mut Desk) -> String {
    desk.settle().pass(30).settle();
    format!("{:?}", desk.outbound())
}

#[test]
fn a_text_goes_to_the_one_that_is_opened() {
    for opens in [":open dana whitlock<Enter>", "<Esc>/whitlock<Enter><Enter>", "<Ctrl-P>dana whit<Enter>"] {
        let mut desk = three();
        desk.keys_at_once(&format!("{opens}iDear Dana<Enter>")).shows("Dana Whitlock · +1");
        // Her AI is on: that is asked, and nothing has gone to Maria.
        desk.shows("[y] pause the AI and send").shows("Dear Dana").wait(2_000_000);
        desk.keys("y");
        let sent = sent(&mut desk);
        assert!(
            sent.contains("Dear Dana") && sent.contains(DANA) && !sent.contains(MARIA),
            "{opens}: {sent}"
        );
    }
}

#[test]
fn letters_are_no_commands_before_the_composer_is_there() {
    let mut desk = three();
    // "e" would close, "q" would quit, "p" would pause.
    desk.keys_at_once(":open dana whitlock<Enter>ieqp").shows("Dana Whitlock · +1").shows("eqp");
    assert!(!desk.quit);
    desk.keys("<Esc><Esc>").settle().shows("AI ON");
    spares_maria(&mut desk);
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_paste_waits_like_a_key() {
    let mut desk = three();
    desk.reads_hang(true).keys_at_once(":open dana whitlock<Enter>i").pastes("Dear Dana").reads_hang(false);
    desk.shows("Dana Whitlock · +1").shows("Dear Dana").hides("was ignored");
    spares_maria(&mut desk);
}

#[test]
fn the_next_one_who_waits_gets_what_is_typed() {
    let mut desk = three();
    desk.keys_at_once("gw@").settle();
    let claimed = |desk: &Desk, name: &str| {
        let rows = &desk.app.desk.tabs[0].list.page.rows;
        let row = rows.iter().find(|row| row.conversation.title().to_string() == name).expect("a row");
        row.local.claim.is_some()
    };
    assert!(!claimed(&desk, "Maria Lopez"), "she is not the next");
    assert!(claimed(&desk, "Ken Tanaka"), "he waits longest");
    let mut desk = three();
    desk.keys_at_once("gwiHHHH").shows("Ken Tanaka · +44").shows("HHHH");
    desk.keys_at_once("<Esc>")
        .settle()
        .keys(":open maria<Enter>")
        .shows("Maria Lopez · +34")
        .shows("r to reply");
}

#[test]
fn a_fresh_start_acts_on_the_row_that_was_chosen() {
    let desk = three();
    let mut desk = desk.crash_and_reopen();
    // All tabs, the second row of them.
    desk.keys_at_once("0j<Enter>iText").shows("Ken Tanaka · +44").shows("Text");
    let mut desk = desk.crash_and_reopen();
    desk.customer("telegram", "771", "Nora Berg", "Hej");
    desk.customer("telegram", "772", "Olga Petrova", "Hello");
    desk.settle().settle();
    let mut desk = desk.crash_and_reopen();
    desk.keys_at_once("2j<Enter>iText").shows("Text").hides("no conversation is selected");
    assert_eq!(desk.app.desk.active, 1);
    assert!(desk.app.desk.is_typing());
}

#[test]
fn marks_are_there_before_the_key_that_acts_on_them() {
    let mut desk = three();
    desk.keys("<Esc>").keys_at_once("Va@").settle();
    let rows = &desk.app.desk.tabs[0].list.page.rows;
    assert!(rows.iter().all(|row| row.local.claim.is_some()), "all three are claimed");
    assert_eq!(rows.len(), 3);
    desk.keys_at_once("VaVn").hides("marked all");
    assert!(desk.app.desk.tabs[0].list.marks.is_empty());
}

#[test]
fn what_cannot_be_found_takes_what_was_typed_for_it_along() {
    let mut desk = three();
    desk.keys_at_once(":open nobody<Enter>iDear Nobody<Enter>").shows("Maria Lopez · +34");
    desk.shows("what was typed meanwhile was dropped").hides("Dear Nobody");
    assert!(!sent(&mut desk).contains("Nobody"));
    desk.unreadable(|desk| matches!(desk, Load::Lookup(_)));
    desk.keys_at_once(":open dana<Enter>iDear Dana<Enter>").shows("was dropped").hides("Dear Dana");
    desk.unreadable(|_| false).keys("iDear Maria").shows("Dear Maria");
}

#[test]
fn an_empty_list_opens_nothing_else() {
    let mut desk = three_at(80, 24);
    desk.keys("<Esc>").keys_at_once("/zzz<Enter><Enter>iqqq");
    desk.shows("no conversation is selected");
    assert!(!desk.quit && !desk.app.desk.is_typing());
}

#[test]
fn a_text_that_is_open_waits_for_no_list() {
    let mut desk = three();
    desk.keys("i");
    desk.reads_hang(true).keys("Dear Maria").shows("Dear Maria");
    desk.reads_hang(false);
}

#[test]
fn nobody_is_stuck_behind_a_read_that_does_not_end() {
    let mut desk = three();
    desk.reads_hang(true).keys_at_once(":open dana<Enter>iDear").hides("Dear").hides("Esc drops");
    desk.wait(1_500_000);
    desk.shows("this desk's files are still being read; 5 keys wait · Esc drops them");
    desk.keys("<Esc>").shows("you stopped waiting; what was typed meanwhile was dropped");
    // What comes now takes nobody anywhere.
    desk.reads_hang(false).shows("Maria Lopez · +34");
    // It ends by itself, and what was typed is given up.
    desk.reads_hang(true).keys_at_once(":open dana<Enter>iDear");
    desk.wait(1_500_000);
    desk.wait(4_000_000);
    desk.shows("this desk's files did not answer in time").reads_hang(false).shows("Maria Lopez · +34");
    desk.hides("Dear");
    // A click is meant for what is on screen.
    desk.reads_hang(true).keys_at_once(":open dana<Enter>iDear").mouse(Pointer::Down(100, 10));
    desk.reads_hang(false).shows("Maria Lopez · +34").hides("Dear").shows("you clicked meanwhile");
    // Leaving never waits.
    desk.reads_hang(true).keys_at_once(":open dana<Enter>iDear<Ctrl-C><Ctrl-C>").reads_hang(false);
    assert!(desk.quit);
}

#[test]
fn esc_in_a_row_of_keys_acts_in_its_turn() {
    let mut desk = three();
    desk.keys_at_once(":open dana whitlock<Enter>iDear Dana<Esc>").shows("Dana Whitlock · +1");
    desk.shows("Dear Dana");
    assert!(!desk.app.desk.is_typing());
    spares_maria(&mut desk);
}

#[test]
fn a_search_is_answered_before_its_first_row_is_taken() {
    let mut desk = three();
    desk.keys_at_once("g/anybody<Enter>iHHHH").shows("Dana Whitlock · +1").shows("HHHH");
}
