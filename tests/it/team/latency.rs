//! A message on its way from the service to the screen of a desk in the team, which the event stream alone reports:
//! the desk polls once an hour.
//!
//! The plain test counts the requests of a message. `FRONTDESK_LATENCY_MESSAGES` sets the number of messages; with it
//! the times are printed and compared with the goals, which needs a machine that does nothing else.

use std::io::Write;
use std::time::Duration;

use frontdesk::shell::clock::instant;
use portable_pty::CommandBuilder;

use super::*;
use crate::binary::Binary;
use crate::postgres::together::{Process, Two, UNLIMITED};
use crate::pty::Terminal;
use crate::waiting::{aside, until_found};

const CUSTOMER: &str = "+34600111222";
/// Messages of a plain run.
const MESSAGES: usize = 3;
/// Pause between two messages: a desk reads at most four times a second.
const PAUSE: Duration = Duration::from_millis(400);
/// Time without a read after which a desk has read everything.
const SETTLING_TIME: Duration = Duration::from_secs(5);
/// Maximum number of reads that a message makes a desk do: trigger, open history and conversation, and one of the
/// sweep between.
const MAX_READS: f64 = 4.0;
/// Maximum number of reads of an idle desk in a minute.
const MAX_IDLE_READS: f64 = 3.0;
const POLLING: &str = "[polling]\nvisible_seconds = 3600\nbackground_seconds = 3600\n";

/// Goals of the 50th and 99th percentile.
struct Goals {
    p50: Duration,
    p99: Duration,
}

fn wanted() -> Option<usize> {
    std::env::var("FRONTDESK_LATENCY_MESSAGES").ok().map(|text| text.parse().expect("a number"))
}

/// A customer writes to a conversation in which the assistant is paused.
async fn begin(service: &Binary, database: &str, process: &Process) {
    // The assistant may answer this one.
    let id = text(&process.inbound(CUSTOMER, "Is anybody there?").await["conversationId"]);
    let out = service.ok(&["admin", "--db", database, "person", "add", "Ben"], "");
    let body = json!({"token": out.split_whitespace().last().expect("a token"), "device": "laptop"});
    let (status, signed_in) = process.ask("/desk/v1/sign-in", "none", None, Some(body)).await;
    assert_eq!(status, 200, "{signed_in}");
    let url = format!("http://{}/desk/v1/conversations/{id}/automation", process.address);
    let request = process.http.put(url).bearer_auth(text(&signed_in["session"]));
    let request = request.header("content-type", "application/json").body(r#"{"enabled": false}"#);
    assert!(request.send().await.expect("an answer").status().is_success());
    process.inbound(CUSTOMER, "Hola").await;
}

/// Lets a person join from a machine of their own and open the inbox there.
async fn open_inbox(service: &Binary, database: &str, address: &str) -> (Binary, Terminal) {
    let admin = ["admin", "--db", database, "person", "add", "Ana"];
    let out = service.ok(&admin, "");
    let token = out.split_whitespace().last().expect("a token").to_owned();
    let desk = Binary::new();
    let url = format!("http://{address}");
    let desk = aside(move || {
        desk.ok(&["join", &url], &token);
        desk
    })
    .await;
    let config = std::fs::read_to_string(desk.config()).expect("a configuration");
    desk.configure(&format!("{config}\n{POLLING}"));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_frontdesk"));
    desk.variables(|name, value| command.env(name, value));
    let terminal = aside(move || {
        let mut terminal = Terminal::run(tempfile::tempdir().expect("a folder"), command, 120, 40);
        terminal.wait_for_text("WhatsApp 1");
        let contents = terminal.contents();
        let (before, _) = contents.split_once(" WhatsApp").expect("a tab");
        terminal.keys(before.rsplit(' ').next().expect("its number"));
        terminal.wait_for_text("Hola");
        terminal
    })
    .await;
    (desk, terminal)
}

/// Reads of the service so far, without those of the events and metrics.
async fn reads(process: &Process) -> f64 {
    let request = process.http.get(format!("http://{}/metrics", process.address));
    let page = request.send().await.expect("an answer").text().await.expect("a page");
    let counts = page.lines().filter_map(|line| {
        let (labels, count) = line.strip_prefix("frontdesk_requests_total{")?.split_once("} ")?;
        let is_read = labels.contains("method=\"GET\"")
            && !["/events\"", "\"/metrics\""].iter().any(|path| labels.contains(path));
        is_read.then(|| count.parse::<f64>().expect("a number"))
    });
    counts.sum()
}

async fn until_open(process: &Process) {
    until_found("the event stream", async || {
        let request = process.http.get(format!("http://{}/metrics", process.address));
        let page = request.send().await.expect("an answer").text().await.expect("a page");
        let is_open = page.lines().any(|line| line == "frontdesk_team_streams 1");
        if is_open { Ok(()) } else { Err("no stream") }
    })
    .await;
}

/// Measures messages that arrive at one process and are seen at a desk of another one.
async fn measure(what: &str, from: &Process, to: &Process, mut terminal: Terminal, goals: &Goals) {
    until_open(to).await;
    until_found("a desk that has read everything", async || {
        let before = reads(to).await;
        tokio::time::sleep(SETTLING_TIME).await;
        if before == reads(to).await { Ok(()) } else { Err("it reads") }
    })
    .await;
    let count = wanted().unwrap_or(MESSAGES);
    let (mut times, before, start) = (Vec::new(), reads(to).await, instant());
    for number in 0..count {
        let words = format!("Message {number:04} is here");
        from.inbound(CUSTOMER, &words).await;
        let began = instant();
        terminal = aside(move || {
            terminal.wait_for_text(&words);
            terminal
        })
        .await;
        times.push(began.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    let messages = f64::from(u32::try_from(count).expect("few"));
    let read = reads(to).await - before;
    let max_reads = MAX_READS * messages + MAX_IDLE_READS * start.elapsed().as_secs_f64() / 60.0;
    let per_message = read / messages;
    times.sort();
    let at = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
    let line = format!(
        "{what}: {count} messages, p50 {:?}, p90 {:?}, p99 {:?}, max {:?}, {per_message:.2} reads a message",
        at(50),
        at(90),
        at(99),
        at(100)
    );
    writeln!(std::io::stderr(), "{line}").expect("told");
    aside(move || terminal.kill()).await;
    if wanted().is_some() {
        assert!(at(50) <= goals.p50 && at(99) <= goals.p99, "{what}: later than the goal");
    } else {
        assert!(read <= max_reads, "{what}: {read} reads, at most {max_reads}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_is_on_the_screen_by_its_event_on_a_file() {
    frontdesk::client::install_tls();
    let service = Binary::new();
    let database = service.folder().join("service.db").to_str().expect("words").to_owned();
    let arguments = [&["--db", database.as_str()], &UNLIMITED[..]].concat();
    let process = Process::reached(Process::begin(&service, "service", &arguments));
    begin(&service, &database, &process).await;
    let (_desk, terminal) = open_inbox(&service, &database, &process.address).await;
    let goals = Goals { p50: Duration::from_millis(80), p99: Duration::from_millis(300) };
    measure("one service on a file", &process, &process, terminal, &goals).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_of_another_process_is_on_the_screen_by_its_event() {
    let Some(server) = cluster::server() else { return };
    for (what, parameters) in [("two services on PostgreSQL", ""), ("the same without LISTEN", "&listen=off")]
    {
        let two = Two::start(server, parameters, &UNLIMITED).await;
        begin(&two.binary, &two.url, &two.one).await;
        let (_desk, terminal) = open_inbox(&two.binary, &two.url, &two.other.address).await;
        let goals = Goals { p50: Duration::from_millis(500), p99: Duration::from_millis(500) };
        measure(what, &two.one, &two.other, terminal, &goals).await;
    }
}
