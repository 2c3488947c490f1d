//! Behaviour of the desk: mouse, zoom, copying, privacy, colours, and notifications.

use frontdesk::inbox::keys::Pointer;
use frontdesk::inbox::settings::NoticeSettings;
use frontdesk::inbox::theme_table_view::ThemeName;
use frontdesk::inbox::theme_view::Theme;
use ratatui::style::Color;

use crate::desk::Desk;

fn two_customers(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(columns, rows);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041? maria@mail.example");
    desk.wait(1_000_000);
    desk.customer("whatsapp", "+34600333444", "João Pereira", "Bom dia! Call me: +34 600 333 444");
    desk.settle();
    desk
}

#[test]
fn a_click_selects_the_wheel_scrolls_and_the_divider_moves() {
    let mut desk = two_customers(120, 40);
    desk.clicks("Maria Lopez").shows("Where is my order 1041?");
    // The second click opens it; a click on a message selects it.
    desk.clicks("Maria Lopez").clicks("maria@mail.example").keys("+").shows("👍").keys("<Esc>");
    desk.clicks("João Pereira").shows("Bom dia!");
    desk.clicks("2 Harbor bot");
    assert_eq!(desk.app.desk.active, 0, "where the tabs lie only the drawing knows");
    desk.mouse(Pointer::Tab(1)).shows("No open conversations");
    desk.mouse(Pointer::Tab(0));
    let (edge, _) = desk.place_of("┬");
    desk.mouse(Pointer::Down(edge, 9)).mouse(Pointer::Drag(59, 9)).mouse(Pointer::Up);
    assert_eq!(desk.place_of("┬").0, 59);
    desk.mouse(Pointer::Drag(20, 9));
    assert_eq!(desk.place_of("┬").0, 59, "the button is up");
    desk.keys("<lt><lt>");
    assert_eq!(desk.place_of("┬").0, 51);
    desk.mouse(Pointer::Wheel(5, 5, 1)).mouse(Pointer::Wheel(5, 5, -1));
    photographs!(desk, "a_click_selects_the_wheel_scrolls_and_the_divider_moves", List);
    desk.clicks("Reply").types("hello").shows("hello");
    // The mouse never sends and never answers a question.
    desk.keys("<Enter>").shows("pause the AI and send");
    desk.clicks("pause the AI and send").shows("pause the AI and send").keys("<Esc>");
    assert!(desk.outbound().is_empty());
    desk.keys("<Esc>M").shows("mouse off: drag to select text").keys("M").shows("mouse on");
}

#[test]
fn one_pane_fills_the_screen() {
    let mut desk = two_customers(120, 40);
    desk.keys("<Enter>Z");
    assert!(!desk.picture().contains("Inbox ·"), "{}", desk.picture());
    photographs!(desk, "one_pane_fills_the_screen");
    desk.keys("Z").shows("Inbox ·");
    desk.resize((80, 24));
    desk.keys("Z").shows("this pane fills the screen already");
}

#[test]
fn what_is_copied_is_said() {
    let mut desk = two_customers(120, 40);
    desk.keys("<Enter>ym").shows("copied the text, 33 characters");
    desk.keys("yp").shows("copied the address, 12 characters");
    desk.keys("yl").shows("this message has no file").keys("ye").shows("no error: the message was sent");
    desk.keys("yt").shows("copied the loaded messages").keys("yi");
    assert_eq!(
        desk.copied[..2],
        ["Bom dia! Call me: +34 600 333 444"[..].to_owned(), "+34600333444".to_owned()]
    );
    assert!(
        desk.copied[2].ends_with("João Pereira: Bom dia! Call me: +34 600 333 444"),
        "{}",
        desk.copied[2]
    );
    assert_eq!(desk.copied.len(), 4);
}

#[test]
fn forty_customers_at_once_ring_three_bells() {
    let mut desk = Desk::new(120, 40);
    desk.settle().focus(false);
    for number in 10..50 {
        let (address, name) = (format!("+346001112{number}"), format!("Customer {number}"));
        desk.customer("whatsapp", &address, &name, "Is the site down?");
    }
    let bells = desk.bells;
    desk.wait(1_000_000);
    desk.settle();
    assert_eq!((desk.notices.len(), desk.bells - bells), (3, 3), "{:?}", desk.notices);
    desk.wait(60_000_000);
    desk.customer("whatsapp", "+34600111210", "Customer 10", "Hello?");
    desk.wait(1_000_000);
    desk.settle();
    assert_eq!(desk.notices.len(), 4, "a quiet minute ends the limit: {:?}", desk.notices);
}

#[test]
fn who_looks_elsewhere_is_told_who_writes_but_not_what() {
    let mut desk = two_customers(80, 24);
    desk.focus(false);
    desk.wait(1_000_000);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "a secret");
    desk.settle();
    assert_eq!(
        (desk.bells, desk.notices.as_slice()),
        (1, &["Harbor chat: Maria Lopez writes".to_owned()][..])
    );
    desk.focus(true).wait(1_000_000);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "again");
    desk.settle();
    assert_eq!((desk.bells, desk.notices.len()), (2, 1));
}

#[test]
fn quiet_hours_are_quiet() {
    let quiet = NoticeSettings { quiet_hours: Some((9 * 60, 11 * 60)), ..NoticeSettings::default() };
    let mut desk = Desk::with(80, 24, |settings| settings.notice = quiet);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "hello");
    desk.settle().focus(false).wait(1_000_000);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "hello?");
    desk.settle();
    assert_eq!((desk.bells, desk.notices.len()), (0, 0));
    desk.wait(3_600_000_000);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "hello??");
    desk.settle();
    assert_eq!((desk.bells, desk.notices.len()), (1, 1));
}

#[test]
fn every_theme_draws_the_same_words() {
    let mut desk = two_customers(120, 40);
    desk.customer("whatsapp", "+34600555666", "Ken Tanaka", "I want to talk to a human");
    // A theme without a ground for the selection reverses the selected row.
    let words = desk.settle().settle().shows("asked for a person").keys("j").picture();
    for name in ThemeName::ALL {
        desk.theme = Theme::new(name, false);
        assert_eq!(desk.picture(), words, "{name:?}");
        let coloured =
            desk.buffer().content.iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
        assert_eq!(coloured, name != ThemeName::Mono, "{name:?}");
    }
    desk.theme.ascii = true;
    let drawn = desk.picture();
    let frames = ['─', '│', '┌', '┐', '└', '┘', '├', '┤', '┬', '┴', '┼', '▌'];
    assert!(!drawn.contains(frames), "{drawn}");
}

#[test]
fn what_lies_under_a_question_does_not_eat_its_border() {
    let mut desk = Desk::new(80, 24);
    for number in 0..12 {
        let phone = format!("+8860000{number:04}");
        let text = "自行車店今天有開嗎？我想要買一台新的自行車謝謝";
        // Each name moves the wide characters by one column.
        desk.customer("whatsapp", &phone, &format!("王{}", "a".repeat(number % 2)), text);
        desk.clock.advance(1_000_000);
    }
    desk.settle();
    desk.keys("#").shows("Tags of");
    let (x, top) = desk.place_of(" Tags of");
    let x = x - 1;
    let picture = desk.picture();
    let buffer = desk.buffer();
    for y in top..top + 7 {
        let edge = buffer.cell((x, y)).expect("a cell").symbol();
        assert!(matches!(edge, "┌" | "│" | "└"), "row {y} begins with {edge:?}:\n{picture}");
        let before = buffer.cell((x - 1, y)).expect("a cell").symbol();
        assert!(frontdesk::inbox::wrap::cells(before) < 2, "{before:?} reaches over the border:\n{picture}");
    }
    photographs!(desk, "wide_under_a_question");
}
