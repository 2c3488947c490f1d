//! Output that draws a picture in the graphics protocols of terminals, by row. The first row carries the
//! picture; rows without output are empty.
//!
//! - kitty: <https://sw.kovidgoyal.net/kitty/graphics-protocol/>, with placeholders
//! - iTerm2: <https://iterm2.com/documentation-images.html>

use std::fmt::Write;
use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, RgbaImage};
use model::pictures::MAX_ROWS;

/// Maximum base64 characters in one kitty command.
const KITTY_CHUNK_CHARS: usize = 4096;
/// Character in each cell that kitty fills.
const PLACEHOLDER: char = '\u{10EEEE}';
/// Diacritics that number kitty's rows from 0.
const KITTY_ROW_MARKS: [char; MAX_ROWS as usize] = [
    '\u{305}', '\u{30D}', '\u{30E}', '\u{310}', '\u{312}', '\u{33D}', '\u{33E}', '\u{33F}', '\u{346}',
    '\u{34A}', '\u{34B}', '\u{34C}', '\u{350}', '\u{351}', '\u{352}',
];
/// Columns and rows of a picture.
pub type CellSize = (u16, u16);

/// kitty: the picture is sent once with an id, which the colour of its cells refers to. A terminal that has
/// dropped it shows nothing.
pub fn kitty(image: &RgbaImage, (columns, rows): CellSize, id: u32) -> Vec<String> {
    let encoded = STANDARD.encode(image.as_raw());
    let mut rest = encoded.as_str();
    let mut sent = String::with_capacity(encoded.len() + encoded.len() / KITTY_CHUNK_CHARS * 16 + 64);
    let mut head = format!("i={id},a=T,U=1,f=32,t=d,s={},v={},", image.width(), image.height());
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(KITTY_CHUNK_CHARS));
        let more = u8::from(!after.is_empty());
        push(&mut sent, format_args!("\x1b_Gq=2,{head}m={more};{chunk}\x1b\\"));
        head.clear();
        rest = after;
    }
    let [_, red, green, blue] = id.to_be_bytes();
    let cells = |(row, mark): (u16, char)| {
        let rest = String::from(PLACEHOLDER).repeat(usize::from(columns.saturating_sub(1)));
        let before = if row == 0 { sent.as_str() } else { "" };
        // Row, first column, first byte of the id.
        let marks = [mark, KITTY_ROW_MARKS[0], KITTY_ROW_MARKS[0]].iter().collect::<String>();
        format!("{before}\x1b[38;2;{red};{green};{blue}m{PLACEHOLDER}{marks}{rest}\x1b[39m")
    };
    (0..rows).zip(KITTY_ROW_MARKS).map(cells).collect()
}

/// iTerm2: a PNG file.
pub fn iterm2(image: &RgbaImage, size: CellSize) -> Option<Vec<String>> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, ImageFormat::Png).ok()?;
    let file = file.into_inner();
    let mut sent = cleared(size);
    push(
        &mut sent,
        format_args!(
            "\x1b]1337;File=inline=1;size={};width={}px;height={}px;doNotMoveCursor=1:{}\x07",
            file.len(),
            image.width(),
            image.height(),
            STANDARD.encode(&file)
        ),
    );
    Some(in_first_row(sent, size))
}

/// Erases the cells, whose contents would show through.
fn cleared((columns, rows): CellSize) -> String {
    let mut sent = String::new();
    for _ in 0..rows {
        push(&mut sent, format_args!("\x1b[{columns}X\x1b[1B"));
    }
    push(&mut sent, format_args!("\x1b[{rows}A"));
    sent
}

fn in_first_row(sent: String, (_, rows): CellSize) -> Vec<String> {
    let mut all = vec![String::new(); usize::from(rows)];
    if let Some(first) = all.first_mut() {
        *first = sent;
    }
    all
}

/// Appends formatted text; writing to a `String` cannot fail.
fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    let written = text.write_fmt(what);
    debug_assert!(written.is_ok(), "a string grows");
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;

    /// Left half red, right half blue, the last row transparent.
    fn halves() -> RgbaImage {
        RgbaImage::from_fn(40, 14, |x, y| match (x < 20, y == 13) {
            (_, true) => Rgba([0, 0, 0, 0]),
            (true, _) => Rgba([255, 0, 0, 255]),
            (false, _) => Rgba([0, 0, 255, 255]),
        })
    }

    #[test]
    fn kitty_is_sent_all_bytes_in_chunks_and_numbers_its_rows() {
        let picture = RgbaImage::from_fn(40, 40, |x, y| Rgba([x as u8, y as u8, 7, 255]));
        let rows = kitty(&picture, (4, 2), 0x01_02_03);
        let commands: Vec<&str> =
            rows[0].split("\x1b\\").filter_map(|part| part.strip_prefix("\x1b_G")).collect();
        assert!(commands.len() > 1 && commands[0].contains("i=66051,a=T,U=1,f=32,t=d,s=40,v=40,m=1;"));
        let (last, before) = commands.split_last().expect("commands");
        assert!(last.contains("m=0;") && before.iter().all(|text| text.contains("m=1;")));
        let encoded: String =
            commands.iter().filter_map(|command| command.split_once(';')).map(|entry| entry.1).collect();
        assert_eq!(STANDARD.decode(encoded).expect("base64"), picture.into_raw());
        let shown = "\x1b[38;2;1;2;3m\u{10EEEE}\u{305}\u{305}\u{305}\u{10EEEE}\u{10EEEE}\u{10EEEE}\x1b[39m";
        assert!(rows[0].ends_with(shown), "{:?}", rows[0]);
        assert_eq!(rows[1], shown.replacen('\u{305}', "\u{30D}", 1));
    }

    #[test]
    fn iterm2_is_sent_the_file_itself() {
        let rows = iterm2(&halves(), (4, 2)).expect("a file");
        assert!(rows[0].starts_with("\x1b[4X\x1b[1B\x1b[4X\x1b[1B\x1b[2A\x1b]1337;File=inline=1;"));
        let (_, encoded) = rows[0].rsplit_once(':').expect("the file");
        let file = STANDARD.decode(encoded.trim_end_matches('\x07')).expect("base64");
        assert_eq!(image::load_from_memory(&file).expect("a picture").to_rgba8(), halves());
    }
}
