//! Text that comes at once, and text that people type.

use super::*;

fn burst(text: &str) -> Vec<Event> {
    vec![Event::Burst(text.to_owned())]
}

fn all(text: &str) -> Vec<Event> {
    let key = |character| match character {
        '\r' => named("Enter"),
        '\t' => named("Tab"),
        _ => typed(&String::from(character)).remove(0),
    };
    text.chars().map(key).collect()
}

#[test]
fn one_read_is_keys_or_a_burst() {
    let cases = [
        ("j", all("j")),
        ("gn", all("gn")),
        ("jjjjjjjjjjjjjjjjjjjj", all("jjjjjjjjjjjjjjjjjjjj")),
        ("jkjkjkjkjkjkjkjkjkjk", all("jkjkjkjkjkjkjkjkjkjk")),
        ("\r", all("\r")),
        ("\r\r\r", all("\r\r\r")),
        ("\t\r", all("\t\r")),
        ("hello", all("hello")),
        ("hello\t", all("hello\t")),
        ("hello\r", burst("hello\n")),
        ("k\r", burst("k\n")),
        ("ok\rj", burst("ok\nj")),
        ("a\tb", burst("a\tb")),
        ("Dear Ana,\rit is on its way\r", burst("Dear Ana,\nit is on its way\n")),
        ("one\ntwo", burst("one\ntwo")),
        ("Dear Ana", burst("Dear Ana")),
        ("\rhello", all("\rhello")),
        ("\rplease say yes", [all("\r"), burst("please say yes")].concat()),
        ("one\r\rtwo", burst("one\n\ntwo")),
        ("Straße 5\rKöln", burst("Straße 5\nKöln")),
    ];
    for (bytes, expected) in cases {
        assert_eq!(events(&[(millis(500), bytes.as_bytes())]), expected, "{bytes:?}");
    }
    let mixed = events(&[(millis(500), b"hello\x1b[A\r".as_slice())]);
    assert_eq!(mixed, [all("hello"), vec![named("Up"), named("Enter")]].concat());
}

#[test]
fn enter_that_somebody_pressed_after_a_look_is_a_key() {
    // However soon it comes.
    for pause in [0, 1, 5, 20, 200] {
        let seen = events(&[(millis(500), b"Hola, soy Ana"), (millis(pause), b"\r")]);
        assert_eq!(seen.last(), Some(&named("Enter")), "{pause}");
    }
    // Nobody has looked, but nobody types as fast as this, either.
    for (pause, expected) in [(0, burst("\n")), (20, burst("\n")), (30, all("\r")), (200, all("\r"))] {
        let mut played = Played::new();
        played.read(millis(500), b"Hola, soy Ana");
        played.read_as(millis(pause), b"\r", false);
        assert_eq!(played.drain_events()[1..], expected, "{pause}");
    }
}

#[test]
fn typing_is_keys_however_fast_a_person_is() {
    let mut played = Played::new();
    for byte in b"thank you, Maria\rand bye\r" {
        // A roll of two keys, then a key after 60 ms.
        let pause = if byte.is_ascii_lowercase() { 12 } else { 60 };
        played.read(millis(pause.max(30)), &[*byte]);
    }
    assert_eq!(played.drain_events(), all("thank you, Maria\rand bye\r"));
    // Two keys at once, on a screen that is slow.
    let mut played = Played::new();
    played.read_as(millis(500), b"k", false);
    played.read_as(millis(8), b"\r", false);
    assert_eq!(played.drain_events(), all("k\r"));
}

#[test]
fn bytes_at_the_pace_of_a_machine_are_a_burst() {
    for (pause, shown) in [(0, false), (1, false), (1, true), (10, true), (20, false)] {
        let mut played = Played::new();
        for byte in b"refund\rfor Maria\r" {
            played.read_as(millis(pause), &[*byte], shown);
        }
        let events = played.drain_events();
        assert!(!events.contains(&named("Enter")), "{pause} {shown}: {events:?}");
        assert_eq!(events.iter().filter(|event| **event == Event::Burst("\n".to_owned())).count(), 2);
    }
}

#[test]
fn a_reader_that_is_late_takes_no_paste_for_typing() {
    let mut played = Played::new();
    played.read_as(millis(500), b"refund", false);
    played.read_late(millis(700), b"\r");
    played.read_late(millis(700), b"for Maria\r");
    let events = played.drain_events();
    assert!(!events.contains(&named("Enter")), "{events:?}");
}

#[test]
fn a_long_paste_goes_on_in_its_next_reads() {
    let long = "word ".repeat(200);
    let mut played = Played::new();
    played.read_as(millis(500), long.as_bytes(), false);
    played.read_as(millis(90), b"\r", false);
    played.read_as(millis(1), b"pay", false);
    played.read_as(millis(1), b"\r", false);
    let events = played.drain_events();
    let joined: String = events
        .iter()
        .map(|event| match event {
            Event::Burst(text) => text.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(joined, format!("{long}\npay\n"));
}
