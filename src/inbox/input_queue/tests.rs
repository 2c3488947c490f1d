use super::*;
use crate::event::Load;
use crate::features::macros::playback;
use crate::keys::{KeyCode, KeyPress};
use crate::settings::{ChannelInfo, Settings};
use model::time::ClockReading;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Reading,
    Playing,
}

fn at(millis: i64) -> Moment {
    Moment::from_micros(1_700_000_000 * SECOND + millis * 1_000)
}

fn inbox(state: State) -> Inbox {
    let channel =
        ChannelInfo { id: "chat".into(), name: "Chat".to_owned(), environment: None, read_only: false };
    let mut inbox = Inbox::new(vec![channel], Settings::default(), (80, 24), ClockReading::default());
    match state {
        State::Free => (),
        State::Reading => inbox.keyboard.reads.record(&Load::NeedsPerson),
        State::Playing => playback::start_playback(&mut inbox, None, Vec::new()),
    }
    inbox
}

fn key(character: char) -> Event {
    Event::Key(KeyPress::plain(KeyCode::Char(character)))
}

fn esc() -> Event {
    Event::Key(KeyPress::plain(KeyCode::Esc))
}

fn interrupt() -> Event {
    Event::Key(KeyPress::ctrl('c'))
}

fn paste() -> Event {
    Event::Paste("Dear Dana".to_owned())
}

fn burst(text: &str) -> Event {
    Event::Burst(text.to_owned())
}

fn click() -> Event {
    Event::Pointer(Pointer::Down(2, 2))
}

fn wheel() -> Event {
    Event::Pointer(Pointer::Wheel(2, 2, 1))
}

fn up() -> Event {
    Event::Pointer(Pointer::Up)
}

fn dropped(why: DroppedInput) -> Event {
    Event::InputDropped(why)
}

/// Returns the events taken at `millis`.
fn taken(queue: &mut InputQueue, inbox: &Inbox, millis: i64) -> Vec<Event> {
    std::iter::from_fn(|| queue.next(inbox, at(millis))).collect()
}

#[test]
fn input_is_taken_waits_or_is_dropped() {
    use State::{Free, Playing, Reading};
    let line = || Event::Line("reply".to_owned());
    let late = || dropped(DroppedInput::Late);
    // (state, what comes at once, milliseconds that the wait has lasted, what is taken, how many still wait)
    let cases = [
        (Free, vec![key('i'), paste(), click(), line()], 0, vec![key('i'), paste(), click(), line()], 0),
        (Free, vec![burst("ok\n"), key('i')], 0, vec![key('o'), key('k'), Event::LineBreak, key('i')], 0),
        (Free, vec![burst("Dear Dana")], 0, vec![burst("Dear Dana")], 0),
        (Reading, vec![key('i'), paste(), burst("ok"), line()], 249, vec![], 4),
        (Reading, vec![key('i'), paste(), burst("ok"), line()], 250, vec![late()], 0),
        (Reading, vec![], 250, vec![], 0),
        (Reading, vec![esc()], 0, vec![], 1),
        (Reading, vec![key('i'), interrupt()], 0, vec![interrupt()], 0),
        (Reading, vec![key('i'), interrupt(), key('j')], 250, vec![interrupt()], 1),
        (Reading, vec![key('i'), click()], 0, vec![dropped(DroppedInput::Click)], 1),
        (Reading, vec![key('i'), click()], 250, vec![late()], 0),
        (Reading, vec![key('i'), wheel(), up(), Event::Focus(true)], 0, vec![up(), Event::Focus(true)], 1),
        (Playing, vec![key('i'), line()], 5_000, vec![], 2),
        (Playing, vec![key('i'), esc()], 0, vec![esc()], 0),
        (Playing, vec![key('i'), interrupt()], 0, vec![interrupt()], 0),
        (Playing, vec![key('i'), paste()], 0, vec![paste()], 0),
        (Playing, vec![burst("ok")], 0, vec![burst("ok")], 0),
        (Playing, vec![click()], 0, vec![dropped(DroppedInput::Click)], 0),
    ];
    for (state, comes, lasted, wanted, left) in cases {
        let inbox = inbox(state);
        let mut queue = InputQueue::default();
        assert_eq!(queue.next(&inbox, at(0)), None);
        let name = format!("{state:?} {comes:?} {lasted}");
        comes.into_iter().for_each(|input| queue.push(input, at(0)));
        let mut all = Vec::new();
        while let Some(event) = queue.next(&inbox, at(lasted)) {
            // The inbox stops waiting or playing there.
            let ends = event == interrupt() || state == Playing && input::stops_macro(&event);
            all.push(event);
            if ends {
                break;
            }
        }
        assert_eq!((all, queue.inputs.len()), (wanted, left), "{name}");
    }
}

#[test]
fn keys_of_a_burst_wait_one_by_one() {
    let mut inbox = inbox(State::Free);
    let mut queue = InputQueue::default();
    queue.push(burst("ok"), at(0));
    assert_eq!(queue.next(&inbox, at(0)), Some(key('o')));
    inbox.keyboard.reads.record(&Load::NeedsPerson);
    assert_eq!(queue.next(&inbox, at(0)), None);
    inbox.keyboard.reads.end_read(&Load::NeedsPerson);
    assert_eq!(taken(&mut queue, &inbox, 5), [key('k')]);
}

#[test]
fn input_that_comes_before_a_late_read_has_ended_is_dropped() {
    let mut inbox = inbox(State::Reading);
    let mut queue = InputQueue::default();
    let late = dropped(DroppedInput::Late);
    assert_eq!(
        (taken(&mut queue, &inbox, 0), queue.due()),
        (vec![], None),
        "nothing is said of a wait alone"
    );
    queue.push(key('i'), at(0));
    assert_eq!((taken(&mut queue, &inbox, 100), queue.due()), (vec![], Some(at(250))));
    assert_eq!((taken(&mut queue, &inbox, 250), queue.due()), (vec![late.clone()], None));
    inbox.input_dropped(DroppedInput::Late);
    queue.push(key('j'), at(0));
    assert_eq!(taken(&mut queue, &inbox, 900), [late]);
    assert!(!inbox.keyboard.reads.end_read(&Load::NeedsPerson), "it takes nobody elsewhere");
    queue.push(key('k'), at(0));
    assert_eq!(taken(&mut queue, &inbox, 901), [key('k')]);
    // The next wait begins anew.
    inbox.keyboard.reads.record(&Load::NeedsPerson);
    queue.push(key('l'), at(0));
    assert_eq!((taken(&mut queue, &inbox, 902), queue.due()), (vec![], Some(at(1_152))));
}

#[test]
fn queue_is_bounded() {
    let mut queue = InputQueue::default();
    (0..=MAX_QUEUED_INPUTS).for_each(|_| queue.push(key('i'), at(0)));
    assert_eq!(queue.inputs.len(), MAX_QUEUED_INPUTS);
}
