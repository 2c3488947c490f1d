//! Journeys with their keys counted, besides the texts. Forty mails are counted in `triage.rs`, the first
//! five minutes in `first.rs`.

use serde_json::json;

use crate::desk::Desk;
use crate::stories::broadcasts::go_on;
use crate::stories::journeys::campaign;
use crate::stories::journeys::triage;
use crate::stories::mail::{calm, letter};

const MARIA: &str = "+34600111222";
const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;

/// A desk with the number of keys that were pressed on it.
struct Counted {
    desk: Desk,
    keys: u32,
}

impl Counted {
    fn new(desk: Desk) -> Self {
        Self { desk, keys: 0 }
    }

    fn press(&mut self, keys: &str) -> &mut Desk {
        triage::press(&mut self.desk, &mut self.keys, keys);
        &mut self.desk
    }

    /// A desk with one customer, who has written.
    fn with_maria() -> Self {
        let mut desk = Desk::new(120, 40);
        desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
        desk.settle();
        Self::new(desk)
    }

    #[track_caller]
    fn took(&self, journey: &str, limit: u32) {
        assert!(self.keys <= limit, "{journey}: {} keys of at most {limit}", self.keys);
    }
}

#[test]
fn takeover_until_the_close_takes_at_most_twelve_keys() {
    let mut counted = Counted::new(Desk::new(120, 40));
    let desk = &mut counted.desk;
    desk.customer("telegram", "88001", "João Pereira", "Is the shop open?");
    for text in ["I was charged twice", "i was charged twice!", "I was charged twice!!", "a human please"] {
        desk.customer("whatsapp", MARIA, "Maria Lopez", text);
        desk.clock.advance(SECOND);
    }
    desk.settle().settle().keys("2").settle();
    // From another tab.
    counted.press("w");
    counted.press("t").settle().types("Sorry for the wait, a person here.");
    counted.press("<Enter>");
    counted.took("bell to the first word", 3);
    counted.desk.pass(6).settle();
    assert_eq!(counted.desk.outbound().len(), 1);
    counted.press("<Esc>;").types("double charge");
    counted.press("<Enter>").settle();
    counted.press("<Esc>sr").shows("later: until").settle();
    counted.desk.customer("whatsapp", MARIA, "Maria Lopez", "Thank you!");
    counted.desk.wait(SECOND);
    counted.desk.settle().shows("Thank you!");
    counted.press("P").settle().has_paused(0);
    counted.press("dd").pass(6).settle();
    let closed = counted.desk.get("whatsapp", "/conversations?status=closed");
    assert_eq!(closed["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(counted.desk.outbound().len(), 1);
    counted.took("takeover with a note, a pause for an answer, hand-back and close", 12);
}

#[test]
fn twelve_mails_take_at_most_thirty_keys() {
    let mut counted = Counted::new(Desk::with_all_tabs(80, 24));
    let desk = &mut counted.desk;
    for number in (1..=12).rev() {
        let (from, subject) = (format!("person{number}@mail.example"), format!("Subject {number:02}"));
        letter(desk, &from, "Person", &subject, Some("Text"), None);
    }
    for _ in 0..4 {
        calm(desk);
    }
    counted.press("3").settle();
    counted.press("<Ctrl-T>").settle().shows("TRIAGE 1/12");
    counted.press("dddddd").shows("TRIAGE 7/12");
    counted.press("%*dDust").shows("TRIAGE 12/12");
    counted.press("r").types("Thank you, we look into it today.");
    counted.press("<Ctrl-X>y").shows("12 seen in");
    counted.took("twelve mails", 30);
    counted.desk.keys("<Esc>").pass(60);
    for _ in 0..6 {
        counted.desk.pass(40).settle();
    }
    let archived = counted.desk.get("email", "/email/threads?folder=archive&limit=100");
    assert_eq!(archived["data"].as_array().map(Vec::len), Some(7));
    assert_eq!(counted.desk.outbound().len(), 1);
}

#[test]
fn broadcast_to_two_hundred_people_takes_at_most_twenty_keys() {
    let mut counted = Counted::new(campaign::desk());
    counted.press("gp/").types("renewal-nov");
    counted.press("<Enter>").wait(300_000);
    counted.press("Va").shows("all matches marked");
    counted.press("b").shows("200 in all");
    counted.press("<Shift-Tab>t<Tab>").types("hello en");
    counted.press("<Ctrl-X>").shows("Review broadcast · 200 people");
    counted.press("S").types("END 200");
    counted.press("<Enter>").shows("HELD");
    counted.took("a broadcast until it is held", 13);
    go_on(&mut counted.desk, 60);
    counted.desk.shows("PAUSED").shows("1 of 10 failed (10 %");
    counted.press("c").shows("Continue the broadcast?");
    counted.press("<Ctrl-U>").types("15");
    counted.press("<Enter>").shows("Sending continues");
    go_on(&mut counted.desk, 1_100);
    counted.desk.shows("finished").shows("200/200");
    counted.press("d").shows("From messages read here");
    counted.press("<Esc>yf").shows("copied 2 that failed");
    counted.took("a broadcast until its failures are copied", 20);
}

#[test]
fn a_network_that_drops_in_an_answer_costs_no_key() {
    let mut counted = Counted::with_maria();
    counted.press("t").settle().types("It left th");
    counted.desk.dev("fault", json!({"path_prefix": "/", "count": 1000, "drop": "before"}));
    counted.desk.settle();
    counted.desk.wait(4 * SECOND);
    counted.desk.settle().shows("Offline since").types("is morning.");
    counted.press("<Enter>").settle().has_queued(1);
    let Counted { desk, keys } = counted;
    let mut counted = Counted { desk: desk.crash_and_reopen(), keys };
    counted.desk.dev("fault", json!({"path_prefix": "/", "count": 0}));
    for _ in 0..5 {
        counted.desk.wait(5 * SECOND);
        counted.desk.settle();
    }
    let sent = counted.desk.outbound();
    assert_eq!(sent.len(), 1, "{sent:?}");
    counted.desk.is_connected().has_queued(0);
    counted.took("an answer over an outage and a crash", 2);
}

#[test]
fn answer_that_waits_for_credits_takes_at_most_five_keys() {
    let mut counted = Counted::with_maria();
    counted.press("t").settle().types("It left this morning.");
    counted.press("<Enter>");
    counted.desk.dev("credits", json!({"balance": 0}));
    counted.desk.pass(5).settle().shows("NOT SENT, out of credits");
    counted.desk.dev("credits", json!({"balance": 500}));
    counted.desk.wait(61 * SECOND);
    counted.desk.settle().shows("Esc Y sends 1 that waited for credits");
    counted.press("<Esc>Y").shows("They waited for credits and cost 1 credit");
    counted.press("y").settle().settle().hides("waited for credits");
    assert_eq!(counted.desk.outbound().len(), 1);
    counted.took("an answer that waits for credits", 5);
}

#[test]
fn closed_reply_window_until_the_draft_is_sent_takes_at_most_nine_keys() {
    let mut counted = Counted::with_maria();
    counted.desk.keys("<Enter>p").settle().keys("i").types("It left this morning").keys("<Esc>");
    counted.desk.wait(22 * HOUR + HOUR / 2);
    counted.desk.settle().shows("Paused for long");
    counted.press("e").shows("<2h");
    counted.press("<Esc>").wait(2 * HOUR);
    counted.desk.settle().shows("Reply window closed");
    counted.press("r").shows("Templates ·").types("order way");
    counted.press("<Enter>").shows("Draft kept: It left this morning").types("1041");
    counted.press("<Enter>").has_queued(1).pass(6).settle();
    assert_eq!(counted.desk.outbound().len(), 1);
    counted.press("sr").shows("later: until a reply");
    counted.desk.customer("whatsapp", MARIA, "Maria Lopez", "Thank you!");
    counted.desk.wait(2 * SECOND);
    counted.desk.settle().shows("It left this morning");
    counted.press("i<Enter>").pass(6).settle();
    assert_eq!(counted.desk.outbound().len(), 2);
    counted.took("a closed reply window, a template, and the draft after the answer", 9);
}

#[test]
fn night_on_call_takes_at_most_ten_keys() {
    let mut counted = Counted::new(campaign::desk());
    counted.desk.keys("gp/").types("renewal-nov").keys("<Enter>Vab<Shift-Tab>t<Tab>").types("hello en");
    counted.desk.keys("<Ctrl-X>S").types("END 200").keys("<Enter>").shows("HELD");
    go_on(&mut counted.desk, 20);
    counted.desk.resize((80, 24));
    counted.press("<Ctrl-P>").types("go-to-wall");
    counted.press("<Enter>").wait(8 * SECOND);
    counted.desk.shows("Wall").shows("Running broadcasts: 1");
    let fault = json!({"path_prefix": "/triggers", "count": 5, "status": 500, "code": "WHATSAPP_ERROR"});
    counted.desk.dev("fault", fault);
    for _ in 0..4 {
        go_on(&mut counted.desk, 5);
    }
    counted.desk.wait(10 * SECOND);
    counted.desk.shows("/min since");
    counted.press("<Enter>").shows("Requests");
    counted.press("<Esc>gb").shows("PAUSED");
    counted.press("S").shows("Not sent yet: 190 people");
    counted.press("s").shows("Stopped");
    counted.press(":").types("handover");
    counted.press("<Enter>").shows("copied the handover");
    counted.took("a night on call: wall, failures, stop and handover", 10);
}
