//! Pages of cards: events that lead to the person, templates, the account, and the phone page.

use serde_json::json;

use crate::desk::{Desk, direct, utc};

const MARIA: &str = "+34600111222";

fn desk() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle();
    desk
}

#[test]
fn events_are_cards_that_lead_to_the_person() {
    let mut desk = desk();
    let order = json!({"id": "o1", "orderNumber": "1041", "total": 49.9, "currency": "EUR",
        "customer": {"name": "Maria Lopez", "phone": MARIA}, "items": [{"sku": "saddle", "count": 1}],
        "createdAt": utc("2026-11-20T09:00:00")});
    desk.dev("event", json!({"name": "order.created", "data": order}));
    let appointment =
        json!({"service": "Fitting", "when": "tomorrow", "odd": {"deep": [1, 2, {"x": "\u{1b}[2J"}]}});
    desk.dev("event", json!({"name": "appointment.created", "data": appointment}));
    desk.dev("event", json!({"name": "campaign.completed", "data": {"name": "Autumn", "sent": 300}}));
    desk.run_command("go-to-events")
        .shows("Events · Harbor chat")
        .shows("order")
        .shows("1041")
        .shows("Fitting")
        .shows("Autumn");
    desk.shows("Where is my order 1041?").shows("contact");
    photographs!(desk, "events");
    desk.keys("/").types("saddle").keys("<Enter>").shows("total").shows("49.9").shows("items 1.sku");
    photographs!(desk, "event", Page);
    desk.keys("<Enter>").shows("Where is my order 1041?").hides("Events ·");
    desk.run_command("go-to-events")
        .keys("/")
        .types("autumn")
        .keys("<Enter><Enter>")
        .shows("this event has no number or conversation");
    desk.keys("/<Esc>/").types("zzz").shows("No match");
}

#[test]
fn templates_show_how_they_look_and_what_is_filled_in() {
    let mut desk = desk();
    desk.keys("gt").shows("Templates · Harbor chat").shows("order_on_its_way").shows("approved");
    desk.keys("/").types("order_on_its_way en").keys("<Enter>").shows("{{1}}").shows("fill in");
    photographs!(desk, "templates");
    desk.keys("<Enter>").shows("Template order_on_its_way");
    // Back to the page before, and to the same card.
    desk.keys("<Esc>").shows("Templates · Harbor chat").shows("{{1}}").shows("· order_on_its_way en");
    desk.keys("2gt").shows("for business chat only");
}

#[test]
fn the_account_tells_what_a_key_can_do_and_what_things_cost() {
    let mut desk = desk();
    desk.keys("ga").shows("Account · Harbor chat").shows("1000 credits").shows("less than a day of data yet");
    photographs!(desk, "account");
    desk.keys("j").shows("was spent from here in the last seven days");
    desk.keys("jjjj").shows("answer in them · pause the AI, hand").shows("cannot").shows("mail threads");
    photographs!(desk, "key", Page);
    desk.keys("G").shows("not published").shows("2–3 credits");
    photographs!(desk, "prices", Page);
    desk.run_command("go-to-phone").shows("no phone channel");
    let mut desk = Desk::with_all_tabs(80, 24);
    desk.settle().run_command("go-to-phone").shows("4 Harbor phone");
}

#[test]
fn what_was_spent_is_a_chart_and_a_forecast() {
    let mut desk = desk();
    desk.keys("<Enter>");
    for text in ["One.", "Two.", "Three."] {
        desk.keys("i").types(text).keys("<Enter>").settle();
    }
    // The pause and the message were sent; a day goes by.
    desk.wait(24 * 3_600 * 1_000_000);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "And?");
    desk.settle().keys("i").types("Soon.").keys("<Enter>").settle();
    desk.keys("<Esc>ga").shows("at 3 a day; empty about");
    desk.keys("j").shows("3 credits for 3").shows("1 credit for 1").shows("nothing");
    photographs!(desk, "by_day", Page);
    desk.keys("jj").shows("message").shows("4 credits for 4");
    desk.keys("G").shows("charged: 1 credit on average");
}

#[test]
fn templates_that_are_not_approved_show_their_state_and_reason() {
    let mut desk = desk();
    let put = |name: &str, status: &str, reason: serde_json::Value| {
        json!({"name": name, "language": "en", "category": "UTILITY", "status": status, "reason": reason,
            "components": [{"type": "BODY", "text": "Your order is late."}]})
    };
    desk.template(put("order_late", "REJECTED", json!("SCAM")));
    desk.template(put("order_lost", "PENDING", serde_json::Value::Null));
    desk.keys("gt").settle().shows("order_late").shows("rejected").shows("order_lost").shows("in review");
    desk.keys("/").types("order_late").keys("<Enter>").shows("reason");
    photographs!(desk, "not_approved", Page);
    desk.keys("<Enter>").shows("cannot be sent: the template is rejected");
    // Only approved templates are offered for a conversation.
    desk.keys("<Esc><Esc>").keys("<Enter>T").settle().shows("hello_again").hides("order_late");
}

#[test]
fn a_page_that_cannot_be_read_says_why_and_keeps_what_it_has() {
    let mut desk = desk();
    desk.run_command("go-to-events").shows("Where is my order 1041?").keys("<Esc>");
    let refused = json!({"path_prefix": "/triggers", "count": 20, "status": 503});
    desk.dev("fault", refused);
    desk.wait(61_000_000);
    desk.run_command("go-to-events")
        .shows("could not be read, trying again")
        .shows("Where is my order 1041?");
    photographs!(desk, "not_read_anew", Page);
}

#[test]
fn the_search_line_says_what_is_looked_for_on_each_page() {
    let mut desk = desk();
    let told = [
        ("gt", "names, languages and texts of templates"),
        (":go-to-events<Enter>", "any words of an event"),
        ("gw", "addresses and events of webhooks"),
        ("ga", "any words of the account"),
        ("gp", "names, mail addresses, numbers, tag:WORD"),
    ];
    for (page, words) in told {
        desk.keys(page).keys("/").shows(words).shows("Enter keeps · Esc shows all").keys("<Esc><Esc>");
    }
}
