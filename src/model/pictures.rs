//! Pictures on the screen: a small grid of colours, and escape sequences for terminals that can
//! draw images.

use std::fmt;
use std::sync::Arc;

use crate::ids::ChannelId;

pub const MAX_COLUMNS: u16 = 60;
/// Maximum height in rows of two dots each.
pub const MAX_ROWS: u16 = 15;

crate::words! {
    /// Method of drawing pictures in the terminal.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Graphics {
        Off = "off",
        /// Half-block characters with two colours per cell; supported by every terminal.
        #[default]
        Half = "half",
        /// Kitty protocol, also supported by ghostty.
        Kitty = "kitty",
        /// iTerm2 protocol, also supported by WezTerm.
        Iterm2 = "iterm2",
    }
}

impl Graphics {
    pub const CONFIG_WORDS: [&'static str; 5] = ["auto", "off", "half", "kitty", "iterm2"];

    /// Detects the method from environment variables. Inside a multiplexer only half blocks are
    /// reliable.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let is = |name: &str, part: &str| {
            variable(name).is_some_and(|variable| variable.to_lowercase().contains(part))
        };
        if variable("TMUX").is_some() || variable("STY").is_some() || is("TERM", "screen") {
            Self::Half
        } else if is("TERM", "kitty") || is("TERM", "ghostty") || is("TERM_PROGRAM", "ghostty") {
            Self::Kitty
        } else if is("TERM_PROGRAM", "iterm") || is("TERM_PROGRAM", "wezterm") {
            Self::Iterm2
        } else {
            Self::Half
        }
    }
}

/// Red, green, blue.
pub type Dot = [u8; 3];

#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Number of dots; one per column.
    pub width: u16,
    /// Number of dots; two per row.
    pub height: u16,
    /// Row by row from the top.
    pub dots: Vec<Dot>,
    /// Width and height stated in the file, before scaling.
    pub original: (u32, u32),
    pub encoded: Option<EncodedRows>,
}

/// Escape sequences that draw each row of the picture.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodedRows(pub Arc<Vec<String>>);

impl fmt::Debug for EncodedRows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Sharp({} rows)", self.0.len())
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Picture({}x{}, {:?})", self.width, self.height, self.encoded)
    }
}

impl Picture {
    /// Columns and rows needed if `columns` are free.
    pub fn size_in(&self, columns: usize) -> (usize, usize) {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let across = width.min(columns).max(1);
        (across, (height * across / width.max(1)).div_ceil(2).max(1))
    }

    /// Returns the dot at a position after scaling to `columns`; `None` outside the picture.
    pub fn dot(&self, (column, line): (usize, usize), columns: usize) -> Option<Dot> {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let (across, _) = self.size_in(columns);
        let (x, y) = (column * width / across, line * width / across);
        if x >= width || y >= height { None } else { self.dots.get(y * width + x).copied() }
    }

    /// True if the escape sequences fit into `columns`.
    pub fn has_encoding_for(&self, columns: usize) -> bool {
        self.encoded.is_some() && usize::from(self.width) <= columns
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureRequest {
    /// Tab of the message; its own server may be reachable on a private network.
    pub channel: ChannelId,
    pub url: String,
}

pub type FetchedPicture = Result<Arc<Picture>, String>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_can() {
        let cases: [(&[(&str, &str)], Graphics); 9] = [
            (&[("TERM", "xterm-kitty")], Graphics::Kitty),
            (&[("TERM", "xterm-ghostty")], Graphics::Kitty),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], Graphics::Iterm2),
            (&[("TERM_PROGRAM", "WezTerm")], Graphics::Iterm2),
            (&[("TERM", "foot")], Graphics::Half),
            (&[("TERM", "xterm-256color")], Graphics::Half),
            (&[("TERM", "tmux-256color"), ("TMUX", "/tmp/x")], Graphics::Half),
            (&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x")], Graphics::Half),
            (&[], Graphics::Half),
        ];
        for (environment, graphics) in cases {
            let variable =
                |name: &str| environment.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned());
            assert_eq!(Graphics::detect(variable), graphics, "{environment:?}");
        }
    }

    #[test]
    fn a_picture_keeps_its_shape_where_there_is_less_room() {
        let dots = (0..60 * 30).map(|entry| [u8::try_from(entry / 60).unwrap_or(0), 0, 0]).collect();
        let picture = Picture { width: 60, height: 30, dots, original: (600, 300), encoded: None };
        let cases = [(80, (60, 15)), (60, (60, 15)), (30, (30, 8)), (1, (1, 1)), (0, (1, 1))];
        for (columns, size) in cases {
            assert_eq!(picture.size_in(columns), size, "{columns}");
        }
        assert_eq!(picture.dot((59, 29), 80), Some([29, 0, 0]));
        assert_eq!(picture.dot((29, 14), 30), Some([28, 0, 0]));
        assert_eq!(picture.dot((0, 30), 80), None);
        assert_eq!(picture.dot((60, 0), 80), None);
    }
}
