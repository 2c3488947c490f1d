//! How soon a message is on the screen while a desk reads 100,000 conversations for the first time.
//!
//! `cargo bench --bench first_sync` runs the service on the world of the bench of the service and the real binary with
//! an empty folder in a pseudo-terminal, and lets a customer write. The inbox polls as it does by default. Measured is
//! the time from when the service has taken a message until its text is on the screen. It fails when one of them takes
//! longer than four seconds. `FRONTDESK_BENCH_MESSAGES` says how many messages are measured.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../parts/arrivals.rs"]
mod arrivals;
#[path = "../keys.rs"]
#[expect(dead_code, reason = "other benches press the rest")]
mod keys;
#[path = "../parts/service.rs"]
#[expect(dead_code, reason = "the bench of faults uses the rest")]
mod service;
#[path = "../parts/typist.rs"]
#[expect(dead_code, reason = "the bench of faults uses the rest")]
mod typist;
#[path = "../parts/watched_terminal.rs"]
mod watched_terminal;
#[path = "../service/world.rs"]
mod world;

use std::process::ExitCode;
use std::time::Duration;

use frontdesk::shell::clock::instant;
use serde_json::json;

use crate::service::Service;
use crate::typist::Typist;
use crate::world::World;

/// Messages that are measured.
const MESSAGES: usize = 20;
/// Longest time that a message may take.
const GOAL: Duration = Duration::from_secs(4);
/// Pause after a message; no multiple of the poll interval, so that messages come at any time between two polls.
const PAUSE: Duration = Duration::from_millis(3_700);

fn main() -> ExitCode {
    let messages = std::env::var("FRONTDESK_BENCH_MESSAGES").ok().and_then(|var| var.parse().ok());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let world = runtime.block_on(World::ready());
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(world.copy(), folder.path().join("service.db")).expect("copied");
    let service = Service::start(folder.path(), &["--unlimited"]);
    let (caller, dev_url) = (service::caller(), service.dev_url());
    let write = |words: &str| {
        let told = json!({"channel": "whatsapp", "from": "+34699999999", "name": "Ana", "text": words});
        runtime.block_on(service::write(&caller, &dev_url, &told));
        instant()
    };
    write("Hello?");
    let config = format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{}\"\nkey_env = \"CHAT_KEY\"\n",
        service.base_url()
    );
    let mut typist = Typist::sit_down(service::inbox(folder.path(), &config, &[("CHAT_KEY", &world.key)]));
    typist.press(&keys::GO_TO_INBOX.bytes());
    typist.settle();
    let times = arrivals::measure(&mut typist, messages.unwrap_or(MESSAGES), PAUSE, write);
    let ms = |duration: Duration| format!("{:.0}", duration.as_secs_f64() * 1e3);
    let (p50, max) = (times[times.len() / 2], times[times.len() - 1]);
    println!("{:<50} {:>6} {:>9} {:>9}", "", "times", "p50 ms", "max ms");
    let label = "from the service to the screen, in a first reading";
    println!("{label:<50} {:>6} {:>9} {:>9}", times.len(), ms(p50), ms(max));
    if max <= GOAL {
        return ExitCode::SUCCESS;
    }
    println!("a message was on the screen later than {} ms", ms(GOAL));
    ExitCode::FAILURE
}
