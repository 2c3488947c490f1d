//! This desk's files cannot be read for a while, or a server does not tell a
//! page: what is on screen says so, asks again by itself, and shows its rows
//! once it can.

use frontdesk::inbox::event::Load;
use frontdesk::model::time::SECOND;
use serde_json::json;

use crate::desk::Desk;

const SAID: &str = "could not be read, trying again: database is locked";

/// The line that says how things stand.
fn status(desk: &Desk) -> String {
    let picture = desk.picture();
    picture.lines().rev().nth(1).unwrap_or_default().to_owned()
}

/// The sample desk with one of everything that pages show.
fn world() -> Desk {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys("<Enter>i").types("half a thought").keys("<Esc><Esc>").wait(2 * SECOND);
    desk
}

/// Each page: the keys that lead to it, and what stands on it once it was
/// read.
const PAGES: [(&str, &str, &str); 14] = [
    ("list", "2", "Harbor bot LIVE"),
    ("history", "jj", "AI"),
    ("voice and SMS", "gv", "Harbor phone"),
    ("mail threads", "3", "Harbor mail"),
    ("mail reading", "3j", "saddle"),
    ("outbox", "go", "Nothing waits to leave"),
    ("drafts", "gd", "half a thought"),
    ("people", "gp", "+34"),
    ("broadcasts", "gb", "No broadcast was sent"),
    ("templates", "gt", "APPROVED"),
    ("account", "ga", "credits"),
    ("wall", "gW", "Harbor chat"),
    ("search", "g/order", "order"),
    ("paused", "gh", "paused"),
];

#[test]
fn a_failed_read_is_named_on_every_page_and_made_up_for() {
    let mut wrong = Vec::new();
    for (page, keys, rows) in PAGES {
        let mut desk = world();
        desk.unreadable(|_| true).keys(keys);
        desk.wait(SECOND);
        let (picture, line) = (desk.picture(), status(&desk));
        if !picture.contains("could not be read, trying again") {
            wrong.push(format!("{page}: nothing is said:\n{picture}"));
        }
        if line.contains(" live") || line.contains("instant") {
            wrong.push(format!("{page}: called live: {line}"));
        }
        desk.unreadable(|_| false);
        desk.wait(2 * SECOND);
        desk.wait(10 * SECOND);
        let picture = desk.picture();
        if picture.contains("could not be read") || picture.contains("Reading…") || !picture.contains(rows)
        {
            wrong.push(format!("{page}: not made up for:\n{picture}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_list_that_failed_says_why_in_its_pane_and_recovers_without_a_key() {
    let mut desk = world();
    desk.unreadable(|desk| matches!(desk, Load::Conversations(_))).keys("2");
    desk.shows(SAID).hides("Reading…");
    assert!(status(&desk).contains(SAID), "{}", status(&desk));
    // Growing pauses, none longer than two seconds.
    for _ in 0..10 {
        desk.wait(2 * SECOND);
        desk.shows(SAID);
    }
    desk.unreadable(|_| false).wait(2 * SECOND);
    desk.hides("could not be read").hides("Reading…").settle();
    assert!(status(&desk).contains("live"), "{}", status(&desk));
}

#[test]
fn rows_at_hand_stay_while_newer_ones_cannot_be_read() {
    let mut desk = world();
    let before = desk.app.desk.list().page.rows.len();
    desk.unreadable(|desk| matches!(desk, Load::Conversations(_)));
    desk.customer("whatsapp", "+34600999888", "Nadia Novak", "Anybody there?");
    desk.settle().shows(SAID).hides("Nadia Novak");
    assert_eq!(desk.app.desk.list().page.rows.len(), before);
    desk.unreadable(|_| false).wait(2 * SECOND);
    desk.hides("could not be read").keys("gg").shows("Nadia Novak");
}

/// What a key asks for is not done later, when the person looks elsewhere.
#[test]
fn what_a_key_asks_for_is_given_up_in_words() {
    let cases: [(&str, &str); 4] = [
        ("<Space><Space>p", "nothing was changed: this desk's files could not be read"),
        ("gw", "nothing was done: this desk's files could not be read"),
        ("Va", "nothing was done: this desk's files could not be read"),
        ("gpe", "the contact was not opened: this desk's files could not be read"),
    ];
    for (keys, words) in cases {
        let mut desk = world();
        desk.unreadable(|desk| {
            matches!(desk, Load::Marked(_) | Load::Needing(_) | Load::Spread(..) | Load::Person(..))
        });
        desk.keys(keys).shows(words);
        let (rows, layers) = (desk.outbound().len(), desk.app.context.layers.len());
        desk.unreadable(|_| false).wait(5 * SECOND);
        assert_eq!(
            (desk.outbound().len(), desk.app.context.layers.len()),
            (rows, layers),
            "{keys} was done later"
        );
    }
}

#[test]
fn a_draft_that_cannot_be_read_is_not_written_over() {
    let mut desk = world();
    desk.keys("jj").unreadable(|key| matches!(key, Load::Draft(..))).keys("kki").types(" and more");
    desk.wait(3 * SECOND);
    desk.unreadable(|_| false).wait(3 * SECOND);
    desk.shows("half a thought and more");
}

/// A page that a server tells says why nothing came, and asks again.
#[test]
fn a_page_the_server_does_not_tell_asks_again() {
    for (page, path, rows) in
        [("ge", "/triggers", "message"), ("gk", "/webhooks", "No webhooks"), ("gp", "/contacts", "+34")]
    {
        let mut desk = Desk::demo(120, 40);
        desk.settle();
        let fault = json!({"path_prefix": path, "method": "GET", "count": 1, "status": 400,
            "code": "INVALID_REQUEST"});
        desk.dev("fault", fault);
        desk.keys(page).shows("could not be read, trying again");
        assert!(!status(&desk).contains(" live"), "{}", status(&desk));
        desk.wait(2 * SECOND);
        desk.hides("could not be read").shows(rows);
    }
}
