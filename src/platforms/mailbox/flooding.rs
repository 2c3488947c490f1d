//! Servers that send endless answers over real sockets: the client ends each connection with an
//! error after few bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::mailbox::imap::ImapLink;
use crate::mailbox::login::MailLogin;
use crate::mailbox::server::{ConnectError, Encryption, MailProtocol, MailServer};
use model::secret::Secret;

const MAX_FLOOD_BYTES: usize = 48 * 1024 * 1024;
/// Bytes that the socket buffers of both sides may hold after the client left.
const IN_SOCKETS: usize = 24 * 1024 * 1024;

/// Server that answers line by line and then floods.
struct FloodingServer {
    address: SocketAddr,
    sent: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl FloodingServer {
    async fn start(lines: &'static [&'static str], first: &'static str, flood: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let sent = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&sent);
        let task = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a client");
            for line in lines {
                stream.write_all(line.as_bytes()).await.expect("written");
                let mut heard = Vec::new();
                while !heard.ends_with(b"\n") {
                    if stream.read_buf(&mut heard).await.unwrap_or(0) == 0 {
                        return;
                    }
                }
            }
            let flood = flood.repeat(64 * 1024 / flood.len());
            let _ = stream.write_all(first.as_bytes()).await;
            while count.load(Ordering::SeqCst) < MAX_FLOOD_BYTES
                && stream.write_all(flood.as_bytes()).await.is_ok()
            {
                count.fetch_add(flood.len(), Ordering::SeqCst);
            }
            // Sends nothing more and leaves the connection open.
            let _ = stream.read_to_end(&mut Vec::new()).await;
        });
        Self { address, sent, task }
    }

    fn named(&self, protocol: MailProtocol, encryption: Encryption) -> MailServer {
        MailServer {
            protocol,
            encryption,
            host: self.address.ip().to_string(),
            port: self.address.port(),
            user: "desk".to_owned(),
        }
    }

    fn check(self) {
        let sent = self.sent.load(Ordering::SeqCst);
        assert!(sent < IN_SOCKETS, "the client took in {sent} bytes");
        self.task.abort();
    }
}

#[tokio::test]
async fn a_server_that_floods_before_starttls_is_left() {
    let x = "x";
    let cases: [(MailProtocol, &[&str], &str, &str); 5] = [
        (MailProtocol::Imap, &[], "* OK ", x),
        (MailProtocol::Imap, &["* OK hello\r\n"], "a OK ", x),
        (MailProtocol::Smtp, &[], "220 ", x),
        (MailProtocol::Smtp, &["220 hello\r\n"], "250-", x),
        (MailProtocol::Smtp, &["220 hello\r\n", "250 STARTTLS\r\n"], "220", x),
    ];
    for (protocol, lines, first, flood) in cases {
        let server = FloodingServer::start(lines, first, flood).await;
        let left = server.named(protocol, Encryption::StartTls).connect(&Err("nobody".to_owned())).await;
        let why = left.expect_err("it floods");
        assert!(matches!(why, ConnectError::Endless(..)), "{lines:?} {first}: {why}");
        assert!(why.to_string().contains("a line of more than"), "{why}");
        server.check();
    }
}

#[tokio::test]
async fn a_mailbox_that_floods_is_left_at_every_step() {
    let login = MailLogin::Passwords { reading: Secret::new("pw"), sending: Secret::new("pw") };
    let cases: [(&[&str], &str, &str, &str); 5] = [
        (&[], "* OK ", "x", "a line of more than"),
        (&["* OK hello\r\n"], "", "* CAPABILITY IMAP4rev1\r\n", "an answer of more than"),
        (&["* OK hello\r\n", "A0001 OK in\r\n"], "* CAPABILITY ", "X", "a line of more than"),
        (
            &["* OK hello\r\n", "A0001 OK in\r\n", "* CAPABILITY IMAP4rev1\r\nA0002 OK done\r\n"],
            "",
            "* LIST () \"/\" a\r\n",
            "an answer of more than",
        ),
        (
            &["* OK hello\r\n", "A0001 OK in\r\n", "* CAPABILITY IMAP4rev1\r\nA0002 OK done\r\n"],
            "* LIST () \"/\" {400000000}\r\n",
            "x",
            "a mail or text of 400000000 bytes",
        ),
    ];
    for (lines, first, flood, words) in cases {
        let server = FloodingServer::start(lines, first, flood).await;
        let named = server.named(MailProtocol::Imap, Encryption::Plain);
        let left = ImapLink::open(&named, &login, &Err("nobody".to_owned())).await;
        let why = left.err().expect("it floods").why;
        assert!(why.contains(words), "{lines:?} {first}{flood}: {why}");
        server.check();
    }
}
