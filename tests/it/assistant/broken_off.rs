//! Incomplete or dangerous answers of a model: the customer gets whole words or nothing.

use super::*;

/// A model's answer with a finish reason.
fn ends(text: &str, reason: &str) -> (u16, String) {
    let body = json!({
        "choices": [{"finish_reason": reason, "message": {"role": "assistant", "content": text}}],
        "usage": {"total_tokens": 60},
    });
    (200, body.to_string())
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_once_more() {
    let long = "You can return it. ".repeat(300);
    for (broken, reason) in [("We refund you, unless", "length"), ("We", "content_filter"), (&long, "stop")] {
        let broken = broken.to_owned();
        let model = StandIn::start(move |request| match newest(request).0.as_str() {
            "system" => ends("We refund you within 14 days.", "stop"),
            _ => ends(&broken, reason),
        });
        let world = World::with(&model);
        let id = world.customer("Do you refund?");
        world.advance(5);
        assert_eq!(model.requests().len(), 2, "{reason}");
        let said = world.messages(&id);
        assert_eq!(said.len(), 2, "{reason}: {said:?}");
        assert_eq!(said[1], ("ai".to_owned(), "We refund you within 14 days.".to_owned()));
        assert_eq!(world.escalation(&id), Value::Null);
    }
}

#[test]
fn half_an_answer_is_never_sent() {
    let model = StandIn::start(|_| ends("We refund you, unless", "length"));
    let world = World::with(&model);
    let id = world.customer("Do you refund?");
    world.advance(5);
    assert_eq!((model.requests().len(), world.messages(&id).len()), (2, 1));
    let escalation = world.escalation(&id);
    let reason = escalation["reason"].as_str().expect("a reason");
    assert!(reason.contains("incomplete twice"), "{reason}");
    world.advance(3_600);
    assert_eq!(model.requests().len(), 2, "and it is left at that");
}

#[test]
fn words_of_a_model_leave_without_what_acts() {
    let model = StandIn::start(|_| says("\u{1b}[31mUntil 19:00\u{1b}[0m\0 today.\u{202e}\r\n"));
    let world = World::with(&model);
    let id = world.customer("Are you open?");
    world.advance(5);
    assert_eq!(world.messages(&id)[1], ("ai".to_owned(), "Until 19:00 today.".to_owned()));
}
