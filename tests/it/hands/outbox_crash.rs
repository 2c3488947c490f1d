//! The corpus of crashes and failures around the outbox, one case each.

mod cases;
mod processes;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, pushing};

/// Each case with its tests: file and test name.
const SHOWN: &[(&str, &[(&str, &str)])] = &[
    (
        "kill-before-commit",
        &[(CASES, "an_end_before_the_commit"), (DRAFTS, "a_draft_survives_switching_and_a_crash")],
    ),
    (
        "kill-after-commit-before-write",
        &[
            (CASES, "an_end_around_the_request"),
            (KILLS, "every_committed_text_arrives_once_and_is_paid_once"),
        ],
    ),
    (
        "kill-mid-write",
        &[
            (CASES, "an_end_around_the_request"),
            (KILLS, "every_committed_text_arrives_once_and_is_paid_once"),
        ],
    ),
    (
        "kill-after-server-commit",
        &[
            (CASES, "an_end_around_the_request"),
            (KILLS, "every_committed_text_arrives_once_and_is_paid_once"),
        ],
    ),
    (
        "kill-after-response-before-commit",
        &[
            (CASES, "an_end_around_the_request"),
            (KILLS, "every_committed_text_arrives_once_and_is_paid_once"),
        ],
    ),
    ("restart-after-25h", &[(CASES, "a_restart_after_25_hours")]),
    ("two-processes-one-db", &[(PROCESSES, "two_processes_on_one_outbox")]),
    ("lease-holder-stalls", &[(PROCESSES, "a_holder_that_stalls")]),
    ("db-readonly", &[(FAILING, "a_read_only_outbox_refuses")]),
    ("disk-full", &[(FAILING, "a_full_disk_refuses")]),
    ("db-locked-10s", &[(FAILING, "a_locked_outbox_refuses_in_the_end_and_then_goes_on")]),
    ("cache-corrupt", &[(FILES, "a_damaged_newer_or_older_cache_is_set_aside_and_drafts_survive")]),
    ("wal-deleted", &[(PROCESSES, "a_lost_log_never_sends_twice")]),
    ("conflict-409", &[(CASES, "a_conflict_keeps_its_key")]),
    ("in-progress-forever", &[(CASES, "in_progress_for_ever")]),
    ("401-mid-queue", &[(PUSHING, "a_revoked_key_stops_every_lane_after_one_call_and_keeps_the_rows")]),
    ("paste-then-enter-flood", &[(CASES, "a_flood_keeps_its_order_and_the_limit")]),
    ("edit-after-queue", &[(CASES, "an_edit_after_queueing")]),
    ("broadcast-ambiguous", &[(CASES, "a_broadcast_of_which_nothing_is_known")]),
    ("call-ambiguous", &[(CASES, "a_call_of_which_nothing_is_known")]),
];

const CASES: &str = "tests/it/hands/outbox_crash/cases.rs";
const PROCESSES: &str = "tests/it/hands/outbox_crash/processes.rs";
const PUSHING: &str = "tests/it/hands/pushing.rs";
const DRAFTS: &str = "tests/it/stories/drafts.rs";
const KILLS: &str = "tests/it/kills/campaign.rs";
const FAILING: &str = "src/store/tests/failing.rs";
const FILES: &str = "src/store/tests/files.rs";

#[test]
fn every_case_of_the_corpus_is_shown() {
    let lines = include_str!("../../hostile.jsonl").lines();
    let cases = lines.map(|line| serde_json::from_str::<Value>(line).expect("a case"));
    let names: Vec<_> = cases
        .filter(|case| case["group"] == "outbox-crash")
        .map(|case| case["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, SHOWN.iter().map(|entry| entry.0).collect::<Vec<_>>());
    for (case, tests) in SHOWN {
        for (file, test) in *tests {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            let text = std::fs::read_to_string(path).unwrap_or_default();
            assert!(text.contains(&format!("fn {test}(")), "{case}: no {test} in {file}");
        }
    }
}

/// A service that carries out each key once, and repeats its answer.
#[derive(Clone, Default)]
struct Office {
    done: Arc<Mutex<BTreeMap<String, Value>>>,
}

impl Office {
    /// Carries out a request once per key.
    fn work(&self, request: &Request) -> Answer {
        let mut done = self.done.lock().expect("no one failed");
        let number = done.len() + 1;
        let known = done.contains_key(request.key());
        let told = done.entry(request.key().to_owned()).or_insert_with(|| {
            json!({
                "messageId": format!("sent-{number}"), "whatsappMessageId": format!("wamid.{number}"),
                "status": "sent", "creditsUsed": 1, "creditsRemaining": 411
            })
        });
        let answer = Answer::ok(told.clone());
        if known { answer.header("idempotent-replayed", "true") } else { answer }
    }

    fn count(&self) -> usize {
        self.done.lock().expect("no one failed").len()
    }

    fn open(&self) -> impl FnMut(&Request) -> Answer + Send + 'static {
        let office = self.clone();
        move |request| if request.method == "POST" { office.work(request) } else { pushing::chat(request) }
    }
}

async fn desk() -> (Hands, Office) {
    let (hands, office) = (pushing::ready().await, Office::default());
    hands.server.now(office.open());
    (hands, office)
}
