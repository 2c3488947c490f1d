//! Tests of the decoder with a manual clock.

mod bursts;
mod cuts;
mod hostile;
mod keys;

use std::time::Duration;

use inbox::event::Event;
use inbox::keys::{KeyCode, KeyPress, Pointer};

use super::Decoder;

/// Longer than any wait of the decoder.
const LONG: Duration = Duration::from_secs(6);

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn named(name: &str) -> Event {
    Event::Key(KeyPress::parse(name).unwrap_or_else(|| panic!("{name} is no key")))
}

fn typed(text: &str) -> Vec<Event> {
    text.chars().map(|character| Event::Key(KeyPress::plain(KeyCode::Char(character)))).collect()
}

fn paste(text: &str) -> Vec<Event> {
    vec![Event::Paste(text.to_owned())]
}

struct Played {
    decoder: Decoder,
    now: Duration,
    events: Vec<Event>,
}

impl Played {
    fn new() -> Self {
        Self { decoder: Decoder::new(0x7f), now: Duration::ZERO, events: Vec::new() }
    }

    /// Advances the clock and expires waits that end meanwhile.
    fn pass(&mut self, pause: Duration) {
        let until = self.now + pause;
        while let Some(deadline) = self.decoder.deadline().filter(|deadline| *deadline <= until) {
            self.events.extend(self.decoder.expire(deadline));
        }
        self.now = until;
    }

    /// Feeds one read after a pause, with everything before it shown.
    fn read(&mut self, pause: Duration, bytes: &[u8]) {
        self.read_as(pause, bytes, true);
    }

    fn read_as(&mut self, pause: Duration, bytes: &[u8], shown: bool) {
        self.pass(pause);
        self.events.extend(self.decoder.feed(bytes, self.now, false, shown));
    }

    /// Feeds bytes that waited for a reader who came after a pause.
    fn read_late(&mut self, pause: Duration, bytes: &[u8]) {
        self.pass(pause);
        self.events.extend(self.decoder.feed(bytes, self.now, true, false));
    }

    fn drain_events(&mut self) -> Vec<Event> {
        self.pass(LONG);
        std::mem::take(&mut self.events)
    }
}

/// Events of a series of reads, each after its pause.
fn events(reads: &[(Duration, &[u8])]) -> Vec<Event> {
    let mut played = Played::new();
    reads.iter().for_each(|(pause, bytes)| played.read(*pause, bytes));
    played.drain_events()
}

/// Complete sequences with their events.
fn sequences() -> Vec<(&'static [u8], Vec<Event>)> {
    let nothing = Vec::new;
    let mut all: Vec<(&'static [u8], Vec<Event>)> = Vec::new();
    let mut add = |bytes: &'static [u8], events: Vec<Event>| all.push((bytes, events));
    for (bytes, name) in keys::NAMED {
        add(bytes, vec![named(name)]);
    }
    for bytes in keys::NO_KEYS {
        add(bytes, nothing());
    }
    add("é".as_bytes(), typed("é"));
    add("漢字".as_bytes(), typed("漢字"));
    add("👍".as_bytes(), typed("👍"));
    add(b"\x1b[I", vec![Event::Focus(true)]);
    add(b"\x1b[O", vec![Event::Focus(false)]);
    add(b"\x1b[<0;5;7M", vec![Event::Pointer(Pointer::Down(4, 6))]);
    add(b"\x1b[<0;5;7m", vec![Event::Pointer(Pointer::Up)]);
    add(b"\x1b[<32;120;40M", vec![Event::Pointer(Pointer::Drag(119, 39))]);
    add(b"\x1b[<64;1;1M", vec![Event::Pointer(Pointer::Wheel(0, 0, -1))]);
    add(b"\x1b[<65;1;1M", vec![Event::Pointer(Pointer::Wheel(0, 0, 1))]);
    add(b"\x1b[<35;80;24M", nothing());
    add(b"\x1b[32;10;5M", vec![Event::Pointer(Pointer::Down(9, 4))]);
    add(b"\x1b[M +%", vec![Event::Pointer(Pointer::Down(10, 4))]);
    add(b"\x1b[M pp", vec![Event::Pointer(Pointer::Down(79, 79))]);
    add(b"\x1b[200~p\rqy\r\x1b[201~", paste("p\rqy\r"));
    add("\x1b[200~für \x1b[A you\x1b[201~".as_bytes(), paste("für \x1b[A you"));
    add(b"\x1b[200~ends in \x1b\x1b[201~", paste("ends in \x1b"));
    add(b"\x1b[200~ends in \x1b[2\x1b[201~", paste("ends in \x1b[2"));
    add(b"\x1b[200~\x1b[201~", nothing());
    all
}
