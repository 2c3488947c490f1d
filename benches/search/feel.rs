//! What a key costs where everything is stored: from the press to the frame
//! with all that it asked the files for, on the whole screen.

use std::time::Duration;

use frontdesk::model::ids::ChannelId;
use frontdesk::model::queries::HistoryQuery;
use frontdesk::model::time::Timestamp;
use frontdesk::model::trouble::{MAX_MESSAGES, MessageSummary, score_messages};
use frontdesk::store::Reader;

use crate::desk::{self, Desk};
use crate::{CHANNEL, row, timed};

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
    pressed(&mut desk, "j, next conversation", "j", 100);
    pressed(&mut desk, "Ctrl-D, half a page", "<Ctrl-D>", 20);
    pressed(&mut desk, "G, to the bottom", "G", 1);
    pressed(&mut desk, "g g, to the top", "gg", 1);
    pressed(&mut desk, "w, next waiting", "w", 20);
    pressed(&mut desk, "g w, most urgent", "gw", 20);
    pressed(&mut desk, "Enter Esc, open and back", "<Enter><Esc>", 20);
    pressed(&mut desk, "J, next while reading", "<Enter>J<Esc>", 20);
    pressed(&mut desk, ", w and , a, sort", ",w,a", 10);
    pressed(&mut desk, ", x and , n, sort", ",x,n", 10);
    pressed(&mut desk, "\\ 1 and \\ 4, views", "\\1\\4", 10);
    pressed(&mut desk, "/ mar Esc, filter as typed", "/mar<Esc>", 10);
    pressed(&mut desk, "Ctrl-P mar Esc, palette", "<Ctrl-P>mar<Esc>", 10);
    pressed(&mut desk, "0 1, all tabs", "01", 10);
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

/// Presses keys so often, and prints how long one takes.
fn pressed(desk: &mut Desk, name: &str, text: &str, times: usize) {
    let keys = desk::keys(text);
    let count = u32::try_from(keys.len()).unwrap_or(1);
    row(name, (0..times).map(|_| timed(|| desk.press(&keys)) / count).collect());
    desk.press(&desk::keys("<Esc>"));
}
