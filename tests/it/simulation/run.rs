//! One run: a town, desks and people for some days, sequentially on one clock, decided by one seed.

use std::sync::Arc;

use frontdesk::model::chance::Chance;
use frontdesk::model::time::{Clock, DAY, HOUR, MINUTE, SECOND};
use frontdesk::service::AssistantChoice;

use crate::desk::HandClock;
use crate::simulation::checks::{self, Wrongs};
use crate::simulation::clock::Skewed;
use crate::simulation::desk::{self, Desk, Made};
use crate::simulation::human::Human;
use crate::simulation::line::{Fault, Line};
use crate::simulation::town::{Happening, Terms, Town};
use crate::simulation::trace::Trace;

/// Time for everything to arrive after the last event, in microseconds.
const SETTLE: i64 = 40 * MINUTE;
/// Maximum steps at the same moment; more is a busy loop.
const BUSY: u32 = 2000;
/// Polling intervals of a tab in seconds, watched and in the background; the default first.
const CADENCES: [(u64, u64); 4] = [(3, 10), (3, 30), (5, 60), (10, 120)];
const CUSTOMERS: usize = 24;

#[derive(Debug, Default)]
pub struct Outcome {
    pub wrongs: Vec<String>,
    pub trace: u64,
    pub requests: u64,
    pub messages: u64,
    pub rings: u64,
    pub sent: usize,
    pub crashes: u32,
    /// Messages deleted from a desk's file on purpose.
    pub lost: u64,
}

/// A failure of a desk's process, clock or machine.
#[derive(Debug, Clone, Copy)]
enum Mishap {
    /// The process ends and starts again.
    Restart,
    /// The process ends at one of the next requests.
    Crash,
    /// The clock jumps by so many microseconds.
    Jump(i64),
    /// The machine sleeps for so many microseconds.
    Sleep(i64),
}

struct Place {
    desk: Desk,
    human: Human,
    mishaps: Vec<(i64, Mishap)>,
    /// Restart time of an ended process.
    starts: Option<i64>,
    _folder: tempfile::TempDir,
}

pub struct Run {
    clock: Arc<HandClock>,
    town: Arc<tokio::sync::Mutex<Town>>,
    places: Vec<Place>,
    trace: Trace,
    start: i64,
    end: i64,
    _folder: tempfile::TempDir,
}

impl Run {
    /// A run with everything the seed decides.
    pub async fn new(seed: u64, hours: i64, trace: Trace) -> Self {
        let chance = Chance::seeded(seed);
        let clock = HandClock::new();
        let start = clock.now().micros();
        let end = start + hours * HOUR;
        let folder = tempfile::tempdir().expect("a folder");
        let skew = signed(&chance, 365 * DAY);
        let terms = Terms { seed, skew, assistant: AssistantChoice::Scripted };
        let mut town = Town::found(folder.path(), terms, clock.clone(), trace.clone()).await;
        town.plan(plan(&chance, start, end));
        let spec = desk::spec(&town.service.base_url, town.key("whatsapp"));
        let town = Arc::new(tokio::sync::Mutex::new(town));
        let desks = if seed.is_multiple_of(4) { 2 } else { 1 };
        let mut places = Vec::new();
        for number in 0..desks {
            let folder = tempfile::tempdir().expect("a folder");
            let time = Skewed::new(clock.clone(), 0);
            let line = Line::new(town.clone(), Chance::seeded(chance.draw()), trace.clone());
            line.faults(50);
            let keys = Chance::seeded(chance.draw());
            let polling = CADENCES[usize::try_from(chance.below(4)).expect("small")];
            let path = folder.path().to_owned();
            let mut desk = Desk::new(Made {
                number,
                folder: path,
                spec: spec.clone(),
                polling,
                shared: false,
                clock: time,
                line,
                chance: keys,
                trace: trace.clone(),
            });
            desk.start(start);
            checks::watch(&desk.folder);
            let human = Human::new(sessions(&chance, start, end), Chance::seeded(chance.draw()));
            let mishaps = mishaps(&chance, start, end);
            places.push(Place { desk, human, mishaps, starts: None, _folder: folder });
        }
        Self { clock, town, places, trace, start, end, _folder: folder }
    }

    /// Start of the run on the true clock.
    pub fn start(&self) -> i64 {
        self.start
    }

    pub async fn also(&self, plan: Vec<(i64, Happening)>) {
        self.town.lock().await.plan(plan);
    }

    /// People are at their desks in this time, too.
    pub fn people_visit(&mut self, session: (i64, i64)) {
        self.places.iter_mut().for_each(|place| place.human.visit(session));
    }

    pub fn faults(&self, per_mille: u64) {
        self.places.iter().for_each(|place| place.desk.line.faults(per_mille));
    }

    /// Plants a bug: every desk notifies about an answer before it is stored.
    pub fn ring_early(&self) {
        self.places.iter().for_each(|place| place.desk.line.ring_early(place.desk.notices.clone()));
    }

    /// Plants a bug in a file of every desk.
    pub fn plant(&self, file: &str, sql: &str) {
        for place in &self.places {
            let connection = rusqlite::Connection::open(place.desk.folder.join(file)).expect("it opens");
            connection.execute_batch(sql).expect("planted");
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().micros()
    }

    /// Runs to the end, lets everything arrive, and checks.
    pub async fn finish(mut self) -> Outcome {
        self.until(self.end).await;
        for place in &mut self.places {
            place.desk.line.faults(0);
            place.desk.clock.set(0);
            place.desk.wake(self.end);
            place.mishaps.clear();
        }
        for part in 1..=4 {
            self.until(self.end + SETTLE / 4 * part).await;
            let now = self.now();
            for place in &mut self.places {
                if place.desk.body.is_none() {
                    place.desk.start(now);
                }
                place.human.clear_desk(&place.desk).await;
                place.desk.wake_outbox(now);
            }
        }
        self.until(self.end + SETTLE + MINUTE).await;
        self.outcome().await
    }

    async fn outcome(self) -> Outcome {
        let town = self.town.lock().await;
        let mut wrongs = Wrongs::default();
        let mut outcome = Outcome::default();
        for place in &self.places {
            checks::desk(&town, &place.desk, &place.human, &mut wrongs).await;
            self.trace.note(checks::contents(&place.desk.folder));
            outcome.requests += place.desk.line.requests();
            outcome.messages += checks::count(&place.desk.folder);
            outcome.rings += place.desk.notices.lock().expect("no one failed").count;
            outcome.sent += place.human.written.len();
            outcome.crashes += place.desk.crashes;
            outcome.lost += checks::lost(&place.desk.folder);
        }
        checks::books(&town, &mut wrongs);
        outcome.wrongs = wrongs.0;
        outcome.trace = self.trace.hash();
        outcome
    }

    /// Runs step by step until a time.
    async fn until(&mut self, until: i64) {
        let (mut stood, mut steps) = (0, 0);
        loop {
            let next = self.places.iter().enumerate().map(|(index, place)| (place.due(), index)).min();
            let Some((at, index)) = next.filter(|(at, _)| *at <= until) else { break };
            self.town.lock().await.pass_until(at).await;
            let now = self.now();
            steps = if now == stood { steps + 1 } else { 0 };
            stood = now;
            let who = &self.places[index];
            assert!(
                steps < BUSY,
                "desk {index} is busy with nothing at {now}: {who:?}\n{}",
                self.trace.tail(40)
            );
            self.places[index].next(now, &self.clock).await;
        }
        self.town.lock().await.pass_until(until).await;
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (loops, clock) = (self.desk.next(), self.desk.clock.now());
        write!(formatter, "person {}, loops {loops:?}, its clock {clock:?}", self.human.next)
    }
}

impl Place {
    fn due(&self) -> i64 {
        if let Some(at) = self.starts {
            return at;
        }
        let mishap = self.mishaps.first().map_or(i64::MAX, |mishap| mishap.0);
        self.desk.due().min(self.human.next).min(mishap)
    }

    /// Carries out the desk's earliest due step.
    async fn next(&mut self, now: i64, clock: &HandClock) {
        if self.starts.take().is_some() {
            self.desk.start(now);
            // The person looks at the desk again.
            self.human.next = now;
            return;
        }
        if self.mishaps.first().is_some_and(|mishap| mishap.0 <= now) {
            let (_, mishap) = self.mishaps.remove(0);
            match mishap {
                Mishap::Restart => {
                    self.desk.end();
                    self.starts = Some(now + 20 * SECOND);
                }
                Mishap::Crash => {
                    let crash = if now % 2 == 0 { Fault::CrashBefore } else { Fault::CrashAfter };
                    self.desk.line.script([None, Some(crash)]);
                }
                Mishap::Jump(by) => self.desk.clock.set(by),
                Mishap::Sleep(span) => self.desk.sleep_until(now + span),
            }
            return;
        }
        if self.human.next <= now {
            self.human.act(&mut self.desk, now);
            return;
        }
        let alive = self.desk.step(|| clock.now().micros()).await;
        if !alive {
            self.starts = Some(clock.now().micros() + 45 * SECOND);
        }
    }
}

/// Events of customers, colleagues and time, spread over the whole run.
fn plan(chance: &Chance, start: i64, end: i64) -> Vec<(i64, Happening)> {
    let mut plan = Vec::new();
    let span = (end - start).unsigned_abs();
    let hours = span / HOUR.unsigned_abs();
    let at = |chance: &Chance| start + i64::try_from(chance.below(span)).expect("in range");
    let pick = |chance: &Chance| usize::try_from(chance.below(CUSTOMERS as u64)).expect("small");
    for _ in 0..hours * 8 {
        plan.push((at(chance), Happening::Writes { customer: pick(chance) }));
    }
    for _ in 0..hours / 2 {
        plan.push((at(chance), Happening::Colleague { customer: pick(chance) }));
    }
    for _ in 0..hours / 4 {
        plan.push((at(chance), Happening::Late { customer: pick(chance) }));
    }
    for _ in 0..hours / 16 {
        plan.push((at(chance), Happening::Deletion { customer: pick(chance) }));
    }
    for _ in 0..hours / 12 {
        let from = at(chance);
        let count = usize::try_from(20 + chance.below(200)).expect("small");
        for part in 0..4 {
            plan.push((from + part * SECOND, Happening::Burst { count: count / 4, customers: 40 }));
        }
    }
    // Occasionally a burst of 5,000 within four seconds.
    if chance.below(10) == 0 {
        let from = at(chance);
        for part in 0..20 {
            plan.push((from + part * SECOND / 5, Happening::Burst { count: 250, customers: 300 }));
        }
    }
    plan
}

/// Sessions of a person: an hour a day in two parts.
fn sessions(chance: &Chance, start: i64, end: i64) -> Vec<(i64, i64)> {
    let mut sessions = Vec::new();
    let mut from = start;
    while from < end {
        let at = from + i64::try_from(chance.below(11 * HOUR.unsigned_abs())).expect("in range");
        sessions.push((at, (at + HOUR / 2).min(end)));
        from += DAY / 2;
    }
    sessions
}

fn mishaps(chance: &Chance, start: i64, end: i64) -> Vec<(i64, Mishap)> {
    let span = (end - start).unsigned_abs();
    let at = |chance: &Chance| start + i64::try_from(chance.below(span)).expect("in range");
    let mut mishaps = Vec::new();
    for _ in 0..span / (12 * HOUR.unsigned_abs()) {
        mishaps.push((at(chance), Mishap::Restart));
        mishaps.push((at(chance), Mishap::Crash));
        mishaps.push((at(chance), Mishap::Crash));
        mishaps.push((at(chance), Mishap::Jump(signed(chance, DAY))));
    }
    for _ in 0..span / DAY.unsigned_abs() {
        let span = i64::try_from(4 * HOUR.unsigned_abs() + chance.below(6 * HOUR.unsigned_abs()));
        mishaps.push((at(chance), Mishap::Sleep(span.expect("in range"))));
    }
    mishaps.sort_by_key(|mishap| mishap.0);
    mishaps
}

/// A random time between `-most` and `most`.
fn signed(chance: &Chance, most: i64) -> i64 {
    let span = i64::try_from(chance.below(2 * most.unsigned_abs() + 1)).expect("in range");
    span - most
}
