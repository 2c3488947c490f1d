//! A server with an untrusted certificate: reported once, and nothing is sent to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use frontdesk::model::news::Health;
use frontdesk::sync::{PullOutcome, PushStep};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::hands::{Hands, quiet};

/// Listens with a self-signed certificate; counts the request bytes received.
async fn impostor() -> (String, Arc<AtomicUsize>) {
    frontdesk::client::install_tls();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![made.cert.der().clone()], key).expect("a server");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("https://localhost:{}/v1", listener.local_addr().expect("an address").port());
    let told = Arc::new(AtomicUsize::new(0));
    let counted = told.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let mut buffer = [0; 4096];
                let count = stream.read(&mut buffer).await.unwrap_or(0);
                counted.fetch_add(count, Ordering::SeqCst);
            }
        }
    });
    (address, told)
}

#[tokio::test]
async fn a_certificate_nobody_vouches_for_stops_the_tab_and_keeps_what_waits() {
    let (address, told) = impostor().await;
    let hands = Hands::with(quiet, |spec| spec.base_url = address).await;
    hands.queue_text("c1", "Kept");
    let [account, ..] = hands.pull().await;
    assert_ne!(account, PullOutcome::Done);
    let Some(Health::Misconfigured { why }) = hands.health() else { panic!("not said") };
    assert!(why.as_str().contains("certificate"), "{why:?}");
    assert_eq!(hands.push().await, PushStep::Halted);
    assert_eq!(hands.store.lane_rows(&crate::hands::id()).await.expect("read").len(), 1, "it is kept");
    assert_eq!(told.load(Ordering::SeqCst), 0, "the key was not told");
}
