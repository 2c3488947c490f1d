//! New messages while the first reading of a large channel runs. The only time that passes is what the server's
//! answers take, so each case is the same on every machine.

use std::sync::{Arc, Mutex};

use frontdesk::model::news::News;
use frontdesk::model::time::{Clock, SECOND, Timestamp};
use frontdesk::sync::{ChannelSync, Polling, TabSync};
use serde_json::{Value, json};

use crate::desk::HandClock;
use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, conversation, message, page, quiet};

const CONVERSATIONS: i64 = 100_000;
/// Rows of a page. All arrivals are on the first one.
const PAGE: i64 = 50;
const ARRIVALS: i64 = 20;
/// Second of the first arrival, and seconds between two.
const FIRST_ARRIVAL: i64 = 20;
const ARRIVAL_INTERVAL: i64 = 7;

/// A channel with a conversation a minute, `k0` the newest. A message arrives in `k0`, the next one in `k1`, and so on.
struct LargeChannel {
    clock: Arc<HandClock>,
    start: Timestamp,
    /// Time that each answer takes, in microseconds.
    answer_time: i64,
}

fn arrival_second(number: i64) -> i64 {
    FIRST_ARRIVAL + number * ARRIVAL_INTERVAL
}

impl LargeChannel {
    fn has_new(&self, number: i64) -> bool {
        let elapsed = self.clock.now().since(self.start);
        number < ARRIVALS && elapsed >= arrival_second(number) * SECOND
    }

    fn last_second(&self, number: i64) -> i64 {
        if self.has_new(number) { arrival_second(number) } else { -60 * (number + 1) }
    }

    fn conversation(&self, number: i64) -> Value {
        let count = if self.has_new(number) { 2 } else { 1 };
        let mut row = conversation(&format!("k{number}"), count, self.last_second(number));
        row["customerPhone"] = json!(format!("+346{number:08}"));
        row
    }

    fn new_message(&self, number: i64) -> Option<Value> {
        let name = format!("k{number}");
        let new = || message(&format!("new{number}"), &name, "inbound", arrival_second(number));
        self.has_new(number).then(new)
    }

    fn list(&self, from: i64) -> Answer {
        let to = (from + PAGE).min(CONVERSATIONS);
        let mut numbers: Vec<i64> = (from..to).collect();
        numbers.sort_by_key(|number| -self.last_second(*number));
        let rows: Vec<Value> = numbers.into_iter().map(|number| self.conversation(number)).collect();
        Answer::ok(page(&rows, (to < CONVERSATIONS).then(|| to.to_string()).as_deref()))
    }

    fn answer(&self, request: &Request) -> Answer {
        self.clock.advance(self.answer_time);
        let number = |text: &str| text.parse::<i64>().expect("a number");
        let old = |number: i64| {
            message(&format!("old{number}"), &format!("k{number}"), "inbound", -60 * (number + 1))
        };
        let route = request.route();
        if route == "GET /conversations" {
            return self.list(request.cursor().map_or(0, number));
        }
        if route == "GET /triggers/new-message" {
            let new = (0..ARRIVALS).rev().filter_map(|number| self.new_message(number));
            let newest: Vec<Value> = new.chain((0..PAGE).map(old)).take(50).collect();
            return Answer::ok(page(&newest, None));
        }
        let Some(rest) = route.strip_prefix("GET /conversations/k") else { return quiet(request) };
        if let Some(of) = rest.strip_suffix("/messages") {
            let of = number(of);
            let messages: Vec<Value> = self.new_message(of).into_iter().chain([old(of)]).collect();
            return Answer::ok(page(&messages, None));
        }
        let mut row = self.conversation(number(rest));
        row["automationEnabled"] = json!(true);
        Answer::ok(row)
    }
}

/// Returns the longest time between the arrival of a message and its announcement, in microseconds.
async fn longest_wait(answer_time: i64) -> i64 {
    let hands = Hands::on(quiet).await;
    let start = hands.now();
    let large = LargeChannel { clock: hands.clock.clone(), start, answer_time };
    hands.server.now(move |request| large.answer(request));
    let announced = Arc::new(Mutex::new(Vec::new()));
    let (told, clock) = (announced.clone(), hands.clock.clone());
    let tell = Arc::new(move |news: News| {
        if let News::Inbound(_, conversation) = news {
            told.lock().expect("no one failed").push((conversation.to_string(), clock.now()));
        }
    });
    let spec = hands.channel.spec().clone();
    let channel = ChannelSync::new(spec, hands.store.clone(), hands.clock.clone(), tell).expect("a channel");
    let tab = Arc::new(TabSync::new(channel, Polling::default()));
    tab.focus(true, None);
    let [mut poll, ..] = tab.loops();
    let end = start.plus(arrival_second(ARRIVALS + 2) * SECOND);
    while hands.now() < end {
        let wait = poll.step(hands.now()).await;
        hands.clock.advance(wait);
    }
    let seen = hands.server.seen();
    let cursors = seen.iter().filter_map(Request::cursor).map(|text| text.parse::<i64>().expect("a cursor"));
    let deepest = cursors.max().expect("more than one page");
    assert!((3 * PAGE..CONVERSATIONS - PAGE).contains(&deepest), "the first reading goes on: {deepest}");
    let announced = announced.lock().expect("no one failed");
    let waits = (0..ARRIVALS).map(|number| {
        let name = format!("k{number}");
        let at: Vec<Timestamp> =
            announced.iter().filter(|(known, _)| *known == name).map(|(_, at)| *at).collect();
        assert_eq!(at.len(), 1, "{name} is announced once: {announced:?}");
        at[0].since(start.plus(arrival_second(number) * SECOND))
    });
    waits.max().expect("messages")
}

#[tokio::test]
async fn message_is_announced_within_four_seconds_while_a_first_reading_runs() {
    for answer_time in [SECOND / 50, SECOND / 5] {
        let longest = longest_wait(answer_time).await;
        assert!(longest <= 4 * SECOND, "{answer_time}: {longest}");
    }
}

/// A portion of the first reading has twelve requests.
#[tokio::test]
async fn message_does_not_wait_for_a_whole_portion_of_a_slow_server() {
    let longest = longest_wait(SECOND).await;
    assert!(longest <= 9 * SECOND, "{longest}");
}
