//! Search over many messages: hits are complete, and the index is small. `FRONTDESK_SEARCH=1000000`
//! prints the times.

use std::path::Path;
use std::time::Duration;

use frontdesk::model::account::Platform;
use frontdesk::model::ids::{ChannelId, ConversationId, MessageId};
use frontdesk::model::messages::{DeliveryStatus, Direction, Message, MessageMarks, Sender};
use frontdesk::model::search::SearchQuery;
use frontdesk::model::text::SafeText;
use frontdesk::model::time::Timestamp;
use frontdesk::shell::clock::instant;
use frontdesk::store::{Reader, Store};

/// Number of words; the first are the most common.
const VOCABULARY: u64 = 40_000;
const SYLLABLES: [&str; 20] = [
    "ka", "lo", "mi", "ter", "on", "ra", "ves", "in", "qu", "es", "to", "bar", "lin", "du", "per", "sha",
    "wo", "ny", "ge", "ex",
];

fn size() -> u64 {
    std::env::var("FRONTDESK_SEARCH").ok().and_then(|var| var.parse().ok()).unwrap_or(2_000)
}

/// A small generator: the same texts on every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Small numbers are far more common, like words in texts.
    fn common(&mut self, bound: u64) -> u64 {
        let most = 1 + self.below(bound);
        let less = 1 + self.below(most);
        self.below(less)
    }
}

fn word(number: u64) -> String {
    let mut rest = number.wrapping_mul(2_654_435_761) % 8_000_000;
    let mut word = String::new();
    while word.len() < 3 || rest > 0 {
        word.push_str(SYLLABLES[usize::try_from(rest % 20).expect("small")]);
        rest /= 20;
    }
    word
}

fn text(chance: &mut Chance) -> String {
    if chance.below(20) == 0 {
        // A message in a script without spaces.
        let length = 8 + chance.below(40);
        return (0..length)
            .filter_map(|_| char::from_u32(0x4e00 + u32::try_from(chance.common(3_000)).ok()?))
            .collect();
    }
    let count = 3 + chance.below(30);
    let words: Vec<String> = (0..count).map(|_| word(chance.common(VOCABULARY))).collect();
    words.join(" ")
}

fn message(number: u64, text: &str) -> Message {
    let conversation = format!("conv_{:020}", number % 5_000);
    let at =
        Timestamp::from_micros(1_700_000_000_000_000 + i64::try_from(number).expect("small") * 30_000_000);
    let id = format!("msg_{number:026}");
    let raw = format!(
        "{{\"id\":\"{id}\",\"conversationId\":\"{conversation}\",\"direction\":\"inbound\",\
         \"senderType\":\"customer\",\"content\":\"{text}\",\"contentType\":\"text\",\"mediaUrl\":null,\
         \"status\":\"sent\",\"createdAt\":\"{at}\",\"deliveredAt\":null,\"readAt\":null}}"
    );
    Message {
        id: MessageId::new(id),
        conversation: ConversationId::new(conversation),
        platform_id: None,
        direction: Direction::Inbound,
        sender: Sender::Customer,
        content: SafeText::block(text),
        content_type: "text".into(),
        media_url: None,
        delivery: DeliveryStatus::Sent,
        created_at: Some(at),
        sent_at: None,
        delivered_at: None,
        read_at: None,
        quotes: None,
        agent: None,
        marks: MessageMarks::default(),
        unreadable: false,
        raw,
    }
}

fn fill(store: &Store, size: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let (channel, mut chance) = (ChannelId::from("harbor"), Chance(7));
    let (mut number, mut bytes) = (0, 0);
    while number < size {
        let batch: Vec<Message> = (number..size.min(number + 1_000))
            .map(|entry| {
                let text = text(&mut chance);
                bytes += text.len() as u64;
                message(entry, &text)
            })
            .collect();
        number += batch.len() as u64;
        let applied = store.apply_messages(&channel, batch, Platform::Whatsapp, Vec::new());
        runtime.block_on(applied).expect("stored");
    }
    bytes
}

fn find(reader: &Reader, text: &str) -> usize {
    let query = SearchQuery { text: text.to_owned(), limit: 50, ..SearchQuery::default() };
    reader.search(&query).expect("searched").hits.len()
}

/// Median and 99th percentile of a kind of query.
fn times(reader: &Reader, mut question: impl FnMut(&mut Chance) -> String) -> (Duration, Duration) {
    let mut chance = Chance(11);
    let mut times: Vec<Duration> = (0..400)
        .map(|_| {
            let text = question(&mut chance);
            let begun = instant();
            find(reader, &text);
            begun.elapsed()
        })
        .collect();
    times.sort();
    (times[200], times[395])
}

/// Bytes of the index, and of the whole file.
fn pages(path: &Path) -> (i64, i64) {
    let file = rusqlite::Connection::open(path).expect("it opens");
    let sql = "SELECT sum(pgsize) FILTER (WHERE name GLOB 'search*' OR name = 'message_place'), sum(pgsize) FROM dbstat";
    file.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).expect("counted")
}

#[test]
fn many_messages_are_found_and_their_index_is_small() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("it opens");
    let begun = instant();
    let bytes = fill(&store, size());
    let filled = begun.elapsed();
    let reader = store.reader().expect("a reader");
    // Each of a sample of messages is found by its words.
    let mut chance = Chance(7);
    for number in 0..size() {
        let text = text(&mut chance);
        if number % (size() / 50).max(1) == 0 {
            assert!(find(&reader, &text) >= 1, "{text}");
        }
    }
    let (index, all) = pages(&folder.path().join("cache.db"));
    assert!(index * 2 < all * 3, "the index takes {index} of {all} bytes");
    if std::env::var_os("FRONTDESK_SEARCH").is_none() {
        return;
    }
    println!(
        "{} messages, {bytes} bytes of text, filled in {filled:?}; file {all}, of it index {index}",
        size()
    );
    let prefix = |length: usize| {
        move |chance: &mut Chance| word(chance.common(VOCABULARY)).chars().take(length).collect::<String>()
    };
    let run = |length: u64| {
        move |chance: &mut Chance| {
            (0..length)
                .filter_map(|_| char::from_u32(0x4e00 + u32::try_from(chance.common(3_000)).ok()?))
                .collect()
        }
    };
    for length in 1..=7 {
        println!("{length} letters: {:?}", times(&reader, prefix(length)));
    }
    println!("a word: {:?}", times(&reader, |chance| word(chance.common(VOCABULARY))));
    println!("any word: {:?}", times(&reader, |chance| word(chance.below(VOCABULARY))));
    let two = |chance: &mut Chance| {
        format!("{} {}", word(chance.common(VOCABULARY)), word(chance.common(VOCABULARY)))
    };
    println!("two words: {:?}", times(&reader, two));
    println!(
        "two common words: {:?}",
        times(&reader, |chance| format!("{} {}", word(chance.below(30)), word(chance.below(30))))
    );
    for length in 1..=4 {
        println!("{length} characters of a run: {:?}", times(&reader, run(length)));
    }
}
