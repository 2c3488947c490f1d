//! The last line: keys of where one is, as many as are wanted, and each of them
//! can be clicked.

use frontdesk::inbox::settings::Footer;

use crate::desk::Desk;
use crate::regions::Region;

fn desk(footer: Footer) -> Desk {
    let mut desk = Desk::with(120, 40, |settings| settings.footer = footer);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041?");
    desk.settle();
    desk
}

/// The last line of the screen.
fn last_line(desk: &Desk) -> String {
    desk.picture().lines().last().expect("a line").trim().to_owned()
}

#[test]
fn three_keys_are_those_that_can_be_pressed_here_and_now() {
    let mut desk = desk(Footer::Three);
    assert_eq!(last_line(&desk), "Enter open  r reply  p pause AI  ? help");
    // What was paused cannot be paused again, but it can be taken back.
    desk.keys("p").settle();
    assert_eq!(last_line(&desk), "Enter open  r reply  z undo  ? help");
    desk.keys("z").settle().keys("<Enter>");
    assert_eq!(last_line(&desk), "r reply  ; note  p pause AI  ? help");
    desk.keys("r");
    assert_eq!(last_line(&desk), "Enter send  Ctrl-N note  Ctrl-J new line  F1 help");
    desk.keys("<Esc>g");
    assert_eq!(last_line(&desk), "Esc cancel");
    desk.keys("<Esc>gp");
    assert!(last_line(&desk).ends_with("? help"), "{}", last_line(&desk));
    desk.keys("<Esc>").resize((80, 24));
    assert_eq!(last_line(&desk), "r reply  ; note  p pause AI  ? help");
}

#[test]
fn one_key_turns_the_line_and_hides_it() {
    let mut desk = desk(Footer::Keys);
    let rows = |desk: &Desk| desk.app.desk.areas(&desk.app.context).body.height;
    let before = rows(&desk);
    assert!(last_line(&desk).contains("e close"));
    desk.keys("<F4>").shows("the last line names three keys").hides("e close");
    desk.keys("<F4>").shows("the last line is hidden; F4 shows it again").hides("p pause AI");
    assert_eq!(rows(&desk), before + 1);
    desk.wait(20_000_000);
    photographs!(desk, "hidden", Status);
    // What belongs to what goes on is seen for as long as it does.
    desk.keys("g").shows("Esc cancel").keys("<Esc>").hides("Esc cancel");
    desk.keys("g/").shows("Tab this tab or all").keys("<Esc>").hides("Tab this tab or all");
    desk.keys(":vie").shows(":vie").shows("view").keys("<Esc>");
    desk.keys("<F4>").shows("as many keys as fit").shows("e close");
    assert_eq!(rows(&desk), before);
}

#[test]
fn a_hint_is_clicked() {
    let mut desk = desk(Footer::Keys);
    desk.clicks("p pause AI").settle().shows("AI OFF by you");
    desk.clicks("P hand back").settle().hides("AI OFF by you");
    // Anywhere on its words.
    let (x, y) = desk.place_of("filter  w");
    desk.mouse(frontdesk::inbox::keys::Pointer::Down(x + 3, y)).shows("filter /").keys("<Esc>");
    desk.clicks("? help").shows("Next conversation").keys("<Esc>").hides("Next conversation");
    desk.resize((200, 50));
    desk.clicks("1-9 tab").shows("the tabs above can be clicked").resize((120, 40));
    desk.clicks("Enter open").clicks("r reply").types("Hello").shows("Hello");
    // No click sends.
    desk.clicks("Enter send  Ctrl-N").shows("the mouse sends nothing: Enter does").shows("Hello");
    desk.settle();
    assert_eq!(desk.outbound().len(), 0);
    desk.clicks("Esc leave  F1").clicks("; note").shows("note");
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
    desk.app.context.settings.footer = Footer::Three;
    desk.settle().shows(":tutor teaches the keys  Enter open");
    desk.keys("r").hides(":tutor").keys("<Esc>").shows(":tutor teaches");
    desk.clicks(":tutor teaches").shows("Tutor 1/8").keys(":tutor<Enter>").hides("Tutor 1/8");
    desk.hides(":tutor teaches");
    // It is told what to press where the line was hidden, too.
    desk.keys("<F4>").hides("Enter open").keys(":tutor<Enter>").shows("Tutor 1/8");
}
