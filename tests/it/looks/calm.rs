//! A calm screen: colour is for what needs a person, defaults are quiet.

use frontdesk::inbox::contrast::Rgb;
use frontdesk::inbox::palette_view::ThemePalette;
use frontdesk::inbox::terminal_colors::{ColorDepth, TerminalColors};
use frontdesk::inbox::theme_view::Theme;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use crate::desk::Desk;

/// One in so many inked cells may carry an accent.
const ONE_IN: usize = 10;

fn known(letters: Rgb, ground: Rgb) -> TerminalColors {
    let (letters, ground) = (Some(letters), Some(ground));
    TerminalColors { depth: ColorDepth::Direct, letters, ground, ..TerminalColors::UNKNOWN }
}

/// The first screen of the demo, once the sample customers have been read.
fn first_screen(columns: u16, rows: u16) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    // Histories are read a few at a time, as the rate allows.
    for _ in 0..12 {
        desk.settle();
        desk.wait(5_000_000);
    }
    desk
}

/// Inked cells, and those of them that carry an accent.
fn counted(theme: Theme, buffer: &Buffer) -> (usize, usize) {
    let inked: Vec<_> = buffer.content.iter().filter(|cell| !cell.symbol().trim().is_empty()).collect();
    (inked.len(), inked.iter().filter(|cell| theme.is_accent(cell.fg, cell.bg)).count())
}

#[test]
fn at_most_a_tenth_of_the_demos_first_screen_carries_an_accent_in_every_theme() {
    for (columns, rows) in [(120, 40), (80, 24), (200, 50)] {
        let mut desk = first_screen(columns, rows);
        for (word, palette) in ThemePalette::ALL.map(|theme_palette| (theme_palette.word(), theme_palette)) {
            let silent = TerminalColors::UNKNOWN;
            for terminal in [silent, known(Rgb::WHITE, Rgb::BLACK), known(Rgb::BLACK, Rgb::WHITE)] {
                desk.theme = Theme::new(palette, false).on(terminal);
                let (inked, accents) = counted(desk.theme, &desk.buffer());
                let place = format!("{word} at {columns}x{rows}: {accents} of {inked} cells");
                assert!(inked > 500, "{place}");
                assert!(accents * ONE_IN <= inked, "{place}\n{}", desk.picture());
                assert_eq!(accents == 0, palette == ThemePalette::Mono, "{place}");
            }
        }
    }
}

/// Whether the first letter of a text carries an accent, and whether it is
/// bold.
fn look(desk: &Desk, text: &str) -> (bool, bool) {
    let (x, y) = desk.place_of(text);
    let buffer = desk.buffer();
    let cell = &buffer[(x, y)];
    (desk.theme.is_accent(cell.fg, cell.bg), cell.modifier.contains(Modifier::BOLD))
}

#[test]
fn defaults_are_quiet_and_what_differs_from_them_stands_out() {
    let mut desk = Desk::rehearsing(120, 40);
    desk.theme = Theme::new(ThemePalette::Terminal, false).on(known(Rgb::WHITE, Rgb::BLACK));
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>").settle();
    let quiet = (false, false);
    assert_eq!((look(&desk, "LIVE"), look(&desk, "AI ON")), (quiet, quiet));
    assert_eq!(look(&desk, "waits"), (true, true), "{}", desk.picture());
    assert_eq!(look(&desk, "TEST"), (true, true));
    desk.keys("p").settle().shows("AI OFF");
    assert_eq!(look(&desk, "AI OFF"), (true, true));
}

#[test]
fn a_selected_row_keeps_the_letters_it_has() {
    let mut desk = first_screen(120, 40);
    desk.theme = Theme::new(ThemePalette::Terminal, false).on(known(Rgb::WHITE, Rgb::BLACK));
    let row_of = |desk: &Desk, y: u16| {
        let buffer = desk.buffer();
        let cells: Vec<_> = (1..39).map(|x| buffer[(x, y)].clone()).collect();
        (
            cells.iter().map(|cell| cell.fg).collect::<Vec<_>>(),
            cells.iter().map(|cell| cell.bg).collect::<Vec<_>>(),
        )
    };
    // The first row is selected; the cursor goes to the second.
    let (_, before) = row_of(&desk, 2);
    assert!(before.iter().all(|color| *color == before[0]), "one ground: {before:?}");
    let (letters, around) = row_of(&desk, 4);
    desk.keys("j");
    let (kept, ground) = row_of(&desk, 4);
    assert!(ground.iter().all(|color| *color == before[0]) && !around.contains(&before[0]), "{ground:?}");
    let accents = |of: &[ratatui::style::Color]| {
        of.iter().map(|entry| desk.theme.is_accent(*entry, ground[0])).collect::<Vec<_>>()
    };
    assert_eq!(accents(&kept), accents(&letters), "the words keep what they say in colour");
    assert_eq!(marks(&desk, 2..6), ["•", " ", "•", "▌"], "a mark says it, too");
}

/// What stands in the first column of the list.
fn marks(desk: &Desk, rows: std::ops::Range<u16>) -> Vec<String> {
    let buffer = desk.buffer();
    rows.map(|y| buffer[(1, y)].symbol().to_owned()).collect()
}

#[test]
fn the_selected_row_has_a_mark_that_no_unread_row_has() {
    for (columns, rows, ascii) in [(80, 24, false), (120, 40, false), (80, 24, true)] {
        let (selected, unread) = if ascii { (">", "*") } else { ("▌", "•") };
        let mut desk = Desk::new(columns, rows);
        desk.theme = Theme::new(ThemePalette::Mono, ascii);
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
