//! The floor: the least a program of this kind does for a key. A list of rows
//! that are made as they are seen, a text beside it, one frame for all keys that
//! wait; nothing is stored, sent or checked.

use std::io::{self, Write};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, poll, read};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};
use ratatui::{Frame, Terminal};

/// Words the rows are made of.
const WORDS: [&str; 8] = ["order", "bicycle", "brakes", "invoice", "delivery", "helmet", "saddle", "refund"];

/// Runs until `q`.
pub fn run(rows: usize) -> io::Result<()> {
    enable_raw_mode()?;
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout());
    execute!(out, EnterAlternateScreen, cursor::Hide)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(out))?;
    let (mut selected, mut top) = (0_usize, 0_usize);
    loop {
        terminal.draw(|frame| draw(frame, rows, selected, &mut top))?;
        terminal.backend_mut().flush()?;
        loop {
            match read()? {
                Event::Key(key) => match key.code {
                    KeyCode::Char('q') => {
                        disable_raw_mode()?;
                        return execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
                    }
                    KeyCode::Char('j') => selected = (selected + 1).min(rows - 1),
                    KeyCode::Char('k') => selected = selected.saturating_sub(1),
                    _ => (),
                },
                Event::Resize(..) => drop(size()?),
                _ => (),
            }
            if !poll(Duration::ZERO)? {
                break;
            }
        }
    }
}

fn draw(frame: &mut Frame, rows: usize, selected: usize, top: &mut usize) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
            .areas(frame.area());
    let [list, beside] = Layout::horizontal([Constraint::Length(42), Constraint::Fill(1)]).areas(body);
    let height = usize::from(list.height);
    *top = (*top).min(selected).max((selected + 1).saturating_sub(height));
    let row = |at: usize| {
        let style = if at == selected { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        Line::styled(format!("{:<14} {:>5} {:<18}", name(at), at % 1_440, words(at, 3)), style)
    };
    let lines: Vec<Line> = (*top..rows.min(*top + height)).map(row).collect();
    let message =
        |at: usize| [Line::from(name(selected + at)), Line::from(words(selected + at, 14)), Line::default()];
    let history: Vec<Line> = (0..12).flat_map(message).collect();
    frame.render_widget(Paragraph::new(format!(" {rows} rows")), head);
    frame.render_widget(Paragraph::new(lines), list);
    let block = Block::new().borders(Borders::LEFT);
    frame.render_widget(Paragraph::new(history).wrap(Wrap { trim: false }).block(block), beside);
    frame.render_widget(Paragraph::new(format!(" row {selected}")), foot);
}

fn name(at: usize) -> String {
    format!("Customer {at}")
}

fn words(at: usize, count: usize) -> String {
    let word = |turn: usize| WORDS[at.wrapping_mul(31).wrapping_add(turn * 7 + at / 5) % WORDS.len()];
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}
