//! The real binary asks a terminal for its colours.

use crate::pty::Terminal;

/// What Solarized's dark terminal tells of its letters and its ground.
const ANSWERS: &str = "\x1b]4;1;rgb:dcdc/3232/2f2f\x07\x1b]4;3;rgb:b5b5/8989/0000\x07\
                       \x1b]10;rgb:8383/9494/9696\x07\x1b]11;rgb:0000/2b2b/3636\x07";

/// Whether any cell has a colour that was computed for the terminal, and
/// whether any has an accent on a ground of its own.
fn colors(terminal: &Terminal) -> (bool, bool) {
    let (rows, columns) = terminal.screen().size();
    let (rows, columns) = (rows.get(), columns.get());
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let cells: Vec<&vt100::Cell> =
        cells.filter_map(|(row, column)| terminal.screen().cell(row, column)).collect();
    let computed = |it: &&vt100::Cell| matches!(it.fgcolor(), vt100::Color::Rgb(..));
    let patch = |it: &&vt100::Cell| matches!(it.bgcolor(), vt100::Color::Idx(160 | 220));
    (cells.iter().any(computed), cells.iter().any(patch))
}

#[test]
fn a_terminal_that_tells_its_colours_gets_computed_ones() {
    let mut terminal = Terminal::start_telling(&["demo"], 120, 40, ANSWERS);
    terminal.wait_for("an accent", |it| it.contains("waits") || it.contains("AI failing"));
    terminal.wait_for_look("computed colours alone", |it| colors(it) == (true, false));
    terminal.kill();
}

#[test]
fn an_answer_that_comes_late_recolours_the_screen_and_types_nothing() {
    let mut terminal = Terminal::start(&["demo"], 120, 40);
    terminal.wait_for("an accent", |it| it.contains("waits") || it.contains("AI failing"));
    // A silent terminal gets accents on grounds of their own.
    terminal.wait_for_look("such an accent", |it| colors(it) == (false, true));
    terminal.keys("/");
    terminal.wait_for_text("/ ");
    // Typed letters before, between and after.
    terminal.keys(&format!("har{ANSWERS}bor"));
    terminal.wait_for("what was typed", |it| it.contains("harbor"));
    terminal.wait_for_look("computed colours", |it| !colors(it).1);
    let shown = terminal.contents();
    terminal.kill();
    assert!(!shown.contains("rgb") && !shown.contains("11;"), "{shown}");
}
