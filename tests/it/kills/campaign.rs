//! Random kills: script commands and the inbox on shared data folders, with the service behind a
//! proxy that injects a fault into one request in twenty. `FRONTDESK_KILLS` sets their number;
//! `contract/killing.rs` adds a quarter as many, with more concurrent callers.
//!
//! Kills follow events and never the clock: a request that reached the proxy, a row that was
//! committed. A slow machine sees the same kills as a fast one.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::contract::killing::{Killable, kill_starting, kills};
use crate::kills::folder::Folder;
use crate::proxy::fault::Fault;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::pty::Terminal;

const DESKS: usize = 3;
const PROCESSES: usize = 5;
const CUSTOMERS: usize = 120;
/// One write in so many gets a fault.
const SPOILT: u32 = 20;
/// One read in so many gets a fault; a command reads often before it commits.
const SPOILT_READS: u32 = 100;
/// Delay between two checks of the processes.
const LOOK: Duration = Duration::from_millis(1);
/// Maximum number of requests between two kills of the service.
const BETWEEN: usize = 40;
/// Minimum number of files a service has open when it listens.
const FILES: usize = 14;
/// One process in so many is an inbox.
const INBOXES: u32 = 25;
const CREDITS: i64 = 1_000_000_000;

struct Running {
    process: Process,
    end: Moment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// After so many more requests to the proxy, from any process.
    Requests(usize),
    /// Once the desk has committed more than so many texts.
    Committed(usize, i64),
    /// Once the process's text and so many more requests have reached the proxy.
    Sent(usize),
    /// The process ends by itself.
    Never,
}

enum Process {
    Script { child: Child, text: String },
    Inbox(Box<Typist>),
}

/// Types into an inbox as soon as the inbox is ready.
struct Typist {
    terminal: Terminal,
    text: Option<String>,
}

impl Typist {
    /// Types the text once a recipient is on screen.
    fn type_when_shown(&mut self) {
        self.terminal.read();
        if self.terminal.contents().contains("+34")
            && let Some(text) = self.text.take()
        {
            self.terminal.keys("i");
            self.terminal.keys(&text);
            self.terminal.keys("\r");
        }
    }
}

struct Campaign {
    runtime: tokio::runtime::Runtime,
    random: StdRng,
    service_folder: tempfile::TempDir,
    service: Option<Killable>,
    proxy: Proxy,
    desks: Vec<Folder>,
    running: Vec<Running>,
    /// Texts whose command reported them as sent.
    confirmed: Vec<String>,
    texts: usize,
}

fn customer(number: usize) -> String {
    format!("+34{number:05}2222")
}

impl Campaign {
    fn new(seed: u64) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        frontdesk::client::install_tls();
        let service_folder = tempfile::tempdir().expect("a folder");
        let service = Killable::start(service_folder.path());
        let proxy = runtime.block_on(Proxy::start(address(&service), Door::Open));
        let key = service.key("whatsapp");
        let desks = (0..DESKS).map(|_| Folder::new(&proxy.base_url(), &key)).collect();
        let campaign = Self {
            runtime,
            random: StdRng::seed_from_u64(seed),
            service_folder,
            service: Some(service),
            proxy,
            desks,
            running: Vec::new(),
            confirmed: Vec::new(),
            texts: 0,
        };
        for number in 0..CUSTOMERS {
            let told = json!({"channel": "whatsapp", "from": customer(number), "text": "hi"});
            campaign.dev("/inbound", told);
        }
        campaign.dev("/credits", json!({ "balance": CREDITS }));
        campaign.spoil(seed);
        campaign
    }

    fn spoil(&self, seed: u64) {
        let random = Arc::new(Mutex::new(StdRng::seed_from_u64(seed ^ 0xfa17)));
        let trap = self.proxy.trap();
        self.proxy.plan(move |asked| {
            let mut random = random.lock().expect("no one failed");
            let one_in = if asked.method == "GET" { SPOILT_READS } else { SPOILT };
            if random.random_range(0..one_in) > 0 {
                // Latency, so that kills hit requests in flight.
                let way = if asked.method == "GET" { 0 } else { random.random_range(0..20) };
                return Script::done(Give::Answer(Vec::new(), Duration::from_millis(way)));
            }
            let (fault, _) = Fault::ALL[random.random_range(0..Fault::ALL.len())];
            fault.script(random.random_range(0..64), trap)
        });
    }

    fn dev(&self, path: &str, body: Value) -> Value {
        let url = self.service.as_ref().expect("it runs").url("dev_url", path);
        self.runtime.block_on(async {
            let http = reqwest::Client::builder().no_proxy().build().expect("a client");
            let request = http.post(url).header("content-type", "application/json").body(body.to_string());
            let bytes = request.send().await.expect("sent").bytes().await.expect("answered");
            serde_json::from_slice(&bytes).expect("JSON")
        })
    }

    fn start_one(&mut self) {
        self.texts += 1;
        let text = format!("<text {}>", self.texts);
        let place = self.random.random_range(0..DESKS);
        let desk = &self.desks[place];
        let has_inbox = self.running.iter().any(|running| matches!(running.process, Process::Inbox(_)));
        let (process, end) = if !has_inbox && self.random.random_range(0..INBOXES) == 0 {
            let terminal = Terminal::run(tempfile::tempdir().expect("a folder"), desk.inbox(), 100, 30);
            let end = Moment::Requests(self.random.random_range(20..200));
            (Process::Inbox(Box::new(Typist { terminal, text: Some(text) })), end)
        } else {
            let customer = customer(self.random.random_range(0..CUSTOMERS));
            let how = if self.random.random_range(0..4) == 0 { "--pause" } else { "--beside-ai" };
            let end = match self.random.random_range(0..8) {
                0 | 1 => Moment::Requests(self.random.random_range(0..30)),
                2 => Moment::Committed(place, desk.committed()),
                3..=5 => Moment::Sent(self.random.random_range(0..4)),
                _ => Moment::Never,
            };
            let child = desk.start(&["send", &customer, &text, how]);
            (Process::Script { child, text }, end)
        };
        self.running.push(Running { process, end });
    }

    /// Collects ended processes and kills due ones, up to `at_most`; returns the number of kills.
    fn reap(&mut self, at_most: usize) -> usize {
        let mut killed = 0;
        for mut running in std::mem::take(&mut self.running) {
            let ended = match &mut running.process {
                Process::Script { child, .. } => child.try_wait().expect("the child can be asked"),
                Process::Inbox(typist) => {
                    typist.type_when_shown();
                    None
                }
            };
            let due = match running.end {
                Moment::Requests(left) => left == 0,
                Moment::Committed(desk, before) => self.desks[desk].committed() > before,
                Moment::Sent(_) | Moment::Never => false,
            };
            match (ended, running.process) {
                (Some(status), Process::Script { text, .. }) if status.success() => self.confirmed.push(text),
                (Some(_), _) => {}
                (None, process) if killed < at_most && due => {
                    killed += 1;
                    process.kill();
                }
                (None, process) => self.running.push(Running { process, ..running }),
            }
        }
        killed
    }

    /// Counts requests and schedules kills. Returns their number, and true if one was a send.
    fn watch(&mut self) -> (usize, bool) {
        let seen = self.proxy.seen();
        let sends = seen.iter().filter(|seen| seen.asked.method == "POST");
        let bodies: Vec<String> =
            sends.map(|send| String::from_utf8_lossy(&send.body).into_owned()).collect();
        for running in &mut self.running {
            running.end = match (running.end, &running.process) {
                (Moment::Requests(left), _) => Moment::Requests(left.saturating_sub(seen.len())),
                (Moment::Sent(more), Process::Script { text, .. })
                    if bodies.iter().any(|body| body.contains(text.as_str())) =>
                {
                    Moment::Requests(more)
                }
                (other, _) => other,
            };
        }
        (seen.len(), !bodies.is_empty())
    }

    /// Kills processes and the service this many times, then waits for the remaining processes.
    fn run(&mut self, mut processes: usize, mut services: usize) {
        let mut left = 0_usize;
        while processes + services > 0 {
            while self.running.len() < PROCESSES {
                self.start_one();
            }
            std::thread::sleep(LOOK);
            let (requests, sends) = self.watch();
            left = left.saturating_sub(requests);
            processes -= self.reap(processes);
            // Half of the kills hit while a send is in flight.
            let waits = services % 2 == 1 && !sends;
            if services > 0 && left == 0 && requests > 0 && !waits {
                services -= 1;
                self.kill_the_service();
                left = self.random.random_range(1..BETWEEN);
            }
        }
        while self.running.iter().any(|running| running.end == Moment::Never) {
            std::thread::sleep(LOOK);
            self.watch();
            self.reap(PROCESSES);
        }
        self.running.drain(..).for_each(|running| running.process.kill());
    }

    fn kill_the_service(&mut self) {
        drop(self.service.take());
        if self.random.random_range(0..10) == 0 {
            // Also kills the service during its start.
            kill_starting(self.service_folder.path(), self.random.random_range(0..FILES));
        }
        let service = Killable::start(self.service_folder.path());
        self.proxy.toward(address(&service));
        self.service = Some(service);
    }
}

impl Process {
    fn kill(self) {
        match self {
            Self::Script { mut child, .. } => {
                child.kill().expect("killed");
                child.wait().expect("gone");
            }
            Self::Inbox(typist) => typist.terminal.kill(),
        }
    }
}

fn address(service: &Killable) -> SocketAddr {
    let url = service.url("dev_url", "");
    let address = url.trim_start_matches("http://").trim_end_matches("/dev");
    address.parse().expect("an address")
}

#[test]
fn every_committed_text_arrives_once_and_is_paid_once() {
    let seed = std::env::var("FRONTDESK_SEED").ok().and_then(|var| var.parse().ok()).unwrap_or(20_261_121);
    let mut campaign = Campaign::new(seed);
    // One kill in three is of the service.
    let all = kills();
    campaign.run(all - all / 3, all / 3);
    campaign.proxy.pass();
    let committed: i64 = campaign.desks.iter().map(Folder::committed).sum();
    let asked: usize = campaign.desks.iter().map(|desk| campaign.runtime.block_on(desk.drain())).sum();
    let outbound = campaign.dev("/outbound", json!({}));
    let contents: Vec<&str> = outbound["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|value| value["content"].as_str().expect("a text"))
        .collect();
    let mut tokens: HashMap<&str, usize> = HashMap::new();
    for token in contents.iter().flat_map(|content| content.split_inclusive('>')) {
        *tokens.entry(token).or_default() += 1;
    }
    let doubled: Vec<_> = tokens.iter().filter(|token| *token.1 > 1).collect();
    assert!(doubled.is_empty(), "sent more than once (FRONTDESK_SEED={seed}): {doubled:?}");
    let lost: Vec<_> =
        campaign.confirmed.iter().filter(|entry| !tokens.contains_key(entry.as_str())).collect();
    assert!(lost.is_empty(), "said to be sent, and were not (FRONTDESK_SEED={seed}): {lost:?}");
    let arrived = i64::try_from(contents.len()).expect("small");
    assert_eq!(arrived, committed, "each committed text arrives (FRONTDESK_SEED={seed})");
    let said = campaign.confirmed.len();
    assert!(said > 0 && arrived > 0, "{said} confirmed, {arrived} arrived: nothing was tried");
    tell(committed, said, asked);
    drop(campaign.service.take());
    let db = rusqlite::Connection::open(campaign.service_folder.path().join("service.db")).expect("opens");
    let number = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a number");
    assert_eq!(number("SELECT balance FROM workspaces"), CREDITS - arrived, "each is paid once");
    assert_eq!(number("SELECT sum(amount) FROM ledger"), CREDITS - arrived);
    assert_eq!(number("SELECT count(*) FROM messages WHERE direction = 'outbound'"), arrived);
    assert_eq!(campaign.proxy.trapped(), 0, "a redirect was followed");
    let health: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a word");
    assert_eq!(health, "ok");
}

/// Prints the totals, for runs with `--nocapture`.
#[expect(clippy::print_stderr, reason = "a campaign's figures are for the person who runs it")]
fn tell(committed: i64, confirmed: usize, asked: usize) {
    eprintln!("{committed} texts committed, {confirmed} confirmed to scripts, {asked} asked a person");
}
