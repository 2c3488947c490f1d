//! Screens are shared: who the customers are is hidden wherever their names
//! stand, and nothing else is.

use serde_json::json;

use crate::desk::{Desk, direct, utc};

/// Two who wrote, of whom the list shows one, and one who was only added.
fn desk() -> Desk {
    let mut desk = Desk::with(120, 40, direct);
    desk.customer("whatsapp", "+34600111222", "Maria de la Cruz", "It is me, please look at my order");
    desk.customer("whatsapp", "+351910000111", "João Pereira", "Go to la Rambla, de Mayo");
    desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": "+447700900123", "name": "Marie Brown"}));
    desk.settle();
    desk.keys("/rambla<Enter>").hides("Maria").keys("<F9>").hides("João");
    desk
}

#[test]
fn names_are_hidden_where_the_list_does_not_hold_them() {
    let mut desk = desk();
    desk.keys("<Ctrl-P>").types("cruz").shows("person ").hides("Maria").hides("Cruz").keys("<Esc>");
    desk.keys("g/").types("orde").settle().shows("please look at my order").hides("Maria").hides("Cruz");
    desk.keys("<Ctrl-U>").types("marie").wait(300_000);
    desk.shows("contact of the server").hides("Marie").keys("<Esc>");
    desk.keys("gp").settle().shows("People · ").hides("Maria").hides("Cruz").hides("Marie").hides("Brown");
    desk.keys("<F9>").shows("Maria de la Cruz").shows("Marie Brown");
}

#[test]
fn events_and_what_was_done_name_nobody() {
    let mut desk = desk();
    let order = json!({"id": "o1", "orderNumber": "1041", "customer": {"name": "Helen Marsden"},
        "items": [{"name": "saddle"}], "createdAt": utc("2026-11-20T09:00:00")});
    desk.dev("event", json!({"name": "order.created", "data": order}));
    desk.keys("ge").settle().shows("1041").hides("Helen").hides("Marsden");
    desk.keys("gi<Esc>").shows("the filter is cleared").keys("G").keys("p").settle();
    desk.keys("/rambla<Enter>").settle().keys("gz").hides("Maria").hides("Cruz");
}

#[test]
fn small_words_of_names_and_dates_are_not_hidden() {
    let mut desk = desk();
    desk.keys("<Esc>").shows("Go to la Rambla, de Mayo").hides("Maria");
    desk.keys("dG").shows("\"createdAt\": \"20").hides("João");
}
