//! Two and five desks take, answer, note, tag, snooze, hand over and finish chats and mail threads in random order,
//! with their networks cut and their processes ended in between. No answer of a person is sent behind a colleague's
//! that its writer has neither seen nor been asked about, and in the end all desks have what the service has.
//!
//! `FRONTDESK_LIVES` sets the number of interleavings, `FRONTDESK_DESKS` the number of desks, `FRONTDESK_SEED` the
//! cases.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::SocketAddr;

use futures_util::future::join_all;

use super::*;
use crate::proxy::{Door, Proxy};

const NAMES: [&str; 5] = ["Ana", "Ben", "Cleo", "Dana", "Eve"];
/// Interleavings of a plain run, for each number of desks.
const INTERLEAVINGS: u32 = 6;
/// Interleavings that run at the same time, each group on a service of its own.
const GROUPS: u32 = 6;
/// Interleavings of a service before the next one is started.
const PER_SERVICE: u32 = 25;
/// Steps of an interleaving for each desk.
const STEPS_PER_DESK: usize = 6;
/// Hold of a reply, in microseconds.
const HOLD: i64 = SECOND / 5;

/// How a desk is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The process has ended.
    Process,
    /// Connections break and cannot be opened.
    Network,
}

struct Workplace {
    desk: TeamDesk,
    proxy: Proxy,
    cut: Option<Cut>,
}

/// An answer that was queued, with the newest message that its writer had on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Written {
    workplace: usize,
    seen: String,
    /// True once the desk has asked and the person has sent it anyway.
    is_confirmed: bool,
}

/// Channel of the conversation of an interleaving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Chat,
    Mail,
}

impl Place {
    fn word(self) -> &'static str {
        match self {
            Self::Chat => "whatsapp",
            Self::Mail => "email",
        }
    }

    fn platform(self) -> Platform {
        match self {
            Self::Chat => Platform::Whatsapp,
            Self::Mail => Platform::Email,
        }
    }

    fn customer(self, number: u32) -> String {
        match self {
            // No number here is refused by the simulated platform.
            Self::Chat => format!("+34{number:05}2222"),
            Self::Mail => format!("customer{number}@mail.example"),
        }
    }

    fn reply(self, id: &str, customer: &str, words: &str) -> Operation {
        match self {
            Self::Chat => {
                Operation::SendText { to: customer.to_owned(), text: words.to_owned(), reply_to: None }
            }
            Self::Mail => Operation::SendMail(Box::new(Mail {
                to: vec![customer.to_owned()],
                subject: "Re: Hola".to_owned(),
                text: Some(words.to_owned()),
                thread: Some(id.into()),
                ..Mail::default()
            })),
        }
    }

    /// Messages of the service, oldest first.
    async fn messages(self, team: &Team, key: &str, id: &str) -> Vec<Value> {
        let path = match self {
            Self::Chat => format!("/v1/conversations/{id}/messages"),
            Self::Mail => format!("/v1/email/threads/{id}"),
        };
        let body = team.call(key, "GET", &path, Value::Null).await.ok();
        match self {
            // Newest first.
            Self::Chat => body["data"].as_array().expect("a list").iter().rev().cloned().collect(),
            Self::Mail => body["messages"].as_array().expect("a list").clone(),
        }
    }

    /// Field of a message that holds its text.
    fn text_field(self) -> &'static str {
        match self {
            Self::Chat => "content",
            Self::Mail => "text",
        }
    }
}

/// Text of an answer; `None` for other changes.
fn written_words(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::SendMail(mail) => mail.text.as_deref(),
        other => other.written_text().map(|(words, _)| words),
    }
}

/// Counts over all interleavings.
#[derive(Debug, Default, Clone, Copy)]
struct Figures {
    sent: usize,
    warned: usize,
    dropped: usize,
    notes: usize,
}

impl Workplace {
    async fn start(team: &Team, name: &'static str, place: Place) -> Self {
        let address: SocketAddr = team.base_url.trim_start_matches("http://").parse().expect("an address");
        let proxy = Proxy::start(address, Door::Open).await;
        let desk = TeamDesk::start_at(&proxy.base_url(), team, name, (Role::Agent, place.word())).await;
        Self { desk, proxy, cut: None }
    }

    async fn cut(&mut self, cut: Cut) {
        match cut {
            Cut::Process => self.desk.disconnect().await,
            Cut::Network => {
                self.proxy.door(Door::Refused).await;
                self.proxy.cut();
            }
        }
        self.cut = Some(cut);
    }

    async fn restore(&mut self, id: &str) {
        match self.cut.take() {
            Some(Cut::Process) => {
                self.desk.close().await;
                self.desk.connect().await;
            }
            Some(Cut::Network) => self.proxy.door(Door::Open).await,
            None => return,
        }
        self.open(id);
    }

    fn open(&self, id: &str) {
        if let Some(engine) = &self.desk.engine {
            engine.focus(Some((chats(), Some(id.into()))));
        }
    }

    fn answer(&self, round: &Round, words: &str, hold: i64) -> String {
        let seen = self.desk.newest(&round.id).expect("a message on screen");
        let operation = round.place.reply(&round.id, &round.customer, words);
        self.desk.enqueue(intent(round.place.platform(), &round.id, operation, Some(seen.clone()), hold));
        seen.1.to_string()
    }

    fn hand_over(&self, id: &str, to: &str) {
        let claim = Assignment { agent: SafeText::line(to), at: SystemClock.now() };
        self.desk.change(LocalChange::Claim(vec![(id.into(), Some(claim))]));
    }

    /// Releases, and in a chat hands back to the assistant and closes.
    fn finish(&self, round: &Round) {
        self.desk.release(&round.id);
        if round.place == Place::Chat {
            self.desk.enqueue(intent(Platform::Whatsapp, &round.id, Operation::Close, None, 0));
        }
    }
}

/// One random step of a desk.
fn step(workplaces: &[Workplace], workplace: usize, random: &mut StdRng, round: &mut Round) {
    let id = round.id.as_str();
    let here = &workplaces[workplace];
    let number = round.steps;
    match random.random_range(0..12) {
        0 | 1 => here.desk.claim(id),
        2 => here.desk.release(id),
        3 => {
            let other = workplaces[random.random_range(0..workplaces.len())].desk.name;
            here.hand_over(id, other);
        }
        4..=6 => {
            let words = format!("answer {number} of {}", here.desk.name);
            let hold = if random.random_bool(0.5) { 0 } else { HOLD };
            let seen = here.answer(round, &words, hold);
            round.written.insert(words, Written { workplace, seen, is_confirmed: false });
        }
        7 | 8 => {
            let words = format!("note {number} of {}", here.desk.name);
            here.desk.add_note(id, &words);
            round.notes.push(words);
        }
        9 => here.desk.tag(id, &format!("tag{number}")),
        10 => here.desk.snooze(id, Some(SystemClock.now().plus(HOUR))),
        _ => here.finish(round),
    }
}

/// One interleaving.
struct Round {
    place: Place,
    id: String,
    customer: String,
    steps: usize,
    notes: Vec<String>,
    written: BTreeMap<String, Written>,
}

impl Round {
    async fn begin(team: &Team, workplaces: &[Workplace], place: Place, number: u32) -> Self {
        let customer = place.customer(number);
        let id = team.inbound(place.word(), &customer, "Hola").await;
        team.advance(1).await;
        for workplace in workplaces {
            workplace.open(&id);
        }
        for workplace in workplaces {
            workplace.desk.until_listed(&id).await;
            workplace.desk.until("the history", |desk| !desk.texts(&id).0.is_empty()).await;
        }
        Self { place, id, customer, steps: 0, notes: Vec::new(), written: BTreeMap::new() }
    }

    async fn run(&mut self, workplaces: &mut [Workplace], random: &mut StdRng) {
        for _ in 0..STEPS_PER_DESK * workplaces.len() {
            let workplace = random.random_range(0..workplaces.len());
            self.steps += 1;
            match (random.random_range(0..12), workplaces[workplace].cut) {
                // A desk without a network tries again after seconds, so that this is rarer.
                (0, None) => {
                    let cut = if random.random_range(0..4) == 0 { Cut::Network } else { Cut::Process };
                    workplaces[workplace].cut(cut).await;
                }
                (0..=3, Some(_)) => workplaces[workplace].restore(&self.id).await,
                _ => step(workplaces, workplace, random, self),
            }
            // Others may act before, during and after what this step has begun.
            for _ in 0..random.random_range(0..4) {
                tokio::time::sleep(Duration::from_millis(random.random_range(0..12))).await;
            }
        }
        for workplace in workplaces {
            workplace.restore(&self.id).await;
        }
    }

    /// Decides about what the desks ask, until nothing is left to send.
    async fn settle(
        &mut self,
        team: &Team,
        workplaces: &[Workplace],
        random: &mut StdRng,
        figures: &mut Figures,
    ) {
        for (place, workplace) in workplaces.iter().enumerate() {
            until_found(&format!("{} has sent everything", workplace.desk.name), async || {
                let rows = workplace.desk.rows().await;
                for row in rows.iter().filter(|row| row.is_stopped()) {
                    self.decide(workplace, place, row, random, figures);
                }
                if rows.is_empty() { Ok(()) } else { Err(format!("{rows:?}")) }
            })
            .await;
        }
        for workplace in workplaces {
            until_found(&format!("{} has shared everything", workplace.desk.name), async || {
                let left = workplace.desk.store().count_team_changes().expect("read");
                if left == 0 {
                    return Ok(());
                }
                // Notes above the limit of a second wait for the next one.
                team.advance(1).await;
                Err(left)
            })
            .await;
        }
    }

    fn decide(
        &mut self,
        workplace: &Workplace,
        place: usize,
        row: &OutboxRow,
        random: &mut StdRng,
        figures: &mut Figures,
    ) {
        let RowState::Stopped(stop, _) = &row.state else { return };
        let Some(words) = written_words(&row.operation) else {
            // A conversation that somebody else has closed.
            workplace
                .desk
                .store()
                .decide(&row.id, StopVerdict::Drop, None, SystemClock.now())
                .expect("decided");
            return;
        };
        assert!(matches!(stop, StopReason::ReplyConflict | StopReason::Late), "{row:?}");
        figures.warned += 1;
        let words = words.to_owned();
        let seen = workplace.desk.newest(&self.id).expect("a message on screen");
        let verdict = if random.random_bool(0.5) { StopVerdict::SendAnyway } else { StopVerdict::Drop };
        if verdict == StopVerdict::SendAnyway {
            let seen = seen.1.to_string();
            self.written.insert(words, Written { workplace: place, seen, is_confirmed: true });
        } else {
            figures.dropped += 1;
            self.written.remove(&words);
        }
        workplace.desk.store().decide(&row.id, verdict, Some(seen), SystemClock.now()).expect("decided");
        if let Some(engine) = &workplace.desk.engine {
            engine.wake_outbox();
        }
    }

    /// Checks that nobody has answered behind a colleague's answer without having seen it.
    async fn check_answers(&self, team: &Team, workplaces: &[Workplace], figures: &mut Figures, what: &str) {
        let messages = self.place.messages(team, &workplaces[0].desk.key, &self.id).await;
        let list = json!(messages);
        let text_of =
            |message: &Value| message[self.place.text_field()].as_str().unwrap_or_default().to_owned();
        let place = |id: &str| messages.iter().position(|message| message["id"] == id);
        for (at, message) in messages.iter().enumerate() {
            let Some(written) = self.written.get(&text_of(message)) else {
                continue;
            };
            figures.sent += 1;
            let name = workplaces[written.workplace].desk.name;
            assert_eq!(message["agent"]["name"], name, "{what}: {message}");
            let seen = place(&written.seen).unwrap_or_else(|| panic!("{what}: {} is unknown", written.seen));
            for earlier in &messages[..at] {
                let is_of_other = earlier["direction"] == "outbound" && earlier["agent"]["name"] != name;
                let earlier_place = place(earlier["id"].as_str().expect("an id")).expect("listed");
                assert!(
                    !is_of_other || earlier_place <= seen,
                    "{what}: {name} answered {message} without having seen {earlier}; seen was {}: {list}",
                    written.seen
                );
            }
        }
        for words in self.written.keys() {
            let sent = messages.iter().filter(|message| text_of(message) == *words).count();
            assert_eq!(sent, 1, "{what}: {words:?} was sent {sent} times: {list}");
        }
    }

    /// Checks that every desk has what the service has.
    async fn check_shared(&self, team: &Team, workplaces: &[Workplace], what: &str) {
        let truth = shared(team, &workplaces[0].desk, &self.id).await;
        let owner = truth["claim"]["person"]["name"].as_str().map(str::to_owned);
        let mut notes: Vec<String> =
            truth["notes"].as_array().into_iter().flatten().map(|note| text(&note["text"])).collect();
        notes.sort();
        let mut written = self.notes.clone();
        written.sort();
        assert_eq!(notes, written, "{what}: notes at the service");
        for workplace in workplaces {
            workplace
                .desk
                .until(&format!("{what}: {truth}"), |desk| {
                    let Some(local) = desk.local(&self.id) else { return false };
                    let tags: Vec<&str> = local.tags.iter().map(|tag| tag.word.as_str()).collect();
                    let mut of_desk = desk.texts(&self.id).1;
                    of_desk.sort();
                    desk.owner(&self.id) == owner
                        && json!(tags) == truth["tags"]
                        && local.snooze.is_none() == truth["snooze"].is_null()
                        && of_desk == notes
                })
                .await;
        }
    }
}

/// Runs interleavings on one service; `numbers` are those of the cases.
async fn interleave(place: Place, desks: usize, numbers: Vec<u32>, seed: u64) -> Figures {
    let mut figures = Figures::default();
    for part in numbers.chunks(PER_SERVICE as usize) {
        let team = Team::start().await;
        let mut workplaces = Vec::new();
        for name in &NAMES[..desks] {
            workplaces.push(Workplace::start(&team, name, place).await);
        }
        for number in part {
            let mut random = StdRng::seed_from_u64(seed ^ (u64::from(*number) << 8) ^ desks as u64);
            let what = format!("interleaving {number} of {desks} desks, {place:?}, FRONTDESK_SEED={seed}");
            let mut round = Round::begin(&team, &workplaces, place, *number).await;
            round.run(&mut workplaces, &mut random).await;
            round.settle(&team, &workplaces, &mut random, &mut figures).await;
            round.check_answers(&team, &workplaces, &mut figures, &what).await;
            round.check_shared(&team, &workplaces, &what).await;
            figures.notes += round.notes.len();
        }
        for workplace in &mut workplaces {
            workplace.desk.close().await;
        }
        team.shutdown().await;
    }
    figures
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_answers_behind_a_colleague_unwarned() {
    let cases = RandomCases::new(INTERLEAVINGS);
    let chosen = std::env::var("FRONTDESK_DESKS").ok().and_then(|var| var.parse().ok());
    let sizes = chosen.map_or(vec![2, NAMES.len()], |count: usize| vec![count]);
    for desks in sizes {
        let group = |first: u32| (first..cases.cases).step_by(GROUPS as usize).collect::<Vec<_>>();
        let groups = (0..GROUPS).map(|first| (first, group(first)));
        let running = groups.filter(|(_, numbers)| !numbers.is_empty()).map(|(first, numbers)| {
            let place = if first % 2 == 0 { Place::Chat } else { Place::Mail };
            interleave(place, desks, numbers, cases.seed)
        });
        let mut all = Figures::default();
        for figures in join_all(running).await {
            all.sent += figures.sent;
            all.warned += figures.warned;
            all.dropped += figures.dropped;
            all.notes += figures.notes;
        }
        let line = format!("{} interleavings of {desks} desks: {all:?}", cases.cases);
        writeln!(std::io::stderr(), "{line}").expect("told");
    }
}
