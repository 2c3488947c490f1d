//! Broadcasts on the screen: chosen, written, looked over, held, begun, and
//! steered between two waves.

use serde_json::json;

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600112222";

/// A desk with three people of whom two wrote.
fn desk() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    desk.customer("whatsapp", "+351910002222", "João Pereira", "Olá");
    for (phone, name) in
        [(MARIA, "Maria Lopez"), ("+351910002222", "João Pereira"), ("+447700902222", "Ann Brown")]
    {
        desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": phone, "name": name}));
    }
    desk.settle();
    desk
}

/// Time passes for the service and the desk, and the hands do what is due.
pub fn go_on(desk: &mut Desk, seconds: i64) {
    for _ in 0..seconds.div_euclid(5).max(1) {
        desk.pass(5).settle();
    }
}

#[test]
fn marked_people_are_sent_to_after_a_look_and_a_hold() {
    let mut desk = desk();
    desk.keys("gp").shows("Ann Brown").keys("ggVa").shows("all marked").keys("b");
    desk.shows("New broadcast · Harbor chat").shows("To all people: 3 in all").shows("the text is empty");
    photographs!(desk, "form", Overlay);
    desk.types("We open at 9.\\nCome in!");
    desk.shows("Ctrl-X review · 3 credits").keys("<Ctrl-X>");
    desk.shows("Review broadcast · 3 people").shows("3 credits · balance 1000 · OK");
    desk.shows("2 open, 1 closed: only templates are accepted").shows("all in one wave");
    photographs!(desk, "flight", Overlay);
    // Back and forth loses nothing.
    desk.keys("n").shows("We open at 9.").keys("<Esc>").shows("form kept").keys("b<Ctrl-X>");
    desk.shows("Review broadcast · 3 people").keys("y").shows("HELD 15s");
    desk.settle().shows("HELD");
    assert!(desk.outbound().is_empty(), "nothing leaves while it is held");
    photographs!(desk, "held", Page, Status);
    desk.keys("q").shows("1 broadcast has unsent waves");
    desk.shows("quit, send it in the background").keys("<Esc>");
    desk.keys("z").shows("Undone: nothing was sent").shows("undone");
    go_on(&mut desk, 30);
    assert!(desk.outbound().is_empty());
    // Once more, and on.
    desk.keys("b").shows("We open at 9.").keys("<Ctrl-X>y").shows("HELD 15s");
    desk.wait(16_000_000);
    desk.settle().shows("wave 1/1");
    go_on(&mut desk, 90);
    let sent = desk.outbound();
    let bodies: Vec<&str> = sent.iter().filter_map(|value| value["content"].as_str()).collect();
    let ours = bodies.iter().filter(|body| **body == "We open at 9.\nCome in!").count();
    assert_eq!(ours, 2, "{bodies:?}");
    desk.shows("finished").shows("1 failed (33 %)").shows("2 delivered · 1 failed · 0 pending");
    // Who was not reached is given back, which only the balance tells.
    desk.shows("3 credits charged, balance down 2, 998 left");
    // The tabs of a workspace draw on one balance.
    for tab in ["1", "2"] {
        desk.keys(tab);
        let credits = desk.app.desk.tab().account.as_ref().map(|account| account.credits);
        assert_eq!(credits, Some(998.0));
    }
    desk.keys("1gb").shows("998 left");
    desk.keys("d").shows("failed        +447700902222  Ann Brown · reply window");
    desk.keys("<Esc>");
    let file = desk.file("people.txt", b"").replace("people.txt", "report.csv");
    desk.keys(":").types(&format!("export csv {file}")).keys("<Enter>").shows("report.csv");
    let report = std::fs::read_to_string(&file).expect("a report");
    assert!(
        report.starts_with("contact,phone,name,wave,outcome,code,reason,replied,known from\n"),
        "{report}"
    );
    assert!(report.contains(",+447700902222,Ann Brown,1,failed,SESSION_EXPIRED,reply window closed: only templates are delivered,,the service\n"), "{report}");
    desk.keys("z").shows("nothing to undo");
    // What the trigger tells stands beside it.
    desk.dev("event", json!({"name": "campaign.completed", "data": {"name": "Autumn", "sent": 300}}));
    go_on(&mut desk, 70);
    desk.keys("gigb").settle().shows("event: completed").shows("1 completed campaign is not listed here");
    photographs!(desk, "completed");
    // Both had asked something: they still wait, and see what it was.
    desk.keys("gi\\1").settle().shows("Maria Lopez").shows("João Pereira");
    desk.resize((120, 40));
    desk.keys("gg<Enter>").settle().shows("Broadcast").hides("Elsewhere");
}

#[test]
fn next_broadcast_begins_empty_and_a_retry_with_the_sent_text() {
    let mut desk = desk();
    desk.keys("gp")
        .settle()
        .keys("ggVab")
        .settle()
        .types("We open at 9.")
        .keys("<Ctrl-X>y")
        .shows("HELD 15s");
    desk.wait(16_000_000);
    go_on(&mut desk, 90);
    desk.shows("1 failed");
    desk.keys("gp").settle().keys("ggVab").settle().shows("the text is empty").keys("<Esc>");
    desk.keys("gb").settle().keys("R").shows("We open at 9.");
}

#[test]
fn who_got_nothing_but_a_broadcast_stays_out_until_they_answer() {
    let mut desk = desk();
    desk.keys("gp").shows("Ann Brown").keys("ggVa").shows("all marked").keys("b");
    desk.keys("<Shift-Tab>t<Tab>")
        .types("hello en")
        .shows("Hello again from Harbor Bicycles")
        .keys("<Ctrl-X>");
    desk.shows("Review broadcast · 3 people").keys("y").shows("HELD 15s");
    desk.wait(16_000_000);
    go_on(&mut desk, 90);
    desk.shows("finished").shows("3 delivered");
    desk.keys("gi\\1").settle().shows("Maria Lopez").shows("João Pereira").hides("Ann Brown");
    // Ann has never written: nobody has to look at what went to her.
    desk.keys("gi").keys("v2").settle().shows("Maria Lopez").shows("1 broadcast only").hides("Ann Brown");
    photographs!(desk, "broadcast_only", List);
    desk.keys("f").types("is:broadcast").keys("<Enter>").settle();
    desk.shows("Ann Brown").hides("Maria Lopez").hides("broadcast only ·");
    desk.keys("f").keys("<Esc>").settle().hides("Ann Brown");
    desk.customer("whatsapp", "+447700902222", "Ann Brown", "Until when?");
    go_on(&mut desk, 10);
    desk.shows("Ann Brown").shows("Until when?").hides("broadcast only");
    desk.keys("v1").settle().shows("WITH THE AI").shows("Ann Brown").shows("Until when?");
}

#[test]
fn everyone_takes_a_command_of_its_own_and_a_phrase() {
    let mut desk = desk();
    desk.keys("gb").shows("No broadcasts yet").keys("b").shows("no recipients");
    desk.keys(":")
        .types("broadcast everyone")
        .keys("<Enter>")
        .shows("To EVERYONE in the workspace: 3 contacts");
    desk.hides("canary").types("Hello all").keys("<Ctrl-X>");
    desk.shows("EVERYONE: 3 contacts").shows("Type SEND TO ALL 3 and Enter");
    desk.keys("y<Enter>").shows("Doesn't match");
    assert!(desk.outbound().is_empty());
    desk.keys("<Backspace>").types("SEND TO ALL 3").keys("<Enter>").shows("HELD 15s");
    desk.keys("2").keys("gb").shows("business chat only").keys("\\").shows("Hello all");
    desk.keys("b").shows("business chat only");
}

#[test]
fn a_file_names_people_and_what_is_wrong_with_it_is_told() {
    let mut desk = desk();
    let text = format!("{MARIA}\n# nobody\n{MARIA}\n+34 12\n+34699999999\n");
    let file = desk.file("people.txt", text.as_bytes());
    desk.keys(":").types(&format!("broadcast file {file}")).keys("<Enter>");
    desk.shows("1 in all").shows("1 named twice").shows("line 4: +3412 is not a phone");
    desk.keys("<Esc>:").types("broadcast file /nowhere/at/all").keys("<Enter>").shows("No such file");
    desk.hides("looking up")
        .keys(":")
        .types("broadcast track bc_elsewhere")
        .keys("<Enter>")
        .shows("Following bc_elsewhere");
    desk.shows("not read yet");
    desk.keys("p").shows("not sent in waves");
    desk.keys(":")
        .types("broadcast")
        .keys("<Enter>")
        .shows("broadcast needs everyone, file PATH or track ID");
}

#[test]
fn what_left_while_nobody_was_here_is_told_by_what_it_says() {
    let mut desk = Desk::with(120, 40, |settings| {
        direct(settings);
        settings.absence_after = 30 * 60_000_000;
    });
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": MARIA, "name": "Maria Lopez"}));
    desk.settle().keys("gp").shows("Maria Lopez").keys("ggVa").keys("b").types("We open at 9.");
    desk.keys("<Ctrl-X>y").shows("HELD 15s");
    desk.wait(16_000_000);
    desk.settle();
    desk.wait(44 * 60_000_000);
    desk.settle().settle().keys("gi").shows("you were away");
    desk.keys("gn").shows("since you left at").shows("We open at 9.").shows("broadcast sent");
}

#[test]
fn review_counts_who_opted_out_of_marketing() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Hello?");
    let contact = json!({"phone": MARIA, "name": "Maria Lopez", "tags": ["no-marketing"]});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    desk.settle().keys("gp").shows("Maria Lopez").keys("ggVa").keys("b").types("We open at 9.");
    desk.shows("1 opted out of marketing").keys("<Ctrl-X>");
    desk.shows("Review broadcast · 1 person").shows("1 contact · 1 opted out of marketing");
}

/// Begins a broadcast to the three people and shows it while it is held.
fn held_broadcast() -> Desk {
    let mut desk = desk();
    desk.keys("gp").shows("Ann Brown").keys("ggVa").shows("all marked").keys("b");
    desk.types("We open at 9.").keys("<Ctrl-X>").shows("Review broadcast").keys("y").shows("HELD");
    desk
}

#[test]
fn nothing_leaves_while_the_question_of_stopping_is_open() {
    let mut desk = held_broadcast();
    desk.keys("S").shows("Not sent yet: 3 people").shows("Keep sending");
    go_on(&mut desk, 120);
    assert!(desk.outbound().is_empty(), "the hold is frozen");
    desk.shows("Not sent yet: 3 people").keys("s").shows("Stopped");
    go_on(&mut desk, 120);
    assert!(desk.outbound().is_empty(), "stopped means that nobody is sent to");
}

#[test]
fn a_broadcast_that_is_not_stopped_after_all_goes_on() {
    let mut desk = held_broadcast();
    desk.keys("S").shows("Keep sending").keys("n");
    go_on(&mut desk, 120);
    assert_eq!(desk.outbound().len(), 2, "those with an open window got it");
    desk.shows("finished");
}

#[test]
fn the_plan_of_the_review_is_the_plan_of_the_recipients() {
    let mut desk = desk();
    desk.keys(":").types("broadcast everyone").keys("<Enter>").types("Hello all").keys("<Ctrl-X>");
    desk.shows("all in one wave, which cannot be stopped");
    // An answer typed at once would not count.
    desk.wait(2_000_000);
    desk.types("SEND TO ALL 3").keys("<Enter>").shows("HELD");
    desk.keys("d").shows("plan: all in one wave, which cannot be stopped");
}
