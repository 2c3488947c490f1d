//! Pastes without an end, and random bytes.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use randomized::{case_command, case_seeds};

use super::*;
use crate::shell::decoder::{MAX_PASTE_BYTES, MAX_SEQUENCE_BYTES};

#[test]
fn a_paste_without_its_end_ends_with_silence() {
    for rest in ["", "\x1b", "\x1b[", "\x1b[20", "\x1b[201"] {
        let mut played = Played::new();
        played.read(millis(500), format!("\x1b[200~pay\rme{rest}").as_bytes());
        played.pass(millis(999));
        assert_eq!(played.events, [], "{rest:?}");
        played.pass(millis(1));
        assert_eq!(played.events, paste("pay\rme"), "{rest:?}");
        // The end of its mark is no key, and later keys arrive.
        let mark = &"\x1b[201~"[rest.len()..];
        played.read(millis(100), mark.as_bytes());
        played.read(millis(400), b"j");
        assert_eq!(played.drain_events(), [paste("pay\rme"), typed("j")].concat(), "{rest:?}");
    }
}

#[test]
fn more_of_a_paste_that_stalled_is_text() {
    let mut played = Played::new();
    played.read(millis(500), b"\x1b[200~first ");
    played.read(millis(2_000), b"pay\rq");
    played.read(millis(500), b"\x1b[201~");
    played.read(millis(300), b"q");
    assert_eq!(played.drain_events(), [paste("first "), paste("pay\rq"), typed("q")].concat());
    let mut played = Played::new();
    played.read(millis(500), b"\x1b[200~first ");
    played.read(millis(2_000), b"\x7f\x7f");
    assert_eq!(
        played.drain_events(),
        [paste("first "), vec![named("Backspace"), named("Backspace")]].concat()
    );
}

#[test]
fn somebody_who_types_into_a_dead_paste_gets_out() {
    let mut played = Played::new();
    played.read(millis(500), b"\x1b[200~text");
    for _ in 0..200 {
        played.read(millis(120), b"j");
    }
    let keys = played.drain_events().into_iter().filter(|event| *event == named("j")).count();
    assert!((50..200).contains(&keys), "{keys}");
}

#[test]
fn a_paste_is_bounded() {
    let mut played = Played::new();
    played.read(millis(500), b"\x1b[200~");
    for _ in 0..40 {
        played.read(millis(1), &[b'x'; 65_536]);
        assert!(played.decoder.paste.held_bytes() <= MAX_PASTE_BYTES);
    }
    played.read(millis(1), b"y\r\x1b[201~");
    played.read(millis(500), b"j");
    let events = played.drain_events();
    assert_eq!(events.len(), 2);
    assert!(matches!(&events[0], Event::Paste(text) if text.len() == MAX_PASTE_BYTES));
    assert_eq!(events[1], named("j"));
}

#[test]
fn a_sequence_is_bounded() {
    let mut played = Played::new();
    played.read(millis(500), b"\x1b]");
    for _ in 0..40 {
        played.read(millis(1), &[b'0'; 65_536]);
    }
    assert!(played.decoder.body.len() <= MAX_SEQUENCE_BYTES);
    played.read(millis(1), b"\x07");
    played.read(millis(500), format!("\x1b[{}A", "1;".repeat(10_000)).as_bytes());
    assert_eq!(played.drain_events(), []);
}

const LIKELY: &[u8] = b"\x1b\x1b[]OPX^_~M<>?;:$0129\x07\\\r\n\t\x18uAR";

/// Random bytes; bytes with a meaning are more likely.
fn hostile_bytes(random: &mut StdRng) -> Vec<u8> {
    let count = random.random_range(1..40);
    (0..count)
        .map(|_| match random.random_range(0..4) {
            0 => LIKELY[random.random_range(0..LIKELY.len())],
            1 => random.random_range(0x20..0x7f),
            _ => random.random_range(0..=255),
        })
        .collect()
}

#[test]
fn bytes_by_chance_never_end_the_keyboard() {
    let all = sequences();
    for seed in case_seeds(2_000) {
        let mut random = StdRng::seed_from_u64(seed);
        let mut played = Played::new();
        for _ in 0..random.random_range(1..30) {
            let pause = [0, 1, 10, 40, 60, 100, 400, 1_500, 3_000][random.random_range(0..9)];
            let mut bytes = match random.random_range(0..3) {
                0 => all[random.random_range(0..all.len())].0.to_vec(),
                _ => hostile_bytes(&mut random),
            };
            bytes.truncate(random.random_range(1..=bytes.len()));
            played.read_as(millis(pause), &bytes, random.random_range(0..2) == 0);
            let decoder = &played.decoder;
            assert!(decoder.body.len() <= MAX_SEQUENCE_BYTES && decoder.character.len() <= 4, "{seed}");
            assert!(decoder.paste.held_bytes() <= MAX_PASTE_BYTES, "{seed}");
            for event in &played.events {
                if let Event::Key(key) = event {
                    assert!(key.typed().is_none_or(|character| !character.is_control()), "{seed} {key}");
                }
            }
        }
        played.drain_events();
        played.read(millis(1), b"z");
        assert_eq!(played.drain_events(), typed("z"), "{}", case_command(seed, "decoder"));
    }
}

#[test]
fn sequences_cut_by_chance_among_keys_are_what_they_are() {
    let all = sequences();
    for seed in case_seeds(2_000) {
        let mut random = StdRng::seed_from_u64(seed);
        let (mut played, mut expected) = (Played::new(), Vec::new());
        for _ in 0..10 {
            let (bytes, events) = &all[random.random_range(0..all.len())];
            played.pass(millis(400));
            let mut rest: &[u8] = bytes;
            while !rest.is_empty() {
                let (part, after) = rest.split_at(random.random_range(1..=rest.len()));
                played.read(millis(random.random_range(0..50)), part);
                rest = after;
            }
            expected.extend(events.iter().cloned());
            played.read(millis(400), b"k");
            expected.push(named("k"));
        }
        assert_eq!(played.drain_events(), expected, "{}", case_command(seed, "decoder"));
    }
}
