//! Servers repeat planted secrets wherever they can; none may appear in anything that is logged,
//! stored or displayed.

use std::fs;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::connections::answers;
use crate::connections::tests::{HandClock, call, caller, to};
use crate::connections::{CallLog, Credentials};
use crate::guard::tests::bench::{Answer, Server, ok};
use model::connections::{Auth, Connection};
use model::secret::Secret;
use model::time::SECOND;

/// Default number of calls; takes ten seconds on one core in a debug build.
const CALLS: usize = 10_000;

#[derive(Clone)]
struct Everything(Arc<Mutex<fs::File>>);

impl Write for Everything {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a lock").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts a server that repeats the request in every possible place.
async fn parrot() -> Server {
    let turn = AtomicUsize::new(0);
    Server::plain(move |asked| {
        if asked.starts_with("POST /token") {
            // The token is a secret of its own, derived from the client's.
            let secret =
                asked.split("Basic ").nth(1).and_then(|part| part.split("\r\n").next()).unwrap_or("");
            return ok(format!("{{\"access_token\":\"planted-token-{secret}\",\"expires_in\":60}}"));
        }
        let text = serde_json::Value::String(asked.to_owned()).to_string();
        let line = asked.lines().next().unwrap_or("").split(' ').nth(1).unwrap_or("/").to_owned();
        let with = |status: &str, head: &str, body: &str| {
            Answer::from(
                format!("HTTP/1.1 {status}\r\n{head}content-length: {}\r\n\r\n{body}", body.len()).as_str(),
            )
        };
        match turn.fetch_add(1, Ordering::SeqCst) % 8 {
            0 => ok(format!("{{\"echo\":{text}}}")),
            1 => with("401 No", "", asked),
            2 => with("500 No", "", &text),
            3 => with("302 No", &format!("location: {line}&again=1\r\n"), ""),
            4 => with("302 No", "location: http://10.0.0.1/?x\r\n", asked),
            5 => ok(asked),
            6 => Answer::from(asked),
            _ => ok(format!("{{\"orders\":[{{\"id\":{text}}}],\"url\":\"{line}\"}}")),
        }
    })
    .await
}

fn connections(server: &Server) -> Vec<(Connection, String)> {
    let text = |text: &str| text.to_owned();
    let kinds = [
        Auth::Bearer,
        Auth::ApiKeyHeader { header: text("X-Api-Key") },
        Auth::ApiKeyQuery { parameter: text("key") },
        Auth::Basic { user: text("desk") },
        Auth::ClientCredentials { token_url: server.url("/token"), client_id: text("desk"), scope: None },
        Auth::CustomHeader { header: text("X-Custom"), prefix: text("Token ") },
    ];
    let secret = |index: usize| match index % 2 {
        0 => format!("planted-secret-{index:02}"),
        _ => format!("planted/secret+{index:02}=\"&ü"),
    };
    let header_safe = |secret: String| secret.replace('ü', "u");
    let all = kinds.iter().chain(&kinds).enumerate();
    all.map(|(index, auth)| {
        let connection = Connection { name: format!("shop{index}"), ..to(server, auth.clone()) };
        (connection, header_safe(secret(index)))
    })
    .collect()
}

#[test]
fn no_planted_secret_is_found_in_any_file() {
    let calls = std::env::var("FRONTDESK_CALLS").ok().and_then(|var| var.parse().ok()).unwrap_or(CALLS);
    let folder = tempfile::tempdir().expect("a folder");
    let everything = fs::File::create(folder.path().join("everything.log")).expect("a file");
    let everything = Everything(Arc::new(Mutex::new(everything)));
    let mut shown = everything.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || everything.clone())
        .finish();
    // With a single subscriber in the process, another test's thread could disable call sites for
    // everyone when it reaches them first.
    let second =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(io::sink).finish();
    let _second = tracing::Dispatch::new(second);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut found_good = 0;
    let planted = tracing::subscriber::with_default(subscriber, || {
        runtime.block_on(async {
            let server = parrot().await;
            let clock = HandClock::new();
            let caller = caller(&clock);
            let log = CallLog::open(Some(folder.path().join("connections.log")));
            let sealed = folder.path().join("connections.sealed");
            let credentials = Credentials::new(sealed, Arc::new(|| Ok([9; 32])));
            let all = connections(&server);
            for (connection, secret) in &all {
                credentials.store(connection, &Secret::new(secret)).expect("kept");
                fs::write(
                    folder.path().join(&connection.name),
                    api::connections::write(std::slice::from_ref(connection)),
                )
                .expect("written");
            }
            for number in 0..calls {
                let (connection, _) = &all[number % all.len()];
                let secret = credentials.get(connection).expect("readable").expect("kept");
                let called = call(&caller, connection, secret.expose()).await;
                // Everything that a person, a log or a debugger could display.
                writeln!(shown, "{called:?} {connection:?} {secret} {caller:?}").expect("written");
                match &called.answer {
                    Ok(answer) => {
                        found_good += 1;
                        let picks = answers::picks(&answer.body);
                        writeln!(shown, "{picks:?}\n{}", answer.body).expect("written");
                    }
                    Err(why) => writeln!(shown, "{why}").expect("written"),
                }
                log.add(called.line);
                clock.advance(SECOND);
            }
            all.into_iter().map(|(_, secret)| secret).collect::<Vec<_>>()
        })
    });
    assert_eq!(planted.len(), 12);
    assert!(found_good > calls / 8, "many calls bring an answer");
    let mut written = Vec::new();
    for entry in fs::read_dir(folder.path()).expect("the folder") {
        written.extend(fs::read(entry.expect("an entry").path()).expect("readable"));
    }
    let written = String::from_utf8_lossy(&written);
    assert!(written.contains("a connection was called"), "the log is the full one");
    for secret in &planted {
        use base64::Engine;
        let basic = base64::prelude::BASE64_STANDARD.encode(format!("desk:{secret}"));
        let mut encoded = String::new();
        model::connections::target::percent_encode(secret, &mut encoded);
        for form in [secret.clone(), basic, encoded, format!("{secret:?}")] {
            assert!(!written.contains(&form), "{form} was written");
        }
    }
    assert!(!written.contains("planted-token"), "nor any token");
}
