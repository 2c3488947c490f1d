//! Webhooks of the desk: receiver, registration, and a message on screen without polling.

mod hostile;
mod instant;

use std::sync::{Arc, Mutex};

use frontdesk::model::ids::ChannelId;
use frontdesk::model::secret::Secret;
use frontdesk::model::webhook_status::{DeliveryCounts, ReceivedDelivery};
use frontdesk::receiver::{self, ConnectionLimits, WebhookRoutes};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::service::receiver::hex_hmac;

const SECRET: &str = "a secret of this channel";
const OTHER: &str = "the secret of another";

fn path_of(channel: &str) -> String {
    let secret = if channel == "mail" { OTHER } else { SECRET };
    receiver::webhook_path(&ChannelId::from(channel), &Secret::new(secret))
}

/// A running receiver of two channels.
struct Ears {
    address: String,
    heard: Arc<Mutex<Vec<(ChannelId, ReceivedDelivery, DeliveryCounts)>>>,
    _stop: watch::Sender<bool>,
}

impl Ears {
    async fn open() -> Self {
        Self::within(ConnectionLimits::default()).await
    }

    async fn within(bounds: ConnectionLimits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let heard: Arc<Mutex<Vec<_>>> = Arc::default();
        let log = heard.clone();
        let channels = [("chat", SECRET), ("mail", OTHER)];
        let channels = channels.map(|(id, secret)| (ChannelId::from(id), Secret::new(secret))).to_vec();
        let hooks = WebhookRoutes::new(
            channels,
            Box::new(move |channel, delivery, counts| {
                log.lock().expect("no one failed").push((channel.clone(), delivery, counts));
            }),
        );
        let (stop, stopping) = watch::channel(false);
        tokio::spawn(receiver::serve(listener, Arc::new(hooks), bounds, stopping));
        Self { address, heard, _stop: stop }
    }

    fn deliveries(&self) -> Vec<(ChannelId, ReceivedDelivery, DeliveryCounts)> {
        self.heard.lock().expect("no one failed").clone()
    }

    /// Sends bytes and reads until the receiver closes; returns status and body.
    async fn raw(&self, bytes: &[u8]) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).await.expect("connects");
        // The receiver may answer early.
        let _ = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let text = String::from_utf8_lossy(&answer).into_owned();
        let status = text.split(' ').nth(1)?.parse().ok()?;
        Some((status, text.split_once("\r\n\r\n")?.1.to_owned()))
    }

    async fn deliver(&self, channel: &str, signatures: &[&str], body: &[u8]) -> u16 {
        let path = path_of(channel);
        let mut bytes = format!(
            "POST /hooks/{path} HTTP/1.1\r\nhost: desk\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            body.len()
        );
        for signature in signatures {
            bytes.push_str(&format!("X-Service-Signature: {signature}\r\n"));
        }
        bytes.push_str("\r\n");
        let whole = [bytes.as_bytes(), body].concat();
        self.raw(&whole).await.expect("an answer").0
    }

    /// Delivers with a valid signature.
    async fn signed(&self, body: &[u8]) -> u16 {
        self.deliver("chat", &[&hex_hmac(SECRET, body)], body).await
    }
}
