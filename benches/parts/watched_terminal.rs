//! A program in a pseudo-terminal, whose bytes are told with the time they came:
//! taken by the thread that reads them, before anything is emulated.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use frontdesk::shell::clock::instant;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

pub const COLUMNS: u16 = 120;
pub const ROWS: u16 = 40;

pub struct WatchedTerminal {
    pub child: Box<dyn Child + Send + Sync>,
    pub bytes: Receiver<(Instant, Vec<u8>)>,
    writer: Box<dyn Write + Send>,
}

impl Drop for WatchedTerminal {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl WatchedTerminal {
    /// Starts a program.
    pub fn start(command: CommandBuilder) -> Self {
        Self::start_at(command, (COLUMNS, ROWS))
    }

    /// The same on a screen of another size.
    pub fn start_at(command: CommandBuilder, (cols, rows): (u16, u16)) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send((instant(), buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        // The terminal stays open as long as the bench runs.
        std::mem::forget(pair.slave);
        std::mem::forget(pair.master);
        Self { child, bytes, writer }
    }

    /// Presses keys; returns when.
    pub fn press(&mut self, keys: &str) -> Instant {
        let at = instant();
        self.writer.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.writer.flush().expect("the terminal takes keys");
        at
    }
}
