//! The broadcasts at the size of years: what a key costs on their page.
//!
//! `cargo bench --bench broadcasts` begins 500 broadcasts of ten waves each,
//! one of them to a thousand people with a message each, counts them, and
//! prints how long it takes from a key to the frame with all that it asked the
//! files for. It fails when the 99th percentile of a key is not under 16 ms.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../parts/desk.rs"]
mod desk;
#[path = "../keys.rs"]
#[expect(dead_code, reason = "other benches press the rest")]
mod keys;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use frontdesk::inbox::keys::KeyPress;
use frontdesk::model::contacts::ReceivedContact;
use frontdesk::model::ids::{BroadcastId, ChannelId, ContactId};
use frontdesk::model::outbox::content::Audience;
use frontdesk::model::outbox::content::BroadcastContent;
use frontdesk::model::outbox::{Lane, Operation, PreparedRequest, WriteMethod};
use frontdesk::model::time::{SECOND, Timestamp};
use frontdesk::model::waves::{CampaignAudience, FrozenContacts, NewCampaign, WavePlan, WaveReading};
use frontdesk::shell::clock::instant;
use frontdesk::store::outbox::NewRow;
use frontdesk::store::{Store, StoreDurability, StoreOptions};

use crate::desk::Desk;

/// Broadcasts on the page.
const BROADCASTS: usize = 500;
/// People of each; the newest has more.
const PEOPLE: usize = 20;
/// People of the newest.
const MANY: usize = 1_000;
/// Presses of a key.
const PRESSES: usize = 300;
/// The most the 99th percentile of a key may be.
const FRAME: Duration = Duration::from_millis(16);

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = StoreOptions { durability: StoreDurability::Simulated, ..StoreOptions::default() };
    let store = Store::open_with(folder.path(), setup).expect("the files open");
    let now = Timestamp::parse("2026-11-20T10:00:00Z").expect("a time");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(fill(&store, now));
    let mut desk = Desk::new(channel(), store.reader().expect("a reader"), now);
    desk.start();
    println!("{:<34} {:>6} {:>9} {:>9} {:>9}", "", "times", "p50 ms", "p99 ms", "max ms");
    let [first, last] = <[KeyPress; 2]>::try_from(keys::GO_TO_BROADCASTS.presses()).expect("two keys");
    desk.press(&[first]);
    let opening = timed(|| desk.press(&[last]));
    row("g b, to the first frame", vec![opening]);
    let mut worst = Duration::ZERO;
    for (name, key, times) in [
        ("j, next broadcast", keys::ROW_DOWN, PRESSES),
        ("k, the one before", keys::ROW_UP, PRESSES),
        ("G, to the bottom", keys::LAST_ROW, 1),
    ] {
        let presses = key.presses();
        let each = (0..times).map(|_| timed(|| desk.press(&presses))).collect();
        worst = worst.max(row(name, each));
    }
    match worst < FRAME {
        true => ExitCode::SUCCESS,
        false => {
            println!("a key on the broadcasts is not followed within {} ms", FRAME.as_millis());
            ExitCode::FAILURE
        }
    }
}

fn channel() -> ChannelId {
    ChannelId::from("bench")
}

/// Campaigns with all their waves sent and counted.
async fn fill(store: &Store, now: Timestamp) {
    let people = (0..MANY)
        .map(|number| {
            let told = ReceivedContact { id: Some(contact(number)), ..ReceivedContact::default() };
            (format!("+34{number:09}"), told)
        })
        .collect();
    store.apply_people(&channel(), people, now).await.expect("written");
    for number in 0..BROADCASTS {
        let count = if number + 1 == BROADCASTS { MANY } else { PEOPLE };
        let (frozen, _) = FrozenContacts::from_ids((0..count).map(contact)).expect("some");
        let plan = WavePlan { canary: count / 10, wave: count / 10, ..WavePlan::suggest(count) };
        let content = BroadcastContent::Text(format!("News of day {number}"));
        let new = NewCampaign {
            channel: channel(),
            content,
            audience: CampaignAudience::Contacts(frozen),
            plan,
            hold: 0,
        };
        let id = store.start_campaign(new, None, now).expect("begun");
        for wave in 0..10 {
            let to = Audience::Contacts(vec![contact(0)]);
            let row = NewRow {
                channel: channel(),
                lane: Lane::Broadcasts,
                operation: Operation::Broadcast { to, content: BroadcastContent::Text(String::new()) },
                request: PreparedRequest::json(WriteMethod::Post, "/broadcast", Vec::new()),
                hold_micros: 0,
                seen: None,
                planned_at: None,
            };
            store.queue_wave(&id, wave, row, now).await.expect("queued");
            let broadcast = BroadcastId::new(format!("bc_{number}_{wave}"));
            store.record_wave_sent(&id, wave, Some(broadcast), now).await.expect("written");
            for look in 0..5 {
                let at = now.plus(look * SECOND);
                let reading =
                    WaveReading { at, recipients: 5, delivered: look, failed: 1, ..WaveReading::default() };
                store.record_wave_counts(&id, wave, reading).await.expect("written");
            }
        }
    }
}

fn contact(number: usize) -> ContactId {
    ContactId::new(format!("ct_{number}"))
}

fn timed(work: impl FnOnce()) -> Duration {
    let started: Instant = instant();
    work();
    started.elapsed()
}

/// Prints a row; returns its 99th percentile.
fn row(name: &str, mut times: Vec<Duration>) -> Duration {
    times.sort();
    let at = |percent: usize| times.get((times.len() * percent).div_ceil(100).max(1) - 1).copied();
    let [p50, p99, max] = [50, 99, 100].map(|number| at(number).unwrap_or_default());
    let ms = |duration: Duration| format!("{:.2}", duration.as_secs_f64() * 1e3);
    println!("{name:<34} {:>6} {:>9} {:>9} {:>9}", times.len(), ms(p50), ms(p99), ms(max));
    p99
}
