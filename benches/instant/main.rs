//! How soon a message is on the screen when it is told by webhook.
//!
//! `cargo bench --bench instant` runs the embedded service and the real binary
//! in a pseudo-terminal, its polling an hour apart, and lets customers write.
//! Measured is the time from when the service has taken a message until its
//! text is on the screen: delivery, look and frame. It fails when the 99th
//! percentile is not under 100 ms. `FRONTDESK_BENCH_MESSAGES` says how many
//! messages are measured.

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

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use frontdesk::shell::clock::instant;
use portable_pty::CommandBuilder;
use serde_json::json;

use crate::service::Service;
use crate::typist::Typist;

/// Messages that are measured.
const MESSAGES: usize = 100;
/// The most the 99th percentile may be.
const SOON: Duration = Duration::from_millis(100);
/// Between two messages: single ones, and within a key's budget of reads.
const REST: Duration = Duration::from_millis(600);

fn main() -> ExitCode {
    let messages = std::env::var("FRONTDESK_BENCH_MESSAGES").ok().and_then(|var| var.parse().ok());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start(folder.path(), &[]);
    let (caller, dev_url) = (service::caller(), service.dev_url());
    let write = |words: &str| {
        let told = json!({"channel": "whatsapp", "from": "+34600111222", "name": "Ana", "text": words});
        runtime.block_on(service::write(&caller, &dev_url, &told));
        instant()
    };
    write("Hello?");
    let mut typist = Typist::sit_down(inbox(folder.path(), &service));
    typist.press(&keys::GO_TO_WEBHOOKS.bytes());
    typist.wait("the webhook", |typist| typist.contents().contains("registered"));
    // Only a delivery shows that they come through.
    write("Anybody there?");
    typist.wait("instant mode", |typist| typist.contents().contains("deliveries come through"));
    typist.press(&keys::GO_TO_INBOX.bytes());
    typist.settle();
    let times = arrivals::measure(&mut typist, messages.unwrap_or(MESSAGES), REST, write);
    let at = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
    let ms = |duration: Duration| format!("{:.2}", duration.as_secs_f64() * 1e3);
    println!("{:<34} {:>6} {:>9} {:>9} {:>9} {:>9}", "", "times", "p50 ms", "p90 ms", "p99 ms", "max ms");
    let [p50, p90, p99, max] = [50, 90, 99, 100].map(at);
    println!(
        "{:<34} {:>6} {:>9} {:>9} {:>9} {:>9}",
        "from the service to the screen",
        times.len(),
        ms(p50),
        ms(p90),
        ms(p99),
        ms(max)
    );
    if p99 < SOON {
        return ExitCode::SUCCESS;
    }
    println!("a message that is told by webhook is not on the screen within 100 ms");
    ExitCode::FAILURE
}

fn inbox(folder: &Path, service: &Service) -> CommandBuilder {
    let base_url = service.base_url();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let config = format!(
        "[[channel]]\nname = \"Harbor chat\"\nbase_url = \"{base_url}\"\nkey_env = \"CHAT_KEY\"\n\
         [polling]\nvisible_seconds = 3600\nbackground_seconds = 3600\n\
         [receiver]\nlisten = \"127.0.0.1:{port}\"\npublic_url = \"http://127.0.0.1:{port}\"\n"
    );
    service::inbox(folder, &config, &[("CHAT_KEY", &service.key("whatsapp"))])
}
