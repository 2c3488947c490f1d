//! A customer's webhook endpoint with scripted answers.

use std::sync::{Arc, Mutex};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

pub use crate::raw_http::RawRequest as Received;

/// Status, extra header lines and body.
pub type Told = (u16, &'static str, Vec<u8>);

type Answering = Arc<Mutex<Box<dyn FnMut(&Received) -> Told + Send>>>;

pub struct Receiver {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    answering: Answering,
}

impl Receiver {
    /// An endpoint that answers its challenge and accepts everything.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let received = Arc::new(Mutex::new(Vec::new()));
        let answering: Answering = Arc::new(Mutex::new(Box::new(|_| (200, "", Vec::new()))));
        let (log, answers) = (received.clone(), answering.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, log.clone(), answers.clone()));
            }
        });
        let receiver = Self { url, received, answering };
        receiver.answer(200, "");
        receiver
    }

    /// Answers deliveries this way from now on; challenges pass.
    pub fn answer(&self, status: u16, headers: &'static str) {
        self.answer_by(move |raw_request| match raw_request.challenge() {
            Some(value) => (200, "", value.as_bytes().to_vec()),
            None => (status, headers, Vec::new()),
        });
    }

    pub fn answer_by(&self, answer: impl FnMut(&Received) -> Told + Send + 'static) {
        *self.answering.lock().expect("no one failed") = Box::new(answer);
    }

    /// Returns and clears the requests.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut *self.received.lock().expect("no one failed"))
    }

    /// Returns the deliveries and clears all requests.
    pub fn deliveries(&self) -> Vec<Received> {
        self.take().into_iter().filter(|raw_request| raw_request.method == "POST").collect()
    }
}

pub fn hex_hmac(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key");
    mac.update(body);
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn serve(mut stream: TcpStream, log: Arc<Mutex<Vec<Received>>>, answers: Answering) {
    let Some(request) = Received::read(&mut stream).await else { return };
    let (status, headers, body) = (answers.lock().expect("no one failed"))(&request);
    log.lock().expect("no one failed").push(request);
    let head = format!(
        "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(&[head.as_bytes(), &body].concat()).await;
    let _ = stream.shutdown().await;
}
