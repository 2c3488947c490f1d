//! A calm screen: colour is for what needs a person, defaults are quiet.

use frontdesk::inbox::color_depth::ColorDepth;
use frontdesk::inbox::theme_table_view::{Role, ThemeName};
use frontdesk::inbox::theme_view::Theme;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use crate::desk::Desk;

/// One in so many cells with text may have an accent.
const ONE_IN: usize = 10;

/// Simulated minutes of the demo before its first screen is judged.
const MINUTES: i64 = 15;

/// The demo after some minutes, as its customers go on writing, with the newest on top.
fn demo_by_activity(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    // Histories are read a few at a time, limited by the rate.
    for _ in 0..MINUTES * 2 {
        desk.pass(30).settle();
    }
    desk
}

/// The demo after some minutes in its first view, the sections of the inbox.
pub(super) fn first_screen(columns: u16, rows: u16) -> Desk {
    let mut desk = demo_by_activity(columns, rows);
    desk.keys("v1").settle().shows("NEEDS A PERSON");
    desk
}

/// Number of cells with text, and of those with an accent.
fn counted(theme: Theme, buffer: &Buffer) -> (usize, usize) {
    let inked: Vec<_> = buffer.content.iter().filter(|cell| !cell.symbol().trim().is_empty()).collect();
    (inked.len(), inked.iter().filter(|cell| theme.is_accent(cell.fg)).count())
}

/// Keys from the inbox of the first tab to its other places.
const PLACES: [&str; 13] = ["0", "2", "3", "4", "<Enter>", "t", "gn", "gp", "gb", "go", "gt", "ga", "gw"];

#[test]
fn after_fifteen_minutes_the_demo_is_calm_at_every_size_and_in_every_place() {
    let mut desk = first_screen(120, 40);
    check_rows(&mut desk);
    for (columns, rows) in [(120, 40), (80, 24), (200, 50), (60, 20)] {
        desk.resize((columns, rows));
        desk.settle();
        check_themes(&mut desk, &format!("at {columns}x{rows}"));
    }
    for (columns, rows) in [(120, 40), (80, 24)] {
        desk.resize((columns, rows));
        desk.theme = Theme::new(ThemeName::Dark, false).in_depth(ColorDepth::Direct);
        for keys in PLACES {
            desk.keys("<Esc><Esc>gi1").settle().keys(keys).settle();
            let (inked, accents) = counted(desk.theme, &desk.buffer());
            let place = format!("{keys:?} at {columns}x{rows}: {accents} of {inked} cells");
            assert!(accents * ONE_IN <= inked, "{place}\n{}", desk.picture());
        }
    }
}

/// At most a tenth of the inked cells have an accent, in every theme.
fn check_themes(desk: &mut Desk, size: &str) {
    for name in ThemeName::ALL {
        for depth in [ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::Direct] {
            desk.theme = Theme::new(name, false).in_depth(depth);
            let (inked, accents) = counted(desk.theme, &desk.buffer());
            let place = format!("{name:?} in {depth:?} {size}: {accents} of {inked} cells");
            assert!(inked > 500, "{place}");
            assert!(accents * ONE_IN <= inked, "{place}\n{}", desk.picture());
            assert_eq!(accents == 0, name == ThemeName::Mono, "{place}");
        }
    }
}

/// Only those who need a person most are red, and only time is amber.
fn check_rows(desk: &mut Desk) {
    desk.theme = Theme::new(ThemeName::Dark, false);
    let picture = desk.picture();
    let header = |text: &str| picture.lines().position(|line| line.contains(text));
    let needs_person = header(" NEEDS A PERSON ").unwrap_or_else(|| panic!("no section:\n{picture}"));
    let with_ai = header(" WITH THE AI ").unwrap_or(40);
    let buffer = desk.buffer();
    let right = (1..120).find(|x| buffer[(*x, 2)].symbol() == "│").expect("an edge of the list");
    let mut marks = std::collections::BTreeSet::new();
    for y in 1..38 {
        let words = |role: Role| -> String {
            let cells = (1..right).map(|x| &buffer[(x, y)]).filter(|cell| cell.fg == desk.theme.color(role));
            cells.map(|cell| cell.symbol()).collect()
        };
        let (red, amber) = (words(Role::Urgent), words(Role::Soon));
        let is_needed = needs_person < usize::from(y) && usize::from(y) < with_ai;
        assert!(red.trim().is_empty() || is_needed, "{red:?}\n{picture}");
        assert!(amber.trim().is_empty() || amber.starts_with("reply window"), "{amber:?}\n{picture}");
        marks.insert(red.trim().to_owned());
    }
    marks.remove("");
    let known = ["asked for a person", "AI repeats itself", "AI does not answer", "not sent"];
    assert!(!marks.is_empty() && marks.iter().all(|mark| known.contains(&mark.as_str())), "{marks:?}");
}

/// Accent and bold of the first letter of a text.
fn accent_and_weight(desk: &Desk, text: &str) -> (bool, bool) {
    let (x, y) = desk.place_of(text);
    let buffer = desk.buffer();
    let cell = &buffer[(x, y)];
    (desk.theme.is_accent(cell.fg), cell.modifier.contains(Modifier::BOLD))
}

#[test]
fn nothing_normal_is_said_and_what_differs_from_it_stands_out() {
    let mut desk = Desk::with_test_tab(120, 40);
    desk.theme = Theme::new(ThemeName::Dark, false);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>").settle();
    assert_eq!(desk.status(), "t take · d done · s later · r reply · / search · ? help");
    desk.hides("LIVE").hides("live").hides("outbox").hides("key ");
    assert_eq!(accent_and_weight(&desk, "TEST"), (true, true));
    desk.keys("p").settle().shows("AI paused");
    assert_eq!(accent_and_weight(&desk, "AI paused"), (true, true));
}

#[test]
fn a_selected_row_keeps_the_letters_it_has() {
    let mut desk = demo_by_activity(120, 40);
    desk.theme = Theme::new(ThemeName::Dark, false);
    let row_of = |desk: &Desk, y: u16| {
        let buffer = desk.buffer();
        let cells: Vec<_> = (1..39).map(|x| buffer[(x, y)].clone()).collect();
        (
            cells.iter().map(|cell| cell.fg).collect::<Vec<_>>(),
            cells.iter().map(|cell| cell.bg).collect::<Vec<_>>(),
        )
    };
    // Two that nobody has read are on top.
    desk.customer("whatsapp", "+34600111901", "Vera Duarte", "Hello?");
    desk.customer("whatsapp", "+34600111902", "Nils Berg", "Hello?");
    desk.settle().keys("gg");
    // The first row is selected; the cursor goes to the second.
    let (_, before) = row_of(&desk, 2);
    assert!(before.iter().all(|color| *color == before[0]), "one ground: {before:?}");
    let (letters, around) = row_of(&desk, 4);
    desk.keys("j");
    let (kept, ground) = row_of(&desk, 4);
    assert!(ground.iter().all(|color| *color == before[0]) && !around.contains(&before[0]), "{ground:?}");
    let accents = |of: &[ratatui::style::Color]| {
        of.iter().map(|entry| desk.theme.is_accent(*entry)).collect::<Vec<_>>()
    };
    assert_eq!(accents(&kept), accents(&letters), "the words keep what they say in colour");
    assert_eq!(marks(&desk, 2..6), ["•", " ", "•", "▌"], "a mark says it, too");
}

/// First column of the list.
fn marks(desk: &Desk, rows: std::ops::Range<u16>) -> Vec<String> {
    let buffer = desk.buffer();
    rows.map(|y| buffer[(1, y)].symbol().to_owned()).collect()
}

#[test]
fn the_selected_row_has_a_mark_that_no_unread_row_has() {
    for (columns, rows, ascii) in [(80, 24, false), (120, 40, false), (80, 24, true)] {
        let (selected, unread) = if ascii { (">", "*") } else { ("▌", "•") };
        let mut desk = Desk::new(columns, rows);
        desk.theme = Theme::new(ThemeName::Mono, ascii);
        for (phone, name) in
            [("+34600111222", "Maria Lopez"), ("+34600111333", "Bo Lind"), ("+34600111444", "Ann Lee")]
        {
            desk.customer("whatsapp", phone, name, "Where is my order?");
        }
        desk.settle().keys("ggj<Enter>").settle().keys("<Esc>").settle();
        // Of three, the second was read and is selected.
        let read = [unread, " ", selected, selected, unread, " "];
        assert_eq!(marks(&desk, 2..8), read, "{columns}x{rows}\n{}", desk.picture());
        desk.keys("k");
        assert_eq!(marks(&desk, 2..8), [unread, selected, " ", " ", unread, " "], "{}", desk.picture());
    }
}

#[test]
fn authors_have_colours_and_their_words_have_none() {
    let mut desk = Desk::new(120, 40);
    desk.theme = Theme::new(ThemeName::Dark, false);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041?");
    desk.colleague("whatsapp", "+34600111222", "It is on its way");
    desk.settle().keys("<Enter>i").types("It arrives today").keys("<Enter>y").pass(6).settle().keys("<Esc>");
    let buffer = desk.buffer();
    let color = |text: &str| buffer[last_place_of(&desk, text)].fg;
    let role = |role: Role| desk.theme.color(role);
    let authors = [color("You  "), color("Elsewhere"), color("Maria  ")];
    assert!(desk.theme.is_accent(authors[0]) && desk.theme.is_accent(authors[1]), "{}", desk.picture());
    assert!(authors[0] != authors[1] && authors[1] != authors[2], "{authors:?}");
    assert!(!desk.theme.is_accent(authors[2]), "the customer is bright, not coloured");
    let words = ["It arrives today", "It is on its way", "Where is my order 1041?"].map(color);
    assert!(words.iter().all(|color| *color == words[0]), "{words:?}");
    assert!(!desk.theme.is_accent(words[0]));
    assert_eq!(authors, [role(Role::You), role(Role::Colleague), role(Role::Customer)]);
    assert_eq!(words, [Color::Reset; 3], "words have the terminal's own colour");
    let (x, y) = last_place_of(&desk, "It is on its way");
    assert_eq!(buffer[(x - 3, y)].fg, role(Role::Dim), "times are dim\n{}", desk.picture());
    let sender = &buffer[last_place_of(&desk, "Maria  ")];
    assert!(sender.modifier.contains(Modifier::BOLD), "{sender:?}");
    let receipt = ["delivered", "sent", "read"].into_iter().find(|word| desk.picture().contains(*word));
    assert_eq!(color(receipt.expect("a receipt")), role(Role::Dim));
}

/// Place of the last text like this: the list may show it above or beside.
fn last_place_of(desk: &Desk, text: &str) -> (u16, u16) {
    let picture = desk.picture();
    let lines: Vec<&str> = picture.lines().collect();
    let y = lines.iter().rposition(|line| line.contains(text));
    let y = y.unwrap_or_else(|| panic!("{text:?} is not on screen:\n{picture}"));
    let x = frontdesk::inbox::wrap::cells(&lines[y][..lines[y].rfind(text).expect("it is there")]);
    (u16::try_from(x).expect("a column"), u16::try_from(y).expect("a row"))
}
