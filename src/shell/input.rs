//! Thread that reads the terminal and passes decoded events to the loop.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{SpecialCodeIndex, tcgetattr};

use crate::shell::clock;
use crate::shell::decoder::Decoder;
use crate::shell::event_queue::{EventQueue, Signal};
use crate::shell::terminal::{self, Screen};
use inbox::event::Event;
use model::time::Clock;

/// Maximum wait of [`InputGate::close`] for the thread.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
const READ_BYTES: usize = 64 * 1024;
/// Byte of Backspace if the terminal does not report it.
const DEFAULT_ERASE: u8 = 0x7f;

/// Starts reading until the terminal is gone. The thread ends with the process.
pub fn spawn(mailbox: EventQueue, clock: Arc<dyn Clock>) -> io::Result<InputGate> {
    let (woken, waker) = io::pipe()?;
    let gate = InputGate { shared: Arc::default(), waker: Arc::new(waker) };
    let reading = gate.clone();
    let thread = std::thread::Builder::new().name("input".to_owned());
    thread.spawn(move || {
        if let Err(error) = read_all(&mailbox, &reading, woken, &*clock) {
            tracing::warn!(%error, "the terminal's input has ended");
        }
        mailbox.signal(Signal::TerminalLost);
    })?;
    Ok(gate)
}

fn read_all(mailbox: &EventQueue, gate: &InputGate, woken: PipeReader, clock: &dyn Clock) -> io::Result<()> {
    let mut input = TerminalInput::open()?.with_waker(woken);
    let mut arrived_at = clock.moment();
    loop {
        if gate.wait_while_closed() {
            // Input begun before another program used the terminal is dropped.
            input.reset();
        }
        let was_waiting = input.has_bytes()?;
        let events = input.next(was_waiting, || mailbox.has_shown_all_keys())?;
        // Bytes that waited may have come right after the read before.
        if !was_waiting {
            arrived_at = clock.moment();
        }
        events.into_iter().for_each(|event| mailbox.key(event, arrived_at));
    }
}

pub struct TerminalInput {
    terminal: Source,
    woken: Option<PipeReader>,
    decoder: Decoder,
    erase: u8,
    started: Instant,
    buffer: Vec<u8>,
}

enum Source {
    Standard(io::Stdin),
    File(File),
}

impl Source {
    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Standard(stdin) => stdin.as_fd(),
            Self::File(file) => file.as_fd(),
        }
    }
}

impl TerminalInput {
    /// Reads standard input, or the controlling terminal if standard input is none.
    ///
    /// # Errors
    /// When the process has no terminal.
    pub fn open() -> io::Result<Self> {
        let terminal = match io::stdin() {
            stdin if stdin.is_terminal() => Source::Standard(stdin),
            _ => Source::File(File::open("/dev/tty")?),
        };
        let erase = tcgetattr(terminal.fd())
            .map_or(DEFAULT_ERASE, |attributes| attributes.special_codes[SpecialCodeIndex::VERASE]);
        Ok(Self {
            terminal,
            woken: None,
            decoder: Decoder::new(erase),
            erase,
            started: clock::instant(),
            buffer: vec![0; READ_BYTES],
        })
    }

    /// Adds a pipe whose bytes end a wait.
    fn with_waker(self, woken: PipeReader) -> Self {
        Self { woken: Some(woken), ..self }
    }

    /// Drops an incomplete sequence.
    fn reset(&mut self) {
        self.decoder = Decoder::new(self.erase);
    }

    /// True if bytes wait to be read.
    ///
    /// # Errors
    /// When the terminal is gone.
    fn has_bytes(&self) -> io::Result<bool> {
        Ok(self.wait(Some(Duration::ZERO))?.0)
    }

    /// Waits for bytes, a timeout or a wake-up. Returns the events, which may be none. `was_waiting`: the bytes
    /// were there when the read before had been handled. `shown` tells if the screen is up to date.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn next(&mut self, was_waiting: bool, shown: impl FnOnce() -> bool) -> io::Result<Vec<Event>> {
        let deadline = self.decoder.deadline();
        let wait = deadline.map(|deadline| deadline.saturating_sub(self.started.elapsed()));
        let (bytes, woken) = self.wait(wait)?;
        if woken && let Some(pipe) = &mut self.woken {
            let _ = pipe.read(&mut [0; 16])?;
        }
        if !bytes {
            return Ok(self.decoder.expire(self.started.elapsed()));
        }
        match rustix::io::read(self.terminal.fd(), &mut self.buffer) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                let now = self.started.elapsed();
                Ok(self.decoder.feed(&self.buffer[..count], now, was_waiting, shown()))
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true for each of terminal and pipe that has bytes.
    fn wait(&self, at_most: Option<Duration>) -> io::Result<(bool, bool)> {
        let at_most = at_most.and_then(|wait| Timespec::try_from(wait).ok());
        let mut both = vec![PollFd::from_borrowed_fd(self.terminal.fd(), PollFlags::IN)];
        both.extend(self.woken.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        match poll(&mut both, at_most.as_ref()) {
            Ok(_) => {
                let ready = |at: usize| both.get(at).is_some_and(|fd| !fd.revents().is_empty());
                Ok((ready(0), ready(1)))
            }
            Err(rustix::io::Errno::INTR) => Ok((false, false)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Keeps the reading thread off the terminal while another program uses it.
#[derive(Debug, Clone)]
pub struct InputGate {
    shared: Arc<(Mutex<GateState>, Condvar)>,
    waker: Arc<PipeWriter>,
}

#[derive(Debug, Default)]
struct GateState {
    closed: bool,
    waiting: bool,
}

impl InputGate {
    /// Closes the gate and waits until the thread has stopped at it; false on timeout.
    pub fn close(&self) -> bool {
        let (doors, moved) = &*self.shared;
        let mut doors = doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.closed = true;
        if self.waker.as_ref().write_all(&[0]).is_err() {
            return false;
        }
        let waited = moved.wait_timeout_while(doors, CLOSE_TIMEOUT, |doors| !doors.waiting);
        waited.unwrap_or_else(PoisonError::into_inner).0.waiting
    }

    /// Lends the terminal to another program, with an error text if that is not possible.
    pub fn lend<T>(
        &self,
        screen: &mut Screen,
        run: impl FnOnce() -> Result<T, String>,
    ) -> io::Result<Result<T, String>> {
        if !self.close() {
            self.open();
            return Ok(Err("the terminal cannot be lent here".to_owned()));
        }
        terminal::restore();
        let ended = run();
        screen.reacquire()?;
        self.open();
        Ok(ended)
    }

    pub fn open(&self) {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner).closed = false;
        self.shared.1.notify_all();
    }

    /// Waits while the gate is closed. Returns true if it was.
    fn wait_while_closed(&self) -> bool {
        let (doors, moved) = &*self.shared;
        let mut doors = doors.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = doors.closed;
        while doors.closed {
            doors.waiting = true;
            moved.notify_all();
            doors = moved.wait(doors).unwrap_or_else(PoisonError::into_inner);
        }
        doors.waiting = false;
        waited
    }
}
