//! Two and five sessions change claims, notes, tags and the assistant's switch at the same time, on both engines. In
//! each round every session makes one random change at once; the answers and the state behind them must be those of
//! some order of these changes in a model.
//!
//! `FRONTDESK_LIVES` sets the number of rounds, `FRONTDESK_SEED` the cases.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use randomized::RandomCases;

use super::*;

const ROUNDS: u32 = 40;

#[derive(Debug, Clone, PartialEq)]
enum Change {
    Claim { version: Option<i64> },
    Release { version: Option<i64> },
    AddNote { note: usize, text: usize },
    DeleteNote { note: usize },
    Tags { tags: Vec<String> },
    Automation { enabled: bool },
}

#[derive(Debug, Clone, PartialEq)]
struct ModelNote {
    author: usize,
    text: usize,
    deleted: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Model {
    owner: Option<usize>,
    version: i64,
    notes: BTreeMap<usize, ModelNote>,
    tags: Vec<String>,
    enabled: bool,
}

impl Model {
    /// Makes a change of a session; returns the status of the answer.
    fn apply(&mut self, session: usize, change: &Change) -> u16 {
        let is_stale =
            |version: &Option<i64>, model: &Self| version.is_some_and(|version| version != model.version);
        match change {
            Change::Claim { .. } if self.owner == Some(session) => 200,
            Change::Claim { version } if is_stale(version, self) || self.owner.is_some() => 409,
            Change::Claim { .. } => self.set_owner(Some(session)),
            Change::Release { .. } if self.owner.is_none() => 200,
            Change::Release { version } if is_stale(version, self) || self.owner != Some(session) => 409,
            Change::Release { .. } => self.set_owner(None),
            Change::AddNote { note, text } => match self.notes.get(note) {
                None => {
                    self.notes.insert(*note, ModelNote { author: session, text: *text, deleted: false });
                    201
                }
                Some(known) if known.author == session && (known.deleted || known.text == *text) => 200,
                Some(_) => 409,
            },
            Change::DeleteNote { note } => match self.notes.get_mut(note).filter(|known| !known.deleted) {
                None => 404,
                Some(known) if known.author != session => 403,
                Some(known) => {
                    known.deleted = true;
                    200
                }
            },
            Change::Tags { tags } => {
                self.tags.clone_from(tags);
                200
            }
            Change::Automation { enabled } => {
                self.enabled = *enabled;
                200
            }
        }
    }

    fn set_owner(&mut self, owner: Option<usize>) -> u16 {
        self.owner = owner;
        self.version += 1;
        200
    }
}

fn random_change(random: &mut StdRng, model: &Model) -> Change {
    let version = match random.random_range(0..3) {
        0 => None,
        1 => Some(model.version),
        _ => Some(model.version - 1),
    };
    let (note, text) = (random.random_range(0..6), random.random_range(0..2));
    match random.random_range(0..8) {
        0..=2 => Change::Claim { version },
        3 => Change::Release { version },
        4 => Change::AddNote { note, text },
        5 => Change::DeleteNote { note },
        6 => Change::Tags { tags: vec![format!("tag-{text}")] },
        _ => Change::Automation { enabled: random.random_bool(0.5) },
    }
}

async fn make(team: &Team, colleague: &Colleague, conversation: &str, change: &Change) -> u16 {
    let note_id = |note: &usize| format!("note-{note}");
    let (method, part, body) = match change {
        Change::Claim { version } => ("PUT", "claim".to_owned(), json!({"version": version})),
        Change::Release { version } => ("DELETE", "claim".to_owned(), json!({"version": version})),
        Change::AddNote { note, text } => {
            ("POST", "notes".to_owned(), json!({"id": note_id(note), "text": format!("text {text}")}))
        }
        Change::DeleteNote { note } => ("DELETE", format!("notes/{}", note_id(note)), Value::Null),
        Change::Tags { tags } => ("PUT", "tags".to_owned(), json!({"tags": tags})),
        Change::Automation { enabled } => ("PUT", "automation".to_owned(), json!({"enabled": enabled})),
    };
    let path = format!("/desk/v1/conversations/{conversation}/{part}");
    team.call(&colleague.session, method, &path, body).await.status
}

/// Reads the state as a model; deleted notes are those of `known`.
async fn read(team: &Team, colleagues: &[Colleague], conversation: &str, known: &Model) -> Model {
    let list = team.get(&colleagues[0], &format!("/desk/v1/conversations?ids={conversation}")).await.ok();
    let automation = format!("/desk/v1/conversations/{conversation}/automation");
    let enabled = team.get(&colleagues[0], &automation).await.ok()["enabled"].as_bool().expect("a switch");
    let body = &list["data"][0];
    let place = |person: &Value| colleagues.iter().position(|colleague| person["id"] == colleague.id());
    let mut notes: BTreeMap<usize, ModelNote> =
        known.notes.iter().map(|(id, note)| (*id, ModelNote { deleted: true, ..note.clone() })).collect();
    for note in body["notes"].as_array().into_iter().flatten() {
        let number =
            |field: &str| text(&note[field]).rsplit(['-', ' ']).next().and_then(|digits| digits.parse().ok());
        let author = place(&note["person"]).expect("an author");
        let read = ModelNote { author, text: number("text").expect("a text"), deleted: false };
        notes.insert(number("id").expect("an id"), read);
    }
    let tags = body["tags"].as_array().into_iter().flatten().map(text).collect();
    Model {
        owner: place(&body["claim"]["person"]),
        version: body["claim"]["version"].as_i64().unwrap_or(known.version),
        notes,
        tags,
        enabled,
    }
}

/// All orders of the numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let with_last = |order: &Vec<usize>| {
        let order = order.clone();
        (0..count).map(move |place| {
            let mut order = order.clone();
            order.insert(place, count - 1);
            order
        })
    };
    shorter.iter().flat_map(with_last).collect()
}

/// Returns the model behind an order of the changes that explains the answers and the state.
fn explain(before: &Model, changes: &[Change], answers: &[u16], after: &Model) -> Option<Model> {
    orders(changes.len()).into_iter().find_map(|order| {
        let mut model = before.clone();
        let fits = order.iter().all(|session| model.apply(*session, &changes[*session]) == answers[*session]);
        // Without a claim the answer has no version.
        let is_same = Model {
            version: if model.owner.is_some() { after.version } else { model.version },
            ..after.clone()
        };
        (fits && model == is_same).then_some(model)
    })
}

async fn interleave(team: Team, sessions: usize, seed: u64, rounds: u32) {
    let mut random = StdRng::seed_from_u64(seed ^ sessions as u64);
    let mut colleagues = Vec::new();
    for number in 0..sessions {
        colleagues.push(team.sign_in(&format!("Person {number}"), Role::Agent).await);
    }
    let id = team.inbound("whatsapp", "+34600111222", "Hola").await;
    let mut model =
        Model { owner: None, version: 0, notes: BTreeMap::new(), tags: Vec::new(), enabled: true };
    for round in 0..rounds {
        team.advance(2).await;
        let changes: Vec<Change> = (0..sessions).map(|_| random_change(&mut random, &model)).collect();
        let made =
            colleagues.iter().zip(&changes).map(|(colleague, change)| make(&team, colleague, &id, change));
        let answers = join_all(made).await;
        // Notes that this round may have added and deleted are known from its changes.
        let mut known = model.clone();
        for (author, change) in changes.iter().enumerate() {
            if let (Change::AddNote { note, text }, 201) = (change, answers[author]) {
                known.notes.insert(*note, ModelNote { author, text: *text, deleted: true });
            }
        }
        let after = read(&team, &colleagues, &id, &known).await;
        let explained = explain(&model, &changes, &answers, &after);
        model = explained.unwrap_or_else(|| {
            panic!(
                "no order explains round {round} of seed {seed}: {model:?} {changes:?} {answers:?} {after:?}"
            )
        });
    }
    team.shutdown().await;
}

#[tokio::test]
async fn simultaneous_changes_have_an_order_on_a_file() {
    let cases = RandomCases::new(ROUNDS);
    for sessions in [2, 5] {
        interleave(Team::start().await, sessions, cases.seed, cases.cases).await;
    }
}

#[tokio::test]
async fn simultaneous_changes_have_an_order_on_a_server() {
    let Some(server) = cluster::server() else { return };
    let cases = RandomCases::new(ROUNDS);
    for sessions in [2, 5] {
        let (folder, url) = (tempfile::tempdir().expect("a folder"), cluster::database(server).await);
        interleave(Team::at(&url, folder.path()).await, sessions, cases.seed, cases.cases).await;
    }
}
