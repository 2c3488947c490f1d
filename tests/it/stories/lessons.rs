//! Teaching: `not trouble` and `trouble` on a row weigh the rules on this desk.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const ANA: &str = "+34600999888";

/// Two customers who shout and are upset, in trouble with the AI.
fn desk(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    for (number, name) in [(ANA, "Ana Ruiz"), (MARIA, "Maria Lopez")] {
        desk.customer("whatsapp", number, name, "This is ridiculous!!");
        desk.clock.advance(1_000_000);
    }
    desk.settle().settle();
    desk
}

#[test]
fn what_is_no_trouble_weighs_less_from_then_on_and_z_takes_it_back() {
    let mut desk = desk(120, 40);
    desk.keys("gg").shows("upset: \"ridiculous\", …");
    desk.keys("g-").settle().shows("not trouble: 32 → 26").shows("2 fewer in trouble");
    photographs!(desk, "taught", List, Status);
    desk.settle().hides("ridiculous\", …");
    desk.keys(":trouble<Enter>")
        .settle()
        .shows("words of anger or despair")
        .shows("80%")
        .shows("taught: 20% less");
    photographs!(desk, "weights", Overlay);
    desk.keys("<Esc>z").settle().settle().shows("upset: \"ridiculous\", …");
    desk.keys(":trouble<Enter>").settle().hides("taught:").keys("<Esc>");
}

#[test]
fn what_is_trouble_weighs_more_and_reset_forgets() {
    let mut desk = desk(120, 40);
    desk.keys("gg").keys("g-").settle().keys("g-").settle().settle().hides("ridiculous\", …");
    desk.keys("g+").settle().keys("g+").settle().settle().shows("upset: \"ridiculous\", …");
    desk.keys("g+").settle().shows("trouble: 32 → 40").shows("as many in trouble as before");
    desk.keys(":trouble reset<Enter>").settle().shows("weigh again as they did untaught");
    desk.keys(":trouble reset<Enter>").settle().shows("nothing was taught yet");
    desk.keys("z").settle().keys(":trouble<Enter>").settle().shows("taught: 25% more").keys("<Esc>");
}

#[test]
fn where_no_rule_saw_anything_there_is_nothing_to_learn() {
    let mut desk = Desk::new(80, 24);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Is the shop open?");
    desk.settle().settle();
    desk.keys("gg").keys("g+").settle().shows("no rule saw anything in it");
}
