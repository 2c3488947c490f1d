//! Response targets: time left on rows, a bell before one is missed, and counts.

use frontdesk::model::ids::ChannelId;
use frontdesk::model::targets::ResponseTargets;

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";
const MINUTE: i64 = 60_000_000;

/// First answers within ten minutes, later ones within thirty; on one tab only.
fn desk() -> Desk {
    Desk::with(120, 40, |settings| {
        direct(settings);
        let targets = ResponseTargets { first_response: 10 * MINUTE, waiting: 30 * MINUTE };
        settings.targets = vec![(ChannelId::new("whatsapp"), targets)];
    })
}

#[test]
fn a_target_is_shown_as_time_left_and_rings_before_it_is_missed() {
    let mut desk = desk();
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.customer("telegram", "7001", "Ann Lee", "hello?");
    desk.settle().shows("10m left");
    desk.wait(7 * MINUTE);
    desk.settle().shows("3m left").hides("due · g n");
    let bells = desk.bells;
    desk.wait(MINUTE);
    desk.settle().shows("Maria Lopez: 2m left to answer");
    assert_eq!(desk.bells, bells + 1, "it is heard before it is missed");
    desk.wait(MINUTE / 2);
    desk.settle();
    desk.wait(MINUTE / 2);
    desk.settle().shows("1m left").shows("1 answer due · g n");
    photographs!(desk, "near", List, Status);
    desk.wait(2 * MINUTE);
    desk.settle().shows("late 1m").shows("1 answer late · g n");
    assert_eq!(desk.bells, bells + 1, "once");
    desk.keys("gn").shows("the answer is 1m late: Where is my order");
    // Nothing is shown without targets.
    desk.keys("<Esc>2").hides("left").hides("late 1m").keys("1");
    desk.colleague("whatsapp", MARIA, "It left this morning.");
    desk.settle().settle().hides("answer late");
    // The next answer is a later one.
    desk.wait(MINUTE);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "And where is it now?");
    desk.settle().settle().shows("30m left");
    desk.run_command("show-service-levels").shows("median 11m · p90 11m · 0% in time · 2 cases");
}
