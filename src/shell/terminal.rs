//! The terminal: taken once, given back once whatever happens.
//!
//! Every step of giving back is tried, in an order that works from any state,
//! and doing it twice does no harm.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, queue, terminal};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::shell::frames;
use inbox::screens::history::links_view::LinkedCells;
use inbox::wrap;
use model::text::SafeText;

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether the terminal keeps the title its window had before.
static TITLED: AtomicBool = AtomicBool::new(false);

/// Makes the terminal keep the title of its window.
const KEEP_TITLE: &[u8] = b"\x1b[22;2t";
/// Gives the window the title that was kept; a terminal that keeps none is left
/// with an empty one, which the shell fills.
const GIVE_TITLE_BACK: &[u8] = b"\x1b]2;\x07\x1b[23;2t";

/// Collects a frame and writes it in one piece.
#[derive(Debug, Default)]
pub struct FrameWriter {
    bytes: Vec<u8>,
}

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let written = out.write_all(&self.bytes).and_then(|()| out.flush());
        self.bytes.clear();
        written
    }
}

/// Bytes that draw over cells: a sharp picture, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharpImage {
    /// Its first column and row.
    pub at: (u16, u16),
    /// What draws each row, made by this program alone.
    pub rows: Arc<Vec<String>>,
}

impl SharpImage {
    fn draw(&self, writer: &mut impl Write) -> io::Result<()> {
        for (y, row) in (self.at.1..).zip(self.rows.iter()).filter(|(_, row)| !row.is_empty()) {
            queue!(writer, cursor::MoveTo(self.at.0, y))?;
            writer.write_all(row.as_bytes())?;
        }
        Ok(())
    }
}

/// What is used of the terminal besides its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScreenOptions {
    /// Whether the mouse is read from the start.
    pub mouse: bool,
    /// Whether its window is called by what goes on.
    pub title: bool,
    pub links: bool,
}

/// A frame that is on the screen.
#[derive(PartialEq)]
struct ShownFrame {
    cells: Buffer,
    cursor: Option<Position>,
    links: Vec<LinkedCells>,
}

/// The screen: knows the frame on it, so that an unchanged frame costs no
/// byte.
pub struct Screen {
    writer: FrameWriter,
    shown: Option<ShownFrame>,
    /// The cells of the frame before, to be used again.
    spare: Option<Buffer>,
    /// What lies over its cells.
    overlays: Vec<SharpImage>,
    options: ScreenOptions,
    /// What the window is called, as far as that was said here.
    title: Option<SafeText>,
}

impl Screen {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste, focus
    /// reports, keys told apart where it can, and the mouse if it is to be
    /// read. It is asked nothing.
    ///
    /// # Errors
    /// When the terminal does not take one of them; it is given back then.
    pub fn take(options: ScreenOptions) -> io::Result<Self> {
        enter(options)?;
        let writer = FrameWriter::default();
        Ok(Self { writer, shown: None, spare: None, overlays: Vec::new(), options, title: None })
    }

    /// Takes the terminal again after a stop.
    pub fn retake(&mut self) -> io::Result<()> {
        enter(self.options)?;
        self.title = None;
        self.redraw();
        Ok(())
    }

    /// Forgets what is on screen, so that the next frame is drawn whole.
    pub fn redraw(&mut self) {
        self.shown = None;
    }

    /// Whether addresses are links.
    pub fn has_links(&self) -> bool {
        self.options.links
    }

    /// Draws one frame; `paint` fills it and says where the cursor stands and
    /// which cells are links.
    ///
    /// # Errors
    /// When the terminal takes no bytes any more.
    pub fn draw(
        &mut self,
        size: (u16, u16),
        overlays: Vec<SharpImage>,
        paint: impl FnOnce(&mut Buffer) -> (Option<Position>, Vec<LinkedCells>),
    ) -> io::Result<()> {
        let area = Rect::new(0, 0, size.0, size.1);
        let mut cells =
            self.spare.take().filter(|spare| spare.area == area).unwrap_or_else(|| Buffer::empty(area));
        cells.reset();
        let (cursor, links) = paint(&mut cells);
        let frame = ShownFrame { cells, cursor, links };
        let moved = self.overlays != overlays;
        let before = self.shown.take().filter(|shown_frame| shown_frame.cells.area == area && !moved);
        if before.as_ref().is_some_and(|shown_frame| *shown_frame == frame) {
            self.spare = before.map(|shown_frame| shown_frame.cells);
            self.shown = Some(frame);
            return Ok(());
        }
        // What the terminal drew over cells does not move with them, and what
        // it drew wider or narrower than its cells leaves traces.
        let before = before.filter(|shown_frame| !leaves_traces(&shown_frame.cells, &frame.cells));
        queue!(self.writer, BeginSynchronizedUpdate)?;
        if before.as_ref().is_none_or(|shown_frame| shown_frame.cursor.is_some()) {
            queue!(self.writer, cursor::Hide)?;
        }
        match before {
            Some(before) => self.write_changes(before, &frame)?,
            None => self.draw_whole(&frame, overlays)?,
        }
        if let Some(position) = cursor {
            queue!(self.writer, cursor::MoveTo(position.x, position.y), cursor::Show)?;
        }
        queue!(self.writer, EndSynchronizedUpdate)?;
        self.writer.flush()?;
        self.shown = Some(frame);
        Ok(())
    }

    /// Writes the cells that differ from the frame on screen.
    fn write_changes(&mut self, before: ShownFrame, frame: &ShownFrame) -> io::Result<()> {
        let mut cells = before.cells;
        let after = (&frame.cells, frame.links.as_slice());
        frames::write_changes(&mut self.writer, (&mut cells, &before.links), after)?;
        self.spare = Some(cells);
        Ok(())
    }

    /// Writes the whole frame, and what lies over its cells.
    fn draw_whole(&mut self, frame: &ShownFrame, overlays: Vec<SharpImage>) -> io::Result<()> {
        if !self.overlays.is_empty() {
            // Only kitty knows it; it takes all pictures away.
            self.writer.write_all(b"\x1b_Ga=d,q=2\x1b\\")?;
        }
        queue!(self.writer, terminal::Clear(terminal::ClearType::All))?;
        let mut blank = Buffer::empty(frame.cells.area);
        let after = (&frame.cells, frame.links.as_slice());
        frames::write_changes(&mut self.writer, (&mut blank, &[]), after)?;
        self.spare = Some(blank);
        for overlay in &overlays {
            overlay.draw(&mut self.writer)?;
        }
        self.overlays = overlays;
        Ok(())
    }

    /// Calls the terminal's window so, where it is to be called anything; what
    /// it is called already costs no byte.
    ///
    /// # Errors
    /// When the terminal takes no bytes any more.
    pub fn call(&mut self, title: SafeText) -> io::Result<()> {
        if !self.options.title || !knows_sequences() || self.title.as_ref() == Some(&title) {
            return Ok(());
        }
        self.say(format!("\x1b]2;{title}\x07").as_bytes())?;
        self.title = Some(title);
        Ok(())
    }

    /// Tells the terminal something that is not on the screen: a bell, a
    /// notification, the clipboard's text.
    ///
    /// # Errors
    /// When the terminal takes no bytes any more.
    pub fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)?;
        self.writer.flush()
    }

    /// Reads the mouse, or leaves it to the terminal.
    ///
    /// # Errors
    /// When the terminal takes no bytes any more.
    pub fn read_mouse(&mut self, read: bool) -> io::Result<()> {
        self.options.mouse = read;
        if read {
            queue!(self.writer, EnableMouseCapture)?
        } else {
            queue!(self.writer, DisableMouseCapture)?
        }
        self.writer.flush()
    }
}

/// Whether a cluster of several characters is replaced that terminals do not
/// agree about how wide it is: a flag, a family.
fn leaves_traces(before: &Buffer, after: &Buffer) -> bool {
    let doubtful = |symbol: &str| symbol.len() > 4 && wrap::cells(symbol) > 1 && symbol.chars().count() > 1;
    let mut cells = before.content.iter().zip(&after.content);
    cells.any(|(old, new)| doubtful(old.symbol()) && old.symbol() != new.symbol())
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Columns and rows.
pub fn size() -> io::Result<(u16, u16)> {
    terminal::size()
}

fn enter(options: ScreenOptions) -> io::Result<()> {
    let again = TAKEN.swap(true, Ordering::SeqCst);
    if again {
        // A stop that nobody announced: a shell has set its own mode since, while raw mode is
        // still remembered here and would not be set again.
        let _ = terminal::disable_raw_mode();
    }
    let mut out = io::stdout().lock();
    let entered = terminal::enable_raw_mode().and_then(|()| {
        queue!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, cursor::Hide)?;
        if options.title && knows_sequences() && !TITLED.swap(true, Ordering::SeqCst) {
            out.write_all(KEEP_TITLE)?;
        }
        if knows_sequences() {
            if again {
                // A stop that nobody announced left them pushed.
                queue!(out, PopKeyboardEnhancementFlags)?;
            }
            // The other screen has a stack of its own, so this one comes
            // after it; a terminal that does not know it ignores it.
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            queue!(out, PushKeyboardEnhancementFlags(flags))?;
        }
        if options.mouse {
            queue!(out, EnableMouseCapture)?;
        }
        out.flush()
    });
    drop(out);
    if entered.is_err() {
        restore();
    }
    entered
}

/// Whether asking for keys that are told apart, and for a title, does no harm:
/// the consoles of kernels print what they do not know of it.
fn knows_sequences() -> bool {
    std::env::var("TERM").is_ok_and(|var| !matches!(var.as_str(), "linux" | "dumb" | ""))
}

/// Whether Shift and Enter are known to come as a key of their own: by the
/// terminal's name, because asking it would have to wait for an answer.
pub fn tells_shift_enter() -> bool {
    let name = std::env::var("TERM").unwrap_or_default();
    ["xterm-kitty", "xterm-ghostty", "foot"].iter().any(|text| name.starts_with(text))
}

/// Gives the terminal back. Every step is tried whatever the others did;
/// called again it does nothing.
pub fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut bytes = Vec::new();
    // A vector takes every byte; the results say nothing.
    let _ = queue!(bytes, EndSynchronizedUpdate);
    if knows_sequences() {
        let _ = queue!(bytes, PopKeyboardEnhancementFlags);
    }
    if TITLED.swap(false, Ordering::SeqCst) {
        bytes.extend_from_slice(GIVE_TITLE_BACK);
    }
    let _ = queue!(
        bytes,
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        cursor::Show,
        LeaveAlternateScreen
    );
    let mut out = io::stdout().lock();
    let _ = out.write_all(&bytes);
    let _ = out.flush();
    drop(out);
    let _ = terminal::disable_raw_mode();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clusters_of_doubtful_width_leave_traces() {
        let frame = |text: &str| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
            buffer.set_string(0, 0, text, ratatui::style::Style::new());
            buffer
        };
        let cases = [
            ("Ana \u{1f1f5}\u{1f1f9}", "Marco", true),
            ("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} x", "y", true),
            ("Ana \u{1f1f5}\u{1f1f9}", "Ana \u{1f1f5}\u{1f1f9}", false),
            ("Marco", "Ana \u{1f1f5}\u{1f1f9}", false),
            ("\u{81ea}\u{884c}", "abc", false),
            ("e\u{301}t\u{e9}", "abc", false),
        ];
        for (before, after, leaves) in cases {
            assert_eq!(leaves_traces(&frame(before), &frame(after)), leaves, "{before:?} {after:?}");
        }
    }
}
