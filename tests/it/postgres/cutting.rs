//! The connection to the server is cut around a COMMIT: the same key finds out the outcome.

use std::path::Path;
use std::sync::{Arc, Mutex};

use frontdesk::service::{self, Options, RunningService};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

use super::{cluster, inbound, options};

/// A COMMIT as the writing connection sends it.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
const SOCKET: &str = ".s.PGSQL.5432";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The server does not get it.
    Before,
    /// The server has carried it out; the answer is lost.
    After,
}

/// Proxy between a service and its server that cuts a connection at COMMIT.
struct Cutter {
    folder: tempfile::TempDir,
    next: Arc<Mutex<Option<Cut>>>,
}

impl Cutter {
    fn start(server: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = UnixListener::bind(folder.path().join(SOCKET)).expect("a socket");
        let (server, next) = (server.join(SOCKET), Arc::new(Mutex::new(None)));
        let told = next.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = UnixStream::connect(&server).await.expect("the server");
                tokio::spawn(pass_on(client, server, told.clone()));
            }
        });
        Self { folder, next }
    }

    fn cut(&self, cut: Cut) {
        *self.next.lock().expect("no one failed") = Some(cut);
    }

    fn is_armed(&self) -> bool {
        self.next.lock().expect("no one failed").is_some()
    }
}

/// Forwards both directions until one side ends or the connection is cut.
async fn pass_on(mut client: UnixStream, mut server: UnixStream, next: Arc<Mutex<Option<Cut>>>) {
    let (mut asked, mut told) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        tokio::select! {
            count = client.read(&mut asked) => {
                let Ok(count @ 1..) = count else { return };
                let commits = asked[..count].windows(COMMIT.len()).any(|window| window == COMMIT);
                let cut = if commits { next.lock().expect("no one failed").take() } else { None };
                if cut == Some(Cut::Before) || server.write_all(&asked[..count]).await.is_err() {
                    return;
                }
                if cut == Some(Cut::After) {
                    // Carried out once the server answers.
                    let _ = server.read(&mut told).await;
                    return;
                }
            }
            count = server.read(&mut told) => {
                let Ok(count @ 1..) = count else { return };
                if client.write_all(&told[..count]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn send(running: &RunningService, idem: &str, text: &str) -> (u16, Value) {
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let key = running
        .keys
        .iter()
        .find(|key| key.channel == "whatsapp" && key.environment.word() == "live")
        .expect("a key");
    let body = json!({"to": "+34600111222", "type": "text", "text": {"body": text}}).to_string();
    let request = http.post(format!("{}/messages/send", running.base_url)).bearer_auth(key.key.expose());
    let request = request.header("content-type", "application/json").header("idempotency-key", idem);
    let answer = request.body(body).send().await.expect("an answer");
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.expect("a body")).expect("JSON"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_commit_is_settled_by_its_key() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    let cutter = Cutter::start(server);
    let through = url.replace(&server.display().to_string(), &cutter.folder.path().display().to_string());
    let running = service::start(Options { simulate: true, ..options(&through, &folder) }).await;
    let running = running.expect("it starts");
    assert!(inbound(&running, "hi").await.is_success());
    let place = url.parse().expect("an address");
    for (number, cut) in [Cut::Before, Cut::After, Cut::After, Cut::Before].into_iter().enumerate() {
        let (idem, text) = (format!("key-{number}"), format!("text {number}"));
        let sent = format!("SELECT count(*) FROM messages WHERE content = '{text}'");
        cutter.cut(cut);
        let (status, told) = send(&running, &idem, &text).await;
        assert!(!cutter.is_armed(), "it was cut");
        let words = told["message"].as_str().unwrap_or_default();
        assert!(status == 500 && words.contains("same Idempotency-Key"), "{status} {told}");
        assert_eq!(cluster::count(&place, &sent), i64::from(cut == Cut::After), "{cut:?}");
        let (status, told) = send(&running, &idem, &text).await;
        assert_eq!((status, cluster::count(&place, &sent)), (200, 1), "{cut:?}: {told}");
    }
    let kept = "SELECT balance - (SELECT sum(amount) FROM ledger) FROM workspaces";
    assert_eq!(cluster::count(&place, kept), 0, "the ledger explains the balance");
    running.shutdown().await;
}
