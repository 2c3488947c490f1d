//! Keys of terminals, by their byte sequences.

use super::*;

/// Sequences of keys that have a name.
pub(super) const NAMED: &[(&[u8], &str)] = &[
    (b"\x1b[A", "Up"),
    (b"\x1b[B", "Down"),
    (b"\x1b[C", "Right"),
    (b"\x1b[D", "Left"),
    (b"\x1bOA", "Up"),
    (b"\x1bOD", "Left"),
    (b"\x1b[H", "Home"),
    (b"\x1b[F", "End"),
    (b"\x1bOH", "Home"),
    (b"\x1bOF", "End"),
    (b"\x1b[1~", "Home"),
    (b"\x1b[4~", "End"),
    (b"\x1b[7~", "Home"),
    (b"\x1b[8~", "End"),
    (b"\x1b[3~", "Delete"),
    (b"\x1b[5~", "PgUp"),
    (b"\x1b[6~", "PgDn"),
    (b"\x1bOP", "F1"),
    (b"\x1bOS", "F4"),
    (b"\x1b[P", "F1"),
    (b"\x1b[R", "F3"),
    (b"\x1b[[A", "F1"),
    (b"\x1b[[E", "F5"),
    (b"\x1b[11~", "F1"),
    (b"\x1b[15~", "F5"),
    (b"\x1b[17~", "F6"),
    (b"\x1b[20~", "F9"),
    (b"\x1b[21~", "F10"),
    (b"\x1b[23~", "F11"),
    (b"\x1b[24~", "F12"),
    (b"\x1b[Z", "Shift-Tab"),
    (b"\x1b[1;2Z", "Shift-Tab"),
    // With modifiers.
    (b"\x1b[1;5D", "Ctrl-Left"),
    (b"\x1b[1;5C", "Ctrl-Right"),
    (b"\x1b[1;3A", "Alt-Up"),
    (b"\x1b[1;2B", "Shift-Down"),
    (b"\x1b[1;6H", "Ctrl-Shift-Home"),
    (b"\x1b[3;5~", "Ctrl-Delete"),
    (b"\x1b[1;5P", "Ctrl-F1"),
    (b"\x1b[15;2~", "Shift-F5"),
    (b"\x1bO5C", "Ctrl-Right"),
    (b"\x1bOa", "Ctrl-Up"),
    (b"\x1b[a", "Shift-Up"),
    (b"\x1b[3^", "Ctrl-Delete"),
    (b"\x1b[3$", "Shift-Delete"),
    (b"\x1b\x1b[A", "Alt-Up"),
    (b"\x1b\x1bOB", "Alt-Down"),
    (b"\x1b\x1b[3~", "Alt-Delete"),
    (b"\x1b\x1b[1;5C", "Ctrl-Alt-Right"),
    // The keypad.
    (b"\x1bOM", "Enter"),
    (b"\x1bOq", "1"),
    (b"\x1bOj", "*"),
    (b"\x1b[57399u", "0"),
    (b"\x1b[57408;129u", "9"),
    (b"\x1b[57414u", "Enter"),
    (b"\x1b[57419u", "Up"),
    // Kitty keyboard protocol.
    (b"\x1b[27u", "Esc"),
    (b"\x1b[13u", "Enter"),
    (b"\x1b[13;2u", "Shift-Enter"),
    (b"\x1b[13;5u", "Ctrl-Enter"),
    (b"\x1b[9;2u", "Shift-Tab"),
    (b"\x1b[127;5u", "Ctrl-Backspace"),
    (b"\x1b[97u", "a"),
    (b"\x1b[97;2u", "A"),
    (b"\x1b[59:58;2u", ":"),
    (b"\x1b[233u", "é"),
    (b"\x1b[112;5u", "Ctrl-P"),
    (b"\x1b[112;69u", "Ctrl-P"),
    (b"\x1b[112;133u", "Ctrl-P"),
    (b"\x1b[105;5u", "Tab"),
    (b"\x1b[109;5u", "Enter"),
    (b"\x1b[91;5u", "Esc"),
    (b"\x1b[98;3u", "Alt-b"),
    (b"\x1b[106;1:2u", "j"),
    (b"\x1b[1;1:1A", "Up"),
    (b"\x1b[1;129A", "Up"),
    (b"\x1b[27;2;13~", "Shift-Enter"),
    (b"\x1b[27;5;112~", "Ctrl-P"),
];

/// Sequences that are no key: unused modifiers, releases, keys without a character, unrequested answers,
/// reports.
pub(super) const NO_KEYS: &[&[u8]] = &[
    b"\x1b[112;9u",
    b"\x1b[13;9u",
    b"\x1b[112;17u",
    b"\x1b[112;33u",
    b"\x1b[112;13u",
    b"\x1b[112;73u",
    b"\x1b[27;9;112~",
    b"\x1b[1;9A",
    b"\x1b[3;33~",
    b"\x1b[106;1:3u",
    b"\x1b[1;1:3A",
    b"\x1b[57441;2u",
    b"\x1b[57358u",
    b"\x1b[57428u",
    b"\x1b[2~",
    b"\x1b[25~",
    b"\x1b[29~",
    b"\x1b[201~",
    b"\x1b[E",
    b"\x1bOE",
    b"\x1b[12;40R",
    b"\x1b[1;1R",
    b"\x1b[0n",
    b"\x1b[?1;2c",
    b"\x1b[?62;4;6;9;22c",
    b"\x1b[>0;276;0c",
    b"\x1b[?1u",
    b"\x1b[?2026;2$y",
    b"\x1b[4;1$y",
    b"\x1b[?997;1n",
    b"\x1b[8;40;120t",
    b"\x1b[48;40;120;800;1200t",
    b"\x1b]11;rgb:0000/2b2b/3636\x07",
    b"\x1b]11;rgb:0000/2b2b/3636\x1b\\",
    b"\x1b]4;1;rgb:dcdc/3232/2f2f\x1b\\",
    b"\x1b]52;c;cHF5ZQ==\x1b\\",
    b"\x1b]lsome title\x1b\\",
    b"\x1bP>|tmux 3.4\x1b\\",
    b"\x1bP>|XTerm(370)\x1b\\",
    b"\x1bP1+r524742=38\x1b\\",
    b"\x1bP!|00000000\x1b\\",
    b"\x1bP1$r0m\x1b\\",
    b"\x1b_Gi=31;OK\x1b\\",
    b"\x1b_Gi=31;ENOENT: no file\x1b\\",
    b"\x1b^private message\x1b\\",
    b"\x1bXstart of string\x1b\\",
];

#[test]
fn each_sequence_is_one_key_or_none() {
    for (bytes, expected) in sequences() {
        assert_eq!(events(&[(millis(500), bytes)]), expected, "{}", bytes.escape_ascii());
    }
}

#[test]
fn single_bytes_are_keys() {
    let cases: [(&[u8], &str); 19] = [
        (b"j", "j"),
        (b"P", "P"),
        (b"\r", "Enter"),
        (b"\n", "Ctrl-J"),
        (b"\t", "Tab"),
        (b"\x7f", "Backspace"),
        (b"\x08", "Ctrl-Backspace"),
        (b"\x00", "Ctrl-Space"),
        (b"\x04", "Ctrl-D"),
        (b"\x1f", "Ctrl-_"),
        (b"\x18", "Ctrl-X"),
        (b"\x1b", "Esc"),
        (b"\x1b\x1b", "Esc"),
        (b"\x1b\r", "Alt-Enter"),
        (b"\x1b\x7f", "Alt-Backspace"),
        (b"\x1bb", "Alt-b"),
        (b"\x1bp", "Alt-p"),
        ("\x1bé".as_bytes(), "Alt-é"),
        (b"\x1b\x04", "Ctrl-Alt-D"),
    ];
    for (bytes, name) in cases {
        assert_eq!(events(&[(millis(500), bytes)]), [named(name)], "{}", bytes.escape_ascii());
    }
}

#[test]
fn backspace_is_what_the_terminal_says() {
    let mut decoder = Decoder::new(0x08);
    assert_eq!(decoder.feed(b"\x08", millis(1), false, true), [named("Backspace")]);
}

#[test]
fn escape_acts_after_its_wait_and_nothing_else_waits() {
    let mut played = Played::new();
    played.read(millis(10), b"\x1b");
    assert_eq!(played.events, []);
    played.pass(millis(49));
    assert_eq!(played.events, []);
    played.pass(millis(1));
    assert_eq!(played.events, [named("Esc")]);
    for bytes in [b"j".as_slice(), b"\r", b"\x1b[A", b"\x1bb", b"\x1b[27u", b"\x1b[M !!", "漢".as_bytes()] {
        let mut played = Played::new();
        played.read(millis(10), bytes);
        assert_eq!(played.events.len(), 1, "{}", bytes.escape_ascii());
    }
}

#[test]
fn escape_before_a_click_or_a_paste_is_a_key() {
    let cases: [(&[u8], Vec<Event>); 3] = [
        (b"\x1b\x1b[<0;1;1M", vec![named("Esc"), Event::Pointer(Pointer::Down(0, 0))]),
        (b"\x1b\x1b[O", vec![named("Esc"), Event::Focus(false)]),
        (b"\x1b\x1b[200~x\x1b[201~", [vec![named("Esc")], paste("x")].concat()),
    ];
    for (bytes, expected) in cases {
        assert_eq!(events(&[(millis(500), bytes)]), expected, "{}", bytes.escape_ascii());
    }
}

#[test]
fn bytes_that_are_no_characters_take_nothing_with_them() {
    let cases: [(&[u8], &str); 9] = [
        (b"\xffx", "\u{fffd}x"),
        (b"caf\xe9 ok", "caf\u{fffd} ok"),
        (b"\xc3(", "\u{fffd}("),
        (b"\xe6\xbcA", "\u{fffd}A"),
        (b"\xf0\x9f\x91\xf0\x9f\x91\x8d", "\u{fffd}👍"),
        (b"\xc2\xc3\xa9", "\u{fffd}é"),
        (b"\x9bA", "\u{fffd}A"),
        (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
        // Eight-bit control characters are no keys either.
        (b"\xc2\x9bA", "A"),
    ];
    for (bytes, text) in cases {
        let mut played = Played::new();
        bytes.iter().for_each(|byte| played.read(millis(60), &[*byte]));
        assert_eq!(played.drain_events(), typed(text), "{}", bytes.escape_ascii());
    }
    let cut = events(&[(millis(500), b"\xc3"), (millis(200), b"\r")]);
    assert_eq!(cut, [typed("\u{fffd}"), vec![named("Enter")]].concat());
}
