//! Address of a mail server, and a connection to it: encrypted from the first byte, after STARTTLS,
//! or plain on loopback only.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::mailbox::answer_guard::{self, AnswerGuard, AnswerSize};

/// Time limit for connecting and for the STARTTLS dialogue.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const MAX_GREETING_LINES: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// From the first byte.
    Implicit,
    /// After STARTTLS; never without.
    StartTls,
    /// Unencrypted: loopback only.
    Plain,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailProtocol {
    Imap,
    Smtp,
}

impl MailProtocol {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Imap => "imap",
            Self::Smtp => "smtp",
        }
    }

    const fn port(self, encryption: Encryption) -> u16 {
        match (self, encryption) {
            (Self::Imap, Encryption::Implicit) => 993,
            (Self::Imap, _) => 143,
            (Self::Smtp, Encryption::Implicit) => 465,
            (Self::Smtp, _) => 587,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailServer {
    pub protocol: MailProtocol,
    pub encryption: Encryption,
    pub host: String,
    pub port: u16,
    pub user: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("{0} cannot be reached ({1}); check the host, the port and the network")]
    Unreachable(String, String),
    /// The certificate is invalid, or the server speaks no TLS.
    #[error(
        "{0} has no trusted certificate, or does not use TLS on this port ({1}). imaps is usually port \
         993, smtps 465; imap:// and smtp:// use STARTTLS"
    )]
    Untrusted(String, String),
    #[error(
        "{0} does not support STARTTLS, and a password is never sent unencrypted; use imaps:// or smtps://"
    )]
    Unencrypted(String),
    /// An answer exceeds a bound of `answer_guard`.
    #[error(
        "{0} does not answer as a mail server: it sent {1}, so the connection was closed; check the host \
         and the port"
    )]
    Endless(String, String),
}

impl MailServer {
    /// Parses `imaps://USER@HOST:PORT` or `smtps://…`; without the `s` the connection uses
    /// STARTTLS, or is plain on loopback.
    pub fn read(text: &str, protocol: MailProtocol) -> Result<Self, String> {
        let word = protocol.word();
        let shape =
            || format!("{text:?} is not the address of a mail server, such as {word}s://USER@HOST:PORT");
        let url = url::Url::parse(text).map_err(|_| shape())?;
        let host = url.host_str().filter(|host_str| !host_str.is_empty()).ok_or_else(shape)?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let here = matches!(host.as_str(), "127.0.0.1" | "localhost" | "::1");
        let encryption = match url.scheme() {
            scheme if scheme.strip_suffix('s') == Some(word) => Encryption::Implicit,
            scheme if scheme == word && here => Encryption::Plain,
            scheme if scheme == word => Encryption::StartTls,
            _ => return Err(shape()),
        };
        let user = percent_decode(url.username())
            .filter(|decode| !decode.is_empty() && !decode.chars().any(char::is_control));
        let user = user.ok_or_else(|| format!("{text:?} has no user; write {word}s://USER@HOST:PORT"))?;
        if url.password().is_some() {
            return Err(
                "the address must not contain the password; it is asked for, or read from standard input"
                    .to_owned(),
            );
        }
        let port = url.port().unwrap_or_else(|| protocol.port(encryption));
        Ok(Self { protocol, encryption, host, port, user })
    }

    /// Host and port, for messages.
    pub fn describe(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    pub async fn connect(
        &self,
        trust: &Result<Arc<ClientConfig>, String>,
    ) -> Result<MailStream, ConnectError> {
        let unreachable = |why: String| ConnectError::Unreachable(self.describe(), why);
        let connected = timeout(CONNECT_TIMEOUT, TcpStream::connect((self.host.as_str(), self.port))).await;
        let stream = connected
            .map_err(|_| unreachable("no answer".to_owned()))?
            .map_err(|why| unreachable(describe_connect_error(&why)))?;
        // The commands are short and each waits for its answer.
        stream.set_nodelay(true).map_err(|why| unreachable(why.to_string()))?;
        match self.encryption {
            Encryption::Plain => Ok(MailStream::plain(stream, self.protocol)),
            Encryption::Implicit => self.encrypt(stream, trust, Vec::new()).await,
            Encryption::StartTls => {
                let (stream, greeting) = timeout(CONNECT_TIMEOUT, self.ask_for_tls(stream))
                    .await
                    .map_err(|_| unreachable("it sent nothing".to_owned()))??;
                self.encrypt(stream, trust, greeting).await
            }
        }
    }

    async fn encrypt(
        &self,
        stream: TcpStream,
        trust: &Result<Arc<ClientConfig>, String>,
        greeting: Vec<u8>,
    ) -> Result<MailStream, ConnectError> {
        let refused = |why: String| ConnectError::Untrusted(self.describe(), why);
        let trust = trust.clone().map_err(refused)?;
        let name = ServerName::try_from(self.host.clone()).map_err(|why| refused(why.to_string()))?;
        let encrypted = timeout(CONNECT_TIMEOUT, TlsConnector::from(trust).connect(name, stream)).await;
        let encrypted = encrypted.map_err(|_| refused("no answer".to_owned()))?;
        let stream = Box::new(encrypted.map_err(|why| refused(why.to_string()))?);
        let guard = AnswerGuard::new(self.protocol);
        Ok(MailStream { kind: StreamKind::Encrypted(stream), guard, greeting, given: 0, goes_on: false })
    }

    /// Requests STARTTLS and returns the greeting, which the server does not repeat afterwards.
    async fn ask_for_tls(&self, stream: TcpStream) -> Result<(TcpStream, Vec<u8>), ConnectError> {
        let none = || ConnectError::Unencrypted(self.describe());
        let gone = |why: io::Error| match answer_guard::exceeded(&why) {
            Some(bound) => ConnectError::Endless(self.describe(), bound.to_string()),
            None => ConnectError::Unreachable(self.describe(), why.kind().to_string()),
        };
        let mut stream = BufReader::new(MailStream::plain(stream, self.protocol));
        let mut greeting = String::new();
        stream.read_line(&mut greeting).await.map_err(gone)?;
        let questions: &[(&str, &str)] = match self.protocol {
            MailProtocol::Imap => &[("a STARTTLS\r\n", "a ")],
            MailProtocol::Smtp => &[("EHLO localhost\r\n", "250 "), ("STARTTLS\r\n", "220 ")],
        };
        for (question, good) in questions {
            stream.write_all(question.as_bytes()).await.map_err(gone)?;
            let mut lines = 0;
            loop {
                let mut line = String::new();
                let count = stream.read_line(&mut line).await.map_err(gone)?;
                lines += 1;
                let refused = line.starts_with("a NO") || line.starts_with("a BAD");
                if count == 0 || lines > MAX_GREETING_LINES || refused || line.starts_with(['4', '5']) {
                    return Err(none());
                }
                if line.starts_with(good) {
                    break;
                }
            }
        }
        // Unencrypted bytes behind the answer would pass as encrypted (STARTTLS injection).
        if !stream.buffer().is_empty() {
            return Err(none());
        }
        match stream.into_inner().kind {
            StreamKind::Plain(stream) => Ok((stream, greeting.into_bytes())),
            StreamKind::Encrypted(_) => Err(none()),
        }
    }
}

/// Describes a failed connect. The kind of a failed look-up has no name of its own.
fn describe_connect_error(error: &io::Error) -> String {
    let text = error.to_string();
    if text.contains("failed to lookup") {
        "its name was not found".to_owned()
    } else {
        error.kind().to_string()
    }
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[derive(Debug)]
pub struct MailStream {
    kind: StreamKind,
    guard: AnswerGuard,
    /// Server greeting received before encryption, replayed to the reader.
    greeting: Vec<u8>,
    given: usize,
    /// True if the end of the connection is an error.
    goes_on: bool,
}

#[derive(Debug)]
enum StreamKind {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl MailStream {
    fn plain(stream: TcpStream, protocol: MailProtocol) -> Self {
        let guard = AnswerGuard::new(protocol);
        Self { kind: StreamKind::Plain(stream), guard, greeting: Vec::new(), given: 0, goes_on: false }
    }

    /// Sets the size of the answers that follow; a new connection expects short ones.
    pub fn expect(&mut self, size: AnswerSize) {
        self.guard.expect(size);
    }

    /// Makes the end of the connection an error from now on: the parser takes it for the end of the
    /// answer, so a truncated answer would pass as complete.
    pub fn fail_at_end(&mut self) {
        self.goes_on = true;
    }
}

impl lettre::transport::smtp::client::AsyncTokioStream for MailStream {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        match &self.kind {
            StreamKind::Plain(stream) => stream.peer_addr(),
            StreamKind::Encrypted(stream) => stream.get_ref().0.peer_addr(),
        }
    }
}

impl AsyncRead for MailStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.greeting.len() - self.given;
        if left > 0 {
            let count = left.min(buffer.remaining());
            let from = self.given;
            buffer.put_slice(&self.greeting[from..from + count]);
            self.given += count;
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let Self { kind, guard, goes_on, .. } = &mut *self;
        ready!(match kind {
            StreamKind::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            StreamKind::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        })?;
        if *goes_on && buffer.filled().len() == before && buffer.remaining() > 0 {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        let admitted = guard.admit(&buffer.filled()[before..]);
        if let Err(bound) = admitted {
            // The parser never sees bytes beyond a bound.
            buffer.set_filled(before);
            return Poll::Ready(Err(bound.into()));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for MailStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.guard.begin_answer();
        match &mut self.kind {
            StreamKind::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            StreamKind::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.kind {
            StreamKind::Plain(stream) => Pin::new(stream).poll_flush(context),
            StreamKind::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.kind {
            StreamKind::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            StreamKind::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_how_it_is_encrypted() {
        let read = |text| MailServer::read(text, MailProtocol::Imap);
        let cases = [
            ("imaps://desk@mail.shop.example:1993", Encryption::Implicit, "mail.shop.example", 1993, "desk"),
            (
                "imaps://desk%40shop.example@mail.shop.example",
                Encryption::Implicit,
                "mail.shop.example",
                993,
                "desk@shop.example",
            ),
            (
                "imaps://desk@shop.example@mail.shop.example",
                Encryption::Implicit,
                "mail.shop.example",
                993,
                "desk@shop.example",
            ),
            ("imap://desk@mail.shop.example", Encryption::StartTls, "mail.shop.example", 143, "desk"),
            ("imap://desk@127.0.0.1:20143", Encryption::Plain, "127.0.0.1", 20143, "desk"),
        ];
        for (text, encryption, host, port, user) in cases {
            let found = read(text).expect(text);
            assert_eq!(
                (found.encryption, found.host.as_str(), found.port),
                (encryption, host, port),
                "{text}"
            );
            assert_eq!(found.user, user);
        }
        for (text, words) in [
            ("imaps://mail.shop.example", "has no user"),
            ("imaps://desk:secret@mail.shop.example", "must not contain the password"),
            ("smtps://desk@mail.shop.example", "not the address of a mail server"),
            ("https://desk@mail.shop.example", "not the address of a mail server"),
            ("mail.shop.example", "not the address of a mail server"),
            ("imaps://de%00sk@mail.shop.example", "has no user"),
        ] {
            assert!(read(text).expect_err(text).contains(words), "{text}");
        }
        let smtp = MailServer::read("smtp://desk@mail.shop.example", MailProtocol::Smtp).expect("read");
        assert_eq!((smtp.encryption, smtp.port), (Encryption::StartTls, 587));
    }
}
