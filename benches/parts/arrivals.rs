//! Times of messages from the service to the screen.

use std::time::{Duration, Instant};

use crate::typist::Typist;

/// Returns the times of messages, shortest first. `write` sends a text to the service and returns the time at which
/// the service has taken it. `pause` follows each message.
pub fn measure(
    typist: &mut Typist,
    messages: usize,
    pause: Duration,
    write: impl Fn(&str) -> Instant,
) -> Vec<Duration> {
    let mut times = Vec::with_capacity(messages);
    for number in 0..messages {
        let words = format!("Message {number:04} is here");
        let began = write(&words);
        let seen = typist.wait("the message", |screen| screen.contents().contains(&words));
        times.push(seen.saturating_duration_since(began));
        std::thread::sleep(pause);
    }
    times.sort();
    times
}
