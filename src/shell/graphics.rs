//! The bytes that draw a picture sharp, in the protocols that terminals have
//! for it. The first row carries the picture; a row that has nothing of its
//! own to send is empty.
//!
//! - kitty: <https://sw.kovidgoyal.net/kitty/graphics-protocol/>, with placeholders
//! - iTerm2: <https://iterm2.com/documentation-images.html>
//! - Sixel: DEC STD 070, chapter 8

use std::fmt::Write;
use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use color_quant::NeuQuant;
use image::imageops::{dither, index_colors};
use image::{ImageFormat, RgbaImage};
use model::pictures::ROWS;

/// Base64 characters that kitty takes in one command.
const CHUNK: usize = 4096;
/// Stands in each cell that kitty fills.
const PLACEHOLDER: char = '\u{10EEEE}';
/// The marks that number kitty's rows from 0 on: the first of its table.
const ROW_MARKS: [char; ROWS as usize] = [
    '\u{305}', '\u{30D}', '\u{30E}', '\u{310}', '\u{312}', '\u{33D}', '\u{33E}', '\u{33F}', '\u{346}',
    '\u{34A}', '\u{34B}', '\u{34C}', '\u{350}', '\u{351}', '\u{352}',
];
/// Colours of a Sixel picture.
const COLOURS: usize = 256;
/// Every pixel trains the palette at 1, every thirtieth at 30.
const SAMPLING: i32 = 10;
/// Below this a pixel is left as the terminal has it.
const OPAQUE: u8 = 128;

/// Columns and rows that a picture takes.
pub type CellSize = (u16, u16);

/// kitty: the picture is sent once under an id, which the colour of its cells
/// names. A terminal that forgot it shows nothing.
pub fn kitty(image: &RgbaImage, (columns, rows): CellSize, id: u32) -> Vec<String> {
    let encoded = STANDARD.encode(image.as_raw());
    let mut rest = encoded.as_str();
    let mut sent = String::with_capacity(encoded.len() + encoded.len() / CHUNK * 16 + 64);
    let mut head = format!("i={id},a=T,U=1,f=32,t=d,s={},v={},", image.width(), image.height());
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(CHUNK));
        let more = u8::from(!after.is_empty());
        push(&mut sent, format_args!("\x1b_Gq=2,{head}m={more};{chunk}\x1b\\"));
        head.clear();
        rest = after;
    }
    let [_, red, green, blue] = id.to_be_bytes();
    let cells = |(row, mark): (u16, char)| {
        let rest = String::from(PLACEHOLDER).repeat(usize::from(columns.saturating_sub(1)));
        let before = if row == 0 { sent.as_str() } else { "" };
        // The row, the first column, and the first byte of the id.
        let marks = [mark, ROW_MARKS[0], ROW_MARKS[0]].iter().collect::<String>();
        format!("{before}\x1b[38;2;{red};{green};{blue}m{PLACEHOLDER}{marks}{rest}\x1b[39m")
    };
    (0..rows).zip(ROW_MARKS).map(cells).collect()
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
    Some(first_row(sent, size))
}

/// Sixel: bands of six rows of dots, each band once for each of its colours.
pub fn sixel(image: &RgbaImage, size: CellSize) -> Vec<String> {
    let mut image = image.clone();
    let palette = NeuQuant::new(SAMPLING, COLOURS, image.as_raw());
    dither(&mut image, &palette);
    let indices = index_colors(&image, &palette);
    let (width, height) = image.dimensions();
    let mut sent = cleared(size);
    push(&mut sent, format_args!("\x1bP0;1q\"1;1;{width};{height}"));
    for (number, colour) in palette.color_map_rgb().chunks_exact(3).enumerate() {
        let [red, green, blue] = [colour[0], colour[1], colour[2]].map(|it| u16::from(it) * 100 / 255);
        push(&mut sent, format_args!("#{number};2;{red};{green};{blue}"));
    }
    for top in (0..height).step_by(6) {
        // For each colour the bits of each column.
        let mut band = vec![None::<Vec<u8>>; COLOURS];
        for y in top..height.min(top + 6) {
            for x in 0..width {
                if image.get_pixel(x, y).0[3] < OPAQUE {
                    continue;
                }
                let colour = usize::from(indices.get_pixel(x, y).0[0]);
                let columns = band[colour].get_or_insert_with(|| vec![0; width as usize]);
                columns[x as usize] |= 1 << (y - top);
            }
        }
        for (number, columns) in band.iter().enumerate() {
            let Some(columns) = columns else { continue };
            push(&mut sent, format_args!("#{number}"));
            for run in columns.chunk_by(|one, next| one == next) {
                let sign = char::from(b'?' + run[0]);
                match run.len() {
                    count @ ..4 => sent.extend(std::iter::repeat_n(sign, count)),
                    count => push(&mut sent, format_args!("!{count}{sign}")),
                }
            }
            sent.push('$');
        }
        sent.push('-');
    }
    sent.push_str("\x1b\\");
    first_row(sent, size)
}

/// Empties the cells, where what stood there would show through.
fn cleared((columns, rows): CellSize) -> String {
    let mut sent = String::new();
    for _ in 0..rows {
        push(&mut sent, format_args!("\x1b[{columns}X\x1b[1B"));
    }
    push(&mut sent, format_args!("\x1b[{rows}A"));
    sent
}

fn first_row(sent: String, (_, rows): CellSize) -> Vec<String> {
    let mut all = vec![String::new(); usize::from(rows)];
    if let Some(first) = all.first_mut() {
        *first = sent;
    }
    all
}

/// Appends; a text takes all that is written to it.
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

    /// The dots of a Sixel picture, as a terminal draws them.
    fn drawn(sixel: &str) -> Vec<Vec<Option<[u16; 3]>>> {
        let (_, body) = sixel.split_once("\x1bP0;1q\"1;1;40;14").expect("a picture");
        let body = body.strip_suffix("\x1b\\").expect("its end");
        let (mut palette, mut dots) = (vec![[0; 3]; 256], vec![vec![None; 40]; 18]);
        let (mut x, mut top, mut colour, mut rest) = (0, 0, 0, body);
        let number = |text: &str| {
            let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
            (text[..end].parse::<usize>().unwrap(), end)
        };
        while let Some(sign) = rest.chars().next() {
            rest = &rest[1..];
            let (mut count, mut bits) = (1, None);
            match sign {
                '#' => {
                    let (which, end) = number(rest);
                    (colour, rest) = (which, &rest[end..]);
                    for part in 0..4 {
                        let Some(after) = rest.strip_prefix(';') else { break };
                        let (value, end) = number(after);
                        rest = &after[end..];
                        if part > 0 {
                            palette[colour][part - 1] = u16::try_from(value).unwrap();
                        }
                    }
                }
                '$' => x = 0,
                '-' => (x, top) = (0, top + 6),
                '!' => {
                    let (value, end) = number(rest);
                    count = value;
                    bits = rest[end..].chars().next();
                    rest = &rest[end + 1..];
                }
                sign => bits = Some(sign),
            }
            let Some(bits) = bits.map(|it| it as u32 - u32::from(b'?')) else { continue };
            for _ in 0..count {
                for y in (0..6).filter(|y| bits & (1 << y) != 0) {
                    dots[top + y][x] = Some(palette[colour]);
                }
                x += 1;
            }
        }
        dots
    }

    #[test]
    fn a_sixel_picture_is_drawn_dot_for_dot() {
        let rows = sixel(&halves(), (4, 2));
        assert_eq!((rows.len(), rows[1].as_str()), (2, ""));
        let dots = drawn(&rows[0]);
        let is = |dot: Option<[u16; 3]>, which: usize| {
            dot.is_some_and(|it| (0..3).all(|part| if part == which { it[part] > 85 } else { it[part] < 15 }))
        };
        for (y, row) in dots.iter().enumerate() {
            for (x, dot) in row.iter().enumerate() {
                let right = if y >= 13 { dot.is_none() } else { is(*dot, if x < 20 { 0 } else { 2 }) };
                assert!(right, "{x} {y}: {dot:?}");
            }
        }
    }

    #[test]
    fn kitty_is_sent_all_bytes_in_chunks_and_numbers_its_rows() {
        let picture = RgbaImage::from_fn(40, 40, |x, y| Rgba([x as u8, y as u8, 7, 255]));
        let rows = kitty(&picture, (4, 2), 0x01_02_03);
        let commands: Vec<&str> =
            rows[0].split("\x1b\\").filter_map(|it| it.strip_prefix("\x1b_G")).collect();
        assert!(commands.len() > 1 && commands[0].contains("i=66051,a=T,U=1,f=32,t=d,s=40,v=40,m=1;"));
        let (last, before) = commands.split_last().expect("commands");
        assert!(last.contains("m=0;") && before.iter().all(|it| it.contains("m=1;")));
        let encoded: String = commands.iter().filter_map(|it| it.split_once(';')).map(|it| it.1).collect();
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
