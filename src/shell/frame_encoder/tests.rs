//! Whatever the frames and their order, the screen of an emulated terminal is the
//! one that drawing the last frame whole gives.

use proptest::prelude::*;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::*;

const WIDTH: u16 = 40;
const HEIGHT: u16 = 14;

fn blank() -> Buffer {
    Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT))
}

/// Writes one frame after another.
fn changed(before: &Buffer, after: &Buffer) -> Vec<u8> {
    let (mut old, mut out) = (before.clone(), Vec::new());
    change(&mut out, (&mut old, Vec::new()), (after, &[]), false);
    out
}

fn terminal() -> vt100::Parser {
    let side = |cells: u16| std::num::NonZero::new(cells).expect("a terminal has cells");
    vt100::Parser::new(side(HEIGHT), side(WIDTH), 0)
}

/// What is seen of each cell: of a blank its ground, unless it is underlined or
/// reversed.
fn seen(terminal: &vt100::Parser) -> Vec<String> {
    let screen = terminal.screen();
    let cell = |row: u16, column: u16| {
        let cell = screen.cell(row, column).expect("within the screen");
        let marked = cell.underline() || cell.inverse();
        let letters = (cell.fgcolor(), cell.bold(), cell.dim(), cell.italic());
        match cell.contents().trim() {
            "" if !marked => format!("{:?}", cell.bgcolor()),
            words => {
                format!("{words} {letters:?} {:?} {} {}", cell.bgcolor(), cell.underline(), cell.inverse())
            }
        }
    };
    (0..HEIGHT)
        .flat_map(|row| (0..WIDTH).map(move |column| (row, column)))
        .map(|(row, column)| cell(row, column))
        .collect()
}

fn whole(frame: &Buffer) -> Vec<String> {
    let mut terminal = terminal();
    terminal.process(&changed(&blank(), frame));
    seen(&terminal)
}

/// One thing that happens to a frame.
#[derive(Debug, Clone)]
enum Stroke {
    Words(u16, u16, &'static str, Style),
    Stripe(u16, u16, u16, Style),
    Scroll(u16, u16, i32),
    Blank(u16),
}

fn styles() -> impl Strategy<Value = Style> {
    let colors =
        [Color::Reset, Color::Red, Color::DarkGray, Color::Indexed(99), Color::Rgb(1, 2, 3), Color::White];
    // The emulated terminal keeps one of bold and dim, so never both.
    let modifiers = [
        Modifier::empty(),
        Modifier::BOLD,
        Modifier::DIM,
        Modifier::ITALIC | Modifier::UNDERLINED,
        Modifier::REVERSED,
    ];
    (
        prop::sample::select(colors.to_vec()),
        prop::sample::select(colors.to_vec()),
        prop::sample::select(modifiers.to_vec()),
    )
        .prop_map(|(fg, bg, modifier)| Style::reset().fg(fg).bg(bg).add_modifier(modifier))
}

fn strokes() -> impl Strategy<Value = Stroke> {
    let words = [
        "where is my order",
        "自転車 x",
        "a",
        "│",
        "          ",
        "e\u{301}t\u{e9}",
        "order 1041 is on its way",
    ];
    prop_oneof![
        4 => (0..WIDTH, 0..HEIGHT, prop::sample::select(words.to_vec()), styles())
            .prop_map(|(x, y, words, style)| Stroke::Words(x, y, words, style)),
        2 => (0..WIDTH, 0..HEIGHT, 1..WIDTH, styles()).prop_map(|(x, y, width, style)| Stroke::Stripe(x, y, width, style)),
        3 => (0..HEIGHT, 0..HEIGHT, prop::sample::select(vec![-3, -2, -1, 1, 2, 3]))
            .prop_map(|(one, other, by)| Stroke::Scroll(one.min(other), one.max(other), by)),
        1 => (0..HEIGHT).prop_map(Stroke::Blank),
    ]
}

fn apply(frame: &mut Buffer, stroke: &Stroke) {
    match stroke {
        Stroke::Words(x, y, words, style) => {
            frame.set_stringn(*x, *y, words, usize::from(WIDTH - x), *style);
        }
        Stroke::Stripe(x, y, width, style) => {
            frame.set_style(Rect::new(*x, *y, (*width).min(WIDTH - x), 1), *style);
        }
        Stroke::Scroll(top, bottom, by) => {
            let rows = i32::from(bottom - top) + 1;
            if by.abs() < rows {
                let region = ScrollRegion { top: *top, bottom: *bottom, by: *by };
                region.apply(frame, &mut Vec::new());
            }
        }
        Stroke::Blank(row) => {
            for x in 0..WIDTH {
                frame[(x, *row)].reset();
            }
        }
    }
}

/// A wide character whose second half was written over is half a character:
/// screens never hold one.
fn mend_halves(frame: &mut Buffer) {
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let wide = wrap::cells(frame[(x, y)].symbol()) > 1;
            if wide && (x + 1 == WIDTH || frame[(x + 1, y)].symbol() != " ") {
                frame[(x, y)].set_symbol("?");
            }
        }
    }
}

proptest! {
    #![proptest_config(randomized::config(300))]

    #[test]
    fn any_frames_leave_what_the_last_one_drawn_whole_does(
        frames in prop::collection::vec(prop::collection::vec(strokes(), 0..8), 1..12),
    ) {
        let (mut terminal, mut shown) = (terminal(), blank());
        for strokes in &frames {
            let mut frame = shown.clone();
            strokes.iter().for_each(|it| apply(&mut frame, it));
            mend_halves(&mut frame);
            terminal.process(&changed(&shown, &frame));
            prop_assert_eq!(seen(&terminal), whole(&frame));
            shown = frame;
        }
    }
}

/// A list beside a text, as the inbox is.
fn panes(first: usize, selected: usize, said: &str) -> Buffer {
    let mut frame = blank();
    for row in 0..HEIGHT {
        let item = first + usize::from(row / 2);
        let words =
            format!("│ {:015}", (item + 1) as u64 * 98_765_432_123 + u64::from(row % 2) * 1_234_567_891);
        frame.set_string(0, row, words, Style::new());
        if item == selected {
            frame.set_style(Rect::new(1, row, 17, 1), Style::new().bg(Color::DarkGray));
        }
        frame.set_string(18, row, "│", Style::new());
        if row < 3 {
            frame.set_string(20, row, said, Style::new());
        }
    }
    frame
}

#[test]
fn a_list_that_scrolls_moves_its_rows_and_writes_the_new_ones() {
    let (before, after) = (panes(0, 6, "hello"), panes(1, 7, "hello there"));
    let region = ScrollRegion::between(&before, &after).expect("it scrolls");
    // The selected row is written anyway.
    assert_eq!((region.top, region.bottom, region.by), (0, HEIGHT - 3, 2));
    let bytes = changed(&before, &after);
    assert!(bytes.len() < 200, "{} bytes: {}", bytes.len(), String::from_utf8_lossy(&bytes));
    let mut terminal = terminal();
    terminal.process(&changed(&blank(), &before));
    terminal.process(&bytes);
    assert_eq!(seen(&terminal), whole(&after));
    assert_eq!(
        ScrollRegion::between(&panes(0, 1, "hello"), &panes(0, 2, "bye")),
        None,
        "a move scrolls nothing"
    );
    let back = ScrollRegion::between(&panes(1, 1, "hello"), &panes(0, 0, "hello"));
    assert_eq!(back.map(|it| it.by), Some(-2));
}

#[test]
fn links_move_with_their_rows() {
    let link = |row: u16| LinkedCells { at: (4, row), cells: 3, target: "http://a.b".to_owned(), id: 1 };
    let mut links = vec![link(0), link(1), link(4), link(9)];
    let region = ScrollRegion { top: 1, bottom: 8, by: 2 };
    region.apply(&mut blank(), &mut links);
    assert_eq!(links, [link(0), link(2), link(9)], "that of row 1 has gone");
}

#[test]
fn a_style_is_set_once_a_run_by_the_fewest_codes() {
    let styled = |words: &[(&str, Style)]| {
        let mut frame = blank();
        let mut x = 0;
        for (words, style) in words {
            x = frame.set_stringn(x, 0, words, words.len(), *style).0;
        }
        let mut out = Vec::new();
        encode(&mut out, (&mut blank(), &[]), (&frame, &[]), false);
        String::from_utf8(out).expect("text").replace('\x1b', "^")
    };
    let (plain, bold) = (Style::new(), Style::new().add_modifier(Modifier::BOLD));
    let both = bold.add_modifier(Modifier::DIM);
    let cases = [
        (styled(&[("ab", bold), ("cd", plain)]), "^[H^[1mab^[mcd"),
        (styled(&[("ab", bold), (" ", plain), ("cd", bold)]), "^[H^[1mab cd^[m"),
        (styled(&[("a", both), ("b", bold)]), "^[H^[1;2ma^[0;1mb^[m"),
        (styled(&[("a", bold.fg(Color::Red)), ("b", bold.fg(Color::LightRed))]), "^[H^[1;38;5;1ma^[91mb^[m"),
        (styled(&[("a", plain.bg(Color::DarkGray))]), "^[H^[100ma^[m"),
        (styled(&[("a", plain), ("     ", plain), ("b", plain)]), "^[Ha^[5Cb"),
        (styled(&[("a", plain), ("  ", plain), ("b", plain)]), "^[Ha  b"),
        (styled(&[("спасибо 配送", plain), ("x", plain)]), "^[Hспасибо 配送x"),
        (styled(&[("e\u{301}x", plain)]), "^[He\u{301}^[1;2Hx"),
    ];
    for (written, expected) in cases {
        assert_eq!(written, expected);
    }
}

#[test]
fn a_row_of_blanks_is_erased_and_no_covered_cell_is_touched() {
    let mut before = panes(0, 0, "a_long_text_here");
    let mut after = before.clone();
    for x in 20..36 {
        after[(x, 1)].reset();
    }
    let mut out = Vec::new();
    encode(&mut out, (&mut before, &[]), (&after, &[]), false);
    assert_eq!(String::from_utf8(out).expect("text"), "\x1b[2;21H\x1b[16X");
    let (mut before, mut after) = (blank(), blank());
    before.set_string(0, 0, "a c", Style::new());
    after.set_string(0, 0, "b d", Style::new());
    let mut out = Vec::new();
    encode(&mut out, (&mut before, &[]), (&after, &[]), true);
    assert_eq!(String::from_utf8(out).expect("text"), "\x1b[Hb\x1b[Cd");
}
