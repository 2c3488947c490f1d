//! What was promised to a customer is noted with a key, rings when it is due,
//! and goes over to whoever takes over.

use crate::desk::{Desk, direct};

const MARIA: &str = "+34600111222";
const JOAO: &str = "+351910000111";
const MINUTE: i64 = 60_000_000;

/// It is ten in the morning, and two customers wait.
fn desk() -> Desk {
    let mut desk = Desk::with(120, 40, direct);
    desk.customer("whatsapp", JOAO, "João Pereira", "Olá");
    desk.clock.advance(1_000_000);
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>");
    desk
}

/// Writes to whom is on screen, and sends it.
fn says(desk: &mut Desk, text: &str) {
    desk.keys("i").types(text).keys("<Enter>").settle().keys("<Esc>");
}

#[test]
fn a_promise_in_an_answer_is_offered_noted_by_a_key_and_rings_when_it_is_due() {
    let mut desk = desk();
    says(&mut desk, "I will call you at 5.");
    desk.shows("Y notes your promise, due 17:00");
    photographs!(desk, "offered", Status);
    desk.keys("Y").settle().shows("noted the promise").keys("<Esc>").shows("due 17:00");
    photographs!(desk, "noted", List);
    desk.keys("z").settle().hides("due 17:00").keys("z");
    desk.keys("Z").shows("Promise until when?").types("17:00 call her").shows("due 17:00: call her");
    photographs!(desk, "asked", Overlay);
    desk.keys("<Enter>").settle().shows("due 17:00");
    let bells = desk.bells;
    desk.wait(7 * 60 * MINUTE - MINUTE);
    desk.settle();
    assert_eq!(desk.bells, bells, "it is not due yet");
    desk.wait(MINUTE);
    desk.settle().shows("promised to Maria Lopez, and due: call her");
    assert_eq!(desk.bells, bells + 1, "it is heard once");
    desk.wait(10 * MINUTE);
    desk.settle().shows("1 promise late · g N").shows("promise late");
    assert_eq!(desk.bells, bells + 1, "and not again");
    photographs!(desk, "late", List, Status);
    // The queue has it with the key of the conversation, and it is kept there.
    desk.keys("gN").shows("promised, and late: call her").keys("Z").shows("Promised to the customer");
    desk.keys("d").settle().hides("promised, and late").keys("<Esc>").hides("promise late");
}

#[test]
fn a_note_in_another_language_and_a_message_of_ones_own_are_offered_too() {
    let mut desk = desk();
    desk.keys(";").types("Ich rufe sie morgen um 9 Uhr an").keys("<Enter>").settle();
    desk.shows("Y notes your promise, due tomorrow 09:00").keys("Y").settle().keys("<Esc>");
    desk.resize((160, 40));
    desk.shows("due tomorrow 09:00");
    // What a customer writes promises nothing of ours.
    desk.customer("whatsapp", JOAO, "João Pereira", "I will call you at 5");
    desk.settle().hides("notes your promise");
}

#[test]
fn what_fell_due_while_nobody_was_there_is_in_the_digest_and_does_not_ring_again() {
    let mut desk = Desk::with(120, 40, |settings| {
        direct(settings);
        settings.away = 30 * MINUTE;
    });
    desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>Z").types("11:00 call her").keys("<Enter>").settle();
    desk.wait(MINUTE);
    desk.wait(3 * 60 * MINUTE);
    let mut desk = desk.crash_and_reopen();
    let bells = desk.bells;
    desk.settle().keys("gc").shows("promised, and due: call her").keys("<Esc>");
    desk.shows("1 promise late");
    assert_eq!(desk.bells, bells, "what became due before it was opened rings no more");
}

#[test]
fn the_handover_names_promises_and_take_makes_them_mine() {
    let mut desk = desk();
    desk.keys("Z").types("17:00 call her").keys("<Enter>").settle().keys("@p").settle().keys("<Esc>");
    desk.keys("jsh").settle();
    desk.keys(":").types("handover").keys("<Enter>").shows("copied the handover");
    let text = desk.copied.last().expect("copied").clone();
    for part in [
        "## Promised to customers",
        "17:00: Maria Lopez on Harbor chat: call her (me)",
        "AI off for",
        "## Comes back within 12 hours",
        "11:00: João Pereira on Harbor chat",
        "me: 1 claimed",
        "credits",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Somebody else comes.
    desk.app.context.settings.agent = model::text::SafeText::line("Ana");
    desk.keys(":").types("handover take").keys("<Enter>").shows("becomes yours, Ana");
    photographs!(desk, "take_over", Overlay);
    desk.keys("y").settle().shows("3 claims, pauses and promises taken over");
    desk.settle().shows("@Ana").shows("AI OFF by you");
    desk.keys(":").types("handover take").keys("<Enter>y").settle().shows("nothing was taken over");
    desk.keys(":").types("handover").keys("<Enter>").shows("copied the handover");
    let text = desk.copied.last().expect("copied").clone();
    assert!(text.contains("call her (Ana)") && text.contains("Ana: 1 claimed"), "{text}");
}
