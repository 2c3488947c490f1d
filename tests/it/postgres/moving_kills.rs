//! Kills `admin move` at many points: never are both sides served, and the command can continue.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use super::cluster;
use super::moving::{Service, contents, file, moved, moving};
use crate::binary::Binary;
use crate::waiting::until_found;

const SOCKET: &str = ".s.PGSQL.5432";
/// Points along the way, besides the decisive ones; `FRONTDESK_MOVE_KILLS` overrides it.
const POINTS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// A request, before the server gets it.
    Question,
    /// An answer, before the command gets it.
    Answer,
}

#[derive(Default)]
struct Shared {
    /// Requests so far: the text of simple queries, empty for others.
    said: Vec<String>,
    hold: Option<(usize, Held)>,
    is_held: bool,
}

/// Proxy between a command and the server that holds a message at a given point.
struct Holder {
    folder: tempfile::TempDir,
    shared: Arc<Mutex<Shared>>,
    _accepting: JoinSet<()>,
}

impl Holder {
    fn start(server: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = UnixListener::bind(folder.path().join(SOCKET)).expect("a socket");
        let shared = Arc::new(Mutex::new(Shared::default()));
        let (told, server) = (shared.clone(), server.join(SOCKET));
        let mut accepting = JoinSet::new();
        accepting.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let server = UnixStream::connect(&server).await.expect("the server");
                connections.spawn(pass_on(client, server, told.clone()));
            }
        });
        Self { folder, shared, _accepting: accepting }
    }

    fn leads_to(&self, server: &Path, url: &str) -> String {
        url.replace(&server.display().to_string(), &self.folder.path().display().to_string())
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no one failed")
    }

    fn hold(&self, hold: Option<(usize, Held)>) {
        *self.shared() = Shared { hold, ..Shared::default() };
    }
}

/// Forwards whole messages until the point is reached.
async fn pass_on(mut client: UnixStream, mut server: UnixStream, shared: Arc<Mutex<Shared>>) {
    let (mut asked, mut told, mut waiting) = (vec![0; 64 * 1024], vec![0; 64 * 1024], Vec::new());
    let mut is_first = true;
    loop {
        tokio::select! {
            count = client.read(&mut asked) => {
                let Ok(count @ 1..) = count else { return };
                waiting.extend_from_slice(&asked[..count]);
                while let Some(length) = message_length(&waiting, is_first) {
                    let message: Vec<u8> = waiting.drain(..length).collect();
                    let held = if is_first { None } else { count_request(&message, &shared) };
                    is_first = false;
                    if held != Some(Held::Question) && server.write_all(&message).await.is_err() {
                        return;
                    }
                    if held == Some(Held::Answer) {
                        // The server has carried it out once it answers.
                        let _ = server.read(&mut told).await;
                    }
                    if held.is_some() {
                        shared.lock().expect("no one failed").is_held = true;
                        // Until the command has ended.
                        while client.read(&mut asked).await.is_ok_and(|client| client > 0) {}
                        return;
                    }
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

/// Length of a complete message at the start; the first on a connection has no type byte.
fn message_length(bytes: &[u8], is_first: bool) -> Option<usize> {
    let kind = usize::from(!is_first);
    let length: [u8; 4] = bytes.get(kind..kind + 4)?.try_into().ok()?;
    let length = kind + usize::try_from(u32::from_be_bytes(length)).ok()?;
    (bytes.len() >= length).then_some(length)
}

/// Counts a request; returns how to hold it.
fn count_request(message: &[u8], shared: &Mutex<Shared>) -> Option<Held> {
    let text = match message.first() {
        Some(b'Q') => String::from_utf8_lossy(&message[5..]).trim_end_matches('\0').to_owned(),
        Some(b'S') => String::new(),
        _ => return None,
    };
    let mut shared = shared.lock().expect("no one failed");
    shared.said.push(text);
    let number = shared.said.len() - 1;
    shared.hold.filter(|hold| hold.0 == number).map(|hold| hold.1)
}

/// True if a place can be served, judged by a command on it.
fn is_served(binary: &Binary, place: &str) -> bool {
    let ended = binary.run(&["admin", "--db", place, "credits"], "");
    let refusals = ["was moved to", "is incomplete", "no service database", "not a service database"];
    let is_refused = refusals.iter().any(|refusal| ended.err.contains(refusal));
    assert!(is_refused || ended.code == Some(0), "{}", ended.err);
    !is_refused
}

/// Kills the command while a message is held at a point; false if the point is never reached.
async fn killed(holder: &Holder, binary: &Binary, from: &str, to: &str, point: (usize, Held)) -> bool {
    holder.hold(Some(point));
    let mut child = binary.command(&moving(binary, from, to)).spawn().expect("it runs");
    let is_held = until_found("the point", async || {
        if holder.shared().is_held {
            return Ok(true);
        }
        if child.try_wait().expect("it can be waited for").is_some() { Ok(false) } else { Err("not yet") }
    })
    .await;
    child.kill().expect("killed");
    child.wait().expect("ended");
    holder.hold(None);
    is_held
}

/// Kills at many points of moves from `from` to `to`; `prepare` recreates the start each time.
async fn kill_everywhere(
    holder: &Holder,
    service: &Service,
    (from, to): (&str, &str),
    prepare: impl AsyncFn(),
    left: &[String],
) {
    let binary = &service.binary;
    prepare().await;
    holder.hold(None);
    moved(binary, from, to);
    let said = std::mem::take(&mut holder.shared().said);
    let points =
        std::env::var("FRONTDESK_MOVE_KILLS").ok().and_then(|var| var.parse().ok()).unwrap_or(POINTS);
    let along = (0..points).map(|number| (number * said.len() / points, Held::Question));
    let commits = said.iter().enumerate().filter(|pair| pair.1 == "COMMIT").map(|pair| pair.0);
    let decisive = commits
        .flat_map(|commit| [(commit, Held::Question), (commit, Held::Answer), (commit + 1, Held::Question)]);
    let decisive = decisive.filter(|decisive| decisive.0 < said.len());
    let mut seen = [0; 3];
    for point in along.chain(decisive) {
        prepare().await;
        assert!(killed(holder, binary, from, to, point).await, "{point:?} of {}", said.len());
        let served = (is_served(binary, from), is_served(binary, to));
        match served {
            (true, false) => seen[0] += 1,
            (false, false) => seen[1] += 1,
            (false, true) => seen[2] += 1,
            (true, true) => panic!("{point:?}: both are served"),
        }
        if served.0 {
            assert_eq!(contents(from), left, "{point:?}");
        }
        moved(binary, from, to);
        assert_eq!((is_served(binary, from), is_served(binary, to)), (false, true), "{point:?}");
        assert_eq!(contents(to), left, "{point:?}");
    }
    // Steps on a file at the end involve no server.
    let ends_here = to.starts_with("postgres");
    assert!(seen[0] > 0 && seen[1] > 0 && (seen[2] > 0) == ends_here, "on all sides of the end: {seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_is_killed_goes_on() {
    let Some(server) = cluster::server() else { return };
    let service = Service::on_a_file().await;
    let (binary, file) = (&service.binary, file(&service.binary));
    let holder = Holder::start(server);
    let url = cluster::database(server).await;
    let through = holder.leads_to(server, &url);
    let left = contents(&file);
    let copy = format!("{file}.copy");
    std::fs::copy(&file, &copy).expect("copied");
    let empty = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";
    let gone = || {
        for name in [file.clone(), format!("{file}-wal"), format!("{file}-shm")] {
            // Some files may be missing.
            let _ = std::fs::remove_file(name);
        }
    };
    let anew = async || {
        gone();
        std::fs::copy(&copy, &file).expect("copied");
        cluster::run(&url, empty).await.expect("emptied");
    };
    kill_everywhere(&holder, &service, (&file, &through), anew, &left).await;
    // The opposite direction, from a server that is restored each time.
    anew().await;
    moved(binary, &file, &url);
    let kept = cluster::copy(server, &url).await;
    let again = async || {
        gone();
        cluster::restore(server, &kept, &url).await;
    };
    kill_everywhere(&holder, &service, (&through, &file), again, &left).await;
    service.is_whole_on(&file).await;
}
