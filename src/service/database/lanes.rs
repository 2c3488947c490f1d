//! Queues of waiting jobs, one lane per write scope. One writer at a time processes a lane, in
//! order; the lane that has waited longest comes first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::database::DatabaseError;
use crate::database::session::WriteScope;

pub struct Lanes<J> {
    state: Mutex<LaneState<J>>,
    woken: Condvar,
}

struct LaneState<J> {
    lanes: HashMap<WriteScope, Lane<J>>,
    /// Lanes with jobs and without a writer.
    ready: VecDeque<WriteScope>,
    is_closed: bool,
}

struct Lane<J> {
    waiting: VecDeque<J>,
    is_taken: bool,
}

impl<J> Default for Lanes<J> {
    fn default() -> Self {
        let state = LaneState { lanes: HashMap::new(), ready: VecDeque::new(), is_closed: false };
        Self { state: Mutex::new(state), woken: Condvar::new() }
    }
}

impl<J> Lanes<J> {
    fn state(&self) -> MutexGuard<'_, LaneState<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, scope: WriteScope, job: J) -> Result<(), DatabaseError> {
        let mut state = self.state();
        if state.is_closed {
            return Err(DatabaseError::Closed);
        }
        let none = || Lane { waiting: VecDeque::new(), is_taken: false };
        let lane = state.lanes.entry(scope.clone()).or_insert_with(none);
        lane.waiting.push_back(job);
        if !lane.is_taken && lane.waiting.len() == 1 {
            state.ready.push_back(scope);
            self.woken.notify_one();
        }
        Ok(())
    }

    /// Takes a lane and its first job. The inner `None` means that `span` passed without a job; the
    /// outer one that the queue is closed and empty.
    pub fn next_job(&self, span: Option<Duration>) -> Option<Option<(WriteScope, J)>> {
        let mut state = self.state();
        loop {
            if let Some(scope) = state.ready.pop_front() {
                let lane = state.lanes.get_mut(&scope);
                let first = lane.and_then(|lane| {
                    lane.is_taken = true;
                    lane.waiting.pop_front()
                });
                return first.map(|first| Some((scope, first)));
            }
            if state.is_closed {
                return None;
            }
            let Some(span) = span else {
                state = self.woken.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let waited = self.woken.wait_timeout(state, span).unwrap_or_else(PoisonError::into_inner);
            if waited.1.timed_out() && waited.0.ready.is_empty() {
                return Some(None);
            }
            state = waited.0;
        }
    }

    pub fn next_in_lane(&self, scope: &WriteScope) -> Option<J> {
        self.state().lanes.get_mut(scope)?.waiting.pop_front()
    }

    pub fn release(&self, scope: &WriteScope) {
        let mut state = self.state();
        let Some(lane) = state.lanes.get_mut(scope) else { return };
        lane.is_taken = false;
        if lane.waiting.is_empty() {
            state.lanes.remove(scope);
        } else {
            state.ready.push_back(scope.clone());
            self.woken.notify_one();
        }
    }

    pub fn close(&self) {
        self.state().is_closed = true;
        self.woken.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_has_one_worker_and_its_order() {
        let (lanes, at) = (Lanes::default(), |text: &str| WriteScope::Workspace(text.to_owned()));
        for (scope, job) in [("a", 1), ("a", 2), ("b", 3), ("a", 4)] {
            lanes.add(at(scope), job).expect("open");
        }
        let take = || lanes.next_job(None).flatten();
        assert_eq!(take(), Some((at("a"), 1)));
        assert_eq!(take(), Some((at("b"), 3)), "what is taken is not taken twice");
        assert_eq!(lanes.next_in_lane(&at("a")), Some(2));
        assert_eq!(lanes.next_in_lane(&at("b")), None);
        lanes.release(&at("b"));
        lanes.add(at("b"), 5).expect("open");
        lanes.release(&at("a"));
        assert_eq!(take(), Some((at("b"), 5)), "whoever has waited longest");
        lanes.close();
        assert!(matches!(lanes.add(at("a"), 6), Err(DatabaseError::Closed)));
        assert_eq!(take(), Some((at("a"), 4)), "what waits is done all the same");
        assert_eq!(lanes.next_job(None), None);
    }

    #[test]
    fn waiting_ends_after_a_span() {
        let lanes: Lanes<i32> = Lanes::default();
        assert_eq!(lanes.next_job(Some(Duration::ZERO)), Some(None));
    }

    #[test]
    fn whoever_waits_is_woken() {
        let lanes = Lanes::default();
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..3).map(|_| scope.spawn(|| lanes.next_job(None).flatten())).collect();
            lanes.add(WriteScope::Everything, 1).expect("open");
            lanes.close();
            let taken = waiting
                .into_iter()
                .filter_map(|scoped_join_handle| scoped_join_handle.join().expect("no panic"));
            assert_eq!(taken.collect::<Vec<_>>(), [(WriteScope::Everything, 1)]);
        });
    }
}
