//! The first five minutes: the demo's tutor goes through the loop step by step.

use crate::desk::Desk;
use crate::regions::Region;
use crate::stories::journeys::triage;

/// Speed at which a newcomer reads and types.
const WORDS_A_MINUTE: f64 = 200.0;
const KEYS_A_SECOND: f64 = 2.0;
/// Length of the tutor, in seconds.
const TUTOR_LIMIT: f64 = 180.0;
/// The steps of the tutor with the keys of each: eight lessons, the answer sent once more, and the help.
const STEPS: [(&str, &[&str]); 10] = [
    ("take", &["w", "t"]),
    ("answer", &["Hello, a person here.<Enter>"]),
    ("undo", &["<Alt-z>"]),
    ("the answer once more", &["<Enter>"]),
    ("done", &["<Alt-d>"]),
    ("later", &["s", "t"]),
    ("search", &["<Esc><Esc>/order", "<Esc>"]),
    ("mail", &["3<Enter>"]),
    ("broadcast", &["<Esc>1", "  b", "<Esc>"]),
    ("help", &["?<Esc>"]),
];

fn count_words(text: &str) -> u32 {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    u32::try_from(words.count()).expect("few")
}

/// The demo with its tutor, who wants to see an answer taken back.
fn answered() -> Desk {
    let mut desk = Desk::demo(120, 40);
    desk.settle().keys(":tutor<Enter>").shows("Tutor 1/10 · w finds who needs you");
    desk.keys("w").settle().shows("Tutor 1/10").keys("t").settle().shows("Tutor 2/10 · write a reply");
    desk.types("Hello, a person here.").keys("<Enter>").shows("Tutor 3/10 · Alt-z undo");
    desk
}

#[test]
fn the_tutor_goes_on_when_a_step_has_happened() {
    let mut desk = answered();
    desk.keys("<Alt-z>").settle().shows("Tutor 4/10 · Enter sends it").shows("Hello, a person here.");
    desk.keys("<Enter>").settle().shows("Tutor 5/10 · Alt-d done").keys("<Alt-d>").settle();
    desk.shows("Tutor 6/10 · s later").keys("s").keys("<Esc>").shows("Tutor 6/10").keys("st").settle();
    desk.shows("Tutor 7/10 · Esc to the list").keys("<Esc><Esc>/").types("order").settle();
    desk.keys("<Esc>").shows("Tutor 8/10 · 3 opens the mail").keys("3<Enter>").settle();
    desk.shows("Tutor 9/10 · 1 opens chat").keys("<Esc>1").settle().keys("  b");
    desk.keys("<Esc>").shows("Tutor 10/10 · ? shows the keys").keys("?<Esc>");
    desk.shows("Done. Ctrl-P finds any command").hides("Tutor");
}

/// Read are the lines of the tutor and the menu of times, which is chosen from.
#[test]
fn the_lessons_of_the_tutor_take_at_most_three_minutes() {
    let mut desk = Desk::demo(120, 40);
    desk.settle();
    let (mut keys, mut words) = (0, 0);
    triage::press(&mut desk, &mut keys, ":tutor<Enter>");
    for (number, (lesson, pressed)) in STEPS.into_iter().enumerate() {
        desk.settle();
        let line = desk.status();
        assert!(line.contains(&format!("Tutor {}/10", number + 1)), "{lesson}: {line}");
        words += count_words(&line);
        for part in pressed {
            triage::press(&mut desk, &mut keys, part);
            desk.settle();
            if lesson == "later" && desk.has_overlay() {
                words += count_words(&desk.photograph(&[Region::Overlay]));
            }
        }
    }
    desk.shows("Done. Ctrl-P finds any command");
    words += count_words(&desk.status());
    let seconds = f64::from(words) / WORDS_A_MINUTE * 60.0 + f64::from(keys) / KEYS_A_SECOND;
    println!("tutor: {keys} keys, {words} words to read, {seconds:.0} s");
    assert!(seconds <= TUTOR_LIMIT, "{keys} keys and {words} words: {seconds} s");
}

#[test]
fn an_answer_that_left_before_it_was_taken_back_is_written_again() {
    let mut desk = answered();
    desk.pass(6).settle().shows("Tutor 2/10 · write a reply");
    desk.types("Once more.").keys("<Enter>").shows("Tutor 3/10");
}

#[test]
fn the_tutor_is_left_and_goes_on() {
    let mut desk = answered();
    desk.keys("<Esc>:tutor<Enter>").shows("Tutor stopped at 3 of 10").pass(20).hides("Tutor");
    desk.keys(":tutor<Enter>").shows("Tutor 2/10");
}

#[test]
fn customers_of_ones_own_are_no_exercise() {
    let mut desk = Desk::new(120, 40);
    desk.keys(":tutor<Enter>").shows("frontdesk demo");
}
