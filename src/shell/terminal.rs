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
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::shell::color_answers;
use inbox::wrap;

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

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

/// The screen: knows the frame on it, so that an unchanged frame costs no
/// byte.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<FrameWriter>>,
    shown: Option<(Buffer, Option<Position>)>,
    /// What lies over its cells.
    overlays: Vec<SharpImage>,
    /// Whether the mouse is read.
    mouse: bool,
    /// Whether the terminal is asked for its colours whenever it is taken.
    asks_colors: bool,
}

impl Screen {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste, focus
    /// reports, keys told apart where it can, and the mouse if it is to be
    /// read. Its colours are asked for if they are wanted; what it answers
    /// comes as events.
    ///
    /// # Errors
    /// When the terminal does not take one of them; it is given back then.
    pub fn take(mouse: bool, asks_colors: bool) -> io::Result<Self> {
        enter(mouse, asks_colors)?;
        let made = size().and_then(|(width, height)| {
            let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
            let backend = CrosstermBackend::new(FrameWriter::default());
            Terminal::with_options(backend, TerminalOptions { viewport })
        });
        match made {
            Ok(terminal) => Ok(Self { terminal, shown: None, overlays: Vec::new(), mouse, asks_colors }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Takes the terminal again after a stop.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub fn retake(&mut self) -> io::Result<()> {
        enter(self.mouse, self.asks_colors)?;
        self.redraw();
        Ok(())
    }

    /// Forgets what is on screen, so that the next frame is drawn whole.
    pub fn redraw(&mut self) {
        self.shown = None;
    }

    /// Draws one frame; `paint` fills it and says where the cursor stands.
    ///
    /// # Errors
    /// When the terminal takes no bytes any more.
    pub fn draw(
        &mut self,
        size: (u16, u16),
        overlays: Vec<SharpImage>,
        paint: impl FnOnce(&mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        let area = Rect::new(0, 0, size.0, size.1);
        let mut frame = Buffer::empty(area);
        let cursor = paint(&mut frame);
        let moved = self.overlays != overlays;
        let before = self.shown.as_ref().filter(|(buffer, _)| buffer.area == area && !moved);
        if before.is_some_and(|(buffer, at)| *buffer == frame && *at == cursor) {
            return Ok(());
        }
        // What the terminal drew over cells does not move with them, and what
        // it drew wider or narrower than its cells leaves traces.
        let whole = before.is_none_or(|(buffer, _)| leaves_traces(buffer, &frame));
        if whole {
            let writer = self.terminal.backend_mut();
            if !self.overlays.is_empty() {
                // Only kitty knows it; it takes all pictures away.
                writer.write_all(b"\x1b_Ga=d,q=2\x1b\\")?;
            }
            queue!(writer, BeginSynchronizedUpdate, terminal::Clear(terminal::ClearType::All))?;
            self.terminal.resize(area)?;
        }
        *self.terminal.current_buffer_mut() = frame.clone();
        let shown = frame;
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate, cursor::Hide)?;
        self.terminal.flush()?;
        if whole {
            for overlay in &overlays {
                overlay.draw(self.terminal.backend_mut())?;
            }
            self.overlays = overlays;
        }
        if let Some(position) = cursor {
            queue!(self.terminal.backend_mut(), cursor::MoveTo(position.x, position.y), cursor::Show)?;
        }
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Backend::flush(self.terminal.backend_mut())?;
        self.terminal.swap_buffers();
        self.shown = Some((shown, cursor));
        Ok(())
    }

    /// Tells the terminal something that is not on the screen: a bell, a
    /// notification, the clipboard's text.
    ///
    /// # Errors
    /// When the terminal takes no bytes any more.
    pub fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        let writer = self.terminal.backend_mut();
        writer.write_all(bytes)?;
        Backend::flush(writer)
    }

    /// Reads the mouse, or leaves it to the terminal.
    ///
    /// # Errors
    /// When the terminal takes no bytes any more.
    pub fn read_mouse(&mut self, read: bool) -> io::Result<()> {
        self.mouse = read;
        let writer = self.terminal.backend_mut();
        if read {
            queue!(writer, EnableMouseCapture)?
        } else {
            queue!(writer, DisableMouseCapture)?
        }
        Backend::flush(writer)
    }
}

/// Whether a cluster of several characters is replaced that terminals do not
/// agree about how wide it is: a flag, a family.
fn leaves_traces(before: &Buffer, after: &Buffer) -> bool {
    let doubtful = |symbol: &str| symbol.len() > 4 && wrap::cells(symbol) > 1 && symbol.chars().count() > 1;
    let mut cells = before.content.iter().zip(&after.content);
    cells.any(|(old, new)| old.symbol() != new.symbol() && doubtful(old.symbol()))
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Columns and rows.
///
/// # Errors
/// When there is no terminal to ask.
pub fn size() -> io::Result<(u16, u16)> {
    terminal::size()
}

/// Columns the terminal gives a text, measured by where its cursor is after
/// it. For a terminal that is not taken; nothing stays on the line.
///
/// # Errors
/// When there is no terminal, or it does not tell.
pub fn measure(text: &str) -> io::Result<u16> {
    terminal::enable_raw_mode()?;
    let mut out = io::stdout().lock();
    let measured = write!(out, "\r{text}").and_then(|()| out.flush()).and_then(|()| cursor::position());
    let wiped = write!(out, "\r\x1b[K").and_then(|()| out.flush());
    terminal::disable_raw_mode()?;
    wiped?;
    Ok(measured?.0)
}

fn enter(mouse: bool, asks_colors: bool) -> io::Result<()> {
    let again = TAKEN.swap(true, Ordering::SeqCst);
    let mut out = io::stdout().lock();
    let entered = terminal::enable_raw_mode().and_then(|()| {
        queue!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, cursor::Hide)?;
        if keys_can_be_asked_for() {
            if again {
                // A stop that nobody announced left them pushed.
                queue!(out, PopKeyboardEnhancementFlags)?;
            }
            // The other screen has a stack of its own, so this one comes
            // after it; a terminal that does not know it ignores it.
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            queue!(out, PushKeyboardEnhancementFlags(flags))?;
        }
        if mouse {
            queue!(out, EnableMouseCapture)?;
        }
        if asks_colors {
            color_answers::ask(&mut out)?;
        }
        out.flush()
    });
    drop(out);
    if entered.is_err() {
        restore();
    }
    entered
}

/// Whether asking for keys that are told apart does no harm: the consoles of
/// kernels print what they do not know of it.
fn keys_can_be_asked_for() -> bool {
    std::env::var("TERM").is_ok_and(|it| !matches!(it.as_str(), "linux" | "dumb" | ""))
}

/// Whether Shift and Enter are known to come as a key of their own: by the
/// terminal's name, because asking it would have to wait for an answer.
pub fn tells_shift_enter() -> bool {
    let name = std::env::var("TERM").unwrap_or_default();
    ["xterm-kitty", "xterm-ghostty", "foot"].iter().any(|it| name.starts_with(it))
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
    if keys_can_be_asked_for() {
        let _ = queue!(bytes, PopKeyboardEnhancementFlags);
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
