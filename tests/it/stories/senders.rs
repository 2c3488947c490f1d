//! Configured names of senders; and a test key that cannot be taken for a live one.

use frontdesk::model::messages::SenderAliases;

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const SECOND: i64 = 1_000_000;

#[test]
fn another_holder_of_the_key_has_the_name_a_person_gave() {
    let aliases = SenderAliases::new([("API".to_owned(), "Order bot".to_owned())]);
    let mut desk = Desk::with(120, 40, |settings| settings.senders = aliases);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order?");
    desk.wait(SECOND);
    desk.colleague("whatsapp", MARIA, "It has left.");
    desk.wait(SECOND);
    desk.settle().keys("<Enter>").settle().shows("Order bot").hides("API  ");
    photographs!(desk, "named", History);
    // The server's name stays visible.
    desk.keys("k<Esc><Enter>=").shows("another program with a key");
}

#[test]
fn a_test_tab_has_another_border() {
    let mut desk = Desk::with_test_tab(120, 40);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order?");
    desk.settle().hides("┆");
    desk.keys("2").settle().shows("Test chat TEST").shows("┆").shows("╌");
    photographs!(desk, "test");
    desk.theme.ascii = true;
    desk.shows("~~~").shows(":");
    photographs!(desk, "test_ascii");
}
