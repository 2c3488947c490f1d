//! What the terminal answers when it is asked for its colours.
//!
//! The answers come where keys come, at any time: at once, after a slow line,
//! or never. So they are read in the same stream, and nothing waits for them. The event reader knows no
//! such answer and takes it apart into keys, from Alt-] to Ctrl-G or Alt-\; they
//! are put together here, and whatever turns out to be something else goes on
//! as the keys it is.

use std::io::{self, Write};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use inbox::terminal_colors::{ColorName, ColorReport};

/// Asks for four of the sixteen colours, the letters, and last the ground. The
/// end is the one that every terminal that answers knows to repeat.
const QUESTIONS: &str = "\x1b]4;1;?\x07\x1b]4;2;?\x07\x1b]4;3;?\x07\x1b]4;6;?\x07\
                         \x1b]10;?\x07\x1b]11;?\x07";
/// How long the rest of an answer may take to follow its beginning.
const REST: Duration = Duration::from_millis(50);

/// Asks the terminal for its colours.
///
/// # Errors
/// When it takes no bytes.
pub fn ask(out: &mut impl Write) -> io::Result<()> {
    out.write_all(QUESTIONS.as_bytes())
}

/// Where events come from: the terminal, or a test.
pub trait EventSource {
    /// Whether one comes within a time.
    fn poll(&mut self, within: Duration) -> io::Result<bool>;

    /// The next one.
    fn read(&mut self) -> io::Result<Event>;
}

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// A key or anything else a person did.
    Event(Event),
    /// One of the terminal's colours.
    Color(ColorReport),
}

/// Tells answers from keys.
#[derive(Debug, Default)]
pub struct AnswerReader {
    /// What may yet become an answer.
    held: Vec<Event>,
    text: String,
}

impl AnswerReader {
    /// Waits for what comes next: one arrival, or all keys that looked like an
    /// answer and are none.
    pub fn next(&mut self, source: &mut impl EventSource) -> io::Result<Vec<Arrival>> {
        let mut arrived = Vec::new();
        loop {
            arrived.extend(self.take(source.read()?));
            if !self.held.is_empty() && !source.poll(REST)? {
                arrived.extend(self.release());
            }
            if self.held.is_empty() {
                return Ok(arrived);
            }
        }
    }

    /// What came while the first frame was read: an answer that is there by then
    /// spares drawing it twice.
    pub fn before_first_frame(&mut self, source: &mut impl EventSource) -> io::Result<Vec<Arrival>> {
        let mut arrived = Vec::new();
        let is_ground =
            |it: &Arrival| matches!(it, Arrival::Color(ColorReport { name: ColorName::Ground, .. }));
        while !arrived.iter().any(is_ground) && source.poll(Duration::ZERO)? {
            arrived.extend(self.next(source)?);
        }
        Ok(arrived)
    }

    fn take(&mut self, event: Event) -> Vec<Arrival> {
        // These come from elsewhere, and may do so in the middle of an answer.
        if matches!(event, Event::Resize(..) | Event::FocusGained | Event::FocusLost) {
            return vec![Arrival::Event(event)];
        }
        let Some(key) = pressed(&event) else { return self.give_up(event) };
        let alt = key.modifiers == KeyModifiers::ALT;
        if self.held.is_empty() {
            return match key.code {
                KeyCode::Char(']') if alt => {
                    self.held.push(event);
                    Vec::new()
                }
                _ => vec![Arrival::Event(event)],
            };
        }
        // The end of an answer may have been cut in two.
        let cut = self.held.last().and_then(pressed).is_some_and(|it| it.code == KeyCode::Esc);
        match key.code {
            KeyCode::Char('g') if key.modifiers == KeyModifiers::CONTROL && !cut => self.finish(event),
            KeyCode::Char('\\') if alt || cut => self.finish(event),
            KeyCode::Esc if !cut => {
                self.held.push(event);
                Vec::new()
            }
            KeyCode::Char(it) if !cut && (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                self.text.push(it);
                if !ColorReport::may_begin_with(&self.text) {
                    return self.give_up(event);
                }
                self.held.push(event);
                Vec::new()
            }
            _ => self.give_up(event),
        }
    }

    fn finish(&mut self, end: Event) -> Vec<Arrival> {
        let Some(report) = ColorReport::parse(&self.text) else { return self.give_up(end) };
        (self.held, self.text) = (Vec::new(), String::new());
        vec![Arrival::Color(report)]
    }

    fn give_up(&mut self, last: Event) -> Vec<Arrival> {
        let mut events = self.release();
        events.push(Arrival::Event(last));
        events
    }

    fn release(&mut self) -> Vec<Arrival> {
        self.text.clear();
        std::mem::take(&mut self.held).into_iter().map(Arrival::Event).collect()
    }
}

fn pressed(event: &Event) -> Option<&KeyEvent> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(key),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use inbox::contrast::Rgb;

    use super::*;

    /// Events that are there; where none is, nothing comes any more.
    struct Queue(VecDeque<Event>);

    impl EventSource for Queue {
        fn poll(&mut self, _: Duration) -> io::Result<bool> {
            Ok(!self.0.is_empty())
        }

        fn read(&mut self) -> io::Result<Event> {
            self.0.pop_front().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        }
    }

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn alt(it: char) -> Event {
        key(KeyCode::Char(it), KeyModifiers::ALT)
    }

    fn typed(text: &str) -> Vec<Event> {
        let one = |it: char| {
            let shift = if it.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
            key(KeyCode::Char(it), shift)
        };
        text.chars().map(one).collect()
    }

    fn bell() -> Event {
        key(KeyCode::Char('g'), KeyModifiers::CONTROL)
    }

    /// Everything that arrives of these events.
    fn arrivals(events: Vec<Event>) -> Vec<Arrival> {
        let (mut reader, mut source) = (AnswerReader::default(), Queue(events.into()));
        let mut arrived = Vec::new();
        while !source.0.is_empty() {
            arrived.extend(reader.next(&mut source).expect("events"));
        }
        arrived
    }

    fn ground(color: Rgb) -> Arrival {
        Arrival::Color(ColorReport { name: ColorName::Ground, color })
    }

    #[test]
    fn an_answer_among_typed_keys_is_taken_out_and_every_key_stays() {
        let ends = [
            vec![bell()],
            vec![alt('\\')],
            [vec![key(KeyCode::Esc, KeyModifiers::NONE)], typed("\\")].concat(),
        ];
        for end in ends {
            let answer = [vec![alt(']')], typed("11;rgb:0000/2b2B/3636"), end].concat();
            let mut events = [typed("jk"), answer, typed("R")].concat();
            events.insert(9, Event::Resize(80, 24));
            let resized = Arrival::Event(Event::Resize(80, 24));
            let keys = |text| typed(text).into_iter().map(Arrival::Event);
            let expected: Vec<Arrival> =
                keys("jk").chain([resized, ground(Rgb(0, 0x2b, 0x36))]).chain(keys("R")).collect();
            assert_eq!(arrivals(events), expected);
        }
    }

    #[test]
    fn what_only_looks_like_an_answer_goes_on_as_keys() {
        let esc = || vec![key(KeyCode::Esc, KeyModifiers::NONE)];
        let cases = [
            vec![alt(']')],
            [vec![alt(']')], typed("j")].concat(),
            [vec![alt(']')], typed("11;rgb:00"), vec![key(KeyCode::Enter, KeyModifiers::NONE)]].concat(),
            [vec![alt(']')], typed("11;rgb:00"), vec![bell()]].concat(),
            [vec![alt(']')], typed("11"), esc(), typed("q")].concat(),
            [vec![alt(']')], typed("1"), vec![Event::Paste("1;rgb:0/0/0".to_owned())]].concat(),
            [vec![alt(']')], typed("11;rgb:"), typed(&"0".repeat(60))].concat(),
            [vec![alt(']'), alt(']')], typed("x")].concat(),
            vec![bell(), alt('\\')],
        ];
        for events in cases {
            let expected: Vec<Arrival> = events.iter().cloned().map(Arrival::Event).collect();
            assert_eq!(arrivals(events), expected);
        }
    }

    #[test]
    fn the_first_frame_waits_for_the_ground_and_no_longer() {
        let answer = |text: &str| [vec![alt(']')], typed(text), vec![bell()]].concat();
        let events = [typed("a"), answer("10;rgb:f/f/f"), answer("11;rgb:0/0/0"), typed("b")].concat();
        let mut source = Queue(events.into());
        let mut reader = AnswerReader::default();
        let arrived = reader.before_first_frame(&mut source).expect("events");
        assert_eq!((arrived.len(), arrived.last()), (3, Some(&ground(Rgb::BLACK))));
        assert_eq!(source.0.len(), 1, "what comes after it is read by the loop");
        let mut silent = Queue(typed("q").into());
        let arrived = reader.before_first_frame(&mut silent).expect("events");
        assert_eq!(arrived.len(), 1, "a key that was typed early is kept");
    }
}
