//! Tasks other than moving in a list: searching everything as you type, a wide screen with the card,
//! scripts whose rows an inbox keeps fresh, the first screen of the demo.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use frontdesk::config::Config;
use frontdesk::model::news::Health;
use frontdesk::model::secret::Secret;
use frontdesk::model::time::Clock;
use frontdesk::shell::clock::{SystemClock, instant};
use frontdesk::store::Store;
use frontdesk::store::leases::{LeaseHealth, LeaseRequest, ProcessRank};
use frontdesk::sync::{ChannelSpec, process_names};
use portable_pty::CommandBuilder;

use crate::watched::Watched;
use crate::{inbox_of, keys, script_of};

/// Words that are typed.
const WORDS: [&str; 8] =
    ["order", "parcel", "refund", "delivery", "tomorrow", "commande", "gracias", "bestellung"];
/// The longest beginning of a word that is measured by itself.
const LETTERS: usize = 6;
/// A screen that shows the card.
const WIDE: (u16, u16) = (160, 50);
const MOVES: usize = 100;
const TIMES: usize = 5;

/// What was measured, and what it should not exceed.
pub struct TaskFigures {
    pub name: String,
    pub times: Vec<Duration>,
    pub percent: usize,
    pub goal: &'static str,
}

/// Measures all of it on a filled cache.
pub fn measure(binary: &str, folder: &Path, conversations: usize) -> Vec<TaskFigures> {
    let mut watched = Watched::start(inbox_of(binary, folder));
    watched.rest(Duration::from_secs(1));
    let mut figures = search(&mut watched);
    drop(watched);
    figures.extend(scripts(binary, folder, conversations));
    let mut wide = Watched::start_at(inbox_of(binary, folder), WIDE);
    wide.rest(Duration::from_secs(1));
    let moves = [keys::DOWN.names, keys::DOWN.names, keys::UP.names];
    let times: Vec<Duration> = (0..MOVES).map(|entry| wide.press(moves[entry % 3]).took).collect();
    let name = |words: &str| words.to_owned();
    let goal = "1.2 x a plain move";
    figures.push(TaskFigures {
        name: name("a move with the card, 160x50, ms, p50"),
        times: times.clone(),
        percent: 50,
        goal,
    });
    figures.push(TaskFigures {
        name: name("a move with the card, 160x50, ms, p99"),
        times,
        percent: 99,
        goal,
    });
    let times = (0..TIMES).map(|_| demo(binary)).collect();
    let goal = "150";
    figures.push(TaskFigures {
        name: name("demo from nothing to its first screen, ms, p50"),
        times,
        percent: 50,
        goal,
    });
    figures
}

/// From a letter to its results, by how many were typed.
fn search(watched: &mut Watched) -> Vec<TaskFigures> {
    let mut times = vec![Vec::new(); LETTERS];
    watched.press(keys::SEARCH.names);
    for word in WORDS {
        for (at, letter) in word.chars().enumerate() {
            let took = watched.press(&letter.to_string()).took;
            times[at.min(LETTERS - 1)].push(took);
        }
        watched.press(&"\u{7f}".repeat(word.len()));
    }
    watched.press("\u{1b}");
    let figures = times.into_iter().enumerate().map(|(at, times)| {
        let letters = if at + 1 == LETTERS {
            format!("{LETTERS} and more letters")
        } else {
            format!("{} letters", at + 1)
        };
        TaskFigures { name: format!("searching, {letters}, ms, p99"), times, percent: 99, goal: "5" }
    });
    figures.collect()
}

/// Scripts that read only the files, because an inbox keeps them fresh.
fn scripts(binary: &str, folder: &Path, conversations: usize) -> Vec<TaskFigures> {
    // As many as one call tells at most.
    let limit = conversations.min(1_000).to_string();
    // Not `show`, which asks the server each time.
    let cases: [(&str, &[&str], &'static str); 1] =
        [("list of all, ms, p50", &["list", "--status", "all", "--json", "--limit", &limit], "40")];
    let figures = cases.into_iter().map(|(name, arguments, goal)| {
        let script = || {
            keep_fresh(folder);
            timed(script_of(binary, folder).args(arguments))
        };
        let times = (0..TIMES).map(|_| script()).collect();
        TaskFigures { name: name.to_owned(), times, percent: 50, goal }
    });
    figures.collect()
}

/// Publishes that an inbox has just heard from the server. Without it a script asks the server itself.
fn keep_fresh(folder: &Path) {
    let config = Config::read(&folder.join("config/config.toml")).expect("the configuration is read");
    let channel = config.channels.first().expect("a channel");
    let spec = ChannelSpec {
        id: channel.id(),
        name: channel.name.clone(),
        base_url: channel.base_url.clone(),
        key: Secret::new(keys::CHANNEL_KEY),
        read_only: false,
        draft_only: false,
    };
    let now = SystemClock.now();
    let lease = LeaseRequest {
        name: process_names::lease_name(&spec),
        channel: spec.id,
        sends: false,
        rank: ProcessRank::Inbox,
        kind: "inbox",
        health: LeaseHealth { health: Some(Health::Live { at: now }), budget: None },
    };
    let store = Store::open(&folder.join("data")).expect("the files open");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(store.acquire_leases("bench", vec![lease], now)).expect("the lease is written");
}

fn timed(command: &mut Command) -> Duration {
    let began = instant();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.expect("the binary runs").success(), "{command:?}");
    began.elapsed()
}

fn demo(binary: &str) -> Duration {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = CommandBuilder::new(binary);
    command.arg("demo");
    command.env("TERM", "xterm-256color");
    command.env("FRONTDESK_CONFIG_DIR", folder.path().join("config"));
    command.env("TMPDIR", folder.path());
    Watched::start(command).start.took
}
