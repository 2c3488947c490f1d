//! How the desk looks on the terminals people have: every text of every theme
//! can be read, nothing is told by colours that some eyes cannot tell apart,
//! and colour is for what needs a person.

mod calm;
mod eyes;
mod newest;
mod terminals;

use frontdesk::inbox::contrast::{READABLE, Rgb};
use frontdesk::inbox::palette_view::ThemePalette;
use frontdesk::inbox::terminal_colors::{ColorDepth, TerminalColors};
use frontdesk::inbox::theme_view::Theme;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use terminals::{KnownTerminal, TERMINALS};

/// Every style of a theme, by the name it is called with.
fn styles(theme: Theme) -> [(&'static str, Style); 18] {
    [
        ("plain", Style::new()),
        ("quiet", theme.quiet()),
        ("strong", theme.strong()),
        ("found", theme.match_highlight()),
        ("border", theme.border(false)),
        ("focused border", theme.border(true)),
        ("live", theme.live()),
        ("test", theme.test()),
        ("ai_on", theme.ai_on()),
        ("ai_off", theme.ai_off(true)),
        ("ai_off elsewhere", theme.ai_off(false)),
        ("needs_a_person", theme.needs_a_person()),
        ("under_way", theme.under_way()),
        ("error", theme.error()),
        ("customer", theme.customer()),
        ("own", theme.own()),
        ("note", theme.private_note()),
        ("strong note", theme.private_note().patch(theme.strong())),
    ]
}

/// A cell in a style, as a theme leaves it on the screen.
fn drawn(theme: Theme, style: Style, selected: bool) -> Cell {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
    buffer.set_string(0, 0, "x", style);
    if selected {
        buffer.set_style(buffer.area, theme.selected());
    }
    theme.lay_ground(&mut buffer);
    buffer.content.remove(0)
}

/// What a terminal makes of a cell: its letters and its ground.
fn seen(cell: &Cell, terminal: &KnownTerminal) -> (Rgb, Rgb) {
    let color = |color: Color, own: Rgb| match color {
        Color::Reset => own,
        Color::Rgb(red, green, blue) => Rgb(red, green, blue),
        Color::Indexed(number @ 16..) => Rgb::indexed(number),
        other => panic!("{other:?} is another colour in each of a terminal's themes"),
    };
    assert!(!cell.modifier.intersects(Modifier::DIM | Modifier::HIDDEN), "nobody knows how dim that is");
    let both = (color(cell.fg, terminal.letters), color(cell.bg, terminal.ground));
    if cell.modifier.contains(Modifier::REVERSED) { (both.1, both.0) } else { both }
}

/// Each theme on each terminal, by how much the terminal tells.
fn everywhere(mut check: impl FnMut(Theme, &KnownTerminal, &str)) {
    for terminal in TERMINALS {
        for (word, palette) in ThemePalette::ALL.map(|theme_palette| (theme_palette.word(), theme_palette)) {
            for depth in [ColorDepth::Direct, ColorDepth::Indexed, ColorDepth::Few] {
                let silent = TerminalColors { depth, ..TerminalColors::UNKNOWN };
                let ground = TerminalColors { ground: Some(terminal.ground), ..silent };
                let both = TerminalColors { letters: Some(terminal.letters), ..ground };
                let all = TerminalColors { numbered: terminal.numbered(), ..both };
                for (told, known) in
                    [("nothing", silent), ("its ground", ground), ("both", both), ("all", all)]
                {
                    let theme = Theme::new(palette, false).on(known);
                    check(
                        theme,
                        terminal,
                        &format!("{word} on {} in {depth:?}, which told {told}", terminal.name),
                    );
                }
            }
        }
    }
}

#[test]
fn every_text_of_every_theme_can_be_read_on_every_terminal() {
    let (mut texts, mut least) = (0, f64::INFINITY);
    everywhere(|theme, terminal, place| {
        // What has no colour at all is as the terminal shows it.
        let own = terminal.letters.contrast(terminal.ground);
        for (name, style) in styles(theme) {
            for selected in [false, true] {
                let cell = drawn(theme, style, selected);
                let (letters, ground) = seen(&cell, terminal);
                let contrast = letters.contrast(ground);
                let untouched = (cell.fg, cell.bg) == (Color::Reset, Color::Reset);
                let is_known = theme.follows_terminal() && !place.ends_with("nothing");
                if untouched && !is_known {
                    assert!((contrast - own).abs() < 0.001, "{name} of {place} is not the terminal's own");
                    continue;
                }
                texts += 1;
                least = least.min(contrast);
                assert!(
                    contrast >= READABLE,
                    "{name} of {place}{}: {contrast:.2} ({cell:?})",
                    if selected { ", selected" } else { "" }
                );
            }
        }
    });
    assert!(texts > 10_000 && least < 6.0, "{texts} texts, the least contrast {least:.2}");
}

#[test]
fn a_selected_row_is_one_ground_that_differs_from_the_ground_around_it() {
    everywhere(|theme, terminal, place| {
        let grounds: Vec<Rgb> =
            styles(theme).iter().map(|(_, style)| seen(&drawn(theme, *style, true), terminal).1).collect();
        assert!(grounds.iter().all(|ground| *ground == grounds[0]), "patches in {place}: {grounds:?}");
        let around = seen(&drawn(theme, Style::new(), false), terminal).1;
        let step = grounds[0].contrast(around);
        assert!(step >= 1.2, "{place}: {step:.2}");
    });
}

#[test]
fn what_is_quiet_never_stands_before_the_letters_around_it() {
    everywhere(|theme, terminal, place| {
        for selected in [false, true] {
            let contrast = |style: Style| {
                let (letters, ground) = seen(&drawn(theme, style, selected), terminal);
                letters.contrast(ground)
            };
            let (quiet, plain) = (contrast(theme.quiet()), contrast(Style::new()));
            // Of 256 colours the nearest is not always the quieter.
            let room = if place.contains("Indexed") { 1.0 } else { 0.01 };
            assert!(quiet <= plain + room, "{place}: {quiet:.2} before {plain:.2}");
        }
    });
}

#[test]
fn a_theme_of_its_own_ground_asks_the_terminal_nothing() {
    let asks = |palette, depth| {
        Theme::new(palette, false).on(TerminalColors { depth, ..TerminalColors::UNKNOWN }).follows_terminal()
    };
    for (word, palette) in ThemePalette::ALL.map(|theme_palette| (theme_palette.word(), theme_palette)) {
        let own_ground = !matches!(word, "terminal" | "colour-blind");
        assert_eq!(asks(palette, ColorDepth::Indexed), !own_ground, "{word}");
        assert!(!asks(palette, ColorDepth::Few), "{word} asks a terminal that has no answer");
    }
}
