//! The last line: keys of the current place, as many as configured, each clickable.

use frontdesk::inbox::plain::PlainOutput;
use frontdesk::inbox::settings::Footer;
use frontdesk::model::time::{DAY, MINUTE};

use crate::desk::Desk;
use crate::regions::Region;

fn desk(footer: Footer) -> Desk {
    let mut desk = Desk::with(120, 40, |settings| settings.footer = footer);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041?");
    desk.settle();
    desk
}

#[test]
fn the_keys_are_those_that_can_be_pressed_here_and_now() {
    let mut desk = desk(Footer::Keys);
    let line = |desk: &Desk| desk.status();
    assert_eq!(line(&desk), "Enter open · t take · d done · s later · / search · ? help");
    // A paused AI cannot be paused again; undo is the second key.
    desk.keys("p").settle();
    let keys = "Enter open · z undo · t take · d done · s later · ? help";
    assert!(line(&desk).starts_with(keys), "{}", line(&desk));
    desk.keys("z").settle().wait(10_000_000);
    desk.keys("<Enter>");
    assert_eq!(line(&desk), "t take · d done · s later · r reply · / search · ? help");
    desk.keys("r");
    assert_eq!(line(&desk), "Enter send · Alt-d done · Ctrl-O more · Esc leave · Ctrl-N note · F1 help");
    desk.keys("<Esc>g");
    assert_eq!(line(&desk), "Esc cancel");
    desk.keys("<Esc>gp");
    assert!(line(&desk).ends_with("? help"), "{}", line(&desk));
    desk.keys("<Esc>").resize((60, 20));
    assert_eq!(line(&desk), "t take · d done · s later · r reply · / search · ? help");
}

#[test]
fn the_loop_has_the_same_keys_on_every_channel() {
    let mut desk = Desk::demo(120, 40);
    desk.settle();
    for (tab, done) in [("1", "d done"), ("2", "d done"), ("3", "d archive"), ("4", "d done")] {
        desk.keys(tab).settle();
        for focus in ["", "<Enter>"] {
            desk.keys(focus).settle();
            let line = desk.status();
            for key in ["t take", done, "s later", "? help"] {
                assert!(line.contains(key), "{key} in tab {tab}: {line}");
            }
        }
        desk.keys("<Esc>");
    }
}

#[test]
fn news_is_at_the_right_and_a_notice_takes_the_place_of_the_keys() {
    let mut desk = desk(Footer::Keys);
    let keys = "Enter open · t take · d done · s later · / search · ? help";
    desk.keys("j");
    assert_eq!(desk.status(), keys, "nothing normal is said");
    // Somebody writes while a conversation is read.
    desk.keys("<Enter>");
    desk.customer("telegram", "48211", "Oksana", "I want to talk to a human");
    desk.settle();
    let line = desk.status();
    assert!(line.starts_with("t take") && line.ends_with("1 new needs a person"), "{line}");
    desk.keys("<Esc>j");
    assert_eq!(desk.status(), keys, "it was looked at");
    desk.keys("'");
    assert!(desk.status().starts_with("' is not a key here"), "{}", desk.status());
    desk.wait(10_000_000);
    assert_eq!(desk.status(), keys);
}

#[test]
fn one_key_changes_the_number_of_keys() {
    let mut desk = desk(Footer::Keys);
    assert!(desk.status().contains("/ search"));
    desk.keys("<F4>").shows("The last line shows three keys").wait(10_000_000);
    desk.settle();
    assert_eq!(desk.status(), "Enter open · t take · d done · ? help");
    desk.keys("<F4>").shows("The last line shows no keys").wait(10_000_000);
    desk.settle();
    assert_eq!(desk.status(), "");
    // Hints of a popup or key sequence stay as long as it is active.
    desk.keys("g").shows("Esc cancel").keys("<Esc>").hides("Esc cancel");
    desk.run_command("search-all")
        .shows("Tab this channel or all")
        .keys("<Esc>")
        .hides("Tab this channel or all");
    desk.keys(":vie").shows(":vie").shows("view").keys("<Esc>");
    desk.keys("<F4>").shows("The last line shows five keys").wait(10_000_000);
    desk.settle();
    assert!(desk.status().contains("/ search"));
}

#[test]
fn a_hint_is_clicked() {
    let mut desk = desk(Footer::Keys);
    desk.clicks("t take").settle().shows("you have it").keys("<Esc><Esc>");
    desk.wait(10_000_000);
    desk.clicks("z undo").settle().hides("you have it").wait(10_000_000);
    // Anywhere on its words.
    let (x, y) = desk.place_of("later · /");
    desk.mouse(frontdesk::inbox::keys::Pointer::Down(x + 3, y)).shows("Later: Maria").keys("<Esc>");
    desk.clicks("? help").shows("Keys ·").keys("<Esc>").hides("Keys ·");
    desk.clicks("Enter open").clicks("r reply").types("Hello").shows("Hello");
    // No click sends.
    desk.clicks("Enter send").shows("the mouse cannot send: Enter send").shows("Hello");
    desk.settle().wait(10_000_000);
    assert_eq!(desk.outbound().len(), 0);
    desk.clicks("Esc leave").shows("r reply");
}

#[test]
fn no_hint_is_clicked_while_something_is_asked() {
    let mut desk = desk(Footer::Keys);
    desk.keys("r").types("Hello").keys("<Enter>").shows("[y] pause the AI and send");
    let before = desk.photograph(&[Region::Overlay]);
    let (_, y) = (0, 39);
    for x in (0..120).step_by(3) {
        desk.mouse(frontdesk::inbox::keys::Pointer::Down(x, y));
    }
    assert_eq!(desk.photograph(&[Region::Overlay]), before);
    assert!(!desk.quit);
}

#[test]
fn the_demo_offers_its_tutor_until_it_has_begun() {
    let mut desk = Desk::demo(80, 24);
    desk.settle().hides(":tutor");
    desk.app.context.settings.tutor_offered_until = Some(desk.app.context.now.plus(DAY));
    desk.shows(":tutor teaches · Enter open");
    desk.keys("r").hides(":tutor").keys("<Esc>").shows(":tutor teaches");
    desk.clicks(":tutor teaches").shows("Tutor 1/10").keys(":tutor<Enter>").hides("Tutor 1/10");
    desk.wait(10_000_000);
    desk.hides(":tutor teaches");
    // The tutor is shown even if the keys are hidden.
    desk.keys("<F4><F4>").hides("Enter open").keys(":tutor<Enter>").shows("Tutor 1/10");
}

#[test]
fn plain_mode_reads_each_step_of_the_tutor_once() {
    let mut desk = Desk::demo(80, 24);
    desk.settle();
    let mut output = PlainOutput::default();
    output.collect_new_lines(&desk.app);
    assert_eq!(desk.says("tutor"), None);
    let lines = output.collect_new_lines(&desk.app);
    assert!(lines.iter().any(|line| line.starts_with("Tutor 1/10")), "{lines:?}");
    let lines = output.collect_new_lines(&desk.app);
    assert!(!lines.iter().any(|line| line.contains("Tutor")), "{lines:?}");
}

#[test]
fn the_tutor_is_offered_on_the_first_day_only() {
    let mut desk = Desk::demo(80, 24);
    desk.settle();
    desk.app.context.settings.tutor_offered_until = Some(desk.app.context.now.plus(DAY));
    desk.wait(DAY - MINUTE);
    desk.shows(":tutor teaches").wait(2 * MINUTE);
    desk.hides(":tutor teaches").shows("Enter open");
}
