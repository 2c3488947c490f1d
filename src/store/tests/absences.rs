//! Digests and absences, compared with a simple model: nothing is missed and nothing reported
//! twice.

use std::collections::BTreeSet;

use rusqlite::params;

use crate::reader::digest;
use crate::tests::{add, at, channel, conversation, list, message, send};
use crate::{Store, StoreDurability, StoreOptions, outbox, pauses};
use model::conversations::{Automation, Conversation};
use model::digest::{Absence, Digest, DigestFact, DigestPlace};
use model::messages::{DeliveryStatus, Direction, Message};
use model::outbox::OutboxRow;
use model::time::SECOND;

/// Minimum length of an absence, in seconds.
const AWAY: i64 = 1_800;
const PEOPLE: u64 = 5;

/// State of a person at this desk, and events since they left.
#[derive(Default)]
struct AbsenceModel {
    seconds: i64,
    here: Option<i64>,
    waits: [Option<i64>; PEOPLE as usize],
    paused: [bool; PEOPLE as usize],
    stopped: Vec<(usize, OutboxRow)>,
    wrote: BTreeSet<usize>,
    pauses: Vec<usize>,
    stops: Vec<OutboxRow>,
    left: Vec<usize>,
    events: usize,
    told: usize,
}

fn digest(store: &Store) -> Digest {
    digest::digest(&store.reader().unwrap().connection, &[channel()]).unwrap()
}

fn name(who: usize) -> String {
    format!("c{who}")
}

fn draw(seed: &mut u64, below: u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    usize::try_from(*seed % below).unwrap()
}

impl AbsenceModel {
    async fn happens(&mut self, store: &Store, what: usize, who: usize) {
        let (now, id) = (self.seconds, name(who));
        self.events += 1;
        let said = |direction| vec![message(&id, &format!("m{}", self.events), now, direction)];
        match what {
            0 | 1 => {
                add(store, said(Direction::Inbound)).await;
                self.waits[who].get_or_insert(now);
                self.wrote.insert(who);
            }
            2 => {
                add(store, said(Direction::Outbound)).await;
                self.waits[who] = None;
            }
            3 if !self.paused[who] => {
                let job = move |connection: &mut rusqlite::Connection| {
                    Ok(pauses::begin_pause(connection, channel().as_str(), &id, "Ana", at(now))?)
                };
                store.outbox().call(job).unwrap();
                self.paused[who] = true;
                self.pauses.push(who);
            }
            3 => {
                let job = move |connection: &mut rusqlite::Connection| {
                    pauses::end_pause(connection, channel().as_str(), &id)?;
                    Ok(())
                };
                store.outbox().call(job).unwrap();
                self.paused[who] = false;
                self.pauses.retain(|pause| *pause != who);
            }
            4 => {
                let row =
                    store.enqueue_many(vec![send(&id, "on its way", 0)], false, at(now)).unwrap().remove(0);
                let stopped = row.clone();
                let job = move |connection: &mut rusqlite::Connection| {
                    let sql = "UPDATE outbox SET state = 'stopped', stop = 'refused', why = 'said why' WHERE id = ?1";
                    connection.execute(sql, params![stopped.id])?;
                    outbox::record_audit(connection, &stopped, "stopped", "refused")
                };
                store.outbox().call(job).unwrap();
                self.stopped.push((who, row.clone()));
                self.stops.push(row);
            }
            5 => {
                let Some((_, row)) = self.stopped.pop() else { return };
                self.stops.retain(|stop| stop.id != row.id);
                let job = move |connection: &mut rusqlite::Connection| {
                    outbox::remove(connection, &row, "dropped", "")
                };
                store.outbox().call(job).unwrap();
            }
            _ => {
                let row =
                    store.enqueue_many(vec![send(&id, "on its way", 0)], false, at(now)).unwrap().remove(0);
                let job =
                    move |connection: &mut rusqlite::Connection| outbox::complete(connection, &row, "", None);
                store.outbox().call(job).unwrap();
                self.left.push(who);
            }
        }
    }

    /// Expected entries, most important first.
    fn expected(&self) -> Vec<String> {
        let mut waiting: Vec<_> =
            self.wrote.iter().filter_map(|number| Some((self.waits[*number]?, *number))).collect();
        waiting.sort_unstable();
        let waiting: Vec<usize> = waiting.into_iter().map(|pair| pair.1).collect();
        let paused = self.pauses.iter().filter(|pause| !waiting.contains(pause));
        let asks = self.stops.iter().map(|stop| format!("asks {}", stop.lane.id()));
        let mut all: Vec<String> = waiting.iter().map(|number| format!("waits {}", name(*number))).collect();
        all.extend(paused.map(|number| format!("paused {}", name(*number))));
        all.extend(asks);
        all.extend(self.left.iter().map(|number| format!("left {}", name(*number))));
        all
    }

    /// Presses a key in one of the processes; returns true if an absence ends.
    fn press(&mut self, store: &Store) -> bool {
        let (now, before) = (self.seconds, self.here.replace(self.seconds));
        let from = before.filter(|number| now - number >= AWAY);
        let absence = from.map(|number| Absence { from: at(number), until: at(now) });
        assert_eq!(store.record_presence(at(now), AWAY * SECOND).unwrap(), absence, "at {now}");
        if absence.is_some() {
            let digest = digest(store);
            let expected = self.expected();
            self.told += expected.len();
            let entries: Vec<String> =
                digest.entries.iter().map(|entry| word(&entry.fact, &entry.place)).collect();
            assert_eq!((entries, digest.absence), (expected, absence), "at {now}");
        }
        self.wrote.clear();
        self.pauses.clear();
        self.stops.clear();
        self.left.clear();
        absence.is_some()
    }
}

fn word(fact: &DigestFact, place: &DigestPlace) -> String {
    let DigestPlace::Conversation(key) = place else { panic!("{place:?}") };
    let word = match fact {
        DigestFact::Waits(_) => "waits",
        DigestFact::Fails(_) => "fails",
        DigestFact::Paused { by, .. } if by.as_str() == "Ana" => "paused",
        DigestFact::Paused { .. } => "paused by nobody",
        DigestFact::Waves(_) => "waves",
        DigestFact::Undelivered(_) => "not delivered",
        DigestFact::Asks(_) => "asks",
        DigestFact::GivenUp { .. } => "given up",
        DigestFact::Left { .. } => "left",
    };
    format!("{word} {}", key.conversation)
}

#[tokio::test]
async fn of_a_thousand_absences_nothing_is_missed_and_nothing_told_twice() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let setup = StoreOptions { durability: StoreDurability::Simulated, ..StoreOptions::default() };
        Store::open_with(folder.path(), setup).unwrap()
    };
    let processes = [open(), open()];
    let people = (0..PEOPLE)
        .map(|entry| Conversation { automation: Automation::Off, ..conversation(&format!("c{entry}"), 0) });
    list(&processes[0], people.collect()).await;
    let (mut model, mut seed) = (AbsenceModel::default(), 0x9e37_79b9_7f4a_7c15);
    let mut absences = 0;
    while absences < 1_000 {
        // Keys while a person is present, then a gap, which may be shorter than an absence.
        let gaps = [60, 900, AWAY - 1, AWAY, 3_600, 40_000];
        let gap = gaps[draw(&mut seed, 6)];
        let end = model.seconds + gap;
        for _ in 0..draw(&mut seed, 4) {
            model.seconds += 1 + i64::try_from(draw(&mut seed, 10)).unwrap();
            let (what, who) = (draw(&mut seed, 7), draw(&mut seed, PEOPLE));
            model.happens(&processes[draw(&mut seed, 2)], what, who).await;
        }
        model.seconds = end;
        absences += i32::from(model.press(&processes[draw(&mut seed, 2)]));
        // The next key, in any process, reports nothing more.
        model.seconds += 1;
        assert!(!model.press(&processes[draw(&mut seed, 2)]));
    }
    assert!(model.told > 500, "{}", model.told);
}

#[test]
fn who_was_never_away_is_told_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(digest(&store).absence, None);
    assert_eq!(store.record_presence(at(0), AWAY * SECOND).unwrap(), None, "the first time is no return");
    assert_eq!(store.record_presence(at(AWAY - 1), AWAY * SECOND).unwrap(), None);
    assert_eq!(digest(&store).absence, None);
    // A clock set back does not start an absence, and does not prevent the next one.
    assert_eq!(store.record_presence(at(-9 * AWAY), AWAY * SECOND).unwrap(), None);
    assert!(store.record_presence(at(-8 * AWAY), AWAY * SECOND).unwrap().is_some());
}

#[tokio::test]
async fn undelivered_texts_sent_since_shortly_before_the_absence_are_events() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    list(&store, vec![conversation("c0", 0)]).await;
    store.record_presence(at(0), AWAY * SECOND).unwrap();
    store.record_presence(at(2 * AWAY), AWAY * SECOND).unwrap();
    let sent = |id: &str, seconds: i64, delivery: DeliveryStatus| Message {
        delivery,
        ..message("c0", id, seconds, Direction::Outbound)
    };
    let texts = vec![
        sent("later", 60, DeliveryStatus::Failed),
        sent("arrived", 50, DeliveryStatus::Sent),
        sent("elsewhere", 40, DeliveryStatus::Failed),
        sent("before", -590, DeliveryStatus::Failed),
        sent("long before", -600, DeliveryStatus::Failed),
    ];
    let from_here: Vec<String> =
        texts.iter().map(|text| text.id.to_string()).filter(|id| id != "elsewhere").collect();
    add(&store, texts).await;
    let job = move |connection: &mut rusqlite::Connection| {
        for id in from_here {
            let sql = "INSERT INTO sent_here (channel, message) VALUES (?1, ?2)";
            connection.execute(sql, params![channel(), id])?;
        }
        Ok(())
    };
    store.outbox().call(job).unwrap();
    let text = |fact: &DigestFact| match fact {
        DigestFact::Undelivered(text) => Some(text.to_string()),
        _ => None,
    };
    let told: Vec<String> = digest(&store).entries.iter().filter_map(|entry| text(&entry.fact)).collect();
    assert_eq!(told, ["before", "later"]);
}
