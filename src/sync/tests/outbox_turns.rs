//! What takes several steps in the model of the outbox's lives: acting on what
//! was read long ago, sleeping over an answer, and coming to an end.

use crate::tests::outbox_faults::Fault;
use crate::tests::outbox_world::World;
use model::time::{HOUR, SECOND};

impl World {
    /// A process reads the rows, and acts on what it read much later.
    pub(super) fn remember(&mut self, process: usize) {
        self.read[process] = self.lane_rows(process);
    }

    /// A process claims what it read some time ago: nothing that has changed
    /// since.
    pub(super) fn claim_what_was_read(&mut self, process: usize) {
        let (store, now) = (self.store(process), self.moment());
        let rows = self.lane_rows(process);
        for old in std::mem::take(&mut self.read[process]) {
            if rows.iter().any(|row| row.row.id == old.row.id && row.fence == old.fence) {
                continue;
            }
            let claimed = self.runtime.block_on(store.claim(&old.row.id, old.fence, now, "key")).unwrap();
            assert_eq!(claimed, None, "I5: claimed under an old fence");
        }
    }

    /// A process sleeps for a day over an answer, while another gives the row
    /// up and asks a person.
    pub(super) fn sleep_over_an_answer(&mut self, process: usize) {
        self.step(process, Fault::Stalled);
        self.hours(24);
        self.step(1 - process, Fault::Answered);
        self.step(1 - process, Fault::Answered);
    }

    /// All is well again and a person sees to what stopped: nothing is left,
    /// and what was not given up was done.
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
