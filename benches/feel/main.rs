//! How the inbox feels, beside an empty list in the same run.
//!
//! `cargo bench --bench feel` fills caches with `frontdesk dev fill-cache` and
//! runs the real binary in a pseudo-terminal of 120x40 with its server away: from
//! its start to the first whole frame, from a key to the last byte of its frame,
//! 1,000 keys at once, bytes of a move and of a scroll, memory, and what it does
//! when nothing happens. The floor (`floor.rs`, this bench run again) is measured
//! before and after it, and each figure stands beside the floor's.
//! `FRONTDESK_BENCH_SIZES=1000x10000,100000x1000000` says how many conversations
//! and messages; `FRONTDESK_BENCH_FOLDER` keeps the caches for the next run;
//! `FRONTDESK_BENCH_BINARY` measures another binary.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

mod floor;
#[path = "../keys.rs"]
#[expect(dead_code, reason = "other benches press the rest")]
mod keys;
mod tasks;
mod watched;
#[path = "../parts/watched_terminal.rs"]
mod watched_terminal;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use frontdesk::shell::clock;
use portable_pty::CommandBuilder;

use crate::watched::{Usage, Watched};

const CHANNEL: &str = "bench";
const STARTS: usize = 15;
const KEYS: usize = 200;
const IDLE: Duration = Duration::from_secs(10);

/// What was measured of one program.
struct Figures {
    start: Vec<Duration>,
    key: Vec<Duration>,
    move_bytes: Vec<usize>,
    scroll_bytes: Vec<usize>,
    flood: Vec<Duration>,
    usage: Usage,
    idle: Usage,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("floor") {
        let rows = arguments.next().and_then(|argument| argument.parse().ok()).unwrap_or(1_000);
        return floor::run(rows).expect("the floor runs");
    }
    let binary = std::env::var("FRONTDESK_BENCH_BINARY")
        .unwrap_or_else(|_| env!("CARGO_BIN_EXE_frontdesk").to_owned());
    let temporary = tempfile::tempdir().expect("a folder");
    let kept = std::env::var_os("FRONTDESK_BENCH_FOLDER").map(PathBuf::from);
    let sizes =
        std::env::var("FRONTDESK_BENCH_SIZES").unwrap_or_else(|_| "1000x10000,100000x1000000".to_owned());
    for size in sizes.split(',') {
        let folder = kept.clone().unwrap_or_else(|| temporary.path().to_owned()).join(size);
        let rows = prepare(&binary, &folder, size);
        let floor = || measure(|| floor_of(rows));
        let (before, inbox, after) = (floor(), measure(|| inbox_of(&binary, &folder)), floor());
        print(size, &inbox, &[before, after]);
        for task in tasks::measure(&binary, &folder, rows) {
            let ms = percentile(&task.times, task.percent).as_secs_f64() * 1e3;
            println!("{:<44} {ms:>10.2} {:>19} {}", task.name, "goal", task.goal);
        }
    }
}

fn floor_of(rows: usize) -> CommandBuilder {
    let mut command = CommandBuilder::new(std::env::current_exe().expect("this bench has a path"));
    command.args(["floor", &rows.to_string()]);
    command.env("TERM", "xterm-256color");
    command
}

fn inbox_of(binary: &str, folder: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(binary);
    command.env("TERM", "xterm-256color");
    for (variable, value) in variables(folder) {
        command.env(variable, value);
    }
    command
}

/// A command on the same files.
fn script_of(binary: &str, folder: &Path) -> Command {
    let mut command = Command::new(binary);
    command.envs(variables(folder));
    command
}

fn variables(folder: &Path) -> [(&'static str, PathBuf); 3] {
    [
        ("BENCH_KEY", PathBuf::from(keys::CHANNEL_KEY)),
        ("FRONTDESK_CONFIG_DIR", folder.join("config")),
        ("FRONTDESK_DATA_DIR", folder.join("data")),
    ]
}

/// Fills a cache if it is not there, and returns how many conversations it has.
fn prepare(binary: &str, folder: &Path, size: &str) -> usize {
    let (conversations, messages) = size.split_once('x').expect("two numbers with an x between them");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let config = folder.join("config");
    std::fs::create_dir_all(&config).expect("a folder");
    // Nobody listens there.
    let text = format!(
        "[[channel]]\nname = \"{CHANNEL}\"\nbase_url = \"http://{address}/v1\"\nkey_env = \"BENCH_KEY\"\n"
    );
    std::fs::write(config.join("config.toml"), text).expect("the configuration is written");
    if !folder.join("data/cache.db").exists() {
        println!("filling {} with {conversations} conversations and {messages} messages", folder.display());
        let mut fill = Command::new(binary);
        fill.args([
            "dev",
            "fill-cache",
            "--seed",
            "1",
            "--channel",
            CHANNEL,
            "--conversations",
            conversations,
        ]);
        fill.args(["--messages", messages, "--data-dir"]).arg(folder.join("data"));
        let began = clock::instant();
        assert!(fill.status().expect("the binary runs").success(), "the cache was not filled");
        let rate = messages.parse::<f64>().expect("a number") / began.elapsed().as_secs_f64();
        println!("{:<44} {rate:>10.0} {:>19} 20000", "messages a second into the cache", "goal");
    }
    conversations.parse().expect("a number")
}

fn measure(command: impl Fn() -> CommandBuilder) -> Figures {
    let start = (0..STARTS).map(|_| Watched::start(command()).start.took).collect();
    let mut watched = Watched::start(command());
    watched.rest(Duration::from_secs(2));
    let usage = watched.usage();
    let (mut key, mut move_bytes, mut scroll_bytes) = (Vec::new(), Vec::new(), Vec::new());
    let mut press = |watched: &mut Watched, what: &str, bytes: &mut Vec<usize>| {
        let answer = watched.press(what);
        key.push(answer.took);
        bytes.push(answer.bytes);
    };
    for _ in 0..KEYS / 4 {
        press(&mut watched, keys::DOWN.names, &mut move_bytes);
        press(&mut watched, keys::UP.names, &mut move_bytes);
    }
    // To the last row: each further move scrolls.
    watched.press(&keys::DOWN.names.repeat(60));
    for _ in 0..KEYS / 2 {
        press(&mut watched, keys::DOWN.names, &mut scroll_bytes);
    }
    let there_and_back = [keys::UP.names, keys::DOWN.names];
    let flood = (0..6).map(|number| watched.press(&there_and_back[number % 2].repeat(1_000)).took).collect();
    watched.rest(Duration::from_secs(2));
    let before = watched.usage();
    watched.rest(IDLE);
    let after = watched.usage();
    let idle = Usage {
        wake_ups: after.wake_ups.saturating_sub(before.wake_ups),
        running: after.running.saturating_sub(before.running),
        ..after
    };
    Figures { start, key, move_bytes, scroll_bytes, flood, usage, idle }
}

/// The value so many in a hundred do not exceed.
fn percentile<T: Ord + Copy>(values: &[T], percent: usize) -> T {
    let mut sorted = values.to_vec();
    sorted.sort();
    sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1]
}

fn print(size: &str, inbox: &Figures, floors: &[Figures; 2]) {
    println!("\n{:<44} {:>10} {:>10} {:>8}", size, "inbox", "floor", "ratio");
    let row = |name: &str, of: &dyn Fn(&Figures) -> f64| {
        let (ours, floor) = (of(inbox), (of(&floors[0]) + of(&floors[1])) / 2.0);
        println!("{name:<44} {ours:>10.2} {floor:>10.2} {:>8.2}", ours / floor);
    };
    let ms = |duration: Duration| duration.as_secs_f64() * 1e3;
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let mib = |kib: u64| f64::from(u32::try_from(kib).unwrap_or(u32::MAX)) / 1024.0;
    row("start to the first whole frame, ms, p50", &|figures| ms(percentile(&figures.start, 50)));
    row("key to its whole frame, ms, p50", &|figures| ms(percentile(&figures.key, 50)));
    row("key to its whole frame, ms, p99", &|figures| ms(percentile(&figures.key, 99)));
    row("1,000 keys at once, ms, p50", &|figures| ms(percentile(&figures.flood, 50)));
    row("bytes of a move, p50", &|figures| count(percentile(&figures.move_bytes, 50)));
    row("bytes of a scroll, p50", &|figures| count(percentile(&figures.scroll_bytes, 50)));
    row("memory after the start, MiB", &|figures| mib(figures.usage.resident_kib));
    row("memory at its peak, MiB", &|figures| mib(figures.idle.peak_kib));
    let seconds = IDLE.as_secs_f64();
    row("idle, wake-ups a second", &|figures| {
        count(usize::try_from(figures.idle.wake_ups).unwrap_or(usize::MAX)) / seconds
    });
    row("idle, % of a core", &|figures| figures.idle.running.as_secs_f64() / seconds * 100.0);
}
