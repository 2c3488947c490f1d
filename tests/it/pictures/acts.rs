//! Screens of the acts that once misled people, as text: a file for each size, with a screen for each act.
//! `UPDATE_PICTURES=1` writes the files anew. `stories/four_sizes.rs` checks what they must say.
//! `team.rs` draws its screens in the same way.

use std::fmt::Write;
use std::path::Path;

use frontdesk::inbox::first_run::FirstRun;
use frontdesk::inbox::first_run::view;
use frontdesk::inbox::layout::Area;
use frontdesk::inbox::plain::PlainOutput;
use frontdesk::inbox::theme_table_view::ThemeName;
use frontdesk::inbox::theme_view::Theme;
use frontdesk::model::proposals::ProposedChange;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;

use crate::desk::{Desk, direct};
use crate::regions::rows_of;
use crate::stories::broadcasts::go_on;
use crate::stories::four_sizes::{SIZES, desk, held_broadcast};
use crate::stories::mail::{calm, letter};

/// Size at which a screen is reached.
const SIZE: (u16, u16) = (120, 40);
const FOLDER: &str = "tests/it/pictures/acts";
const MARIA: &str = "+34600111222";

/// Title of a screen, and what leads there.
pub(super) type Screen = (&'static str, fn() -> Desk);

const SCREENS: [Screen; 13] = [
    ("Stop of a broadcast that is held", stop),
    ("Pause, then done: the most urgent is open", pause_then_done),
    ("Answer, then done: bar and pane are of one person", answer_then_done),
    ("Done on a mail with an unsent draft", mail_with_a_draft),
    ("Done hands back: nobody is left without an answer", nobody_left),
    ("What is answered on the phone", phone),
    ("Done on a bot", done_on_a_bot),
    ("One plan of a broadcast", one_plan),
    ("Charts of a broadcast with a failure", charts),
    ("An outdated proposal", outdated_proposal),
    ("The mark of the selected row", selected_mark),
    ("A notice of another tab", notice_of_another_tab),
    ("The tutor", tutor),
];

fn stop() -> Desk {
    let mut desk = held_broadcast(SIZE);
    desk.keys("S").shows("Not sent yet: 3 people");
    desk
}

fn pause_then_done() -> Desk {
    let mut desk = desk(SIZE);
    desk.customer("telegram", "48211", "Oksana", "Hello?");
    desk.settle().keys(":open maria<Enter>").settle().keys("p").settle();
    desk.keys("d").shows("No answer to Maria Lopez").keys("d").settle();
    desk
}

/// Maria has an answer that has left.
fn answered() -> Desk {
    let mut desk = desk(SIZE);
    desk.keys(":open maria<Enter>").settle().keys("t").settle();
    desk.types("All right!").keys("<Enter><Ctrl-X><Esc>").settle();
    desk
}

fn answer_then_done() -> Desk {
    let mut desk = answered();
    desk.keys("d").shows("Maria Lopez closes in").settle();
    desk
}

fn mail_with_a_draft() -> Desk {
    let mut desk = Desk::demo(SIZE.0, SIZE.1);
    letter(&desk, "ana@ruiz.example", "Ana Ruiz", "Order 2001", Some("Where is it?"), None);
    calm(&mut desk);
    desk.keys("3").settle().keys(":open ana@ruiz.example<Enter>").settle();
    desk.keys("r").settle().types("Dear Ana").keys("<Esc>d").settle().shows("Unsent draft to Ana Ruiz");
    desk
}

fn nobody_left() -> Desk {
    let mut desk = answered();
    desk.keys("d").pass(6).settle().settle().has_paused(0).keys("gn").settle();
    desk
}

fn phone() -> Desk {
    let mut desk = Desk::demo(SIZE.0, SIZE.1);
    desk.settle().keys("4").settle().keys("gg<Enter>").settle();
    desk
}

fn done_on_a_bot() -> Desk {
    let mut desk = desk(SIZE);
    desk.customer("telegram", "48211", "Oksana", "Thanks");
    desk.settle().keys("2<Enter>dd").shows("put away until they write").settle();
    desk
}

fn one_plan() -> Desk {
    let mut desk = Desk::with(SIZE.0, SIZE.1, direct);
    for number in 0..42 {
        let phone = format!("+34{number:05}2222");
        let body = json!({"phone": phone, "name": format!("Person {number:03}")});
        desk.elsewhere("whatsapp", "POST", "/contacts", body);
    }
    desk.settle().keys("gp").shows("Person 0").keys("ggVa").shows("all marked");
    desk.keys("b<Shift-Tab>t<Tab>").types("hello en").keys("<Ctrl-X>").shows("Review broadcast · 42 people");
    desk
}

fn charts() -> Desk {
    let mut desk = held_broadcast(SIZE);
    desk.wait(16_000_000);
    desk.settle();
    go_on(&mut desk, 120);
    desk.shows("1 failed");
    desk
}

fn outdated_proposal() -> Desk {
    let mut desk = Desk::with(SIZE.0, SIZE.1, direct);
    let id = desk.customer("whatsapp", MARIA, "Maria Lopez", "Where is my order 1041?");
    let change = ProposedChange::Reply { text: "Your order left the shop today.".to_owned() };
    desk.settle().propose("whatsapp", &id, change);
    desk.keys("<Enter>").settle().wait(60_000_000);
    desk.colleague("whatsapp", MARIA, "It is on its way");
    desk.settle().keys("<Esc><Esc>").shows("proposal too old");
    desk
}

fn selected_mark() -> Desk {
    let mut desk = desk(SIZE);
    desk.keys("v1").settle().keys("gg").settle().shows("asked for a person");
    desk
}

fn notice_of_another_tab() -> Desk {
    let mut desk = desk(SIZE);
    desk.customer("telegram", "48211", "Oksana", "Hello?");
    desk.settle().keys("1").settle().keys(":claim<Enter>").shows("claimed").keys("2").settle();
    desk
}

fn tutor() -> Desk {
    let mut desk = Desk::demo(SIZE.0, SIZE.1);
    desk.settle().keys(":tutor<Enter>").settle().keys("w").settle().keys("t").settle();
    desk.shows("Tutor 2/10");
    desk
}

/// The screen of a desk without a channel.
fn welcome((width, height): (u16, u16)) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let screen = FirstRun::new("/home/ana/.config/frontdesk/config.toml");
    view::draw(&screen, Theme::new(ThemeName::Mono, false), &mut buffer);
    rows_of(&buffer, Area { x: 0, y: 0, width, height }).join("\n")
}

/// The first lines of the demo in plain mode.
fn plain_lines() -> String {
    let mut desk = Desk::demo(99, 60);
    desk.app.context.settings.is_plain = true;
    desk.settle();
    PlainOutput::default().collect_new_lines(&desk.app).join("\n")
}

fn add(text: &mut String, title: &str, picture: &str) {
    writeln!(text, "== {title} ==\n\n{picture}\n").expect("a string");
}

/// Draws each screen at each size.
pub(super) fn draw(screens: &[Screen]) -> [String; SIZES.len()] {
    let mut texts = SIZES.map(|_| String::new());
    for (title, screen) in screens {
        let mut desk = screen();
        for (size, text) in SIZES.into_iter().zip(&mut texts) {
            desk.resize(size);
            add(text, title, &desk.photograph(&[]));
        }
    }
    texts
}

/// Compares the screens of a size with its file in a folder.
#[track_caller]
pub(super) fn compare(folder: &str, (width, height): (u16, u16), drawn: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let path = folder.join(format!("{width}x{height}.txt"));
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        std::fs::create_dir_all(folder).expect("a folder");
        return std::fs::write(path, drawn).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(drawn.lines()).find(|(kept, drawn)| kept != drawn);
    assert!(
        kept == drawn,
        "{} has other screens than today: run the tests with UPDATE_PICTURES=1; {differs:#?}",
        path.display()
    );
}

#[test]
fn the_screens_of_the_acts_that_once_misled_are_those_of_today() {
    let lines = plain_lines();
    for (size, mut text) in SIZES.into_iter().zip(draw(&SCREENS)) {
        add(&mut text, "A desk without a channel", &welcome(size));
        add(&mut text, "The demo in plain mode", &lines);
        compare(FOLDER, size, &text);
    }
}
