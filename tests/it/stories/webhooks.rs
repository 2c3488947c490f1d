//! Webhooks: registered with a secret that is shown once, listed, removed; failed challenges.

use frontdesk::model::news::News;
use frontdesk::model::text::SafeText;
use frontdesk::model::webhook_status::{DeliveryCounts, WebhookDeliveryState, WebhookStatus};

use crate::desk::{Desk, direct};
use crate::service::receiver::{Receiver, hex_hmac};

fn desk() -> Desk {
    let mut desk = Desk::with(80, 24, direct);
    desk.settle();
    desk
}

#[test]
fn a_webhook_is_registered_with_a_secret_shown_once_and_removed() {
    let mut desk = desk();
    let receiver = desk.runtime.block_on(Receiver::start());
    desk.keys("gw").shows("No webhooks").keys("a").shows("a customer wrote");
    photographs!(desk, "form", Overlay);
    desk.keys("<Enter>").shows("not yet: the address must begin with https://");
    // A pasted URL replaces the prefilled `https://`.
    desk.types("https://shop.example/hook").keys("<Enter>").shows(" https://shop.example/hook").keys("<Esc>");
    desk.keys("<Ctrl-U>").types(&receiver.url).keys("<Tab><Tab> <Enter>").shows("REGISTER this webhook?");
    desk.shows("message.received").hides("message.sent,").shows("not copied yet").keys("c").shows("(copied)");
    let secret = desk.copied.last().expect("copied").clone();
    assert_eq!(secret.len(), 64);
    desk.shows(&secret).keys("y").hides(&secret).settle();
    desk.wait(1_000_000);
    desk.settle().shows(&receiver.url).shows("active").shows("never shown again").hides(&secret);
    receiver.take();
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hi");
    desk.pass(2);
    let told = receiver.deliveries();
    assert_eq!(told.len(), 1, "only what was chosen");
    let signature = hex_hmac(&secret, &told[0].body);
    assert_eq!(told[0].headers.get("x-service-signature"), Some(&signature));
    desk.keys("D").shows("REMOVE this webhook?").keys("y").settle();
    desk.wait(1_000_000);
    desk.settle().shows("No webhooks");
}

#[test]
fn a_failed_challenge_brings_the_list_of_what_to_look_at() {
    let mut desk = desk();
    let receiver = desk.runtime.block_on(Receiver::start());
    receiver.answer_by(|_| (200, "", b"<html>hello</html>".to_vec()));
    desk.keys("gwa<Ctrl-U>").types(&receiver.url).keys("<Enter>y").settle();
    desk.shows("NOT MADE").shows("no JSON, no HTML, no quotes").shows("try again, or drop it");
    // Nothing listens there; the address is fixed for the picture.
    let mut desk = self::desk();
    desk.keys("gwa<Ctrl-U>").types("http://127.0.0.1:9/hook").keys("<Enter>y").settle();
    desk.shows("NOT MADE");
    photographs!(desk, "not_made", Page);
}

#[test]
fn page_shows_the_health_of_an_endpoint() {
    const DAY: i64 = 86_400;
    let mut desk = desk();
    let receiver = desk.runtime.block_on(Receiver::start());
    desk.keys("gwa<Ctrl-U>").types(&receiver.url).keys("<Enter>y").settle();
    desk.shows("active: deliveries go there").hides("waiting").hides("given up").keys("<Esc>");
    receiver.answer(500, "");
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hi");
    // The page is read again after a minute.
    desk.pass(61);
    desk.keys("gw")
        .settle()
        .shows("FAILING: no delivery arrives")
        .shows("1 event for the next try")
        .keys("<Esc>");
    // Ten attempts, the last of them after three days.
    for _ in 0..12 {
        desk.pass(DAY);
    }
    desk.keys("gw").settle().shows("OFF: given up, failing since").shows("1 event not delivered");
    desk.shows("the operator can send them again");
}

#[test]
fn mail_has_events_of_its_own() {
    let mut desk = Desk::with_all_tabs(80, 24);
    desk.settle().keys("3gwa").shows("email.opened").shows("the AI set the category of a thread");
}

#[test]
fn how_this_desk_itself_is_told_stands_on_the_page_and_in_the_status_line() {
    let mut desk = desk();
    let channel = desk.app.desk.tab().channel.id.clone();
    let tell = |desk: &mut Desk, state: WebhookDeliveryState| {
        let counts = DeliveryCounts { accepted: 41, repeated: 2, unknown: 1, refused: 3 };
        let url = SafeText::line("https://desk.example/hooks/harbor-chat-1a2b3c4d");
        desk.deliver_news(News::WebhookStatus(
            channel.clone(),
            Box::new(WebhookStatus { url, state, counts }),
        ));
    };
    tell(&mut desk, WebhookDeliveryState::Instant);
    desk.keys("gw").shows("this desk").shows("deliveries come through: polling is slow");
    photographs!(desk, "instant");
    tell(&mut desk, WebhookDeliveryState::Doubted);
    desk.keys("<Esc>gw").shows("DOUBTED").keys("D").shows("no registered webhook is selected");
    let why = "127.0.0.1:8790 cannot be listened on: Address already in use; another desk may do it";
    tell(&mut desk, WebhookDeliveryState::Closed(SafeText::line(why)));
    desk.keys("<Esc>gw").shows("CLOSED").shows("polled as usual");
    photographs!(desk, "closed", Page);
}
