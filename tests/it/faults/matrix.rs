//! Every operation under every fault. A failed cell prints the command that runs it alone.
//! `FRONTDESK_CELL` selects cells by name, `FRONTDESK_SEED` the variants, `FRONTDESK_SEEDS` the
//! number of seeds.

use std::collections::BTreeSet;
use std::sync::Arc;

use frontdesk::store::Store;
use futures_util::StreamExt;
use serde_json::Value;

use crate::faults::cell::Cell;
use crate::faults::reads::{READS, ReadCell};
use crate::faults::world::World;
use crate::faults::writes::WRITES;
use crate::proxy::fault::Fault;
use crate::reachable::TEAM_TAG;

/// Paths without a key and outside the matrix: the OpenAPI document and uploaded files.
const OPEN: [&str; 2] = ["/openapi.json", "/media/{id}/{filename}"];
/// Concurrent cells; most of them wait for a timeout.
const AT_ONCE: usize = 48;

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|var| var.parse().ok()).unwrap_or(otherwise)
}

fn is_selected(name: &str) -> bool {
    std::env::var("FRONTDESK_CELL").map_or(true, |var| name.contains(&var))
}

#[derive(Default)]
struct Report {
    cells: usize,
    failures: Vec<String>,
}

impl Report {
    fn add(&mut self, seed: usize, name: &str, outcome: Result<(), String>) {
        self.cells += 1;
        if let Err(why) = outcome {
            let again =
                format!("FRONTDESK_SEED={seed} FRONTDESK_CELL='{name}' cargo test --test it faults::matrix");
            self.failures.push(format!("{name}: {why}\n    {again}"));
        }
    }

    #[track_caller]
    fn finish(self) {
        assert!(self.cells > 0, "no cell is called so");
        let failed = self.failures.len();
        assert!(failed == 0, "{failed} of {} cells:\n{}", self.cells, self.failures.join("\n"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_write_under_every_fault_is_told_truly_and_done_once() {
    let first = number("FRONTDESK_SEED", 1);
    let world = Arc::new(World::start().await);
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("the files open");
    let mut report = Report::default();
    let mut cells = Vec::new();
    for seed in first..first + number("FRONTDESK_SEEDS", 1) {
        // Neighbours are different writes: some have limits of their own.
        for (fault, _) in Fault::ALL {
            for (row, write) in WRITES.into_iter().enumerate() {
                let number = cells.len();
                let cell = Cell { write, fault, variant: row + seed, number };
                if is_selected(&cell.name()) {
                    cells.push((seed, cell));
                }
            }
        }
    }
    let mut running = futures_util::stream::iter(cells.into_iter().map(|(seed, cell)| {
        let (world, store) = (world.clone(), store.clone());
        tokio::spawn(async move {
            let outcome = cell.run(&world, &store).await;
            (seed, cell.name(), outcome)
        })
    }))
    .buffer_unordered(AT_ONCE);
    while let Some(ended) = running.next().await {
        let (seed, name, outcome) = ended.expect("no panic");
        report.add(seed, &name, outcome);
    }
    report.finish();
    world.check_ledger();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_read_under_every_fault_is_told_truly() {
    let first = number("FRONTDESK_SEED", 1);
    let world = Arc::new(World::start().await);
    let mut report = Report::default();
    let mut cells = Vec::new();
    for seed in first..first + number("FRONTDESK_SEEDS", 1) {
        for (row, read) in READS.into_iter().enumerate() {
            for (fault, _) in Fault::ALL {
                let cell = ReadCell { read, fault, variant: row + seed };
                if is_selected(&cell.name()) {
                    cells.push((seed, cell));
                }
            }
        }
    }
    let ids = Arc::new(crate::faults::reads::Ids::make(&world).await);
    let mut running = futures_util::stream::iter(cells.into_iter().map(|(seed, cell)| {
        let (world, ids) = (world.clone(), ids.clone());
        tokio::spawn(async move {
            let outcome = cell.run(&world, &ids).await;
            (seed, cell.name(), outcome)
        })
    }))
    .buffer_unordered(AT_ONCE);
    while let Some(ended) = running.next().await {
        let (seed, name, outcome) = ended.expect("no panic");
        report.add(seed, &name, outcome);
    }
    report.finish();
}

#[test]
fn no_operation_of_the_interface_is_left_out() {
    let text = include_str!("../../../assets/openapi.json");
    let document: Value = serde_json::from_str(text).expect("JSON");
    let mut told = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let is_of_interface = operation["tags"][0] != TEAM_TAG;
            if operation["responses"].is_object() && is_of_interface && !OPEN.contains(&path.as_str()) {
                told.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    let tried: BTreeSet<String> = WRITES
        .iter()
        .map(|write| write.name.to_owned())
        .chain(READS.iter().map(|read| read.name.to_owned()))
        .collect();
    assert_eq!(tried, told);
    assert_eq!(told.len(), 43);
}
