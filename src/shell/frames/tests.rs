//! Any sequence of frames leaves an emulated terminal with the same screen as drawing the last frame whole.

use proptest::prelude::*;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::*;

const WIDTH: u16 = 40;
const HEIGHT: u16 = 14;

fn blank() -> Buffer {
    Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT))
}

fn changed(before: &Buffer, after: &Buffer) -> Vec<u8> {
    let (mut old, mut out) = (before.clone(), Vec::new());
    write_changes(&mut out, (&mut old, &[]), (after, &[])).expect("a vector takes every byte");
    out
}

fn terminal() -> vt100::Parser {
    let side = |cells: u16| std::num::NonZero::new(cells).expect("a terminal has cells");
    vt100::Parser::new(side(HEIGHT), side(WIDTH), 0)
}

/// Visible state of each cell: only the background of a blank, unless it is underlined or reversed.
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

/// Random change of a frame.
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
    // The emulated terminal keeps only one of bold and dim.
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
            let width = usize::from(WIDTH);
            let rows = &mut frame.content[usize::from(*top) * width..(usize::from(*bottom) + 1) * width];
            let cells = by.unsigned_abs() as usize * width % rows.len();
            if *by > 0 { rows.rotate_left(cells) } else { rows.rotate_right(cells) }
        }
        Stroke::Blank(row) => {
            for x in 0..WIDTH {
                frame[(x, *row)].reset();
            }
        }
    }
}

/// Replaces wide characters whose second half was overwritten, which screens never contain.
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
            strokes.iter().for_each(|stroke| apply(&mut frame, stroke));
            mend_halves(&mut frame);
            terminal.process(&changed(&shown, &frame));
            prop_assert_eq!(seen(&terminal), whole(&frame));
            shown = frame;
        }
    }
}

#[test]
fn cursor_is_placed_behind_symbols_of_unsure_width() {
    let mut frame = blank();
    frame.set_string(0, 0, "e\u{301}x_\u{81ea}y", Style::new());
    let written = String::from_utf8(changed(&blank(), &frame)).expect("text");
    let placed: Vec<&str> = written.split("\x1b[").filter(|part| part.contains('H')).collect();
    assert_eq!(placed, ["1;1He\u{301}", "1;2Hx_\u{81ea}", "1;6Hy"], "{written:?}");
}
