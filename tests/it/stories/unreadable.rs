//! Unreadable files, or a failing page of the server: shown, retried, and recovered.

use frontdesk::inbox::event::Load;
use frontdesk::model::time::SECOND;
use serde_json::json;

use crate::desk::Desk;

const SAID: &str = "could not be read, trying again: database is locked";

/// The sample desk with content on every page.
fn world() -> Desk {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys("<Enter>i").types("half a thought").keys("<Esc><Esc>").wait(2 * SECOND);
    desk
}

/// Keys to each page, and text on it once loaded.
const PAGES: [(&str, &str, &str); 14] = [
    ("list", "2", "Harbor bot"),
    ("history", "jj", "AI"),
    ("voice and SMS", ":go-to-phone<Enter>", "Harbor phone"),
    ("mail threads", "3", "Harbor mail"),
    ("mail reading", "3j", "saddle"),
    ("outbox", "go", "Nothing is waiting to send"),
    ("drafts", ":go-to-drafts<Enter>", "half a thought"),
    ("people", "gp", "+34"),
    ("broadcasts", "gb", "No broadcasts yet"),
    ("templates", "gt", "approved"),
    ("account", "ga", "credits"),
    ("wall", ":go-to-wall<Enter>", "Harbor chat"),
    ("search", "/order", "order"),
    ("needs you", "gn", "Needs you · "),
];

#[test]
fn a_failed_read_is_named_on_every_page_and_made_up_for() {
    let mut wrong = Vec::new();
    for (page, keys, rows) in PAGES {
        let mut desk = world();
        desk.unreadable(|_| true).keys(keys);
        desk.wait(SECOND);
        let (picture, line) = (desk.picture(), desk.status());
        if !picture.contains("could not be read, trying again") {
            wrong.push(format!("{page}: nothing is said:\n{picture}"));
        }
        if !line.contains("could not be read") {
            wrong.push(format!("{page}: the last line says nothing of it: {line}"));
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
    assert!(desk.status().contains(SAID), "{}", desk.status());
    // Growing delays, at most two seconds.
    for _ in 0..10 {
        desk.wait(2 * SECOND);
        desk.shows(SAID);
    }
    desk.unreadable(|_| false).wait(2 * SECOND);
    desk.hides("could not be read").hides("Reading…").settle();
    assert!(!desk.status().contains("could not be read"), "{}", desk.status());
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

/// A load requested by a key is not carried out later, when the person may be elsewhere.
#[test]
fn what_a_key_asks_for_is_given_up_in_words() {
    let cases: [(&str, &str); 4] = [
        ("<Space><Space>p", "nothing was changed: this desk's files could not be read"),
        ("w", "nothing was done: this desk's files could not be read"),
        ("Va", "nothing was done: this desk's files could not be read"),
        ("gpe", "the contact was not opened: this desk's files could not be read"),
    ];
    for (keys, words) in cases {
        let mut desk = world();
        desk.unreadable(|desk| {
            matches!(desk, Load::Marked(_) | Load::NeedsPerson | Load::MarkList(..) | Load::Person(..))
        });
        desk.keys(keys).shows(words);
        let (rows, layers) = (desk.outbound().len(), desk.app.context.overlays.len());
        desk.unreadable(|_| false).wait(5 * SECOND);
        assert_eq!(
            (desk.outbound().len(), desk.app.context.overlays.len()),
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

/// A page from the server shows its failure and retries.
#[test]
fn a_page_the_server_does_not_tell_asks_again() {
    for (page, path, rows) in [
        (":go-to-events<Enter>", "/triggers", "message"),
        ("gw", "/webhooks", "No webhooks"),
        ("gp", "/contacts", "+34"),
    ] {
        let mut desk = Desk::demo(120, 40);
        desk.settle();
        let fault = json!({"path_prefix": path, "method": "GET", "count": 1, "status": 400,
            "code": "INVALID_REQUEST"});
        desk.dev("fault", fault);
        desk.keys(page).shows("could not be read, trying again");
        assert!(desk.status().contains("could not be read"), "{}", desk.status());
        desk.wait(2 * SECOND);
        desk.hides("could not be read").shows(rows);
    }
}
