//! The README's animation: a takeover in the real binary, as SVG. `UPDATE_PICTURES=1` redraws it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use ratatui::style::Color;

use crate::pictures::{DrawnCell, GROUND, LETTERS, colour, document, line};
use crate::pty::Terminal;

/// Columns and rows of the terminal.
const SIZE: (u16, u16) = (110, 26);
/// Maximum size of the file, in bytes.
const MOST: usize = 200_000;
const TEXT: [&str; 3] =
    ["Hi Maria, Ana here, a person.", " Order 1041 left this morning", " and is with you by noon."];
const FILE: &str = "docs/pictures/takeover-animated.svg";

struct Frame {
    step: &'static str,
    milliseconds: u32,
    rows: Vec<Vec<DrawnCell>>,
}

struct Film {
    terminal: Terminal,
    frames: Vec<Frame>,
}

impl Film {
    /// Waits until all texts are on screen, then records a frame.
    fn take(&mut self, step: &'static str, milliseconds: u32, shown: &[&str]) {
        self.terminal.wait_for(step, |terminal| shown.iter().all(|text| terminal.contains(text)));
        let screen = self.terminal.screen();
        let row = |row| (0..SIZE.0).map(|column| cell(screen.cell(row, column))).collect();
        let rows = (0..SIZE.1).map(row).collect();
        self.frames.push(Frame { step, milliseconds, rows });
    }

    fn keys(&mut self, keys: &str) -> &mut Self {
        self.terminal.keys(keys);
        self
    }
}

fn named(colour: vt100::Color) -> Color {
    match colour {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(number) => Color::Indexed(number),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

fn cell(of: Option<&vt100::Cell>) -> DrawnCell {
    let Some(of) = of else {
        let (letters, ground) = (LETTERS.to_owned(), GROUND.to_owned());
        return DrawnCell { symbol: " ".to_owned(), letters, ground, bold: false };
    };
    let (letters, ground) = (colour(named(of.fgcolor()), LETTERS), colour(named(of.bgcolor()), GROUND));
    let (letters, ground) = if of.inverse() { (ground, letters) } else { (letters, ground) };
    let symbol = match of.contents() {
        "" => " ",
        contents => contents,
    };
    DrawnCell { symbol: symbol.to_owned(), letters, ground, bold: of.bold() }
}

fn played() -> Vec<Frame> {
    let terminal = Terminal::start(&["demo"], SIZE.0, SIZE.1);
    let mut film = Film { terminal, frames: Vec::new() };
    // Histories are read a few at a time, which changes the list.
    let known = ["Maria Lopez", "Jürgen Vogt", "Dana Whitlock", "Tom Whitfield"];
    film.terminal.wait_for("the histories", |terminal| known.iter().all(|name| terminal.contains(name)));
    film.keys(":open +34600111222\r");
    // The escalation is known only after the conversation was read alone.
    let known = ["Maria Lopez · +346", "Asked for a person", "r reply", "where is my order"];
    film.take("who the AI fails", 2500, &known);
    film.keys("t").take("t takes over: the AI pauses, the text opens", 2200, &["you have it", "Reply ·"]);
    let mut typed = String::new();
    for part in TEXT {
        typed.push_str(part);
        let last = part.rsplit(' ').next().unwrap_or(part).to_owned();
        film.keys(part).take("the answer is typed", 700, &[&last]);
    }
    // Enter without a pause after the text would be part of a paste.
    film.terminal.bytes_with_pauses(&[b"", b"\r"], Duration::from_millis(150));
    film.take("Enter sends it, held for five seconds", 2600, &["Sending in"]);
    let waiting = ["Sending in", "queued", "reading the thread", "sending"];
    film.terminal.wait_for("that it left", |terminal| !waiting.iter().any(|word| terminal.contains(word)));
    film.take("it has left", 2200, &["you have it", "noon."]);
    film.keys("\x1b");
    // Without a pause the two keys would be read as Alt-D.
    film.terminal.wait_for_text("d done");
    film.keys("d");
    // She may have written again by now.
    film.terminal
        .wait_for("the end", |terminal| terminal.contains("closes in") || terminal.contains("anyway"));
    film.terminal.answer('d', "close anyway");
    film.take("d is done: back to the AI, closed, on to the next", 3000, &["closes in"]);
    film.terminal.kill();
    film.frames
}

/// The frames as an endless animation. Without animation the frame with the held answer is shown.
fn animated(frames: &[Frame]) -> String {
    let whole: u32 = frames.iter().map(|frame| frame.milliseconds).sum();
    let still = frames.iter().position(|frame| frame.step.starts_with("Enter sends")).unwrap_or(0);
    let mut timings: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
    let mut body = String::new();
    for row in 0..usize::from(SIZE.1) {
        let mut looks: Vec<&Vec<DrawnCell>> = Vec::new();
        for frame in frames {
            if !looks.contains(&&frame.rows[row]) {
                looks.push(&frame.rows[row]);
            }
        }
        for look in &looks {
            let drawn = line(look, row, GROUND);
            if looks.len() == 1 || drawn.is_empty() {
                body.push_str(&drawn);
                continue;
            }
            let shown: Vec<bool> = frames.iter().map(|frame| frame.rows[row] == **look).collect();
            let first = if shown[still] { "" } else { " visibility=\"hidden\"" };
            let next = timings.len();
            let timing = timings.entry(shown).or_insert(next);
            write!(body, "<g class=\"t{timing}\"{first}>\n{drawn}</g>\n").expect("a string");
        }
    }
    let mut style = format!("<desc>{}</desc>\n<style>\n", steps(frames));
    let mut all: Vec<(&Vec<bool>, &usize)> = timings.iter().collect();
    all.sort_by_key(|pair| pair.1);
    for (shown, number) in all {
        write!(style, ".t{number}{{animation:t{number} {whole}ms step-end infinite}}@keyframes t{number}{{")
            .expect("a string");
        let (mut at, mut before) = (0, None);
        for (frame, shown) in frames.iter().zip(shown) {
            if before != Some(shown) {
                let percent = f64::from(at) * 100.0 / f64::from(whole);
                let word = if *shown { "visible" } else { "hidden" };
                write!(style, "{percent:.2}%{{visibility:{word}}}").expect("a string");
            }
            (at, before) = (at + frame.milliseconds, Some(shown));
        }
        style.push_str("}\n");
    }
    style.push_str("@media (prefers-reduced-motion:reduce){g{animation:none}}\n</style>\n");
    document((usize::from(SIZE.0), usize::from(SIZE.1)), GROUND, &style, &body)
}

fn steps(frames: &[Frame]) -> String {
    let mut steps: Vec<&str> = frames.iter().map(|frame| frame.step).collect();
    steps.dedup();
    steps.join("; ")
}

#[test]
fn the_moving_picture_is_a_takeover_in_the_real_program() {
    let frames = played();
    let film = animated(&frames);
    assert!(film.len() < MOST, "{} bytes", film.len());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        return std::fs::write(path, film).expect("it can be written");
    }
    let kept = std::fs::read_to_string(path).expect("the picture");
    let advice = "run the tests with UPDATE_PICTURES=1";
    assert!(kept.contains(&format!("<desc>{}</desc>", steps(&frames))), "other steps: {advice}");
    for text in ["Asked for a person", "you have it", "Sending in", "Order 1041 left this morning"] {
        assert!(kept.contains(text) && film.contains(text), "{text}: {advice}");
    }
    assert!(kept.len() < MOST && kept.matches("@keyframes").count() > 4);
}
