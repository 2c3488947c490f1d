//! The newest message is just above the composer.

use frontdesk::inbox::keys::Pointer;
use frontdesk::inbox::wrap;

use crate::desk::Desk;

const MARIA: &str = "+34600111222";

/// Position of a text in the history: the list may show it above or beside, but nothing does below.
fn place_of(desk: &Desk, text: &str) -> (u16, u16) {
    let picture = desk.picture();
    let lines: Vec<&str> = picture.lines().collect();
    let y = lines.iter().rposition(|line| line.contains(text));
    let y = y.unwrap_or_else(|| panic!("{text:?} is not on screen:\n{picture}"));
    let x = wrap::cells(&lines[y][..lines[y].rfind(text).expect("it is there")]);
    (u16::try_from(x).expect("a column"), u16::try_from(y).expect("a row"))
}

fn row_of(desk: &Desk, text: &str) -> u16 {
    place_of(desk, text).1
}

fn composer(desk: &Desk) -> u16 {
    row_of(desk, "├ Reply")
}

fn says(desk: &mut Desk, text: &str) {
    desk.customer("whatsapp", MARIA, "Maria Lopez", text);
    desk.clock.advance(60_000_000);
    desk.settle();
}

#[test]
fn a_short_history_stands_at_the_bottom_and_grows_upward() {
    for (columns, rows) in [(120, 40), (80, 24), (200, 50)] {
        let mut desk = Desk::new(columns, rows);
        says(&mut desk, "first words");
        desk.keys("<Enter>").settle();
        assert_eq!(row_of(&desk, "first words") + 1, composer(&desk), "{}", desk.picture());
        says(&mut desk, "second words");
        let (first, second) = (row_of(&desk, "first words"), row_of(&desk, "second words"));
        assert!(first < second && second + 1 == composer(&desk), "{}", desk.picture());
        for number in 0..60 {
            says(&mut desk, &format!("words {number:02}"));
        }
        assert_eq!(row_of(&desk, "words 59") + 1, composer(&desk), "{}", desk.picture());
    }
}

#[test]
fn a_click_selects_the_message_under_it_and_nothing_above_the_first() {
    let mut desk = Desk::new(120, 40);
    for text in ["one word", "two words", "three words"] {
        says(&mut desk, text);
    }
    desk.keys("<Enter>").settle();
    let selected = |desk: &Desk, text: &str| {
        let y = row_of(desk, text);
        let x = desk.place_of("┬ Maria Lopez").0 + 1;
        desk.buffer()[(x, y)].symbol() == "▌"
    };
    for text in ["one word", "three words", "two words"] {
        let (x, y) = place_of(&desk, text);
        desk.mouse(Pointer::Down(x, y)).mouse(Pointer::Up);
        assert!(selected(&desk, text), "{text}\n{}", desk.picture());
    }
    let (x, _) = place_of(&desk, "two words");
    desk.mouse(Pointer::Down(x, 3)).mouse(Pointer::Up);
    assert!(selected(&desk, "two words"), "an empty row selects nothing\n{}", desk.picture());
}

#[test]
fn keys_and_wheel_stay_where_the_messages_are() {
    let mut desk = Desk::new(120, 40);
    for text in ["one word", "two words", "three words"] {
        says(&mut desk, text);
    }
    desk.keys("<Enter>").settle();
    let still = row_of(&desk, "one word");
    let (x, y) = place_of(&desk, "two words");
    for keys in ["<PgUp>", "<PgDn>", "<Home>", "<End>", "kk", "G", "<Ctrl-U>"] {
        desk.keys(keys);
        assert_eq!(row_of(&desk, "one word"), still, "{keys}\n{}", desk.picture());
    }
    for notches in [-1, -1, 1] {
        desk.mouse(Pointer::Wheel(x, y, notches));
        assert_eq!(row_of(&desk, "one word"), still, "{}", desk.picture());
    }
    // A history that fits completely has nothing below the screen at its top.
    desk.keys("<Home>");
    says(&mut desk, "four words");
    desk.hides("new below");
    assert_eq!(row_of(&desk, "four words") + 1, composer(&desk), "{}", desk.picture());
    desk.keys("G").hides("new below");
}

#[test]
fn what_is_read_stays_while_a_history_outgrows_its_pane() {
    let mut desk = Desk::new(120, 24);
    for number in 0..10 {
        says(&mut desk, &format!("words {number:02}"));
    }
    desk.keys("<Enter>").settle().keys("<Home>");
    for number in 10..40 {
        says(&mut desk, &format!("words {number:02}"));
    }
    desk.shows("words 00").hides("words 38").shows("new below");
    let first = row_of(&desk, "words 00");
    says(&mut desk, "words 40");
    assert_eq!(row_of(&desk, "words 00"), first, "what is read moved\n{}", desk.picture());
    desk.keys("G").hides("new below");
    assert_eq!(row_of(&desk, "words 40") + 1, composer(&desk), "{}", desk.picture());
}
