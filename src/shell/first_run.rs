//! Screen of an installation without a channel, for the choice of the first step.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::shell::clock::SystemClock;
use crate::shell::event_queue::{EventQueue, Signal};
use crate::shell::run::DeskError;
use crate::shell::terminal::{self, Screen, ScreenOptions};
use crate::shell::{failures, input, signals, terminal_lending};
use inbox::event::Event;
use inbox::first_run::{FirstRun, FirstStep, view};
use inbox::keys::{KeyCode, KeyPress};
use inbox::theme_view::Theme;

/// Maximum keys that may arrive at once on a slow line.
const MAX_KEY_BURST: usize = 4;
/// Longest wait without an event.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3600);

/// Shows the screen and releases the terminal. Adding a channel happens here; that step is returned once it
/// is done.
pub fn choose_first_step(config: &Path, theme: Theme) -> Result<FirstStep, DeskError> {
    let mailbox = EventQueue::default();
    failures::install(mailbox.clone());
    signals::spawn(mailbox.clone())?;
    let mut size = terminal::size()?;
    // The mouse is left to the terminal, so that text can be selected.
    let mut screen = Screen::acquire(ScreenOptions::default())?;
    let mut first = FirstRun::new(&config.display().to_string());
    show(&mut screen, size, &first, theme)?;
    let gate = input::spawn(mailbox.clone(), Arc::new(SystemClock))?;
    loop {
        let turn = mailbox.wait(IDLE_TIMEOUT);
        for signal in turn.signals {
            match signal {
                Signal::End | Signal::TerminalLost => return Ok(FirstStep::Quit),
                Signal::Failed => return Err(DeskError::Failed),
                Signal::Stop => {
                    terminal::restore();
                    signals::stop_process();
                    screen.reacquire()?;
                }
                Signal::Continue => screen.reacquire()?,
                Signal::Resized => {
                    size = terminal::size()?;
                    screen.redraw();
                }
            }
        }
        for key in turn.keys.into_iter().flat_map(|(_, event)| keys(event)) {
            let step = first.key(key);
            match step {
                Some(FirstStep::AddChannel) => match gate.lend(&mut screen, terminal_lending::run_setup)? {
                    Ok(()) => return Ok(FirstStep::AddChannel),
                    Err(why) => {
                        first.message = Some(why);
                        size = terminal::size()?;
                    }
                },
                Some(step) => return Ok(step),
                None => (),
            }
        }
        show(&mut screen, size, &first, theme)?;
    }
}

/// Keys of an event. Longer text that arrives at once is a paste and chooses nothing.
fn keys(event: Event) -> Vec<KeyPress> {
    let code = |character| if character == '\n' { KeyCode::Enter } else { KeyCode::Char(character) };
    if let Event::Burst(text) = &event
        && text.chars().count() <= MAX_KEY_BURST
    {
        return text.chars().map(code).map(KeyPress::plain).collect();
    }
    if let Event::Key(key) = event { vec![key] } else { Vec::new() }
}

fn show(screen: &mut Screen, size: (u16, u16), first: &FirstRun, theme: Theme) -> io::Result<()> {
    screen.draw(size, Vec::new(), |buffer| {
        view::draw(first, theme, buffer);
        (None, Vec::new())
    })
}
