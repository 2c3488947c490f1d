//! `kill -9` of desks and services while a team shares notes, claims, tags and snoozes: no note is lost or doubled, and
//! every desk has in the end what the service has. On a file, and on PostgreSQL with three services, with and without
//! notifications.
//!
//! Desks are real engines on data folders to which this process adds changes, as an inbox does. Each reaches a
//! service of its own through a proxy, which tells at which point of a request it is killed.
//!
//! `FRONTDESK_TEAM_KILLS` sets the number of kills for each kind of database, `FRONTDESK_SEED` the cases.

use std::io::Write;
use std::process::Child;
use std::time::Duration;

use frontdesk::config::Config;
use frontdesk::model::ids::{ChannelId, ConversationId};
use frontdesk::model::local::{Assignment, LocalChange, LocalState, Tag, TagLocation};
use frontdesk::model::queries::{ConversationKey, HistoryQuery};
use frontdesk::model::snooze::Snooze;
use frontdesk::model::text::SafeText;
use frontdesk::model::time::{Clock, HOUR};
use frontdesk::shell::clock::{SystemClock, instant};
use frontdesk::store::{Store, StoreOptions};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::{Connection, OpenFlags};

use super::*;
use crate::binary::Binary;
use crate::postgres::together::{Process, UNLIMITED};
use crate::proxy::script::{Gate, Give, Script};
use crate::proxy::{Asked, Door, Proxy};
use crate::waiting::{aside, until_found};

/// Kills of a plain run, for each kind of database.
const KILLS: usize = 6;
const NAMES: [&str; 3] = ["Ana", "Ben", "Cleo"];
const CONVERSATIONS: usize = 4;
/// Wait for a desk's state that is reported.
const SLOW: Duration = Duration::from_secs(10);
/// Notes of a person in a second that the service accepts; more would wait.
const MAX_CHANGES: usize = 4;

/// Point at which a process is killed while a desk shares a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Point {
    /// The change is marked as tried, and no byte has left.
    Marked,
    /// The request has left the desk and has not reached the service.
    Asked,
    /// The service has answered, and the answer has not reached the desk.
    Answered,
    /// After so many requests of the desk, whatever they are.
    Request(usize),
}

struct Services {
    binary: Binary,
    place: DatabaseLocation,
    arguments: Vec<String>,
    processes: Vec<Option<Process>>,
    starts: usize,
}

impl Services {
    async fn start(place: DatabaseLocation, served: &str, count: usize, binary: Binary) -> Self {
        let arguments = [&["--db", served][..], &UNLIMITED].concat();
        let arguments = arguments.into_iter().map(str::to_owned).collect();
        let mut services = Self { binary, place, arguments, processes: Vec::new(), starts: 0 };
        for number in 0..count {
            services.processes.push(None);
            services.restart(number).await;
        }
        services
    }

    fn address(&self, number: usize) -> std::net::SocketAddr {
        self.process(number).address.parse().expect("an address")
    }

    fn process(&self, number: usize) -> &Process {
        self.processes[number].as_ref().expect("it runs")
    }

    fn kill(&mut self, number: usize) {
        // SIGKILL.
        drop(self.processes[number].take());
    }

    async fn restart(&mut self, number: usize) {
        self.starts += 1;
        let name = format!("service-{}", self.starts);
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let child = Process::begin(&self.binary, &name, &arguments);
        let (binary, name) = (&self.binary, name.as_str());
        self.processes[number] =
            Some(tokio::task::block_in_place(|| Process::reached_with_log(child, binary, name)));
    }
}

struct Desk {
    name: &'static str,
    binary: Binary,
    proxy: Proxy,
    /// Number of the service that the desk reaches.
    service: usize,
    session: String,
    channel: ChannelId,
    store: Store,
    engine: Option<Child>,
    notes: Vec<String>,
}

impl Desk {
    async fn join(services: &Services, number: usize) -> Self {
        let name = NAMES[number];
        let service = number % services.processes.len();
        let proxy = Proxy::start(services.address(service), Door::Open).await;
        let admin = open_admin(&services.place).await;
        let (of_desk, of_test) = (
            admin.add_person(name, None, SystemClock.now()).await.expect("added").token,
            admin.add_person(name, None, SystemClock.now()).await.expect("added").token,
        );
        admin.close();
        let body = json!({"token": of_test.expose(), "device": "test"});
        let (status, signed_in) =
            services.process(service).ask("/desk/v1/sign-in", "none", None, Some(body)).await;
        assert_eq!(status, 200, "{signed_in}");
        let binary = Binary::new();
        let url = format!("http://{}", proxy.address);
        let binary = aside(move || {
            binary.ok(&["join", &url], of_desk.expose());
            binary
        })
        .await;
        let config = Config::read(&binary.config()).expect("a configuration");
        let channel = config.channels.iter().find(|channel| channel.name == "WhatsApp").expect("a tab").id();
        let options = StoreOptions { owner: name.to_owned(), ..StoreOptions::default() };
        let store = Store::open_with(&binary.data(), options).expect("the files open");
        let session = text(&signed_in["session"]);
        Self { name, binary, proxy, service, session, channel, store, engine: None, notes: Vec::new() }
    }

    fn run(&mut self) {
        if self.engine.is_none() {
            let mut command = self.binary.command(&["engine"]);
            command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
            self.engine = Some(command.stderr(std::process::Stdio::null()).spawn().expect("it runs"));
        }
    }

    fn kill(&mut self) {
        if let Some(mut engine) = self.engine.take() {
            engine.kill().and_then(|()| engine.wait()).expect("killed");
        }
    }

    fn change(&self, change: LocalChange) {
        self.store.change_local(&self.channel, change).expect("stored");
    }

    /// Makes a random change as the person at the desk would.
    fn change_at_random(&mut self, random: &mut StdRng, conversations: &[String], number: usize) {
        let id = conversations[random.random_range(0..conversations.len())].as_str();
        let now = SystemClock.now();
        match random.random_range(0..7) {
            0 | 1 => {
                let claim = Assignment { agent: SafeText::line(self.name), at: now };
                self.change(LocalChange::Claim(vec![(id.into(), Some(claim))]));
            }
            2 => self.change(LocalChange::Claim(vec![(id.into(), None)])),
            3 => {
                let tag = Tag { word: SafeText::line(&format!("tag{number}")), location: TagLocation::Local };
                self.change(LocalChange::Tags(vec![(id.into(), vec![tag])]));
            }
            4 => {
                let snooze = Snooze::new(Some(now.plus(HOUR)), false, None, now);
                self.change(LocalChange::Snooze(vec![(id.into(), Some(snooze))]));
            }
            _ => {
                let words = format!("note {number} of {}", self.name);
                let conversation = ConversationId::from(id);
                self.store.insert_note(&self.channel, &conversation, &words, now).expect("stored");
                self.notes.push(words);
            }
        }
    }

    fn outbox_number(&self, sql: &str) -> i64 {
        let file = self.binary.data().join("outbox.db");
        let opened = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY);
        opened.and_then(|outbox| outbox.query_row(sql, [], |row| row.get(0))).unwrap_or(0)
    }

    fn waiting(&self) -> u32 {
        self.store.count_team_changes().expect("read")
    }

    fn local(&self, id: &str) -> Option<LocalState> {
        let key = ConversationKey { channel: self.channel.clone(), conversation: id.into() };
        let reader = self.store.reader().expect("a reader");
        reader.conversation_rows(&[key]).expect("read").pop().map(|row| row.local)
    }

    fn list_notes(&self, id: &str) -> Vec<String> {
        let query = HistoryQuery { channel: self.channel.clone(), conversation: id.into(), limit: 10_000 };
        let page = self.store.reader().expect("a reader").history(&query).expect("read");
        page.notes.iter().map(|note| note.text.to_string()).collect()
    }

    /// Returns the owner, tags, snooze and notes of a conversation as stored at this desk.
    fn view(&self, id: &str) -> Option<View> {
        let local = self.local(id)?;
        let mut notes = self.list_notes(id);
        notes.sort();
        Some(View {
            owner: local.claim.map(|claim| claim.agent.to_string()),
            tags: local.tags.iter().map(|tag| tag.word.to_string()).collect(),
            is_snoozed: local.snooze.is_some(),
            notes,
        })
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if let Some(engine) = &mut self.engine {
            // Fails if the process has ended.
            let _ = engine.kill();
            let _ = engine.wait();
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct View {
    owner: Option<String>,
    tags: Vec<String>,
    is_snoozed: bool,
    notes: Vec<String>,
}

fn shares(asked: &Asked) -> bool {
    asked.method != "GET" && asked.target.starts_with("/desk/v1/conversations/")
}

struct Campaign {
    services: Services,
    desks: Vec<Desk>,
    conversations: Vec<String>,
    random: StdRng,
    changes: usize,
}

impl Campaign {
    async fn begin(services: Services, seed: u64) -> Self {
        let mut conversations = Vec::new();
        for number in 0..CONVERSATIONS {
            let told = services.process(0).inbound(&format!("+3460011122{number}"), "Hola").await;
            conversations.push(text(&told["conversationId"]));
        }
        let mut desks = Vec::new();
        for number in 0..NAMES.len() {
            desks.push(Desk::join(&services, number).await);
        }
        let random = StdRng::seed_from_u64(seed);
        let mut campaign = Self { services, desks, conversations, random, changes: 0 };
        // Every desk has the conversations on its list before anybody is killed.
        campaign.desks.iter_mut().for_each(Desk::run);
        for desk in &campaign.desks {
            for id in &campaign.conversations {
                until_found(&format!("{} lists {id}", desk.name), async || {
                    desk.local(id).map(drop).ok_or("not yet")
                })
                .await;
            }
        }
        campaign
    }

    /// Adds changes at a desk, and kills the desk or its service at a point of sharing one of them.
    async fn kill_once(&mut self) {
        let place = self.random.random_range(0..self.desks.len());
        let kills_service = self.random.random_range(0..3) == 0;
        let point = match self.random.random_range(0..5) {
            0 if !kills_service => Point::Marked,
            0 | 1 => Point::Asked,
            2 | 3 => Point::Answered,
            _ => Point::Request(self.random.random_range(1..12)),
        };
        let desk = &mut self.desks[place];
        // Its engine shares what waits as soon as it runs again.
        desk.kill();
        for _ in 0..self.random.random_range(1..=MAX_CHANGES) {
            self.changes += 1;
            desk.change_at_random(&mut self.random, &self.conversations, self.changes);
        }
        let is_waiting = desk.waiting() > 0;
        match point {
            Point::Marked => {
                desk.proxy.door(Door::Full).await;
                desk.run();
                if is_waiting {
                    let sql = "SELECT count(*) FROM team_change WHERE tried = 1";
                    until_found(
                        "a mark",
                        async || {
                            if desk.outbox_number(sql) > 0 { Ok(()) } else { Err("no mark") }
                        },
                    )
                    .await;
                }
            }
            Point::Asked | Point::Answered if is_waiting => {
                let gate = Gate::shut();
                let held = gate.clone();
                desk.proxy.plan(move |asked| match shares(asked) {
                    true if point == Point::Asked => Script { before: Some(held.clone()), ..Script::pass() },
                    true => Script { after: Some(held.clone()), ..Script::done(Give::Last) },
                    false => Script::pass(),
                });
                desk.run();
                gate.reached().await;
            }
            _ => {
                let wanted = if let Point::Request(count) = point { count } else { 1 };
                desk.proxy.seen();
                desk.run();
                let mut seen = 0;
                until_found("requests of the desk", async || {
                    seen += desk.proxy.seen().len();
                    if seen >= wanted { Ok(()) } else { Err(format!("{seen} of {wanted}")) }
                })
                .await;
            }
        }
        if kills_service {
            let service = desk.service;
            self.services.kill(service);
            self.services.restart(service).await;
            for desk in self.desks.iter().filter(|desk| desk.service == service) {
                desk.proxy.toward(self.services.address(service));
                desk.proxy.cut();
            }
        } else {
            desk.kill();
        }
        let desk = &mut self.desks[place];
        desk.proxy.pass();
        desk.proxy.cut();
        desk.proxy.door(Door::Open).await;
        desk.run();
    }

    /// Waits until everything is shared, and checks that all have the same. Returns how long that took.
    async fn check(&self, what: &str) -> Duration {
        let began = instant();
        for desk in &self.desks {
            until_found(&format!("{what}: {} has shared everything", desk.name), async || {
                match desk.waiting() {
                    0 => Ok(()),
                    left => Err(left),
                }
            })
            .await;
            if began.elapsed() >= SLOW {
                let line = format!("{what}: {} had shared everything after {:?}", desk.name, began.elapsed());
                writeln!(std::io::stderr(), "{line}").expect("told");
            }
        }
        let mut at_service = Vec::new();
        for id in &self.conversations {
            let truth = self.truth(id).await;
            at_service.extend(truth.notes.clone());
            for desk in &self.desks {
                let (asked, first) = (instant(), desk.view(id));
                until_found(&format!("{what}: {} has {truth:?}", desk.name), async || {
                    let view = desk.view(id);
                    if view.as_ref() == Some(&truth) { Ok(()) } else { Err(format!("{view:?}")) }
                })
                .await;
                if asked.elapsed() >= SLOW {
                    let line = format!(
                        "{what}: {} had {first:?} for {:?} before {truth:?}",
                        desk.name,
                        asked.elapsed()
                    );
                    writeln!(std::io::stderr(), "{line}").expect("told");
                }
            }
        }
        let mut written: Vec<String> = self.desks.iter().flat_map(|desk| desk.notes.clone()).collect();
        written.sort();
        at_service.sort();
        assert_eq!(at_service, written, "{what}: each note once");
        began.elapsed()
    }

    /// State of a conversation at a service.
    async fn truth(&self, id: &str) -> View {
        let desk = &self.desks[0];
        let process = self.services.process(desk.service);
        let path = format!("/desk/v1/conversations?ids={id}");
        let (status, body) = process.ask(&path, &desk.session, None, None).await;
        assert_eq!(status, 200, "{body}");
        let body = &body["data"][0];
        let list = |field: &Value| field.as_array().cloned().unwrap_or_default();
        let mut notes: Vec<String> = list(&body["notes"]).iter().map(|note| text(&note["text"])).collect();
        notes.sort();
        View {
            owner: body["claim"]["person"]["name"].as_str().map(str::to_owned),
            tags: list(&body["tags"]).iter().map(text).collect(),
            is_snoozed: !body["snooze"].is_null(),
            notes,
        }
    }
}

async fn kill_all(what: &str, services: Services) {
    let kills = std::env::var("FRONTDESK_TEAM_KILLS").ok().and_then(|var| var.parse().ok()).unwrap_or(KILLS);
    let seed = std::env::var("FRONTDESK_SEED").ok().and_then(|var| var.parse().ok()).unwrap_or(20_261_129);
    let mut campaign = Campaign::begin(services, seed).await;
    let mut longest = Duration::ZERO;
    for kill in 0..kills {
        campaign.kill_once().await;
        if (kill + 1) % 25 == 0 || kill + 1 == kills {
            let what = format!("{what} after {} kills, FRONTDESK_SEED={seed}", kill + 1);
            longest = longest.max(campaign.check(&what).await);
        }
    }
    let notes: usize = campaign.desks.iter().map(|desk| desk.notes.len()).sum();
    let line = format!(
        "{what}: {kills} kills, {} changes, {notes} notes, none lost or doubled; all desks equal after {longest:?} at most",
        campaign.changes
    );
    writeln!(std::io::stderr(), "{line}").expect("told");
    for desk in &mut campaign.desks {
        desk.kill();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_and_double_no_note_on_a_file() {
    frontdesk::client::install_tls();
    let binary = Binary::new();
    let file = binary.folder().join("service.db");
    let served = file.to_str().expect("words").to_owned();
    let services = Services::start(DatabaseLocation::File(file), &served, 1, binary).await;
    kill_all("one service on a file", services).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_and_double_no_note_on_a_server() {
    let Some(server) = cluster::server() else { return };
    frontdesk::client::install_tls();
    for (what, parameters) in [("", ""), (" without LISTEN", "&listen=off")] {
        let url = cluster::database(server).await;
        let place = url.parse().expect("an address");
        let services = Services::start(place, &format!("{url}{parameters}"), 3, Binary::new()).await;
        kill_all(&format!("three services on PostgreSQL{what}"), services).await;
    }
}
