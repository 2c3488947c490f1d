//! Credits and lists against small models.

use std::collections::HashMap;

use proptest::prelude::*;

use super::conversations::{self, ConversationRow};
use super::workspaces::{self, Workspace};
use crate::cursors::Place;
use crate::database::session::DbSession;
use model::time::Timestamp;

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + micros)
}

/// The tables, with one workspace and one channel.
fn tables(balance: i64) -> rusqlite::Connection {
    let db = rusqlite::Connection::open_in_memory().expect("opens");
    db.execute_batch(include_str!("schema.sql")).expect("made");
    let workspace = Workspace { id: "w".into(), name: None, email: None, balance };
    workspaces::insert(&db, &workspace, at(0)).expect("inserted");
    let session: &dyn DbSession = &db;
    session
        .change("INSERT INTO channels VALUES ('c', 'w', 'whatsapp', 'a', NULL, NULL, 0)", &[])
        .expect("made");
    db
}

#[derive(Debug, Clone)]
enum Step {
    Charge(i64),
    Refund(i64),
    Set(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_i64..40).prop_map(Step::Charge),
        1 => (1_i64..40).prop_map(Step::Refund),
        1 => (0_i64..100).prop_map(Step::Set),
    ];
    prop::collection::vec(step, 1..60)
}

/// What happens to a list between two of its pages.
#[derive(Debug, Clone)]
enum Change {
    Touch(usize),
    Add,
    Close(usize),
}

fn changes() -> impl Strategy<Value = Vec<Vec<Change>>> {
    let change = prop_oneof![
        3 => (0_usize..40).prop_map(Change::Touch),
        2 => Just(Change::Add),
        1 => (0_usize..40).prop_map(Change::Close),
    ];
    prop::collection::vec(prop::collection::vec(change, 0..4), 40)
}

fn add(db: &dyn DbSession, number: usize, clock: i64) -> String {
    let id = format!("conv_{number}");
    let row = ConversationRow::new(id.clone(), "c", &format!("+34{number:09}"), at(clock));
    conversations::insert(db, &row).expect("inserted");
    id
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The balance is what a plain number would be, never below zero, and
    /// the ledger adds up to it after every step.
    #[test]
    fn credits_are_a_number_with_a_reason(opening in 0_i64..100, steps in steps()) {
        let db = tables(opening);
        let mut model = opening;
        for (number, step) in steps.into_iter().enumerate() {
            let reference = format!("r{number}");
            match step {
                Step::Charge(cost) => {
                    let paid = workspaces::charge(&db, "w", cost, "message", &reference, at(1)).expect("works");
                    if cost <= model {
                        model -= cost;
                        prop_assert_eq!(paid, Ok(model));
                    } else {
                        prop_assert_eq!(paid, Err(model));
                    }
                }
                Step::Refund(amount) => {
                    workspaces::refund(&db, "w", amount, &reference, at(1)).expect("works");
                    model += amount;
                }
                Step::Set(balance) => {
                    workspaces::set_balance(&db, "w", balance, &reference, at(1)).expect("works");
                    model = balance;
                }
            }
            let ledger: i64 =
                (&db as &dyn DbSession).scalar("SELECT sum(amount) FROM ledger", &[]).expect("a sum");
            prop_assert_eq!((workspaces::read(&db, "w").expect("reads").balance, ledger), (model, model));
        }
        // What was paid once cannot be paid again under the same name.
        workspaces::set_balance(&db, "w", 10, "last", at(1)).expect("works");
        workspaces::charge(&db, "w", 1, "message", "once", at(1)).expect("works").expect("paid");
        prop_assert!(workspaces::charge(&db, "w", 1, "message", "once", at(1)).is_err());
    }

    /// Walking conversations while others write: what nobody touches is told
    /// exactly once, nothing is told twice in the same place, and each page
    /// goes on below the last.
    #[test]
    fn untouched_rows_are_walked_exactly_once(
        rows in 1_usize..40,
        limit in 1_i64..9,
        open_only in any::<bool>(),
        changes in changes(),
    ) {
        let db = tables(0);
        let mut clock = 0_i64;
        let mut ids: Vec<String> = (0..rows).map(|number| {
            // Several of the same time: the id decides between them.
            clock += i64::from(number % 3 == 0);
            add(&db, number, clock)
        }).collect();
        let mut touched: Vec<String> = Vec::new();
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut after = Place::top();
        let status = open_only.then_some("active");
        for between in &changes {
            let page = conversations::list(&db, "c", status, &after, limit).expect("listed");
            for row in &page {
                let place = row.place();
                prop_assert!((place.at, &place.id) < (after.at, &after.id) || after == Place::top());
                after = place;
                *seen.entry(row.id.clone()).or_default() += 1;
            }
            if page.is_empty() {
                break;
            }
            for change in between {
                clock += 1;
                match change {
                    Change::Add => ids.push(add(&db, ids.len(), clock)),
                    Change::Touch(which) => {
                        let id = &ids[which % ids.len()];
                        conversations::touch(&db, id, "x", true, at(clock)).expect("touched");
                        touched.push(id.clone());
                    }
                    Change::Close(which) => {
                        let id = &ids[which % ids.len()];
                        conversations::set_status(&db, id, "closed").expect("closed");
                        touched.push(id.clone());
                    }
                }
            }
        }
        let complete = conversations::list(&db, "c", status, &after, 1).expect("listed").is_empty();
        for id in &ids[..rows] {
            if complete && !touched.contains(id) {
                prop_assert_eq!(seen.get(id), Some(&1), "{}", id);
            }
        }
        for (id, times) in seen {
            prop_assert!(times == 1 || touched.contains(&id), "{} was told {} times", id, times);
        }
    }
}
