//! Retry budget shared by all channels of a process, so that retries do not overload a failing server.
//!
//! A retry costs 5 or 10 units, a success returns one. Requests that were certainly not
//! executed (rate limited, no connection) are free.

use std::sync::{Arc, Mutex, PoisonError};

/// Initial and maximum number of units.
const CAPACITY: u32 = 100;

/// Result of the attempt that is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// A response that does not settle the outcome.
    Answered,
    /// No response.
    Silent,
}

impl Doubt {
    /// Returns the price of a retry, in units.
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
        Self { left: CAPACITY }
    }
}

impl RetryBudget {
    /// Pays for a retry; returns false and takes nothing if too little is left.
    pub fn pay(&mut self, doubt: Doubt) -> bool {
        match self.left.checked_sub(doubt.cost()) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Something succeeded.
    pub fn succeeded(&mut self) {
        self.left = (self.left + 1).min(CAPACITY);
    }
}

#[derive(Debug, Clone, Default)]
pub struct Retries(Arc<Mutex<RetryBudget>>);

impl Retries {
    /// Pays for a retry; returns false if too little is left.
    pub fn pay(&self, doubt: Doubt) -> bool {
        self.with_budget(|budget| budget.pay(doubt))
    }

    /// Something succeeded.
    pub fn succeeded(&self) {
        self.with_budget(RetryBudget::succeeded);
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
        use Doubt::{Answered, Silent};
        for (doubt, times) in [(Answered, 20), (Silent, 10)] {
            let mut budget = RetryBudget::default();
            budget.succeeded();
            assert_eq!((0..100).filter(|_| budget.pay(doubt)).count(), times, "{doubt:?}");
            (0..4).for_each(|_| budget.succeeded());
            assert!(!budget.pay(Answered), "not for four");
            budget.succeeded();
            assert!(!budget.pay(Silent) && budget.pay(Answered) && !budget.pay(Answered), "for five");
        }
        let mut budget = RetryBudget { left: 9 };
        assert!(!budget.pay(Silent));
        assert_eq!(budget, RetryBudget { left: 9 }, "nothing is taken for nothing");
    }
}
