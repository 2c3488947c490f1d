//! Marks and bulk actions: plan, hold, question, progress, results.

use serde_json::json;

use crate::desk::Desk;

const SECOND: i64 = 1_000_000;

/// Customers 1 to `count`, the last on top.
fn desk(count: usize) -> Desk {
    let mut desk = Desk::new(80, 24);
    for number in 1..=count {
        let phone = format!("+3460000{number:04}");
        desk.customer("whatsapp", &phone, &format!("Customer {number}"), "Is the shop open?");
        desk.clock.advance(SECOND);
    }
    desk.settle();
    desk
}

fn closed(desk: &Desk) -> usize {
    desk.get("whatsapp", "/conversations?status=closed&limit=100")["data"].as_array().map_or(0, Vec::len)
}

#[test]
fn marks_stay_with_their_conversations() {
    let mut desk = desk(4);
    desk.keys("  ").shows("2 marked · 4");
    photographs!(desk, "marked", List, Status);
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Olá");
    desk.wait(SECOND);
    desk.settle().shows("2 marked · 5").keys("v4").shows("Inbox · closed").keys("v2").shows("2 marked · 5");
    desk.keys("<Esc>").hides("marked · 5").shows("2 marks removed · z undo");
    desk.keys("z").shows("2 marked · 5");
}

#[test]
fn a_range_follows_the_selection_and_v_turns_all_round() {
    let mut desk = desk(5);
    desk.keys("jVvjj")
        .shows("3 marked · 5")
        .keys("k")
        .shows("2 marked · 5")
        .keys("Vvj")
        .shows("2 marked · 5");
    desk.keys("Vi").shows("marked the other 3").shows("3 marked · 5");
    desk.keys("Va").shows("5 marked · 5").keys("Vn").hides("marked · 5");
}

#[test]
fn a_few_are_closed_under_a_hold_that_z_ends() {
    let mut desk = desk(3);
    desk.keys("Vadd").shows("finish: 3 of 3 apply, in 5 s · z undo").hides("marked");
    desk.keys("z").settle();
    desk.wait(6 * SECOND);
    desk.settle();
    assert_eq!(closed(&desk), 0);
    desk.keys("Vr").shows("3 marked").keys("dd");
    desk.wait(6 * SECOND);
    desk.settle().shows("done 3 of 3 · :show-results shows each");
    assert_eq!(closed(&desk), 3);
}

#[test]
fn many_are_asked_about_and_leave_one_by_one() {
    let mut desk = desk(14);
    // Two are closed already, and marked all the same.
    desk.keys("Vr").shows("again: no earlier marks").keys("  dd");
    desk.wait(6 * SECOND);
    desk.settle();
    assert_eq!(closed(&desk), 2);
    desk.keys("fstatus:any<Enter>").shows("14").keys("Vad");
    desk.shows("FINISH 12 conversations?").shows("12 of 14 apply; 2 do not: already closed");
    photographs!(desk, "plan", Overlay);
    desk.keys("d").shows("FINISH 12").keys("<Enter>").shows("FINISH 12").keys("y");
    desk.shows("finish: 12 of 14 apply; 2 do not: already closed");
    desk.shows("│ closing");
    desk.settle().shows("done 12 of 12 · :show-results shows each");
    assert_eq!(closed(&desk), 14);
    desk.run_command("show-results").shows("finish: 12 of 12 · 2 left out").shows("left out: already closed");
    photographs!(desk, "results", Overlay);
}

#[test]
fn the_title_of_the_results_keeps_its_counts() {
    let mut desk = desk(14);
    desk.keys("  p").settle().keys("Vap").shows("12 of 14 apply").keys("y").settle();
    desk.run_command("show-results")
        .shows("pause the AI in: 12 of 12 · 2 left out ")
        .shows("x stops · Enter opens · Esc");
}

#[test]
fn what_has_not_left_can_be_stopped() {
    let mut desk = desk(12);
    desk.keys("Vap").shows("PAUSE THE AI IN 12 conversations?").keys("y").shows("12 of 12 apply");
    desk.run_command("show-results")
        .shows("waiting to send")
        .keys("x")
        .shows("stopped before sending")
        .keys("<Esc>");
    desk.settle().has_paused(0).hides("0/12");
}

#[test]
fn one_that_is_refused_is_named() {
    let mut desk = desk(3);
    let fault = json!({"path_prefix": "/conversations/", "method": "POST", "count": 1, "status": 400,
        "code": "VALIDATION_ERROR"});
    desk.dev("fault", fault);
    desk.keys("Vadd");
    desk.wait(6 * SECOND);
    desk.settle().shows("done 2 of 3, 1 asks").run_command("show-results").shows("needs you");
    photographs!(desk, "refused", Overlay);
    desk.keys("<Enter>").shows("Customer").hides("waiting to send");
}

#[test]
fn many_are_put_aside_claimed_and_tagged() {
    let mut desk = desk(3);
    desk.keys("  :claim<Enter>").shows("claimed: 2 of 2 apply · z undo");
    desk.keys("Vr#").shows("Tags of 2 conversations").types("vip, late").keys("<Enter>");
    desk.shows("#late #vip");
    desk.keys("Vr#").types("-late, +re").keys("<Enter>").shows("#re #vip").hides("#late");
    desk.keys("Vast").shows("later: until tomorrow 09:00: 3 of 3 apply").shows("3 snoozed");
    desk.keys("z").shows("Customer 3").keys("zzzz").hides("#vip");
}
