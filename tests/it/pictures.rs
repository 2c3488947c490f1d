//! Pictures of README and book: frames of the demo as SVG. `UPDATE_PICTURES=1` redraws them.

mod acts;
mod moving;
mod team;

use std::fmt::Write;
use std::path::Path;

use frontdesk::inbox::color_depth::ColorDepth;
use frontdesk::inbox::theme_table_view::ThemeName;
use frontdesk::inbox::theme_view::Theme;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use crate::desk::Desk;
use crate::stories::broadcasts::go_on;

const CELL: (usize, usize) = (9, 18);
pub(crate) const GROUND: &str = "#16181d";
pub(crate) const LETTERS: &str = "#d7dae0";
/// Letters and ground of a dark and of a light terminal.
const DARK_PAGE: (&str, &str) = (LETTERS, GROUND);
const LIGHT_PAGE: (&str, &str) = ("#24292f", "#fafafa");

/// A colour as a document names it.
pub(crate) fn colour(colour: Color, otherwise: &str) -> String {
    match colour {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        _ => otherwise.to_owned(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DrawnCell {
    /// Empty after a wide character.
    pub(crate) symbol: String,
    pub(crate) letters: String,
    pub(crate) ground: String,
    pub(crate) bold: bool,
}

impl DrawnCell {
    fn appearance(&self) -> (&str, &str, bool) {
        (&self.letters, &self.ground, self.bold)
    }
}

fn drawn(cell: &Cell, page: (&str, &str)) -> DrawnCell {
    let (letters, ground) = (colour(cell.fg, page.0), colour(cell.bg, page.1));
    let bold = cell.modifier.contains(Modifier::BOLD);
    let inverse = cell.modifier.contains(Modifier::REVERSED);
    let (letters, ground) = if inverse { (ground, letters) } else { (letters, ground) };
    DrawnCell { symbol: cell.symbol().to_owned(), letters, ground, bold }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// An SVG document of this many cells on a ground, with a verbatim style.
pub(crate) fn document((columns, rows): (usize, usize), ground: &str, style: &str, body: &str) -> String {
    let (width, height) = (columns * CELL.0, rows * CELL.1);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"15\">\n{style}\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>\n{body}</svg>\n"
    )
}

fn svg(buffer: &Buffer, page: (&str, &str)) -> String {
    let columns = usize::from(buffer.area.width);
    let rows: Vec<Vec<DrawnCell>> = buffer
        .content
        .chunks(columns)
        .map(|cells| cells.iter().map(|cell| drawn(cell, page)).collect())
        .collect();
    let body: String = rows.iter().enumerate().map(|(row, cells)| line(cells, row, page.1)).collect();
    document((columns, usize::from(buffer.area.height)), page.1, "", &body)
}

/// A row of a frame: background and text for each run of cells with the same style.
pub(crate) fn line(cells: &[DrawnCell], row: usize, page: &str) -> String {
    let (wide, high) = CELL;
    let (mut out, mut start) = (String::new(), 0);
    for run in cells.chunk_by(|one, next| one.appearance() == next.appearance()) {
        let (letters, ground, bold) = run[0].appearance();
        let text = symbols(run);
        let (x, y, span) = (start * wide, row * high, run.len() * wide);
        if ground != page {
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

/// The text of cells; the cell after a wide character adds nothing.
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
    shows_on(desk, name, DARK_PAGE);
}

#[track_caller]
fn shows_on(desk: &Desk, name: &str, page: (&str, &str)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures").join(format!("{name}.svg"));
    let drawn = svg(&desk.buffer(), page);
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        return std::fs::write(path, drawn).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == drawn, "{name}.svg is no frame of today: run the tests with UPDATE_PICTURES=1");
}

/// A desk on the sample world, in colour, after all reads, with its inbox on screen.
fn ready((columns, rows): (u16, u16), name: ThemeName) -> Desk {
    let mut desk = Desk::demo(columns, rows);
    desk.theme = Theme::new(name, false).in_depth(ColorDepth::Direct);
    desk.app.context.settings.brief_on_pause = true;
    // Histories are read a few at a time, as the rate allows.
    for _ in 0..12 {
        desk.settle();
        desk.wait(5_000_000);
    }
    desk.keys("v1").settle();
    desk
}

#[test]
fn the_picture_of_mail_is_a_frame_of_the_demo() {
    let mut desk = ready((140, 36), ThemeName::Dark);
    desk.keys("3").settle().keys("v1").settle().keys(":open helen<Enter>").settle();
    desk.shows("NEEDS A PERSON").shows("Helen Marsden <helen");
    shows(&desk, "mail");
}

#[test]
fn the_pictures_of_a_takeover_are_frames_of_the_demo() {
    let mut desk = ready((140, 36), ThemeName::Dark);
    shows(&desk, "inbox");
    desk.keys(":open dana<Enter>").settle().keys("t").settle();
    desk.types("Hi Dana, Ana here, a person. The second charge goes back today.").keys("<Enter>").settle();
    desk.shows("MINE 1").shows("Sending in");
    shows(&desk, "takeover");
}

#[test]
fn the_pictures_of_a_small_and_a_light_terminal_are_frames_of_the_demo() {
    let desk = ready((80, 24), ThemeName::Dark);
    shows(&desk, "small");
    let desk = ready((140, 36), ThemeName::Light);
    shows_on(&desk, "light", LIGHT_PAGE);
}

#[test]
fn the_picture_of_a_broadcast_is_a_frame_of_the_demo() {
    let mut desk = ready((140, 36), ThemeName::Dark);
    desk.keys("1gp").settle().keys("ggVa").keys("b").types("We open at 9 on Saturday.").keys("<Ctrl-X>y");
    desk.wait(16_000_000);
    desk.settle();
    // The first wave fails above the limit; with another limit the second one is sent.
    go_on(&mut desk, 60);
    desk.shows("PAUSED").keys("c").keys("<Ctrl-U>").types("25").keys("<Enter>").shows("Sending continues");
    for _ in 0..120 {
        if desk.picture().contains("wave 2/2") {
            break;
        }
        desk.pass(1).settle();
    }
    for _ in 0..8 {
        desk.pass(1).settle();
    }
    desk.shows("1 running").shows("38 accepted");
    shows(&desk, "broadcast");
}
