//! Going through forty threads with the real binary in a pseudo-terminal, its
//! service 150 ms away: each key is followed by a frame long before any answer
//! can have come.

use std::time::Duration;

use serde_json::json;

use crate::keys;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Door, Proxy};
use crate::row;
use crate::service::{self, Service};
use crate::typist::{Figures, Typist};

/// Threads gone through in one round.
const THREADS: usize = 40;
/// How far away the service is: there and back.
const AWAY: Duration = Duration::from_millis(150);

/// Prints how soon the screen follows; returns the 99th percentile.
pub fn measure(rounds: usize) -> Duration {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut figures = Figures::default();
    for _ in 0..rounds {
        round(&runtime, &mut figures);
    }
    let [_, p99] = row("a key of a triage, 150 ms away", figures.0);
    p99
}

/// A service, a mailbox of its own, and somebody who goes through it.
fn round(runtime: &tokio::runtime::Runtime, figures: &mut Figures) {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start(folder.path(), &["--unlimited"]);
    runtime.block_on(fill(&service.dev_url()));
    let proxy = runtime.block_on(Proxy::start(service.address(), Door::Open));
    proxy.plan(|_| Script::done(Give::Answer(Vec::new(), AWAY)));
    let config = format!(
        "[polling]\nvisible_seconds = 1\n[[channel]]\nname = \"Mail\"\nbase_url = \"{}\"\nkey_env = \"MAIL_KEY\"\n",
        proxy.base_url()
    );
    let keys = [("MAIL_KEY", &*service.key("email"))];
    let mut typist = Typist::sit_down(service::inbox(folder.path(), &config, &keys));
    typist.wait("all threads", |typist| typist.contents().contains(&format!("{THREADS} unread")));
    typist.settle();
    typist.press(&keys::START_TRIAGE.bytes());
    typist.wait("the first thread", |typist| typist.contents().contains(&format!("TRIAGE 1/{THREADS}")));
    triage(&mut typist, figures);
    drop(typist);
    drop(proxy);
}

/// Decides over all threads, each key measured by what it does.
fn triage(typist: &mut Typist, figures: &mut Figures) {
    for number in 1..=THREADS {
        match number % 8 {
            2 => typist.measure(figures, keys::KEEP_UNREAD.names, place),
            4 => {
                typist.measure(figures, keys::STAR.names, said);
                typist.measure(figures, keys::ARCHIVE.names, place);
            }
            6 => {
                typist.measure(figures, keys::SNOOZE.names, body);
                // In the menu: until tomorrow.
                typist.measure(figures, "t", place);
            }
            0 => {
                typist.measure(figures, keys::ANSWER.names, body);
                for key in "Thanks".chars() {
                    typist.measure(figures, key.encode_utf8(&mut [0; 4]), body);
                }
                typist.measure(figures, &keys::SEND_MAIL.bytes(), body);
                // A question takes no key that may have been typed before it.
                std::thread::sleep(Duration::from_millis(300));
                typist.measure(figures, "y", place);
            }
            _ => typist.measure(figures, keys::ARCHIVE.names, place),
        }
    }
    typist.wait("the end", |typist| typist.contents().contains("seen in"));
}

/// How far it is, and the thread that is shown: not the clock.
fn place(screen: &vt100::Screen) -> String {
    let lines = screen.contents();
    let mut lines = lines.lines().skip(1);
    let place = lines.next().and_then(|line| line.split(" · ").next()).unwrap_or_default().to_owned();
    place + lines.next().unwrap_or_default()
}

/// What was said of a star.
fn said(screen: &vt100::Screen) -> String {
    screen.contents().contains("starred ·").to_string()
}

/// All between the thread's title and the status line.
fn body(screen: &vt100::Screen) -> String {
    let lines = screen.contents();
    let lines: Vec<&str> = lines.lines().collect();
    lines.iter().skip(3).take(lines.len().saturating_sub(5)).copied().collect()
}

/// Forty people write, so that each thread is a decision of its own.
async fn fill(dev_url: &str) {
    let caller = service::caller();
    for number in 0..THREADS {
        let told = json!({
            "channel": "email", "from": format!("person{number}@mail.example"), "name": format!("Person {number}"),
            "subject": format!("About order {number}"), "text": format!("Where is my order {number}?"),
        });
        service::write(&caller, dev_url, &told).await;
    }
}
