//! Keys that come before a read that moves the selection is answered: they act on the new selection, or on
//! nothing if it comes late or not at all.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use randomized::{case_command, case_seeds};

use crate::desk::Desk;
use frontdesk::inbox::event::Load;
use frontdesk::inbox::keys::Pointer;

const MARIA: &str = "+34600111222";
const DANA: &str = "+14155550100";

/// Maria waits longest and is open, with the AI paused; Ken is between her and Dana.
fn three() -> Desk {
    three_at(120, 40)
}

fn three_at(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    for (from, name, text) in [
        (MARIA, "Maria Lopez", "Where is my order?"),
        ("+447700900123", "Ken Tanaka", "Hello? A human please"),
        (DANA, "Dana Whitlock", "Is anybody there? A human please"),
    ] {
        desk.customer("whatsapp", from, name, text);
        desk.clock.advance(60_000_000);
        desk.settle();
    }
    desk.settle().keys("G<Enter>").shows("Maria Lopez · +34").keys("p").settle().shows("AI paused");
    desk
}

fn spares_maria(desk: &mut Desk) {
    desk.keys("<Esc><Esc>:open maria<Enter>").shows("Maria Lopez · +34").shows("r to reply");
}

/// True if the conversation of a name is claimed here.
fn claimed(desk: &Desk, name: &str) -> bool {
    let rows = &desk.app.desk.tabs[0].list.page.rows;
    let row = rows.iter().find(|row| row.conversation.title().to_string() == name).expect("a row");
    row.local.claim.is_some()
}

/// To whom what left went, and what it said.
fn sent(desk: &mut Desk) -> String {
    desk.settle().pass(30).settle();
    format!("{:?}", desk.outbound())
}

#[test]
fn text_goes_to_the_conversation_that_is_opened() {
    for opens in [":open dana whitlock<Enter>", "<Esc>fwhitlock<Enter><Enter>", "<Ctrl-P>dana whit<Enter>"] {
        let mut desk = three();
        desk.keys_at_once(&format!("{opens}iDear Dana<Enter>")).shows("Dana Whitlock · +1");
        // Her AI is on: the question appears, and nothing was sent to Maria.
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
fn letters_are_no_commands_before_the_composer_is_open() {
    let mut desk = three();
    // "e" would close, "q" would quit, "p" would pause.
    desk.keys_at_once(":open dana whitlock<Enter>ieqp").shows("Dana Whitlock · +1").shows("eqp");
    assert!(!desk.quit);
    desk.keys("<Esc><Esc>").settle().has_ai_on();
    spares_maria(&mut desk);
    assert!(desk.outbound().is_empty());
}

#[test]
fn paste_waits_like_a_key() {
    let mut desk = three();
    desk.reads_hang(true).keys_at_once(":open dana whitlock<Enter>i").pastes("Dear Dana").reads_hang(false);
    desk.shows("Dana Whitlock · +1").shows("Dear Dana").hides("was ignored");
    spares_maria(&mut desk);
}

#[test]
fn next_waiting_conversation_gets_what_is_typed() {
    let mut desk = three();
    desk.keys_at_once("wt").settle();
    assert!(!claimed(&desk, "Maria Lopez"), "she is not the next");
    assert!(claimed(&desk, "Ken Tanaka"), "he waits longest");
    let mut desk = three();
    desk.keys_at_once("wiHHHH").shows("Ken Tanaka · +44").shows("HHHH");
    desk.keys_at_once("<Esc>")
        .settle()
        .keys(":open maria<Enter>")
        .shows("Maria Lopez · +34")
        .shows("r to reply");
}

#[test]
fn fresh_start_acts_on_the_chosen_row() {
    let desk = three();
    let mut desk = desk.crash_and_reopen();
    // All tabs, second row.
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
fn marks_are_set_before_the_key_that_acts_on_them() {
    let mut desk = three();
    desk.keys("<Esc>").keys_at_once("Vat").settle();
    let rows = &desk.app.desk.tabs[0].list.page.rows;
    assert!(rows.iter().all(|row| row.local.claim.is_some()), "all three are claimed");
    assert_eq!(rows.len(), 3);
    desk.keys_at_once("VaVn").hides("marked all");
    assert!(desk.app.desk.tabs[0].list.marks.is_empty());
}

#[test]
fn input_that_waited_is_dropped_if_nobody_is_found() {
    let mut desk = three();
    desk.keys_at_once(":open nobody<Enter>iDear Nobody<Enter>").shows("Maria Lopez · +34");
    desk.shows("keys typed meanwhile were dropped").hides("Dear Nobody");
    assert!(!sent(&mut desk).contains("Nobody"));
    desk.unreadable(|desk| matches!(desk, Load::Lookup(_)));
    desk.keys_at_once(":open dana<Enter>iDear Dana<Enter>").shows("were dropped").hides("Dear Dana");
    desk.unreadable(|_| false).keys("iDear Maria").shows("Dear Maria");
}

#[test]
fn empty_list_opens_nothing_else() {
    let mut desk = three_at(80, 24);
    desk.keys("<Esc>").keys_at_once("fzzz<Enter><Enter>i");
    desk.shows("no conversation is selected");
    assert!(!desk.quit && !desk.app.desk.is_typing());
}

#[test]
fn open_text_waits_for_no_list() {
    let mut desk = three();
    desk.keys("i");
    desk.reads_hang(true).keys("Dear Maria").shows("Dear Maria");
    desk.reads_hang(false);
}

#[test]
fn keys_act_on_the_new_selection_in_order_once_the_read_is_answered() {
    let mut desk = three();
    desk.reads_hang(true).keys_at_once(":open dana whitlock<Enter>:claim<Enter>i").bursts("Dear Dana");
    desk.wait(240_000);
    desk.shows("Maria Lopez · +34").hides("Dear Dana").hides("keys were dropped");
    desk.reads_hang(false).shows("Dana Whitlock · +1").shows("Dear Dana");
    assert!(claimed(&desk, "Dana Whitlock") && !claimed(&desk, "Maria Lopez"));
    spares_maria(&mut desk);
}

#[test]
fn keys_are_dropped_when_the_read_takes_longer() {
    let mut desk = three();
    let said = "keys were dropped: this desk's files are slow; repeat the last command";
    desk.reads_hang(true).keys_at_once(":open dana whitlock<Enter>:claim<Enter>").bursts("iDear");
    desk.wait(250_000);
    desk.shows(said);
    // The read is still open: nothing acts on what was selected before.
    desk.wait(20_000_000);
    desk.hides(said).keys_at_once("td").shows(said);
    desk.reads_hang(false).settle().shows("Maria Lopez · +34").shows("r to reply").hides("Closing");
    assert!(!claimed(&desk, "Maria Lopez") && !claimed(&desk, "Dana Whitlock"));
    // Now it acts on what is on screen.
    desk.keys(":claim<Enter>").settle();
    assert!(claimed(&desk, "Maria Lopez"));
}

#[test]
fn slow_read_that_no_key_waits_for_still_acts_and_nothing_is_said() {
    let mut desk = three();
    desk.reads_hang(true).keys_at_once(":open dana whitlock<Enter>");
    desk.wait(2_000_000);
    desk.hides("keys were dropped").reads_hang(false).shows("Dana Whitlock · +1");
}

#[test]
fn click_is_dropped_while_a_read_is_awaited() {
    let mut desk = three();
    desk.keys("<Esc>").shows("Ken Tanaka");
    let (x, y) = desk.place_of("Ken Tanaka");
    desk.reads_hang(true).keys_at_once(":open dana whitlock<Enter>i").mouse(Pointer::Down(x, y));
    desk.shows("click ignored while this desk's files are read");
    desk.types("Dear Dana").reads_hang(false).shows("Dana Whitlock · +1").shows("Dear Dana");
}

#[test]
fn interrupt_waits_for_nothing() {
    let mut desk = three();
    desk.reads_hang(true).keys_at_once(":open dana whitlock<Enter>iDear<Ctrl-C>");
    desk.shows("again quits");
    // What was asked for is forgotten, so that keys act on what is on screen.
    desk.keys_at_once(":claim<Enter>").reads_hang(false).settle().shows("Maria Lopez · +34").hides("Dear");
    assert!(claimed(&desk, "Maria Lopez"));
    desk.reads_hang(true).keys_at_once(":open dana<Enter>iDear<Ctrl-C><Ctrl-C>").reads_hang(false);
    assert!(desk.quit);
}

#[test]
fn mail_that_begins_late_opens_no_composer() {
    let mut desk = Desk::demo(120, 40);
    desk.settle().settle().keys("3").settle().reads_hang(true).keys_at_once("jr").bursts("Dear");
    desk.wait(250_000);
    desk.shows("keys were dropped: this desk's files are slow; repeat the last command");
    desk.reads_hang(false);
    assert!(!desk.app.desk.is_typing());
    desk.hides("Dear").keys("r").shows("├ Mail");
    assert!(desk.app.desk.is_typing());
}

#[test]
fn no_key_acts_on_what_was_selected_before_whatever_the_timing() {
    let mut reached = 0;
    for seed in case_seeds(6) {
        let mut random = StdRng::seed_from_u64(seed);
        let mut desk = three();
        for _ in 0..60 {
            match random.random_range(0..7) {
                0 => desk.reads_hang(true),
                1 | 2 => desk.reads_hang(false),
                3 => {
                    desk.wait(random.random_range(0..400_000));
                    &mut desk
                }
                4 => desk.keys_at_once(":open maria<Enter>"),
                5 => desk.keys_at_once(":open dana whitlock<Enter>:claim<Enter>"),
                _ => desk.keys_at_once(":open nobody<Enter>:claim<Enter>"),
            };
            reached += u32::from(claimed(&desk, "Dana Whitlock"));
            assert!(!claimed(&desk, "Maria Lopez"), "{}", case_command(seed, "slow_reads"));
        }
        desk.reads_hang(false).settle();
        assert!(!claimed(&desk, "Maria Lopez"), "{}", case_command(seed, "slow_reads"));
    }
    assert!(reached > 0, "keys act at all");
}

#[test]
fn esc_among_keys_acts_in_its_turn() {
    let mut desk = three();
    desk.keys_at_once(":open dana whitlock<Enter>iDear Dana<Esc>").shows("Dana Whitlock · +1");
    desk.shows("Dear Dana");
    assert!(!desk.app.desk.is_typing());
    spares_maria(&mut desk);
}

#[test]
fn search_is_answered_before_its_first_row_is_taken() {
    let mut desk = three();
    desk.keys_at_once("<Esc>/anybody<Enter>iHHHH").shows("Dana Whitlock · +1").shows("HHHH");
}
