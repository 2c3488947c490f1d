//! Response times, as bars.

use crate::desk::Desk;

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";
const MINUTE: i64 = 60_000_000;

#[test]
fn how_fast_customers_are_answered_is_shown_as_bars() {
    let mut desk = Desk::new(120, 40);
    desk.run_command("show-service-levels")
        .shows("First response · the last 7 days")
        .shows("No customer messages in this period");
    desk.shows(" m measure · d days · Esc back").hides("go to tab");
    desk.keys("<Esc>");
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.clock.advance(4 * MINUTE);
    desk.colleague("whatsapp", MARIA, "It left this morning.");
    desk.customer("whatsapp", JOAO, "João Pereira", "Is the shop open?");
    desk.settle().settle();
    desk.run_command("show-service-levels")
        .shows("median 4m · p90 4m · 2 cases")
        .hides("No customer messages");
    photographs!(desk, "first_response", Overlay);
    desk.keys("m").shows("Waiting for an answer").keys("m").shows("Until the last answer").shows("none yet");
    desk.keys("m").shows("Handed over to a person").shows("50%, 1 of 2");
    photographs!(desk, "handed_over", Overlay);
    desk.keys("m").shows("Handed back to the AI").shows("0%, 0 of 1");
    desk.keys("m").shows("First response").keys("d").shows("the last 30 days").shows("median 4m");
    desk.keys("d").shows("the last 24 hours").shows("median 4m").keys("<Esc>").hides("First response");
}
