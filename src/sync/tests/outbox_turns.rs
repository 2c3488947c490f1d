//! Events that span several steps in the outbox model: acting on stale reads, stalling over an answer,
//! and draining.

use crate::tests::outbox_faults::Fault;
use crate::tests::outbox_world::World;
use model::time::{HOUR, SECOND};

impl World {
    /// Reads the rows for a later claim.
    pub(super) fn remember(&mut self, process: usize) {
        self.read[process] = self.lane_rows(process);
    }

    /// Claims rows read earlier: none that has changed since may be claimed.
    pub(super) fn claim_what_was_read(&mut self, process: usize) {
        let (store, now) = (self.store(process), self.moment());
        let rows = self.lane_rows(process);
        for old in std::mem::take(&mut self.read[process]) {
            if rows.iter().any(|row| row.row.id == old.row.id && row.fencing_token == old.fencing_token) {
                continue;
            }
            let claimed =
                self.runtime.block_on(store.claim(&old.row.id, old.fencing_token, now, "key")).unwrap();
            assert_eq!(claimed, None, "I5: claimed under an old fence");
        }
    }

    /// Stalls a process for a day over an answer while another one stops the row for a decision.
    pub(super) fn sleep_over_an_answer(&mut self, process: usize) {
        self.step(process, Fault::Stalled);
        self.hours(24);
        self.step(1 - process, Fault::Answered);
        self.step(1 - process, Fault::Answered);
    }

    /// Ends all faults and decides every stopped row: nothing may be left, and all that was not dropped
    /// must be done.
    pub(super) fn drain(&mut self) {
        while !self.late.is_empty() {
            self.wake();
        }
        for _ in 0..20 * (1 + self.wishes.len()) {
            let rows = self.lane_rows(0);
            if rows.is_empty() {
                break;
            }
            if rows.iter().any(|row| row.row.is_stopped()) {
                self.decide(0, 0, None);
            }
            for row in rows.iter().filter(|row| row.row.planned_at.is_some()) {
                self.store(0).send_now(&row.row.id).unwrap();
                self.hurried.insert(row.row.id.clone());
            }
            self.pass(100);
            self.step(0, Fault::Answered);
            self.check();
        }
        assert_eq!(self.lane_rows(0).len(), 0, "not everything could leave");
    }

    pub(super) fn hours(&mut self, hours: i64) {
        self.pass(hours * HOUR / SECOND);
    }
}
