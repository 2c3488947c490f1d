//! Retry budget shared by all channels of a process, so that retries do not overload a server.
//!
//! A retry costs 5 or 10 units, a success returns one. Requests that were certainly not
//! executed (rate limited, no connection) are free.

use std::sync::{Arc, Mutex, PoisonError};

/// Initial and maximum number of units.
const BUDGET_CAPACITY: u32 = 100;

/// Result of the attempt that is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryCause {
    /// A response that does not settle the outcome.
    Answered,
    /// No response.
    Silent,
}

impl RetryCause {
    fn cost(self) -> u32 {
        match self {
            Self::Answered => 5,
            Self::Silent => 10,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryBudget {
    left: u32,
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self { left: BUDGET_CAPACITY }
    }
}

impl RetryBudget {
    /// Pays for a retry; returns false and takes nothing if too little is left.
    pub fn try_spend(&mut self, doubt: RetryCause) -> bool {
        match self.left.checked_sub(doubt.cost()) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    pub fn record_success(&mut self) {
        self.left = (self.left + 1).min(BUDGET_CAPACITY);
    }
}

#[derive(Debug, Clone, Default)]
pub struct SharedRetryBudget(Arc<Mutex<RetryBudget>>);

impl SharedRetryBudget {
    pub fn try_spend(&self, doubt: RetryCause) -> bool {
        self.with_budget(|budget| budget.try_spend(doubt))
    }

    pub fn record_success(&self) {
        self.with_budget(RetryBudget::record_success);
    }

    /// Ignores lock poisoning: the budget is valid after a panic.
    fn with_budget<R>(&self, look: impl FnOnce(&mut RetryBudget) -> R) -> R {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_repeated_ends_and_comes_back_with_success() {
        use RetryCause::{Answered, Silent};
        for (doubt, times) in [(Answered, 20), (Silent, 10)] {
            let mut budget = RetryBudget::default();
            budget.record_success();
            assert_eq!((0..100).filter(|_| budget.try_spend(doubt)).count(), times, "{doubt:?}");
            (0..4).for_each(|_| budget.record_success());
            assert!(!budget.try_spend(Answered), "not for four");
            budget.record_success();
            assert!(
                !budget.try_spend(Silent) && budget.try_spend(Answered) && !budget.try_spend(Answered),
                "for five"
            );
        }
        let mut budget = RetryBudget { left: 9 };
        assert!(!budget.try_spend(Silent));
        assert_eq!(budget, RetryBudget { left: 9 }, "nothing is taken for nothing");
    }
}
