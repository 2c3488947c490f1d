//! A year of data: every list, filter, search and trigger on both engines with eight callers, and a backup while
//! messages are sent. `FRONTDESK_YEAR_MESSAGES` sets the size, and prints the times; see docs/campaigns.md.

mod data;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use frontdesk::shell::clock::instant;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::postgres::cluster;
use crate::postgres::together::Process;
use data::Year;

const CALLERS: usize = 8;
/// Messages in a run without the variable.
const FEW: usize = 2_000;
/// Calls of each caller to each path, and in a run that prints times.
const CALLS: usize = 2;
const TIMED_CALLS: usize = 150;
/// Wanted 99th percentile of a call, and maximum length of a backup.
const CALL_GOAL: Duration = Duration::from_millis(50);
const BACKUP_GOAL: Duration = Duration::from_secs(20);
/// Time that no message may wait while a backup runs.
const STALL: Duration = Duration::from_secs(1);

fn wanted() -> Option<usize> {
    std::env::var("FRONTDESK_YEAR_MESSAGES").ok()?.parse().ok()
}

/// Prints a line of the table, past the capture of the test harness.
fn print(line: &str) {
    if wanted().is_some() {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1}", duration.as_secs_f64() * 1_000.0)
}

/// Durations of calls, sorted.
struct Times(Vec<Duration>);

impl Times {
    fn percentile(&self, hundredth: usize) -> Duration {
        self.0[(self.0.len() * hundredth / 100).min(self.0.len() - 1)]
    }
}

fn serve(binary: &Binary, place: &str) -> Process {
    let arguments = ["--db", place, "--dev", "--simulate", "--unlimited"];
    Process::reached_with_log(Process::begin(binary, "year", &arguments), binary, "year")
}

fn end(mut process: Process) {
    crate::binary::signal(process.child.id(), "TERM");
    assert!(process.child.wait().expect("it ends").success());
}

async fn get(http: &reqwest::Client, address: &str, path: &str, key: &str) -> Value {
    let answer =
        http.get(format!("http://{address}{path}")).bearer_auth(key).send().await.expect("an answer");
    let status = answer.status().as_u16();
    let text = answer.text().await.expect("a body");
    assert_eq!(status, 200, "{path} {text}");
    serde_json::from_str(&text).expect("JSON")
}

/// Eight callers ask a path; each page is followed by the next one, up to ten of them.
async fn time_path(address: &str, year: &Arc<Year>, path: &data::Path) -> Times {
    let calls = if wanted().is_some() { TIMED_CALLS } else { CALLS };
    let callers = (0..CALLERS).map(|caller| {
        let (address, year, path) = (address.to_owned(), Arc::clone(year), path.clone());
        tokio::spawn(async move {
            let http = reqwest::Client::builder().no_proxy().build().expect("a client");
            let (mut times, mut list, mut cursor) = (Vec::new(), String::new(), None::<String>);
            // Opens the connection.
            get(&http, &address, "/v1/account", year.key("whatsapp")).await;
            for call in 0..calls {
                // A cursor belongs to one list with one filter.
                if cursor.is_none() {
                    list = year.fill(path.text, caller * calls + call);
                }
                let mut wanted = list.clone();
                if let Some(cursor) = cursor.take() {
                    wanted.push_str(if wanted.contains('?') { "&cursor=" } else { "?cursor=" });
                    wanted.push_str(&cursor);
                }
                let begun = instant();
                let page = get(&http, &address, &wanted, year.key(path.channel)).await;
                times.push(begun.elapsed());
                let is_followed = path.is_paged && call % 10 != 9;
                cursor = page["nextCursor"].as_str().filter(|_| is_followed).map(str::to_owned);
            }
            times
        })
    });
    let mut all = Vec::new();
    for caller in callers.collect::<Vec<_>>() {
        all.extend(caller.await.expect("no panic"));
    }
    all.sort_unstable();
    Times(all)
}

/// Sends messages one after another until told to stop; returns how long each took.
fn send_until(process: &Process, year: &Arc<Year>, stop: &Arc<AtomicBool>) -> tokio::task::JoinHandle<Times> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let (address, year, stop) = (process.address.clone(), Arc::clone(year), Arc::clone(stop));
    tokio::spawn(async move {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let mut times = Vec::new();
        while !stop.load(Ordering::SeqCst) || times.is_empty() {
            let number = COUNT.fetch_add(1, Ordering::SeqCst);
            let body = json!({"channel": "whatsapp", "from": year.phone(number), "text": "where is it?"});
            let request = http.post(format!("http://{address}/dev/inbound"));
            let begun = instant();
            let answer =
                request.header("content-type", "application/json").body(body.to_string()).send().await;
            assert_eq!(answer.expect("an answer").status().as_u16(), 200);
            times.push(begun.elapsed());
        }
        times.sort_unstable();
        Times(times)
    })
}

/// Asks every path while messages come in; returns those that are too slow.
async fn ask_everything(process: &Process, year: &Arc<Year>, engine: &str) -> Vec<String> {
    let stop = Arc::new(AtomicBool::new(false));
    let sending = send_until(process, year, &stop);
    let mut slow = Vec::new();
    print(&format!("\n{engine}: {} messages, p50 and p99 in milliseconds", year.messages));
    for path in data::PATHS {
        let times = time_path(&process.address, year, path).await;
        let (half, most) = (times.percentile(50), times.percentile(99));
        let line = format!("{:<72} {:>8} {:>8}", path.text, milliseconds(half), milliseconds(most));
        let is_slow = most > CALL_GOAL;
        print(&format!("{line}{}", if is_slow { "  OVER THE GOAL" } else { "" }));
        if is_slow {
            slow.push(format!("{engine} {line}"));
        }
    }
    stop.store(true, Ordering::SeqCst);
    let sent = sending.await.expect("no panic");
    print(&format!(
        "{:<72} {:>8} {:>8}",
        format!("incoming messages meanwhile ({})", sent.0.len()),
        milliseconds(sent.percentile(50)),
        milliseconds(sent.percentile(99))
    ));
    slow
}

/// Backs the data up while messages come in; returns what was too slow.
async fn back_up(
    process: &Process,
    binary: &Binary,
    year: &Arc<Year>,
    (engine, place, to): (&str, &str, &Path),
) -> Vec<String> {
    let stop = Arc::new(AtomicBool::new(false));
    let sending = send_until(process, year, &stop);
    let to = to.to_str().expect("words");
    let mut command = binary.command(&["admin", "--db", place, "backup", "--to", to, "--json"]);
    let begun: Instant = instant();
    let child = command.stdin(Stdio::null()).spawn().expect("it runs");
    let ended = tokio::task::spawn_blocking(move || child.wait_with_output().expect("it ends"));
    let ended = ended.await.expect("no panic");
    let took = begun.elapsed();
    stop.store(true, Ordering::SeqCst);
    let sent = sending.await.expect("no panic");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let told: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let rows: u64 = told["tables"].as_object().expect("tables").values().filter_map(Value::as_u64).sum();
    assert!(rows > u64::try_from(year.messages).expect("small"), "{told}");
    let line = format!(
        "{engine}: backup of {rows} rows in {:.1} s; {} messages came in meanwhile, p50 {} ms, p99 {} ms, longest {} ms",
        took.as_secs_f64(),
        sent.0.len(),
        milliseconds(sent.percentile(50)),
        milliseconds(sent.percentile(99)),
        milliseconds(sent.percentile(100))
    );
    print(&line);
    if took > BACKUP_GOAL || sent.percentile(100) > STALL { vec![line] } else { Vec::new() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn year_of_data_is_read_and_backed_up_on_both_engines() {
    frontdesk::client::install_tls();
    let binary = Binary::new();
    let year = Arc::new(Year::make(&binary, wanted().unwrap_or(FEW)).await);
    let file = binary.folder().join("service.db");
    let place = file.to_str().expect("words").to_owned();
    let process = serve(&binary, &place);
    let mut slow = ask_everything(&process, &year, "SQLite").await;
    slow.extend(back_up(&process, &binary, &year, ("SQLite", &place, &binary.folder().join("one.db"))).await);
    end(process);

    if let Some(server) = cluster::server() {
        let url = cluster::database(server).await;
        let key = binary.folder().join("service.key");
        let key = key.to_str().expect("words");
        let begun = instant();
        binary.ok(&["admin", "move", "--from", &place, "--to", &url, "--key-file", key, "--json"], "");
        print(&format!("\nmoved to PostgreSQL in {:.1} s", begun.elapsed().as_secs_f64()));
        cluster::run(&url, "ANALYZE").await.expect("counted");
        let served = cluster::served(&url);
        let process = serve(&binary, &served);
        slow.extend(ask_everything(&process, &year, "PostgreSQL").await);
        let to = binary.folder().join("two.db");
        slow.extend(back_up(&process, &binary, &year, ("PostgreSQL", &url, &to)).await);
        end(process);
    }
    // Without the variable nothing is timed: the machine may be busy.
    assert!(wanted().is_none() || slow.is_empty(), "over the goal:\n{}", slow.join("\n"));
}
