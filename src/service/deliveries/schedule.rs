//! Meaning of an endpoint's answer, and the retry schedule. Pure: time and randomness are parameters.

use model::time::{DAY, HOUR, MINUTE, SECOND};
use net::guard::{FetchError, Fetched};

/// Delays before the second and later attempts, in microseconds.
const RETRY_DELAYS: [i64; 9] =
    [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/// Maximum `Retry-After` that is obeyed, in microseconds.
const MAX_RETRY_AFTER: i64 = HOUR;
/// Maximum random deviation of a delay, in thousandths.
pub const JITTER_THOUSANDTHS: i64 = 200;
/// Time without a successful delivery after which a subscription is deactivated, in microseconds.
pub const MAX_FAILING_TIME: i64 = 3 * DAY;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    Failed {
        /// `Retry-After` of the answer, in microseconds.
        asked: Option<i64>,
    },
    /// The endpoint wants no more events.
    Gone,
}

/// Judges an answer: 2xx is a success, 410 ends the subscription, anything else is a failure; redirects are
/// not followed.
pub fn judge_response(outcome: &Result<Fetched, FetchError>) -> AttemptOutcome {
    match outcome {
        Ok(answer) if (200..300).contains(&answer.status) => AttemptOutcome::Delivered,
        Ok(answer) if answer.status == 410 => AttemptOutcome::Gone,
        Ok(answer) if matches!(answer.status, 429 | 503) => {
            let seconds =
                answer.retry_after.as_deref().and_then(|retry_after| retry_after.trim().parse::<i64>().ok());
            let asked = seconds.and_then(|second| second.checked_mul(SECOND));
            AttemptOutcome::Failed { asked: asked.filter(|entry| (1..=MAX_RETRY_AFTER).contains(entry)) }
        }
        Ok(_) | Err(_) => AttemptOutcome::Failed { asked: None },
    }
}

/// Returns the delay before the next attempt, in microseconds, after `made` attempts; `None` after the last.
/// `chance` is between `-JITTER_THOUSANDTHS` and `JITTER_THOUSANDTHS`.
pub fn next_delay(made: usize, asked: Option<i64>, chance: i64) -> Option<i64> {
    let span = *RETRY_DELAYS.get(made.checked_sub(1)?)?;
    let span = span + span / 1000 * chance.clamp(-JITTER_THOUSANDTHS, JITTER_THOUSANDTHS);
    Some(span.max(asked.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use net::guard::Unreachable;

    fn answer(status: u16, retry_after: Option<&str>) -> Result<Fetched, FetchError> {
        let retry_after = retry_after.map(str::to_owned);
        Ok(Fetched { status, retry_after, location: None, content_type: None, body: Vec::new() })
    }

    #[test]
    fn answers_are_judged() {
        let failed = AttemptOutcome::Failed { asked: None };
        let asked = |seconds: i64| AttemptOutcome::Failed { asked: Some(seconds * SECOND) };
        let cases = [
            (answer(200, None), AttemptOutcome::Delivered),
            (answer(204, Some("9")), AttemptOutcome::Delivered),
            (answer(301, None), failed),
            (answer(308, None), failed),
            (answer(400, Some("60")), failed),
            (answer(410, None), AttemptOutcome::Gone),
            (answer(429, Some("60")), asked(60)),
            (answer(503, Some(" 3600 ")), asked(3600)),
            (answer(503, Some("3601")), failed),
            (answer(503, Some("0")), failed),
            (answer(503, Some("-5")), failed),
            (answer(503, Some("9223372036854775807")), failed),
            (answer(503, Some("Fri, 20 Nov 2026 10:00:00 GMT")), failed),
            (answer(500, None), failed),
            (Err(FetchError::TimedOut), failed),
            (Err(FetchError::Unreachable(Unreachable::Forbidden)), failed),
        ];
        for (outcome, verdict) in cases {
            assert_eq!(judge_response(&outcome), verdict, "{outcome:?}");
        }
    }

    #[test]
    fn ten_attempts_within_four_days() {
        let spans: Vec<i64> = (1..).map_while(|made| next_delay(made, None, 0)).collect();
        assert_eq!(spans, RETRY_DELAYS);
        assert_eq!(next_delay(1, None, -JITTER_THOUSANDTHS), Some(4 * SECOND));
        assert_eq!(next_delay(1, None, JITTER_THOUSANDTHS), Some(6 * SECOND));
        assert_eq!(next_delay(9, None, 5000), Some(24 * HOUR / 10 * 12));
        assert_eq!(next_delay(1, Some(60 * SECOND), 0), Some(60 * SECOND));
        assert_eq!(next_delay(4, Some(60 * SECOND), 0), Some(2 * HOUR), "never sooner than planned");
        assert_eq!(next_delay(10, Some(60 * SECOND), 0), None);
        assert_eq!(next_delay(0, None, 0), None);
    }
}
