//! Finding at the size of a busy year: 100,000 conversations and 1,000,000
//! messages in one file, the same each time.
//!
//! `cargo bench --bench search` fills a cache with `frontdesk dev fill-cache`
//! and prints how long it takes to search for each beginning of many words,
//! as one types them, to show the list by many filters and orders, to score
//! trouble, and from a key to its frame on the whole screen. It fails when the
//! 99th percentile of searching is not under 30 ms, or the scores of 5,000
//! conversations take 50 ms.
//! `FRONTDESK_BENCH_FOLDER` keeps the cache for the next run;
//! `FRONTDESK_BENCH_SIZE=1000x10000` makes a smaller one.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../parts/desk.rs"]
mod desk;
mod feel;
#[path = "../keys.rs"]
#[expect(dead_code, reason = "other benches press the rest")]
mod keys;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use frontdesk::model::filter::{ConversationFilter, Sort, parse};
use frontdesk::model::ids::{ChannelId, ConversationId};
use frontdesk::model::queries::{Anchor, ConversationQuery};
use frontdesk::model::search::SearchQuery;
use frontdesk::model::time::Timestamp;
use frontdesk::shell::clock;
use frontdesk::store::{Reader, Store};

/// The most the 99th percentile of searching may be.
const GOAL: Duration = Duration::from_millis(30);
/// The tab that is filled.
const CHANNEL: &str = "bench";
/// Hits of a page, as the screen asks for them.
const PAGE: u32 = 50;
/// Rows of a window of the list.
const WINDOW: u32 = 200;

fn main() -> ExitCode {
    let temporary = tempfile::tempdir().expect("a folder");
    let kept = std::env::var_os("FRONTDESK_BENCH_FOLDER").map(PathBuf::from);
    let folder = kept.unwrap_or_else(|| temporary.path().join("desk"));
    if !folder.join("cache.db").exists() {
        fill(&folder);
    }
    let store = Store::open(&folder).expect("the files open");
    store.finish_index().expect("all texts are in the index");
    let reader = store.reader().expect("a reader");
    println!("{:<34} {:>6} {:>9} {:>9} {:>9} {:>9}", "", "asked", "p50 ms", "p90 ms", "p99 ms", "max ms");
    let words = words(&reader);
    let mut worst = Duration::ZERO;
    for letters in [2, 3, 4, 6, 40] {
        let begun = words.iter().map(|word| word.chars().take(letters).collect::<String>());
        let mut begun: Vec<String> = begun.filter(|begun| begun.chars().count() > 1).collect();
        begun.sort();
        begun.dedup();
        let times = begun.iter().map(|text| search(&reader, text)).collect();
        worst = worst.max(row(&format!("search, first {letters} letters"), times));
    }
    let pairs = words
        .windows(2)
        .map(|window| format!("{} {}", window[0], window[1].chars().take(3).collect::<String>()));
    worst = worst
        .max(row("search, a word and three letters", pairs.map(|pair| search(&reader, &pair)).collect()));
    let now = lists(&reader, &words);
    let scored = feel::measure(reader, now);
    if worst >= GOAL {
        println!("searching is not under {} ms", GOAL.as_millis());
    }
    if worst < GOAL && scored { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The newest conversations.
fn conversations(reader: &Reader, count: usize) -> Vec<ConversationId> {
    let limit = u32::try_from(count).unwrap_or(u32::MAX);
    let query = ConversationQuery::first(ChannelId::from(CHANNEL), ConversationFilter::all(), limit);
    let page = reader.conversations(&query).expect("a window");
    page.rows.into_iter().map(|row| row.conversation.id).collect()
}

/// Fills the cache with the same content each time.
fn fill(folder: &Path) {
    let size = std::env::var("FRONTDESK_BENCH_SIZE").unwrap_or_else(|_| "100000x1000000".to_owned());
    let (conversations, messages) = size.split_once('x').expect("two numbers with an x between them");
    println!("filling {} with {conversations} conversations and {messages} messages", folder.display());
    let status = Command::new(env!("CARGO_BIN_EXE_frontdesk"))
        .args(["dev", "fill-cache", "--seed", "1", "--channel", CHANNEL])
        .args(["--conversations", conversations, "--messages", messages, "--data-dir"])
        .arg(folder)
        .status();
    assert!(status.expect("the binary runs").success(), "the cache was not filled");
}

/// Words of messages and names, from the newest and the oldest conversations.
fn words(reader: &Reader) -> Vec<String> {
    let mut words = Vec::new();
    for anchor in [Anchor::Top, Anchor::Bottom] {
        let first = ConversationQuery::first(ChannelId::from(CHANNEL), ConversationFilter::all(), WINDOW);
        let page = reader.conversations(&ConversationQuery { anchor, ..first }).expect("a window");
        for row in page.rows {
            let text = format!("{} {}", row.conversation.title(), row.conversation.preview);
            words.extend(text.split_whitespace().map(str::to_lowercase));
        }
    }
    words.sort();
    words.dedup();
    words
}

fn timed(act: impl FnOnce()) -> Duration {
    let started = clock::instant();
    act();
    started.elapsed()
}

fn search(reader: &Reader, text: &str) -> Duration {
    let query = SearchQuery { text: text.to_owned(), limit: PAGE, ..SearchQuery::default() };
    timed(|| drop(reader.search(&query).expect("an answer")))
}

/// Prints what windows of the list cost; the time of the newest activity.
fn lists(reader: &Reader, words: &[String]) -> Timestamp {
    let at = reader.conversations(&ConversationQuery::first(
        ChannelId::from(CHANNEL),
        ConversationFilter::all(),
        1,
    ));
    let newest = at.expect("a window").rows.first().and_then(|row| row.conversation.last_message_at);
    let at = newest.unwrap_or_default();
    let window = |line: &str, sort: Sort, at: Timestamp| ConversationQuery {
        channel: None,
        filter: parse(line).filter,
        sort,
        at,
        anchor: Anchor::Top,
        limit: WINDOW,
    };
    let ask = |query: &ConversationQuery| timed(|| drop(reader.conversations(query).expect("a window")));
    let lines = [
        "status:open",
        "ai:off",
        "window:<2h status:open",
        "from:+34",
        "has:draft",
        "has:failed",
        "has:media",
        "is:needed -is:snoozed",
        "is:unseen ai:on",
        "is:failing",
        "tag:vip",
    ];
    for line in lines {
        let times = (0..20).map(|_| ask(&window(line, Sort::Activity, at))).collect();
        row(&format!("list, {line}"), times);
    }
    for (sort, word, _) in Sort::ALL {
        let times = (0..20).map(|_| ask(&window("status:open", sort, at))).collect();
        row(&format!("list, by {word}"), times);
    }
    let typed = words.iter().take(300).map(|word| word.chars().take(3).collect::<String>());
    let times = typed.map(|text| ask(&window(&format!("status:open {text}"), Sort::Activity, at))).collect();
    row("list, three letters of a word", times);
    at
}

/// Prints a row; returns its 99th percentile.
fn row(name: &str, mut times: Vec<Duration>) -> Duration {
    times.sort();
    let at = |percent: usize| times.get((times.len() * percent).div_ceil(100).max(1) - 1).copied();
    let [p50, p90, p99, max] = [50, 90, 99, 100].map(|number| at(number).unwrap_or_default());
    let ms = |duration: Duration| format!("{:.2}", duration.as_secs_f64() * 1e3);
    println!("{name:<34} {:>6} {:>9} {:>9} {:>9} {:>9}", times.len(), ms(p50), ms(p90), ms(p99), ms(max));
    p99
}
