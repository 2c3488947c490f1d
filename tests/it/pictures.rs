//! The pictures of README and book: frames of the demo as SVG files. With
//! `UPDATE_PICTURES=1` they are drawn anew, else they must be what is drawn.

mod moving;

use std::fmt::Write;
use std::path::Path;

use frontdesk::inbox::contrast::Rgb;
use frontdesk::inbox::palette_view::ThemePalette;
use frontdesk::inbox::terminal_colors::{ColorDepth, TerminalColors};
use frontdesk::inbox::theme_view::Theme;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use crate::desk::Desk;

/// Pixels of a cell.
const CELL: (usize, usize) = (9, 18);
pub(crate) const GROUND: &str = "#16181d";
pub(crate) const LETTERS: &str = "#d7dae0";

/// What the terminal of the pictures tells of itself.
const TOLD: TerminalColors = TerminalColors {
    depth: ColorDepth::Direct,
    ground: Some(Rgb(0x16, 0x18, 0x1d)),
    letters: Some(Rgb(0xd7, 0xda, 0xe0)),
    numbered: [
        None,
        Some(Rgb(0xf0, 0x71, 0x78)),
        Some(Rgb(0xa5, 0xd0, 0x75)),
        Some(Rgb(0xe6, 0xc0, 0x7b)),
        None,
        None,
        Some(Rgb(0x6b, 0xd6, 0xd0)),
    ],
};

/// A colour as a document names it.
pub(crate) fn colour(colour: Color, otherwise: &str) -> String {
    match colour {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        _ => otherwise.to_owned(),
    }
}

/// A cell as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DrawnCell {
    /// What stands there; nothing behind a wide letter.
    pub(crate) symbol: String,
    pub(crate) letters: String,
    pub(crate) ground: String,
    pub(crate) bold: bool,
}

impl DrawnCell {
    fn look(&self) -> (&str, &str, bool) {
        (&self.letters, &self.ground, self.bold)
    }
}

fn drawn(cell: &Cell) -> DrawnCell {
    let (letters, ground) = (colour(cell.fg, LETTERS), colour(cell.bg, GROUND));
    let bold = cell.modifier.contains(Modifier::BOLD);
    let inverse = cell.modifier.contains(Modifier::REVERSED);
    let (letters, ground) = if inverse { (ground, letters) } else { (letters, ground) };
    DrawnCell { symbol: cell.symbol().to_owned(), letters, ground, bold }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A document of so many cells; the style stands in it as it is.
pub(crate) fn document((columns, rows): (usize, usize), style: &str, body: &str) -> String {
    let (width, height) = (columns * CELL.0, rows * CELL.1);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"15\">\n{style}\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{GROUND}\"/>\n{body}</svg>\n"
    )
}

/// A frame as an SVG document.
fn svg(buffer: &Buffer) -> String {
    let columns = usize::from(buffer.area.width);
    let mut body = String::new();
    for (row, cells) in buffer.content.chunks(columns).enumerate() {
        let cells: Vec<DrawnCell> = cells.iter().map(drawn).collect();
        body.push_str(&line(&cells, row));
    }
    document((columns, usize::from(buffer.area.height)), "", &body)
}

/// A row of a frame: a patch of ground and a text for each run of cells that
/// look the same.
pub(crate) fn line(cells: &[DrawnCell], row: usize) -> String {
    let (wide, high) = CELL;
    let (mut out, mut start) = (String::new(), 0);
    for run in cells.chunk_by(|one, next| one.look() == next.look()) {
        let (letters, ground, bold) = run[0].look();
        let text = symbols(run);
        let (x, y, span) = (start * wide, row * high, run.len() * wide);
        if ground != GROUND {
            writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{span}\" height=\"{high}\" fill=\"{ground}\"/>")
                .expect("a string");
        }
        if !text.trim().is_empty() {
            let weight = if bold { " font-weight=\"bold\"" } else { "" };
            let base = y + high - 5;
            writeln!(
                out,
                "<text x=\"{x}\" y=\"{base}\" textLength=\"{span}\" fill=\"{letters}\"{weight} \
                 xml:space=\"preserve\">{}</text>",
                escaped(&text)
            )
            .expect("a string");
        }
        start += run.len();
    }
    out
}

/// The text of cells; the cell after a wide letter adds nothing.
fn symbols(cells: &[DrawnCell]) -> String {
    let (mut text, mut skip) = (String::new(), 0);
    for cell in cells {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        text.push_str(&cell.symbol);
        skip = frontdesk::inbox::wrap::cells(&cell.symbol).saturating_sub(1);
    }
    text
}

#[track_caller]
fn shows(desk: &Desk, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures").join(format!("{name}.svg"));
    let drawn = svg(&desk.buffer());
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        return std::fs::write(path, drawn).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == drawn, "{name}.svg is no frame of today: run the tests with UPDATE_PICTURES=1");
}

/// A desk on the sample world, in colour, which has read all of it.
fn ready() -> Desk {
    let mut desk = Desk::demo(140, 36);
    desk.theme = Theme::new(ThemePalette::Terminal, false).on(TOLD);
    // Histories are read a few at a time, as the rate allows.
    for _ in 0..12 {
        desk.settle();
        desk.wait(5_000_000);
    }
    desk
}

#[test]
fn the_picture_of_mail_is_a_frame_of_the_demo() {
    let mut desk = ready();
    desk.keys("3").settle().keys("jj").settle().keys("<Enter>").settle();
    desk.shows("account ok").shows("urgent");
    shows(&desk, "mail");
}

#[test]
fn the_pictures_are_frames_of_the_demo() {
    let mut desk = ready();
    for _ in 0..40 {
        if desk.picture().contains("Maria Lopez · +34600111222") {
            break;
        }
        desk.keys("j");
    }
    desk.settle().shows("Maria Lopez · +34600111222");
    shows(&desk, "inbox");
    desk.keys("p").settle().keys("r").types("Hi Maria, Ana here, a person. Order 1041 left this morning.");
    desk.keys("<Enter>").settle();
    shows(&desk, "takeover");
}
