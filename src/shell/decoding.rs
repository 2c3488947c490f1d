//! Decodes picture files within limits and renders them for the terminal.
//!
//! The declared size is checked before memory is allocated.

use std::io::Cursor;
use std::sync::Arc;

use crate::shell::graphics::{self, CellSize};
use image::imageops::FilterType;
use image::{DynamicImage, ImageReader, Limits};
use model::pictures::{EncodedRows, Graphics, MAX_COLUMNS, MAX_ROWS, Picture};

/// Maximum width and height, in pixels.
const MAX_SIDE_PIXELS: u32 = 12_000;
/// Maximum memory for decoding, in bytes.
const MAX_DECODE_BYTES: u64 = 128 * 1024 * 1024;
/// Pixels of a cell in the sharp rendering.
const CELL_PIXELS: (u16, u16) = (10, 20);

/// Decodes PNG, JPEG, GIF (first frame) or WebP.
pub fn decode(file: &[u8], graphics: Graphics) -> Result<Picture, String> {
    let mut reader = ImageReader::new(Cursor::new(file))
        .with_guessed_format()
        .map_err(|_| "its file cannot be read".to_owned())?;
    if reader.format().is_none() {
        return Err("its file is not PNG, JPEG, GIF or WebP".to_owned());
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_DECODE_BYTES);
    reader.limits(limits);
    let image = reader.decode().map_err(|error| match error {
        image::ImageError::Limits(_) => "it is too large to be shown here".to_owned(),
        _ => "its file is damaged or of an unknown kind".to_owned(),
    })?;
    Ok(draw(&image, graphics))
}

fn draw(image: &DynamicImage, graphics: Graphics) -> Picture {
    let original = (image.width(), image.height());
    let small =
        image.resize(u32::from(MAX_COLUMNS), u32::from(MAX_ROWS) * 2, FilterType::Triangle).to_rgba8();
    let side = |number: u32| u16::try_from(number).unwrap_or(1).max(1);
    let (width, height) = (side(small.width()), side(small.height()));
    // Transparency is shown as black.
    let dots = small.pixels().map(|pixel| {
        let [red, green, blue, alpha] = pixel.0;
        [red, green, blue].map(|byte| u8::try_from(u16::from(byte) * u16::from(alpha) / 255).unwrap_or(0))
    });
    let dots = dots.collect();
    let sharp = sharpen(image, (width, height.div_ceil(2)), graphics);
    Picture { width, height, dots, original, encoded: sharp }
}

/// Output for each row of a sharp rendering in the given columns and rows.
fn sharpen(image: &DynamicImage, (columns, rows): CellSize, graphics: Graphics) -> Option<EncodedRows> {
    let (width, height) = (u32::from(columns * CELL_PIXELS.0), u32::from(rows * CELL_PIXELS.1));
    let scaled = || image.resize_exact(width, height, FilterType::Triangle).to_rgba8();
    let rows = match graphics {
        Graphics::Off | Graphics::Half => return None,
        Graphics::Kitty => {
            let id = rand::random::<u32>() & 0x00ff_ffff;
            graphics::kitty(&scaled(), (columns, rows), id)
        }
        Graphics::Iterm2 => graphics::iterm2(&scaled(), (columns, rows))?,
    };
    Some(EncodedRows(Arc::new(rows)))
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, RgbImage};

    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let image =
            RgbImage::from_fn(width, height, |x, _| image::Rgb([if x < width / 2 { 255 } else { 0 }, 0, 0]));
        let mut file = Cursor::new(Vec::new());
        DynamicImage::from(image).write_to(&mut file, ImageFormat::Png).expect("a file");
        file.into_inner()
    }

    #[test]
    fn a_picture_is_made_small_and_keeps_its_shape() {
        let picture = decode(&png(600, 200), Graphics::Half).expect("a picture");
        assert_eq!((picture.width, picture.height, picture.original), (60, 20, (600, 200)));
        assert_eq!(
            (picture.dot((0, 0), 80), picture.dot((59, 19), 80)),
            (Some([255, 0, 0]), Some([0, 0, 0]))
        );
        let tall = decode(&png(10, 4_000), Graphics::Half).expect("a picture");
        assert_eq!((tall.width, tall.height), (1, 30));
    }

    #[test]
    fn files_that_cannot_be_shown_are_refused_and_cost_little() {
        // A few bytes that claim 65,535 by 65,535 pixels, with one pixel of data.
        let claims = [0xff_u8, 0xff, 0xff, 0xff, 0xf0, 0, 0];
        let block = [0x2c_u8, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 2, 2, 0x4c, 1, 0, 0x3b];
        let huge = [b"GIF89a".as_slice(), &claims, &[0; 6], &block].concat();
        let cases: [(&str, Vec<u8>); 5] = [
            ("empty", Vec::new()),
            ("a page", b"<html>not found</html>".to_vec()),
            ("cut", png(600, 200)[..60].to_vec()),
            ("damaged", [b"\x89PNG\r\n\x1a\n".as_slice(), &[0xff; 200]].concat()),
            ("huge", huge),
        ];
        for (name, file) in cases {
            assert!(decode(&file, Graphics::Half).is_err(), "{name}");
        }
    }

    #[test]
    fn each_protocol_draws_rows_that_begin_with_its_own_sequence() {
        let cases = [(Graphics::Kitty, "\x1b_G"), (Graphics::Iterm2, "\x1b]1337;")];
        for (graphics, begins) in cases {
            let picture = decode(&png(600, 200), graphics).expect("a picture");
            let sharp = picture.encoded.expect("it is sharp");
            assert_eq!(sharp.0.len(), 10, "{graphics:?}");
            assert!(sharp.0[0].contains(begins), "{graphics:?}");
        }
        assert_eq!(decode(&png(600, 200), Graphics::Half).expect("a picture").encoded, None);
    }
}
