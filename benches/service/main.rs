//! How fast the service is on 100,000 conversations and 1,000,000 messages:
//! pages of 50 and durable sends, with a bare server over the same file and
//! the same queries beside it.
//!
//! `cargo bench --bench service` makes the world once (in `target/bench`) and
//! prints one table. `FRONTDESK_BENCH_SECONDS` says how long each row runs.
//! The callers are in this process, the service and the bare server in their
//! own.

mod floor;
mod load;
mod server;
mod world;

use std::time::Duration;

use load::{Load, Outcome};
use server::Server;
use world::World;

fn main() {
    if let Ok(path) = std::env::var(floor::PATH) {
        return floor::serve(&path);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run());
}

async fn run() {
    let seconds = std::env::var("FRONTDESK_BENCH_SECONDS").ok().and_then(|it| it.parse().ok()).unwrap_or(5);
    let load = Load { span: Duration::from_secs(seconds) };
    let world = World::ready().await;
    let mut rows = Vec::new();
    for (name, kind, connections) in [
        ("pages of 50 conversations", "conversations", 32),
        ("pages of 50 messages", "messages", 32),
        ("pages of 50 of one history", "history", 32),
        ("durable sends, 64 callers", "send", 64),
        ("durable sends, 256 callers", "send", 256),
    ] {
        let mut outcomes = Vec::new();
        for bare in [false, true] {
            let file = world.copy();
            let server = if bare { Server::bare(&file) } else { Server::real(&file, &world) };
            server.warm(&world).await;
            let jobs = server.jobs(kind, connections, &world);
            let outcome = load.run(&server.address, jobs).await;
            outcomes.push((outcome, server.memory()));
        }
        rows.push((name, outcomes));
    }
    print(&rows);
}

fn print(rows: &[(&str, Vec<(Outcome, u64)>)]) {
    println!(
        "{:<28} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7}",
        "", "per s", "p50 ms", "p99 ms", "MB", "bare/s", "bare p99", "ratio"
    );
    for (name, outcomes) in rows {
        let [(real, memory), (bare, _)] = outcomes.as_slice() else { continue };
        println!(
            "{name:<28} {:>9.0} {:>9.2} {:>9.2} {:>7.1} {:>9.0} {:>9.2} {:>7.2}",
            real.per_second(),
            real.percentile(50),
            real.percentile(99),
            megabytes(*memory),
            bare.per_second(),
            bare.percentile(99),
            real.per_second() / bare.per_second(),
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}
