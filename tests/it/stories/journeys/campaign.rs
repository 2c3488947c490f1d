//! A template to two hundred people, paused by its canary and continued; another stopped.

use serde_json::json;

use crate::desk::{Desk, direct};
use crate::stories::broadcasts::go_on;

/// Two hundred people due for renewal; one of the first ten cannot be reached, and one of the rest.
pub(super) fn desk() -> Desk {
    let mut desk = Desk::with(120, 40, direct);
    for number in 0..200 {
        let ending = if matches!(number, 4 | 150) { "0009" } else { "2222" };
        let phone = format!("+34{number:05}{ending}");
        let body = json!({"phone": phone, "name": format!("Person {number:03}"), "tags": ["renewal-nov"]});
        desk.elsewhere("whatsapp", "POST", "/contacts", body);
    }
    desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": "+447700902222", "name": "Ann Brown"}));
    desk.settle();
    desk
}

#[test]
fn a_template_goes_out_in_waves_and_is_watched() {
    let mut desk = desk();
    desk.keys("gp/").types("renewal-nov").keys("<Enter>");
    desk.wait(300_000);
    desk.keys("Va").shows("all matches marked").keys("b").shows("200 in all");
    // Key of the kind, its name, and the preview.
    desk.keys("<Shift-Tab>t<Tab>")
        .types("hello en")
        .shows("hello_again / en")
        .shows("Hello again from Harbor Bicycles");
    photographs!(desk, "template", Overlay);
    desk.keys("<Ctrl-X>")
        .shows("Review broadcast · 200 people")
        .shows("200 contacts")
        .shows("400–600 credits");
    desk.shows("not needed for a template").shows("first 10, then 9 waves of 22, the last of 14 after 1m");
    photographs!(desk, "flight", Overlay);
    desk.keys("S").types("END 2000").keys("<Enter>").shows("Doesn't match");
    desk.keys("<Backspace><Enter>").shows("HELD 15s");
    desk.shows("HELD");
    go_on(&mut desk, 60);
    // The canary fails: nobody else is contacted.
    desk.shows("PAUSED").shows("1 of 10 failed (10 %");
    assert_eq!(desk.outbound().len(), 10);
    assert!(desk.bells > 0, "it is heard");
    photographs!(desk, "paused", Page);
    desk.keys("d").shows("Recipients").shows("wave 1: 10 people").keys("<Esc>");
    desk.keys("c")
        .shows("Continue the broadcast?")
        .keys("<Ctrl-U>")
        .types("15")
        .keys("<Enter>")
        .shows("Sending continues");
    go_on(&mut desk, 200);
    photographs!(desk, "going");
    go_on(&mut desk, 900);
    desk.shows("finished").shows("200/200").shows("2 failed (1 %)").shows("0 pending");
    assert_eq!(desk.outbound().len(), 200);
    photographs!(desk, "finished", Page);
    // Computed from messages: failed recipients, a retry for them, and a report.
    desk.keys("d").shows("From messages read here").shows("+34000040009");
    photographs!(desk, "recipients", Overlay);
    desk.keys("<Esc>yf").shows("copied 2 that failed");
    assert_eq!(desk.copied.last().expect("copied"), "+34000040009\n+34001500009");
    desk.keys("R").shows("To failed recipients of the last broadcast: 2 in all").keys("<Esc>");
    desk.keys(":").types("export csv /nowhere/at/all.csv").keys("<Enter>").shows("was not written");
}

#[test]
fn the_operator_at_night_stops_one_between_waves_and_hands_over() {
    let mut desk = desk();
    desk.keys("gp/").types("renewal-nov").keys("<Enter>Vab");
    desk.keys("<Shift-Tab>t<Tab>")
        .types("hello en")
        .keys("<Ctrl-X>S")
        .types("END 200")
        .keys("<Enter>")
        .shows("HELD");
    go_on(&mut desk, 20);
    desk.resize((80, 24));
    desk.run_command("go-to-wall").wait(8_000_000);
    desk.shows("Enter what failed").hides("go to");
    desk.shows("Wall").shows("Harbor chat").shows("Harbor bot").shows("Running broadcasts: 1");
    photographs!(desk, "wall");
    desk.dev(
        "fault",
        json!({"path_prefix": "/triggers", "count": 5, "status": 500, "code": "WHATSAPP_ERROR"}),
    );
    for _ in 0..4 {
        go_on(&mut desk, 5);
    }
    desk.wait(10_000_000);
    desk.shows("/min since").keys("<Enter>").shows("Requests");
    desk.shows("y curl · f all · r refresh · Esc back").hides("Enter what failed").keys("<Esc>");
    desk.keys("gb")
        .shows("PAUSED")
        .keys("S")
        .shows("Not sent yet: 190 people")
        .shows("Sent: 10 people.")
        .keys("s");
    desk.shows("Stopped").shows("stopped");
    go_on(&mut desk, 300);
    assert_eq!(desk.outbound().len(), 10, "no further wave has left");
    desk.keys(":").types("handover").keys("<Enter>").shows("copied the handover");
    let text = desk.copied.last().expect("copied").clone();
    for part in [
        "# Handover",
        "## Problems",
        "## AI off",
        "## Queued",
        "## Running broadcasts",
        "## Broadcasts with failed recipients",
        "stopped · ",
        "190 not sent",
        "of 200 not reached by broadcast",
        "Harbor chat",
    ] {
        let plain = text.replace('\\', "");
        assert!(plain.contains(part), "{part}: {text}");
    }
}
