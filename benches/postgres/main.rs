//! How far the service goes on a PostgreSQL server: durable sends and pages
//! beside bare statements, two processes beside one, and many messages beside
//! few. Callers, service and a throw-away server share this machine; only ratios
//! within one run say something.
//!
//! `cargo bench --bench postgres` prints one table. `FRONTDESK_BENCH_MESSAGES`
//! adds a database of so many messages (10000000 in 1,000 workspaces) beside one of
//! 100,000 with workspaces of the same size, `FRONTDESK_BENCH_SECONDS` says how long
//! each run lasts. `FRONTDESK_BENCH_FOLDER` keeps server and databases for the next
//! time. Words after `--` choose rows by their names.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/it/postgres/cluster.rs"]
mod cluster;
#[path = "../parts/load.rs"]
mod load;
#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/it/postgres/own_cluster.rs"]
mod own_cluster;
#[path = "../parts/server_process.rs"]
mod server_process;
#[path = "../../tests/it/skipping.rs"]
mod skipping;
#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/it/waiting.rs"]
mod waiting;
mod world;

use std::process::{Child, Command};
use std::time::Duration;

use load::{Load, Outcome};
use own_cluster::OwnCluster;
use server_process::ServerProcess;
use world::World;

/// Messages of the smaller databases.
const FEW: usize = 100_000;
/// Workspaces of the one where most is written.
const WORKSPACES: usize = 100;
/// Messages of a workspace where many are compared with few.
const EACH: usize = 10_000;
/// Callers whose single requests are timed: fewer than would wait for each other.
const TIMED: usize = 4;
/// Rounds between which what is compared takes turns.
const ROUNDS: usize = 3;
/// The same for the slowest of a hundred calls, which vary more.
const MORE_ROUNDS: usize = 7;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run());
}

/// A figure and what is wanted of it.
struct Line {
    what: &'static str,
    goal: f64,
    seen: f64,
    is_most: bool,
}

/// Takes what it gets of the first processor; ends when it is dropped.
struct ProcessorLoop(Child);

impl ProcessorLoop {
    fn start() -> Self {
        let mut command = world::on_processor("0", "sh");
        Self(command.args(["-c", "while kill -0 $PPID; do :; done"]).spawn().expect("a shell"))
    }
}

impl Drop for ProcessorLoop {
    fn drop(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ended");
    }
}

/// What is measured, and what came of it.
struct Bench {
    cluster: OwnCluster,
    load: Load,
    seconds: u64,
    lines: Vec<Line>,
}

/// Words after `--` choose what is measured.
fn is_wanted(what: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    words.peek().is_none() || words.any(|word| what.contains(&word))
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

async fn run() {
    let cluster = match std::env::var_os("FRONTDESK_BENCH_FOLDER") {
        Some(folder) => OwnCluster::begin(folder.into(), world::SETTINGS, &[("KEEP", "fast")]),
        None => OwnCluster::start(world::SETTINGS),
    };
    let Some(cluster) = cluster else { return };
    let seconds = number("FRONTDESK_BENCH_SECONDS").unwrap_or(5);
    let load = Load { span: Duration::from_secs(seconds) };
    let mut bench = Bench { cluster, load, seconds, lines: Vec::new() };
    let few = World::make(&bench.cluster, "few", FEW, WORKSPACES).await;
    bench.beside_bare_statements(&few).await;
    let many = number("FRONTDESK_BENCH_MESSAGES").and_then(|number| usize::try_from(number).ok());
    if let Some(messages) = many.filter(|number| *number > FEW) {
        let many = World::make(&bench.cluster, "many", messages, messages / EACH).await;
        let small = World::make(&bench.cluster, "small", FEW, FEW / EACH).await;
        bench.many_beside_few(&many, &small).await;
    }
    bench.two_processes(&few).await;
    bench.print();
}

impl Bench {
    /// Median rates of runs that take turns, so that what else the machine does
    /// meets both.
    async fn beside_bare_statements(&mut self, world: &World) {
        let server = world.serve(None);
        for (what, goal, kind, callers, script) in [
            ("sends in many workspaces : bare inserts", 0.12, "send", 64, world::INSERT),
            ("sends in one workspace : bare inserts", 0.08, "send to one", 64, world::INSERT),
            ("pages of 50 : the bare query", 0.3, "conversations", 16, world::PAGE),
        ] {
            if !is_wanted(what) {
                continue;
            }
            let (mut rates, mut bare) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                let outcome = self.outcome(&server, world, kind, callers).await;
                rates.push(outcome.per_second());
                bare.push(world.bare(&self.cluster, callers, self.seconds, script));
            }
            let (rate, bare) = (median(rates), median(bare));
            println!("{what}: {rate:.0} and {bare:.0} a second");
            self.note(what, goal, rate / bare, false);
        }
        self.memory(&server);
    }

    /// Pages, and what a poller asks while somebody sends. Workspaces are equally large in
    /// both, so that callers walk through lists of the same length; which of the two comes
    /// first changes from round to round.
    async fn many_beside_few(&mut self, many: &World, few: &World) {
        let worlds = [many, few].map(|world| (world, world.serve(None)));
        for (what, kind) in [
            ("p99 of pages of conversations, many : few", "conversations"),
            ("p99 of pages of messages, many : few", "messages"),
            ("p99 of a trigger, many : few", "trigger"),
        ] {
            if !is_wanted(what) {
                continue;
            }
            let mut ratios = Vec::new();
            for round in 0..=MORE_ROUNDS {
                let mut slowest = [0.0; 2];
                for turn in 0..worlds.len() {
                    let which = (round + turn) % worlds.len();
                    let (world, server) = &worlds[which];
                    let sending = world.jobs("send", usize::from(kind == "trigger"));
                    let (outcome, _) = futures_util::future::join(
                        self.outcome(server, world, kind, TIMED),
                        self.load.run(&server.address, sending),
                    )
                    .await;
                    slowest[which] = outcome.percentile(99);
                }
                // In the first round the server reads what it keeps from then on.
                if round > 0 {
                    ratios.push(slowest[0] / slowest[1]);
                }
            }
            let shown: Vec<_> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
            println!("{what}: {}", shown.join(" "));
            self.note(what, 1.5, median(ratios), true);
        }
        let [(_, server), _] = &worlds;
        self.memory(server);
    }

    /// A process gets a tenth of the first processor, beside loops that compute
    /// nothing: with two there is one loop less. Server and callers have the second
    /// processor, which has room then.
    async fn two_processes(&mut self, world: &World) {
        let database = "taskset -a -c -p 1 $(head -n 1 $1/data/postmaster.pid)";
        self.cluster.run(database);
        let own = std::process::id().to_string();
        let pinned = Command::new("taskset").args(["-a", "-c", "-p", "1", &own]).output().expect("taskset");
        assert!(pinned.status.success(), "{pinned:?}");
        for (what, kind) in
            [("pages, two processes : one", "conversations"), ("sends, two processes : one", "send")]
        {
            if !is_wanted(what) {
                continue;
            }
            let (mut one, mut two) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                for count in [1, 2] {
                    let _loops: Vec<_> = (count..10).map(|_| ProcessorLoop::start()).collect();
                    let servers: Vec<_> = (0..count).map(|_| world.serve(Some("0"))).collect();
                    let parts = servers.iter().map(|server| self.outcome(server, world, kind, 32 / count));
                    let outcomes = futures_util::future::join_all(parts).await;
                    let rates = if count == 1 { &mut one } else { &mut two };
                    rates.push(outcomes.iter().map(Outcome::per_second).sum());
                }
            }
            let (one, two) = (median(one), median(two));
            println!("{what}: {two:.0} and {one:.0} a second");
            self.note(what, 1.6, two / one, false);
        }
    }

    async fn outcome(&self, server: &ServerProcess, world: &World, kind: &str, callers: usize) -> Outcome {
        let before = server.processor();
        let jobs = world.jobs(kind, callers);
        let outcome = self.load.run(&server.address, jobs).await;
        let cost = outcome.cost(server.processor().saturating_sub(before));
        let (rate, half, most) = (outcome.per_second(), outcome.percentile(50), outcome.percentile(99));
        println!(
            "  {kind}: {rate:.0} a second, p50 {half:.1} ms, p99 {most:.1} ms, {cost:.0} us of the process"
        );
        outcome
    }

    fn memory(&mut self, server: &ServerProcess) {
        let bytes = u32::try_from(server.memory() / 1_024).expect("small");
        self.note("memory of a process, MB", 100.0, f64::from(bytes) / 1_024.0, true);
    }

    fn note(&mut self, what: &'static str, goal: f64, seen: f64, is_most: bool) {
        self.lines.push(Line { what, goal, seen, is_most });
    }

    fn print(&self) {
        println!("\n{:<44} {:>12} {:>8}", "", "goal", "seen");
        for Line { what, goal, seen, is_most } in &self.lines {
            let (bound, is_met) =
                if *is_most { ("at most", seen <= goal) } else { ("at least", seen >= goal) };
            let met = if is_met { "met" } else { "NOT MET" };
            println!("{what:<44} {bound:>8} {goal:>5} {seen:>8.2}  {met}");
        }
    }
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
