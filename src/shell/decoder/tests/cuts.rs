//! Sequences cut at any place, with pauses of any length.

use super::*;

const PAUSES: [u64; 5] = [0, 1, 10, 40, 100];

/// Ways to cut a sequence: in two at each place, and into single bytes.
fn ways(bytes: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    let pairs = (1..bytes.len()).map(|at| vec![&bytes[..at], &bytes[at..]]);
    pairs.chain([bytes.chunks(1).collect()])
}

/// Plays the parts after a silence, then a key, which must arrive.
fn played(parts: &[&[u8]], pause: u64) -> Vec<Event> {
    let mut played = Played::new();
    played.pass(LONG);
    for (at, part) in parts.iter().enumerate() {
        played.read(millis(if at == 0 { 0 } else { pause }), part);
    }
    played.pass(LONG);
    played.read(millis(0), b"z");
    let mut events = played.drain_events();
    assert_eq!(events.pop(), Some(named("z")), "the keyboard lives");
    events
}

/// Removes the leading Esc keys that a pause after ESC produces.
fn without_escapes(events: &[Event]) -> &[Event] {
    let escapes = events.iter().take_while(|event| **event == named("Esc")).count();
    &events[escapes.min(2)..]
}

#[test]
fn no_cut_of_a_sequence_acts_as_something_else() {
    let (mut tried, mut late) = (0, 0);
    for (bytes, expected) in sequences() {
        for parts in ways(bytes) {
            for pause in PAUSES {
                let events = played(&parts, pause);
                let place = format!("{parts:?} of {} with {pause} ms", bytes.escape_ascii());
                tried += 1;
                if millis(pause) < crate::shell::decoder::SEQUENCE_TIMEOUT {
                    assert_eq!(events, expected, "{place}");
                    continue;
                }
                late += 1;
                // Equal to a person pressing Esc and Up.
                if bytes.starts_with(b"\x1b\x1b") && parts[0] == b"\x1b" && parts.len() == 2 {
                    continue;
                }
                let rest = without_escapes(&events);
                assert!(rest.is_empty() || *rest == expected, "{place}: {events:?}");
                let escapes = events.len() - rest.len();
                let begins = bytes.iter().take_while(|byte| **byte == 0x1b).count();
                assert!(escapes <= begins, "{place}: {events:?}");
            }
        }
    }
    assert!(tried > 5_000 && late > 1_000, "{tried} cuts, {late} of them late");
}

#[test]
fn a_paste_stays_a_paste_however_slowly_it_begins() {
    let text = "refund for Maria\rq\ry\r";
    let bytes = format!("\x1b[200~{text}\x1b[201~");
    for cut in 1..bytes.len() {
        for pause in [10, 60, 100, 290] {
            let events = played(&[&bytes.as_bytes()[..cut], &bytes.as_bytes()[cut..]], pause);
            assert_eq!(without_escapes(&events), paste(text), "{cut} {pause}: {events:?}");
        }
    }
    // The rest arrives at once after a stall of a second and a half.
    let events = events(&[(millis(500), b"\x1b"), (millis(1_500), &bytes.as_bytes()[1..])]);
    assert_eq!(events, [vec![named("Esc")], paste(text)].concat());
}

#[test]
fn the_rest_of_a_sequence_is_no_key_after_a_stall_either() {
    for (begin, rest) in [
        ("\x1b", "[A"),
        ("\x1b", "[1;5C"),
        ("\x1b", "[[A"),
        ("\x1b", "OP"),
        ("\x1b", "]11;rgb:0000/2b2b/3636\x07"),
        ("\x1b", "P>|tmux 3.4\x1b\\"),
        ("\x1b", "_Gi=31;OK\x1b\\"),
        ("\x1b[", "?61;4;6;7;14;21;22c"),
        ("\x1b[<0;1", "2;30M"),
        ("\x1b]11;rgb:00", "00/2b2b/3636\x1b\\"),
        ("\x1b]11;rgb:0000/2b2b/3636\x1b", "\\"),
        ("\x1bP>|tm", "ux 3.4\x1b\\"),
    ] {
        for pause in [60, 150, 250, 1_900] {
            let events = played(&[begin.as_bytes(), rest.as_bytes()], pause);
            assert_eq!(without_escapes(&events), [], "{begin:?} {rest:?} {pause}: {events:?}");
        }
    }
}

#[test]
fn what_a_person_presses_after_escape_is_a_key() {
    for (pause, bytes, name) in [
        (120, b"j".as_slice(), "j"),
        (60, b"r", "r"),
        (60, b"P", "P"),
        (60, b"[", "["),
        (100, b"]", "]"),
        (60, b"\\", "\\"),
        (200, b"P", "P"),
        (200, b"O", "O"),
        (200, b"]", "]"),
        (200, b"X", "X"),
        (350, b"[", "["),
        (60, b"\r", "Enter"),
        (100, b"\x1b", "Esc"),
        (100, b"\x1b[B", "Down"),
    ] {
        let events = played(&[b"\x1b", bytes], pause);
        assert_eq!(events, [named("Esc"), named(name)], "{pause} {name}");
    }
    let hurried = events(&[(millis(500), b"\x1b"), (millis(60), b"P"), (millis(60), b"j")]);
    assert_eq!(hurried, [named("Esc"), named("P"), named("j")]);
}

#[test]
fn a_key_after_a_lost_end_lives() {
    for (lost, pause, bytes, name) in [
        // A string without its end: Enter, arrows and keys after a pause.
        (b"\x1b]11;rgb:00".as_slice(), 200, b"\r".as_slice(), "Enter"),
        (b"\x1b]11;rgb:00", 200, b"\x1b[A", "Up"),
        (b"\x1b]11;rgb:00", 2_100, b"j", "j"),
        (b"\x1b]", 100, b"j", "j"),
        (b"\x1bP", 100, b"j", "j"),
        (b"\x1b[1;", 2_100, b"j", "j"),
        (b"\x1b[", 2_100, b"j", "j"),
        (b"\x1b[1;", 200, b"\r", "Enter"),
        (b"\x1b[1;", 200, b"\x1b[A", "Up"),
        (b"\x1bO", 2_100, b"j", "j"),
        (b"\x1b[M ", 2_100, b"j", "j"),
    ] {
        let events = played(&[lost, bytes], pause);
        assert_eq!(events, [named(name)], "{} {pause} {name}", lost.escape_ascii());
    }
    // A person types on without a pause.
    let mut played = Played::new();
    played.read(millis(500), b"\x1b]11;rgb:00");
    for _ in 0..80 {
        played.read(millis(150), b"j");
    }
    let lived = played.drain_events();
    assert!((10..80).contains(&lived.len()), "{}", lived.len());
}
