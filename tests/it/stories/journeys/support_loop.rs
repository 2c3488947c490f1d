//! The loop, counted: keys besides the text.

use crate::desk::Desk;

#[test]
fn first_word_after_two_keys() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "I want a person");
    desk.settle();
    let mut keys = 0;
    for key in ["t", "<Enter>"] {
        keys += 1;
        if key == "<Enter>" {
            desk.types("A person here.");
        }
        desk.keys(key);
    }
    desk.pass(6).settle();
    assert_eq!((keys, desk.outbound().len()), (2, 1));
    assert_eq!(desk.outbound()[0]["to"], "+34600111222");
}

#[test]
fn twenty_conversations_in_a_row_take_three_keys_each() {
    let mut desk = Desk::new(120, 40);
    for number in 0..20 {
        desk.customer(
            "whatsapp",
            &format!("+346001112{number:02}"),
            &format!("Customer {number}"),
            "I want to talk to a human",
        );
        desk.wait(1_000_000);
    }
    desk.settle().settle();
    let mut keys = 0;
    desk.keys("w");
    for number in 0..20 {
        desk.keys("t").settle().types(&format!("Answer {number}")).keys("<Enter>").keys("<Alt-d>");
        keys += 3;
        desk.pass(6).settle();
    }
    desk.pass(12).settle();
    let to: std::collections::BTreeSet<String> =
        desk.outbound().iter().map(|sent| sent["to"].to_string()).collect();
    assert_eq!((keys, to.len(), desk.outbound().len()), (60, 20, 20));
    let closed = desk.get("whatsapp", "/conversations?status=closed&limit=50");
    assert_eq!(closed["data"].as_array().map(Vec::len), Some(20));
}
