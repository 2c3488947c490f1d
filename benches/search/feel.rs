//! What a key costs where everything is stored: from the press to the frame
//! with all that it asked the files for, on the whole screen.

use std::time::Duration;

use frontdesk::inbox::keys::{KeyCode, KeyPress};
use frontdesk::model::ids::ChannelId;
use frontdesk::model::queries::HistoryQuery;
use frontdesk::model::time::Timestamp;
use frontdesk::model::trouble::{MAX_MESSAGES, MessageSummary, score_messages};
use frontdesk::store::Reader;

use crate::desk::Desk;
use crate::keys::BenchKeys;
use crate::{CHANNEL, keys, row, timed};

/// Conversations whose score is computed anew.
const SCORED: usize = 5_000;
/// The most all of them together may take.
const SCORE_GOAL: Duration = Duration::from_millis(50);

/// Prints what keys cost; whether scoring is quick enough.
pub fn measure(reader: Reader, now: Timestamp) -> bool {
    let quick = score(&reader);
    let mut desk = Desk::new(ChannelId::from(CHANNEL), reader, now);
    let started = timed(|| desk.start());
    row("start, to the first frame", vec![started]);
    let [escape, inbox_view, closed_view] =
        [KeyCode::Esc, KeyCode::Char('1'), KeyCode::Char('4')].map(|code| vec![KeyPress::plain(code)]);
    let word: Vec<KeyPress> = "mar".chars().map(|letter| KeyPress::plain(KeyCode::Char(letter))).collect();
    let typed = |opening: BenchKeys| [opening.presses(), word.clone(), escape.clone()].concat();
    let both = |one: BenchKeys, other: BenchKeys| [one.presses(), other.presses()].concat();
    let reading = [keys::OPEN.presses(), keys::NEXT_CONVERSATION.presses(), escape.clone()].concat();
    let opened = [keys::OPEN.presses(), escape.clone()].concat();
    let views = [keys::CHOOSE_VIEW.presses(), closed_view, keys::CHOOSE_VIEW.presses(), inbox_view].concat();
    for (name, presses, times) in [
        ("j, next conversation", keys::DOWN.presses(), 100),
        ("Ctrl-D, half a page", keys::HALF_DOWN.presses(), 20),
        ("G, to the bottom", keys::BOTTOM.presses(), 1),
        ("g g, to the top", keys::TOP.presses(), 1),
        ("w, next urgent", keys::NEXT_URGENT.presses(), 20),
        ("Enter Esc, open and back", opened, 20),
        ("J, next while reading", reading, 20),
        (", w and , a, sort", both(keys::SORT_BY_WAITING, keys::SORT_BY_ACTIVITY), 10),
        (", x and , n, sort", both(keys::SORT_BY_WINDOW, keys::SORT_BY_NAME), 10),
        ("v 4 and v 1, views", views, 10),
        ("f mar Esc, filter as typed", typed(keys::FILTER), 10),
        ("/ mar Esc, search as typed", typed(keys::SEARCH), 10),
        ("Ctrl-P mar Esc, palette", typed(keys::PALETTE), 10),
        ("0 1, all tabs", both(keys::ALL_TABS, keys::FIRST_TAB), 10),
    ] {
        let count = u32::try_from(presses.len()).unwrap_or(1);
        row(name, (0..times).map(|_| timed(|| desk.press(&presses)) / count).collect());
        desk.press(&escape);
    }
    quick
}

/// The score of the newest messages of many conversations.
fn score(reader: &Reader) -> bool {
    let channel = ChannelId::from(CHANNEL);
    let mut said: Vec<Vec<MessageSummary>> = Vec::new();
    let limit = u32::try_from(MAX_MESSAGES).unwrap_or(u32::MAX);
    for conversation in crate::conversations(reader, SCORED) {
        let query = HistoryQuery { channel: channel.clone(), conversation, limit };
        let page = reader.history(&query).expect("a history");
        let messages = page.messages.iter().map(|message| &message.message);
        said.push(
            messages
                .map(|message| {
                    MessageSummary::new(
                        message.direction,
                        message.sender.clone(),
                        message.content.as_str(),
                        &message.delivery,
                    )
                })
                .collect(),
        );
    }
    let mut total = 0;
    let times = (0..10)
        .map(|_| timed(|| total += said.iter().map(|entry| score_messages(entry).score()).sum::<u32>()))
        .collect();
    let worst = row(&format!("trouble score of {} conversations", said.len()), times);
    assert!(total > 0, "nobody is in trouble");
    if worst >= SCORE_GOAL {
        println!("scoring is not under {} ms", SCORE_GOAL.as_millis());
    }
    worst < SCORE_GOAL
}
