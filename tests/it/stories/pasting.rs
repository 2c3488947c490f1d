//! Text faster than a person types, in every place.

use crate::desk::{Desk, direct};

fn desk() -> Desk {
    let mut desk = Desk::with(120, 40, direct);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.customer("whatsapp", "+34600111333", "Anna Keller", "Any news?");
    desk.settle();
    desk
}

#[test]
fn a_burst_in_the_composer_is_text_and_is_not_sent() {
    let mut desk = desk();
    desk.keys("<Enter>i").bursts("Dear Maria,\nit is on its way\n");
    desk.shows("Dear Maria,").shows("it is on its way").shows("pasted, not sent: Enter sends it").settle();
    assert!(desk.outbound().is_empty());
    desk.keys("<Enter>").settle();
    assert_eq!(desk.outbound().len(), 1);
    // Keys that arrived together, with or without Enter.
    desk.bursts("ok\n").shows("pasted, not sent").settle();
    desk.bursts("thank you").shows("thank you").settle();
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn a_burst_on_a_list_is_no_series_of_commands() {
    let mut desk = desk();
    for text in ["please close this\n", "Dear Maria", "pay the bill\ne\n", "one\ttwo three"] {
        desk.bursts(text).shows("pasted text was ignored: press r first to write").settle();
        desk.hides("AI: pausing").hides("Closing");
    }
    // A few characters are keys, but send nothing.
    desk.bursts("iok\n").shows("pasted, not sent").shows("ok").settle();
    assert!(desk.outbound().is_empty());
}

#[test]
fn a_line_typed_at_once_is_a_line() {
    let mut desk = desk();
    desk.bursts(":open +34600111333\n").settle().shows("Anna Keller · +34600111333");
    desk.keys("<Esc>").bursts("fmaria\n").settle().shows("Maria Lopez").hides("Anna Keller  ");
    desk.keys(":").bursts("open +34600111222\n").settle().shows("Maria Lopez · +34600111222");
}

#[test]
fn a_burst_answers_no_question() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Hello?");
    desk.settle().keys("<Enter>i").types("Good morning").keys("<Enter>");
    desk.shows("[y] pause the AI and send").wait(2_000_000);
    desk.bursts("yes please\n").shows("[y] pause the AI and send").shows("Esc answers this");
    desk.settle();
    assert!(desk.outbound().is_empty());
}
