//! Stands before a real IMAP server: hears what it is asked, and keeps silent
//! about what it could do that it is not to offer.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What stands before the server.
pub struct MailLine {
    pub port: u16,
    heard: Arc<Mutex<Vec<String>>>,
}

impl MailLine {
    /// One that does not pass on that the server can do some things.
    pub fn before(server: u16, hidden: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let line = Self { port: listener.local_addr().expect("an address").port(), heard: Arc::default() };
        let heard = Arc::clone(&line.heard);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let heard = Arc::clone(&heard);
                let upstream = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).expect("a server");
                let (from_client, from_server) =
                    (client.try_clone().expect("a stream"), upstream.try_clone().expect("a stream"));
                let hear = move |it: String| heard.lock().expect("no one failed").push(it);
                std::thread::spawn(move || pass(from_client, upstream, |line| (hear(line.clone()), line).1));
                std::thread::spawn(move || pass(from_server, client, |line| without(line, hidden)));
            }
        });
        line
    }

    /// How often a command was given.
    pub fn count(&self, command: &str) -> usize {
        let heard = self.heard.lock().expect("no one failed");
        heard.iter().filter(|it| it.split_whitespace().nth(1) == Some(command)).count()
    }
}

/// What is said in one direction, line by line; the end of one is the end of
/// both.
fn pass(from: TcpStream, mut to: TcpStream, change: impl Fn(String) -> String) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|it| it > 0) {
        // What is no text is no line of the protocol.
        let said = match String::from_utf8(std::mem::take(&mut line)) {
            Ok(text) => change(text).into_bytes(),
            Err(bytes) => bytes.into_bytes(),
        };
        if to.write_all(&said).is_err() {
            break;
        }
    }
    // The other side may have ended first.
    let _ = to.shutdown(Shutdown::Both);
}

fn without(line: String, hidden: &[&str]) -> String {
    if !line.contains("CAPABILITY") {
        return line;
    }
    hidden.iter().fold(line, |line, it| line.replace(&format!(" {it}"), ""))
}
