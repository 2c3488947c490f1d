//! The budget of retries: what all channels of a process may repeat together,
//! so that a server in trouble is not asked ever more. Pure.
//!
//! A retry costs, every success gives back. What was certainly not executed
//! (a refusal by rate, no connection) is outside of it.

use std::sync::{Arc, Mutex, PoisonError};

/// What there is at most, and at the start.
const CAPACITY: u32 = 100;

/// How an attempt ended that is going to be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// With an answer that was of no use.
    Answered,
    /// Without any.
    Silent,
}

impl Doubt {
    /// What a retry after it costs.
    fn cost(self) -> u32 {
        match self {
            Self::Answered => 5,
            Self::Silent => 10,
        }
    }
}

/// What may still be repeated.
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
    /// Pays for a retry, if there is enough; otherwise nothing is taken.
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

/// A budget that all channels of a process share.
#[derive(Debug, Clone, Default)]
pub struct Retries(Arc<Mutex<RetryBudget>>);

impl Retries {
    /// Pays for a retry, if there is enough.
    pub fn pay(&self, doubt: Doubt) -> bool {
        self.look(|budget| budget.pay(doubt))
    }

    /// Something succeeded.
    pub fn succeeded(&self) {
        self.look(RetryBudget::succeeded);
    }

    /// A lock that a panic poisoned is still a budget.
    fn look<R>(&self, look: impl FnOnce(&mut RetryBudget) -> R) -> R {
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
