//! IMAP proxy before a real server: records commands, and hides capabilities of the server.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Marker that ends a connection between two lines.
pub const CUT: &str = "\0cut";

pub struct MailLine {
    pub port: u16,
    heard: Arc<Mutex<Vec<String>>>,
    wrong: Arc<LineWrong>,
}

#[derive(Default)]
struct LineWrong {
    /// Nothing passes in either direction.
    silent: AtomicBool,
    /// Every login fails.
    locked: AtomicBool,
}

impl MailLine {
    /// A proxy that hides capabilities.
    pub fn before(server: u16, hidden: &'static [&'static str]) -> Self {
        Self::changing(server, |_, line| without(line, hidden))
    }

    /// Changes the server's lines, by number of the connection. [`CUT`] in a line ends the
    /// connection.
    pub fn changing(server: u16, change: impl Fn(usize, String) -> String + Clone + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let line = Self { port, heard: Arc::default(), wrong: Arc::default() };
        let (heard, wrong) = (Arc::clone(&line.heard), Arc::clone(&line.wrong));
        std::thread::spawn(move || {
            for (number, client) in listener.incoming().flatten().enumerate() {
                let heard = Arc::clone(&heard);
                let upstream = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).expect("a server");
                let (from_client, from_server) =
                    (client.try_clone().expect("a stream"), upstream.try_clone().expect("a stream"));
                let (asking, answering) = (Arc::clone(&wrong), Arc::clone(&wrong));
                let hear = move |line: String| {
                    heard.lock().expect("no one failed").push(line.clone());
                    if asking.locked.load(Ordering::SeqCst) { unlocked_wrongly(line) } else { line }
                };
                let (asked, change) = (Arc::clone(&wrong), change.clone());
                std::thread::spawn(move || pass(from_client, upstream, &asked, hear));
                std::thread::spawn(move || {
                    pass(from_server, client, &answering, |line| change(number, line))
                });
            }
        });
        line
    }

    pub fn is_silent(&self, silent: bool) {
        self.wrong.silent.store(silent, Ordering::SeqCst);
    }

    pub fn is_locked(&self, locked: bool) {
        self.wrong.locked.store(locked, Ordering::SeqCst);
    }

    pub fn count(&self, command: &str) -> usize {
        let heard = self.heard.lock().expect("no one failed");
        heard.iter().filter(|text| text.split_whitespace().nth(1) == Some(command)).count()
    }
}

/// Forwards one direction line by line; its end closes both.
fn pass(from: TcpStream, mut to: TcpStream, wrong: &LineWrong, change: impl Fn(String) -> String) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|number| number > 0) {
        // Binary data is no protocol line.
        let said = match String::from_utf8(std::mem::take(&mut line)) {
            Ok(text) => change(text).into_bytes(),
            Err(bytes) => bytes.into_bytes(),
        };
        if said.starts_with(CUT.as_bytes()) {
            break;
        }
        if !wrong.silent.load(Ordering::SeqCst) && to.write_all(&said).is_err() {
            break;
        }
    }
    // The other side may have closed first.
    let _ = to.shutdown(Shutdown::Both);
}

/// A login with a wrong password.
fn unlocked_wrongly(line: String) -> String {
    match line.split_once(" LOGIN ") {
        Some((tag, _)) => format!("{tag} LOGIN nobody wrong\r\n"),
        None => line,
    }
}

fn without(line: String, hidden: &[&str]) -> String {
    if !line.contains("CAPABILITY") {
        return line;
    }
    hidden.iter().fold(line, |line, text| line.replace(&format!(" {text}"), ""))
}
