//! SMTP proxy before a real server that injects faults: cuts a connection, refuses, or is slow.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MailWrong {
    /// The connection ends at `MAIL FROM`.
    CutBefore,
    /// The connection ends in the middle of the text; the server does not get the mail.
    CutDuring,
    /// The server gets the mail; the connection ends before its answer.
    CutAfter,
    /// Temporary refusal before the text.
    Later,
    /// Refusal after the text.
    Refused,
    /// Refusal of the sender, as providers do it that check it after the text.
    ForeignSender,
    /// The server gets the mail; its answers are slow.
    Slow,
}

impl MailWrong {
    pub const ALL: [Self; 6] =
        [Self::CutBefore, Self::CutDuring, Self::CutAfter, Self::Later, Self::Refused, Self::Slow];
}

type MailPlan = dyn FnMut() -> Option<MailWrong> + Send;

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
                // A broken connection ends the thread.
                std::thread::spawn(move || pass(client, server, &plan).unwrap_or(()));
            }
        });
        gate
    }

    pub fn connections(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    pub fn plan(&self, plan: impl FnMut() -> Option<MailWrong> + Send + 'static) {
        *self.plan.lock().expect("no one failed") = Some(Box::new(plan));
    }

    pub fn nothing_goes_wrong(&self) {
        *self.plan.lock().expect("no one failed") = None;
    }

    pub fn once(&self, wrong: MailWrong) {
        let mut left = Some(wrong);
        self.plan(move || left.take());
    }
}

/// Forwards one connection line by line.
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
            Some(MailWrong::Refused | MailWrong::ForeignSender) => {
                let told: &[u8] = match wrong {
                    Some(MailWrong::ForeignSender) => {
                        b"554 5.2.252 SendAsDenied; desk@mail.example not allowed to send as sales@mail.example\r\n"
                    }
                    _ => b"554 5.7.1 this looks like nothing we take\r\n",
                };
                // The server is disconnected before the end of the text.
                to_server.shutdown(Shutdown::Both)?;
                to_client.write_all(told)?;
                return to_client.shutdown(Shutdown::Write);
            }
            _ => {}
        }
        to_server.write_all(&text)?;
        answer(&mut from_server, &mut to_client, wrong)?;
    }
}

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
    // Slow answers are sent byte by byte.
    let step = if wrong == Some(MailWrong::Slow) { 1 } else { told.len() };
    told.as_bytes()
        .chunks(step.max(1))
        .try_for_each(|chunk| to.write_all(chunk).and_then(|()| to.flush()))?;
    Ok(told)
}

/// The text of a mail with its terminator.
fn text(from: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n.\r\n") {
        from.read_exact(&mut byte)?;
        text.push(byte[0]);
    }
    Ok(text)
}
