//! Templates: the only message after the service window has closed.

use serde_json::json;

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";

/// A conversation with a closed window and a draft.
fn closed() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle();
    desk.wait(25 * 3_600_000_000);
    desk.settle().keys("<Enter>i").types("It left this morning").keys("<Esc>");
    desk.shows("Reply window closed · only templates can be sent");
    desk
}

#[test]
fn a_closed_window_is_answered_with_a_template_and_the_draft_stays() {
    let mut desk = closed();
    desk.keys("r").shows("Templates · list fetched").shows("new approvals can lag").shows("hello_again");
    photographs!(desk, "list", Overlay);
    desk.types("order way")
        .shows("order_on_its_way")
        .hides("hello_again")
        .shows("Hi {{1}}, order {{2}} left");
    desk.keys("<Enter>")
        .shows("Template order_on_its_way · en · utility")
        .shows("Draft kept: It left this morning");
    // The name is filled in as the greeting; the rest is open.
    desk.shows("Hi Maria, order {{2}} left").shows("1 field is empty").shows("2–3 credits");
    photographs!(desk, "form", Overlay);
    desk.keys("<Enter>").shows("not sent: 1 field is empty").settle();
    assert!(desk.outbound().is_empty());
    desk.types("1041")
        .shows("order 1041 left our warehouse")
        .shows("Enter send · 2–3 credits, 997 to 998 left");
    photographs!(desk, "full", Overlay);
    desk.keys("<Enter>").settle();
    let sent = desk.outbound();
    assert_eq!(sent.len(), 1);
    assert!(sent[0]["content"].to_string().contains("order 1041 left"), "{}", sent[0]);
    desk.shows("Template sent · waiting for a reply to reopen · draft kept").shows("It left this morning");
    photographs!(desk, "sent", History, Composer);
    // The earlier cost is shown for the next one.
    desk.keys("T").types("hello en").keys("<Enter>").shows("last charged 2 credits").keys("<Esc><Esc>");
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Thank you!");
    desk.wait(2_000_000);
    desk.settle().hides("Reply window").keys("i<Enter>").settle();
    assert_eq!(desk.outbound().len(), 2, "the draft leaves now");
}

#[test]
fn template_is_submitted_and_its_state_is_on_the_page() {
    let mut desk = Desk::with(120, 40, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys(":").types("submit-template order_late en utility").keys("<Enter>");
    desk.shows("submit-template takes a name");
    desk.keys(":").types("submit-template order_late en utility It is late.").keys("<Enter>").settle();
    desk.keys("gt").settle().shows("order_late").shows("in review");
}

#[test]
fn template_is_written_in_a_form_of_the_page() {
    let mut desk = Desk::with(120, 40, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("gt").settle().shows("order_on_its_way").keys("a");
    desk.shows("New template").shows("utility").keys("<Enter>").shows("the name must have");
    desk.types("order_late").keys("<Enter>").shows("the text is empty").keys("<Tab><Tab>");
    desk.shows("advertises").keys("<Tab>").types("Order {{1}} is late.").keys("<Enter>");
    desk.shows("variables need");
    // What was written is there again.
    desk.keys("<Esc>").shows("not submitted; a reopens the form").hides("variables need");
    desk.keys("a").shows("order_late").shows("Order {{1}} is late.");
    desk.keys("<Ctrl-U>").types("It is late.").keys("<Enter>").hides("New template");
    desk.settle().settle().shows("order_late").shows("in review");
    desk.keys("2gt").keys("a").shows("templates are for business chat only");
}

#[test]
fn the_form_says_what_it_cannot_do() {
    let mut desk = closed();
    desk.keys("2").settle().keys("T").shows("template:").keys("1");
    desk.dev("credits", json!({"balance": 1}));
    desk.wait(2_000_000);
    desk.settle()
        .keys("T")
        .types("hello en")
        .keys("<Enter>")
        .shows("cannot send: balance 1, this needs 2–3 credits");
    desk.keys("<Enter>").shows("not sent: balance 1").settle();
    assert!(desk.outbound().is_empty());
    desk.keys("<Esc>").shows("Templates ·").keys("zzz").shows("No match");
}

#[test]
fn every_part_has_its_boxes_and_unknown_parts_are_json() {
    let mut desk = closed();
    let put = |name: &str, components: serde_json::Value| json!({"name": name, "language": "en", "category": "MARKETING", "components": components});
    let rich = json!([
        {"type": "HEADER", "format": "IMAGE", "example": {"header_handle": ["https://shop.example/a.jpg"]}},
        {"type": "BODY", "text": "Hi {{first_name}}, it is ready."},
        {"type": "BUTTONS", "buttons": [{"type": "URL", "text": "Track", "url": "https://shop.example/t/{{1}}"}]}
    ]);
    desk.template(put("rich", rich));
    desk.template(put("strange", json!([{"type": "CAROUSEL", "cards": []}])));
    desk.keys("T<Ctrl-R>").types("rich").keys("<Enter>");
    desk.shows("image link")
        .shows("https://shop.example/a.jpg")
        .shows("body {{first_name}}")
        .shows("button Track {{1}}");
    desk.pastes("a1").shows("[ Track ] https://shop.example/t/a1").shows("Hi Maria, it is ready.");
    photographs!(desk, "rich", Overlay);
    desk.keys("<Tab><Ctrl-U>")
        .types("http://x")
        .keys("<Enter>")
        .shows("not sent: the image link must begin with https://");
    desk.keys("<Esc>").types("strange").keys("<Enter>").shows("an unknown format");
    desk.types("x").keys("<Enter>").shows("not a JSON array: line 1: more text follows its end");
    photographs!(desk, "strange", Overlay);
}

#[test]
fn marketing_template_to_a_customer_who_opted_out_is_warned_of() {
    let mut desk = Desk::with(160, 40, direct);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    let contact = json!({"phone": MARIA, "name": "Maria Lopez", "tags": ["no-marketing"]});
    desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    desk.settle().keys("<Enter>");
    desk.wait(1_000_000);
    desk.settle().shows("no-marketing");
    for (name, category) in [("spring_sale", "MARKETING"), ("bike_ready", "UTILITY")] {
        let components = json!([{"type": "BODY", "text": "Come in, we open at 9."}]);
        desk.template(
            json!({"name": name, "language": "en", "category": category, "components": components}),
        );
    }
    desk.keys("T<Ctrl-R>").types("spring_sale").keys("<Enter>");
    desk.shows("Maria Lopez opted out of marketing: it would not arrive · Enter send anyway");
    desk.keys("<Esc>").types("bike_ready").keys("<Enter>").shows("Enter send ·").hides("opted out");
}
