//! Stands before a real SMTP server and does wrong what it is told to: cuts a
//! conversation at a chosen place, refuses, or dawdles.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What goes wrong with a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MailWrong {
    /// The connection ends when the mail is announced.
    CutBefore,
    /// It ends in the middle of the text, and the server never has it.
    CutDuring,
    /// The server has it, and the connection ends before it says so.
    CutAfter,
    /// It is put off before the text.
    Later,
    /// It is refused after the text.
    Refused,
    /// The server has it; its answers dawdle.
    Slow,
}

impl MailWrong {
    pub const ALL: [Self; 6] =
        [Self::CutBefore, Self::CutDuring, Self::CutAfter, Self::Later, Self::Refused, Self::Slow];
}

type MailPlan = dyn FnMut() -> Option<MailWrong> + Send;

/// What stands before the server.
#[derive(Clone)]
pub struct MailGate {
    pub port: u16,
    plan: Arc<Mutex<Option<Box<MailPlan>>>>,
    accepted: Arc<AtomicUsize>,
}

impl MailGate {
    pub fn before(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let gate = Self { port, plan: Arc::default(), accepted: Arc::default() };
        let (plan, accepted) = (Arc::clone(&gate.plan), Arc::clone(&gate.accepted));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                accepted.fetch_add(1, Ordering::SeqCst);
                let plan = Arc::clone(&plan);
                // A conversation that breaks off is over.
                std::thread::spawn(move || pass(client, server, &plan).unwrap_or(()));
            }
        });
        gate
    }

    /// How many connections were made so far.
    pub fn connections(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// What goes wrong from now on, mail by mail.
    pub fn plan(&self, plan: impl FnMut() -> Option<MailWrong> + Send + 'static) {
        *self.plan.lock().expect("no one failed") = Some(Box::new(plan));
    }

    pub fn nothing_goes_wrong(&self) {
        *self.plan.lock().expect("no one failed") = None;
    }

    /// The next mail goes wrong, and no other.
    pub fn once(&self, wrong: MailWrong) {
        let mut left = Some(wrong);
        self.plan(move || left.take());
    }
}

/// One conversation, line by line.
fn pass(client: TcpStream, server: u16, plan: &Mutex<Option<Box<MailPlan>>>) -> std::io::Result<()> {
    let upstream = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    let (mut to_server, mut to_client) = (upstream.try_clone()?, client.try_clone()?);
    let (mut from_client, mut from_server) = (BufReader::new(client), BufReader::new(upstream));
    let mut wrong = None;
    answer(&mut from_server, &mut to_client, wrong)?;
    loop {
        let mut line = String::new();
        if from_client.read_line(&mut line)? == 0 {
            return to_server.shutdown(Shutdown::Both);
        }
        let word = line.get(..4).unwrap_or("").to_ascii_uppercase();
        if word == "MAIL" {
            wrong = plan.lock().expect("no one failed").as_mut().and_then(|plan| plan());
            if wrong == Some(MailWrong::CutBefore) {
                return to_client.shutdown(Shutdown::Both);
            }
            if wrong == Some(MailWrong::Later) {
                to_client.write_all(b"451 4.3.0 not now\r\n")?;
                continue;
            }
        }
        to_server.write_all(line.as_bytes())?;
        let told = answer(&mut from_server, &mut to_client, wrong)?;
        if word != "DATA" || !told.starts_with("354") {
            continue;
        }
        let text = text(&mut from_client)?;
        match wrong {
            Some(MailWrong::CutDuring) => {
                to_server.write_all(&text[..text.len() / 2])?;
                to_server.shutdown(Shutdown::Both)?;
                return to_client.shutdown(Shutdown::Both);
            }
            Some(MailWrong::CutAfter) => {
                to_server.write_all(&text)?;
                let mut said = String::new();
                from_server.read_line(&mut said)?;
                return to_client.shutdown(Shutdown::Both);
            }
            Some(MailWrong::Refused) => {
                // The server is left before it has the end.
                to_server.shutdown(Shutdown::Both)?;
                to_client.write_all(b"554 5.7.1 this looks like nothing we take\r\n")?;
                return to_client.shutdown(Shutdown::Write);
            }
            _ => {}
        }
        to_server.write_all(&text)?;
        answer(&mut from_server, &mut to_client, wrong)?;
    }
}

/// Passes an answer on; what it was.
fn answer(
    from: &mut BufReader<TcpStream>,
    to: &mut TcpStream,
    wrong: Option<MailWrong>,
) -> std::io::Result<String> {
    let mut told = String::new();
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            to.shutdown(Shutdown::Both)?;
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let is_last = line.as_bytes().get(3) != Some(&b'-');
        told.push_str(&line);
        if is_last {
            break;
        }
    }
    // One byte at a time is what dawdling comes to.
    let step = if wrong == Some(MailWrong::Slow) { 1 } else { told.len() };
    told.as_bytes()
        .chunks(step.max(1))
        .try_for_each(|chunk| to.write_all(chunk).and_then(|()| to.flush()))?;
    Ok(told)
}

/// The text of a mail, with its end.
fn text(from: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n.\r\n") {
        from.read_exact(&mut byte)?;
        text.push(byte[0]);
    }
    Ok(text)
}
